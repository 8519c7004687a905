"""What the next run does with the journals of runs that died: it finishes what they decided, and removes what they staged before that.

Under the locks of the dead run and of its target, so that no two recover one run, and none recovers beside a living run of that target
(materialization, Atomic publication).
"""

from __future__ import annotations

import glob
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

from etlgen_runtime.diagnostics import Diagnostic, EtlgenError, ExecutionError
from etlgen_runtime.journal import Begin, Decision, Journal, Record, read_record
from etlgen_runtime.journal_bounds import JournalBounds, own_staging
from etlgen_runtime.places import Places
from etlgen_runtime.report import RunReport
from etlgen_runtime.staging import StagingFolder, TargetLock


@dataclass(slots=True)
class Recovered:
    """What was found in the journals.

    Args:
        finished: Runs that are finished, also by an earlier run, and whose outcome nobody has asked for yet; oldest first.
        unfinished: Runs that died after their decision and could not be finished, with the reason.
        refused: Runs whose journals name what is not this run's to touch, with the reason. Nothing was done.
        notices: What was done now, for the report of this run.
    """

    finished: list[Record] = field(default_factory=list[Record])
    unfinished: list[tuple[Begin, Diagnostic]] = field(default_factory=list[tuple[Begin, Diagnostic]])
    refused: list[tuple[Begin, Diagnostic]] = field(default_factory=list[tuple[Begin, Diagnostic]])
    notices: list[Diagnostic] = field(default_factory=list[Diagnostic])


class Recovery:
    """The journals of one state folder.

    Args:
        state: The state folder.
        places: What paths of the journals are relative to.
        bounds: What they may name.
        run_id: The run that recovers.
    """

    def __init__(self, state: Path, places: Places, bounds: JournalBounds, run_id: str) -> None:
        self._state = state
        self._bounds = bounds
        self._places = places
        self._run_id = run_id

    def run(self) -> Recovered:
        """Finish or sweep away what dead runs left.

        Raises:
            ExecutionError: PMEXEC112, a journal is damaged.
            OSError: The state folder cannot be read or written.
        """
        found = Recovered()
        folder = self._state / "journal"
        for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
            self._recover(path, found)
        return found

    def _recover(self, path: Path, found: Recovered) -> None:
        staging = StagingFolder(self._state, path.stem)
        record = read_record(path, self._places)
        if record is not None and record.state == "cleaned":
            if self._is_within_bounds(record, found):
                found.finished.append(record)
                staging.remove_if_dead()
            return
        if not staging.adopt():
            return  # it lives
        locks: list[TargetLock] = []
        is_done = False
        try:
            record = read_record(path, self._places)  # a neighbour may have finished it meanwhile
            is_done = record is None or record.state == "cleaned"
            if record is not None and not is_done:
                is_done = self._is_within_bounds(record, found)
                if is_done:
                    locks, are_free = self._locked(record.begin)
                    is_done = are_free and path.exists() and self._settle(record, found)
            elif record is None:
                path.unlink(missing_ok=True)
            else:
                found.finished.append(record)
        finally:
            if is_done:
                staging.release()
            else:
                staging.leave()
            for lock in locks:
                lock.release()

    def _is_within_bounds(self, record: Record, found: Recovered) -> bool:
        refusal = self._bounds.refusal(record)
        if refusal is not None:
            found.refused.append((record.begin, refusal))
        return refusal is None

    def _locked(self, begin: Begin) -> tuple[list[TargetLock], bool]:
        """The locks of target and quarantine, and whether all of them were free."""
        locks = [
            TargetLock(self._state / "locks", path) for path in (begin.target, begin.quarantine) if path is not None
        ]
        return locks, all(lock.take() for lock in locks)

    def _settle(self, record: Record, found: Recovered) -> bool:
        """Finish one dead run or sweep it away; whether nothing is left of it."""
        try:
            self._finish_or_sweep(record, found)
        except EtlgenError as problem:
            found.unfinished.append((record.begin, problem.diagnostic))
            return False
        return True

    def _finish_or_sweep(self, record: Record, found: Recovered) -> None:
        """The same.

        Raises:
            EtlgenError: Something is refused, or nobody can tell what is left to do; the journal stays.
        """
        begin, decision = record.begin, record.decision
        journal = Journal(self._state / "journal", begin.run_id, self._places)
        if decision is None:
            _require_nothing_published(begin, journal.path)
        elif record.state != "aborted":
            if not _is_lost(decision):
                self._finish(record, decision, journal, found)
                return
            found.notices.append(replace(_lost(begin), severity="warning"))
            self._write(replace(_failed(decision.report, _lost(begin)), published=decision.has_moved("target")))
        elif record.report is not None:
            self._write(record.report)
        _sweep(begin)
        journal.remove()

    def _finish(self, record: Record, decision: Decision, journal: Journal, found: Recovered) -> None:
        """Make the moves that are due, write the report, clean the input.

        Raises:
            EtlgenError: Something is refused; the journal stays.
        """
        begin, report = record.begin, decision.report
        notices = [self._notice(begin)]
        for move in decision.moves:
            with move.refusals():
                is_lost = move.is_lost()
            if is_lost:  # the quarantine alone: the target stands
                notices.append(_lost_quarantine(begin))
                report = replace(report, quarantine=None)
            else:
                move.carry_out()
        report = replace(report, diagnostics=(*report.diagnostics, *notices))
        self._write(report)
        if record.state == "staged":
            journal.published()
        report = _cleaned(report, decision, self._places.root)
        self._write(report)
        _sweep(begin)
        if begin.inputs is None:  # rows that were handed over: no run can tell that it has the same
            journal.remove()
        else:
            journal.cleaned(report)
            found.finished.append(replace(record, state="cleaned", report=report))
        found.notices.extend(notices)

    def _notice(self, begin: Begin) -> Diagnostic:
        return Diagnostic(
            code="PMEXEC111",
            message=f"run `{begin.run_id}` of `{begin.contract}` died after its decision; run `{self._run_id}` finished it",
            severity="info",
            node="run",
            help="the next run of that contract over the same input reports this outcome, and repeats nothing",
        )

    def _write(self, report: RunReport) -> None:
        try:
            report.write(self._state / "runs" / f"{report.run_id}.json")
        except OSError as error:
            raise ExecutionError(
                Diagnostic(
                    code="PMEXEC106",
                    message=f"the report of run `{report.run_id}` cannot be written: {error.strerror}",
                    node="report",
                )
            ) from None


def _cleaned(report: RunReport, decision: Decision, root: Path) -> RunReport:
    """The report after step 9."""
    if decision.cleanup is None:
        return report
    cleaned, problem = decision.cleanup.carry_out(root)
    report = replace(report, cleaned=cleaned)
    if problem is None:
        return report
    if problem.severity == "error":
        return _failed(report, problem)
    return replace(report, diagnostics=(*report.diagnostics, problem))


def _failed(report: RunReport, problem: Diagnostic) -> RunReport:
    """The run failed after its decision, and its report says why."""
    return replace(report, status="failed", diagnostics=(*report.diagnostics, problem))


def _sweep(begin: Begin) -> None:
    """Remove what a dead run staged outside of the state folder, and no other folder, whatever a journal says."""
    for folder in own_staging(begin):
        shutil.rmtree(folder, ignore_errors=True)


def _is_lost(decision: Decision) -> bool:
    """Whether rows are gone that the outcome needs. A target that stands has the rows of the run: it must not get them again.

    Raises:
        ExecutionError: PMEXEC102, the places may not be looked at.
    """
    if decision.stands():
        return False
    for move in decision.moves:
        with move.refusals():
            if move.is_lost():
                return True
    return False


def _require_nothing_published(begin: Begin, journal: Path) -> None:
    """A run that has not decided has published nothing. Where it has, somebody has cut its journal.

    Raises:
        ExecutionError: PMEXEC112, what was decided is not known any more.
    """
    for folder in (begin.target, begin.quarantine):
        part = next(folder.glob(f"part-{glob.escape(begin.run_id)}.*"), None) if folder is not None else None
        if part is not None:
            raise ExecutionError(
                Diagnostic(
                    code="PMEXEC112",
                    message=f"the journal `{journal}` has lost what was decided, and `{part}` is published",
                    node="run",
                    help="compare target, quarantine and input of that run by hand, then remove the journal",
                )
            )


def _lost(begin: Begin) -> Diagnostic:
    return Diagnostic(
        code="PMEXEC113",
        message=f"run `{begin.run_id}` of `{begin.contract}` died after its decision, and its rows are neither staged nor published",
        node="run",
        help="compare its target with its report; nothing but what the target holds was published",
    )


def _lost_quarantine(begin: Begin) -> Diagnostic:
    return Diagnostic(
        code="PMEXEC113",
        message=f"run `{begin.run_id}` of `{begin.contract}` died after its decision; its target stands, and its quarantined rows "
        "are gone",
        severity="warning",
        node="run",
        help="where they are needed, take them from the input, or from its archive",
    )
