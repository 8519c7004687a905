"""The known name that an author probably meant."""

from __future__ import annotations

import pytest

from etlgen.nearest import near_miss, nearest_column, nearest_name


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("amuont", "amount"),  # two letters swapped: two edits
        ("amounts", "amount"),
        ("AMOUNT", "amount"),
        ("amo", ""),  # three edits
        ("q", "qty"),  # short names are no exception: two letters more
        ("qtyqty", ""),
        ("qt", "qty"),
        ("remark", ""),
        ("maonut", ""),  # two swaps: four edits
    ],
)
def test_misspellings_are_within_two_edits(name: str, nearest: str) -> None:
    assert near_miss(name, ["qty", "amount"]) == nearest


@pytest.mark.parametrize(
    ("word", "valid", "expected"),
    [
        ("tabel_name", ["title", "table_name"], "table_name"),
        ("Post", ["pre", "post"], "post"),
        ("tablename", ["table_name"], "table_name"),
        ("minimum", ["min", "max"], "min"),
        ("minimum", ["other"], ""),
        ("x", ["y_long"], ""),
        ("cvs", ["csv", "json"], "csv"),  # two letters swapped: one edit
        ("mix", ["min", "max"], "min"),
        ("may", ["min"], ""),  # two edits leave one letter of three
        ("critical", ["error", "warning", "info"], ""),
        ("a" * 1000, ["b" * 1000], ""),
    ],
)
def test_the_nearest_name(word: str, valid: list[str], expected: str) -> None:
    assert nearest_name(word, valid) == expected


@pytest.mark.parametrize(
    ("name", "closed", "expected"),
    [
        ("customer_name_2024", True, "customer_name"),  # a third of the word may differ
        ("customer_name_2024", False, ""),  # more than two edits: no misspelling
        ("qtyx", False, "qty"),
    ],
)
def test_the_nearest_column_is_a_hint_where_there_are_no_further_ones(name: str, closed: bool, expected: str) -> None:
    assert nearest_column(name, ["qty", "customer_name"], closed=closed) == expected
