"""Decimal arithmetic beyond what Polars' own is exact for (semantics, section 5).

Polars multiplies to the greater scale and aborts on overflow. Here decimals are taken as their unscaled 128-bit integers, and
results are such integers until :func:`within_38_digits` makes them decimals again. A result that needs more than 38 digits
becomes :data:`BEYOND`, and stays so through further arithmetic: then it is NULL, or makes the row bad where
:func:`decimal_text` hands it to a checked assignment.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from etlgen_runtime.engines.polars.functions.columns import spread
from etlgen_runtime.engines.polars.functions.numbers import rounded_quotient

DIGITS = 38
_LIMIT = 10**DIGITS
_BEYOND_TEXT = "more than 38 digits"
_SURELY_WRAPPED = 1.5e38  # between 10**38 and 2**127
BEYOND = 2**127 - 1
"""Unscaled value of a decimal beyond 38 digits; no decimal of 38 digits has it."""


def decimal_product(left: pl.Expr, right: pl.Expr, scale: int) -> pl.Expr:
    """`*` of decimals whose product surely needs no more than 38 digits; ``scale`` is the sum of theirs."""
    return (left.to_physical() * right.to_physical()).reinterpret(dtype=pl.Decimal(DIGITS, scale))


def checked_add(left: pl.Expr, right: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """`+` of decimals of these scales, unscaled; may be :data:`BEYOND`."""
    return _checked(_Arithmetic(_sum, _sum, operator.add), left, right, scales)


def checked_subtract(left: pl.Expr, right: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """`-` of decimals of these scales, unscaled; may be :data:`BEYOND`."""
    return _checked(_Arithmetic(_difference, _difference, operator.add), left, right, scales)


def checked_multiply(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """`*` of decimals, whose scales add up, unscaled; may be :data:`BEYOND`."""
    return _checked(_Arithmetic(_product, _product, operator.mul), left, right, (0, 0))


def checked_remainder(dividend: pl.Expr, divisor: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """`%` of decimals: the sign of the dividend; NULL by zero; unscaled; may be :data:`BEYOND`."""
    return _checked(_Arithmetic(_remainder, _greater, max, divides=True), dividend, divisor, scales)


def within_38_digits(unscaled: pl.Expr, scale: int) -> pl.Expr:
    """The decimal of ``scale``; NULL where it is :data:`BEYOND`."""
    return pl.when(_is_within(unscaled)).then(unscaled).reinterpret(dtype=pl.Decimal(DIGITS, scale))


def decimal_text(unscaled: pl.Expr, scale: int) -> pl.Expr:
    """The decimal of ``scale`` as text for the cast table, in words where it is :data:`BEYOND`."""
    text = within_38_digits(unscaled, scale).cast(pl.String)
    return pl.when(_is_within(unscaled)).then(text).when(unscaled.is_not_null()).then(pl.lit(_BEYOND_TEXT))


def _is_within(unscaled: pl.Expr) -> pl.Expr:
    return unscaled.abs() < pl.lit(_LIMIT, dtype=pl.Int128)


def round_decimal(value: pl.Expr, scale: int, digits: int) -> pl.Expr:
    """A decimal of ``scale`` rounded half away from zero; its new scale is ``digits``, or 0 when that is negative."""
    return checked_round(value, scale, digits).reinterpret(dtype=pl.Decimal(DIGITS, max(digits, 0)))


def checked_round(value: pl.Expr, scale: int, digits: int) -> pl.Expr:
    """:func:`round_decimal` where that may need 39 digits (38 nines to tens), unscaled; may be beyond 38 digits."""
    unscaled = value.to_physical()
    if scale - digits > DIGITS:
        return pl.when(value.is_not_null()).then(pl.lit(0, dtype=pl.Int128))
    rounded = rounded_quotient(unscaled, 10 ** (scale - digits))
    return rounded if digits >= 0 else rounded * pl.lit(10**-digits, dtype=pl.Int128)


def floor_decimal(value: pl.Expr, scale: int) -> pl.Expr:
    """The greatest whole number not above a decimal of ``scale``."""
    return _whole(value, scale, lambda rest: 0 - (rest < 0).cast(pl.Int128))


def ceil_decimal(value: pl.Expr, scale: int) -> pl.Expr:
    """The least whole number not below a decimal of ``scale``."""
    return _whole(value, scale, lambda rest: (rest > 0).cast(pl.Int128))


def _whole(value: pl.Expr, scale: int, step: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    unscaled = value.to_physical()
    unit = pl.lit(10**scale, dtype=pl.Int128)
    truncated = unscaled.truncdiv(unit)
    return (truncated + step(unscaled - truncated * unit)).reinterpret(dtype=pl.Decimal(DIGITS, 0))


@dataclass(frozen=True, slots=True)
class _Arithmetic:
    """One operator: on 128-bit integers (wrapping around), on doubles as an estimate, on the magnitudes of whole columns.

    ``divides``: NULL by zero, and both operands must have 38 digits in the greater scale, as they are divided in it.
    """

    exact: Callable[[pl.Expr, pl.Expr], pl.Expr]
    estimate: Callable[[pl.Expr, pl.Expr], pl.Expr]
    reach: Callable[[int, int], int]
    divides: bool = False


def _checked(of: _Arithmetic, left: pl.Expr, right: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """``of`` on both as integers of the greater scale; :data:`BEYOND` where it, or an operand, needs more than 38 digits."""
    units = 10 ** max(0, scales[1] - scales[0]), 10 ** max(0, scales[0] - scales[1])

    def rows(columns: Sequence[pl.Series]) -> pl.Series:
        first, second = spread(columns)
        left_size, right_size = _magnitude(first), _magnitude(second)
        reach = max(left_size, right_size, of.reach(left_size * units[0], right_size * units[1]))
        call = _plain if reach < _LIMIT else _guarded
        return pl.DataFrame({"left": first, "right": second}).select(call(of, units)).to_series()

    operands = [left.to_physical(), right.to_physical()]
    return pl.map_batches(operands, rows, return_dtype=pl.Int128(), is_elementwise=True)


def _magnitude(column: pl.Series) -> int:
    """Greatest absolute value; 0 of a column without values."""
    greatest = column.abs().max()
    return greatest if isinstance(greatest, int) else 0


def _plain(of: _Arithmetic, units: tuple[int, int]) -> pl.Expr:
    """For a batch whose magnitudes show that no operand is beyond 38 digits and nothing can overflow."""
    return of.exact(_rescaled("left", units[0]), _rescaled("right", units[1]))


def _guarded(of: _Arithmetic, units: tuple[int, int]) -> pl.Expr:
    """An estimate tells whether a wrap-around happened: its error is far smaller than the gap between 10**38 and 2**127.

    NULL by right is what an operand tells, never what the wrapped arithmetic made of it: a divisor may wrap around to zero.
    """
    wrapped = _plain(of, units)
    first, second = (
        pl.col(name).cast(pl.Float64) * float(unit) for name, unit in zip(("left", "right"), units, strict=True)
    )
    fits = (of.estimate(first, second).abs() < _SURELY_WRAPPED) & _is_within(wrapped)
    fits &= _is_within(pl.col("left")) & _is_within(pl.col("right"))
    has_value = pl.col("left").is_not_null() & pl.col("right").is_not_null()
    if of.divides:
        has_value &= pl.col("right") != 0
        fits &= _is_within(_rescaled("left", units[0])) & _is_within(_rescaled("right", units[1]))
    return pl.when(has_value).then(pl.when(fits).then(wrapped).otherwise(pl.lit(BEYOND, dtype=pl.Int128)))


def _rescaled(name: str, unit: int) -> pl.Expr:
    return pl.col(name) if unit == 1 else pl.col(name) * pl.lit(unit, dtype=pl.Int128)


def _sum(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return left + right


def _difference(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return left - right


def _product(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return left * right


def _remainder(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return left - left.truncdiv(right) * right


def _greater(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    return pl.max_horizontal(left.abs(), right.abs())
