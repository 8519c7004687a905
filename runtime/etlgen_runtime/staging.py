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

if sys.platform != "win32":
    import fcntl


class StagingFolder:
    """Where one run stages its files.

    Args:
        parent: Holds the folders of all runs of one state folder, and beside each its lock.
        run_id: Names the folder.
    """

    def __init__(self, parent: Path, run_id: str) -> None:
        self.path = parent / run_id
        self._lock = parent / f"{run_id}.lock"
        self._handle: int | None = None

    def claim(self) -> None:
        """Take the lock, then remove the folders of dead runs.

        Raises:
            OSError: The state folder cannot be written.
        """
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        self._handle = _open(self._lock)
        _try_lock(self._handle)
        for lock in self._lock.parent.glob("*.lock"):
            if lock != self._lock:
                _remove_if_dead(lock)

    def release(self) -> None:
        """Remove the folder and give the lock back; a second call does nothing."""
        if self._handle is None:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._handle)
        self._handle = None
        self._lock.unlink(missing_ok=True)


class TargetLock:
    """One run at a time publishes to a target; an operating system lock, so a killed run leaves none."""

    def __init__(self, folder: Path, target: Path) -> None:
        name = hashlib.sha256(os.fsencode(target.resolve())).hexdigest()[:32]
        self._path = folder / f"{name}.lock"
        self._handle: int | None = None

    def take(self) -> bool:
        """Whether the target was free; where the system has no locks it always is.

        Raises:
            OSError: The state folder cannot be written.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._handle = _open(self._path)
        return _try_lock(self._handle) or sys.platform == "win32"

    def release(self) -> None:
        """Give the lock back; a second call does nothing. The file stays: removing it would let two runs lock two files."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _remove_if_dead(lock: Path) -> None:
    """Two runs may clean up at once, so whatever is gone already is fine."""
    try:
        handle = _open(lock)
    except OSError:
        return
    try:
        if _try_lock(handle):
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
    except OSError:
        pass  # another user's: not ours to remove
    finally:
        os.close(handle)


def _open(lock: Path) -> int:
    return os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)


def _try_lock(handle: int) -> bool:
    """Whether the lock was free; where the system has none, nothing is ever taken for dead."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
