"""What an engine provides. The core knows engines only through these protocols and finds them by name."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, cast

from etlgen_runtime.callbacks import Callbacks
from etlgen_runtime.checks import DatasetRule, Rules
from etlgen_runtime.contract import Contract, Link, Source, Target
from etlgen_runtime.datasets import Transformation
from etlgen_runtime.diagnostics import Diagnostic, PlanError
from etlgen_runtime.files import InputFiles
from etlgen_runtime.profile import Profile
from etlgen_runtime.report import Accounting, DatasetRuleResult, RuleResult

ENGINES = ("polars",)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What one run knows from its start: identity, the clock of its expressions (``as_of``) and the wall clock when it
    started (both aware, UTC), and a private folder on the target's file system.
    """

    contract: Contract
    profile: Profile
    callbacks: Callbacks
    run_id: str
    as_of: dt.datetime
    started_at: dt.datetime
    staging: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class StageRequest:
    """What :meth:`EngineRun.stage` writes.

    Args:
        accepted: File for the accepted rows in ``accepted_format``.
        audit: Folder for what dataset rules read and no one publishes.
        quarantine: File for the bad rows, or ``None``: they are counted only.
        columns: Published columns in order; further columns of the frame follow unless ``only_declared``.
        dataset_rules: Rules over the accepted rows; ``pre_dataset_rules`` over the good rows after step 5.
        run_id: Stands in the metadata of published Parquet files, under ``etlgen.run_id``.
    """

    accepted: Path
    accepted_format: Literal["parquet", "csv"]
    audit: Path
    quarantine: Path | None
    quarantine_format: Literal["parquet", "csv", "json"]
    include_error_reason: bool
    columns: tuple[str, ...]
    only_declared: bool
    dataset_rules: tuple[DatasetRule, ...]
    pre_dataset_rules: tuple[DatasetRule, ...]
    run_id: str

    @property
    def writes_text(self) -> bool:
        """Some of the files is CSV or JSON."""
        return self.accepted_format != "parquet" or (
            self.quarantine is not None and self.quarantine_format != "parquet"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """What came out of the fused run, counted at each boundary; ``fallbacks`` names what ran elsewhere, and where."""

    accounting: Accounting
    failed_rules: tuple[RuleResult, ...]
    warned_rules: tuple[RuleResult, ...]
    dataset_rules: tuple[DatasetRuleResult, ...] = field(default=())
    fallbacks: tuple[str, ...] = field(default=())


class EngineRun(Protocol):
    """One run on one engine. Frames are opaque to the core."""

    def read(self, source: Source[Any], files: InputFiles | None) -> object:
        """Step 1: rows as found, columns of text sources as text. ``files`` ``None``: no rows, the declared columns.

        Raises:
            DataError: PMDATA101 missing required column, PMDATA105 unreadable file, before any row.
        """
        ...

    def given(self, source: Source[Any], frame: object) -> object:
        """Step 1 for rows handed to ``run()``: the same checks of structure."""
        ...

    def notices(self) -> tuple[Diagnostic, ...]:
        """What a reader of the report should know about the source: declared columns that it lacks."""
        ...

    def link(self, link: Link[Any], files: InputFiles) -> object:
        """Reference data, filtered and cut to its columns.

        Raises:
            DataError: PMDATA106, a declared column is missing or of another type.
        """
        ...

    def transform(self, transformation: Transformation, frames: Mapping[str, object]) -> object:
        """Steps 2 and 6."""
        ...

    def enforce_schema(self, frame: object, model: type[object]) -> object:
        """Cast to the types of ``model``; what does not fit is remembered."""
        ...

    def check(self, frame: object, rules: Rules[Any, Any], links: Mapping[str, object]) -> object:
        """Steps 4 and 7: which rows fail which rules."""
        ...

    def split(self, frame: object) -> object:
        """Step 5: the good rows."""
        ...

    def accept(self, frame: object) -> object:
        """Step 7: the accepted rows."""
        ...

    def stage(self, frame: object, request: StageRequest) -> Staged:
        """Execute everything in one pass and write the staged files.

        Raises:
            DataError, ExecutionError: Without values of the data in the message.
        """
        ...

    def lay_out(self, frame: object, request: StageRequest) -> None:
        """Learn what :meth:`stage` would write, without executing: published rows of such a run are to be opened."""
        ...

    def check_append(self, existing: Sequence[Path], format: Literal["parquet", "csv"], staged: Path) -> None:
        """Refuse an append of rows whose columns differ from the published ones.

        Raises:
            DataError: PMDATA107 other columns or types, PMDATA108 a published file cannot be read.
        """
        ...

    def open_accepted(self, path: Path, format: Literal["parquet", "csv"], model: type[object]) -> object:
        """A frame over published or staged rows."""
        ...

    def open_quarantine(self, path: Path | None, format: Literal["parquet", "csv", "json"]) -> object:
        """A frame over quarantined rows; ``None``: no rows."""
        ...

    def close(self) -> None:
        """Let go of threads and connections, also after a failure; staged files still lie there."""
        ...

    def describe(self, error: BaseException) -> Diagnostic | None:
        """The engine's own exception as a diagnostic without values; ``None`` when it is not the engine's."""
        ...


class Engine(Protocol):
    """An engine: a name, a version, and a run."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def open(self, context: RunContext, steps: object) -> EngineRun:
        """Begin a run. ``steps`` is ``STEPS`` of the generated ``<engine>_steps`` module."""
        ...


def load_engine(name: str) -> Engine:
    """The engine of that name.

    Raises:
        PlanError: PMPLAN101 unknown engine; PMPLAN102 its extra is not installed.
    """
    if name not in ENGINES:
        raise PlanError(
            Diagnostic(
                code="PMPLAN101",
                message=f"unknown engine `{name}`",
                node="plan",
                help="engines: " + ", ".join(ENGINES),
            )
        )
    try:
        module = importlib.import_module(f"etlgen_runtime.engines.{name}")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("etlgen_runtime"):
            raise
        raise PlanError(
            Diagnostic(
                code="PMPLAN102",
                message=f"engine `{name}` needs the package `{error.name}`",
                node="plan",
                help=f"pip install 'etlgen-runtime[{name}]'",
            )
        ) from None
    return cast("Engine", module.ENGINE)


def load_steps(package: str, engine: str) -> object:
    """``STEPS`` of the generated module of that engine.

    Raises:
        PlanError: PMPLAN106, the package was generated without that engine.
    """
    name = f"{package}.{engine}_steps"
    try:
        return importlib.import_module(name).STEPS
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise PlanError(
            Diagnostic(
                code="PMPLAN106",
                message=f"`{package}` was generated without engine `{engine}`",
                node="plan",
                help="add it to `engines` in the configuration and run `etlgen build`",
            )
        ) from None


def target_of(contract: Contract) -> Target[Any]:
    """``TARGET`` of the generated module that says what the contract is, for a run that must know its target before step 8."""
    return cast("Target[Any]", importlib.import_module(f"{contract.package}.contract").TARGET)
