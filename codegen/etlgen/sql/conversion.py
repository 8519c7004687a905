"""Implicit conversions, made explicit: what DuckDB would do silently becomes a node of the tree.

Exact conversions are ``Cast`` nodes, for which the cast table and DuckDB agree. The one that may round, a long integer to
its nearest double, is the function ``nearest``, because a ``Cast`` would refuse it. Literals convert here and now.
"""

from __future__ import annotations

import datetime as dt
import math
import struct
from dataclasses import replace
from decimal import Decimal
from typing import cast

from etlgen.expr import Call, Cast, Expr, Literal, LiteralValue
from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.types import (
    FLOAT32,
    FLOAT64,
    INTEGER_RANGES,
    STRING,
    Kind,
    LogicalType,
)

_EXACT_AS_FLOAT64 = frozenset({Kind.INT8, Kind.INT16, Kind.INT32, Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.FLOAT32})
_EXACT_AS_FLOAT32 = frozenset({Kind.INT8, Kind.INT16, Kind.UINT8, Kind.UINT16})
_EXACT_DOUBLE = 2**53
UTC_INSTANT = LogicalType(Kind.TIMESTAMP_TZ, assumed_zone="UTC")
"""The target of a timestamp that meets an instant: its clock is UTC."""


def is_flexible(expr: Expr) -> bool:
    """A number, text or NULL literal: it takes the type of what it meets."""
    return isinstance(expr, Literal) and (expr.type.is_numeric or expr.type.kind in (Kind.STRING, Kind.NULL))


def is_text_literal(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.type == STRING and isinstance(expr.value, str)


def converted(expr: Expr, to: LogicalType) -> Expr:
    """``expr`` as ``to``, where every value converts (types that unify); unknown types stay as they are."""
    if expr.type == to or Kind.UNKNOWN in (expr.type.kind, to.kind):
        return expr
    if expr.type.kind is to.kind and to.kind is not Kind.DECIMAL:  # they differ in how text of the source is read
        return expr
    if isinstance(expr, Literal):
        literal = converted_literal(expr, to)
        if literal is not None:
            return literal
    if expr.type.is_numeric and to.is_float:
        exact = _EXACT_AS_FLOAT64 if to == FLOAT64 else _EXACT_AS_FLOAT32
        # A decimal casts to the nearest double by the table; to a float it may round twice.
        if expr.type.kind in exact or (expr.type.kind is Kind.DECIMAL and to == FLOAT64):
            return Cast(expr, to, implicit=True)
        return Call("nearest", (expr,), to)
    if to.kind is Kind.TIMESTAMP_TZ and expr.type.kind in (Kind.DATE, Kind.TIMESTAMP):
        return Cast(expr, UTC_INSTANT, implicit=True)
    return Cast(expr, to, implicit=True)


def converted_literal(literal: Literal, to: LogicalType) -> Literal | None:
    """The literal as a value of ``to``; ``None`` when it is not exactly one (doubles: the nearest is taken).

    Text is read by the cast table; blank text, which the table takes for NULL, is no value of another type.
    """
    value = literal.value
    if value is None:
        return Literal(None, to)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        if to.is_numeric:
            return _number(value, to)
        if to.kind is Kind.BOOLEAN:
            return Literal(bool(value), to) if value in (0, 1) else None
    target = (
        UTC_INSTANT if to.kind is Kind.TIMESTAMP_TZ and isinstance(value, dt.date) else replace(to, formats_only=False)
    )
    try:
        found = cast_value(value, target, before=literal.type)
    except Unfit:
        return None
    return None if found is None else Literal(cast("LiteralValue", found), to)


def _number(value: int | float | Decimal, to: LogicalType) -> Literal | None:
    if to.is_float:
        nearest = _nearest_float(value, to)
        return None if nearest is None else Literal(nearest, to)
    if isinstance(value, float):
        if not value.is_integer() or abs(value) >= _EXACT_DOUBLE:
            return None
        value = int(value)
    if to.is_integer:
        low, high = INTEGER_RANGES[to.kind]
        return Literal(int(value), to) if value == int(value) and low <= value <= high else None
    return _decimal(Decimal(value), to)


def _nearest_float(value: int | float | Decimal, to: LogicalType) -> float | None:
    try:
        nearest = float(value)
        if to == FLOAT32:
            (nearest,) = struct.unpack("f", struct.pack("f", nearest))
    except OverflowError:
        return None
    return nearest if math.isfinite(nearest) else None


def _decimal(value: Decimal, to: LogicalType) -> Literal | None:
    """The decimal with exactly the scale of ``to``, made from its digits: contexts would round."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return None
    shift = exponent + to.scale
    text = "".join(map(str, digits))
    if shift < 0:
        if text[shift:].strip("0"):
            return None
        text = text[:shift] or "0"
    else:
        text += "0" * shift
    text = text.lstrip("0") or "0"
    if len(text) > to.precision:
        return None
    return Literal(Decimal((sign, tuple(map(int, text)), -to.scale)), to)
