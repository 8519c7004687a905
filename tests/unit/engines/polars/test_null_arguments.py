"""NULL, as a constant or in a column, in one row, several or none: a value of NULL as in DuckDB, never an abort."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pytest
from tests.unit.engines.polars.duckdb_oracle import same
from tests.unit.engines.polars.evaluation import evaluate_sql

from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, INT32, INT64, STRING, TIMESTAMP, LogicalType, decimal

VALUES: dict[str, tuple[LogicalType, str, object]] = {
    "s": (STRING, "VARCHAR", "abc"),
    "t": (STRING, "VARCHAR", "b"),
    "i": (INT64, "BIGINT", 3),
    "n": (INT32, "INTEGER", 2),
    "f": (FLOAT64, "DOUBLE", 2.5),
    "p": (decimal(10, 2), "DECIMAL(10,2)", Decimal("1.25")),
    "d": (DATE, "DATE", dt.date(2020, 2, 29)),
    "u": (TIMESTAMP, "TIMESTAMP", dt.datetime(2020, 2, 29, 1, 2, 3)),
    "b": (BOOLEAN, "BOOLEAN", True),
}

# The arguments stand for {}; each is tried as it is, as NULL, and as a column without values.
FORMS = """
{}+{}: i n | {}-{}: i n | {}*{}: p i | {}/{}: i f | {}//{}: i n | {}//{}: f f | {}%{}: i n | {}%{}: f f | -{}: i | {}+{}: f f | {}+{}: p p
{}={}: s 'b' | {}<{}: s t | {} BETWEEN {} AND {}: s 'a' 'c' | {} BETWEEN {} AND {}: i 1 5 | {} IS DISTINCT FROM {}: s 'b'
{} IN ({},{}): s 'a' 'abc' | {} IN ({}): s 'a' | {} AND {}: b b | {} OR {}: b b | NOT {}: b | {} IS TRUE: b | {} IS NULL: s
coalesce({},{},{}): s t 'a' | nullif({},{}): s 'c' | greatest({},{}): s t | least({},{}): i 5 | CASE WHEN {} THEN {} ELSE {} END: b s 'c'
length({}): s | lower({}): s | upper({}): s | trim({},{}): s t | trim({},{}): s 'a' | ltrim({},{}): s 'a' | rtrim({},{}): s t | trim({}): s
substring({},{},{}): s i n | substring({},{},{}): s 2 1 | replace({},{},{}): s 'a' 'c' | replace({},{},{}): s 'b' t | replace({},{},{}): s t 'x'
replace({},{},{}): 'abc' t s | concat({},{}): s t | {}||{}: s 'a' | {}||{}: i s | split_part({},{},{}): s t i | split_part({},{},{}): s 'b' 1
starts_with({},{}): s t | ends_with({},{}): s 'c' | contains({},{}): s t | left({},{}): s i | left({},{}): s 2 | right({},{}): 'abc' i
lpad({},{},{}): s 5 t | lpad({},{},{}): s n 'x' | rpad({},{},{}): 'a' n t | rpad({},{},{}): s 5 'x' | reverse({}): s | repeat({},{}): s i
position({} IN {}): t s | position({} IN {}): 'b' s | position({} IN {}): s 'abc' | {} LIKE {}: s t | {} LIKE {}: s 'a%' | {} LIKE {}: 'abc' t
{} ILIKE {}: s t | {} NOT LIKE {}: s t | regexp_matches({},'b'): s | regexp_extract({},'b'): s | regexp_replace({},'b','x'): s
abs({}): i | abs({}): p | round({},{}): f 1 | round({},{}): p 1 | round({},{}): i -1 | floor({}): f | ceil({}): p | sqrt({}): f
power({},{}): f n | ln({}): f | log({}): f | log({},{}): 2 f | log2({}): f | exp({}): f | sign({}): f | sign({}): p
date_trunc('month',{}): u | date_diff('day',{},{}): d d | date_diff('day',{},{}): d u | date_part('year',{}): u | date_part('epoch',{}): u
{} + INTERVAL 1 MONTH: d | {} - INTERVAL 1 DAY: u | {} + 3: d | {} - {}: d d | strftime({},'%Y'): d | strptime({},'%Y'): s
make_date({},{},{}): i 1 n | make_date({},{},{}): 2020 i n | make_timestamp({},{},{},{},{},{}): 2020 i n 1 1 f
CAST({} AS VARCHAR): i | CAST({} AS DATE): s | CAST({} AS BOOLEAN): s | CAST({} AS DOUBLE): i | CAST({} AS DECIMAL(10,1)): i
"""
FORM_ARGUMENTS = [
    (form, arguments.split())
    for line in FORMS.strip().splitlines()
    for form, _, arguments in (part.strip().rpartition(": ") for part in line.split(" | "))
]
_NOT_TYPED = ("date_trunc", "date_part", "{} + INTERVAL", "{} - INTERVAL", "{} + 3", "contains")
"""A NULL constant here has no type, for which DuckDB or the front end refuses the SQL."""


def _variants(form: str, arguments: list[str]) -> Iterator[tuple[str, frozenset[str]]]:
    yield form.format(*arguments), frozenset()
    for index, argument in enumerate(arguments):
        if argument in VALUES:
            yield form.format(*arguments), frozenset({argument})
        if not form.startswith(_NOT_TYPED) and (form, arguments) != ("{} - {}", ["d", "d"]):
            yield form.format(*arguments[:index], "NULL", *arguments[index + 1 :]), frozenset()


@pytest.mark.parametrize(("form", "arguments"), FORM_ARGUMENTS)
def test_null_in_every_argument(form: str, arguments: list[str]) -> None:
    columns = {name: of for name, (of, _, _) in VALUES.items()}
    for sql, empty in _variants(form, arguments):
        for size in (0, 1, 3):
            rows: dict[str, list[object]] = {
                name: [None if name in empty else value] * size for name, (_, _, value) in VALUES.items()
            }
            ours, theirs = evaluate_sql(sql, columns, rows), _in_duckdb(sql, empty, size)
            assert len(ours) == len(theirs) == size
            assert all(same(mine, other, 1e-9) for mine, other in zip(ours, theirs, strict=True)), (
                sql,
                empty,
                size,
                ours,
                theirs,
            )


def _in_duckdb(sql: str, empty: frozenset[str], size: int) -> list[object]:
    values = ", ".join(
        f"CAST({'NULL' if name in empty else _quoted(value)} AS {type_}) AS {name}"
        for name, (_, type_, value) in VALUES.items()
    )
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT TRY({sql}) FROM (SELECT {values} FROM range({size}))").fetchall()
    return [value for (value,) in found]


def _quoted(value: object) -> str:
    return f"'{value}'"


def test_counts_that_no_text_can_have_are_null() -> None:
    """DuckDB's counts have 32 bits; more would exhaust the memory before it could be an error."""
    rows: dict[str, list[object]] = {"s": ["ab"], "i": [2**62]}
    for sql in ("lpad(s, i, 'x')", "rpad(s, i, 'x')", f"lpad(s, {2**62}, 'x')", f"rpad(s, {-(2**62)}, 'x')"):
        assert evaluate_sql(sql, {"s": STRING, "i": INT64}, rows) == [None]
