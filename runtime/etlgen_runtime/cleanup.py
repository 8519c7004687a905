"""Step 9: what happens to the files that a run has read, after its rows are published (materialization, Cleanup).

A :class:`Cleanup` is a value that a journal can hold. A file that is gone is found done, so a run that died between two files is
finished by the next.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from etlgen_runtime.contract import Source
from etlgen_runtime.diagnostics import Diagnostic
from etlgen_runtime.durable import make_folders, sync_file, sync_folders
from etlgen_runtime.files import shown_path
from etlgen_runtime.paths import leads_out
from etlgen_runtime.places import Place
from etlgen_runtime.read_files import ReadFile

_COPY = ".etlgen-copy-"
"""Begin of the name of a file that is on its way into the archive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleanup:
    """What is to be done with which files.

    Args:
        run_id: Tells its unfinished copies from those of other runs.
        base: The folder whose layout the archive keeps.
        archive: Where files are archived; unused by ``delete``.
        is_blocking: A file that remains fails the run.
    """

    run_id: str
    action: Literal["archive", "delete"]
    base: Place
    archive: Place
    is_blocking: bool
    files: tuple[ReadFile, ...]

    @classmethod
    def of(cls, run_id: str, source: Source[Any], files: tuple[ReadFile, ...], root: Path) -> Self | None:
        """The cleanup that a source asks for; ``None``: it retains its files."""
        if source.post_ingestion == "retain":
            return None
        path = root / (source.path or "")
        return cls(
            run_id=run_id,
            action=source.post_ingestion,
            base=(path if path.is_dir() else path.parent).absolute(),
            archive=(root / (source.archive_path or "archive")).absolute(),
            is_blocking=source.cleanup_is_blocking,
            files=files,
        )

    def carry_out(self, root: Path) -> tuple[tuple[str, ...], Diagnostic | None]:
        """Archive or delete the files that were read.

        Returns:
            The files that are gone from where they were, and a PMEXEC105 diagnostic naming those that remain, if any.
        """
        done: list[str] = []
        remaining: list[str] = []
        for file in self.files:
            try:
                self._clean(file)
                done.append(shown_path(file.path, root))
            except OSError as error:
                remaining.append(f"{shown_path(file.path, root)} ({error.strerror or error or type(error).__name__})")
        if not remaining:
            return tuple(done), None
        return tuple(done), Diagnostic(
            code="PMEXEC105",
            message=f"cleanup ({self.action}) left files where they were: {', '.join(remaining)}",
            severity="error" if self.is_blocking else "warning",
            node="cleanup",
            help="the data are published; move or delete the files by hand before the next run reads them again",
        )

    def _clean(self, file: ReadFile) -> None:
        if not file.path.exists():
            return
        if not file.is_unchanged():
            raise OSError("changed since it was read")
        if self.action == "archive":
            self._archive(file.path)
        file.path.unlink(missing_ok=True)

    def _archive(self, path: Path) -> None:
        """The same content at the same relative place below the archive; an archived file is never overwritten."""
        relative = path.relative_to(self.base) if path.is_relative_to(self.base) else Path(path.name)
        target = self.archive / relative
        if leads_out(target.parent, self.archive):
            raise OSError("a symbolic link in the archive leads out of it")
        made = make_folders(target.parent)
        if not (not path.is_symlink() and _linked(path, target)):
            _copied(path, target, target.with_name(f"{_COPY}{self.run_id}-{target.name}"))
        sync_folders((target.parent, *(folder.parent for folder in made)))  # before the input goes


def _candidates(target: Path) -> Iterator[Path]:
    """``orders.csv``, ``orders.1.csv``, ...

    Raises:
        OSError: None of ten thousand was free.
    """
    yield target
    yield from (target.with_name(f"{target.stem}.{number}{target.suffix}") for number in range(1, 10_000))
    raise OSError("too many archived files of that name")


def _linked(path: Path, target: Path) -> bool:
    """Whether the file got a second name in the archive, or had it; ``False`` where file systems differ or have no links."""
    for candidate in _candidates(target):
        try:
            os.link(path, candidate)
        except FileExistsError:
            if not candidate.samefile(path):
                continue
        except OSError:
            return False
        return True
    return False


def _copied(path: Path, target: Path, copy: Path) -> None:
    """Copy beside the place in the archive, then take the place; a copy that a killed run had made is found done."""
    for candidate in _candidates(target):
        if candidate.exists():
            if _is_copy(path, candidate):
                break
            continue
        shutil.copy2(path, copy)
        sync_file(copy)
        if _took(copy, candidate):
            break
    copy.unlink(missing_ok=True)


def _is_copy(path: Path, candidate: Path) -> bool:
    """The same time, size and content, so that nothing is lost with one of them."""
    own, other = path.stat(), candidate.stat()
    same = (own.st_size, own.st_mtime_ns // 1000) == (other.st_size, other.st_mtime_ns // 1000)
    return same and filecmp.cmp(path, candidate, shallow=False)


def _took(copy: Path, candidate: Path) -> bool:
    """Whether the copy got the name; ``False`` if it was taken meanwhile."""
    try:
        os.link(copy, candidate)
    except FileExistsError:
        return False
    except OSError:  # no hard links here: the name is taken first, then filled
        try:
            os.close(os.open(candidate, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        os.replace(copy, candidate)
    return True
