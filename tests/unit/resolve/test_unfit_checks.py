"""Checks that their column, or their bound, cannot have: found at build, with the place and the fix."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import countries, errors_of, operations, plan_of, row_check, row_rules, text

from etlgen.expr import Call, Column, Literal
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT64

FIELDS = "name: qty, type: long\nname: code, type: string\nname: day, type: date\nname: price, type: double"


def extended(field: str, constraint: str) -> str:
    return f"extensions:\n  etlgen.fields:\n    {field}: {{ {constraint} }}\n"


def test_multiple_of_a_whole_number_is_a_remainder_of_nothing() -> None:
    check = row_check(plan_of(text(FIELDS, extended("qty", "multiple_of: 5"))), "qty_multiple_of")
    remainder = Call("mod", (Column("qty", INT64), Literal(5, INT64)), INT64)
    assert check.predicate == Call("eq", (remainder, Literal(0, INT64)), BOOLEAN)
    assert (check.nulls_pass, check.phase) == (True, "pre")


def test_multiple_of_a_double_allows_for_the_error_of_its_digits() -> None:
    """0.3 / 0.1 is 2.9999999999999996: the quotient is compared with the nearest whole number."""
    check = row_check(plan_of(text(FIELDS, extended("price", "multiple_of: 0.1"))), "price_multiple_of")
    quotient = Call("div", (Column("price", FLOAT64), Literal(0.1, FLOAT64)), FLOAT64)
    off = Call("abs", (Call("sub", (quotient, Call("round", (quotient,), FLOAT64)), FLOAT64),), FLOAT64)
    assert check.predicate == Call("le", (off, Literal(1e-9, FLOAT64)), BOOLEAN)


@pytest.mark.parametrize(
    ("rest", "code", "said"),
    [
        (extended("qty", "multiple_of: 0.5"), "TYP-051", "`0.5` is no value of `qty`, which is int64"),
        (extended("code", "multiple_of: 5"), "TYP-050", "multipleOf is for a number, but `code` is string"),
        (extended("day", "multiple_of: 5"), "TYP-050", "multipleOf is for a number, but `day` is date"),
        (row_rules("range: {field: qty, min: x}"), "TYP-051", "`x` is no value of `qty`, which is int64"),
        (row_rules("range: {field: day, max: soon}"), "TYP-051", "`soon` is no value of `day`, which is date"),
        (row_rules("range: {field: code, min: 3}"), "TYP-050", "a range is for a number or date, but `code` is string"),
        (
            row_rules("regex_match: {field: qty, pattern: a}"),
            "TYP-050",
            "a pattern is for a string, but `qty` is int64",
        ),
    ],
)
def test_check_that_its_column_cannot_have(rest: str, code: str, said: str) -> None:
    (found,) = errors_of(text(FIELDS, rest))
    assert (found.code, found.message) == (code, said)
    assert found.at is not None
    assert found.help


def test_value_that_does_not_fit_is_shown_where_it_stands() -> None:
    """`0.5` begins at column 28 of the last line."""
    contract = text(FIELDS, extended("qty", "multiple_of: 0.5"))
    (found,) = errors_of(contract)
    assert found.at is not None
    assert contract.splitlines()[found.at.line - 1][found.at.column - 1 :].startswith("0.5")


@pytest.mark.parametrize("rule", ["range: {field: extra, min: 3}", "lifecycle_window: {field: extra, window: 30d}"])
def test_fix_for_an_undeclared_column_is_to_declare_it(rule: str) -> None:
    """An undeclared column of a CSV file is text (semantics, section 4)."""
    (found,) = errors_of(text(FIELDS, row_rules(rule)))
    assert (found.code, found.help) == (
        "TYP-050",
        "declare `extra` in `etlgen.source_fields`, or cast it in phase pre",
    )


@pytest.mark.parametrize(
    ("entry", "fix"),
    [
        ("derive: {field: n, sql: INTERVAL 3 DAY}", "derive a number (`date_diff`) or a date"),
        (
            "rollup: {group_by: [qty, code, day, price], aggregations: {n: max(INTERVAL 3 DAY)}}",
            "aggregate a number (`date_diff`) or a date",
        ),
    ],
)
def test_no_column_is_an_interval(entry: str, fix: str) -> None:
    (found,) = errors_of(text(f"{FIELDS}\nname: n, type: long", operations(entry)))
    assert (found.code, found.message, found.help) == ("TYP-050", "the value of `n` is an interval", fix)


@pytest.mark.parametrize(
    "entry",
    [
        "coalesce: {field: code, sources: [code, codd], default: none}",
        "map_values: {field: codd, mapping: {a: b}}",
        "cast: {columns: {codd: string}}",
        "deduplicate: {on: [codd], sort_by: [qty]}",
        "join: {reference: countries, on: codd, key: cc, fields: [nm]}",
        "date_diff: {field: qty, from_col: dax, to_col: day}",
    ],
)
def test_operation_on_a_column_that_is_nearly_a_known_one(entry: str) -> None:
    """Where undeclared columns may come, a name within two edits of a known one is taken for a slip (section 4)."""
    links = countries("name: cc, type: string", "name: nm, type: string")
    found = errors_of(text(FIELDS, operations(entry) + links))
    assert [one.code for one in found] == ["SQL-001"]
    assert found[0].nearest in ("price", "code", "day")


def test_listed_columns_of_a_link_are_declared_ones() -> None:
    link = "links:\n  - {name: c, path: a.parquet, columns: [name, nam]}\n"
    types = "extensions:\n  etlgen.link_fields:\n    c:\n      - {name: name, type: string}\n"
    found = [one for one in errors_of(text(FIELDS, link + types)) if one.code == "SQL-001"]
    assert [(one.message, one.nearest) for one in found] == [("unknown column `nam` of link `c`", "name")]


def test_column_of_a_link_joined_twice_is_an_error() -> None:
    join = operations("join: {reference: countries, on: code, key: cc, fields: [nm, nm]}")
    found = errors_of(text(FIELDS, join + countries("name: cc, type: string", "name: nm, type: string")))
    assert [(one.code, one.message) for one in found] == [("CTR-092", "in join #1, column `nm` is there twice")]


@pytest.mark.parametrize(
    ("declared", "default", "said"),
    [
        ("", "abc", "`abc` is no value of `pop`, which is int64"),
        ("\nname: pop, type: smallint", "100000", "`100000` is no value of `pop`, which is int16"),
    ],
)
def test_default_of_a_join_fits_its_column(declared: str, default: str, said: str) -> None:
    """100,000 is a value of the link's column, not of the declared output, of 16 bits."""
    join = operations(f"join: {{reference: countries, on: code, key: cc, fields: [pop], defaults: {{pop: {default}}}}}")
    found = errors_of(text(FIELDS + declared, join + countries("name: cc, type: string", "name: pop, type: long")))
    assert [(one.code, one.message) for one in found] == [("TYP-051", said)]
