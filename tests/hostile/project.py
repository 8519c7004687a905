"""Cases built into one project, imported and run in this process, and what became of each."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from tests.hostile.contracts import Case, Row
from tests.hostile.plants import said, steers_a_terminal
from tests.hostile.strings import MARKER

from etlgen.cli.plan_record import plan_record
from etlgen.cli.plan_text import plan_text
from etlgen.configuration import Configuration
from etlgen.diagnostics.model import ContractError
from etlgen.diagnostics.render import json_text
from etlgen.emit import build_project
from etlgen.plan import Plan
from etlgen.project import ContractFile, analyse
from etlgen.python_source.names import package_names
from etlgen_runtime import Profile, RunFailed, RunResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case.

    Args:
        kind: ``right``: ran, and gave what was expected. ``ran``: nothing was expected of it. ``refused``: by a diagnostic at
            build or run. ``wrong``: another result, or a refusal where there should be none. ``traceback``: an exception that is
            no diagnostic. ``executed``: planted code ran.
        detail: Codes of the refusal, or what is wrong.
    """

    case: Case
    kind: str
    detail: str = ""

    @property
    def is_failure(self) -> bool:
        return self.kind in ("wrong", "traceback", "executed")


def outcomes(cases: Sequence[Case], folder: Path, package: str) -> list[Outcome]:
    """Build all of ``cases`` into ``folder / package`` and run each; ``folder`` is the working folder and on ``sys.path``."""
    found: list[Outcome] = []
    plans: list[tuple[Case, Plan]] = []
    for case in cases:
        for path, data in case.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        file = folder / f"c{case.number}.{case.vocabulary}.yaml"
        file.write_text(case.text, encoding="utf-8", newline="")
        planned = _planned(case, file, folder)
        if isinstance(planned, Outcome):
            found.append(planned)
        else:
            plans += [(case, plan) for plan in planned]
    plans, modules, refused = _generated(plans, package)
    found += refused
    for name, text in modules.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    folders = package_names([plan for _, plan in plans])
    found += [_run(case, f"{package}.{folders[plan.contract.name]}", folder) for case, plan in plans]
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    return found


def _planned(case: Case, file: Path, folder: Path) -> Sequence[Plan] | Outcome:
    try:
        analysis = analyse([ContractFile(file.name, file)], Configuration(root=folder))
    except BaseException:
        return Outcome(case, "traceback", traceback.format_exc())
    if analysis.blocking:
        return _refused(case, (found.code for found in analysis.blocking))
    return analysis.plans


def _refused(case: Case, codes: Iterable[str]) -> Outcome:
    return Outcome(case, "refused" if case.expected is None else "wrong", " ".join(sorted(set(codes))))


def _generated(
    plans: list[tuple[Case, Plan]], package: str
) -> tuple[list[tuple[Case, Plan]], dict[str, str], list[Outcome]]:
    """The project of all plans, and what became of those that cannot be in it; of two of one name the first is."""
    kept = list({plan.contract.name: (case, plan) for case, plan in reversed(plans)}.values())[::-1]
    if not kept:
        return [], {}, []
    try:
        return kept, build_project([plan for _, plan in kept], package=package), []
    except Exception:
        kept, refused = _alone(kept)
        return kept, build_project([plan for _, plan in kept], package=package) if kept else {}, refused


def _alone(plans: list[tuple[Case, Plan]]) -> tuple[list[tuple[Case, Plan]], list[Outcome]]:
    """Those that generate each by itself, and what became of the others."""
    kept: list[tuple[Case, Plan]] = []
    refused: list[Outcome] = []
    for case, plan in plans:
        try:
            build_project([plan], package="alone")
            kept.append((case, plan))
        except ContractError as error:
            refused.append(_refused(case, (found.code for found in error.diagnostics)))
        except BaseException:
            refused.append(Outcome(case, "traceback", traceback.format_exc()))
    return kept, refused


def _run(case: Case, module: str, folder: Path) -> Outcome:
    try:
        result: RunResult[Any] = importlib.import_module(module).run(Profile(root=folder))
        wrong = _difference(case, result, folder) if case.expected is not None else ""
    except RunFailed as failed:
        codes = [found.code for found in failed.report.diagnostics if found.severity == "error"]
        if "PMEXEC101" in codes:  # a fault of code, foreseen by nobody
            return Outcome(case, "traceback", "".join(traceback.format_exception(failed)))
        return _refused(case, codes)
    except BaseException:
        return Outcome(case, "traceback", traceback.format_exc())
    if (folder / MARKER).exists() or Path(MARKER).exists():
        return Outcome(case, "executed", "the marker is there")
    return Outcome(case, "wrong" if wrong else "right" if case.expected else "ran", wrong)


def _difference(case: Case, result: RunResult[Any], folder: Path) -> str:
    """What differs from the expected outcome; empty where nothing does."""
    expected, report = case.expected, result.report
    assert expected is not None
    if case.target not in ("", report.target):
        return f"published in {report.target!r}, expected {case.target!r}"
    rows = pl.read_parquet(sorted((folder / str(report.target)).glob("*.parquet")), glob=False).to_dicts()
    if sorted(rows, key=_order) != sorted(expected.rows, key=_order):
        return f"rows {rows}, expected {list(expected.rows)}"
    if report.accounting.quarantined != expected.quarantined:
        return f"{report.accounting.quarantined} quarantined, expected {expected.quarantined}"
    failed = {rule.rule: rule.failed for rule in report.failed_rules}
    for name, count in expected.failed.items():
        if failed.get(name, 0) != count:
            return f"rule {name!r} failed {failed.get(name, 0)} times, expected {count}"
    rules = {rule.rule: rule.passed for rule in report.dataset_rules}
    if rules != dict.fromkeys(expected.dataset_rules, True):
        return f"dataset rules {rules}, expected {expected.dataset_rules} to pass"
    return ""


def read_aloud(case: Case, folder: Path) -> str:
    """What steers a terminal in that which `lint` and `plan` say of a contract; empty: nothing does."""
    file = ContractFile(f"c{case.number}.{case.vocabulary}.yaml", folder / f"c{case.number}.{case.vocabulary}.yaml")
    analysis = analyse([file], Configuration(root=folder))
    texts = [said(analysis.diagnostics, folder)]
    for plan in analysis.plans:
        texts += [plan_text(plan, ("polars",)), json_text(plan_record(plan, ("polars",), ()))]
    return steers_a_terminal("".join(texts))


def _order(row: Row) -> str:
    return repr(sorted(row.items()))
