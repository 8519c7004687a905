"""Where the rows of a run go: the file or folder that a contract names, and what stands in the way."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.publication import Move

_OF_PARTS = frozenset({"_SUCCESS", "_metadata", "_common_metadata"})
"""What other writers of part files leave beside them."""
FOREIGN_STAGING = ".etlgen-staging-"
"""Begin of the name of a staging folder that does not lie in the state folder; the run's id follows."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where one run's rows go.

    Args:
        path: The file (its suffix says so) or the folder of part files.
        suffix: ``.parquet``, ``.csv`` or ``.jsonl``.
        mode: ``append`` adds a part file to the folder; ``overwrite`` replaces the file or folder.
        name: For messages: ``target``, ``quarantine``.
    """

    path: Path
    suffix: str
    mode: Literal["append", "overwrite"]
    name: Literal["target", "quarantine"]

    @property
    def is_file(self) -> bool:
        return self.path.suffix.lower() == self.suffix

    def staging_folder(self, staging: Path, run_id: str) -> Path:
        """Where a run stages the rows: ``staging``, or a hidden folder beside the destination (in it, where rows are appended to
        a mount point) if that is on another file system, since only a rename within one is atomic.
        """
        holder = self.path if self.mode == "append" and self.path.is_dir() else self.path.parent
        if _device(holder) == _device(staging):
            return staging
        return holder / f"{FOREIGN_STAGING}{run_id}"

    def staged_path(self, staging: Path, run_id: str) -> Path:
        """The file that the engine writes before publication, below a :meth:`staging_folder`."""
        return staging / self.name / (self.path.name if self.is_file else f"part-{run_id}{self.suffix}")

    def move(self, staged: Path, run_id: str) -> Move:
        """What publishes the staged file."""
        kind: Literal["file", "part", "folder"] = "part" if self.mode == "append" else "folder"
        return Move(
            name=self.name,
            kind="file" if self.is_file else kind,
            staged=staged.absolute(),
            path=self.path.absolute(),
            published=self.published_path(run_id).absolute(),
        )

    def published_path(self, run_id: str) -> Path:
        """Where this run's rows are after publication."""
        return self.path if self.is_file else self.path / f"part-{run_id}{self.suffix}"

    def check(self) -> None:
        """Refuse what cannot be published, before anything is computed.

        Raises:
            DataError: PMDATA104, a folder stands where a file should be, or the reverse, or an append to a single file, or an
                overwrite of a folder that holds other things than part files.
        """
        problem = ""
        fix = f"use a folder (no `{self.suffix}` at the end), or a file with strategy overwrite"
        if self.is_file and self.path.is_dir():
            problem = f"is a directory, but its name ends in `{self.suffix}` and means a file"
        elif not self.is_file and self.path.exists() and not self.path.is_dir():
            problem = "is a file, but its name means a folder of part files"
        elif self.is_file and self.mode == "append":
            problem = "is a single file; append adds part files to a folder"
        elif self.mode == "overwrite" and not self.is_file and os.path.ismount(self.path):
            problem = "is a mount point; a folder is replaced as a whole, and that cannot be"
            fix = "choose a folder below it"
        elif foreign := self._foreign():
            problem = f"holds `{foreign}`, which is no part file; overwriting replaces the whole folder"
            fix = f"move `{foreign}` away, or choose another folder"
        if problem:
            raise DataError(
                Diagnostic(
                    code="PMDATA104",
                    message=f"the {self.name} `{self.path}` {problem}",
                    node="materialize",
                    help=fix,
                )
            )

    def _foreign(self) -> str:
        """Something in the folder that an overwrite would remove although no run has written it."""
        if self.is_file or self.mode == "append" or not self.path.is_dir():
            return ""
        for entry in sorted(self.path.iterdir()):
            is_part = entry.name.startswith("part-") and entry.suffix.lower() == self.suffix
            is_part = is_part or entry.name in _OF_PARTS or entry.name.startswith(".part-")
            if entry.is_dir() or not is_part:
                return entry.name
        return ""

    def existing_parts(self) -> tuple[Path, ...]:
        """The files that hold what was published before."""
        if self.is_file:
            return (self.path,) if self.path.is_file() else ()
        return tuple(sorted(self.path.glob(f"*{self.suffix}"))) if self.path.is_dir() else ()


def refuse_overlap(target: Destination, quarantine: Destination | None, inputs: Sequence[Path], state: Path) -> None:
    """Refuse destinations of which one would remove the other, or the input (materialization, Cleanup: it is retained), or the state
    folder.

    Raises:
        DataError: PMDATA104.
    """
    if quarantine is not None:
        one, other = _absolute(target.path), _absolute(quarantine.path)
        word = "is" if one == other else "lies in" if other.is_relative_to(one) else "holds"
        if one.is_relative_to(other) or other.is_relative_to(one):
            raise _overlap(
                f"the quarantine `{quarantine.path}` {word} the target", "name another place for one of them"
            )
    for destination in (target, *((quarantine,) if quarantine else ())):
        own, kept = _absolute(destination.path), _absolute(state)
        if kept.is_relative_to(own) and destination.mode == "overwrite":
            raise _overlap(
                f"overwriting the {destination.name} `{destination.path}` would remove the state folder `{state}`",
                "choose another place",
            )
        lost = next((path for path in inputs if _absolute(path).is_relative_to(own)), None)
        if lost is not None and destination.mode == "overwrite":
            raise _overlap(
                f"overwriting the {destination.name} `{destination.path}` would remove the input `{lost}`",
                "keep input and output in different places",
            )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))


def _overlap(message: str, fix: str) -> DataError:
    return DataError(Diagnostic(code="PMDATA104", message=message, node="materialize", help=fix))


def _device(path: Path) -> int:
    """The file system of a path, or of the folder in which it would be made."""
    return next(folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists()).stat().st_dev
