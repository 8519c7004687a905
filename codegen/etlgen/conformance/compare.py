"""Compare two sets of rows: neither the order of rows nor that of columns counts, but how often a row occurs does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from etlgen.conformance.case import ColumnChoice, Comparison
from etlgen.conformance.rows import Row, columns_of
from etlgen.conformance.values import same_quarantined, same_text, same_value, text_of

SHOWN_ROWS = 5
"""Differences named in full; the others are counted."""


@dataclass(frozen=True, slots=True)
class RowSet:
    """Rows an engine returned, with all columns of the frame (also when it is empty)."""

    rows: tuple[Row, ...]
    columns: tuple[str, ...]


def compare_rows(
    name: str, expected: Sequence[Row], actual: RowSet, declared: Sequence[str], comparison: Comparison
) -> tuple[str, ...]:
    """Differences between expected and actual rows, as sentences; empty when they are equal.

    Args:
        name: ``accepted``, ``quarantined`` or ``target``: begins each sentence.
        expected: A key that a row lacks is NULL, as in an input file.
        declared: Fields of the contract's model.
    """
    quarantined = name == "quarantined"
    choice = comparison.quarantined_columns if quarantined else comparison.columns
    columns = _compared_columns(choice, expected, actual, declared, comparison.ignore_fields)
    nowhere = _columns_of_nobody(choice, expected, actual, (*declared, *comparison.ignore_fields))
    reasons = [f"{name}: no such column: `{column}` is neither declared nor in the rows" for column in nowhere]
    if not quarantined and actual.rows:
        lost = _lost_columns(choice, expected, actual, declared)
        reasons += [
            f"{name}: column `{column}` is missing"
            for column in lost
            if column not in nowhere and column not in comparison.ignore_fields
        ]
    is_compared = any(column in actual.columns for column in columns)
    if expected and actual.rows and not is_compared and not reasons:
        reasons.append(f"{name}: no column is compared, only the number of rows")
    equal = _equality(comparison, quarantined)
    missing, surplus = _unmatched(expected, actual.rows, columns, equal)
    reasons += _describe(name, missing, surplus, columns, equal)
    if len(expected) != len(actual.rows):
        reasons.insert(0, f"{name}: expected {len(expected)} rows, got {len(actual.rows)}")
    return tuple(reasons)


Equality = Callable[[str, object, object], bool]
"""(column, expected value, actual value) -> equal?"""


def _equality(comparison: Comparison, quarantined: bool) -> Equality:
    def equal(column: str, expected: object, actual: object) -> bool:
        if quarantined and comparison.quarantined_as_text:
            return same_text(expected, actual)
        tolerance = 0.0 if column in comparison.exact else comparison.numeric_tolerance
        return (same_quarantined if quarantined else same_value)(expected, actual, tolerance)

    return equal


def _compared_columns(
    choice: ColumnChoice, expected: Sequence[Row], actual: RowSet, declared: Sequence[str], ignored: Sequence[str]
) -> tuple[str, ...]:
    written = columns_of(expected)
    if choice == "declared":
        chosen = tuple(column for column in declared if column in written and column in actual.columns)
    elif choice == "all":
        chosen = tuple(dict.fromkeys((*written, *actual.columns)))
        chosen = tuple(column for column in chosen if not column.startswith("_"))
    else:
        chosen = choice
    return tuple(column for column in chosen if column not in ignored)


def _columns_of_nobody(
    choice: ColumnChoice, expected: Sequence[Row], actual: RowSet, known: Sequence[str]
) -> tuple[str, ...]:
    """Columns that the case names, in its rows or under ``comparison``, and that are neither ``known`` nor in the actual rows."""
    if choice == "all" or not actual.columns:  # without columns: nothing was published
        return ()
    named = columns_of(expected) if choice == "declared" else choice
    return tuple(column for column in named if column not in known and column not in actual.columns)


def _lost_columns(
    choice: ColumnChoice, expected: Sequence[Row], actual: RowSet, declared: Sequence[str]
) -> tuple[str, ...]:
    """Columns that are compared, or would be, and that the actual rows do not have."""
    if choice == "all":
        return ()
    named = choice if choice != "declared" else tuple(c for c in columns_of(expected) if c in declared)
    return tuple(column for column in named if column not in actual.columns)


def _unmatched(
    expected: Sequence[Row], actual: Sequence[Row], columns: Sequence[str], equal: Equality
) -> tuple[list[Row], list[Row]]:
    """Match the rows one to one; return what is left over on each side."""
    surplus = list(actual)
    missing: list[Row] = []
    for row in expected:
        for index, candidate in enumerate(surplus):
            if all(_same_cell(column, row, candidate, equal) for column in columns):
                del surplus[index]
                break
        else:
            missing.append(row)
    return missing, surplus


def _same_cell(column: str, expected: Row, actual: Row, equal: Equality) -> bool:
    """A column that one side lacks altogether is a difference unless the other side is NULL there."""
    return equal(column, expected.get(column), actual.get(column))


def _describe(name: str, missing: list[Row], surplus: list[Row], columns: Sequence[str], equal: Equality) -> list[str]:
    """Pair each missing row with the most similar surplus one and name the cells that differ."""
    reasons: list[str] = []
    rest = list(surplus)
    for row in missing:
        scores = [sum(_same_cell(column, row, other, equal) for column in columns) for other in rest]
        best = max(scores, default=0)
        if best == 0 and not (rest and len(columns) == 1):
            reasons.append(f"{name}: missing row {_shown(row, columns)}")
            continue
        other = rest.pop(scores.index(best))
        cells = ", ".join(
            f"`{column}` expected {_cell(row.get(column))}, got {_cell(other.get(column))}"
            for column in columns
            if not _same_cell(column, row, other, equal)
        )
        reasons.append(f"{name}: row {_shown(row, columns)}: {cells}")
    reasons += [f"{name}: unexpected row {_shown(row, columns)}" for row in rest]
    if len(reasons) > SHOWN_ROWS:
        reasons = [*reasons[:SHOWN_ROWS], f"{name}: {len(reasons) - SHOWN_ROWS} more differences"]
    return reasons


def _shown(row: Row, columns: Sequence[str]) -> str:
    return "{" + ", ".join(f"{column}: {_cell(row.get(column))}" for column in columns) + "}"


def _cell(value: object) -> str:
    if value is None:
        return "NULL"
    return repr(value) if isinstance(value, str) else text_of(value)
