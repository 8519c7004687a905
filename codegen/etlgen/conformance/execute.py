"""Builds and runs one case: the only module here that calls the generator and the runtime.

Each run has a root of its own, a copy of the case folder, so paths of the contract are relative to the case and nothing is
written beside it.
"""

from __future__ import annotations

import importlib
import itertools
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from etlgen.conformance.case import Case
from etlgen.conformance.execution import EngineMissing, Execution, Message, Stop
from etlgen.conformance.pipeline import Load, Pipeline
from etlgen.conformance.rule_names import RuleNames, rule_names
from etlgen.conformance.shuffle import reordered
from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.emit import build_project
from etlgen.plan import Plan
from etlgen.read import read_contract
from etlgen.resolve import resolve

GAP_CODES = frozenset({"CTR-030", "CTR-031", "CTR-090", "GEN-018", "ODCS-E190", "TYP-071", "SQL-005"})
"""Diagnostics that say: valid, but not executed by this version, or (GEN-018) not by this engine."""

_numbers = itertools.count()


def execute(case: Case, engine: str, workdir: Path) -> Execution:
    """Run the case with the engine, working in the empty folder ``workdir``.

    Raises:
        EngineMissing: The engine's library is not installed.
    """
    _require(engine)
    built = _build(case, engine, workdir / "generated")
    if isinstance(built, Stop):
        return Execution(stop=built)
    if case.input is None:
        return Execution(declared=built.declared)
    with built.imported(workdir / "generated"):
        try:
            return replace(_run(case, engine, workdir, built), rules=built.rules)
        except Exception as error:  # the outer edge: whatever a run raises is an outcome of its case
            return Execution(declared=built.declared, stop=_crash("run", error))


def _require(engine: str) -> None:
    from etlgen_runtime.diagnostics import PlanError
    from etlgen_runtime.engine import load_engine

    try:
        load_engine(engine)
    except PlanError as error:
        if error.diagnostic.code != "PMPLAN102":
            raise
        raise EngineMissing(str(error)) from None


# --- build ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Built:
    """A generated package on disk, the contract it came from, and the names of its rules."""

    package: str
    contract: Contract
    rules: RuleNames

    @property
    def declared(self) -> tuple[str, ...]:
        return tuple(field.name.value for field in self.contract.fields)

    @contextmanager
    def imported(self, folder: Path) -> Generator[None]:
        """Make the package importable, and forget it afterwards."""
        sys.path.insert(0, str(folder))
        importlib.invalidate_caches()
        try:
            yield
        finally:
            sys.path.remove(str(folder))
            root = self.package.split(".")[0]
            for name in [name for name in sys.modules if name == root or name.startswith(f"{root}.")]:
                del sys.modules[name]


def _build(case: Case, engine: str, folder: Path) -> Built | Stop:
    try:
        contracts = read_contract(case.contract, display=case.contract.name)
    except ContractError as error:
        return _refusal("validate", error)
    try:
        plans = [resolve(_with_format(contract, case)) for contract in contracts]
        texts = build_project(plans, package=(root := f"conformance_{next(_numbers)}"), engines=(engine,))
    except ContractError as error:
        return _refusal("build", error)
    except Exception as error:  # the outer edge: a fault of the generator is an outcome of its case
        return _crash("build", error)
    for path, text in texts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return Built(_package(root, plans), plans[0].contract, rule_names(plans[0]))


def _package(root: str, plans: list[Plan]) -> str:
    from etlgen.python_source.names import package_names

    return f"{root}.{package_names(plans)[plans[0].contract.name]}"


def _with_format(contract: Contract, case: Case) -> Contract:
    """The contract with the target format of the case.

    Raises:
        ContractError: CTR-031, the format is not written by this version.
    """
    wanted = case.loads.format if case.loads else ""
    if not wanted or wanted == contract.materialization.format:
        return contract
    if wanted not in ("parquet", "csv"):
        at = Position(f"{case.display}/case.yaml")
        raise ContractError(
            (Diagnostic("CTR-031", f"`materialization.format: {wanted}` is not executed by this version", at),)
        )
    return replace(contract, materialization=replace(contract.materialization, format=wanted))


def _refusal(stage: Literal["validate", "build"], error: ContractError) -> Stop:
    errors = [diagnostic for diagnostic in error.diagnostics if diagnostic.is_error]
    messages = tuple(Message(_text(d), d.at.line if d.at else None) for d in errors)
    return Stop(stage, messages, is_gap=all(diagnostic.code in GAP_CODES for diagnostic in errors))


def _crash(stage: Literal["build", "run"], error: Exception) -> Stop:
    return Stop(stage, (Message(f"{type(error).__name__}: {error}"),), refused=False)


def _text(diagnostic: Diagnostic) -> str:
    parts = (diagnostic.label, diagnostic.expected, diagnostic.nearest, diagnostic.help)
    more = "; ".join(part for part in parts if part)
    return f"{diagnostic.code}: {diagnostic.message}" + (f" ({more})" if more else "")


# --- run --------------------------------------------------------------------------------------------------------------


def _run(case: Case, engine: str, workdir: Path, built: Built) -> Execution:
    source = case.input
    if source is None:
        return Execution(declared=built.declared)
    loads = [_load(case, path) for path in (*_earlier_loads(case), source)]
    pipeline = Pipeline(built.package, built.contract, engine, _root(case, workdir, "main"), case.env)
    first = pipeline.run(loads)
    if first.stop is not None:
        return first
    if case.loads is not None and case.loads.idempotent:
        first = replace(first, target_repeated=pipeline.run(loads[-1:]).target)
    if case.assertions.same_result_for_any_input_order:
        others = [_in_other_order(case, engine, workdir, built, source, order) for order in ("reversed", "shuffled")]
        first = replace(first, reordered=tuple(other.accepted for other in others if other.stop is None))
    return first


def _load(case: Case, path: Path) -> Load:
    return Load(path.relative_to(case.folder).as_posix())


def _earlier_loads(case: Case) -> tuple[Path, ...]:
    if case.loads is None:
        return ()
    return (*((case.loads.seed,) if case.loads.seed else ()), *case.loads.more_loads)


def _in_other_order(
    case: Case, engine: str, workdir: Path, built: Built, source: Path, order: Literal["reversed", "shuffled"]
) -> Execution:
    root = _root(case, workdir, order)
    load = _load(case, source)
    target = root / load.name
    text = source.read_bytes().decode("latin-1")  # one character for each byte, whatever the encoding is
    target.write_bytes(reordered(text, order, csv=source.suffix == ".csv").encode("latin-1"))
    return Pipeline(built.package, built.contract, engine, root, case.env).run([load])


def _root(case: Case, workdir: Path, name: str) -> Path:
    root = workdir / name
    shutil.copytree(case.folder, root, ignore=shutil.ignore_patterns("expected"))
    return root
