"""Rollups as emitted: values worked out by hand, and the same aggregates in DuckDB over random rows."""

from __future__ import annotations

import datetime as dt
import math
import random
from decimal import Decimal
from typing import Any

import duckdb
import polars as pl
import pytest
from tests.unit.emit.hand_built_plans import orders_plan
from tests.unit.sql.expressions import text

import etlgen_runtime.engines.polars as engine
from etlgen.engines.polars.relations import emit_relation
from etlgen.engines.polars.types import dtype_source
from etlgen.plan import AggregateRows, Schema, SchemaColumn
from etlgen.python_source.names import contract_names
from etlgen.sql import resolve_grouped
from etlgen_runtime import types
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.engines.polars.ledger import RowLedger
from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, INT32, INT64, INT128, STRING, LogicalType, decimal

NAMES = contract_names(orders_plan(), "orders", frozenset())
TYPES: dict[str, LogicalType] = {
    "g": STRING, "b": BOOLEAN, "s": STRING, "i": INT32, "n": INT64, "w": INT128, "f": FLOAT64, "d": decimal(10, 2),
    "e": decimal(38, 9), "k": DATE,
}  # fmt: skip
DUCKDB = {
    "g": "VARCHAR", "b": "BOOLEAN", "s": "VARCHAR", "i": "INTEGER", "n": "BIGINT", "w": "HUGEINT", "f": "DOUBLE",
    "d": "DECIMAL(10,2)", "e": "DECIMAL(38,9)", "k": "DATE",
}  # fmt: skip
SCHEMA = Schema(tuple(SchemaColumn(name, of) for name, of in TYPES.items()), open=False)


def frame(**columns: list[Any]) -> pl.LazyFrame:
    return pl.LazyFrame(
        {name: pl.Series(values, dtype=eval(dtype_source(TYPES[name]))) for name, values in columns.items()}
    )


def rollup(group_by: tuple[str, ...], **aggregations: str) -> AggregateRows:
    found: list[tuple[str, Any]] = []
    for name, sql in aggregations.items():
        resolved = resolve_grouped(text(sql), SCHEMA, group_by)
        assert resolved.expr is not None, resolved.diagnostics
        found.append((name, resolved.expr))
    return AggregateRows(group_by, tuple(found))


def run(relation: AggregateRows, rows: pl.LazyFrame, ledger: RowLedger | None = None) -> pl.DataFrame:
    """The frame after the emitted code, bookkeeping included."""
    scope: dict[str, object] = {name: getattr(engine, name) for name in engine.__all__} | vars(types)
    scope |= {"pl": pl, "fn": fn, "Decimal": Decimal, "frame": rows, "rows": (ledger or RowLedger()).section("post")}
    made: pl.LazyFrame = eval("(frame\n" + "\n".join(emit_relation(relation, 2, NAMES)) + ")", scope)
    return made.collect(engine="streaming")


def one(sql: str, **columns: list[Any]) -> object:
    """The aggregate over all rows."""
    return run(rollup((), x=sql), frame(**columns))["x"].item()


def test_outputs_stand_in_the_order_of_the_contract() -> None:
    relation = rollup(("g",), share="round(sum(n) / count(*), 1)", rows="count(*)")
    assert run(relation, frame(g=["a", "a"], n=[1, 2])).to_dict(as_series=False) == {
        "g": ["a"],
        "share": [1.5],
        "rows": [2],
    }


def test_rows_that_vanish_are_counted_under_the_operation() -> None:
    ledger = RowLedger()
    run(rollup(("g",), rows="count(*)"), frame(g=["a", "a", None, None, "b"]), ledger)
    (count,) = ledger.operations()
    assert (count.phase, count.operation, count.removed, count.added) == ("post", "2", 2, 0)


@pytest.mark.parametrize("values", [[], [1, None, 3]])
def test_counting_rows_needs_no_column(values: list[int | None]) -> None:
    ledger = RowLedger()
    made = run(rollup((), rows="count(*)"), frame(n=values), ledger)
    assert made["rows"].to_list() == [len(values)]
    (count,) = ledger.operations()
    assert count.added - count.removed == 1 - len(values)


def test_groups_alone() -> None:
    assert sorted(run(rollup(("n",)), frame(n=[2, 1, 2]))["n"].to_list()) == [1, 2]


def test_bookkeeping_ends_but_for_values_that_did_not_fit() -> None:
    rows = frame(g=["a", "a", "b"]).with_columns(
        pl.Series("__etlgen_source", ["x.csv"] * 3), pl.Series("__etlgen_unfit_n", ["y", None, None], dtype=pl.String)
    )
    made = run(rollup(("g",), rows="count(*)"), rows).sort("g")
    assert made.columns == ["g", "rows", "__etlgen_unfit_n"]
    assert made["__etlgen_unfit_n"].to_list() == ["y", None]


def test_zeros_of_both_signs_are_one_group_and_so_are_nans() -> None:
    made = run(rollup(("f",), rows="count(*)"), frame(f=[0.0, -0.0, math.nan, math.nan])).sort("rows", "f")
    assert made["rows"].to_list() == [2, 2]
    assert [math.copysign(1, value) for value in made["f"].to_list() if value == 0] == [1.0]


def test_a_constant_counts_for_each_row() -> None:
    assert one("sum(2)", n=[5, None, 7]) == 6


def test_nan_is_above_every_number() -> None:
    assert math.isnan(float(str(one("max(f)", f=[math.nan, 1.0]))))
    assert one("min(f)", f=[math.nan, 1.0]) == 1.0


def test_a_sum_of_finite_doubles_that_is_infinite_is_null() -> None:
    assert one("sum(f)", f=[1e308, 1e308]) is None
    assert one("avg(f)", f=[1e308, 1e308]) is None
    assert one("sum(f)", f=[math.inf, 1.0]) == math.inf


def test_products_are_added_before_they_are_narrowed() -> None:
    assert one("sum(n * i)", n=[2**62, 2**62, 2**62], i=[4, -4, 1]) == 2**62


GREATEST = 2**127 - 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([GREATEST, 1], None),
        ([GREATEST, 1, -1], GREATEST),
        ([GREATEST, GREATEST, -GREATEST], GREATEST),
        ([-GREATEST, -1], -(2**127)),
        ([-GREATEST, -2], None),
        ([-GREATEST, -GREATEST, -GREATEST], None),
        ([10**19 - 1, 1], 10**19),
        ([None], None),
    ],
)
def test_sums_of_128_bits_are_exact_or_null(values: list[int | None], expected: int | None) -> None:
    assert one("sum(w)", w=values) == expected


MOST = Decimal("99999999999999999999999999999.999999999")


def test_decimal_sums_are_exact_to_38_digits() -> None:
    assert one("sum(e)", e=[MOST, Decimal("-0.000000001")]) == Decimal("99999999999999999999999999999.999999998")
    assert one("sum(e)", e=[MOST, MOST, MOST.copy_negate()]) == MOST
    assert one("sum(e)", e=[MOST.copy_negate(), MOST]) == 0


def test_a_decimal_sum_beyond_38_digits_makes_the_row_bad() -> None:
    made = run(rollup((), x="sum(e)"), frame(e=[MOST, Decimal("0.000000001")]))
    assert made["x"].item() is None
    assert made["__etlgen_unfit_x"].item() is not None


def test_an_average_whose_sum_needs_more_digits() -> None:
    assert one("avg(e)", e=[MOST, MOST]) == pytest.approx(1e29, rel=1e-9)
    assert one("avg(w)", w=[GREATEST, GREATEST]) == pytest.approx(2.0**127, rel=1e-9)


AGGREGATES = [
    "count(*)", "count(s)", "count(DISTINCT i)", "count(DISTINCT f)", "sum(i)", "sum(n)", "sum(f)", "sum(d)", "sum(e)",
    "sum(b)", "sum(i * 2.5)", "sum(d * e)", "sum(n + 1)", "avg(i)", "avg(n)", "avg(f)", "avg(d)", "avg(e)", "min(s)",
    "max(s)", "min(f)", "min(d)", "max(e)", "min(b)", "bool_or(b)", "max(k)", "min(i - n)", "max(w)", "sum(w)",
    "count(*) FILTER (WHERE b)", "sum(d) FILTER (WHERE i > 0)", "count_if(i > 0)", "sum(CASE WHEN b THEN d ELSE 0 END)",
    "round(sum(d) / count(*), 2)", "coalesce(sum(i), 0) + count(*)", "max(d) - min(d)", "coalesce(g, '?') || count(*)",
]  # fmt: skip


def random_rows(count: int) -> dict[str, list[Any]]:
    draw = random.Random(7)

    def some(values: list[Any]) -> list[Any]:
        return [draw.choice([*values, None]) for _ in range(count)]

    return {
        "g": some(["a", "b", "c"]),
        "b": some([True, False]),
        "s": some(["x", "é", "Z", ""]),
        "i": some([1, -3, 2**31 - 1, 0]),
        "n": some([2**40, -(2**62), 5, 2**62]),
        "w": some([10**20, -(10**30), 3]),
        "f": some([1.5, -2.25, 1e10, 0.1]),
        "d": some([Decimal("1.10"), Decimal("-99999999.99"), Decimal("0.05")]),
        "e": some([Decimal("1234567890.000000001"), Decimal("-5.500000000")]),
        "k": some([dt.date(2024, 2, 29), dt.date(1969, 12, 31)]),
    }


@pytest.mark.parametrize("sql", AGGREGATES)
def test_duckdb_computes_the_same(sql: str) -> None:
    rows = random_rows(200)
    made = run(rollup(("g",), x=sql), frame(**rows))
    assert "__etlgen_unfit_x" not in made or made["__etlgen_unfit_x"].null_count() == made.height
    connection = duckdb.connect()
    columns = ", ".join(f"{name} {of}" for name, of in DUCKDB.items())
    connection.execute(f"CREATE TABLE source ({columns})")
    connection.executemany(
        f"INSERT INTO source VALUES ({', '.join('?' * len(rows))})", list(zip(*rows.values(), strict=True))
    )
    expected = dict(connection.execute(f"SELECT g, {sql} FROM source GROUP BY g").fetchall())
    found = dict(made.select("g", "x").iter_rows())
    assert found.keys() == expected.keys()
    for group, value in expected.items():
        wanted = pytest.approx(value, rel=1e-9) if isinstance(value, float) else value
        assert found[group] == wanted, (group, sql)
