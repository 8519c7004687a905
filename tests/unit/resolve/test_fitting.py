"""Semantics, section 4: what an operation writes must have an entry in the cast table for the declared type."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import (
    CSV,
    PARQUET,
    countries,
    errors_of,
    operations,
    plan_of,
    row_rules,
    source_fields,
    text,
)

FIELDS = "name: qty, type: long\nname: ok, type: boolean\nname: x, type: {}"


def found(kind: str, *entries: str, rest: str = "", source: str = CSV) -> list[tuple[str, str]]:
    """Code and the text at the caret of every error."""
    yaml = text(FIELDS.format(kind), operations(*entries) + rest, source=source)
    lines = yaml.split("\n")
    places = [(one.code, one.at) for one in errors_of(yaml)]
    return [
        (code, lines[at.line - 1][at.column - 1 : at.column - 1 + at.length]) for code, at in places if at is not None
    ]


@pytest.mark.parametrize(
    ("kind", "operation", "place"),
    [
        ("date", "derive: {field: x, sql: qty + 1}", "qty + 1"),
        ("long", "derive: {field: x, sql: ok}", "ok"),
        ("long", "derive: {field: x, sql: qty > 1}", "qty > 1"),
        ("boolean", "derive: {field: x, sql: current_date}", "current_date"),
        ("long", "coalesce: {field: x, sources: [ok], default: false}", "x"),
        ("date", "map_values: {field: ok, output: x, mapping: {'true': 1}, default: 0}", "x"),
        ("timestamp", "derive: {field: w, sql: qty}\n  - rename: {from: w, to: x}", "x"),
        ("date", "rollup: {group_by: [qty, ok], aggregations: {x: count(*)}}", "count(*)"),
    ],
)
def test_a_type_that_never_becomes_the_declared_one(kind: str, operation: str, place: str) -> None:
    """Integers become no dates, booleans no integers, dates no booleans: every row would be bad."""
    assert found(kind, operation) == [("TYP-054", place)]


def test_both_types_and_a_fix_are_named() -> None:
    (error,) = errors_of(text(FIELDS.format("date"), operations("derive: {field: x, sql: qty + 1}")))
    assert "int64" in error.message
    assert "date" in error.message
    assert "declare `x` as int64" in error.help


def test_pre_operations_are_judged_against_the_types_of_step_3() -> None:
    entry = "derive: {field: x, sql: length(qty)} | pre"
    assert found("date", entry) == [("TYP-054", "length(qty)")]


def test_a_cast_that_no_value_survives() -> None:
    assert found("string", "cast: {columns: {qty: date, ok: string}}") == [("TYP-054", "qty")]


def test_columns_of_links_are_judged_where_their_types_are_declared() -> None:
    operation = "lookup: {field: x, reference: countries, 'on': qty, key: id, value: open}"
    declared = countries("name: id, type: long", "name: open, type: boolean")
    assert found("long", operation, rest=declared) == [("TYP-054", "open")]
    joined = "join: {reference: countries, 'on': qty, key: id, fields: [x]}"
    assert found("long", joined, rest=countries("name: id, type: long", "name: x, type: boolean")) == [("TYP-054", "x")]
    plan_of(text(FIELDS.format("long"), operations(operation) + countries()))


def test_a_source_field_that_never_becomes_the_declared_one() -> None:
    yaml = text("name: qty, type: date", source_fields("name: qty, type: long"), source=PARQUET)
    (error,) = errors_of(yaml)
    assert (error.code, error.at and error.at.line) == ("TYP-054", 6)


@pytest.mark.parametrize(
    ("kind", "operation"),
    [
        ("date", "derive: {field: x, sql: 'NULL'}"),
        ("date", "derive: {field: x, sql: \"'2024-02-29'\"}"),
        ("string", "derive: {field: x, sql: ok}"),
        ("boolean", "derive: {field: x, sql: qty}"),
        ("date", "derive: {field: x, sql: current_timestamp}"),
        ("date", "derive: {field: x, sql: CAST(qty AS VARCHAR)}"),
        ("long", "map_values: {field: ok, output: x, mapping: {'true': '1', 'false': '2'}, default: '0'}"),
        ("long", "bucket: {field: x, source: qty, bins: [{label: '1', lt: 3}], default: '2'}"),
    ],
)
def test_what_may_fit_is_left_to_the_rows(kind: str, operation: str) -> None:
    assert plan_of(text(FIELDS.format(kind), operations(operation))).output.get("x") is not None


@pytest.mark.parametrize(
    ("kind", "operation", "places"),
    [
        (
            "long",
            "map_values: {field: ok, output: x, mapping: {'true': '1', 'false': none}, default: few}",
            ["none", "few"],
        ),
        ("long", "map_values: {field: ok, output: x, mapping: {'true': 1.5}, default: 2}", ["1.5"]),
        ("tinyint", "map_values: {field: ok, output: x, mapping: {'true': 1}, default: 300}", ["300"]),
        ("long", "bucket: {field: x, source: qty, bins: [{label: '1', lt: 3}, {label: big, gte: 3}]}", ["big"]),
        ("date", "derive: {field: x, sql: CASE WHEN ok THEN '2024-02-29' ELSE '2024-02-30' END}", ["CASE"]),
        ("long", "derive: {field: x, sql: \"coalesce(CAST(qty AS VARCHAR), 'none')\"}", ["coal"]),
    ],
)
def test_values_of_the_contract_are_read_by_the_cast_table(kind: str, operation: str, places: list[str]) -> None:
    errors = found(kind, operation)
    assert [code for code, _ in errors] == ["TYP-051"] * len(places)
    assert all(place.strip("'\"").startswith(wanted) for (_, place), wanted in zip(errors, places, strict=True))


def test_only_the_last_writer_counts() -> None:
    """What a later operation makes of a value is not known."""
    mapped = "map_values: {field: ok, output: x, mapping: {'true': ' one '}, default: none}"
    plan = plan_of(
        text(FIELDS.format("long"), operations(mapped, "derive: {field: x, sql: CAST(length(x) AS VARCHAR)}"))
    )
    assert [operation.kind for operation in plan.post.operations] == ["map_values", "derive"]


def test_a_bad_value_is_pointed_at_itself() -> None:
    """TYP-051 stands under the value, not under the operation or the rule."""
    assert found("long", "coalesce: {field: x, sources: [qty], default: none}") == [("TYP-051", "none")]
    listed = text(
        "name: qty, type: long, accepted_values: [1, two]", row_rules("accepted_values: {field: qty, values: [x, 3]}")
    )
    columns = [(one.at.line, one.at.column) for one in errors_of(listed) if one.at is not None]
    lines = listed.split("\n")
    assert [lines[line - 1][column - 1 :][:3].strip(",]} ") for line, column in columns] == ["two", "x"]
    lookup = "lookup: {field: x, reference: countries, 'on': qty, key: id, value: pop, default_value: none}"
    declared = countries("name: id, type: long", "name: pop, type: long")
    assert found("long", lookup, rest=declared) == [("TYP-051", "none")]
