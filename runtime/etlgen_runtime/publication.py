"""Staging and publication of local files: written elsewhere on the same file system, then renamed into place.

At any instant a reader sees the old state or the new one (materialization, Atomic publication).
"""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from etlgen_runtime.diagnostics import DataError, Diagnostic, ExecutionError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


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
    name: str

    @property
    def is_file(self) -> bool:
        return self.path.suffix.lower() == self.suffix

    def staged_path(self, staging: Path, run_id: str) -> Path:
        """Where the engine writes this run's rows before publication: below ``staging``, or beside the destination where that
        is another file system, since only a rename within one is atomic.
        """
        name = self.path.name if self.is_file else f"part-{run_id}{self.suffix}"
        existing = next(folder for folder in self.path.absolute().parents if folder.exists())
        if existing.stat().st_dev != next(f for f in staging.absolute().parents if f.exists()).stat().st_dev:
            staging = self.path.parent / f".etlgen-staging-{run_id}"
        return staging / self.name / name

    def discard(self, staging: Path, run_id: str) -> None:
        """Remove what was staged and not published."""
        folder = self.staged_path(staging, run_id).parent
        shutil.rmtree(folder, ignore_errors=True)
        if folder.parent != staging:
            shutil.rmtree(folder.parent, ignore_errors=True)

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
            is_part = entry.name.startswith(("part-", "_", ".")) or entry.suffix.lower() == self.suffix
            if entry.is_dir() or not is_part:
                return entry.name
        return ""

    def existing_parts(self) -> tuple[Path, ...]:
        """The files that hold what was published before."""
        if self.is_file:
            return (self.path,) if self.path.is_file() else ()
        return tuple(sorted(self.path.glob(f"*{self.suffix}"))) if self.path.is_dir() else ()

    def publish(self, staged: Path, run_id: str) -> None:
        """Move the staged file into place.

        Raises:
            ExecutionError: PMEXEC102, the file system refused; the old state is intact.
        """
        try:
            _sync(staged)
            if self.is_file:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                os.replace(staged, self.path)
            elif self.mode == "append":
                self.path.mkdir(parents=True, exist_ok=True)
                os.replace(staged, self.published_path(run_id))
            else:
                self._replace_folder(staged.parent)
        except OSError as error:
            raise ExecutionError(
                Diagnostic(
                    code="PMEXEC102",
                    message=f"the {self.name} `{self.path}` cannot be written: {error.strerror or type(error).__name__}",
                    node="materialize",
                    help="check permissions and free space; the old state is intact",
                )
            ) from None

    def _replace_folder(self, staged_folder: Path) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            os.rename(staged_folder, self.path)
        elif _exchange(staged_folder, self.path):
            shutil.rmtree(staged_folder, ignore_errors=True)
        else:
            old = staged_folder.with_name(staged_folder.name + ".old")
            os.rename(self.path, old)
            try:
                os.rename(staged_folder, self.path)
            except OSError:
                os.rename(old, self.path)
                raise
            shutil.rmtree(old, ignore_errors=True)


def refuse_overlap(target: Destination, quarantine: Destination | None, inputs: Sequence[Path]) -> None:
    """Refuse destinations of which one would remove the other, or the input (materialization, Cleanup: it is retained).

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
        own = _absolute(destination.path)
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


def _sync(path: Path) -> None:
    """Flush a staged file to disk, so that the rename never publishes a name without its bytes."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(left: Path, right: Path) -> bool:
    """Exchange two folders in one step (Linux ``renameat2``); ``False`` where the system cannot."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    done: int = renameat2(_AT_FDCWD, os.fsencode(left), _AT_FDCWD, os.fsencode(right), _RENAME_EXCHANGE)
    return done == 0
