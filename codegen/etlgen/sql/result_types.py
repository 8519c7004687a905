"""Result types: how the type of an operator, function or branch follows from the types of its arguments.

The rules are DuckDB's except where semantics, section 5 fixes another: `/` is double, decimals have precision 38.
Rules take the already converted arguments, because some depend on a literal (the digits of ``round``).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from etlgen.expr import Expr, Literal
from etlgen_runtime.types import (
    FLOAT32,
    FLOAT64,
    INT64,
    INT128,
    INTEGER_RANGES,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UNKNOWN,
    Kind,
    LogicalType,
    decimal,
)

ResultRule = Callable[[tuple[Expr, ...]], LogicalType]

MAX_PRECISION = 38

_INTEGER_DIGITS: dict[Kind, int] = {
    Kind.INT8: 3,
    Kind.INT16: 5,
    Kind.INT32: 10,
    Kind.INT64: 19,
    Kind.INT128: 38,
    Kind.UINT8: 3,
    Kind.UINT16: 5,
    Kind.UINT32: 10,
    Kind.UINT64: 20,
    Kind.UINT128: 38,
}
"""Decimal digits that hold every value of an integer kind (38 at most, as DuckDB)."""

_SIGNED = (Kind.INT8, Kind.INT16, Kind.INT32, Kind.INT64, Kind.INT128)
_UNSIGNED = (Kind.UINT8, Kind.UINT16, Kind.UINT32, Kind.UINT64, Kind.UINT128)


def constant(result: LogicalType) -> ResultRule:
    """A rule that gives the same type whatever the arguments are."""
    return lambda args: result


def same_as_first(args: tuple[Expr, ...]) -> LogicalType:
    """The type of the first argument."""
    return args[0].type


def decimal_digits(of: LogicalType) -> tuple[int, int]:
    """Precision and scale of the decimal that an exact number converts to."""
    return (of.precision, of.scale) if of.kind is Kind.DECIMAL else (_INTEGER_DIGITS[of.kind], 0)


def widest_integer(left: LogicalType, right: LogicalType) -> LogicalType:
    """The narrowest integer type that holds every value of both."""
    low = min(INTEGER_RANGES[left.kind][0], INTEGER_RANGES[right.kind][0])
    high = max(INTEGER_RANGES[left.kind][1], INTEGER_RANGES[right.kind][1])
    for kind in _UNSIGNED if low == 0 else _SIGNED:
        if INTEGER_RANGES[kind][0] <= low and INTEGER_RANGES[kind][1] >= high:
            return LogicalType(kind)
    return INT128


def unify(left: LogicalType, right: LogicalType) -> LogicalType | None:
    """The common type of two branches or comparison operands; ``None`` when they have none.

    Text unifies with text only: the literals that semantics, section 5 reads by the cast table are converted before.
    """
    if left == right or right.kind is Kind.NULL:
        return left
    if left.kind is Kind.NULL:
        return right
    if Kind.UNKNOWN in (left.kind, right.kind):
        return UNKNOWN
    if left.is_numeric and right.is_numeric:
        return _unify_numbers(left, right)
    if left.kind is right.kind:  # timestamps that differ in how text is read
        return LogicalType(left.kind)
    kinds = {left.kind, right.kind}
    if kinds <= {Kind.DATE, Kind.TIMESTAMP}:
        return TIMESTAMP
    if kinds <= {Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ}:
        return TIMESTAMP_TZ
    if kinds == {Kind.STRING, Kind.JSON}:
        return STRING
    return None


def _unify_numbers(left: LogicalType, right: LogicalType) -> LogicalType:
    if left.is_float or right.is_float:
        return FLOAT64 if FLOAT64 in (left, right) else FLOAT32
    if left.is_integer and right.is_integer:
        return widest_integer(left, right)
    left_precision, left_scale = decimal_digits(left)
    right_precision, right_scale = decimal_digits(right)
    scale = max(left_scale, right_scale)
    whole = max(left_precision - left_scale, right_precision - right_scale)
    return decimal(min(MAX_PRECISION, whole + scale), scale)


def unified(args: tuple[Expr, ...]) -> LogicalType:
    """The common type of all arguments, which were converted to it; how text of it is read is no part of it."""
    found = next((arg.type for arg in args if arg.type.kind is not Kind.NULL), NULL)
    return LogicalType(found.kind, found.precision, found.scale)


def sum_type(args: tuple[Expr, ...]) -> LogicalType:
    """`+ -` (and `%`): decimals get scale max(s1, s2); integers as :func:`integer_result`; else double or float."""
    return _arithmetic(args, max)


def total_type(args: tuple[Expr, ...]) -> LogicalType:
    """`sum` over rows: integers exact in 128 bits, decimals with all 38 digits, else double (semantics, section 5)."""
    of = args[0].type
    if of.is_integer:
        return INT128
    if of.kind is Kind.DECIMAL:
        return decimal(MAX_PRECISION, of.scale)
    return UNKNOWN if of.kind is Kind.UNKNOWN else FLOAT64


def product_type(args: tuple[Expr, ...]) -> LogicalType:
    """`*`: decimals get scale s1 + s2."""
    return _arithmetic(args, lambda first, second: first + second)


def _arithmetic(args: tuple[Expr, ...], scale: Callable[[int, int], int]) -> LogicalType:
    left, right = args[0].type, args[1].type
    kinds = (left.kind, right.kind)
    if Kind.UNKNOWN in kinds:
        return UNKNOWN
    if Kind.NULL in kinds:
        both_null = kinds == (Kind.NULL, Kind.NULL)
        return INT64 if both_null else (right if left.kind is Kind.NULL else left)
    if left.is_float or right.is_float:
        return FLOAT64 if FLOAT64 in (left, right) else FLOAT32
    if left.is_integer and right.is_integer:
        return integer_result(left, right)
    return decimal(MAX_PRECISION, scale(decimal_digits(left)[1], decimal_digits(right)[1]))


def integer_result(left: LogicalType, right: LogicalType) -> LogicalType:
    """The type of integer arithmetic as DuckDB: the operand that holds both; when neither does, 64 or 128 bits."""
    wide = widest_integer(left, right)
    if wide in (left, right):
        return wide
    return INT128 if {left.kind, right.kind} & {Kind.UINT64, Kind.UINT128, Kind.INT128} else INT64


def whole_division_type(args: tuple[Expr, ...]) -> LogicalType:
    """`//`: integer for integers, double for everything else (decimals too, as DuckDB)."""
    left, right = args[0].type, args[1].type
    if left.kind is Kind.DECIMAL or right.kind is Kind.DECIMAL:
        return FLOAT64
    return _arithmetic(args, max)


def round_type(args: tuple[Expr, ...]) -> LogicalType:
    """`round`: decimals keep their precision, whole ones get a digit more for tens, and at most the asked scale; unsigned integers
    become signed.
    """
    value, *asked = args
    digits = next((part.value if isinstance(part, Literal) else None for part in asked), 0)
    if value.type.kind in _UNSIGNED:
        return INT64 if value.type.kind in (Kind.UINT8, Kind.UINT16, Kind.UINT32) else INT128
    return _rescaled(value.type, digits) if isinstance(digits, int) else value.type


def whole_number_type(args: tuple[Expr, ...]) -> LogicalType:
    """`floor`, `ceil`: decimal of scale 0 for decimals, double for the rest (float for float)."""
    return _rescaled(args[0].type, 0)


def _rescaled(of: LogicalType, digits: int) -> LogicalType:
    if of.kind is not Kind.DECIMAL:
        return of
    carried = 1 if digits < 0 and of.scale == 0 else 0  # 99 rounded to tens has three digits
    return decimal(min(MAX_PRECISION, of.precision + carried), max(0, min(digits, of.scale)))


def truncated_moment_type(args: tuple[Expr, ...]) -> LogicalType:
    """`date_trunc(unit, x)`: timestamp for dates and timestamps, timestamp_tz for instants."""
    return TIMESTAMP_TZ if args[1].type.kind is Kind.TIMESTAMP_TZ else TIMESTAMP


def moved_moment_type(args: tuple[Expr, ...]) -> LogicalType:
    """`x + interval`: timestamp for dates and timestamps, timestamp_tz for instants."""
    return TIMESTAMP_TZ if args[0].type.kind is Kind.TIMESTAMP_TZ else TIMESTAMP


def part_type(args: tuple[Expr, ...]) -> LogicalType:
    """`date_part(unit, x)`: double for `epoch` and `julian`, else int64."""
    unit = args[0]
    return FLOAT64 if isinstance(unit, Literal) and unit.value in ("epoch", "julian") else INT64


def parsed_moment_type(args: tuple[Expr, ...]) -> LogicalType:
    """`strptime(text, format)`: an instant when the format reads an offset (`%z`), else a timestamp."""
    form = args[1]
    return TIMESTAMP_TZ if isinstance(form, Literal) and "%z" in str(form.value) else TIMESTAMP


def literal_number_type(value: int | Decimal) -> LogicalType:
    """The type of a number as written: int32, int64 or int128 by size; with a point decimal(digits, digits after)."""
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        scale = -exponent if isinstance(exponent, int) else 0
        return decimal(max(len(value.as_tuple().digits), scale), scale)
    for kind in (Kind.INT32, Kind.INT64):
        if INTEGER_RANGES[kind][0] <= value <= INTEGER_RANGES[kind][1]:
            return LogicalType(kind)
    return INT128
