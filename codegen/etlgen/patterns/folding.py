"""Sets of code points: union, complement, named classes, and closure under simple case folding."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from etlgen.patterns.tree import LAST_CODE_POINT, Ranges

DIGIT: Ranges = ((0x30, 0x39),)
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
SPACE: Ranges = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))
"""Tab, line feed, form feed, carriage return and space, as DuckDB's `\\s`."""

_UPPER: Ranges = ((0x41, 0x5A),)
_LOWER: Ranges = ((0x61, 0x7A),)
_PUNCTUATION: Ranges = ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E))

POSIX_CLASSES: dict[str, Ranges] = {
    "alnum": ((0x30, 0x39), *_UPPER, *_LOWER),
    "alpha": (*_UPPER, *_LOWER),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": DIGIT,
    "graph": ((0x21, 0x7E),),
    "lower": _LOWER,
    "print": ((0x20, 0x7E),),
    "punct": _PUNCTUATION,
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": _UPPER,
    "word": WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sorted and merged."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Every other code point. ``ranges`` are sorted and disjoint."""
    found: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    if start <= LAST_CODE_POINT:
        found.append((start, LAST_CODE_POINT))
    return tuple(found)


def fold_closure(ranges: Ranges) -> Ranges:
    """With every code point that differs only in case (flag `i`)."""
    added: list[tuple[int, int]] = []
    for orbit in _orbits():
        if any(low <= member <= high for member in orbit for low, high in ranges):
            added.extend((member, member) for member in orbit)
    return union((*ranges, *added))


@cache
def _orbits() -> tuple[tuple[int, ...], ...]:
    """Groups of code points that are equal under simple case folding (Unicode CaseFolding.txt, statuses C and S)."""
    groups: dict[str, list[int]] = {}
    for point in range(LAST_CODE_POINT + 1):
        char = chr(point)
        folded = _simple_fold(char)
        if folded != char:
            groups.setdefault(folded, [ord(folded)]).append(point)
    return tuple(tuple(group) for group in groups.values())


def _simple_fold(char: str) -> str:
    folded = char.casefold()
    if len(folded) == 1:
        return folded
    lower = char.lower()
    return lower if len(lower) == 1 else char
