"""A run: the nine steps in order, one report, one outcome.

Generated ``run()`` functions call the methods below, one per step. The types of :mod:`etlgen_runtime.datasets` make a wrong
order a type error; at run time the engine stays lazy until step 8.
"""

from __future__ import annotations

import datetime as dt
import os
import secrets
import weakref
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar, get_args, get_type_hints

from etlgen_runtime import clock
from etlgen_runtime.callbacks import Callbacks, callback_failed
from etlgen_runtime.checks import Rules
from etlgen_runtime.contract import Contract, Link, Schema, Source, Target
from etlgen_runtime.datasets import Accepted, Checked, Dataset, Post, Pre, Transformation, Typed, require_dataset
from etlgen_runtime.diagnostics import DataError, EtlgenError, ExecutionError
from etlgen_runtime.draft import ReportDraft
from etlgen_runtime.engine import EngineRun, RunContext, StageRequest, load_engine, load_steps, target_of
from etlgen_runtime.failures import INTERRUPTS, diagnosed, interrupted, report_refused, shown_cause
from etlgen_runtime.files import InputFiles
from etlgen_runtime.inputs import link_files, source_files
from etlgen_runtime.journal import Decision, Record
from etlgen_runtime.materialize import DatasetRules, Materialization, Verdict
from etlgen_runtime.profile import Profile
from etlgen_runtime.publisher import Publisher, state_refusals
from etlgen_runtime.read_files import ReadFile
from etlgen_runtime.report import STEP_NAMES, RunReport, Status
from etlgen_runtime.result import QuarantinedRow, RunFailed, RunResult
from etlgen_runtime.staging import StagingFolder

A = TypeVar("A")
M = TypeVar("M")
P = TypeVar("P", Pre, Post)
X = TypeVar("X", bound=Transformation)


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
        self._draft = ReportDraft(
            contract=contract, profile=profile, run_id=self.run_id, started_at=self.started_at, as_of=self.as_of
        )
        self._staging = StagingFolder(profile.state, self.run_id)
        self._publisher = Publisher(contract, profile, self.run_id)
        self._inputs: tuple[ReadFile, ...] | None = None
        self._source: Source[Any] | None = None
        self._skipped = False
        self._finished: Record | None = None
        self._pre_rules: Rules[Any, Any] | None = None
        self._post_rules: Rules[Any, Any] | None = None
        self._materialization: Materialization | None = None
        self._verdict: Verdict | None = None
        self._decision: Decision | None = None
        self._is_left = False
        self._told: Record | None = None
        self._processed: tuple[ReadFile, ...] = ()
        self._is_discarded = False
        self._links: dict[str, object] = {}
        self._engine_run: EngineRun | None = None
        self._on_finish = self.callbacks.on_run_finish
        self._clock: clock.Token | None = None

    # --- context ------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Run:
        self._clock = clock.set_as_of(self.as_of)
        try:
            engine = load_engine(self.profile.engine)
            self._draft.engine_version = engine.version
            steps = load_steps(self.contract.package, self.profile.engine)
            self._engine_run = engine.open(self._context(), steps)
            with state_refusals(self.profile):
                self._staging.claim()  # beside the state: on the file system of `root`, as a rule
            if not self.profile.dry_run:
                self._draft.diagnostics.extend(self._publisher.recover())
        except EtlgenError as error:
            self._fail(error)
        except BaseException as error:
            if isinstance(error, INTERRUPTS):
                self._interrupted(error)
            self._close(keep_staging=False)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        try:
            if isinstance(error, INTERRUPTS):
                self._interrupted(error)
            elif error is not None and not isinstance(error, RunFailed):
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
        if self._is_left:
            self._staging.leave()
            self._publisher.leave()
        elif not keep_staging:
            self._discard()

    def _discard(self) -> None:
        """Remove staged files; a dry run keeps them as long as its result lives. Once: the journal goes last of all."""
        if self._is_discarded:
            return
        self._is_discarded = True
        if self._materialization is not None:
            self._materialization.discard()
        self._staging.release()
        self._publisher.end(self._told, self._processed)

    def _interrupted(self, error: BaseException) -> None:
        """A run that was stopped before its decision has failed; after it, the next run finishes it, as if it had been killed."""
        if self._publisher.is_decided:
            self._is_left = True
            return
        self._draft.diagnostics.append(interrupted(error))
        with suppress(EtlgenError):  # a hook that raises: the interrupt goes on
            self._write_report("failed")

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
        self._source = source
        self._draft.sources = files.paths if files else ()
        self._skipped = files is None
        frame = self._engine.read(source, None if self._finished else files)
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
        try:
            files, skipped = source_files(self.contract, self.profile, source)
        except DataError as error:
            if error.diagnostic.code not in ("PMDATA103", "PMDATA109") or not self._is_outcome_of_another(()):
                raise
            return None
        self._inputs = tuple(ReadFile.of(path) for path in files.paths) if files else ()
        if not self._is_outcome_of_another(self._inputs) and skipped is not None:
            self._draft.diagnostics.append(skipped)
        return files

    def _is_outcome_of_another(self, inputs: tuple[ReadFile, ...]) -> bool:
        """Whether a run that died had the same input and is finished: its outcome is this run's, and no row is read again."""
        if self._publisher.has_finished:
            materialization = Materialization(self._context(), target_of(self.contract))
            self._publisher.lock(materialization)
            self._finished = self._publisher.finished(materialization, inputs)
        return self._finished is not None

    # --- 2 and 6 · transformations -------------------------------------------------------------------------------------

    def transform(self, transformation: X) -> X:
        """Steps 2 and 6: run the native step of a transformation and fill its outputs."""
        is_pre = self._pre_rules is None
        self._begin(2 if is_pre else 6)
        inputs = transformation.inputs()
        frame = self._engine.transform(transformation, {name: rows.native for name, rows in inputs.items()})
        for name in transformation.output_names:
            setattr(transformation, name, Dataset(_model_of(type(transformation), name), frame))
        node = type(transformation).__name__
        self._draft.boundary("transformation_input", node, "schema", f"established by step {1 if is_pre else 5}")
        self._draft.boundary(
            "transformation_output", node, "schema", "columns and types are fixed by the generated code"
        )
        return transformation

    def link(self, link: Link[M]) -> Dataset[M]:
        """Reference data as an input of a transformation.

        Raises:
            DataError: PMDATA103 the path does not exist, PMDATA106 a declared column is missing or of another type.
        """
        return Dataset(link.model, self._link_frame(link))

    def _link_frame(self, link: Link[Any]) -> object:
        if link.name not in self._links:
            files = link_files(self.contract, self.profile, link)
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
        self._materialization = materialization
        self._draft.target = materialization.destination.path
        pre = self._pre_rules.dataset if self._pre_rules else ()
        post = self._post_rules.dataset if self._post_rules else ()
        rules = DatasetRules(good=pre, accepted=post)
        if self._finished is not None:
            self._stand_by(self._finished, rows.native, materialization.request(rules))
            return
        materialization.check_destinations(self._draft.sources)
        if not self.profile.dry_run:
            self._publisher.lock(materialization)
            self._publisher.begin(materialization, self._inputs)
        staged = materialization.stage(self._engine, rows.native, rules)
        self._draft.staged = staged
        self._draft.boundary("sink_input", "materialize", "full", "established by step 7", staged.accounting.accepted)
        verdict = Verdict(staged=staged, status="skipped")
        if not self._skipped:
            verdict = materialization.decide(self._engine, staged)
        self._verdict = verdict
        self._draft.diagnostics.extend(verdict.diagnostics)
        if verdict.moves:
            self._publish(verdict)
        self._draft.quarantined = verdict.quarantined
        if verdict.failure is not None:
            raise verdict.failure

    def _stand_by(self, finished: Record, frame: object, request: StageRequest) -> None:
        """In place of step 8, for a run whose outcome is that of another: nothing is executed.

        Raises:
            RunFailed: The other run failed.
        """
        self._engine.lay_out(frame, request)
        self._told = finished
        report = finished.report
        if report is not None and report.status == "failed":
            self._tell(report)
            raise RunFailed(report)

    def _publish(self, verdict: Verdict) -> None:
        """Write the decision down, then carry it out.

        Raises:
            ExecutionError: PMEXEC102, a move was refused, mostly before the first; PMEXEC106, the report cannot be written.
        """
        report = self._draft.foretold(verdict)
        self._decision = decision = self._publisher.decide(verdict, report, self._source, self._inputs or ())
        for move in decision.moves:
            try:
                move.carry_out()
            except ExecutionError as refused:
                if move.has_succeeded():
                    self._leave()
                else:
                    self._publisher.abort(self._draft.report("failed"), refused.diagnostic)
                raise
            self._draft.quarantined = verdict.quarantined
        self._draft.is_published = verdict.publishes
        self._save(report, is_final=False)
        self._publisher.note_published()

    def _leave(self) -> None:
        """What is decided stays for the next run, as after a kill; the report says what is published by now."""
        self._is_left = True
        if self._decision is not None:
            self._draft.is_published = self._decision.has_moved("target")
            if self._decision.has_moved("quarantine"):
                self._draft.quarantined = self._decision.quarantined

    def clean_up(self, source: Source[Any]) -> None:
        """Step 9: archive or delete the files that were read, once the target is published.

        Raises:
            ExecutionError: PMEXEC105 with ``cleanup_is_blocking``; otherwise a failure is a warning in the report.
        """
        self._begin(9)
        cleanup = self._decision.cleanup if self._decision else None
        if cleanup is None or not self._draft.is_published:
            return
        cleaned, problem = cleanup.carry_out(self.profile.root)
        self._draft.cleaned = cleaned
        if problem is not None:
            if cleanup.is_blocking:
                raise ExecutionError(problem)
            self._draft.diagnostics.append(problem)

    def result(self, rows: Accepted[M]) -> RunResult[M]:
        """Write the report and give the outcome.

        Raises:
            RunFailed: The report has status ``failed``.
        """
        verdict, materialization = self._verdict, self._materialization
        if materialization is None:
            raise RuntimeError("`result` comes after `materialize`")
        if self._finished is not None and self._finished.decision is not None:
            report, decision = self._finished.report or self._finished.decision.report, self._finished.decision
            self._tell(report)
            if report.quarantine is None:  # or it is gone
                decision = replace(decision, quarantined=None)
            return self._opened(report, rows, materialization.target, decision)
        if verdict is None:
            raise RuntimeError("`result` comes after `materialize`")
        report = self._write_report(verdict.status)
        self._processed = self._inputs or ()
        result = self._opened(report, rows, materialization.target, verdict)
        if self.profile.dry_run:
            weakref.finalize(result, self._discard)
        return result

    def _opened(
        self, report: RunReport, rows: Accepted[M], target: Target[Any], places: Verdict | Decision
    ) -> RunResult[M]:
        """The rows are opened where they are, when they are asked for."""
        engine = self._engine

        def accepted() -> Dataset[M]:
            path = places.accepted if places.accepted is not None else Path(os.devnull)
            return Dataset(rows.model, engine.open_accepted(path, target.format, target.published))

        def quarantined() -> Dataset[QuarantinedRow]:
            frame = engine.open_quarantine(places.quarantined, target.quarantine.format)
            return Dataset(QuarantinedRow, frame)

        return RunResult(report, accepted, quarantined)

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
            raise callback_failed(hook, error, published=self._draft.is_published) from error

    def _note_source(self, note: str) -> None:
        self._draft.diagnostics.extend(self._engine.notices())
        self._draft.boundary("source_output", "source", "schema", note)

    def _fail(self, error: BaseException) -> None:
        """Turn any failure into a written report and ``RunFailed``. The outer edge of a run: engines also raise outside
        ``Exception`` (a Polars panic).
        """
        if self._publisher.is_decided and not isinstance(error, EtlgenError):
            self._leave()
        engine = self._engine_run
        diagnostic = diagnosed(error, engine.describe(error) if engine else None, is_decided=self._is_left)
        self._draft.diagnostics.append(diagnostic)
        try:
            report = self._write_report("failed")
        except EtlgenError as refusal:  # the hook that hears the report
            self._draft.diagnostics.append(refusal.diagnostic)
            report = self._write_report("failed")
        self._close(keep_staging=False)
        raise RunFailed(report) from shown_cause(error, diagnostic, shows_values=self.profile.sensitive == "keep")

    def _write_report(self, status: Status) -> RunReport:
        report = self._draft.report(status)
        self._save(report)
        self._tell(report)
        return report

    def _tell(self, report: RunReport) -> None:
        hook, self._on_finish = self._on_finish, None
        if hook is not None:
            self._call(hook, report)

    def _save(self, report: RunReport, *, is_final: bool = True) -> None:
        """A report of a failure that cannot be written is in :class:`RunFailed`; another one is left to the next run.

        Raises:
            ExecutionError: PMEXEC106.
        """
        try:
            report.write(self._draft.path, is_final=is_final)
        except OSError as error:
            if report.status == "failed":
                return
            self._is_left = self._publisher.is_decided
            raise report_refused(error, is_published=self._draft.is_published) from None


_MODELS: dict[tuple[type[Transformation], str], type[Any]] = {}


def _model_of(transformation: type[Transformation], name: str) -> type[Any]:
    """The model of an output, from the annotation ``Output[Model]`` of the generated class; looked up once."""
    if (transformation, name) not in _MODELS:
        _MODELS[transformation, name] = get_args(get_type_hints(transformation)[name])[0]
    return _MODELS[transformation, name]
