"""Publication of staged files by renames: at any instant a reader sees the old state or the new one.

A :class:`Move` is a value that a journal can hold, and can be carried out again: what is done is found done (materialization,
Atomic publication).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Self

from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.durable import make_folders, remove_empty, sync_file, sync_folders
from etlgen_runtime.exchange import exchange
from etlgen_runtime.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class FileIdentity:
    """What tells a file from every other one, and stays when it is renamed."""

    size_bytes: int
    modified_ns: int
    number: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """That of the file at ``path``.

        Raises:
            OSError: There is none.
        """
        found = path.stat()
        return cls(size_bytes=found.st_size, modified_ns=found.st_mtime_ns, number=found.st_ino)

    def is_at(self, path: Path) -> bool:
        """Whether the file at ``path`` is that one.

        Raises:
            OSError: It may not be looked at.
        """
        try:
            return FileIdentity.of(path) == self
        except (FileNotFoundError, NotADirectoryError):
            return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One staged file on its way to the place where readers look.

    Args:
        name: For messages.
        kind: A single ``file`` that is replaced; a ``part`` that is added to a folder; a ``folder`` that is replaced by the one
            of the staged file.
        staged: The staged file.
        path: The file or folder that the contract names.
        published: Where the rows of the run are afterwards.
        identity: Of the staged file; ``None`` before :func:`prepare`.
    """

    name: Literal["target", "quarantine"]
    kind: Literal["file", "part", "folder"]
    staged: Place
    path: Place
    published: Place
    identity: FileIdentity | None = None

    def is_done(self) -> bool:
        """Published parts have the name of their run; a single file has that of any run, so it must be the staged one itself.

        Raises:
            OSError: The place may not be looked at.
        """
        if self.kind == "file":
            return self.identity is not None and self.identity.is_at(self.path)
        return self.published.exists()

    def is_lost(self) -> bool:
        """Neither staged nor published: somebody has removed the rows."""
        return not self.staged.exists() and not self.is_done()

    def prepare(self) -> tuple[Path, ...]:
        """Ask for everything that the move needs, without a visible effect; the folders that were made for it.

        Raises:
            ExecutionError: PMEXEC102, the file system would refuse.
        """
        with self.refusals():
            sync_file(self.staged)
            made = make_folders(self.path.parent)
            try:
                require_writable(self.path.parent)
                if self.kind != "file" and self.path.exists():
                    require_writable(self.path)
            except OSError:
                remove_empty(made)
                raise
        return made

    def carry_out(self) -> None:
        """Make the move, unless it is done; afterwards it survives a power cut.

        Raises:
            ExecutionError: PMEXEC102, the file system refused; unless the move :meth:`has_succeeded`, the old state is intact.
        """
        try:
            sync_folders(self._renamed())
        except OSError as error:
            raise (_unsettled if self.has_succeeded() else refusal)(self.name, self.path, error) from None

    def has_succeeded(self) -> bool:
        """Whether the move is known to be done: what is published cannot be taken back, whatever was refused after it."""
        try:
            return self.is_done()
        except OSError:
            return False

    def _renamed(self) -> list[Path]:
        """Make the move, unless it is done; the folders whose names have changed. The staged one was synced before."""
        if self.is_done():
            return [self.path.parent, self.path] if self.kind == "part" else [self.path.parent]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.kind == "file":
            os.replace(self.staged, self.path)
        elif self.kind == "part":
            return [self.path if _add_part(self.staged, self.path) else self.path.parent]
        else:
            _replace_folder(self.staged.parent, self.path)
        return [self.path.parent]

    @contextmanager
    def refusals(self) -> Generator[None]:
        """What the file system refuses is PMEXEC102."""
        try:
            yield
        except OSError as error:
            raise refusal(self.name, self.path, error) from None


def refusal(name: str, path: Path, error: OSError) -> ExecutionError:
    """PMEXEC102 for a destination."""
    return ExecutionError(
        Diagnostic(
            code="PMEXEC102",
            message=f"the {name} `{path}` cannot be written: {error.strerror or type(error).__name__}",
            node="materialize",
            help="check permissions and free space; the old state is intact",
        )
    )


def _unsettled(name: str, path: Path, error: OSError) -> ExecutionError:
    """PMEXEC102 for a destination that is published, perhaps not on the disk."""
    return ExecutionError(
        Diagnostic(
            code="PMEXEC102",
            message=f"the {name} `{path}` is published, but may not survive a power cut: "
            f"{error.strerror or type(error).__name__}",
            node="materialize",
            help="look after the disk, then run again: that finishes this run",
        )
    )


def prepare(moves: Sequence[Move]) -> tuple[Move, ...]:
    """:meth:`Move.prepare` for all of them: what one is refused, none needs to undo. The moves, with their ``identity``.

    Raises:
        ExecutionError: PMEXEC102.
    """
    made: list[Path] = []
    ready: list[Move] = []
    try:
        for move in moves:
            made = [*move.prepare(), *made]
            with move.refusals():
                ready.append(replace(move, identity=FileIdentity.of(move.staged)))
        if moves:
            with moves[-1].refusals():
                sync_folders(folder for move in moves for folder in move.staged.parents[:3])
    except ExecutionError:
        remove_empty(made)
        raise
    return tuple(ready)


def require_writable(folder: Path) -> None:
    """Whether names may be added to a folder, or to the one in which it would be made.

    Raises:
        OSError: They may not: the rights of this process, or a file system that is read-only.
    """
    there = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if sys.platform != "win32" and os.statvfs(there).f_flag & os.ST_RDONLY:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(there))
    if not os.access(there, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(there))


def _add_part(staged: Path, folder: Path) -> bool:
    """Whether the folder was there; one that was not appears with its first part in it."""
    if not folder.exists():
        try:
            os.rename(staged.parent, folder)
        except OSError:
            if not folder.exists():
                raise
        else:
            return False
    os.replace(staged, folder / staged.name)
    return True


def _replace_folder(new: Path, folder: Path) -> None:
    """Where the system cannot exchange folders, there is a moment without one; a run that dies in it is completed."""
    if not folder.exists():
        os.rename(new, folder)
    elif not exchange(new, folder):
        old = new.with_name(new.name + ".old")
        os.rename(folder, old)
        try:
            os.rename(new, folder)
        except OSError:
            os.rename(old, folder)
            raise
