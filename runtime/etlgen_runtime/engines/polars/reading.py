"""What reading a file needs besides the file: a folder for copies, limits, and who hears of late verdicts."""

from __future__ import annotations

import errno
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from etlgen_runtime.contract import Format
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.csv_validation import LateValidations, unreadable
from etlgen_runtime.files import is_packed
from etlgen_runtime.limits import DEFAULT_LIMITS, Limits, setting
from etlgen_runtime.unpacking import unpack

GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)
"""Errors of writing, not of reading."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the files of one input are read.

    Args:
        staging: Folder of the run; copies lie in subfolders of it and are removed with it.
        limits: What is refused as too large.
        late: Takes validations that are to be settled before anything is published; ``None``: there are none.
    """

    staging: Path
    limits: Limits = DEFAULT_LIMITS
    late: LateValidations | None = None

    def new_file(self, path: Path) -> Path:
        """An empty file for a copy of ``path``, of its own: the same input may be read as source and as link."""
        folder = self.staging / "input"
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder, suffix=f"-{path.name}")
        os.close(handle)
        return Path(name)

    def plain(self, path: Path, format: Format) -> Path:
        """The file itself, or what it holds if its name says that it is compressed.

        Raises:
            DataError: PMDATA105, it cannot be unpacked.
        """
        if not is_packed(path):
            return path
        content = self.new_file(path.with_suffix(""))
        unpack(path, content, format, self.limits)
        return content

    @staticmethod
    def discard(path: Path, content: Path) -> None:
        """Remove what ``path`` held unpacked: nothing reads it any more."""
        if content != path:
            content.unlink(missing_ok=True)


def refuse_packed(path: Path, head: bytes) -> None:
    """A file whose name does not say that it is compressed, though it begins as such.

    Raises:
        DataError: PMDATA105.
    """
    for mark, suffix, kind in ((GZIP, ".gz", "with gzip"), (ZIP, ".zip", "as a zip archive")):
        if head.startswith(mark):
            inside = " once more" if is_packed(path) else ""
            raise unreadable(path, f"is compressed {kind}{inside}", f"let its name end in `{suffix}`, or unpack it")


def refused_by_system(path: Path, error: OSError) -> DataError | OSError:
    """What the system says about a file; about a full disk, where copies are written, the error itself."""
    if error.errno in _NO_ROOM:
        return error
    return unreadable(path, f"cannot be read: {error.strerror}", "check the file and its permissions")


def refuse_wide(path: Path, columns: int, limits: Limits) -> None:
    """A file with more columns than the limit.

    Raises:
        DataError: PMDATA105.
    """
    if columns > limits.columns:
        fix = f"check what separates its fields and lines, or raise {setting('columns')}"
        raise unreadable(path, f"has more than {limits.columns} columns", fix)
