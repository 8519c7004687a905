"""Evaluate one expression twice, as emitted Polars and as SQL in DuckDB, over every combination of some values."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import duckdb
import polars as pl

from etlgen.engines.polars.expressions import emit
from etlgen.engines.polars.types import dtype_source
from etlgen.expr import Column, Expr
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    INT128,
    STRING,
    TIMESTAMP,
    TIMESTAMP_TZ,
    Kind,
    LogicalType,
    decimal,
)

Value = object

TEXTS: tuple[str | None, ...] = (
    "", "a", "abc", "ABC", "stra\u00dfe", "e\u0301x\r\n", "x\r\ny", "a\nb", "a%b_c", "  pad\t ", "x,y,,z", "\u00a0nb\u2003", None,
    "\u0130I", "\u017fK\u212a", "\u00e9\u00e8", "$1\\1", "aXbXc", "2020-01-05", ",",
)  # fmt: skip
FLOATS: tuple[float | None, ...] = (
    0.0, -0.0, 1.5, -2.5, 0.1, 3.0, -7.0, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, None, 2.675, 1e16, 0.5, 1000.0,
)  # fmt: skip
INTEGERS: tuple[int | None, ...] = (0, 1, -1, 2, 3, -7, 7, 2**63 - 1, -(2**63), 10**15, 1250, None)
SMALL: tuple[int | None, ...] = (0, 1, -1, 2, -3, 5, 7, 40, -40, None)
DATES: tuple[dt.date | None, ...] = (
    *map(
        dt.date.fromisoformat,
        (
            "1970-01-01",
            "1969-12-31",
            "2020-02-29",
            "2021-01-01",
            "2020-12-31",
            "2020-01-05",
            "2020-01-06",
            "1900-03-01",
        ),
    ),
    None,
)
MOMENTS: tuple[dt.datetime | None, ...] = (
    *map(
        dt.datetime.fromisoformat,
        (
            "1970-01-01T00:00",
            "1969-12-31T23:59:59.500000",
            "2020-02-29T12:34:56.789012",
            "2021-01-01T00:00:00.000001",
            "2020-12-31T23:59:59.999999",
            "1900-01-01T10:00",
            "2020-01-05T23:00",
            "2020-01-06T01:00",
        ),
    ),
    None,
)
PRICES: tuple[Decimal | None, ...] = (
    *map(Decimal, ("0", "1", "-1", "1.25", "-1.25", "2.50", "0.01", "-0.05", "99999999.99", "-99999999.99", "12.34")),
    None,
)
LARGE: tuple[Decimal | None, ...] = (
    *map(Decimal, ("0", "1", "-1.5", "0.000000001", "-3.000000007", "123456789.987654321")),
    Decimal("99999999999999999999999999999.999999999"),
    None,
)

PRICE, WIDE = decimal(10, 2), decimal(38, 9)
COLUMNS: Mapping[str, tuple[LogicalType, Sequence[Value]]] = {
    "s": (STRING, TEXTS), "t": (STRING, TEXTS), "f": (FLOAT64, FLOATS), "g": (FLOAT64, FLOATS),
    "i": (INT64, INTEGERS), "j": (INT64, INTEGERS), "n": (INT32, SMALL), "m": (INT32, SMALL), "k": (INT8, (0, 1, -1, 127, -128, None)),
    "h": (INT128, (0, 1, -1, 2**127 - 1, -(2**127), 10**20, None)),
    "d": (DATE, DATES), "e": (DATE, DATES), "u": (TIMESTAMP, MOMENTS), "v": (TIMESTAMP, MOMENTS),
    "z": (TIMESTAMP_TZ, tuple(value and value.replace(tzinfo=dt.UTC) for value in MOMENTS)),
    "p": (PRICE, PRICES), "q": (PRICE, PRICES), "w": (WIDE, LARGE), "x": (WIDE, LARGE),
    "b": (BOOLEAN, (True, False, None)), "c": (BOOLEAN, (True, False, None)),
}  # fmt: skip


def column(name: str) -> Column:
    """A column of :data:`COLUMNS`."""
    return Column(name, COLUMNS[name][0])


@dataclass(frozen=True, slots=True)
class Outcome:
    """Both results of one row."""

    inputs: tuple[Value, ...]
    polars: Value
    duckdb: Value


def frame_of(names: Sequence[str]) -> pl.DataFrame:
    """Every combination of the values of these columns."""
    rows = itertools.product(*(COLUMNS[name][1] for name in names))
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        {
            name: pl.Series(name, values, dtype=_dtype(COLUMNS[name][0]))
            for name, values in zip(names, columns, strict=True)
        }
    )


def _dtype(of: LogicalType) -> pl.DataType:
    dtype: pl.DataType | type[pl.DataType] = eval(dtype_source(of), {"pl": pl})
    return dtype() if isinstance(dtype, type) else dtype


def evaluate(expr: Expr, frame: pl.DataFrame) -> list[Value]:
    """The values of the emitted source; its type must be the expression's."""
    source = emit(expr)
    value = eval(source, {"pl": pl, "fn": fn, "dt": dt, "Decimal": Decimal})
    found = frame.lazy().select(value.alias("value")).collect(engine="streaming").to_series()
    expected = _dtype(expr.type)
    assert found.dtype == expected or expr.type.kind is Kind.NULL, f"{source}: {found.dtype} instead of {expected}"
    return found.to_list() * (len(frame) if len(found) == 1 else 1)


def ask_duckdb(sql: str, frame: pl.DataFrame) -> list[Value]:
    """The values of ``sql`` in DuckDB; NULL where it raises."""
    wide = [name for name, dtype in frame.schema.items() if dtype == pl.Int128]
    table = frame.with_columns(pl.col(wide).cast(pl.String)).with_row_index("row_number_").to_arrow()
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("SET error_on_division_by_zero = true")
        connection.register("table_", table)
        casts = "".join(f", {name}::HUGEINT AS {name}" for name in wide)
        exclude = f"* EXCLUDE ({', '.join(wide)})" if wide else "*"
        connection.execute(f"CREATE TABLE rows_ AS SELECT {exclude}{casts} FROM table_")
        found = connection.execute(f"SELECT TRY({sql}) FROM rows_ ORDER BY row_number_").fetchall()
    return [value for (value,) in found]


def outcomes(expr: Expr, sql: str, names: Sequence[str]) -> Iterable[Outcome]:
    """Both results for every combination of the values of ``names``."""
    frame = frame_of(names)
    for inputs, ours, theirs in zip(frame.iter_rows(), evaluate(expr, frame), ask_duckdb(sql, frame), strict=True):
        yield Outcome(inputs, ours, finite_or_null(theirs, inputs))


def finite_or_null(value: Value, inputs: Sequence[Value]) -> Value:
    """Semantics, section 5: a NaN or infinity of finite inputs is NULL; DuckDB keeps it."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return value if any(isinstance(item, float) and not math.isfinite(item) for item in inputs) else None


def same(ours: Value, theirs: Value, tolerance: float = 0.0) -> bool:
    """Equal values, NaN included; doubles within a relative tolerance."""
    if isinstance(ours, float) and isinstance(theirs, float):
        if math.isnan(ours) or math.isnan(theirs):
            return math.isnan(ours) and math.isnan(theirs)
        return ours == theirs or math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=0.0)
    return (ours is None) == (theirs is None) and ours == theirs
