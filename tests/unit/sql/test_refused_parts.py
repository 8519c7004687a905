"""Parts of expressions and dataset queries at the edge of what is understood: refusals, types, values."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pytest
from tests.unit.sql.expressions import CLOSED, codes, resolve, shown, text

from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import ResolvedDataset, resolve_dataset_sql
from etlgen_runtime.engines.duckdb.functions import define
from etlgen_runtime.types import FLOAT64, INT64, INT128, LogicalType, decimal

LINKS: dict[str, Schema | None] = {"l": Schema((SchemaColumn("i64", INT64), SchemaColumn("k", INT64)), open=False)}


def dataset(sql: str, source: Schema = CLOSED) -> ResolvedDataset:
    return resolve_dataset_sql(text(sql), source, LINKS)


# --- expressions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("i64 IN ()", "SQL-006"),
        ("i64 IS 3", "SQL-006"),
        ("b IS b", "SQL-006"),
        ("dt + INTERVAL '3 fortnights'", "SQL-008"),
        ("dt - INTERVAL (i64) DAY", "SQL-008"),
        ("f32 = '1e39'", "TYP-002"),
        ("d = '123456789012'", "TYP-002"),
        ("d = '1.001'", "TYP-002"),
        ("abs('x')", "TYP-002"),
        ("'1' + '2'", "TYP-001"),
        ("CASE WHEN s THEN 1 END", "TYP-003"),
        ("i64 * ", "SQL-002"),
    ],
)
def test_refused_expression(sql: str, code: str) -> None:
    assert codes(sql) == [code]
    assert resolve(sql).expr is None


@pytest.mark.parametrize("written", ["INTERVAL (-3) DAY", "INTERVAL '-3 days'", "INTERVAL '-3' DAY"])
def test_interval_backwards(written: str) -> None:
    assert "days=-3" in shown(f"dt + {written}")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("'1.100'", "1.10"), ("'1.0e1'", "10.00"), ("'0.00'", "0.00"), ("'-99999999.99'", "-99999999.99")],
)
def test_text_beside_a_decimal_is_read_with_its_scale(written: str, meant: str) -> None:
    """Zeros beyond the scale are no digits that get lost (semantics, section 4)."""
    assert shown(f"d = {written}") == f"eq(d, {meant}:decimal(10,2))"


@pytest.mark.parametrize(
    ("sql", "type_"),
    [
        ("coalesce(u64, i64)", INT128),
        ("NULL + NULL", INT64),
        ("i64 % NULL", INT64),
        ("d // 2", FLOAT64),
        ("2 // d", FLOAT64),
        ("170141183460469231731687303715884105727", INT128),
        ("coalesce(d, 0.5)", decimal(10, 2)),
        ("round(CAST(d AS DECIMAL(5, 0)), 0)", decimal(5, 0)),
        ("round(CAST(d AS DECIMAL(5, 0)), -1)", decimal(6, 0)),  # 99999 becomes 100000
    ],
)
def test_type_of_a_result(sql: str, type_: LogicalType) -> None:
    """As DuckDB's DESCRIBE says of the same expression; 64 bits with and without sign need 128."""
    found = resolve(sql).expr
    assert found is not None
    assert found.type == type_


# --- dataset queries --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "code", "said"),
    [
        (
            "SELECT count(*) FROM source JOIN l ON source.i64 = l.k WHERE i64 > 3",
            "SQL-014",
            "`i64` must say which table",
        ),
        ("SELECT count(a.b.i64) FROM source", "SQL-006", "`a.b.i64`"),
        ("SELECT count(*) FROM x.source", "SEC-001", "table `x.source` is refused"),
        ("SELECT DISTINCT ON (i64) s FROM source", "SQL-006", "ON in this place"),
        ("SELECT count(*) FROM source WHERE regexp_matches(s, s)", "SQL-008", "the pattern is not a literal"),
        ("SELECT sum(i64 * * 2) FROM source", "SQL-002", "an operand is missing between `*` and `*`"),
        ("SELECT count(*) FROM (VALUES (1)) v(a)", "SQL-006", "VALUES"),
    ],
)
def test_refused_query(sql: str, code: str, said: str) -> None:
    found = dataset(sql)
    assert [one.code for one in found.diagnostics] == [code]
    assert said in found.diagnostics[0].message
    assert found.sql == ""


def test_column_that_both_tables_have_may_be_named_with_its_table() -> None:
    found = dataset("SELECT count(*) FROM source JOIN l ON source.i64 = l.k WHERE l.i64 > 3 AND source.i8 > 0")
    assert found.diagnostics == ()
    assert (found.columns, found.links) == ({"i64", "i8"}, {"l"})


def test_query_in_parentheses_and_branches_of_a_union_are_read() -> None:
    found = dataset("((SELECT max(n) > 0 FROM (SELECT i64 AS n FROM source UNION ALL SELECT k FROM l) AS u))")
    assert found.diagnostics == ()
    assert (found.value, found.columns, found.links) == ("boolean", {"i64"}, {"l"})


def test_column_that_no_branch_of_a_union_gives_is_unknown() -> None:
    found = dataset("SELECT max(nothing) FROM (SELECT i64 AS n FROM source UNION ALL SELECT k FROM l) AS u")
    assert [one.code for one in found.diagnostics] == ["SQL-001"]


@pytest.mark.parametrize("clock", ["current_timestamp", "now()", "get_current_timestamp()"])
def test_clock_of_a_dataset_rule_is_that_of_the_run(clock: str) -> None:
    assert dataset(f"max(tz) <= {clock}").sql == "SELECT max(tz) <= getvariable('as_of') FROM source"


# --- decimals of a dataset rule ---------------------------------------------------------------------------------------

NINES = Decimal("9999999999999999.99")
MONEY = Schema((SchemaColumn("d", decimal(18, 2)), SchemaColumn("e", decimal(18, 2))), open=False)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        define(opened)
        opened.execute("CREATE TABLE source AS SELECT 9999999999999999.99::DECIMAL(18, 2) AS d, d AS e")
        yield opened


@pytest.mark.parametrize(
    ("sql", "unscaled"),
    [
        ("d * e", (10**18 - 1) ** 2),
        ("-d * -e", (10**18 - 1) ** 2),
        ("-(d) * e", -((10**18 - 1) ** 2)),
        ("abs(-d) * abs(e)", (10**18 - 1) ** 2),
        ("coalesce(d, 0) * coalesce(e, 0)", (10**18 - 1) ** 2),
        ("greatest(d, e) * least(d, e)", (10**18 - 1) ** 2),
        ("CASE WHEN d > 0 THEN d ELSE e END * nullif(e, 1)", (10**18 - 1) ** 2),
        ("if(d > 0, d, e) * (-(-e))", (10**18 - 1) ** 2),
    ],
)
def test_product_of_decimals_has_38_digits_whatever_stands_around_its_columns(
    connection: duckdb.DuckDBPyConnection, sql: str, unscaled: int
) -> None:
    """DuckDB multiplies 18 digits by 18 digits in 64 bits, which overflow. 999 ... 9 squared has 36 digits, scale 4."""
    found = dataset(f"max({sql})", MONEY)
    assert found.diagnostics == ()
    ((value,),) = connection.execute(found.sql).fetchall()
    assert (value.as_tuple().exponent, int(str(value).replace(".", ""))) == (-4, unscaled)


@pytest.mark.parametrize(("sql", "times"), [("d + e", 2), ("d + e + d", 3), ("d - -(e)", 2), ("-(-d) - (-e) + d", 3)])
def test_sum_of_decimals_is_exact(connection: duckdb.DuckDBPyConnection, sql: str, times: int) -> None:
    ((value,),) = connection.execute(dataset(f"max({sql})", MONEY).sql).fetchall()
    assert value == NINES * times
