"""A run: the nine steps in order, one report, one outcome.

Generated ``run()`` functions call the methods below, one per step. The types of :mod:`etlgen_runtime.datasets` make a wrong
order a type error; at run time the engine stays lazy until step 8.
"""

from __future__ import annotations

import datetime as dt
import os
import secrets
import time
import weakref
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from etlgen_runtime import clock
from etlgen_runtime.callbacks import Callbacks, callback_failed
from etlgen_runtime.checks import Rules
from etlgen_runtime.cleanup import clean_up
from etlgen_runtime.contract import Contract, Link, Schema, Source, Target
from etlgen_runtime.datasets import Accepted, Checked, Dataset, Post, Pre, Transformation, Typed, require_dataset
from etlgen_runtime.diagnostics import DataError, Diagnostic, EtlgenError, ExecutionError
from etlgen_runtime.engine import EngineRun, RunContext, load_engine, load_steps
from etlgen_runtime.files import InputFiles, find_files, format_of_asset, shown_path
from etlgen_runtime.materialize import DatasetRules, Materialization, Publication
from etlgen_runtime.profile import Profile
from etlgen_runtime.report import STEP_NAMES, Accounting, BoundaryReport, RunReport, Status, step_reports
from etlgen_runtime.result import QuarantinedRow, RunFailed, RunResult
from etlgen_runtime.staging import StagingFolder, TargetLock

A = TypeVar("A")
M = TypeVar("M")
P = TypeVar("P", Pre, Post)
X = TypeVar("X", bound=Transformation)


UNEXPECTED = "PMEXEC101"
"""Neither the engine's nor foreseen: a fault of code, which needs its traceback."""


class Run:
    """One execution of one contract under one profile; a context manager.

    Leaving the ``with`` block by an exception writes the report with status ``failed`` and raises :class:`RunFailed`; staged
    files are removed either way.

    Raises:
        RunFailed: Carries the report.
    Source: semantics, section 1.
    """

    def __init__(self, contract: Contract, profile: Profile, callbacks: Callbacks | None = None) -> None:
        self.contract = contract
        self.profile = profile
        self.callbacks = callbacks if callbacks is not None else Callbacks()
        self.started_at = dt.datetime.now(dt.UTC)
        self.as_of = profile.as_of if profile.as_of is not None else self.started_at
        self.run_id = f"{self.started_at:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        self._start = time.perf_counter()
        self._staging = StagingFolder(profile.state / "staging", self.run_id)
        self._files: InputFiles | None = None
        self._skipped = False
        self._pre_rules: Rules[Any, Any] | None = None
        self._post_rules: Rules[Any, Any] | None = None
        self._materialization: Materialization | None = None
        self._publication: Publication | None = None
        self._diagnostics: list[Diagnostic] = []
        self._boundaries: list[BoundaryReport] = []
        self._cleaned: tuple[str, ...] = ()
        self._links: dict[str, object] = {}
        self._locks: list[TargetLock] = []
        self._engine_run: EngineRun | None = None
        self._on_finish = self.callbacks.on_run_finish
        self._clock: clock.Token | None = None
        self._engine_version = ""

    # --- context ------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Run:
        self._clock = clock.set_as_of(self.as_of)
        try:
            engine = load_engine(self.profile.engine)
            self._engine_version = engine.version
            steps = load_steps(self.contract.package, self.profile.engine)
            self._engine_run = engine.open(self._context(), steps)
            self._claim_staging()
        except EtlgenError as error:
            self._fail(error)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        try:
            if error is not None and not isinstance(error, (RunFailed, KeyboardInterrupt, SystemExit, GeneratorExit)):
                self._fail(error)
        finally:
            self._close(keep_staging=error is None and self.profile.dry_run)
        return False

    def _close(self, *, keep_staging: bool) -> None:
        if self._clock is not None:
            clock.reset(self._clock)
            self._clock = None
        if self._engine_run is not None:
            self._engine_run.close()
        if not keep_staging:
            self._discard()

    def _discard(self) -> None:
        """Remove staged files; a dry run keeps them as long as its result lives."""
        if self._materialization is not None:
            for destination in (self._materialization.destination, self._materialization.quarantine):
                destination.discard(self._staging.path, self.run_id)
        self._staging.release()
        for lock in self._locks:
            lock.release()

    def _claim_staging(self) -> None:
        """Staged files lie beside the state, on the file system of ``root``."""
        try:
            self._staging.claim()
        except OSError as error:
            raise ExecutionError(
                Diagnostic(
                    code="PMEXEC102",
                    message=f"the state folder `{self._shown(self.profile.state)}` cannot be written: "
                    f"{error.strerror or type(error).__name__}",
                    node="run",
                    help="check its permissions, or name another with `state_dir` in the profile",
                )
            ) from None

    def _context(self) -> RunContext:
        return RunContext(
            contract=self.contract,
            profile=self.profile,
            callbacks=self.callbacks,
            run_id=self.run_id,
            as_of=self.as_of,
            started_at=self.started_at,
            staging=self._staging.path,
        )

    @property
    def _engine(self) -> EngineRun:
        if self._engine_run is None:
            raise RuntimeError("a Run is used inside its `with` block")
        return self._engine_run

    # --- 1 · source ---------------------------------------------------------------------------------------------------

    def read(self, source: Source[M]) -> Dataset[M]:
        """Step 1: rows as found, one per record; columns of text sources as text. Lazy.

        Raises:
            DataError: PMDATA101 a required column is missing, PMDATA103 the path does not exist, PMDATA105 a file is
                unreadable; before any row.
        """
        self._begin(1)
        files = self._find(source)
        self._files = files
        self._skipped = files is None
        frame = self._engine.read(source, files)
        self._note_source("columns checked before any row")
        return Dataset(source.model, frame)

    def given(self, rows: Dataset[M], source: Source[M]) -> Dataset[M]:
        """Step 1 for rows handed to ``run()``: their structure is checked for real.

        Raises:
            PlanError: PMPLAN112 the rows are no dataset.
            DataError: PMDATA101 a required column is missing.
        """
        self._begin(1)
        require_dataset(rows, source.model)
        frame = self._engine.given(source, rows.native)
        self._note_source("rows handed to run(); columns checked before any row")
        return Dataset(source.model, frame)

    def _find(self, source: Source[Any]) -> InputFiles | None:
        path = self.profile.assets.get(self.contract.name, source.path)
        node = f"source `{source.name}`"
        if path is None:
            raise DataError(
                Diagnostic(
                    code="PMPLAN104",
                    message=f"{node} has no path",
                    node="source",
                    help=f"write `source.path`, or name the asset `{self.contract.name}` in the profile",
                )
            )
        overridden = self.contract.name in self.profile.assets
        files = find_files(
            self.profile.root,
            path,
            pattern=None if overridden else source.pattern,
            format=format_of_asset(path, source.format) if overridden else source.format,
            node=node,
        )
        if files is None:
            if source.empty_behavior == "fail":
                raise DataError(
                    Diagnostic(
                        code="PMDATA109",
                        message=f"{node}: nothing matches `{path}`"
                        + (f" / `{source.pattern}`" if source.pattern else ""),
                        node="source",
                        help="`empty_behavior: skip` skips such a run",
                    )
                )
            self._diagnostics.append(
                Diagnostic(
                    code="PMDATA109",
                    message=f"{node}: nothing matches `{path}`; the run is skipped",
                    severity="info",
                    node="source",
                )
            )
        return files

    # --- 2 and 6 · transformations -------------------------------------------------------------------------------------

    def transform(self, transformation: X) -> X:
        """Steps 2 and 6: run the native step of a transformation and fill its outputs."""
        is_pre = self._pre_rules is None
        self._begin(2 if is_pre else 6)
        inputs = transformation.inputs()
        frame = self._engine.transform(transformation, {name: rows.native for name, rows in inputs.items()})
        hints = type(transformation).__annotations__
        for name in transformation.output_names:
            setattr(transformation, name, Dataset(_model_of(type(transformation), name, hints), frame))
        node = type(transformation).__name__
        self._boundary("transformation_input", node, "schema", f"established by step {1 if is_pre else 5}")
        self._boundary("transformation_output", node, "schema", "columns and types are fixed by the generated code")
        return transformation

    def link(self, link: Link[M]) -> Dataset[M]:
        """Reference data as an input of a transformation.

        Raises:
            DataError: PMDATA103 the path does not exist, PMDATA106 a declared column is missing or of another type.
        """
        return Dataset(link.model, self._link_frame(link))

    def _link_frame(self, link: Link[Any]) -> object:
        if link.name not in self._links:
            assets = self.profile.assets
            path = assets.get(f"{self.contract.name}.{link.name}", assets.get(link.name, link.path))
            format = link.format if path == link.path else format_of_asset(path, link.format)
            files = find_files(self.profile.root, path, pattern=None, format=format, node=f"link `{link.name}`")
            if files is None:
                raise DataError(
                    Diagnostic(code="PMDATA103", message=f"link `{link.name}`: nothing matches `{path}`", node="source")
                )
            self._links[link.name] = self._engine.link(link, files)
        return self._links[link.name]

    # --- 3 to 7 -------------------------------------------------------------------------------------------------------

    def enforce_schema(self, rows: Dataset[A], schema: Schema[A, M]) -> Typed[M]:
        """Steps 3 and 6: cast to the declared types by the cast table; what does not fit is remembered, not lost."""
        if self._pre_rules is None:
            self._begin(3)
        return Typed(schema.after, self._engine.enforce_schema(rows.native, schema.after))

    def check(self, rows: Typed[M], rules: Rules[M, P]) -> Checked[M, P]:
        """Steps 4 and 7: judge every row by every rule of the phase."""
        if rules.phase is Pre:
            self._begin(4)
            self._pre_rules = rules
        else:
            self._begin(7)
            self._post_rules = rules
        wanted = {rule.link for rule in rules.rows if rule.link} | {n for rule in rules.dataset for n in rule.links}
        links = {link.name: self._link_frame(link) for link in self.contract.links if link.name in wanted}
        return Checked(rows.model, self._engine.check(rows.native, rules, links))

    def split(self, rows: Checked[M, Pre]) -> Dataset[M]:
        """Step 5: the good rows; the bad ones are on their way to the quarantine."""
        self._begin(5)
        return Dataset(rows.model, self._engine.split(rows.native))

    def accept(self, rows: Checked[M, Post]) -> Accepted[M]:
        """Step 7: the rows that passed everything."""
        return Accepted(rows.model, self._engine.accept(rows.native))

    # --- 8 and 9 ------------------------------------------------------------------------------------------------------

    def materialize(self, rows: Accepted[M], target: Target[M]) -> None:
        """Step 8: execute, audit what was staged, publish by rename. In a dry run nothing is published.

        Raises:
            EtlgenError: The run fails (accounts, disabled quarantine, unwritable target); the old target is intact.
        """
        self._begin(8)
        materialization = Materialization(self._context(), target)
        materialization.check_destinations(self._files.paths if self._files else ())
        self._materialization = materialization
        self._lock_targets(materialization)
        pre = self._pre_rules.dataset if self._pre_rules else ()
        post = self._post_rules.dataset if self._post_rules else ()
        staged = materialization.stage(self._engine, rows.native, DatasetRules(good=pre, accepted=post))
        self._boundary("sink_input", "materialize", "full", "established by step 7", staged.accounting.accepted)
        self._publication = Publication(
            staged=staged, status="skipped", accepted_path=None, quarantine_path=None, diagnostics=(), published=False
        )
        if not self._skipped:
            self._publication = materialization.publish(self._engine, staged)
            self._diagnostics.extend(self._publication.diagnostics)

    def _lock_targets(self, materialization: Materialization) -> None:
        """Target and quarantine are this run's own until it ends; another run of them fails at once."""
        if self.profile.dry_run:
            return
        folder = self.profile.state / "locks"
        for destination in (materialization.destination, materialization.quarantine):
            lock = TargetLock(folder, destination.path)
            self._locks.append(lock)
            if not lock.take():
                raise ExecutionError(
                    Diagnostic(
                        code="PMEXEC108",
                        message=f"another run is writing to the {destination.name} `{self._shown(destination.path)}`",
                        node="materialize",
                        help="wait for it to end; nothing of this run was published",
                    )
                )

    def clean_up(self, source: Source[Any]) -> None:
        """Step 9: archive or delete the files that were read, once the target is published.

        Raises:
            ExecutionError: PMEXEC105 with ``cleanup_is_blocking``; otherwise a failure is a warning in the report.
        """
        self._begin(9)
        if self._publication is None or not self._publication.published or self._files is None:
            return
        cleaned, problem = clean_up(source, self._files, self.profile.root)
        self._cleaned = cleaned
        if problem is not None:
            if source.cleanup_is_blocking:
                raise ExecutionError(problem)
            self._diagnostics.append(problem)

    def result(self, rows: Accepted[M]) -> RunResult[M]:
        """Write the report and give the outcome.

        Raises:
            RunFailed: The report has status ``failed``.
        """
        publication, materialization = self._publication, self._materialization
        if publication is None or materialization is None:
            raise RuntimeError("`result` comes after `materialize`")
        report = self._write_report(publication.status)
        engine, target = self._engine, materialization.target

        def accepted() -> Dataset[M]:
            if publication.accepted_path is None:
                return Dataset(rows.model, engine.open_accepted(Path(os.devnull), target.format, target.published))
            return Dataset(rows.model, engine.open_accepted(publication.accepted_path, target.format, target.published))

        def quarantined() -> Dataset[QuarantinedRow]:
            frame = engine.open_quarantine(publication.quarantine_path, target.quarantine.format)
            return Dataset(QuarantinedRow, frame)

        result = RunResult(report, accepted, quarantined)
        if self.profile.dry_run:
            weakref.finalize(result, self._discard)
        return result

    # --- report -------------------------------------------------------------------------------------------------------

    def _begin(self, step: int) -> None:
        hook = self.callbacks.on_step_start
        if hook is not None:
            self._call(hook, step, STEP_NAMES[step - 1])

    def _call(self, hook: Any, *arguments: object) -> None:
        """Run a callback; ``Any`` because each hook has its own arguments."""
        try:
            hook(*arguments)
        except Exception as error:
            published = self._publication is not None and self._publication.published
            raise callback_failed(hook, error, published=published) from error

    def _note_source(self, note: str) -> None:
        self._diagnostics.extend(self._engine.notices())
        self._boundary("source_output", "source", "schema", note)

    def _boundary(
        self,
        boundary: Literal["source_output", "transformation_input", "transformation_output", "sink_input"],
        node: str,
        mode: str,
        note: str,
        checked: int | None = None,
    ) -> None:
        invalid = 0 if checked is not None else None
        self._boundaries.append(
            BoundaryReport(
                boundary=boundary, node=node, mode=mode, checked=checked, valid=checked, invalid=invalid, note=note
            )
        )

    def _fail(self, error: BaseException) -> None:
        """Turn any failure into a written report and ``RunFailed``. The outer edge of a run: engines also raise outside
        ``Exception`` (a Polars panic).
        """
        diagnostic = self._diagnose(error)
        self._diagnostics.append(diagnostic)
        try:
            report = self._write_report("failed")
        except EtlgenError as refusal:  # the hook that hears the report
            self._diagnostics.append(refusal.diagnostic)
            report = self._write_report("failed")
        self._close(keep_staging=False)
        raise RunFailed(report) from self._cause(error, diagnostic)

    def _cause(self, error: BaseException, diagnostic: Diagnostic) -> BaseException | None:
        """What a traceback may show: messages of the engine and of callbacks may hold values of the data."""
        if diagnostic.code != UNEXPECTED and self.profile.sensitive != "keep":
            return None
        return error.__cause__ if isinstance(error, EtlgenError) else error

    def _diagnose(self, error: BaseException) -> Diagnostic:
        if isinstance(error, EtlgenError):
            return error.diagnostic
        described = self._engine_run.describe(error) if self._engine_run is not None else None
        if described is not None:
            return described
        return Diagnostic(
            code=UNEXPECTED, message=f"the run stopped with {type(error).__name__}", node="run", help="see the cause"
        )

    def _write_report(self, status: Status) -> RunReport:
        path = self.profile.state / "runs" / f"{self.run_id}.json"
        report = self._report(status, path)
        try:
            report.write(path)
        except OSError as error:
            if status != "failed":
                raise ExecutionError(
                    Diagnostic(
                        code="PMEXEC106", message=f"the report cannot be written: {error.strerror}", node="report"
                    )
                ) from None
        hook, self._on_finish = self._on_finish, None
        if hook is not None:
            self._call(hook, report)
        return report

    def _report(self, status: Status, path: Path) -> RunReport:
        publication, materialization = self._publication, self._materialization
        staged = publication.staged if publication else None
        return RunReport(
            run_id=self.run_id,
            contract=self.contract.name,
            contract_version=self.contract.version,
            pipeline=self.contract.package,
            profile=self.profile.name,
            engine=self.profile.engine,
            engine_version=self._engine_version,
            status=status,
            as_of=self.as_of,
            started_at=self.started_at,
            duration_s=round(time.perf_counter() - self._start, 6),
            dry_run=self.profile.dry_run,
            accounting=staged.accounting if staged else Accounting(),
            steps=step_reports(dry_run=self.profile.dry_run) if staged else (),
            boundaries=tuple(self._boundaries),
            failed_rules=staged.failed_rules if staged else (),
            warned_rules=staged.warned_rules if staged else (),
            dataset_rules=staged.dataset_rules if staged else (),
            diagnostics=tuple(self._diagnostics),
            fallbacks=staged.fallbacks if staged else (),
            sources=tuple(self._shown(p) for p in self._files.paths) if self._files else (),
            target=self._shown(materialization.destination.path) if materialization else None,
            quarantine=self._shown(materialization.quarantine_path)
            if materialization and materialization.quarantine_path
            else None,
            report_path=self._shown(path),
            cleaned=self._cleaned,
            published=publication is not None and publication.published,
        )

    def _shown(self, path: Path) -> str:
        return shown_path(path, self.profile.root)


def _model_of(transformation: type[Transformation], name: str, hints: dict[str, Any]) -> type[Any]:
    """The model of an output, from the annotation ``Output[Model]`` of the generated class."""
    hint = hints[name] if not isinstance(hints[name], str) else get_type_hints(transformation)[name]
    model: type[Any] = get_args(hint)[0]
    return model
