"""The private folder of one run, and what killed runs left behind.

A run holds an operating system lock as long as it needs its folder. A lock ends with its process, so a folder whose lock is free
belongs to a run that was killed (materialization, Atomic publication).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class StagingFolder:
    """Where one run stages its files.

    Args:
        state: The state folder. Staging folders lie in its ``staging``, each with its lock beside it.
        run_id: Names the folder.
    """

    def __init__(self, state: Path, run_id: str) -> None:
        self._parent = state / "staging"
        self._journals = state / "journal"
        self._half_report = state / "runs" / f"{run_id}.tmp"
        self.path = self._parent / run_id
        self._lock = self._parent / f"{run_id}.lock"
        self._handle: int | None = None

    def claim(self) -> None:
        """Take the lock, then remove the folders of dead runs that left no journal: nobody will ask for their files.

        Raises:
            OSError: The state folder cannot be written.
        """
        self._parent.mkdir(parents=True, exist_ok=True)
        self._handle = _open(self._lock)
        _try_lock(self._handle)
        for lock in self._parent.glob("*.lock"):
            if lock != self._lock and not (self._journals / f"{lock.stem}.jsonl").exists():
                StagingFolder(self._parent.parent, lock.stem).remove_if_dead()

    def adopt(self) -> bool:
        """Take the lock of a dead run; ``False``: it lives, or another run has adopted its files.

        Raises:
            OSError: The state folder cannot be written.
        """
        self._parent.mkdir(parents=True, exist_ok=True)
        self._handle = _open(self._lock)
        if _try_lock(self._handle):
            return True
        self.leave()
        return False

    def release(self) -> None:
        """Remove the folder and give the lock back; a second call does nothing."""
        if self._handle is None:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        self._half_report.unlink(missing_ok=True)
        if sys.platform == "win32":
            self.leave()  # an open file cannot be removed there
            self._lock.unlink(missing_ok=True)
        else:
            self._lock.unlink(missing_ok=True)
            self.leave()

    def leave(self) -> None:
        """Give the lock back and leave the files, as a run that is killed does."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def remove_if_dead(self) -> None:
        """Remove what a dead run left. Two runs may clean up at once, so whatever is gone already is fine."""
        if not self._lock.exists():
            return
        try:
            if self.adopt():
                self.release()
        except OSError:
            self.leave()  # another user's: not ours to remove


class TargetLock:
    """One run at a time publishes to a target; an operating system lock, so a killed run leaves none.

    The lock is a file of the state folder, and the target itself where there is one: runs that do not share their state folder
    exclude each other too.
    """

    def __init__(self, folder: Path, target: Path) -> None:
        name = hashlib.sha256(os.fsencode(target.resolve())).hexdigest()[:32]
        self._path = folder / f"{name}.lock"
        self._target = target
        self._handles: list[int] = []

    def take(self) -> bool:
        """Whether the target was free.

        Raises:
            OSError: The state folder cannot be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._handles.append(_open(self._path))
        return _try_lock(self._handles[0]) and self._takes_target()

    def _takes_target(self) -> bool:
        """Where the target cannot be locked (not there, not ours to read, no such call), the file alone decides."""
        if sys.platform == "win32":
            return True
        try:
            handle = os.open(self._target, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return True
        self._handles.append(handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    def release(self) -> None:
        """Give the lock back; a second call does nothing. The file stays: removing it would let two runs lock two files."""
        while self._handles:
            os.close(self._handles.pop())


def _open(lock: Path) -> int:
    return os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)


def _try_lock(handle: int) -> bool:
    """Whether the lock was free."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
