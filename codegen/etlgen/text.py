"""A text of a contract, and where each of its characters stands in the file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace

from etlgen.diagnostics.model import Position


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of a value that stand one beside the other on one line, from ``offset`` of the value to the next piece.

    Args:
        line: From 1, as ``column``, where the first of them stands.
        width: Columns that each takes; more than 1 for a single character written as an escape.
    """

    offset: int
    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A string with the place it was written at (SQL, patterns, names that resolution may complain about).

    ``at`` is the position of the first character of the value. ``exact`` says that each character of ``value`` stands
    at the same offset on that line, so a column inside the value can be pointed at (plain and simple quoted scalars).
    ``pieces`` say it for any other text, where that is known: of several lines, with escapes.
    """

    value: str
    at: Position
    exact: bool = True
    pieces: tuple[Piece, ...] = ()

    def span(self, start: int, length: int) -> Position:
        """Where ``length`` characters from offset ``start`` stand; of several lines the first. ``at`` where that is unknown."""
        if not self.pieces:
            if not self.exact or "\n" in self.value:
                return self.at
            return replace(self.at, column=self.at.column + start, length=length)
        line, column, _ = self._place(start)
        end = column + 1
        for offset in range(start, min(start + length, len(self.value))):
            found, first, width = self._place(offset)
            if found != line:
                break
            if not self.value[offset].isspace():
                end = max(end, first + width)
        return Position(self.at.file, line, column, end - column)

    def _place(self, offset: int) -> tuple[int, int, int]:
        """Line, column and width of a character; behind the last one for an offset beyond it."""
        if offset >= len(self.value):
            line, column, width = self._place(len(self.value) - 1)
            return line, column + width, 1
        piece = self.pieces[bisect_right(self.pieces, offset, key=lambda each: each.offset) - 1]
        return piece.line, piece.column + (offset - piece.offset) * piece.width, piece.width
