"""The files that a run has read, as it found them: by these it tells later whether they are still the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from etlgen_runtime.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """One file before its first byte was read.

    Its time of change (``ctime``) is left out: archiving touches it.
    """

    path: Place
    size_bytes: int
    modified_ns: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """The file as it is now.

        Raises:
            OSError: There is none.
        """
        found = path.stat()
        return cls(path=path.absolute(), size_bytes=found.st_size, modified_ns=found.st_mtime_ns)

    def is_unchanged(self) -> bool:
        """Whether it is still there, and still what was read."""
        try:
            return ReadFile.of(self.path) == self
        except OSError:
            return False
