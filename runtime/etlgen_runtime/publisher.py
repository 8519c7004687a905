"""What a run holds while it publishes: the locks of its target and quarantine, and its journal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from etlgen_runtime.cleanup import Cleanup
from etlgen_runtime.contract import Contract, Source
from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.engine import target_of
from etlgen_runtime.files import shown_path
from etlgen_runtime.fingerprint import fingerprint_of
from etlgen_runtime.journal import Begin, Decision, Journal, Record, read_record
from etlgen_runtime.journal_bounds import JournalBounds
from etlgen_runtime.materialize import Materialization, Verdict, destinations_of
from etlgen_runtime.places import Places
from etlgen_runtime.profile import Profile
from etlgen_runtime.publication import prepare
from etlgen_runtime.read_files import ReadFile
from etlgen_runtime.recovery import Recovered, Recovery
from etlgen_runtime.report import RunReport
from etlgen_runtime.staging import TargetLock


@contextmanager
def state_refusals(profile: Profile) -> Generator[None]:
    """What the file system refuses in the state folder is PMEXEC102."""
    try:
        yield
    except OSError as error:
        raise ExecutionError(
            Diagnostic(
                code="PMEXEC102",
                message=f"the state folder `{shown_path(profile.state, profile.root)}` cannot be written: "
                f"{error.strerror or type(error).__name__}",
                node="run",
                help="check permissions and free space, or name another with `state_dir` in the profile",
            )
        ) from None


class Publisher:
    """Locks and journal of one run, and the journals that earlier runs of its contract left."""

    def __init__(self, contract: Contract, profile: Profile, run_id: str) -> None:
        self._contract = contract
        self._profile = profile
        self._run_id = run_id
        self._asset = profile.assets.get(contract.name)
        self._places = Places(profile.root.absolute(), profile.state)
        self._folder = profile.state / "journal"
        self._journal = Journal(self._folder, run_id, self._places)
        self._locks: list[TargetLock] = []
        self._waiting: list[Record] = []

    @property
    def is_decided(self) -> bool:
        """From here on, what this run leaves undone is done by the next one."""
        return self._journal.is_decided

    def recover(self) -> tuple[Diagnostic, ...]:
        """Finish what dead runs of this state folder left; what was done, for the report.

        Raises:
            ExecutionError: PMEXEC112, a journal is damaged; PMEXEC102, the state folder cannot be written; PMEXEC113, a run of
                this contract cannot be finished.
        """
        bounds = JournalBounds(self._contract, self._profile)
        with state_refusals(self._profile):
            found = Recovery(self._profile.state, self._places, bounds, self._run_id).run()
        own = (self._contract.name, self._contract.package)
        self._waiting = [
            record
            for record in found.finished
            if (record.begin.contract, record.begin.package) == own and record.begin.target == self._destinations[0]
        ]
        return (*found.notices, *self._in_the_way(found))

    def _in_the_way(self, found: Recovered) -> list[Diagnostic]:
        """Warnings of dead runs that are left as they are.

        Raises:
            ExecutionError: PMEXEC112, PMEXEC113, it is one of this run's target or quarantine.
        """
        unfinished = [(begin, _unfinished(begin, reason)) for begin, reason in found.unfinished]
        for begin, problem in (*unfinished, *found.refused):
            if {begin.target, begin.quarantine} & set(self._destinations):
                raise ExecutionError(problem)
        return [replace(problem, severity="warning") for _, problem in (*unfinished, *found.refused)]

    @cached_property
    def _destinations(self) -> tuple[Path, Path]:
        """Target and quarantine of this run: these decide whose a dead run is, not the profile that named them."""
        target, quarantine = destinations_of(self._contract, self._profile, target_of(self._contract))
        return target.path.absolute(), quarantine.path.absolute()

    @property
    def has_finished(self) -> bool:
        """A dead run of this contract was finished, and nobody has asked for its outcome yet."""
        return bool(self._waiting)

    def finished(self, materialization: Materialization, inputs: tuple[ReadFile, ...]) -> Record | None:
        """The finished run that read the same input for the same target: its outcome is that of this run.

        Those that are no outcome any more are forgotten: another run has replaced their rows, or somebody has removed them.

        Args:
            inputs: What this run finds: the same files; also some of them, or none, where they were archived or deleted.

        Raises:
            ExecutionError: PMEXEC102.
        """
        found = [record for record in reversed(self._waiting) if self._path(record).exists()]
        for extent in ("all", "some"):
            for record in found:
                decision = record.decision
                if decision is None or self._extent(record.begin, decision, inputs) != extent:
                    continue
                is_repeatable = materialization.target.strategy == "overwrite" or not decision.has_moved("target")
                is_outdated = self._differs(record.begin) and is_repeatable and extent == "all"
                if decision.stands() and not is_outdated:
                    return self._warned(record)
                self._forget(record)
        return None

    def _extent(self, begin: Begin, decision: Decision, inputs: tuple[ReadFile, ...]) -> Literal["all", "some", "none"]:
        """How much of the input of a finished run this one finds, and nothing else."""
        own, found = set(begin.inputs or ()), set(inputs)
        if found == own and found:
            return "all"
        if decision.cleanup is None:
            return "none"
        return "some" if (found <= own if found else begin.asset == self._asset) else "none"

    def _differs(self, begin: Begin) -> bool:
        """Whether other code made the rows of a finished run, or for another time."""
        return (begin.code, begin.as_of) != (self._code, self._profile.as_of)

    @cached_property
    def _code(self) -> str:
        return fingerprint_of(self._contract.package)

    def _warned(self, record: Record) -> Record:
        """A finished run whose report says where it is not what this run would have done.

        Raises:
            ExecutionError: PMEXEC102.
        """
        report = record.report
        if report is None or not self._differs(record.begin):
            return record
        warning = Diagnostic(
            code="PMEXEC115",
            message=f"run `{report.run_id}` made these rows before the contract or `as_of` of the profile was changed",
            severity="warning",
            node="run",
            help="they are not published twice; to process the same input as it is now, run again",
        )
        report = replace(report, diagnostics=(*report.diagnostics, warning))
        with state_refusals(self._profile):
            report.write(self._profile.state / "runs" / f"{report.run_id}.json")
        return replace(record, report=report)

    def _forget(self, record: Record) -> None:
        self._waiting = [one for one in self._waiting if one is not record]
        with suppress(OSError):
            self._path(record).unlink()

    def lock(self, materialization: Materialization) -> None:
        """Target and quarantine are this run's own until it ends; another run of them fails at once.

        Raises:
            ExecutionError: PMEXEC108, another run has them, or died with them after this one began; PMEXEC102.
        """
        if self._locks:
            return
        for destination in (materialization.destination, materialization.quarantine):
            lock = TargetLock(self._profile.state / "locks", destination.path)
            self._locks.append(lock)
            with state_refusals(self._profile):
                is_free = lock.take()
            if not is_free or self._has_died_with(destination.path.absolute()):
                what = "is writing" if not is_free else "has died while it was writing"
                shown = shown_path(destination.path, self._profile.root)
                raise ExecutionError(
                    Diagnostic(
                        code="PMEXEC108",
                        message=f"another run {what} to the {destination.name} `{shown}`",
                        node="materialize",
                        help="wait for it to end" if not is_free else "run again: that finishes it",
                    )
                )

    def _has_died_with(self, path: Path) -> bool:
        """A journal of that target which was no dead run's when this run began. An empty folder is the usual case."""
        for journal in self._folder.glob("*.jsonl") if self._folder.is_dir() else ():
            record = read_record(journal, self._places)
            if (
                record is not None
                and record.state != "cleaned"
                and path in (record.begin.target, record.begin.quarantine)
            ):
                return True
        return False

    def begin(self, materialization: Materialization, inputs: tuple[ReadFile, ...] | None) -> None:
        """Write down what is about to be staged, and where.

        Raises:
            ExecutionError: PMEXEC102.
        """
        quarantine = materialization.quarantine.path if materialization.target.quarantine.enabled else None
        begin = Begin(
            run_id=self._run_id,
            contract=self._contract.name,
            package=self._contract.package,
            code=self._code,
            as_of=self._profile.as_of,
            asset=self._asset,
            target=materialization.destination.path.absolute(),
            quarantine=quarantine.absolute() if quarantine else None,
            staging=materialization.foreign_staging,
            inputs=inputs,
        )
        with state_refusals(self._profile):
            self._journal.begin(begin)

    def decide(
        self, verdict: Verdict, report: RunReport, source: Source[Any] | None, inputs: tuple[ReadFile, ...]
    ) -> Decision:
        """Ask for everything that the moves need, then write the decision down; nothing of it is visible yet.

        Args:
            report: As it reads once the moves are made.
            source: What may ask for a cleanup of ``inputs``, which follows where the target gets the rows.

        Raises:
            ExecutionError: PMEXEC102, target, quarantine or state folder cannot be written; nothing is decided.
        """
        cleanup = None
        if verdict.publishes and source is not None and inputs:
            cleanup = Cleanup.of(self._run_id, source, inputs, self._profile.root)
        decision = Decision(
            moves=prepare(verdict.moves),
            cleanup=cleanup,
            accepted=verdict.accepted,
            quarantined=verdict.quarantined,
            report=report,
        )
        with state_refusals(self._profile):
            self._journal.staged(decision)
        return decision

    def note_published(self) -> None:
        """The moves are made, the report is written."""
        self._journal.published()

    def abort(self, report: RunReport, refusal: Diagnostic) -> None:
        """A move was refused: nobody makes the others later. ``report``: of what was published until then."""
        self._journal.aborted(replace(report, diagnostics=(*report.diagnostics, refusal)))

    def end(self, told: Record | None, processed: tuple[ReadFile, ...]) -> None:
        """Remove the journal, last of all, then give the locks back.

        Args:
            told: The finished run whose outcome this run has reported.
            processed: The files that this run has processed. Finished runs over some of these are not waited for any more, nor
                those whose files are gone: no run can find the same input.
        """
        for record in self._waiting:
            files = record.begin.inputs or ()
            is_over = processed and (set(files) & set(processed) or not any(file.is_unchanged() for file in files))
            if (told is not None and record.begin.run_id == told.begin.run_id) or is_over:
                self._path(record).unlink(missing_ok=True)
        self._journal.remove()
        self.leave()

    def _path(self, record: Record) -> Path:
        return self._folder / f"{record.begin.run_id}.jsonl"

    def leave(self) -> None:
        """Give the locks back and leave the journal, as a run that is killed does."""
        for lock in self._locks:
            lock.release()


def _unfinished(begin: Begin, reason: Diagnostic) -> Diagnostic:
    return Diagnostic(
        code="PMEXEC113",
        message=f"run `{begin.run_id}` of `{begin.contract}` died, and cannot be finished: {reason.code}: {reason.message}",
        node="run",
        help=reason.help,
    )
