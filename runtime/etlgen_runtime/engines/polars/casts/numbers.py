"""Numbers read from text and from other numbers (semantics, section 4)."""

from __future__ import annotations

import polars as pl

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.casts.numbers import INTEGER_PATTERN, LARGEST_EXACT, NUMBER_PATTERN
from etlgen_runtime.engines.polars.casts.physical import physical_type
from etlgen_runtime.engines.polars.casts.spelling import text_series
from etlgen_runtime.engines.polars.casts.tiers import Reading, null_where_not, read_in_tiers
from etlgen_runtime.types import INT8, INTEGER_RANGES, LogicalType

_SAFE_UNSCALED = 1e15
"""Decimals of up to 15 digits and doubles name each other uniquely, and scaling one below this stays exact to round."""
_SAFE_SCALE = 15
_SHORTEST_UNDERFLOW = 6
"""Bytes of the shortest non-zero text whose nearest double is zero: ``1e-324``."""


def integer_readings(target: LogicalType) -> tuple[Reading, ...]:
    """Polars' own cast takes ``[+-]?digits`` in range and nothing else; then a ``.0…`` tail and an unsigned ``-0``."""
    physical = physical_type(target)

    def plain(text: pl.Series) -> pl.Series:
        return text.cast(physical, strict=False)

    def with_short_tail(text: pl.Series) -> pl.Series:
        return plain(text.str.strip_suffix(".0"))

    def with_tail(text: pl.Series) -> pl.Series:
        digits = text.str.extract(f"^{INTEGER_PATTERN}$", 1)
        return digits.str.replace("^-(0+)$", "$1").cast(physical, strict=False)

    return plain, with_short_tail, with_tail


def float_readings(target: LogicalType) -> tuple[Reading, ...]:
    """Polars' own cast is rounded correctly, and takes ``nan``, ``inf`` and overflow, which do not fit."""
    physical = physical_type(target)

    def plain(text: pl.Series) -> pl.Series:
        values = text.cast(physical, strict=False)
        return null_where_not(values, values.is_finite())

    return (plain,)


def decimal_readings(target: LogicalType) -> tuple[Reading, ...]:
    """Polars' own cast rounds, so it is taken only for text that cannot have been rounded."""
    whole_digits, scale = target.precision - target.scale, target.scale
    physical = physical_type(target)
    fraction = rf"(?:\.[0-9]{{0,{scale}}}0*)?"
    bare_fraction = rf"\.(?:0+|[0-9]{{1,{scale}}}0*)" if scale else r"\.0+"
    unrounded = rf"^[+-]?(?:0*[0-9]{{1,{max(whole_digits, 1)}}}{fraction}|{bare_fraction})$"

    def short(text: pl.Series) -> pl.Series:
        return _short_decimals(text, target)

    def plain(text: pl.Series) -> pl.Series:
        return null_where_not(text, text.str.contains(unrounded)).cast(physical, strict=False)

    def patient(text: pl.Series) -> pl.Series:
        numbers = null_where_not(text, text.str.contains(f"^(?:{NUMBER_PATTERN})$"))
        return pl.Series([_decimal(item, target) for item in numbers.to_list()], dtype=physical)

    return (plain, patient) if scale > _SAFE_SCALE else (short, plain, patient)


def _decimal(text: str | None, target: LogicalType) -> object:
    try:
        return cast_value(text, target)
    except Unfit:
        return None


def _short_decimals(text: pl.Series, target: LogicalType) -> pl.Series:
    """Decimals by way of doubles: exact for text of at most 15 digits, which is nearly all there is, and quick."""
    sizes = text.str.len_bytes()
    floats = text.cast(pl.Float64, strict=False)
    longest = sizes.max()
    if isinstance(longest, int) and longest > _SAFE_SCALE + 1:
        floats = null_where_not(floats, sizes <= _SAFE_SCALE + 1)
    values = exact_decimals(floats, target)
    zero = floats == 0.0
    tiny = zero & (sizes >= _SHORTEST_UNDERFLOW) if zero.any() else zero
    if tiny.any():
        values = null_where_not(values, ~tiny | ~text.str.contains("^[^eE]*[1-9]"))
    return values


def exact_decimals(floats: pl.Series, target: LogicalType) -> pl.Series:
    """Decimals equal to the shortest text of ``floats`` where that is certain, else NULL.

    A decimal below ``_SAFE_UNSCALED`` units that reads back as the same double is the only decimal of that length to do
    so, hence the shortest text.
    """
    physical = physical_type(target)
    scale = target.scale
    if scale > _SAFE_SCALE:
        return pl.Series([None], dtype=physical).new_from_index(0, len(floats))
    largest = (min(_SAFE_UNSCALED, 10.0**target.precision) - 1.0) / 10.0**scale
    within = null_where_not(floats, floats.abs() <= largest)
    values = within.cast(physical, strict=False)
    return null_where_not(values, values.cast(pl.Float64) == within)


def numbers_to_integers(values: pl.Series, target: LogicalType) -> pl.Series:
    """Integers in range; floats and decimals without a fraction."""
    found = values.cast(physical_type(target), strict=False)
    if values.dtype.is_integer():
        return found
    return null_where_not(found, values == values.floor() if values.dtype.is_float() else values == _whole(values))


def _whole(decimals: pl.Series) -> pl.Series:
    """Decimals without their fraction, in their own type."""
    dtype = decimals.dtype
    assert isinstance(dtype, pl.Decimal)
    return decimals.cast(pl.Int128, strict=False).cast(dtype, strict=False)


def numbers_to_floats(values: pl.Series, target: LogicalType, before: LogicalType) -> pl.Series:
    """Integers that stay exact, decimals to the nearest, floats as they are unless they overflow."""
    physical = physical_type(target)
    if values.dtype.is_integer():
        largest = LARGEST_EXACT[target.kind]
        found = values.cast(physical)
        if INTEGER_RANGES[before.kind][1] <= largest:
            return found
        return null_where_not(found, values.cast(pl.Int128, strict=False).is_between(-largest, largest))
    if values.dtype.is_decimal():
        return values.cast(pl.String).cast(physical, strict=False)
    found = values.cast(physical)
    return null_where_not(found, ~(found.is_infinite() & values.is_finite()))


def numbers_to_decimals(values: pl.Series, target: LogicalType, before: LogicalType) -> pl.Series:
    """Integers and decimals that fit, floats through their ``repr``."""
    physical = physical_type(target)
    if values.dtype.is_float():
        text = text_series(null_where_not(values, values.is_finite()), before)
        return read_in_tiers(text, decimal_readings(target))
    found = values.cast(physical, strict=False)
    if values.dtype.is_integer() or before.scale <= target.scale:
        return found
    return null_where_not(found, found.cast(pl.Decimal(38, before.scale), strict=False) == values)


def numbers_to_booleans(values: pl.Series) -> pl.Series:
    """The numbers 0 and 1."""
    units = numbers_to_integers(values, INT8)
    return null_where_not(units == 1, units.is_between(0, 1))
