"""What becomes of a row does not depend on the rows beside it: looking at a whole batch is a choice of speed only.

Each value of a pool is computed alone, and in batches of many compositions: all, shuffled, a few, one repeated, many rows of few.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import polars as pl
import pytest

from etlgen_runtime import types
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.engines.polars.casts import cast_series, physical_type, unfit_series
from etlgen_runtime.engines.polars.casts.tiers import FEW
from etlgen_runtime.engines.polars.functions.decimals import BEYOND
from etlgen_runtime.engines.polars.typed_moments import within_years
from etlgen_runtime.types import LogicalType, decimal

MANY = 40 * FEW
"""Rows of a batch in which repeated texts are read once."""

Compute = Callable[[pl.DataFrame], pl.DataFrame]


def batches(size: int, seed: int) -> Iterator[list[int]]:
    """Row numbers of a pool of ``size`` rows, as they may come together."""
    chosen = random.Random(seed)
    everything = list(range(size))
    yield everything
    yield everything[::-1]
    yield chosen.sample(everything, size)
    yield [chosen.choice(everything[: FEW // 8]) for _ in range(MANY)]
    yield [chosen.choice(everything) for _ in range(MANY)]
    for round_ in range(12):
        few = chosen.sample(everything, chosen.randint(1, min(4, size)))
        yield few
        yield few * 3
        if round_ < 3:
            yield [chosen.choice(few) for _ in range(MANY)]


def assert_rows_stand_alone(pool: pl.DataFrame, compute: Compute) -> None:
    alone = [repr(compute(pool[number]).row(0)) for number in range(pool.height)]
    for numbers in batches(pool.height, seed=pool.height):
        made = compute(pool[numbers])
        assert [repr(row) for row in made.rows()] == [alone[number] for number in numbers]


# --- casts ------------------------------------------------------------------------------------------------------------

TEXTS = (
    "1", "0", "-0", " 1 ", "+1", "1.0", "1.", "3.00", "1e3", "1E-2", ".5", "5.", "0x1", "１", "1_000", "", " ", "NaN", "inf",
    "1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "0.1", "123456789012345678901234567890.12345",
    "true", "T", "yes", "Y", "no", "2024-01-01", "2024-02-29", "2023-02-29", "2024-1-1", "2024-02-30", "20240101", "2024-01-01T10:00",
    "2024-01-01T10:00:00", "2024-01-01 10:00:00", "2024-01-01 10:00:00.1234567", "2024-01-01T24:00:00", "2024-01-01T10:00:60",
    "2024-01-01T10:00:00Z", "2024-01-01T10:00:00+0530", "2024-01-01T10:00:00+05:30", "2024-01-01T00:00:00-00:00", "0001-01-01",
    "0001-01-01T00:00:00+00:01", "9999-12-31", "9999-12-31T23:59:59-00:01", "10000-01-01", "0000-01-01", "now", "2024-01-01\t",
    "\n2024-01-01", "2024-01-01\u00a0", "10:00", "10:00:00", "1" * 39, "0." + "0" * 40 + "1", "1e-40", "0e999999", "00012", "-00.50",
    "9007199254740993", "0.30000000000000004", "1e22", "8.41e21", "4.9e-324", "2e-324", "31/12/2026", "12/31/2026", "abc", None,
)  # fmt: skip
TARGETS = (
    types.INT8, types.INT64, types.INT128, types.UINT64, types.FLOAT64, types.FLOAT32, decimal(5, 2), decimal(38, 9), decimal(38, 0),
    types.BOOLEAN, types.DATE, types.TIMESTAMP, types.TIMESTAMP_TZ, types.TIME, types.UUID, types.JSON,
)  # fmt: skip


def cast_and_unfit(before: LogicalType, target: LogicalType, formats: tuple[str, ...] = ()) -> Compute:
    def compute(rows: pl.DataFrame) -> pl.DataFrame:
        source = rows.to_series().alias("value")
        values = cast_series(source, before, target, formats)
        return pl.DataFrame([values.alias("value"), unfit_series(source, values, before, target).alias("unfit")])

    return compute


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_text_is_cast_alone_as_among_others(target: LogicalType) -> None:
    pool = pl.DataFrame({"v": pl.Series(TEXTS, dtype=pl.String)})
    assert_rows_stand_alone(pool, cast_and_unfit(types.STRING, target))


@pytest.mark.parametrize("target", [types.DATE, types.TIMESTAMP], ids=str)
def test_text_of_formats_is_cast_alone_as_among_others(target: LogicalType) -> None:
    pool = pl.DataFrame({"v": pl.Series(TEXTS, dtype=pl.String)})
    assert_rows_stand_alone(pool, cast_and_unfit(types.STRING, target, ("%d/%m/%Y", "%m/%d/%Y", "%Y%m%d")))


FLOATS = (0.0, -0.0, 1.0, 1.5, -2.5, 0.1, 2.0**53, 2.0**63, 1e22, 1e300, 5e-324, float("nan"), float("inf"), None)
DECIMALS = tuple(
    None if text is None else Decimal(text)
    for text in ("0.00", "1.00", "1.25", "-99999999.99", "99999999.00", "128.00", None)
)
LONGS = (0, 1, -1, 127, 128, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), None)
FAR = (0, 2**62, -(2**62), 253_402_300_799_999_999, 253_402_300_800_000_000, 86_400_000_000, 1, None)


@pytest.mark.parametrize(
    ("before", "values"),
    [(types.FLOAT64, FLOATS), (decimal(10, 2), DECIMALS), (types.INT64, LONGS)],
    ids=["float64", "decimal", "int64"],
)
@pytest.mark.parametrize("target", [types.INT8, types.FLOAT64, decimal(5, 2), types.BOOLEAN, types.STRING], ids=str)
def test_numbers_are_cast_alone_as_among_others(
    before: LogicalType, values: Sequence[object], target: LogicalType
) -> None:
    pool = pl.DataFrame({"v": pl.Series(values, dtype=physical_type(before))})
    assert_rows_stand_alone(pool, cast_and_unfit(before, target))


def test_moments_are_judged_alone_as_among_others() -> None:
    moments = pl.Series("v", FAR, dtype=pl.Int64).cast(pl.Datetime("us"))
    assert_rows_stand_alone(moments.to_frame(), lambda rows: within_years(rows.lazy(), ["v"]).collect())


# --- functions --------------------------------------------------------------------------------------------------------

UNSCALED = (
    0, 1, -1, 7, -7, 10**9, 10**19, -(10**19), 10**37, 10**38 - 1, 1 - 10**38, BEYOND, -BEYOND, 4_611_686_018_427_387_904,
    -9_223_372_036_854_775_808, None,
)  # fmt: skip
"""Decimals of any scale, as :mod:`functions.decimals` computes with them."""
WIDE = (0, 1, -1, 2**64, -(2**64), 2**127 - 1, -(2**127), 10**20, None)
WORDS = ("", "a", "abc", "a%b_c", "x,y,,z", " pad ", "e\u0301", "日本語", "𝒳y", "\n", "a\\b", "Straße", None)
COUNTS = (0, 1, 2, -1, -2, 5, 2**40, None)
A, B = pl.col("a"), pl.col("b")


def pairs(first: Sequence[object], second: Sequence[object], dtypes: tuple[pl.DataType, pl.DataType]) -> pl.DataFrame:
    rows = [(one, other) for one in first for other in second]
    return pl.DataFrame(rows, schema={"a": dtypes[0], "b": dtypes[1]}, orient="row")


def unscaled_pairs() -> pl.DataFrame:
    return pairs(UNSCALED, UNSCALED, (pl.Int128(), pl.Int128()))


def wide_pairs() -> pl.DataFrame:
    return pairs(WIDE, WIDE, (pl.Int128(), pl.Int128()))


def float_pairs() -> pl.DataFrame:
    return pairs(FLOATS, FLOATS, (pl.Float64(), pl.Float64()))


def word_pairs() -> pl.DataFrame:
    return pairs(WORDS, WORDS, (pl.String(), pl.String()))


def counted_words() -> pl.DataFrame:
    return pairs(WORDS, COUNTS, (pl.String(), pl.Int64()))


def dated_words() -> pl.DataFrame:
    return pairs(("2024-02-29", "20240229", "2024", "x", "2024-02-30", None), COUNTS, (pl.String(), pl.Int64()))


def moments() -> pl.DataFrame:
    days = (dt.datetime(9999, 12, 31, 23), dt.datetime(1, 1, 1), dt.datetime(2024, 1, 31), None)
    return pairs(days, days, (pl.Datetime("us"), pl.Datetime("us")))


FUNCTIONS: dict[str, tuple[Callable[[], pl.DataFrame], pl.Expr]] = {
    "checked_add": (unscaled_pairs, fn.checked_add(A, B, (2, 2))),
    "checked_add of two scales": (unscaled_pairs, fn.checked_add(A, B, (2, 20))),
    "checked_subtract": (unscaled_pairs, fn.checked_subtract(A, B, (20, 2))),
    "checked_multiply": (unscaled_pairs, fn.checked_multiply(A, B)),
    "checked_remainder": (unscaled_pairs, fn.checked_remainder(A, B, (2, 2))),
    "checked_remainder of two scales": (unscaled_pairs, fn.checked_remainder(A, B, (25, 0))),
    "a chain": (unscaled_pairs, fn.checked_subtract(fn.checked_multiply(fn.checked_add(A, A, (0, 0)), B), A, (0, 0))),
    "decimal_text": (unscaled_pairs, fn.decimal_text(fn.checked_multiply(A, B), 2)),
    "wide_add": (wide_pairs, fn.wide_add(A, B)),
    "wide_subtract": (wide_pairs, fn.wide_subtract(A, B)),
    "wide_multiply": (wide_pairs, fn.wide_multiply(A, B)),
    "wide_truncated_divide": (wide_pairs, fn.wide_truncated_divide(A, B)),
    "remainder": (wide_pairs, fn.remainder(A, B)),
    "divide": (float_pairs, fn.divide(A, B, "a", "b")),
    "truncated_divide": (float_pairs, fn.truncated_divide(A, B, "a", "b")),
    "float_remainder": (float_pairs, fn.float_remainder(A, B)),
    "round_float": (float_pairs, fn.round_float(A, 2)),
    "round_float to tens": (float_pairs, fn.round_float(A, -1)),
    "greatest": (float_pairs, fn.greatest(A, B)),
    "log": (float_pairs, fn.log(A, B)),
    "like": (word_pairs, fn.like(A, B)),
    "ilike": (word_pairs, fn.ilike(A, B)),
    "replace": (word_pairs, fn.replace(A, B, "-")),
    "position": (word_pairs, fn.position(A, B)),
    "trim": (word_pairs, fn.trim(A, B)),
    "reverse": (word_pairs, fn.reverse(A)),
    "one_of": (word_pairs, fn.one_of(A, "abc", "a")),
    "left": (counted_words, fn.left(A, B)),
    "right": (counted_words, fn.right(A, B)),
    "substring": (counted_words, fn.substring(A, B)),
    "lpad": (counted_words, fn.lpad(A, pl.min_horizontal(B, 9), "xy")),
    "repeat": (counted_words, fn.repeat(A, pl.min_horizontal(B, 9))),
    "split_part": (counted_words, fn.split_part(A, ",", B)),
    "strptime": (dated_words, fn.strptime(A, "%Y-%m-%d")),
    "read_date_text": (dated_words, fn.read_date_text(A)),
    "make_date": (dated_words, fn.make_date(B + 2020, B, 29)),
    "date_add": (moments, fn.date_add(A, months=1, days=1)),
    "date_diff": (moments, fn.date_diff("month", A, B)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_each_row_what_they_give_it_alone(name: str) -> None:
    pool, value = FUNCTIONS[name]
    assert_rows_stand_alone(pool(), lambda rows: rows.select(value.alias("value")))


@pytest.mark.parametrize("other", [0, 1, None])
def test_what_is_beyond_38_digits_stays_so_among_any_rows(other: int | None) -> None:
    """Zero times a number that was lost is not zero, and nothing beside NULL is anything."""
    product = fn.checked_multiply(A, B)
    expected = None if other is None else BEYOND
    for beside in ([], [(1, 1)], [(10**37, 10**37)]):
        rows = pl.DataFrame([(BEYOND, other), *beside], schema={"a": pl.Int128, "b": pl.Int128}, orient="row")
        assert rows.select(product).to_series()[0] == expected
