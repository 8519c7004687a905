"""The text of a JSON file, a window at a time: memory does not grow with the file, and every place has a line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TextIO

from etlgen_runtime.limits import setting

BLOCK_CHARS = 1 << 20

_NOT_BLANK = re.compile(r"[^ \t\n\r]")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


class MalformedJson(Exception):
    """A file cannot be read as JSON.

    Args:
        what: The rest of a sentence that begins with the file's name; it tells the line.
        fix: What to do.
    """

    def __init__(self, what: str, fix: str = "fix or remove the file") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


def open_text(path: Path, errors: str = "strict") -> TextIO:
    """UTF-8 with or without BOM; lines end with LF, CRLF or CR, and are read as if with LF."""
    return path.open(encoding="utf-8-sig", errors=errors)


def line_that_is_not_utf8(path: Path) -> int:
    """The line, from 1, of the first byte that is not UTF-8."""
    lines = 1
    with open_text(path, errors="surrogateescape") as file:
        while text := file.read(BLOCK_CHARS):
            escaped = _ESCAPED_BYTE.search(text)
            if escaped is not None:
                return lines + text.count("\n", 0, escaped.start())
            lines += text.count("\n")
    return lines


class TextWindow:
    """A part of a text: it grows at its end, and loses at its front what was taken.

    Args:
        file: The text.
        object_chars: The longest object; a longer one is taken for a bracket or a quote that is never closed.
        block_chars: How much is read at once; more only for a longer object.
    """

    def __init__(self, file: TextIO, object_chars: int, block_chars: int) -> None:
        self._file = file
        self._object_chars = object_chars
        self._block_chars = min(block_chars, object_chars + 1)
        self._lines_before = 0
        self.text = ""
        self.position = 0
        """What stands before it in :attr:`text` was taken."""
        self.taken = 0
        """Characters taken since the beginning of the file."""
        self.at_end = False
        """Nothing of the file is left beyond :attr:`text`."""

    def take(self, end: int) -> None:
        """Everything before ``end`` is done with."""
        self.taken += end - self.position
        self.position = end

    def grow(self) -> None:
        """Read on.

        Raises:
            MalformedJson: What was not taken yet is longer than any object.
            UnicodeDecodeError: The file is not UTF-8.
        """
        rest = self.text[self.position :]
        if len(rest) > self._object_chars:
            raise MalformedJson(
                f"holds an object of more than {self._object_chars} characters at line {self.line(self.position)}, "
                "as if it were never closed",
                f"close it, or raise {setting('record_bytes')}",
            )
        more = self._file.read(min(max(self._block_chars, len(rest)), self._object_chars + 1 - len(rest)))
        self._lines_before += self.text.count("\n", 0, self.position)
        self.text = rest + more
        self.position = 0
        self.at_end = not more

    def line(self, offset: int) -> int:
        """The line of the file, from 1, of that place in :attr:`text`."""
        return self._lines_before + self.text.count("\n", 0, offset) + 1

    def skip_blanks(self) -> str:
        """Take the blanks of JSON; returns the character that follows, ``""`` at the end of the file."""
        while True:
            found = _NOT_BLANK.search(self.text, self.position)
            self.take(len(self.text) if found is None else found.start())
            if found is not None:
                return found.group()
            if self.at_end:
                return ""
            self.grow()
