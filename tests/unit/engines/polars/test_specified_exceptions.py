"""Where semantics, section 5 fixes another meaning than DuckDB's: totality, exactness, case mapping, the clock."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import polars as pl
import pytest
from tests.unit.engines.polars.duckdb_oracle import same

from etlgen.engines.polars.assignments import emit_assignment
from etlgen.engines.polars.expressions import emit
from etlgen.expr import Call, Case, Cast, Column, Expr, Interval, Literal, LiteralValue
from etlgen_runtime import clock
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT32,
    INT64,
    INT128,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_TZ,
    LogicalType,
    decimal,
)

Value = object
F, G, N, J = Column("f", FLOAT64), Column("g", FLOAT64), Column("i", INT64), Column("j", INT64)
S, D, W = Column("s", STRING), Column("d", DATE), Column("w", decimal(38, 9))
NAMES = {"pl": pl, "fn": fn, "dt": dt, "Decimal": Decimal}


def call(function: str, of: LogicalType, *args: Expr) -> Call:
    return Call(function, args, of)


def number(value: int) -> Literal:
    return Literal(value, INT32)


def value_of(expr: Expr, **columns: Value) -> Value:
    """The value of ``expr`` for one row."""
    doubles, integers = dict.fromkeys("fg", pl.Float64()), dict.fromkeys("ij", pl.Int64())
    others = {"s": pl.String(), "d": pl.Date(), "w": pl.Decimal(38, 9)}
    types: dict[str, pl.DataType] = {**doubles, **integers, **others}
    frame = pl.DataFrame({name: pl.Series([value], dtype=types[name]) for name, value in columns.items()} or {"x": [0]})
    return frame.select(eval(emit(expr), NAMES).alias("value")).item()


@pytest.mark.parametrize(
    ("expr", "columns", "expected"),
    [
        (call("div", FLOAT64, F, G), {"f": 1.0, "g": 0.0}, None),
        (call("div", FLOAT64, F, G), {"f": math.inf, "g": 0.0}, None),
        (call("div", FLOAT64, F, G), {"f": math.inf, "g": 2.0}, math.inf),
        (call("div", FLOAT64, F, G), {"f": 1e308, "g": 1e-10}, None),
        (call("div", FLOAT64, F, Literal(0.0, FLOAT64)), {"f": 1.0}, None),
        (call("mul", FLOAT64, F, G), {"f": 1e308, "g": 10.0}, None),
        (call("mul", FLOAT64, F, G), {"f": math.nan, "g": 10.0}, math.nan),
        (call("sub", FLOAT64, F, G), {"f": math.inf, "g": math.inf}, math.nan),
        (call("intdiv", FLOAT64, F, G), {"f": -7.5, "g": 2.0}, -3.0),
        (call("intdiv", FLOAT64, F, G), {"f": 7.5, "g": 0.0}, None),
        (call("mod", FLOAT64, F, G), {"f": -7.5, "g": 2.0}, -1.5),
        (call("mod", FLOAT64, F, G), {"f": 5.3, "g": 1e-3}, math.fmod(5.3, 1e-3)),
        (call("mod", FLOAT64, F, G), {"f": 7.5, "g": 0.0}, None),
        (call("sqrt", FLOAT64, F), {"f": -1.0}, None),
        (call("ln", FLOAT64, F), {"f": 0.0}, None),
        (call("exp", FLOAT64, F), {"f": 1000.0}, None),
        (call("exp", FLOAT64, call("mul", FLOAT64, F, F)), {"f": -1e300}, None),
        (call("log", FLOAT64, F), {"f": 1000.0}, 3.0),
        (call("log2", FLOAT64, F), {"f": 2.0**-1000}, -1000.0),
        (call("round", FLOAT64, F, number(2)), {"f": 1.005}, 1.0),
        (call("round", FLOAT64, F, number(2)), {"f": 2.675}, 2.67),
        (call("round", FLOAT64, F, number(1)), {"f": 0.25}, 0.3),
        (call("round", FLOAT64, F, number(1)), {"f": -0.25}, -0.3),
        (call("round", FLOAT64, F, number(-2)), {"f": 150.0}, 200.0),
        (call("round", FLOAT64, F, number(25)), {"f": 0.1}, 0.1),
        (call("round", FLOAT64, F, number(-308)), {"f": 1.7e308}, None),
    ],
)
def test_doubles_are_total(expr: Expr, columns: dict[str, Value], expected: Value) -> None:
    assert same(value_of(expr, **columns), expected)


@pytest.mark.parametrize(
    ("expr", "columns", "expected"),
    [
        (call("intdiv", INT64, N, J), {"i": -7, "j": 2}, -3),
        (call("intdiv", INT64, N, J), {"i": -(2**63), "j": -1}, None),
        (call("mod", INT64, N, J), {"i": -(2**63), "j": -1}, 0),
        (call("mod", INT64, N, J), {"i": -7, "j": 3}, -1),
        (call("add", INT64, N, J), {"i": 2**63 - 1, "j": 1}, None),
        (call("sub", INT64, call("add", INT64, N, J), J), {"i": 2**63 - 1, "j": 1}, 2**63 - 1),
        (call("mul", INT64, N, N), {"i": 2**32}, None),
        (call("mul", INT128, N, J), {"i": 2**63 - 1, "j": 2**63 - 1}, (2**63 - 1) ** 2),
        (call("mul", INT128, call("mul", INT128, N, J), N), {"i": 2**63 - 1, "j": 2**63 - 1}, None),
        (call("mul", INT128, call("mul", INT128, N, J), N), {"i": -(2**42), "j": 2**42}, 2**126),
        (call("neg", INT64, N), {"i": -(2**63)}, None),
        (call("abs", INT64, N), {"i": -(2**63)}, None),
        (call("round", INT64, N, number(-1)), {"i": 2**63 - 1}, None),
        (call("round", INT64, N, number(-3)), {"i": -1500}, -2000),
        (call("nearest", FLOAT64, N), {"i": 2**53 + 1}, 2.0**53),
        (Cast(N, FLOAT64), {"i": 2**53 + 1}, None),
    ],
)
def test_integers_are_exact_or_null(expr: Expr, columns: dict[str, Value], expected: Value) -> None:
    assert value_of(expr, **columns) == expected


NINES = Decimal("9" * 29 + "." + "9" * 9)


@pytest.mark.parametrize(
    ("expr", "columns", "expected"),
    [
        (call("add", decimal(38, 9), W, W), {"w": NINES}, None),
        (call("sub", decimal(38, 9), W, W), {"w": NINES}, Decimal("0E-9")),
        (call("mul", decimal(38, 18), W, W), {"w": NINES}, None),
        (call("mul", decimal(38, 18), W, W), {"w": Decimal("-0.000000001")}, Decimal("0.000000000000000001")),
        (call("sub", decimal(38, 9), call("add", decimal(38, 9), W, W), W), {"w": NINES}, None),
        (call("mod", decimal(38, 9), W, W), {"w": Decimal("0")}, None),
        (call("intdiv", FLOAT64, call("nearest", FLOAT64, W), Literal(2.0, FLOAT64)), {"w": Decimal("-7.5")}, -3.0),
        (call("round", decimal(38, 0), W, number(0)), {"w": Decimal("-2.5")}, Decimal("-3")),
        (call("round", decimal(38, 0), W, number(-1)), {"w": Decimal("25")}, Decimal("30")),
        (
            call("mul", decimal(38, 10), W, Literal(Decimal("1.5"), decimal(2, 1))),
            {"w": Decimal("0.000000001")},
            Decimal("1.5E-9"),
        ),
    ],
)
def test_decimals_are_exact_to_38_digits_or_null(expr: Expr, columns: dict[str, Value], expected: Value) -> None:
    assert value_of(expr, **columns) == expected


def test_a_checked_decimal_beyond_38_digits_is_no_decimal_text() -> None:
    assigned = emit_assignment("total", call("add", decimal(38, 9), W, W), True)
    frame = pl.DataFrame({"w": pl.Series([NINES, Decimal("1.5"), None], dtype=pl.Decimal(38, 9))})
    found = frame.select(eval(assigned.text, NAMES).alias("total")).to_series().to_list()
    assert (assigned.target, assigned.operands, assigned.lost) == (decimal(38, 9), (), None)
    assert found == ["more than 38 digits", "3.000000000", None]


@pytest.mark.parametrize(
    ("function", "value", "expected"),
    [
        ("upper", "stra\u00dfe", "STRASSE"),
        ("upper", "\ufb01", "FI"),
        ("lower", "\u0130", "i\u0307"),
        ("lower", "\u0391\u03a3", "\u03b1\u03c2"),
        ("upper", "\u0131i", "II"),
    ],
)
def test_case_mapping_is_full_unicode_without_locale(function: str, value: str, expected: str) -> None:
    assert value_of(call(function, STRING, S), s=value) == expected


def test_like_with_a_dangling_escape_is_null() -> None:
    like = call("like", BOOLEAN, S, Literal("a$", STRING), Literal("$", STRING))
    assert value_of(like, s="a") is None
    computed = call("like", BOOLEAN, S, call("concat_op", STRING, S, Literal("$", STRING)), Literal("$", STRING))
    assert value_of(computed, s="a") is None


def test_unusable_replacement_is_null() -> None:
    replaced = call("regexp_replace", STRING, S, Literal("a", STRING), Literal(r"\n", STRING))
    assert value_of(replaced, s="a") is None


@pytest.mark.parametrize(
    ("expr", "columns", "expected"),
    [
        (call("date_add", TIMESTAMP, D, Literal(Interval(days=1), INTERVAL)), {"d": dt.date(9999, 12, 31)}, None),
        (call("date_add", TIMESTAMP, D, Literal(Interval(months=10**9), INTERVAL)), {"d": dt.date(2000, 1, 1)}, None),
        (call("date_add", TIMESTAMP, D, Literal(Interval(days=10**9), INTERVAL)), {"d": dt.date(2000, 1, 1)}, None),
        (
            Cast(call("date_add", TIMESTAMP, D, Literal(Interval(days=-1), INTERVAL)), DATE),
            {"d": dt.date(1, 1, 1)},
            None,
        ),
        (call("make_date", DATE, N, number(2), number(30)), {"i": 2020}, None),
        (call("make_date", DATE, N, number(1), number(1)), {"i": 10000}, None),
        (call("make_date", DATE, N, number(1), number(1)), {"i": -(2**63)}, None),
    ],
)
def test_dates_outside_the_calendar_are_null(expr: Expr, columns: dict[str, Value], expected: Value) -> None:
    assert value_of(expr, **columns) == expected


def test_current_date_and_timestamp_are_the_start_of_the_run_in_utc() -> None:
    start = dt.datetime(2026, 1, 1, 0, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    token = clock.set_as_of(start)
    try:
        assert value_of(call("current_timestamp", TIMESTAMP_TZ)) == start
        assert value_of(call("current_date", DATE)) == dt.date(2025, 12, 31)
    finally:
        clock.reset(token)


def test_case_chooses_the_first_true_branch_and_null_is_not_true() -> None:
    unknown = call("gt", BOOLEAN, N, Literal(None, INT64))
    positive = call("gt", BOOLEAN, N, Literal(0, INT64))
    chosen = Case(
        ((unknown, Literal("unknown", STRING)), (positive, Literal("plus", STRING))), Literal(None, STRING), STRING
    )
    assert value_of(chosen, i=5) == "plus"
    assert value_of(chosen, i=-5) is None


def test_every_row_of_a_mixed_batch_keeps_its_own_decimal() -> None:
    values: list[LiteralValue] = [NINES, Decimal("1.000000001"), None, -NINES]
    frame = pl.DataFrame({"w": pl.Series(values, dtype=pl.Decimal(38, 9))})
    doubled = eval(emit(call("add", decimal(38, 9), W, W)), NAMES)
    assert frame.select(doubled.alias("value")).to_series().to_list() == [None, Decimal("2.000000002"), None, None]
