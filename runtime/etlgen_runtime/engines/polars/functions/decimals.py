"""Decimal arithmetic beyond what Polars' own is exact for (semantics, section 5).

Polars multiplies to the greater scale and aborts on overflow. Here decimals are taken as their unscaled 128-bit integers, and
results are such integers until :func:`within_38_digits` makes them decimals again. A result that needs more than 38 digits
becomes :data:`BEYOND`, and stays so through further arithmetic: then it is NULL, or makes the row bad where
:func:`decimal_text` hands it to a checked assignment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from etlgen_runtime.engines.polars.functions.numbers import rounded_quotient

DIGITS = 38
_LIMIT = 10**DIGITS
_BEYOND_TEXT = "more than 38 digits"
_SURELY_WRAPPED = 1.5e38  # between 10**38 and 2**127
BEYOND = 2**127 - 1
"""Unscaled value of a decimal beyond 38 digits; no decimal of 38 digits has it."""


def decimal_add(left: pl.Expr, right: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """`+` of decimals of these scales, unscaled; may be :data:`BEYOND`."""
    first, second = _aligned(left, right, scales)
    return _checked(first.exact + second.exact, first.estimate + second.estimate, (left, right))


def decimal_subtract(left: pl.Expr, right: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """`-` of decimals of these scales, unscaled; may be :data:`BEYOND`."""
    first, second = _aligned(left, right, scales)
    return _checked(first.exact - second.exact, first.estimate - second.estimate, (left, right))


def decimal_multiply(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """`*` of decimals, whose scales add up, unscaled; may be :data:`BEYOND`."""
    first, second = _unscaled(left, 0), _unscaled(right, 0)
    return _checked(first.exact * second.exact, first.estimate * second.estimate, (left, right))


def decimal_remainder(dividend: pl.Expr, divisor: pl.Expr, scales: tuple[int, int]) -> pl.Expr:
    """`%` of decimals: the sign of the dividend; NULL by zero; unscaled; may be :data:`BEYOND`."""
    first, second = _aligned(dividend, divisor, scales)
    rest = first.exact - first.exact.truncdiv(second.exact) * second.exact
    estimate = pl.max_horizontal(first.estimate.abs(), second.estimate.abs())
    return _checked(rest, estimate, (dividend, divisor))


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
    unscaled = value.to_physical()
    if scale - digits > DIGITS:
        return pl.when(value.is_not_null()).then(pl.lit(0, dtype=pl.Int128).reinterpret(dtype=pl.Decimal(DIGITS, 0)))
    rounded = rounded_quotient(unscaled, 10 ** (scale - digits))
    if digits < 0:
        rounded = rounded * pl.lit(10**-digits, dtype=pl.Int128)
    return rounded.reinterpret(dtype=pl.Decimal(DIGITS, max(digits, 0)))


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
class _Operand:
    """A decimal as an integer of a common scale: exact but for wrap-around at 128 bits, and as a double."""

    exact: pl.Expr
    estimate: pl.Expr


def _aligned(left: pl.Expr, right: pl.Expr, scales: tuple[int, int]) -> tuple[_Operand, _Operand]:
    scale = max(scales)
    return _unscaled(left, scale - scales[0]), _unscaled(right, scale - scales[1])


def _unscaled(value: pl.Expr, digits_more: int) -> _Operand:
    integer = value.to_physical()
    if not digits_more:
        return _Operand(integer, integer.cast(pl.Float64))
    unit = 10**digits_more
    return _Operand(integer * pl.lit(unit, dtype=pl.Int128), integer.cast(pl.Float64) * float(unit))


def _checked(wrapped: pl.Expr, estimate: pl.Expr, operands: tuple[pl.Expr, pl.Expr]) -> pl.Expr:
    """The result; :data:`BEYOND` where it, or an operand, needs more than 38 digits.

    ``estimate`` decides whether ``wrapped`` went through a wrap-around of 128 bits; its own error is far smaller than the
    gap between 10**38 and 2**127.
    """
    fits = (estimate.abs() < _SURELY_WRAPPED) & _is_within(wrapped)
    for operand in operands:
        fits &= _is_within(operand.to_physical())
    return pl.when(fits).then(wrapped).when(wrapped.is_not_null()).then(pl.lit(BEYOND, dtype=pl.Int128))
