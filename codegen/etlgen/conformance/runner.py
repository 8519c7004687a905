"""Finds cases, runs each on each engine, and turns what happened into outcomes and an exit code."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from etlgen.conformance.case import Case, load_case
from etlgen.conformance.execution import EngineMissing, Execution
from etlgen.conformance.judge import is_unsupported, judge
from etlgen.conformance.report import Format, Outcome, Result, render
from etlgen.diagnostics.model import ContractError, Diagnostic

Execute = Callable[[Case, str, Path], Execution]
"""(case, engine, empty folder to work in) -> what happened. Raises ``EngineMissing`` when the engine is not installed."""

REQUIRED_LEVELS = ("core-runtime", "materialization")


def run_conformance(
    directory: Path, engines: tuple[str, ...], fmt: Format, require: bool, out: TextIO, execute: Execute | None = None
) -> int:
    """Run every case below ``directory`` on every engine and print the results.

    Args:
        directory: Walked for ``case.yaml``; a single case folder will do.
        require: UNSUPPORTED fails the run too, at the levels core-runtime and materialization.
        out: Takes the report and nothing else.
        execute: Runs one case; by default builds and runs the contract with the engine.

    Returns:
        0, or 1 when a case failed.

    Raises:
        ContractError: CNF-006, no case below ``directory``.
    """
    folders = discover(directory)
    if not folders:
        message = f"no conformance case below `{directory}`"
        help_ = "name a folder that holds `case.yaml` files, such as `conformance/cases`"
        raise ContractError((Diagnostic("CNF-006", message, help=help_),))
    run = execute or _default_execute()
    results = [run_case(folder, directory, engine, run) for engine in engines for folder in folders]
    out.write(render(results, fmt))
    return exit_code(results, require)


def _default_execute() -> Execute:
    from etlgen.conformance.execute import execute  # loads readers and emitters: only when a case is run

    return execute


def discover(directory: Path) -> tuple[Path, ...]:
    """Folders that hold a ``case.yaml``, sorted by path."""
    return tuple(sorted(path.parent for path in directory.rglob("case.yaml")))


def exit_code(results: Sequence[Result], require: bool) -> int:
    """1 on any FAIL, and with ``require`` on UNSUPPORTED of a required level."""
    for result in results:
        if result.outcome is Outcome.FAIL:
            return 1
        if require and result.outcome is Outcome.UNSUPPORTED and result.level in REQUIRED_LEVELS:
            return 1
    return 0


def run_case(folder: Path, directory: Path, engine: str, execute: Execute) -> Result:
    """Run one case folder. A broken case.yaml is a FAIL of that case, with its diagnostics as reasons."""
    path = folder.relative_to(directory).as_posix() if folder != directory else folder.name
    started = time.perf_counter()
    case: Case | None = None
    try:
        case = load_case(folder, path)
        outcome, reasons = _outcome(case, engine, execute)
    except ContractError as error:
        outcome, reasons = Outcome.FAIL, tuple(_sentence(diagnostic) for diagnostic in error.diagnostics)
    return Result(
        id=case.id if case else folder.name,
        path=path,
        engine=engine,
        level=case.level if case else "core-runtime",
        outcome=outcome,
        reasons=reasons,
        duration_ms=(time.perf_counter() - started) * 1000,
    )


def _outcome(case: Case, engine: str, execute: Execute) -> tuple[Outcome, tuple[str, ...]]:
    with tempfile.TemporaryDirectory(prefix="etlgen-conformance-") as folder:
        try:
            execution = execute(case, engine, Path(folder))
        except EngineMissing as error:
            return Outcome.SKIP, (str(error),)
    reasons = judge(case, execution)
    if reasons and execution.stop is not None and is_unsupported(case, execution):
        return Outcome.UNSUPPORTED, tuple(message.text for message in execution.stop.messages)
    return (Outcome.FAIL if reasons else Outcome.PASS), reasons


def _sentence(diagnostic: Diagnostic) -> str:
    at = f" ({diagnostic.at.file}:{diagnostic.at.line}:{diagnostic.at.column})" if diagnostic.at else ""
    found = f", {diagnostic.label}" if diagnostic.label else ""
    expected = f", expected {diagnostic.expected}" if diagnostic.expected else ""
    nearest = f"; did you mean `{diagnostic.nearest}`?" if diagnostic.nearest else ""
    return f"{diagnostic.code}: {diagnostic.message}{found}{expected}{nearest}{at}"
