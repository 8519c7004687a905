"""Which integers an expression can give, whatever the rows hold: interval arithmetic over exact numbers (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from etlgen.expr import Call, Case, Cast, Column, Expr, Literal
from etlgen_runtime.types import INT64, INT128, INTEGER_RANGES, LogicalType

Bounds = tuple[int, int]
"""Smallest and greatest possible value."""

_MOST_DIGITS = 39
"""128 bits have no more; rounding to further places gives zero."""
_CHOICES = frozenset({"coalesce", "greatest", "least", "min", "max"})


def bounds_of(function: str, left: Bounds, right: Bounds) -> Bounds:
    """Bounds of ``add``, ``sub``, ``mul``, ``intdiv``, ``mod``, ``neg`` or ``abs`` (of ``left``) by those of its operands."""
    return _BOUNDS[function](left, right)


def value_bounds(expr: Expr) -> Bounds:
    """Bounds of an integer expression, before it is narrowed to its type."""
    match expr:
        case Literal(value=value):
            return (value, value) if isinstance(value, int) else (0, 0)
        case Call(function=function, args=args) if function in _BOUNDS:
            left, right = value_bounds(args[0]), value_bounds(args[-1])
            return bounds_of(function, left, right)
        case Call(function="round", args=(value, *digits)):
            return _rounded(value_bounds(value), digits)
        case Call(function=function, args=args) if function in _CHOICES:
            return _around(map(value_bounds, args))
        case Call(function="nullif", args=args):
            return value_bounds(args[0])
        case Case(branches=branches, default=default):
            return _around(value_bounds(value) for value in (*(value for _, value in branches), default))
        case Cast(arg=arg, implicit=True) if arg.type.is_integer:
            return value_bounds(arg)
        case Column() | Call() | Cast():
            return INTEGER_RANGES[expr.type.kind]


def wide_enough(expr: Expr) -> LogicalType:
    """The first of the expression's own type, 64 and 128 bits that holds every value of an integer expression; else 128 bits."""
    low, high = value_bounds(expr)
    for of in (expr.type, INT64):
        least, most = INTEGER_RANGES[of.kind]
        if least <= low and high <= most:
            return of
    return INT128


def _around(bounds: Iterable[Bounds]) -> Bounds:
    lows, highs = zip(*bounds, strict=True)
    return min(lows), max(highs)


def _rounded(bounds: Bounds, digits: list[Expr]) -> Bounds:
    places = digits[0].value if digits and isinstance(digits[0], Literal) else 0
    unit = 10 ** min(-places, _MOST_DIGITS) if isinstance(places, int) and places < 0 else 0
    return bounds[0] - unit, bounds[1] + unit


def _sum(left: Bounds, right: Bounds) -> Bounds:
    return left[0] + right[0], left[1] + right[1]


def _difference(left: Bounds, right: Bounds) -> Bounds:
    return left[0] - right[1], left[1] - right[0]


def _product(left: Bounds, right: Bounds) -> Bounds:
    corners = [one * other for one in left for other in right]
    return min(corners), max(corners)


def _quotient(left: Bounds, right: Bounds) -> Bounds:
    if right[0] >= 0:
        return min(left[0], 0), max(left[1], 0)
    return -_size(left), _size(left)


def _rest(left: Bounds, right: Bounds) -> Bounds:
    size = max(_size(right), 1) - 1
    return max(min(left[0], 0), -size), min(max(left[1], 0), size)


def _negated(value: Bounds, _: Bounds) -> Bounds:
    return -value[1], -value[0]


def _magnitude(value: Bounds, _: Bounds) -> Bounds:
    low, high = value
    return (0 if low <= 0 <= high else min(abs(low), abs(high))), _size(value)


def _size(value: Bounds) -> int:
    return max(abs(value[0]), abs(value[1]))


_BOUNDS: dict[str, Callable[[Bounds, Bounds], Bounds]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "intdiv": _quotient,
    "mod": _rest,
    "neg": _negated,
    "abs": _magnitude,
}
