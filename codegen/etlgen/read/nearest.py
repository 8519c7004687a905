"""The valid name nearest to what an author wrote."""

from __future__ import annotations

from collections.abc import Iterable

_SYNONYMS = {
    "required_fields": "required",
    "is_nullable": "nullable",
    "columns": "fields",
    "check": "sql",
    "expression": "sql",
    "condition": "sql",
    "sources": "source",
    "transforms": "transformations",
    "transform": "transformations",
    "rules": "row_rules",
    "minimum": "min",
    "maximum": "max",
    "enum": "accepted_values",
    "target": "target_path",
    "path": "target_path",
    "into": "output",
    "dedup": "deduplicate",
    "dedupe": "deduplicate",
}
"""Words of other vocabularies; used only where the second word is a valid name."""

_MOST_COMPARED = 300
_MOST_SHOWN = 40


def nearest(word: str, valid: Iterable[str]) -> str:
    """The entry of ``valid`` closest to ``word``, or ``""`` when none is close.

    Close means equal but for case and separators, or an edit distance of a third of the length at most.
    """
    names = list(dict.fromkeys(valid))
    folded = _fold(word)
    for name in names:
        if _fold(name) == folded:
            return name
    synonym = _SYNONYMS.get(word.lower())
    if synonym in names:
        return synonym
    limit = max(1, len(word) // 3)
    near = [name for name in names if abs(len(name) - len(word)) <= limit + 2][:_MOST_COMPARED]
    scored = sorted((_distance(folded, _fold(name), limit), position) for position, name in enumerate(near))
    return near[scored[0][1]] if scored and scored[0][0] <= limit else ""


def one_of(names: Iterable[str]) -> str:
    """``one of `a`, `b```; a long list is cut."""
    shown = [f"`{name}`" for name in names]
    more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    return "one of " + ", ".join(shown[:_MOST_SHOWN]) + more if shown else ""


def _fold(word: str) -> str:
    return word.lower().replace("-", "_").replace("_", "").replace(" ", "")


def _distance(left: str, right: str, limit: int) -> int:
    """Edit distance with swaps of neighbours as one edit; anything above ``limit`` is ``limit + 1``."""
    if abs(len(left) - len(right)) > limit or len(left) > 200:
        return limit + 1
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, char in enumerate(left, 1):
        line = [row]
        for column, other in enumerate(right, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (char != other))
            if row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return min(last[-1], limit + 1)
