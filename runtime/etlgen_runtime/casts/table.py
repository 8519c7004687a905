"""Which cell of the cast table reads which value (semantics, section 4)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from uuid import UUID

from etlgen_runtime.casts.numbers import (
    decimal_from_text,
    float_from_number,
    float_from_text,
    integer_from_number,
    integer_from_text,
)
from etlgen_runtime.casts.scalars import (
    binary_from_text,
    boolean_from_number,
    boolean_from_text,
    json_from_text,
    uuid_from_text,
)
from etlgen_runtime.casts.spelling import canonical_json, plain_text, to_text
from etlgen_runtime.casts.times import temporal_from_text, temporal_from_value
from etlgen_runtime.casts.unfit import Unfit
from etlgen_runtime.text import BLANKS
from etlgen_runtime.types import INTEGER_RANGES, Kind, LogicalType

_MOMENTS = frozenset({Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ})


def cast_value(
    value: object,
    target: LogicalType,
    date_formats: tuple[str, ...] = (),
    *,
    before: LogicalType | None = None,
) -> object:
    """The value as ``target``, exactly, by the cast table.

    Args:
        value: Text, or a Python value of any logical type; ``None`` is NULL. A ``bool`` is not a number.
        target: The type wanted.
        date_formats: strptime-style formats of the contract, for dates, timestamps and times.
        before: The type of ``value`` where Python cannot tell: a ``float32`` is spelled with fewer digits than a double.

    Returns:
        ``int``, ``float``, ``Decimal`` with exactly ``scale`` decimals, ``bool``, ``date``, naive ``datetime`` (UTC) for
        ``timestamp``, aware UTC ``datetime`` for ``timestamp_tz``, ``time``, ``bytes``, or ``str`` (string, uuid, json).
        ``None`` for NULL and, unless ``target`` is string, for text of blanks alone.

    Raises:
        Unfit: the value does not fit.

    >>> cast_value(" +5.00 ", LogicalType(Kind.INT64))
    5
    """
    if value is None:
        return None
    if target.kind is Kind.STRING:
        return to_text(value, before) if before is not None else plain_text(value)
    if isinstance(value, str):
        text = value.strip(BLANKS)
        return _from_text(text, target, date_formats) if text else None
    return _from_value(value, target, before)


def is_castable(before: LogicalType, target: LogicalType) -> bool:
    """Whether the table has an entry for the pair at all; where it has none, every value but NULL is unfit."""
    if before.is_text or before.kind is Kind.NULL or target.kind is Kind.STRING:
        return True
    if before.kind is Kind.UNKNOWN:  # lists, structs and maps: "native" in odcs, 3.3
        return target.kind is Kind.JSON
    if before.is_numeric:
        return target.is_numeric or target.kind is Kind.BOOLEAN
    if before.kind in _MOMENTS:
        return target.kind in _MOMENTS and not _lacks_zone(before, target) and not _has_refused_zone(before, target)
    return before.kind is target.kind


def always_fits(before: LogicalType, target: LogicalType) -> bool:
    """Whether no value of ``before`` can be unfit for ``target``: there is nothing to remember for such a cast."""
    if target.kind is Kind.STRING or before.kind is Kind.NULL:
        return True
    if before.is_integer and target.is_integer:
        (low, high), (lowest, highest) = INTEGER_RANGES[before.kind], INTEGER_RANGES[target.kind]
        return lowest <= low and high <= highest
    return before.kind is target.kind and not before.is_temporal and before.kind is not Kind.DECIMAL


def _lacks_zone(before: LogicalType, target: LogicalType) -> bool:
    return target.kind is Kind.TIMESTAMP_TZ and before.kind is not Kind.TIMESTAMP_TZ and not target.assumed_zone


def _has_refused_zone(before: LogicalType, target: LogicalType) -> bool:
    return before.kind is Kind.TIMESTAMP_TZ and target.kind is Kind.TIMESTAMP and target.naive_offset_refused


def _from_text(text: str, target: LogicalType, date_formats: tuple[str, ...]) -> object:
    if target.is_integer:
        return integer_from_text(text, target.kind)
    if target.is_float:
        return float_from_text(text, target.kind)
    if target.is_temporal:
        return temporal_from_text(text, target, date_formats)
    match target.kind:
        case Kind.DECIMAL:
            return decimal_from_text(text, target)
        case Kind.BOOLEAN:
            return boolean_from_text(text)
        case Kind.UUID:
            return uuid_from_text(text)
        case Kind.BINARY:
            return binary_from_text(text)
        case Kind.JSON:
            return json_from_text(text)
        case _:
            raise Unfit(f"no values of type {target}")


def _from_value(value: object, target: LogicalType, before: LogicalType | None) -> object:
    name = type(value).__name__
    match value:
        case bool():
            if target.kind is Kind.BOOLEAN:
                return value
        case int() | float() | Decimal():
            return _from_number(value, target, before)
        case dt.date() | dt.time():
            if target.is_temporal:
                return temporal_from_value(value, target)
        case bytes():
            if target.kind is Kind.BINARY:
                return value
        case UUID():
            if target.kind is Kind.UUID:
                return str(value)
        case list() | tuple() | Mapping():
            if target.kind is Kind.JSON:
                return canonical_json(value)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            pass
    raise Unfit(f"{name} values do not become {target}")


def _from_number(value: float | Decimal, target: LogicalType, before: LogicalType | None) -> object:
    if target.is_integer:
        return integer_from_number(value, target.kind)
    if target.is_float:
        return float_from_number(value, target.kind)
    if target.kind is Kind.DECIMAL:
        return decimal_from_text(_number_text(value, before), target)
    if target.kind is Kind.BOOLEAN:
        return boolean_from_number(value)
    raise Unfit(f"numbers do not become {target}")


def _number_text(value: float | Decimal, before: LogicalType | None) -> str:
    if before is not None:
        return to_text(value, before) or ""
    return str(value) if isinstance(value, Decimal) else plain_text(value)  # plain digits may be more than memory holds
