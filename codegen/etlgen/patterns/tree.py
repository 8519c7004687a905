"""The pattern tree. Flags are resolved while parsing: `i` into classes, `m` into anchors, `s` into the any node."""

from __future__ import annotations

from dataclasses import dataclass

Ranges = tuple[tuple[int, int], ...]
"""Code point ranges, both ends included; sorted, disjoint."""

LAST_CODE_POINT = 0x10FFFF
MOST_REPEATS = 1000
"""Bound of one repeat, and of the product of nested ones (RE2's limit)."""


@dataclass(frozen=True, slots=True)
class Char:
    """One literal character."""

    char: str


@dataclass(frozen=True, slots=True)
class Class:
    """One character in (or, negated, outside) the ranges."""

    ranges: Ranges
    negated: bool = False


@dataclass(frozen=True, slots=True)
class AnyChar:
    """`.`: one character; line feed only with flag `s`."""

    line_feed: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place: ``start``, ``end`` (of the text), ``line_start``, ``line_end`` (flag `m`), ``word``, ``not_word``."""

    place: str


@dataclass(frozen=True, slots=True)
class Group:
    """Parentheses; numbered by order when capturing."""

    body: Node
    capturing: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """``body`` at least ``least`` times and at most ``most`` (``None``: any number)."""

    body: Node
    least: int
    most: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; empty matches the empty text."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternation: the first that leads to a match."""

    branches: tuple[Node, ...]


Node = Char | Class | AnyChar | Anchor | Group | Repeat | Sequence | Choice


@dataclass(frozen=True, slots=True)
class Pattern:
    """A parsed pattern. It searches: a match anywhere in the text counts.

    Args:
        root: The tree.
        groups: Number of capturing groups.
    """

    root: Node
    groups: int


class PatternError(Exception):
    """A pattern outside the portable tree, or no pattern at all.

    Args:
        position: Offset of the first character at fault, from 0.
        what: What stands there and why it is refused.
        fix: What to write instead, when there is something.
    """

    def __init__(self, position: int, what: str, fix: str = "") -> None:
        self.position = position
        self.what = what
        self.fix = fix
        super().__init__(f"{what} at character {position + 1}")


def whole_text(pattern: Pattern) -> Pattern:
    """The pattern that must match the whole text (SIMILAR TO, regexp_full_match)."""
    return Pattern(Sequence((Anchor("start"), Group(pattern.root, False), Anchor("end"))), pattern.groups)
