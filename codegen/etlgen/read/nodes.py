"""The node tree of a YAML file: text and positions, no types.

What a scalar means depends on what is wanted where it stands: :meth:`ScalarNode.value` reads it by the YAML 1.2 core
schema, ``ScalarNode.text`` gives the characters on the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from etlgen.contract import Number, Scalar, Text
from etlgen.diagnostics.model import Position
from etlgen.text import Piece

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OTHER_BASE = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]")
_MAX_DIGITS = 400


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A scalar. ``at`` spans it as written, quotes included; ``content_at`` is the first character of its value; ``exact`` and
    ``pieces`` say where the others stand.
    """

    text: str
    plain: bool
    at: Position
    content_at: Position
    exact: bool
    pieces: tuple[Piece, ...] = ()

    @property
    def kind(self) -> str:
        match self.value():
            case None:
                return "null"
            case bool():
                return "a boolean"
            case int() | float():
                return "a number"
            case _:
                return "a text"

    def value(self) -> Scalar:
        """The value by the YAML 1.2 core schema.

        Whole numbers with leading zeros stay text (they are codes, not quantities); so do numbers of absurd length.
        """
        if not self.plain:
            return self.text
        if self.text in _NULLS:
            return None
        if self.text in _BOOLEANS:
            return _BOOLEANS[self.text]
        if _LEADING_ZERO.match(self.text) and _INTEGER.match(self.text):
            return self.text
        number = self.number()
        return self.text if number is None else number

    def number(self) -> int | Number | None:
        """The finite number written here without quotes, leading zeros allowed; ``None`` for anything else."""
        if not self.plain or len(self.text) > _MAX_DIGITS:
            return None
        if _INTEGER.match(self.text):
            return int(self.text)
        if _OTHER_BASE.match(self.text):
            return int(self.text, 0)
        if not _FLOAT.match(self.text):
            return None
        number = Number(self.text)
        return number if isfinite(number) else None

    def exact_number(self) -> int | float | str | None:
        """As :meth:`number`, but the text when a float would lose digits."""
        number = self.number()
        if isinstance(number, Number) and Decimal(self.text) != Decimal(repr(float(number))):
            return self.text
        return number

    def is_null(self) -> bool:
        return self.plain and self.text in _NULLS

    def boolean(self) -> bool | None:
        return _BOOLEANS.get(self.text) if self.plain else None

    def as_text(self) -> Text:
        return Text(self.text, self.content_at, self.exact, self.pieces)


@dataclass(frozen=True, slots=True)
class Entry:
    """A key and its value."""

    key: ScalarNode
    value: Node


@dataclass(frozen=True, slots=True)
class MappingNode:
    """A mapping, in document order; keys are the characters on the page."""

    entries: Mapping[str, Entry]
    at: Position

    @property
    def kind(self) -> str:
        return "a mapping"


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """A list."""

    items: tuple[Node, ...]
    at: Position

    @property
    def kind(self) -> str:
        return "a list"


Node = ScalarNode | MappingNode | SequenceNode


def plain_value(node: Node) -> object:
    """``node`` as Python values, for metadata. Shares nothing; the size is bounded by the limits of reading."""
    match node:
        case ScalarNode():
            value = node.value()
            return float(value) if isinstance(value, Number) else value
        case SequenceNode():
            return [plain_value(item) for item in node.items]
        case MappingNode():
            return {key: plain_value(entry.value) for key, entry in node.entries.items()}
