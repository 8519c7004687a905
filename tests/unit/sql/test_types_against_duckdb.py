"""Result types agree with DuckDB's DESCRIBE, except where the specification fixes another (semantics, section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb
import pytest
from tests.unit.sql.expressions import COLUMNS, resolve

from etlgen.expr import Call, walk
from etlgen.sql.functions import BY_SPELLING, FUNCTIONS
from etlgen_runtime.types import FLOAT32, FLOAT64, Kind, LogicalType

INTEGERS = ("i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64")
NUMBERS = (*INTEGERS, "f32", "f64", "d", "d2")
MOMENTS = ("dt", "ts", "tz")

WRITTEN = """
1 + 1 | 300 + i8 | i8 + 1 | i32 * 2 | i64 + 1 | u64 - 1 | -1 | 12345678901234567890 | 1e3 | i8 + i16 + 1 | i64 + NULL | NULL + NULL
i64 + 1e0 | f32 * 2 | f32 + 1.5 | d / 2 | d // 2 | f64 // 2 | 1 / 2 | i64 + '1' | mod(i64, 3) | mod(f64, 2)
i64 = 1.5 | i64 <> 2 | i64 > 2 | b = true | s = 'x' | dt = '2024-01-31' | dt < ts | ts <= tz | i64 IN (1, 2) | s NOT IN ('a') | i64 BETWEEN 1 AND 2
s LIKE 'a%' | s NOT LIKE 'a!%' ESCAPE '!' | s ILIKE 'a' | s IS NULL | s IS NOT NULL | s ISNULL | s NOTNULL
i64 IS DISTINCT FROM 1 | i64 IS NOT DISTINCT FROM 1 | b IS TRUE | b IS NOT FALSE | b AND NOT b OR b
coalesce(i8, 1) | coalesce(i64, 1.5) | coalesce(d, 0) | coalesce(d2, 0) | coalesce(d, 1.555) | coalesce(dt, ts) | coalesce(u8, i8)
coalesce(dt, '2024-01-31') | coalesce(f32, i64) | coalesce(i64, u64) | ifnull(s, '') | coalesce(s, NULL) | coalesce(f64, d) | coalesce(i64, 100.0)
coalesce(i64, 1e3) | coalesce(f32, 1e3) | coalesce(i128, 1e3) | greatest(u32, 1e3) | coalesce(f32, 1.5)
nullif(i64, 1) | nullif(s, '') | nullif(d, 0) | nullif(i64, 1.5) | nullif(i8, 300) | nullif(f64, 0)
greatest(i8, i64) | greatest(i64, f64) | greatest(d, i64) | greatest(d, d2) | least(dt, ts) | least(1, 2.5) | least(s, 'a')
CASE WHEN b THEN 1 ELSE 2.5 END | CASE WHEN b THEN 1 ELSE i64 END | CASE WHEN b THEN 'x' END | CASE i8 WHEN 1 THEN dt ELSE ts END
if(b, 1, 2) | if(b, d, i8)
s || 'x' | s || i64 | s || dt | b || s | concat(s, i64, NULL) | length(s) | len(s) | char_length(s) | lower(s) | upper(s) | lcase(s)
trim(s) | trim(s, 'x') | trim(LEADING 'x' FROM s) | ltrim(s) | rtrim(s, 'ab') | substring(s, 1) | substr(s, 2, 3)
substring(s FROM 2 FOR 3) | replace(s, 'a', 'b') | split_part(s, ',', 1) | starts_with(s, 'a') | s ^@ 'a' | prefix(s, 'a')
ends_with(s, 'a') | suffix(s, 'a') | contains(s, 'a') | left(s, 2) | right(s, 2) | lpad(s, 3, 'x') | rpad(s, 3, 'x') | reverse(s)
position('a' IN s) | strpos(s, 'a') | instr(s, 'a') | repeat(s, 3)
regexp_matches(s, 'a') | regexp_matches(s, 'a', 'i') | regexp_full_match(s, 'a') | s ~ 'a' | s SIMILAR TO 'a' | regexp_extract(s, 'a')
regexp_extract(s, '(a)', 1) | regexp_replace(s, 'a', 'b') | regexp_replace(s, 'a', 'b', 'g')
round(f64, 2) | round(f32, 1) | round(i64, -2) | round(d, 1) | round(d, -1) | round(d, 5) | round(d2, 3)
power(f64, 2) | pow(i64, 2) | i64 ^ 2 | i64 ** 2 | log(f64) | log10(f64) | log(2, f64) | log2(f64) | @i64
current_date | today() | current_timestamp | now() | get_current_timestamp() | dt + 1 | dt - 1 | dt - dt | make_date(2024, 1, 31)
make_timestamp(2024, 1, 31, 12, 30, 1.5) | strptime(s, '%Y') | try_strptime(s, '%Y') | strptime(s, '%Y %z')
date_diff('day', dt, ts) | datediff('month', dt, dt) | date_diff('hour', ts, tz) | date_diff('day', '2024-01-31', dt)
CAST(s AS VARCHAR) | CAST(i64 AS DOUBLE) | TRY_CAST(s AS DATE) | s::TIMESTAMP | CAST(d AS DECIMAL(5, 1)) | s::BOOLEAN | CAST(s AS SMALLINT)
s::TINYINT | s::BIGINT | s::HUGEINT | s::UBIGINT | s::TIMESTAMPTZ | s::TIME | s::UUID | CAST(dt AS TIMESTAMP) | DATE '2024-01-31'
DATE '2024-01-31'::TIMESTAMP | DATE '2024-01-31'::VARCHAR || 'x' | TIMESTAMP '2024-01-31 10:00:00'::VARCHAR | INTERVAL 1 DAY + DATE '2024-01-31'
"""

EXACT_EXCEPTIONS = {
    "1.5 + 2": "decimal(38,1)",
    "CAST(s AS INT)": "int64",
    "CAST(s AS FLOAT)": "float64",
    "CAST(s AS DECIMAL)": "decimal(38,9)",
}
"""Where the type is fixed by the specification: decimals of precision 38, the cast table's names."""

PAST_38_DIGITS = {"i128 % d", "d % i128", "i128 % d2", "d2 % i128"}
"""Decimals stay decimals here; DuckDB goes over to double where 38 digits may not do."""


def expressions() -> Iterator[str]:
    """Every line of ``WRITTEN``, every pair of numbers in arithmetic, every number in functions of one number."""
    for line in WRITTEN.strip().splitlines():
        yield from (part.strip() for part in re.split(r" \| ", line))
    for left in NUMBERS:
        yield f"-{left}"
        for right in NUMBERS:
            yield from (f"{left} {sign} {right}" for sign in ("+", "-", "*", "/", "//", "%"))
            yield f"coalesce({left}, {right})"
            yield f"{left} < {right}"
        yield from (f"{name}({left})" for name in ("abs", "round", "floor", "ceil", "sqrt", "ln", "exp", "sign"))
    for moment in MOMENTS:
        units = ("year", "month", "day", "hour", "second")
        yield from (f"date_trunc('{unit}', {moment})" for unit in units)
        yield from (f"date_part('{unit}', {moment})" for unit in (*units, "epoch", "julian", "dow"))
        yield from (f"extract({unit} FROM {moment})" for unit in units)
        yield from (f"{moment} {sign} INTERVAL 3 {unit}" for sign in "+-" for unit in units)
        yield f"strftime({moment}, '%Y-%m-%d')"
        yield from (
            f"{name}({moment})" for name in BY_SPELLING if BY_SPELLING[name].name == "date_part" and "date" not in name
        )


EXPRESSIONS = list(dict.fromkeys(expressions()))
NAMES = {duck: logical for logical, duck in COLUMNS.values()}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        columns = ", ".join(f"{name} {types[1]}" for name, types in COLUMNS.items())
        opened.execute(f"CREATE TABLE t ({columns})")
        yield opened


def described(connection: duckdb.DuckDBPyConnection, sql: str) -> LogicalType:
    row = connection.execute(f"DESCRIBE SELECT {sql} FROM t").fetchone()
    assert row is not None
    found = re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", row[1])
    return LogicalType(Kind.DECIMAL, int(found[1]), int(found[2])) if found else NAMES[row[1]]


def test_result_types_are_duckdbs(connection: duckdb.DuckDBPyConnection) -> None:
    wrong: list[str] = []
    for sql in EXPRESSIONS:
        resolved = resolve(sql)
        assert resolved.expr is not None, (sql, resolved.diagnostics)
        ours, theirs = resolved.expr.type, described(connection, sql)
        arithmetic = isinstance(resolved.expr, Call) and resolved.expr.function in ("add", "sub", "mul", "mod")
        if (
            arithmetic and ours.kind is Kind.DECIMAL and sql not in PAST_38_DIGITS
        ):  # precision 38; the scale is DuckDB's
            assert (theirs.kind, theirs.scale) == (ours.kind, ours.scale), sql
            continue
        if "/" in sql and "//" not in sql and theirs == FLOAT32:  # `/` is double
            theirs = FLOAT64
        if sql in PAST_38_DIGITS:
            assert (ours.kind, theirs) == (Kind.DECIMAL, FLOAT64), sql
        elif ours != theirs:
            wrong.append(f"{sql}: {ours}, DuckDB has {theirs}")
    assert wrong == []


def test_every_function_is_compared() -> None:
    seen = {node.function for sql in EXPRESSIONS for node in walk_calls(sql)}
    assert seen == {function.name for function in FUNCTIONS}


def walk_calls(sql: str) -> Iterator[Call]:
    expr = resolve(sql).expr
    return (node for node in walk(expr) if isinstance(node, Call)) if expr is not None else iter(())


@pytest.mark.parametrize(("sql", "type_"), EXACT_EXCEPTIONS.items(), ids=list(EXACT_EXCEPTIONS))
def test_types_that_the_specification_fixes(sql: str, type_: str) -> None:
    expr = resolve(sql).expr
    assert expr is not None
    assert str(expr.type) == type_


def test_every_function_name_exists_in_duckdb(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute("SELECT DISTINCT lower(function_name) FROM duckdb_functions()").fetchall()
    known = {row[0] for row in rows}
    syntax = {"coalesce", "nullif", "ifnull", "current_date", "trim", "substring", "position", "datediff"}
    assert {name for name in BY_SPELLING if name not in known | syntax} == set()
