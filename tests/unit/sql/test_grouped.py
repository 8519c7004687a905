"""Aggregations of a rollup: what may stand where, and of which type it is (semantics, section 5)."""

from __future__ import annotations

import duckdb
import pytest
from tests.unit.sql.expressions import CLOSED, COLUMNS, OPEN, show, text

from etlgen.plan import Schema
from etlgen.sql import Resolved, resolve_grouped
from etlgen_runtime.types import FLOAT64, INT64, INT128, STRING, LogicalType, decimal


def resolve(sql: str, *group_by: str, schema: Schema = CLOSED) -> Resolved:
    return resolve_grouped(text(sql), schema, group_by, undeclared_type=STRING)


def shown(sql: str, *group_by: str) -> str:
    resolved = resolve(sql, *group_by)
    assert resolved.expr is not None, resolved.diagnostics
    return show(resolved.expr)


def codes(sql: str, *group_by: str, schema: Schema = CLOSED) -> list[str]:
    return [found.code for found in resolve(sql, *group_by, schema=schema).diagnostics]


@pytest.mark.parametrize(
    ("sql", "tree"),
    [
        ("COUNT(*)", "count_star()"),
        ("count()", "count_star()"),
        ("count(s)", "count(s)"),
        ("count(DISTINCT s)", "count_distinct(s)"),
        ("max(DISTINCT s)", "max(s)"),
        ("mean(i64)", "avg(i64)"),
        ("bool_and(b)", "min(b)"),
        ("bool_or(b)", "max(b)"),
        ("count_if(b)", "count(case(b ? True:boolean ; None:boolean))"),
        ("sum(b)", "sum(case(b ? 1:int32 ; not(b) ? 0:int32 ; None:int32))"),
        ("count(*) FILTER (WHERE b)", "count(case(b ? True:boolean ; None:boolean))"),
        ("sum(i64) FILTER (WHERE b)", "sum(case(b ? i64 ; None:int64))"),
        ("sum(i64 + 1)", "sum(add(i64, 1:int64))"),
        ("round(sum(f64), 2)", "round(sum(f64), 2:int32)"),
    ],
)
def test_what_a_spelling_means(sql: str, tree: str) -> None:
    assert shown(sql) == tree


def test_grouped_columns_may_stand_beside_aggregates() -> None:
    assert (
        shown("coalesce(S, 'none') || count(*)", "s") == "concat_op(coalesce(s, none:string), (count_star()->string))"
    )


def test_columns_of_arguments_and_conditions_are_read() -> None:
    assert resolve("sum(i64) FILTER (WHERE b) / max(f64)").reads == {"i64", "b", "f64"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("count(*)", INT64),
        ("sum(i8)", INT128),
        ("sum(u64)", INT128),
        ("sum(d)", decimal(38, 2)),
        ("sum(f32)", FLOAT64),
        ("avg(d)", FLOAT64),
        ("min(d)", decimal(10, 2)),
    ],
)
def test_types(sql: str, expected: LogicalType) -> None:
    resolved = resolve(sql)
    assert resolved.expr is not None
    assert resolved.expr.type == expected


@pytest.mark.parametrize("function", ["count", "sum", "avg", "min", "max"])
def test_types_are_those_of_duckdb(function: str) -> None:
    """For every column type that either side takes."""
    seen = 0
    for name, (_, duckdb_type) in COLUMNS.items():
        relation = f"SELECT {function}(CAST(NULL AS {duckdb_type})) AS x"
        ours = resolve(f"{function}({name})").expr
        if ours is None:
            continue  # stricter: no averages of dates
        described = duckdb.connect().execute(f"DESCRIBE {relation}").fetchall()[0][1]
        ours_in_duckdb = {"int64": "BIGINT", "int128": "HUGEINT", "float64": "DOUBLE"}.get(str(ours.type))
        expected = ours_in_duckdb or (f"DECIMAL(38,{ours.type.scale})" if function == "sum" else duckdb_type)
        assert described == expected, (function, name)
        seen += 1
    assert seen >= 12


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("s", "SQL-018"),
        ("1", "SQL-018"),
        ("sum(i64) + i32", "SQL-018"),
        ("sum(count(i64))", "SQL-019"),
        ("count(*) FILTER (WHERE sum(i64) > 1)", "SQL-019"),
        ("stddev(i64)", "SQL-003"),
        ("first(i64)", "SQL-003"),
        ("string_agg(s, ',')", "SQL-003"),
        ("any_value(i64)", "SQL-012"),
        ("nosuch(i64)", "SQL-003"),
        ("sum(s)", "TYP-004"),
        ("avg(b)", "TYP-004"),
        ("sum(dt)", "TYP-004"),
        ("count_if(i64)", "TYP-003"),
        ("sum(i64) FILTER (WHERE i64)", "TYP-003"),
        ("sum(i64, i32)", "SQL-007"),
        ("sum()", "SQL-007"),
        ("sum(*)", "SQL-006"),
        ("sum(DISTINCT i64)", "SQL-006"),
        ("sum(i64 ORDER BY s)", "SQL-006"),
        ("count(*) OVER ()", "SQL-006"),
        ("abs(i64) FILTER (WHERE b)", "SQL-006"),
        ("sum(i63)", "SQL-001"),
        ("(SELECT sum(i64) FROM source)", "SQL-005"),
        ("sum(", "SQL-002"),
        ("", "SQL-002"),
        ("DROP TABLE source", "SEC-001"),
    ],
)
def test_refusals(sql: str, code: str) -> None:
    assert codes(sql, "uu") == [code]


def test_first_and_last_say_what_to_do() -> None:
    (found,) = resolve("last(i64)").diagnostics
    assert "deduplicate" in found.help


def test_undeclared_text_is_no_number() -> None:
    assert codes("sum(elsewhere)", schema=OPEN) == ["SQL-010", "TYP-006"]
    assert codes("count(elsewhere)", schema=OPEN) == ["SQL-010"]
