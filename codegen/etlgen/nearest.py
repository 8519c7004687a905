"""The known name that an author probably meant: the rule for columns in SQL, and the hint for every other word."""

from __future__ import annotations

from collections.abc import Iterable

from etlgen.spelling import folded

_MISSPELT = 2
"""Edit distance within which an unknown column is taken for a misspelling (semantics, section 4)."""

_MOST_COMPARED = 300
_LONGEST_COMPARED = 200

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


def near_miss(name: str, available: Iterable[str]) -> str:
    """The known column within edit distance 2 of ``name``, case left aside, else ``""``: the nearest one.

    Source: semantics, section 4; it decides between an error and an undeclared column, so it knows no synonyms and makes no
    exception for short names: ``aa`` beside ``a`` may be a misspelling, and declaring the column says that it is none.

    >>> near_miss("staus", ["qty", "status"])
    'status'
    >>> near_miss("aa", ["qty", "a"])
    'a'
    """
    near = _by_distance(folded(name), [(known, folded(known)) for known in available], _MISSPELT, swap=2)
    return next((known for _, _, known in near), "")


def nearest_column(name: str, names: Iterable[str], *, closed: bool) -> str:
    """The known column that an unknown ``name`` probably means, ``""`` when none is near.

    ``closed``: there are no further columns, so ``name`` is an error and the answer only a hint (:func:`nearest_name`);
    otherwise the answer decides whether it is one (:func:`near_miss`).
    """
    return nearest_name(name, names) if closed else near_miss(name, names)


def nearest_name(word: str, valid: Iterable[str]) -> str:
    """The entry of ``valid`` closest to ``word``, for "did you mean"; ``""`` when none is close.

    Close means equal but for case and separators, a word of another vocabulary, or an edit distance of 2 or a third
    of the word (a swap of neighbours is one edit) that leaves at least half of it.

    >>> nearest_name("contract", ["contracts", "output"])
    'contracts'
    >>> nearest_name("maximum", ["min", "max"])
    'max'
    >>> nearest_name("x", ["contracts"])
    ''
    """
    names = list(dict.fromkeys(valid))
    wanted = _letters(word)
    same = next((name for name in names if _letters(name) == wanted), "")
    synonym = _SYNONYMS.get(word.lower())
    if same or synonym in names:
        return same or synonym or ""
    limit = max(_MISSPELT, len(word) // 3)
    comparable = [(name, _letters(name)) for name in names if abs(len(name) - len(word)) <= limit + 2]
    near = _by_distance(wanted, comparable[:_MOST_COMPARED], limit, swap=1)
    return next((name for distance, shorter, name in near if 2 * distance <= shorter), "")


def _by_distance(wanted: str, known: Iterable[tuple[str, str]], limit: int, *, swap: int) -> list[tuple[int, int, str]]:
    """Names at most ``limit`` edits away, nearest first: distance, length of the shorter of the two words, name.

    Args:
        known: Names, each with the form that is compared.
        swap: How many edits a swap of neighbours is.
    """
    scored = [(_distance(wanted, form, limit, swap=swap), min(len(wanted), len(form)), name) for name, form in known]
    return sorted((entry for entry in scored if entry[0] <= limit), key=lambda entry: entry[0])


def _letters(word: str) -> str:
    return word.casefold().replace("-", "").replace("_", "").replace(" ", "")


def _distance(left: str, right: str, limit: int, *, swap: int) -> int:
    """Edit distance (``swap=2``: that of Levenshtein); anything above ``limit`` is ``limit + 1``."""
    if abs(len(left) - len(right)) > limit or len(left) > _LONGEST_COMPARED:
        return limit + 1
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, char in enumerate(left, 1):
        line = [row]
        for column, other in enumerate(right, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (char != other))
            if row > 1 and column > 1 and char == right[column - 2] and left[row - 2] == other:
                cost = min(cost, before[column - 2] + swap)
            line.append(cost)
        before, last = last, line
    return min(last[-1], limit + 1)
