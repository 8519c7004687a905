"""What a journal may name: no more than the run that reads it could ask for itself.

A journal is carried out, files moved and deleted, so one that somebody else has put there must not reach further than a contract does
(materialization, Sources).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from etlgen_runtime.contract import Contract
from etlgen_runtime.destination import FOREIGN_STAGING
from etlgen_runtime.diagnostics import Diagnostic, PlanError
from etlgen_runtime.journal import Begin, Decision, Record
from etlgen_runtime.paths import AllowedFolders, leads_out
from etlgen_runtime.profile import Profile


class JournalBounds:
    """The bounds that one run sets: its root and folders, what its profile names for sources, and for its own target.

    Args:
        contract: Of the run that reads the journals.
        profile: Likewise.
    """

    def __init__(self, contract: Contract, profile: Profile) -> None:
        self._own = (contract.name, contract.package)
        self._profile = profile
        self._folders = replace(AllowedFolders.of(profile), by_contract=False)

    def refusal(self, record: Record) -> Diagnostic | None:
        """PMEXEC112 for a journal that leads out of the bounds; nothing of it may be carried out."""
        fault = next(self._faults(record), None)
        if fault is None:
            return None
        return Diagnostic(
            code="PMEXEC112",
            message=f"the journal of run `{record.begin.run_id}` of `{record.begin.contract}` is refused: {fault}",
            node="run",
            help="run that contract once with the profile of that run, which finishes it; where no run has written the file "
            f"`{self._profile.state / 'journal' / record.begin.run_id}.jsonl`, remove it",
        )

    def _faults(self, record: Record) -> Iterator[str]:
        begin = record.begin
        if os.path.realpath(record.root) != os.path.realpath(self._profile.root):
            yield f"its root `{record.root}` is not that of this run"
            return
        for name, path in (("target", begin.target), ("quarantine", begin.quarantine)):
            if path is not None and not self._may_write(path, begin):
                yield f"its {name} `{path}` lies where this run may not write"
        if record.decision is not None:
            yield from self._faults_of_moves(begin, record.decision)
            yield from self._faults_of_cleanup(begin, record.decision)

    def _faults_of_moves(self, begin: Begin, decision: Decision) -> Iterator[str]:
        """Every move leads from the staging of its run to a destination of its run."""
        destinations = {"target": begin.target, "quarantine": begin.quarantine}
        staging = (self._profile.state / "staging" / begin.run_id, *own_staging(begin))
        rows: dict[str, Path] = {}
        for move in decision.moves:
            part = move.path / f"part-{begin.run_id}{move.published.suffix}"
            if move.path != destinations[move.name] or move.published not in (move.path, part):
                yield f"it moves a file to `{move.published}`, which is no destination of it"
            holders = [folder / move.name for folder in staging]
            is_direct = (move.staged.parent.name, move.staged.name) == (move.name, move.published.name)
            if not is_direct or all(leads_out(move.staged, holder) for holder in holders):
                yield f"it moves `{move.staged}`, which is no staged file of it"
            rows[move.name] = move.published
        for name, path in (("target", decision.accepted), ("quarantine", decision.quarantined)):
            if path is not None and path != rows.get(name):
                yield f"its rows are said to be in `{path}`, to which it moves none"

    def _faults_of_cleanup(self, begin: Begin, decision: Decision) -> Iterator[str]:
        """It archives or deletes what it has read, where a source may lie."""
        cleanup = decision.cleanup
        if cleanup is None:
            return
        if cleanup.run_id != begin.run_id:
            yield "its cleanup is that of another run"
        if cleanup.action == "archive" and not _allows(self._folders, cleanup.archive):
            yield f"its archive `{cleanup.archive}` lies where this run may not write"
        for file in cleanup.files:
            if file not in (begin.inputs or ()):
                yield f"it would {cleanup.action} `{file.path}`, which it has not read"
            if not self._may_read(file.path):
                yield f"it would {cleanup.action} `{file.path}`, which lies where this run may not read"

    def _may_write(self, path: Path, begin: Begin) -> bool:
        folders, target = self._folders, self._profile.target
        if target is not None and (begin.contract, begin.package) == self._own:
            folders = folders.named_by_profile(target, with_neighbours=True)
        return _allows(folders, path)

    def _may_read(self, path: Path) -> bool:
        folders = self._folders
        for asset in self._profile.assets.values():
            folders = folders.named_by_profile(asset)
        return _allows(folders, path)


def own_staging(begin: Begin) -> tuple[Path, ...]:
    """The folders outside of the state folder in which a run staged files: hidden, of its name, beside a destination or in it. What
    else its journal may name there is none.
    """
    beside = {folder for path in (begin.target, begin.quarantine) if path is not None for folder in (path, path.parent)}
    return tuple(
        folder
        for folder in begin.staging
        if folder.name == f"{FOREIGN_STAGING}{begin.run_id}" and folder.parent in beside and not folder.is_symlink()
    )


def _allows(folders: AllowedFolders, path: Path) -> bool:
    try:
        folders.require(path, "a journal", str(path))
    except PlanError:
        return False
    return True
