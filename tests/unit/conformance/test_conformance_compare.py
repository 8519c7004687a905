"""Row comparison: what is the same, what is not, and how the difference is told."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from etlgen.conformance.case import Comparison
from etlgen.conformance.compare import RowSet, compare_rows
from etlgen.conformance.rows import Row, read_rows
from etlgen.conformance.values import same_quarantined, same_text, same_value
from etlgen.diagnostics.model import ContractError

UTC = dt.UTC


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, None),
        (1, 1),
        (1, 1.0),
        (1, Decimal("1.00")),
        (Decimal("0.1"), 0.1),
        (Decimal("1.0000004"), 1.0),
        (True, True),
        ("a", "a"),
        ("2026-01-02", dt.date(2026, 1, 2)),
        ("2026-01-02", dt.datetime(2026, 1, 2)),
        ("2026-01-02T03:04:05", dt.datetime(2026, 1, 2, 3, 4, 5)),
        ("2026-01-02T03:04:05+02:00", dt.datetime(2026, 1, 2, 1, 4, 5, tzinfo=UTC)),
        ("03:04:05", dt.time(3, 4, 5)),
        ("aGk=", b"hi"),
        ("99999999999999999999999999999.5", Decimal("99999999999999999999999999999.5")),
        ([1, {"a": None}], [1, {"a": None}]),
        ({"a": [1]}, '{"a": [1]}'),
        ("NaN", float("nan")),
    ],
)
def test_same(expected: object, actual: object) -> None:
    assert same_value(expected, actual, 1e-6)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (None, ""),
        ("", None),
        (0, None),
        (1, 2),
        (Decimal("1.00001"), 1.0),
        (1, True),
        (True, 1),
        (False, "false"),
        (7, "7"),
        ("7", 7),
        ("7", 7.0),
        ("a", "A"),
        ("2026-01-02", dt.datetime(2026, 1, 2, 1)),
        ("2026-01-02", "2026-01-02T00:00:00"),
        ("2026-01-02T03:04:05", dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2026-01-02T03:04:05Z", dt.datetime(2026, 1, 2, 3, 4, 5)),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ({"a": 1}, {"a": 1, "b": None}),
        ({"a": 1}, "not json"),
        (1, float("nan")),
        ("x", dt.date(2026, 1, 2)),
    ],
)
def test_not_same(expected: object, actual: object) -> None:
    assert not same_value(expected, actual, 1e-6)


def test_without_tolerance_the_last_digit_counts() -> None:
    assert same_value(Decimal("0.30"), Decimal("0.3"), 0.0)
    assert not same_value(Decimal("0.3000001"), Decimal("0.3"), 0.0)
    assert not same_value(9007199254740993, 9007199254740992, 0.0)
    assert same_value(Decimal("0.1"), 0.1, 0.0)


def test_quarantined_text_equals_the_value_it_spells() -> None:
    assert same_quarantined(10, "10", 1e-6)
    assert same_quarantined(Decimal("10.5"), "10.50", 1e-6)
    assert same_quarantined(True, "true", 1e-6)
    assert same_quarantined({"a": 1}, '{"a":1}', 1e-6)
    assert not same_quarantined(10, "ten", 1e-6)
    assert not same_quarantined(True, "1", 1e-6)
    assert not same_quarantined(10, "11", 1e-6)


def test_quarantined_as_text_compares_the_characters() -> None:
    assert same_text("007", "007")
    assert same_text(7, "7")
    assert not same_text(7, "007")
    assert not same_text(Decimal("1.5"), "1.50")


def rowset(*rows: Row, columns: Sequence[str] = ()) -> RowSet:
    return RowSet(rows, tuple(columns) or tuple(dict.fromkeys(name for row in rows for name in row)))


DEFAULT = Comparison()


def differences(
    expected: Sequence[Row], actual: RowSet, comparison: Comparison = DEFAULT, name: str = "accepted"
) -> tuple[str, ...]:
    return compare_rows(name, expected, actual, ("id", "fare"), comparison)


def test_order_of_rows_and_columns_does_not_count() -> None:
    assert (
        differences([{"id": 1, "fare": 5}, {"id": 2, "fare": 6}], rowset({"fare": 6, "id": 2}, {"fare": 5, "id": 1}))
        == ()
    )


def test_a_wrong_value_names_row_column_and_both_values() -> None:
    assert differences([{"id": 1, "fare": 5}], rowset({"id": 1, "fare": 6})) == (
        "accepted: row {id: 1, fare: 5}: `fare` expected 5, got 6",
    )


def test_a_missing_and_a_surplus_row_are_named() -> None:
    reasons = differences([{"id": 1, "fare": 5}], rowset({"id": 2, "fare": 7}))
    assert reasons == (
        "accepted: missing row {id: 1, fare: 5}",
        "accepted: unexpected row {id: 2, fare: 7}",
    )


def test_an_extra_row_is_a_difference() -> None:
    reasons = differences([{"id": 1}], rowset({"id": 1}, {"id": 1}))
    assert reasons[0] == "accepted: expected 1 rows, got 2"
    assert reasons[1] == "accepted: unexpected row {id: 1}"


def test_a_duplicate_is_counted_not_merged() -> None:
    assert differences([{"id": 1}, {"id": 1}], rowset({"id": 1}, {"id": 2})) != ()


def test_no_rows_expected_but_some_came() -> None:
    assert differences([], rowset({"id": 1}))[0] == "accepted: expected 0 rows, got 1"


def test_a_key_missing_in_an_expected_row_is_null() -> None:
    expected = [{"id": 1, "fare": 5}, {"id": 2}]
    assert differences(expected, rowset({"id": 1, "fare": 5}, {"id": 2, "fare": None})) == ()
    assert differences(expected, rowset({"id": 1, "fare": 5}, {"id": 2, "fare": 0})) != ()


def test_by_default_only_declared_columns_are_compared() -> None:
    assert differences([{"id": 1, "note": "a"}], rowset({"id": 1, "note": "b"})) == ()


def test_all_compares_every_column_but_bookkeeping_ones() -> None:
    every = Comparison(columns="all")
    assert differences([{"id": 1}], rowset({"id": 1, "note": "b"}), every) != ()
    assert differences([{"id": 1}], rowset({"id": 1, "_run": "b"}), every) == ()
    assert differences([{"id": 1, "note": "a"}], rowset({"id": 1}), every) != ()


def test_a_list_of_columns_is_compared_and_nothing_else() -> None:
    only = Comparison(columns=("note",))
    assert differences([{"id": 1, "note": "a"}], rowset({"id": 2, "note": "a"}), only) == ()
    assert differences([{"id": 1, "note": "a"}], rowset({"id": 1, "note": "b"}), only) != ()


def test_a_declared_column_that_vanished_from_the_accepted_rows_is_a_difference() -> None:
    assert "accepted: column `fare` is missing" in differences([{"id": 1, "fare": 5}], rowset({"id": 1}))


def test_ignored_fields_are_not_compared() -> None:
    ignoring = Comparison(columns="all", ignore_fields=("run_id",))
    assert differences([{"id": 1, "run_id": "a"}], rowset({"id": 1, "run_id": "b"}), ignoring) == ()


def test_exact_columns_have_no_tolerance() -> None:
    expected, actual = [{"id": 1, "fare": Decimal("5.0000001")}], rowset({"id": 1, "fare": Decimal("5")})
    assert differences(expected, actual) == ()
    assert differences(expected, actual, Comparison(exact=("fare",))) != ()


def test_quarantined_values_may_be_text_but_accepted_ones_may_not() -> None:
    assert differences([{"id": 1}], rowset({"id": "1"}), name="quarantined") == ()
    assert differences([{"id": 1}], rowset({"id": "1"})) != ()


def test_many_differences_are_counted() -> None:
    expected = [{"id": number} for number in range(20)]
    reasons = differences(expected, rowset(columns=("id",)))
    assert reasons[-1] == "accepted: 15 more differences"


def test_rows_are_read_without_losing_digits(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 0.1000000000000000000001}\n\n{"a": 9007199254740993}\n')
    assert read_rows(path, "rows.jsonl") == ({"a": Decimal("0.1000000000000000000001")}, {"a": 9007199254740993})


@pytest.mark.parametrize("line", ["{", "[1]", "1"])
def test_a_broken_row_file_names_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n' + line + "\n")
    with pytest.raises(ContractError, match="CNF-005: line 2"):
        read_rows(path, "rows.jsonl")
