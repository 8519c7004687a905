"""An expression means in a dataset rule, which DuckDB computes, what it means in a row rule (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from tests.unit.engines.duckdb.test_queries import AS_OF
from tests.unit.engines.polars.duckdb_oracle import COLUMNS, evaluate, frame_of, same
from tests.unit.sql.expressions import resolve, text
from tests.unit.sql.test_values_against_duckdb import CASES

from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import resolve_dataset_sql
from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.crossing import run_queries
from etlgen_runtime.engines.duckdb.functions import define
from etlgen_runtime.types import INT64, STRING, TIMESTAMP, LogicalType

SCHEMA = Schema(tuple(SchemaColumn(name, types[0]) for name, types in COLUMNS.items()), open=False)
ROWS = Schema((*SCHEMA.columns, SchemaColumn("row_", INT64)), open=False)

# What DuckDB alone computes otherwise: casts, text of values, whole division, case mappings, overflow, domains.
OTHERWISE = r"""
upper(s) | lower(s) | s = upper(s) | CAST(f AS INTEGER) | CAST(p AS INTEGER) | CAST(s AS DATE) | CAST(u AS DATE) | CAST(s AS TIMESTAMP)
CAST(w AS DECIMAL(10,2)) | CAST(f AS DECIMAL(10,2)) | CAST(i AS TINYINT) | CAST(i AS DOUBLE) | CAST(s AS BOOLEAN) | CAST(n AS BOOLEAN)
CAST(s AS BIGINT) | CAST(s AS DOUBLE) | CAST(f AS VARCHAR) | CAST(u AS VARCHAR) | CAST(z AS VARCHAR) | CAST(p AS VARCHAR) | CAST(d AS TIMESTAMP)
CAST(1.5 AS INTEGER) + n | CAST(TIMESTAMP '2020-01-01 10:00:00' AS DATE) | DATE '2020-01-01' < d | CAST('2020-01-01T10:00' AS TIMESTAMP) < u
concat(u, '') | concat(f, '') | concat(z, '') | f || '!' | b || s | CAST(k AS VARCHAR) || s | i // j | i // -1 | f // 2 | f // g | p // q | n // 0
f % g | i % j | p % q | i + j | i * j | -i | abs(i) | f * g | f + g | f / g | i / j | p * q | w * x | w + x | (f * g) / f | coalesce(f // g, 0)
sqrt(f) | ln(f) | power(f, g) | log(f) | exp(f) | round(f, 1) | round(f, 2) | round(i, -1) | round(p, 1) | floor(f) | sign(f) | greatest(f, g)
lpad(s, i, 'x') | rpad(s, n, t) | left(s, i) | right(s, i) | substring(s, i, j) | substring(s, n, m) | split_part(s, t, n) | repeat(s, n)
d - e | date_diff('week', d, e) | date_part('epoch', u) | date_trunc('month', u) | strptime(s, '%Y-%m-%d') | make_date(n, 1, 1)
s LIKE t | s ILIKE t | reverse(s) | trim(s) | position(t IN s) | regexp_replace(s, '\s', '_', 'g') | regexp_matches(s, '\w$')
i BETWEEN 1.5 AND 7 | s BETWEEN 'a' AND 'b' | f = g | f < g | s < t | nullif(f, 0)
"""
EXPRESSIONS = [*CASES, *(part.strip() for line in OTHERWISE.strip().splitlines() for part in line.split(" | "))]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'")
        define(opened)
        yield opened


@pytest.mark.parametrize("sql", dict.fromkeys(EXPRESSIONS))
def test_a_dataset_rule_sees_the_values_of_a_row_rule(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    row_wise = resolve(sql, SCHEMA)
    assert row_wise.expr is not None, row_wise.diagnostics
    frame = frame_of(sorted(row_wise.reads) or ["b"])
    dataset = resolve_dataset_sql(text(f"SELECT {sql} FROM source WHERE row_ >= 0 ORDER BY row_"), ROWS, {})
    assert dataset.sql, dataset.diagnostics
    _load(connection, frame)
    found = [value for (value,) in connection.execute(dataset.sql).fetchall()]
    rows = zip(frame.iter_rows(), evaluate(row_wise.expr, frame), found, strict=True)
    assert [row for row in rows if not same(row[1], row[2], 1e-9)] == []


def _load(connection: duckdb.DuckDBPyConnection, frame: pl.DataFrame) -> None:
    wide = [name for name, dtype in frame.schema.items() if dtype == pl.Int128]
    casts = ", ".join(f"{name}::HUGEINT AS {name}" for name in wide)
    table = frame.with_columns(pl.col(wide).cast(pl.String)).with_row_index("row_").to_arrow()  # pyright: ignore[reportUnknownVariableType]
    connection.register("rows_", table)  # pyright: ignore[reportUnknownArgumentType]
    connection.execute(f"CREATE OR REPLACE TABLE source AS SELECT *{f' REPLACE ({casts})' if casts else ''} FROM rows_")


STAGED = Schema(
    (SchemaColumn("name", STRING), SchemaColumn("at", TIMESTAMP), SchemaColumn("amount", STRING)), open=False
)
NAMES = Schema((SchemaColumn("name", STRING),), open=False)
LINKS: dict[str, Schema | None] = {"names": None}


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("max(upper(name))", "SS"),
        ("upper(max(name))", "SS"),
        ("max(CAST(1.5 AS INTEGER))", None),
        ("count(CAST(at AS DATE))", 1),
        ("max(concat(at, ''))", "2024-01-02T10:00:00"),
        ("string_agg(at, ',' ORDER BY at)", "2024-01-01T00:00:00,2024-01-02T10:00:00"),
        ("sum(CAST(amount AS DECIMAL(9, 2)))", "1.50"),  # 2.505 does not fit
        ("max(-7.5::DOUBLE) // 2", "-3.0"),
        ("SELECT count(*) FROM source s JOIN names n ON upper(s.name) = n.label", 1),
        ("SELECT count(*) FROM source s JOIN names n ON CAST(s.at AS DATE) = CAST(n.day AS DATE)", 1),
        ("WITH t AS (SELECT 1e308 AS x FROM source) SELECT count(x * 10) + count(x + x) + count(x / 0.01) FROM t", 0),
        ("SELECT count(*) FROM source s, names n WHERE s.at - n.day::TIMESTAMP >= INTERVAL 0 DAY", 2),
        ("count(at + INTERVAL 7975 YEAR)", 2),
        ("count(at + INTERVAL 7975 YEAR + INTERVAL 364 DAY)", 1),  # 31 December 9999, and a day later
        ("count(at - INTERVAL 2024 YEAR)", 0),
        ("count((at + INTERVAL 9000 YEAR) - INTERVAL 9000 YEAR)", 0),
        ("count(CAST('9999-12-30' AS DATE) + 1) + count(CAST('9999-12-31' AS DATE) + 1)", 2),
        ("WITH t AS (SELECT name AS at FROM source) SELECT max(CAST(at AS VARCHAR)) FROM t", "\u00df"),
    ],
)
def test_what_a_run_computes(tmp_path: Path, sql: str, value: object) -> None:
    """Through the crossing, with aggregates, links and names that mean something else than a column of the source."""
    paths = {"source": tmp_path / "source.parquet", "names": tmp_path / "names.parquet"}
    moments = pl.Series(["2024-01-01 00:00:00", "2024-01-02 10:00:00"]).str.to_datetime(time_unit="us")
    pl.DataFrame({"name": ["\u00df", "ab"], "at": moments, "amount": ["1.50", "2.505"]}).write_parquet(paths["source"])
    pl.DataFrame({"label": ["SS", "ab"], "day": ["2024-01-01", "2024-01-02x"]}).write_parquet(paths["names"])
    resolved = resolve_dataset_sql(text(sql), STAGED, LINKS)
    assert resolved.sql, resolved.diagnostics
    found = run_queries(paths, {"rule": resolved.sql}, AS_OF)["rule"]
    assert found == value or str(found) == value


TARGETS = [
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10,2)",
    "DECIMAL",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMPTZ",
    "TIME",
    "UUID",
    "BLOB",
    "JSON",
    "VARCHAR",
]
WRITTEN = """
5|-5|+5.00|127|300|1e3|1.25|1.255|0.1|yes|T||  7 |2024-01-01|2024-01-01 00:00:00|2024-01-01T10:00:00.5Z|2024-01-01T10:00:00+02:00|24:00:00
10:00:00|10:00:00.25|0B8A3A6E-2f0b-4a0e-9c1e-6d9b4c9f8a11|aGk=|{"a": 1}|nan|inf|1e400|99999999999999999999999999999999999999
2024-02-30|0000-01-01|now|12345678901234567890|340282366920938463463374607431768211455|3.|.5|1_000
"""
TEXTS = [item for line in WRITTEN.strip().splitlines() for item in line.split("|")]


@pytest.mark.parametrize("target", TARGETS)
def test_casts_of_text_follow_the_cast_table(connection: duckdb.DuckDBPyConnection, target: str) -> None:
    """Constants are read at build, columns when the query runs."""
    row_wise = resolve(f"CAST(name AS {target})", NAMES)
    assert row_wise.expr is not None
    connection.execute("CREATE OR REPLACE TABLE source (name VARCHAR)")
    for item in TEXTS:
        connection.execute("DELETE FROM source")
        connection.execute("INSERT INTO source VALUES (?)", [item])
        for value in (f"'{item}'", "name"):
            sql = text(f"SELECT CAST({value} AS {target}) FROM source WHERE name IS NOT NULL")
            resolved = resolve_dataset_sql(sql, NAMES, {})
            ((found,),) = connection.execute(resolved.sql).fetchall()
            expected = _by_table(item, row_wise.expr.type)
            assert found == expected or str(found) == expected, (value, item)


def _by_table(item: str, target: LogicalType) -> object:
    try:
        return cast_value(item, target)
    except Unfit:
        return None
