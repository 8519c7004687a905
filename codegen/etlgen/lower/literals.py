"""Values written in a contract as typed literals, and comparisons with them that keep every digit."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation, localcontext
from typing import Literal as OneOf

from etlgen.contract import Number, Scalar
from etlgen.expr import Call, Cast, Expr, Literal, LiteralValue
from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.types import (
    BOOLEAN,
    FLOAT64,
    INT64,
    INT128,
    INTEGER_RANGES,
    NULL,
    STRING,
    Kind,
    LogicalType,
    decimal,
)

Comparison = OneOf["eq", "lt", "le", "gt", "ge"]
_FALSE = Literal(False, BOOLEAN)
_DIGITS = 400
_LARGEST = Decimal(10) ** 38
"""Bounds beyond it compare with no exact type of ours."""


class UnfitValue(Exception):
    """A value of the contract that does not read as the type it stands beside."""

    def __init__(self, value: Scalar, type_: LogicalType) -> None:
        self.value = page_text(value)
        self.type = type_
        super().__init__(self.value)


def page_text(value: Scalar) -> str:
    """A scalar as the author wrote it."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Number():
            return value.text
        case float():
            return repr(value)
        case _:
            return str(value)


def typed(value: Scalar, type_: LogicalType, date_formats: tuple[str, ...] = ()) -> Literal:
    """``value`` as a literal of ``type_``, read by the cast table.

    Raises:
        UnfitValue: It does not read as ``type_``.
    """
    if value is None:
        return Literal(None, type_)
    if type_.kind is Kind.UNKNOWN:
        return natural(value)
    if isinstance(value, bool) and type_.is_numeric:
        raise UnfitValue(value, type_)
    try:
        found = cast_value(page_text(value), type_, date_formats)
    except Unfit:
        raise UnfitValue(value, type_) from None
    if found is None and type_ != STRING:
        raise UnfitValue(value, type_)
    return Literal(_literal_value(found), type_)


def _literal_value(value: object) -> LiteralValue:
    accepted = (bool, int, float, Decimal, str, bytes, dt.date, dt.datetime, dt.time, dt.timedelta, type(None))
    return value if isinstance(value, accepted) else str(value)


def natural(value: Scalar) -> Literal:
    """``value`` as a literal of the type it has by itself: boolean, integer, double, text."""
    match value:
        case None:
            return Literal(None, NULL)
        case bool():
            return Literal(value, BOOLEAN)
        case int():
            low, high = INTEGER_RANGES[Kind.INT64]
            return Literal(value, INT64 if low <= value <= high else INT128)
        case float():
            return Literal(float(value), FLOAT64)
        case str():
            return Literal(value, STRING)


def comparison(function: Comparison, operand: Expr, bound: Scalar, date_formats: tuple[str, ...] = ()) -> Expr:
    """``operand <function> bound``, exact for every type: an integer is compared with 2.5 as with 3 or 2, not as a double.

    Raises:
        UnfitValue: The bound is no value that ``operand`` can be compared with.
    """
    kind = operand.type.kind
    if operand.type.is_integer or kind is Kind.DECIMAL:
        return _exact_comparison(function, operand, _number(bound, operand.type))
    if operand.type.is_float:
        wide = operand if kind is Kind.FLOAT64 else Cast(operand, FLOAT64)
        return Call(function, (wide, Literal(float(_number(bound, FLOAT64)), FLOAT64)), BOOLEAN)
    return Call(function, (operand, typed(bound, operand.type, date_formats)), BOOLEAN)


def _number(bound: Scalar, type_: LogicalType) -> Decimal:
    if bound is None or isinstance(bound, bool):
        raise UnfitValue(bound, type_)
    try:
        number = Decimal(page_text(bound))
    except InvalidOperation:
        raise UnfitValue(bound, type_) from None
    if not number.is_finite() or (not type_.is_float and abs(number) >= _LARGEST):
        raise UnfitValue(bound, type_)
    return number


def _exact_comparison(function: Comparison, operand: Expr, bound: Decimal) -> Expr:
    """Round the bound to the operand's scale in the direction that keeps the outcome the same for every value."""
    step = Decimal(1).scaleb(-operand.type.scale)
    rounded = _rounded(bound, step, ROUND_CEILING if function in ("ge", "lt") else ROUND_FLOOR)
    if function == "eq" and rounded != bound:
        return _FALSE
    if operand.type.kind is Kind.DECIMAL:
        digits = max(rounded.adjusted() + 1, 0) + operand.type.scale
        wide = operand.type if digits <= operand.type.precision else decimal(38, operand.type.scale)
        return Call(function, (_widened(operand, wide), Literal(rounded, wide)), BOOLEAN)
    whole = int(rounded)
    low, high = INTEGER_RANGES[operand.type.kind]
    if low <= whole <= high:
        return Call(function, (operand, Literal(whole, operand.type)), BOOLEAN)
    return Call(function, (_widened(operand, INT128), Literal(whole, INT128)), BOOLEAN)


def _widened(operand: Expr, type_: LogicalType) -> Expr:
    return operand if operand.type == type_ else Cast(operand, type_)


def _rounded(bound: Decimal, step: Decimal, rounding: str) -> Decimal:
    with localcontext(prec=_DIGITS) as context:
        context.clear_traps()
        return bound.quantize(step, rounding=rounding)


def both(conditions: tuple[Expr, ...]) -> Expr:
    """All of ``conditions`` and-ed."""
    return conditions[0] if len(conditions) == 1 else Call("and", conditions, BOOLEAN)


def is_null(operand: Expr) -> Expr:
    return Call("is_null", (operand,), BOOLEAN)


def is_not_null(operand: Expr) -> Expr:
    return Call("is_not_null", (operand,), BOOLEAN)
