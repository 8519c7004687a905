"""Aggregates over the rows of a group (semantics, section 5): NULLs are skipped, and over no value the result is NULL, not zero.

Integers and decimals are added exactly. Sums that may leave 128 bits are taken of both halves of the digits, which cannot.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from etlgen_runtime.engines.polars.functions.decimals import BEYOND, DIGITS

_HALF = 10**19
_GREATEST_HIGH = (2**127 - 1) // _HALF
_LIMIT = 10**DIGITS


def count_rows() -> pl.Expr:
    """`count(*)`."""
    return pl.len().cast(pl.Int64)


def count_values(values: pl.Expr) -> pl.Expr:
    """`count(x)`: the values that are not NULL."""
    return values.count().cast(pl.Int64)


def count_distinct(values: pl.Expr) -> pl.Expr:
    """`count(DISTINCT x)`; every NaN is the same value."""
    return values.drop_nulls().n_unique().cast(pl.Int64)


def total(values: pl.Expr) -> pl.Expr:
    """`sum` of integers as 128 bits, or of decimals of at most 19 digits: no number of rows makes it overflow."""
    return pl.when(values.count() > 0).then(values.sum())


def total_float(values: pl.Expr) -> pl.Expr:
    """`sum` of doubles; NULL where finite values have a sum that is not."""
    return _finite(total(values), values)


def total_wide(values: pl.Expr) -> pl.Expr:
    """`sum` of 128-bit integers; NULL beyond 128 bits."""
    sums = _halves(values)
    added = sums.added
    wrapped = (added < 0) != (sums.high < 0)
    fits = (sums.high.abs() <= _int128(_GREATEST_HIGH)) & ((sums.high == 0) | ~wrapped)
    return pl.when((values.count() > 0) & fits).then(added)


def lost_total(values: pl.Expr) -> pl.Expr:
    """TRUE where the sum of 128-bit integers is beyond 128 bits."""
    return (values.count() > 0) & total_wide(values).is_null()


def total_unscaled(values: pl.Expr) -> pl.Expr:
    """`sum` of decimals of any precision, given and returned as unscaled integers; :data:`BEYOND` past 38 digits."""
    sums = _halves(values)
    fits = (sums.high.abs() <= _int128(_HALF)) & (sums.added.abs() < _int128(_LIMIT))
    fits &= values.abs().max() < _int128(_LIMIT)
    return pl.when(values.count() > 0).then(pl.when(fits).then(sums.added).otherwise(_int128(BEYOND)))


def mean(values: pl.Expr) -> pl.Expr:
    """`avg` of integers as 128 bits, or of decimals of at most 19 digits."""
    return total(values).cast(pl.Float64) / values.count()


def mean_float(values: pl.Expr) -> pl.Expr:
    """`avg` of doubles; NULL where finite values have a sum that is not."""
    return _finite(mean(values), values)


def mean_unscaled(values: pl.Expr, scale: int) -> pl.Expr:
    """`avg` of decimals of ``scale``, given as unscaled integers, or of 128-bit integers with ``scale`` 0."""
    sums = _halves(values)
    added = sums.high.cast(pl.Float64) * float(_HALF) + sums.low.cast(pl.Float64)
    return pl.when(values.count() > 0).then(added / values.count() / float(10**scale))


def _finite(result: pl.Expr, values: pl.Expr) -> pl.Expr:
    return pl.when(result.is_finite() | ~values.is_finite().all()).then(result)


@dataclass(frozen=True, slots=True)
class _Halves:
    """A sum as ``high * 10**19 + low`` with ``abs(low) < 10**19``."""

    high: pl.Expr
    low: pl.Expr

    @property
    def added(self) -> pl.Expr:
        """The sum in 128 bits, wrapping around."""
        return self.high * _int128(_HALF) + self.low


def _halves(values: pl.Expr) -> _Halves:
    high = values.truncdiv(_int128(_HALF))
    high_sum, low_sum = high.sum(), (values - high * _int128(_HALF)).sum()
    carry = low_sum.truncdiv(_int128(_HALF))
    return _Halves(high_sum + carry, low_sum - carry * _int128(_HALF))


def _int128(value: int) -> pl.Expr:
    return pl.lit(value, dtype=pl.Int128)
