"""Integer arithmetic: exact, in the narrowest width that every possible result fits (semantics, section 5).

The bounds of the operands decide the width before any row is seen; the result stays wide until a consumer narrows it.
"""

from __future__ import annotations

from dataclasses import replace

from etlgen.engines.polars.fragments import Binding, Fragment
from etlgen.engines.polars.literals import expression
from etlgen.engines.polars.types import dtype_source
from etlgen.ranges import Bounds, bounds_of
from etlgen_runtime.types import INT64, INT128, INTEGER_RANGES, LogicalType

_SYMBOLS = {"add": ("+", Binding.SUM), "sub": ("-", Binding.SUM), "mul": ("*", Binding.PRODUCT)}
_WIDE = {
    "add": "fn.wide_add",
    "sub": "fn.wide_subtract",
    "mul": "fn.wide_multiply",
    "intdiv": "fn.wide_truncated_divide",
    "neg": "fn.wide_negate",
    "abs": "fn.wide_abs",
}


def fits(fragment: Fragment, of: LogicalType) -> bool:
    """Whether every possible value of an integer fragment is one of ``of``."""
    low, high = INTEGER_RANGES[of.kind]
    return low <= fragment.low and fragment.high <= high


def integer_call(function: str, args: tuple[Fragment, ...]) -> Fragment:
    """``add``, ``sub``, ``mul``, ``intdiv``, ``mod``, ``neg`` or ``abs`` of integers."""
    if function in ("neg", "abs"):
        return _unary(function, args[0])
    left, right = args
    bounds = bounds_of(function, _bounds(left), _bounds(right))
    width = _width(bounds, left, right)
    if width is None:
        return _beyond(function, left, right)
    left_holds, right_holds = (item.type == width and not item.bare for item in (left, right))
    if not left_holds and (function in ("intdiv", "mod") or not right_holds):
        left = widened(left, width)
    return _binary(function, left, right, bounds, width)


def widened(fragment: Fragment, to: LogicalType) -> Fragment:
    """As a Polars expression that holds ``to``; every value must fit."""
    if fragment.bare:
        return typed_integer(f"pl.lit({fragment.text}, dtype={dtype_source(to)})", to, (fragment.low, fragment.high))
    if fragment.type == to:
        return fragment
    return typed_integer(f"{fragment.receiver}.cast({dtype_source(to)})", to, (fragment.low, fragment.high))


def typed_integer(text: str, of: LogicalType, bounds: Bounds, binding: Binding = Binding.ATOM) -> Fragment:
    """An integer fragment with known bounds."""
    return Fragment(text, binding, of, bounds[0], bounds[1])


def _width(bounds: Bounds, left: Fragment, right: Fragment) -> LogicalType | None:
    """The width to calculate in: an operand's own if all fits there, else 64 or 128 bits; ``None`` beyond those."""
    own = [operand.type for operand in (left, right) if not operand.bare]
    held = [INTEGER_RANGES[of.kind] for of in own] + [(item.low, item.high) for item in (left, right) if item.bare]
    for of in (*own, INT64, INT128):
        low, high = INTEGER_RANGES[of.kind]
        fit = low <= bounds[0] and bounds[1] <= high and all(low <= least and most <= high for least, most in held)
        if fit and (low < 0 or bounds[0] >= 0):
            return of
    return None


def _binary(function: str, left: Fragment, right: Fragment, bounds: Bounds, width: LogicalType) -> Fragment:
    if function == "intdiv":
        return typed_integer(f"{left.receiver}.truncdiv({right.text})", width, bounds)
    if function == "mod":
        if left.low >= 0 and right.low > 0:
            text = f"{left.at(Binding.PRODUCT)} % {right.above(Binding.PRODUCT)}"
            return typed_integer(text, width, bounds, Binding.PRODUCT)
        return typed_integer(f"fn.remainder({left.text}, {right.text})", width, bounds)
    symbol, binding = _SYMBOLS[function]
    return typed_integer(f"{left.at(binding)} {symbol} {right.above(binding)}", width, bounds, binding)


def _beyond(function: str, left: Fragment, right: Fragment) -> Fragment:
    """Arithmetic that may leave 128 bits, where it becomes NULL."""
    operands = ", ".join(_as_int128(operand) for operand in (left, right))
    name = _WIDE.get(function, "fn.remainder")
    return partial_integer(f"{name}({operands})")


def partial_integer(text: str) -> Fragment:
    """An integer of 128 bits that is NULL where it would need more."""
    return replace(typed_integer(text, INT128, INTEGER_RANGES[INT128.kind]), partial=True)


def in_128_bits(value: Fragment) -> Fragment:
    """As a Polars expression of 128 bits; NULL beyond them."""
    if fits(value, INT128):
        return widened(value, INT128)
    return partial_integer(f"{expression(value).receiver}.cast(pl.Int128, strict=False)")


def _as_int128(operand: Fragment) -> str:
    return in_128_bits(operand).text


def _unary(function: str, value: Fragment) -> Fragment:
    bounds = bounds_of(function, _bounds(value), _bounds(value))
    width = _width(bounds, value, value)
    if width is None:
        return partial_integer(f"{_WIDE[function]}({_as_int128(value)})")
    value = widened(value, width)
    if function == "abs":
        return typed_integer(f"{value.receiver}.abs()", width, bounds)
    if width == INT128 or INTEGER_RANGES[width.kind][0] == 0:  # Polars negates neither 128 bits nor an unsigned zero
        return typed_integer(f"0 - {value.above(Binding.SUM)}", width, bounds, Binding.SUM)
    return typed_integer(f"-{value.at(Binding.UNARY)}", width, bounds, Binding.UNARY)


def _bounds(value: Fragment) -> Bounds:
    return value.low, value.high
