"""How typed values are written as text and as canonical JSON (semantics, sections 4 and 6)."""

from __future__ import annotations

import base64
import datetime as dt
import math
import struct
from collections.abc import Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from uuid import UUID

from etlgen_runtime.types import Kind, LogicalType


def to_text(value: object, type_: LogicalType) -> str | None:
    """The canonical text of a typed value: the ``string`` row of the cast table.

    Integers and decimals in plain digits (decimals with their full scale), floats as Python ``repr`` (``float32`` with the
    fewest digits that name it), ``true``/``false``, dates and times in ISO 8601, timestamps as ``2026-01-01T10:00:00``
    with six fraction digits only when the fraction is not zero, ``Z`` after a ``timestamp_tz``, binary as base64,
    lists and mappings as canonical JSON.

    Args:
        value: A Python value of ``type_``; ``None`` for NULL.

    Returns:
        The text, ``None`` for NULL.
    """
    if value is None:
        return None
    if type_.kind is Kind.FLOAT32 and isinstance(value, float):
        return _float32_text(value)
    if type_.kind is Kind.DECIMAL and isinstance(value, Decimal):
        return f"{value:.{type_.scale}f}"
    return plain_text(value)


def plain_text(value: object) -> str:
    """:func:`to_text` of a value that is not NULL, by its Python type alone."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(float(value))
        case Decimal():
            return format(value, "f")
        case dt.datetime():
            return timestamp_text(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case UUID():
            return str(value)
        case _:
            return canonical_json(value)


def timestamp_text(value: dt.datetime) -> str:
    """ISO 8601 with ``T``; an aware value is written as its UTC instant with ``Z``."""
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"


def _float32_text(value: float) -> str:
    """Python ``repr`` of the shortest decimal that reads back as the same single-precision number."""
    if not math.isfinite(value) or value == 0.0:
        return repr(value)
    for digits in range(1, 10):
        nearest = Decimal(f"{value:.{digits - 1}e}")
        step = Decimal((0, (1,), nearest.adjusted() - digits + 1))
        # At a power of two the wider half of the rounding interval may hold a neighbour of the nearest text.
        same = [text for text in (nearest, nearest - step, nearest + step) if as_float32(float(text)) == value]
        if same:
            return repr(float(min(same, key=lambda text: abs(text - Decimal(value)))))
    return repr(value)


def as_float32(value: float) -> float:
    """The nearest single-precision number; infinite on overflow."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def canonical_json(value: object) -> str:
    """Canonical JSON of a value: keys sorted, no blanks, one spelling for every value.

    Numbers in the digits of :func:`to_text`; NaN and the infinities as the strings ``"NaN"``, ``"Infinity"``,
    ``"-Infinity"``; dates and times as their text; binary as base64; ``None`` as ``null``; tuples as lists.

    >>> canonical_json({"b": [1, None], "a": b"x"})
    '{"a":"eA==","b":[1,null]}'
    """
    match value:
        case None:
            return "null"
        case str():
            return encode_basestring(value)
        case float() if not math.isfinite(value):
            return '"NaN"' if math.isnan(value) else '"Infinity"' if value > 0 else '"-Infinity"'
        case bool() | int() | float() | Decimal():
            return plain_text(value)
        case Mapping():
            members = sorted((str(key), canonical_json(item)) for key, item in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return "{" + ",".join(f"{encode_basestring(key)}:{item}" for key, item in members) + "}"
        case list() | tuple():
            return "[" + ",".join(canonical_json(item) for item in value) + "]"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return encode_basestring(_scalar_text(value))


def _scalar_text(value: object) -> str:
    """Text of a scalar that JSON has no kind for."""
    if isinstance(value, dt.date | dt.time | bytes | UUID):
        return plain_text(value)
    raise TypeError(f"no JSON for values of type {type(value).__name__}")
