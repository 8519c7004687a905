"""One generated pipeline in this process: run it over files, and read back what it did as plain rows."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, cast

from etlgen.conformance.compare import RowSet
from etlgen.conformance.execution import Execution, Message, Stop
from etlgen.conformance.rule_names import default_names
from etlgen.contract import Contract

if TYPE_CHECKING:
    from etlgen_runtime.datasets import Dataset
    from etlgen_runtime.profile import Profile
    from etlgen_runtime.report import RunReport
    from etlgen_runtime.result import RunResult

CRASHES = frozenset({"PMEXEC101", "PMEXEC103", "PMEXEC110"})
"""Failures that are nobody's input: an unexpected exception, broken accounts, an exception of the engine."""

TARGET = "target"
"""Folder of the target below the root, where the contract names none."""


class Records(Protocol):
    """``etlgen_runtime.engines.<engine>.records``."""

    def read_records(self, path: Path) -> object: ...

    def records_of(self, native: object) -> tuple[tuple[str, ...], tuple[dict[str, object], ...]]: ...

    def read_published(self, target: Path, format: str, model: type[object]) -> object: ...


@dataclass(frozen=True, slots=True)
class Load:
    """One load of the target: a file of the root. JSON Lines are handed over as one frame; anything else is read through
    the contract's own ``source``.
    """

    name: str

    @property
    def is_handed_over(self) -> bool:
        return self.name.endswith(".jsonl")


class Pipeline:
    """A generated package, bound to one engine and one root folder.

    Args:
        package: Importable name of the generated package.
        root: Relative paths of the contract are relative to it; the target lies in it.
        env: Environment variables of each run.
    """

    def __init__(self, package: str, contract: Contract, engine: str, root: Path, env: Mapping[str, str]) -> None:
        self.package = package
        self.contract = contract
        self.engine = engine
        self.root = root
        self.env = env
        self.target = root / (contract.materialization.target_path or TARGET)
        self._records = cast("Records", importlib.import_module(f"etlgen_runtime.engines.{engine}.records"))

    def run(self, loads: Sequence[Load]) -> Execution:
        """Run once for each load, in order; what the last one did. Stops at the first that fails."""
        execution = Execution()
        for load in loads:
            execution = self._run_once(load)
            if execution.stop is not None:
                break
        return replace(execution, target=self._read_target())

    def _run_once(self, load: Load) -> Execution:
        from etlgen_runtime.result import RunFailed

        declared = tuple(field.name.value for field in self.contract.fields)
        with _environment(self.env), _logged() as log:
            try:
                result = self._call(load)
            except RunFailed as failure:
                return _failed(failure.report, str(failure), declared, log)
        return self._finished(result, declared, log)

    def _call(self, load: Load) -> RunResult[object]:
        run = cast("Callable[..., RunResult[object]]", importlib.import_module(self.package).run)
        if not load.is_handed_over:
            return run(self._profile(load))
        contract = importlib.import_module(f"{self.package}.contract")
        return run(self._profile(load), **{_input_name(run): self._dataset(load, contract.SOURCE.model)})

    def _dataset(self, load: Load, model: type[object]) -> Dataset[object]:
        from etlgen_runtime.datasets import Dataset

        return Dataset(model, self._records.read_records(self.root / load.name))

    def _profile(self, load: Load) -> Profile:
        from etlgen_runtime.profile import Profile

        own_path = self.contract.source is not None and self.contract.source.path is not None
        assets = {} if own_path or load.is_handed_over else {self.contract.name: load.name}
        target = None if self.contract.materialization.target_path else TARGET
        return Profile(name="conformance", engine=self.engine, root=self.root, assets=assets, target=target)

    def _finished(self, result: RunResult[object], declared: tuple[str, ...], log: Sequence[str]) -> Execution:
        quarantined = self._rows(result.quarantined.native)
        report = result.report
        return Execution(
            declared=declared,
            accepted=self._rows(result.accepted.native),
            quarantined=quarantined,
            rows_input=report.accounting.read,
            rows_accepted=report.accounting.accepted,
            rows_quarantined=report.accounting.quarantined,
            failed_rules=_sums((rule.rule, rule.failed) for rule in report.failed_rules),
            warned_rules=_sums((rule.rule, rule.failed) for rule in report.warned_rules),
            dataset_rules_failed=report.dataset_rules_failed,
            default_names_failed=default_names(self.contract, report.dataset_rules_failed),
            texts=(report.to_json(), *(str(row.get("_etlgen_errors")) for row in quarantined.rows), *log),
        )

    def _rows(self, native: object) -> RowSet:
        columns, rows = self._records.records_of(native)
        return RowSet(rows, columns)

    def _read_target(self) -> RowSet:
        contract = importlib.import_module(f"{self.package}.contract")
        native = self._records.read_published(
            self.target, self.contract.materialization.format, contract.TARGET.published
        )
        return self._rows(native)


def _input_name(run: Callable[..., object]) -> str:
    """The keyword of ``run()`` that takes the rows: all others are the runtime's own."""
    import inspect

    return next(name for name in inspect.signature(run).parameters if name not in ("profile", "callbacks"))


def _failed(report: RunReport, text: str, declared: tuple[str, ...], log: Sequence[str]) -> Execution:
    errors = [diagnostic for diagnostic in report.diagnostics if diagnostic.severity == "error"]
    messages = tuple(Message(f"{d.code}: {d.message}" + (f" ({d.help})" if d.help else "")) for d in errors)
    refused = bool(errors) and all(diagnostic.code not in CRASHES for diagnostic in errors)
    stage: Literal["build", "run"] = "build" if errors and errors[0].code.startswith("PMPLAN") else "run"
    stop = Stop(stage, messages or (Message(text),), refused=refused)
    return Execution(declared=declared, rows_input=report.accounting.read, stop=stop, texts=(report.to_json(), *log))


def _sums(pairs: Iterator[tuple[str, int]]) -> dict[str, int]:
    """A rule that runs in both phases (``<field>_type``) is counted once over both."""
    found: dict[str, int] = {}
    for rule, failed in pairs:
        found[rule] = found.get(rule, 0) + failed
    return found


@contextmanager
def _environment(env: Mapping[str, str]) -> Generator[None]:
    before = {name: os.environ.get(name) for name in env}
    os.environ.update(env)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Collector(logging.Handler):
    """Keeps the text of every record."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self.lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


@contextmanager
def _logged() -> Generator[list[str]]:
    """What is logged meanwhile, at any level that the loggers let through."""
    lines: list[str] = []
    handler = _Collector(lines)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield lines
    finally:
        root.removeHandler(handler)
