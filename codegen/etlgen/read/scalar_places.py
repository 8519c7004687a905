"""The scalars of one file: their values, and where in the file each character of them stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, cast

import yaml

from etlgen.diagnostics.model import Position
from etlgen.read.scalar_source import Part, block_parts, flow_parts, indent_of, value_of
from etlgen.read.surrogates import without_pairs
from etlgen.text import Piece

_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s+|#[^\n]*\n)*)*")
"""An anchor and a tag, and what stands between them and the scalar."""


class Mark(Protocol):
    """A mark of libyaml; all from 0, in characters."""

    line: int
    column: int
    index: int


def marks(event: yaml.Event) -> tuple[Mark, Mark]:
    """Where an event begins and ends."""
    return cast("Mark", event.start_mark), cast("Mark", event.end_mark)


@dataclass(frozen=True, slots=True)
class Content:
    """The value of a scalar; ``at``, ``exact``, ``pieces``: where it stands, as in :class:`~etlgen.text.Text`."""

    value: str
    at: Position
    exact: bool
    pieces: tuple[Piece, ...] = ()


class Scalars:
    """Reads scalars of ``text`` from the events that libyaml makes of ``readable``, which has the same places."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.readable, self._pairs = without_pairs(text)
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def content(self, event: yaml.ScalarEvent, at: Position) -> Content | None:
        """What a scalar holds; ``None`` if a pair of surrogates stands in it that cannot be read.

        Args:
            at: Of the event.
        """
        style = event.style or ""
        start, end = marks(event)
        first = self._without_properties(start.index)
        value: str = event.value
        if self._has_pair(first, end.index):
            parts = self._parts(self.readable, first, end.index, style, value)
            if parts is None or value_of(parts) != value:
                return None
            parts = self._parts(self.text, first, end.index, style, value)
            if parts is None:
                return None
            value = value_of(parts)
        if start.line == end.line and self.text[first + len(style) : end.index - len(style)] == value:
            line, column = self._place(first + len(style))
            return Content(value, Position(self.file, line, column, max(1, len(value))), exact=True)
        parts = self._parts(self.text, first, end.index, style, value)
        pieces = () if parts is None or value_of(parts) != value else tuple(self._pieces(parts))
        where, exact = self._beginning(first, style, value, at)
        return Content(value, where, exact, pieces)

    def _without_properties(self, start: int) -> int:
        found = _PROPERTIES.match(self.text, start)
        return start if found is None else found.end()

    def _has_pair(self, start: int, stop: int) -> bool:
        following = bisect_left(self._pairs, start)
        return following < len(self._pairs) and self._pairs[following] < stop

    @staticmethod
    def _parts(source: str, start: int, stop: int, style: str, value: str) -> tuple[Part, ...] | None:
        if style in ("|", ">"):
            return block_parts(source, start, value, folded=style == ">")
        return flow_parts(source, start + len(style), stop - len(style), style)

    def _place(self, index: int) -> tuple[int, int]:
        """Line and column, from 1, of a character of the file."""
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def _pieces(self, parts: Iterable[Part]) -> Iterable[Piece]:
        """The parts with their places, those that stand side by side as one."""
        offset, before, stop = 0, 0, -1
        for part in parts:
            line, column = self._place(part.start)
            width = part.stop - part.start if len(part.text) == 1 else 1
            if (line, part.start) != (before, stop) or width > 1:
                yield Piece(offset, line, column, width)
            offset += len(part.text)
            before, stop = line, part.stop if width == 1 else -1

    def _beginning(self, first: int, style: str, value: str, at: Position) -> tuple[Position, bool]:
        """Where the first character of a value stands that is not on the page as it is, and whether its line is."""
        line, column = self._place(first + len(style))
        if style == "":
            return Position(self.file, line, column, at.length), False
        if style in ("'", '"'):
            return Position(self.file, line, column, max(1, at.length - 1)), False
        return self._first_line(value, line)

    def _first_line(self, value: str, number: int) -> tuple[Position, bool]:
        """The first line of text of a block scalar (``|`` or ``>``) whose header stands in line ``number``."""
        first = next((part for part in value.split("\n") if part.strip()), "").rstrip("\r")
        while number < len(self._starts) - 1 and not self._line(number).strip():
            number += 1
        content = self._line(number)
        column = max(indent_of(content) - indent_of(first), 0) + 1
        exact = bool(first) and value.rstrip("\n") == first and content.rstrip("\r")[column - 1 :] == first
        return Position(self.file, number + 1, column, max(1, len(first))), exact

    def _line(self, number: int) -> str:
        """A line, from 0; empty beyond the last."""
        if number >= len(self._starts):
            return ""
        end = self._starts[number + 1] - 1 if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end]
