"""The number rows of the cast table: integers, floats, decimals (semantics, section 4). Nothing is rounded silently.

Every function returns the exact value or raises ``Unfit``. Text comes without blanks around it.
"""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal

from etlgen_runtime.casts.spelling import as_float32
from etlgen_runtime.casts.unfit import Unfit
from etlgen_runtime.types import INTEGER_RANGES, Kind, LogicalType

INTEGER_PATTERN = r"([+-]?[0-9]+)(?:\.0+)?"
NUMBER_PATTERN = r"([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?"
"""Patterns for a whole text, in the common subset of Python's and Rust's syntax; digits are ASCII."""

LARGEST_EXACT: dict[Kind, int] = {Kind.FLOAT64: 2**53, Kind.FLOAT32: 2**24}
"""Integers up to here are kept exactly by each float kind."""

_INTEGER = re.compile(INTEGER_PATTERN)
_NUMBER = re.compile(NUMBER_PATTERN)
_FLOAT32_OVERFLOW = 2.0**128
_EXPONENT_DIGITS = 18
_LONGEST_INTEGER = 39
"""No integer kind holds a value of more digits."""


def integer_from_text(text: str, kind: Kind) -> int:
    """``[+-]?digits`` with an optional ``.0…`` tail, in the range of ``kind``."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise Unfit(f"not the digits of a whole number for {kind}")
    sign, digits = _signed_digits(match[1])
    if len(digits) > 39:
        raise Unfit(f"out of the range of {kind}")
    return in_range(int(sign + (digits or "0")), kind)


def integer_from_number(value: float | Decimal, kind: Kind) -> int:
    """Integers, and floats and decimals without a fraction, in the range of ``kind``."""
    if isinstance(value, Decimal) and value.is_finite() and value.adjusted() > _LONGEST_INTEGER:
        if value:
            raise Unfit(f"out of the range of {kind}")  # its digits may be more than memory holds
        return 0
    if not isinstance(value, int):
        if not math.isfinite(value) or value != int(value):
            raise Unfit(f"not a whole number for {kind}")
        value = int(value)
    return in_range(value, kind)


def in_range(value: int, kind: Kind) -> int:
    """``value`` itself if ``kind`` can hold it."""
    low, high = INTEGER_RANGES[kind]
    if not low <= value <= high:
        raise Unfit(f"out of the range of {kind}")
    return value


def float_from_text(text: str, kind: Kind) -> float:
    """The float nearest to decimal or exponent notation; the words ``nan`` and ``inf`` and overflow do not fit."""
    if _NUMBER.fullmatch(text) is None:
        raise Unfit(f"not a number for {kind}")
    value = float(text)
    if kind is Kind.FLOAT32:
        value = _nearest_float32(text, value)
    if math.isinf(value):
        raise Unfit(f"too large for {kind}")
    return value


def float_from_number(value: float | Decimal, kind: Kind) -> float:
    """Integers kept exactly, decimals to the nearest, floats as they are (NaN and infinities are values)."""
    if isinstance(value, int):
        if abs(value) > LARGEST_EXACT[kind]:
            raise Unfit(f"too large to be exact as {kind}")
        return float(value)
    if isinstance(value, Decimal):
        return float_from_text(str(value), kind)
    if kind is Kind.FLOAT64 or not math.isfinite(value):
        return value
    single = as_float32(value)
    if math.isinf(single):
        raise Unfit(f"too large for {kind}")
    return single


def decimal_from_text(text: str, target: LogicalType) -> Decimal:
    """Plain or exponent notation without a non-zero digit beyond the scale, ``precision`` digits at most."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise Unfit(f"not a number for {target}")
    sign, whole, fraction, bare_fraction, exponent = (part or "" for part in match.groups())
    fraction = fraction or bare_fraction
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return Decimal((0, (0,), -target.scale))
    shift = _exponent(exponent) - len(fraction) + len(digits) - len(significant) + target.scale
    if shift < 0:
        raise Unfit(f"a digit beyond the scale of {target}")
    if len(significant) + shift > target.precision:
        raise Unfit(f"more digits than {target} holds")
    return Decimal((sign == "-", tuple(map(int, significant + "0" * shift)), -target.scale))


def _signed_digits(text: str) -> tuple[str, str]:
    """Sign and digits without leading zeros; the sign of zero is dropped."""
    digits = text.lstrip("+-").lstrip("0")
    return ("-" if text.startswith("-") and digits else ""), digits


def _exponent(text: str) -> int:
    """The exponent as an integer; one past any text that fits in memory stands for all larger ones."""
    sign, digits = _signed_digits(text)
    return int(sign + (digits or "0")) if len(digits) <= _EXPONENT_DIGITS else int(f"{sign}1" + "0" * _EXPONENT_DIGITS)


def _nearest_float32(text: str, value: float) -> float:
    """The single-precision number nearest to ``text``, whose nearest double is ``value``.

    Rounding twice goes wrong only where the double lies midway between two singles and the text does not.
    """
    single = as_float32(value)
    for neighbour in (_next_float32(single, up=False), _next_float32(single, up=True)):
        finite = math.copysign(_FLOAT32_OVERFLOW, single) if math.isinf(single) else single
        other = math.copysign(_FLOAT32_OVERFLOW, neighbour) if math.isinf(neighbour) else neighbour
        if finite != other and (finite + other) / 2 == value and Decimal(text) != Decimal(value):
            above = Decimal(text) > Decimal(value)
            return max(single, neighbour) if above else min(single, neighbour)
    return single


def _next_float32(value: float, *, up: bool) -> float:
    """The neighbour of a single-precision number in that direction."""
    if math.isinf(value) and (value > 0) == up:
        return value
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    if bits << 1 & 0xFFFFFFFF == 0:
        return math.ldexp(1.0 if up else -1.0, -149)
    bits += 1 if (value > 0) == up else -1
    return float(struct.unpack("<f", struct.pack("<i", bits))[0])
