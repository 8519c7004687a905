"""What a run holds while it publishes: the locks of its target and quarantine, and its journal."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from etlgen_runtime.cleanup import Cleanup
from etlgen_runtime.contract import Contract, Source
from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.files import shown_path
from etlgen_runtime.journal import Begin, Decision, Journal, Record, read_record
from etlgen_runtime.materialize import Materialization, Verdict
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
        with state_refusals(self._profile):
            found = Recovery(self._profile.state, self._places, self._run_id).run()
        self._waiting = [record for record in found.finished if self._is_own(record.begin)]
        return (*found.notices, *self._unfinished(found))

    def _unfinished(self, found: Recovered) -> list[Diagnostic]:
        problems: list[Diagnostic] = []
        for begin, reason in found.unfinished:
            problem = Diagnostic(
                code="PMEXEC113",
                message=f"run `{begin.run_id}` of `{begin.contract}` died after its decision, and cannot be finished: "
                f"{reason.code}: {reason.message}",
                node="run",
                help=reason.help,
            )
            if self._is_own(begin):
                raise ExecutionError(problem)
            problems.append(replace(problem, severity="warning"))
        return problems

    def _is_own(self, begin: Begin) -> bool:
        own = (self._contract.name, self._contract.package, self._profile.target)
        return (begin.contract, begin.package, begin.target_of_profile) == own

    @property
    def has_finished(self) -> bool:
        """A dead run of this contract was finished, and nobody has asked for its outcome yet."""
        return bool(self._waiting)

    def finished(self, materialization: Materialization, inputs: tuple[ReadFile, ...]) -> Record | None:
        """The finished run that read the same input for the same target: its outcome is that of this run.

        Args:
            inputs: What this run finds: some of those files, or none where they were archived or deleted.
        """
        target = materialization.destination.path.absolute()
        for record in reversed(self._waiting):
            begin = record.begin
            is_same = set(inputs) <= set(begin.inputs or ()) if inputs else begin.asset == self._asset
            if is_same and begin.target == target and self._path(record).exists():
                return record
        return None

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
            target_of_profile=self._profile.target,
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
            moves=verdict.moves,
            cleanup=cleanup,
            accepted=verdict.accepted,
            quarantined=verdict.quarantined,
            report=report,
        )
        prepare(decision.moves)
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
            if record is told or is_over:
                self._path(record).unlink(missing_ok=True)
        self._journal.remove()
        self.leave()

    def _path(self, record: Record) -> Path:
        return self._folder / f"{record.begin.run_id}.jsonl"

    def leave(self) -> None:
        """Give the locks back and leave the journal, as a run that is killed does."""
        for lock in self._locks:
            lock.release()
