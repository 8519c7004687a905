"""Number functions whose specified meaning no single Polars expression has (semantics, section 5).

Integers are exact in 128 bits, decimals exact to 38 digits; what lies beyond is NULL. Division by zero is NULL, and so
is a NaN or infinity that finite inputs give.
"""

from __future__ import annotations

import math
import sys
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import reduce

import polars as pl

from etlgen_runtime.engines.polars.functions.columns import column, rows, spread

_HALF_WRAP = float(2**127)
_SMALLEST, _GREATEST = -(2**127), 2**127 - 1
_EXACT_POWER_OF_TEN = 22  # 10**22 is the greatest power of ten that a double holds exactly
_TIE_SEEN_BELOW = float(2**40)  # below, an error of one unit in the last place is far smaller than _TIE_WIDTH
_TIE_WIDTH = 1e-3
_DIGITS_OF_A_DOUBLE = 1100  # the exact decimal form of any double has fewer digits


def finite(value: pl.Expr, *inputs: str | pl.Expr) -> pl.Expr:
    """``value``, but NULL where it is NaN or infinite although every one of ``inputs`` is finite.

    Args:
        value: Float arithmetic, without its own guards.
        inputs: Names of the float columns ``value`` reads. Without any, every NaN or infinity becomes NULL.
    """
    columns = [column(item) if isinstance(item, str) else item for item in inputs]
    kept = reduce(lambda so_far, each: so_far | ~each.is_finite(), columns, value.is_finite())
    return pl.when(kept).then(value)


def divide(dividend: pl.Expr, divisor: pl.Expr | float, *inputs: str | pl.Expr) -> pl.Expr:
    """Real division, correctly rounded: NULL by zero, and where finite inputs give an infinity."""
    return finite(quotient(dividend, divisor), *inputs)


def quotient(dividend: pl.Expr, divisor: pl.Expr | float) -> pl.Expr:
    """``dividend / divisor``, NULL by zero.

    Polars multiplies by the reciprocal of a constant divisor, which may be off by one bit (1.5 / 10 gives
    0.15000000000000002), so a constant is spread over a column of its own.
    """
    return pl.map_batches(
        [dividend, _expression(divisor)], lambda pair: _quotient(*pair), return_dtype=pl.Float64, is_elementwise=True
    )


def _quotient(dividend: pl.Series, divisor: pl.Series) -> pl.Series:
    of, by = (series.cast(pl.Float64) for series in spread((dividend, divisor)))
    zero = by == 0
    if zero.any():
        by = by.zip_with(~zero, pl.Series([None], dtype=pl.Float64))
    return of / by


def truncated_divide(dividend: pl.Expr, divisor: pl.Expr | float, *inputs: str | pl.Expr) -> pl.Expr:
    """`//` of doubles: the quotient without its fraction; NULL by zero."""
    return divide(dividend, divisor, *inputs).truncate()


def log(value: pl.Expr, base: pl.Expr | int) -> pl.Expr:
    """Logarithm to a base, without guards; a whole power of the base (no denormal) gives its exact exponent."""
    of = base if isinstance(base, pl.Expr) else pl.lit(float(base))
    found = value.log() / of.log()
    whole = found.round()
    return pl.when((of.pow(whole) == value) & (value >= sys.float_info.min)).then(whole).otherwise(found)


def remainder(dividend: pl.Expr, divisor: pl.Expr | int) -> pl.Expr:
    """`%` of integers: the sign of the dividend; NULL by zero."""
    return dividend - dividend.truncdiv(divisor) * divisor


def float_remainder(dividend: pl.Expr, divisor: pl.Expr | float) -> pl.Expr:
    """`%` of doubles, exact as C's ``fmod``; NULL by zero. Polars' own is inexact and has the divisor's sign."""
    by = _expression(divisor)
    return pl.map_batches(
        [dividend, by], lambda pair: _fmod(pair[0], pair[1]), return_dtype=pl.Float64, is_elementwise=True
    )


def _fmod(dividends: pl.Series, divisors: pl.Series) -> pl.Series:
    found = (_fmod_value(dividend, divisor) for dividend, divisor in rows((dividends, divisors)))
    return pl.Series(dividends.name, found, dtype=pl.Float64)


def _fmod_value(dividend: float | None, divisor: float | None) -> float | None:
    if dividend is None or divisor is None or divisor == 0:
        return None
    if math.isinf(dividend):
        return math.nan  # as C; the dividend was not finite
    return math.fmod(dividend, divisor)


def wide_add(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """`+` of 128-bit integers; NULL beyond 128 bits."""
    return _inside_128_bits(left + right, left.cast(pl.Float64) + right.cast(pl.Float64))


def wide_subtract(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """`-` of 128-bit integers; NULL beyond 128 bits."""
    return _inside_128_bits(left - right, left.cast(pl.Float64) - right.cast(pl.Float64))


def wide_multiply(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """`*` of 128-bit integers; NULL beyond 128 bits."""
    return _inside_128_bits(left * right, left.cast(pl.Float64) * right.cast(pl.Float64))


def wide_truncated_divide(dividend: pl.Expr, divisor: pl.Expr) -> pl.Expr:
    """`//` of 128-bit integers; NULL by zero, and beyond 128 bits (the smallest by -1)."""
    quotient = dividend.truncdiv(divisor)
    return _inside_128_bits(quotient, dividend.cast(pl.Float64) / divisor.cast(pl.Float64))


def wide_negate(value: pl.Expr) -> pl.Expr:
    """`-` of a 128-bit integer; NULL of the smallest. Polars has no negation of these."""
    return pl.when(value != _int128(_SMALLEST)).then(_int128(0) - value)


def wide_abs(value: pl.Expr) -> pl.Expr:
    """`abs` of a 128-bit integer; NULL of the smallest."""
    return pl.when(value != _int128(_SMALLEST)).then(value.abs())


def lost(value: pl.Expr, *operands: pl.Expr) -> pl.Expr:
    """TRUE where ``value`` is NULL although all that it is computed from is there: the number is too large for Polars."""
    return pl.all_horizontal(value.is_null(), *(each.is_not_null() for each in operands))


def _int128(value: int) -> pl.Expr:
    return pl.lit(value, dtype=pl.Int128)


def _inside_128_bits(wrapped: pl.Expr, estimate: pl.Expr) -> pl.Expr:
    """``wrapped`` where no wrap-around happened: one shifts the value by 2**128, far more than the estimate's error."""
    return pl.when((estimate - wrapped.cast(pl.Float64)).abs() < _HALF_WRAP).then(wrapped)


def round_float(value: pl.Expr, digits: int) -> pl.Expr:
    """A double rounded half away from zero to ``digits`` digits, by its exact binary value.

    Polars and most libraries round ``value * 10**digits``, which turns 1.005 into 1.01 or 0.15 into 0.2.
    """
    return value.map_batches(
        lambda column: _rounded_floats(column.cast(pl.Float64), digits), return_dtype=pl.Float64, is_elementwise=True
    )


def _rounded_floats(column: pl.Series, digits: int) -> pl.Series:
    """Vectorized where the scaled value is small and not near a tie; the few other rows exactly, one by one."""
    if abs(digits) > _EXACT_POWER_OF_TEN:
        return column.map_elements(lambda value: _rounded_float(value, digits), return_dtype=pl.Float64)
    unit = float(10 ** abs(digits))
    units = pl.Series([unit]).new_from_index(0, len(column))  # a column: see `quotient`
    scaled = column * unit if digits >= 0 else column / units
    whole = scaled.round(mode="half_away_from_zero")
    rounded = whole / units if digits >= 0 else whole * unit
    near_tie = ((scaled - scaled.truncate()).abs() - 0.5).abs() < _TIE_WIDTH
    doubtful = (near_tie | ~(scaled.abs() < _TIE_SEEN_BELOW)).fill_null(False)
    if not doubtful.any():
        return rounded
    rows = doubtful.arg_true()
    exact = pl.Series([_rounded_float(value, digits) for value in column.gather(rows)], dtype=pl.Float64)
    return rounded.scatter(rows, exact)


def _rounded_float(value: float, digits: int) -> float:
    if not math.isfinite(value):
        return value
    with localcontext(prec=_DIGITS_OF_A_DOUBLE):
        return math.copysign(float(round_half_away(Decimal(value), digits)), value)


def round_half_away(value: Decimal, digits: int) -> Decimal:
    """``value`` to ``digits`` digits after the point, ties away from zero."""
    if digits >= _DIGITS_OF_A_DOUBLE:
        return value
    return value.quantize(Decimal(1).scaleb(-max(digits, -400)), rounding=ROUND_HALF_UP)


def round_integer(value: pl.Expr, digits: int) -> pl.Expr:
    """An integer rounded half away from zero to ``digits`` (negative) digits; NULL beyond 128 bits."""
    unit = 10**-digits
    if unit > _GREATEST:  # more than twice any value
        return pl.when(value.is_not_null()).then(_int128(0))
    units = rounded_quotient(value.cast(pl.Int128, strict=False), unit)
    return pl.when(units.abs() <= _int128(_GREATEST // unit)).then(units * _int128(unit))


def rounded_quotient(value: pl.Expr, unit: int) -> pl.Expr:
    """A 128-bit integer divided by the positive ``unit``, rounded half away from zero."""
    by = pl.lit(unit, dtype=pl.Int128)
    whole = value.truncdiv(by)
    rest = value - whole * by
    away = (rest.abs() >= pl.lit((unit + 1) // 2, dtype=pl.Int128)).cast(pl.Int128)
    return whole + away * rest.sign()


def greatest(*values: pl.Expr) -> pl.Expr:
    """The greatest of doubles, NULLs skipped and NaN above every number (Polars' ``max_horizontal`` skips NaN)."""
    has_nan = reduce(lambda so_far, value: so_far | value.is_nan().fill_null(False), values, pl.lit(False))
    return pl.when(has_nan).then(pl.lit(math.nan)).otherwise(pl.max_horizontal(*values))


def _expression(value: pl.Expr | float) -> pl.Expr:
    """A bare Python number as a double."""
    return value if isinstance(value, pl.Expr) else pl.lit(float(value))
