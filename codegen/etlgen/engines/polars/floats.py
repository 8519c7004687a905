"""Arithmetic and functions of doubles: plain Polars, and one guard where finite inputs may give a NaN or an infinity.

A guard stands around a whole sum of products: those keep a NaN or infinity that arose inside. Functions that can hide one
(division, exp) guard their arguments first.
"""

from __future__ import annotations

import math

from etlgen.engines.polars.fragments import MAX_FLOAT, MAX_FLOAT32, Binding, Fragment, guarded, merged, quoted
from etlgen.engines.polars.literals import expression, null_fragment
from etlgen_runtime.types import FLOAT32, FLOAT64, Kind, LogicalType

_SYMBOLS = {"add": ("+", Binding.SUM), "sub": ("-", Binding.SUM), "mul": ("*", Binding.PRODUCT)}


def float_call(function: str, args: tuple[Fragment, ...], of: LogicalType) -> Fragment:
    """An operator of doubles (or floats of 32 bits) by its canonical name."""
    match function:
        case "add" | "sub" | "mul":
            return _binary(function, args[0], args[1], of)
        case "neg":
            value = expression(args[0])
            return _like(f"-{value.at(Binding.UNARY)}", value, Binding.UNARY)
        case "abs" | "floor" | "ceil":
            value = expression(args[0])
            return _like(f"{value.receiver}.{function}()", value)
        case "div":
            return _quotient(*args)
        case "intdiv":
            return _called("fn.truncated_divide", *args)
        case _:
            return _called("fn.float_remainder", *args, with_inputs=False)


def _binary(function: str, left: Fragment, right: Fragment, of: LogicalType) -> Fragment:
    symbol, binding = _SYMBOLS[function]
    if left.bare and right.bare:
        left = expression(left)
    reach = left.limit * right.limit if function == "mul" else left.limit + right.limit
    most = MAX_FLOAT32 if of.kind is Kind.FLOAT32 else MAX_FLOAT
    return Fragment(
        f"{left.at(binding)} {symbol} {right.above(binding)}",
        binding,
        of,
        limit=min(reach, most),
        inputs=merged(left.inputs, right.inputs),
        unguarded=left.unguarded or right.unguarded or reach > most,
    )


def _like(text: str, value: Fragment, binding: Binding = Binding.ATOM) -> Fragment:
    """Another value of the same magnitude or less."""
    return Fragment(text, binding, value.type, limit=value.limit, inputs=value.inputs, unguarded=value.unguarded)


def _quotient(left: Fragment, right: Fragment) -> Fragment:
    if right.bare and not right.limit:
        return null_fragment(FLOAT64)
    if right.bare and math.frexp(right.limit)[0] == 0.5:  # a power of two: its reciprocal is exact
        left = expression(left)
        reach = left.limit / right.limit
        return Fragment(
            f"{left.at(Binding.PRODUCT)} / {right.above(Binding.PRODUCT)}",
            Binding.PRODUCT,
            FLOAT64,
            limit=min(reach, MAX_FLOAT),
            inputs=left.inputs,
            unguarded=left.unguarded or math.isinf(reach),
        )
    return _called("fn.divide", left, right)


def _called(name: str, left: Fragment, right: Fragment, *, with_inputs: bool = True) -> Fragment:
    """A function of the runtime that guards its own result."""
    inputs = merged(left.inputs, right.inputs)
    operands = [guarded(expression(left)).text, guarded(right).text]
    text = f"{name}({', '.join([*operands, *(map(quoted, inputs) if with_inputs else ())])})"
    return Fragment(text, Binding.ATOM, FLOAT64, limit=MAX_FLOAT, inputs=inputs)


def maths_call(function: str, args: tuple[Fragment, ...]) -> Fragment:
    """``sqrt``, ``power``, ``ln``, ``log``, ``log2`` or ``exp``: NULL outside their domain and on overflow."""
    value = expression(args[0])
    kept: tuple[Fragment, ...] = (value,)
    match function:
        case "sqrt":
            text = f"{value.receiver}.sqrt()"
        case "ln":
            text = f"{value.receiver}.log()"
        case "log2":
            text = f"fn.log({value.text}, 2)"
        case "log" if len(args) == 1:
            text = f"fn.log({value.text}, 10)"
        case "log":
            base, of = guarded(value), guarded(expression(args[1]))
            text, kept = f"fn.log({of.text}, {base.text})", (base, of)
        case "exp":
            value = guarded(value)
            text = f"{value.receiver}.exp()"
        case _:
            base, exponent = guarded(value), guarded(args[1])
            text, kept = f"{base.receiver}.pow({exponent.text})", (base, exponent)
    inputs = tuple(dict.fromkeys(name for fragment in kept for name in fragment.inputs))
    return Fragment(text, Binding.ATOM, FLOAT64, limit=MAX_FLOAT, inputs=inputs, unguarded=True)


def round_call(value: Fragment, digits: int) -> Fragment:
    """``round`` of doubles, half away from zero."""
    value = expression(value)
    if digits == 0:
        return _like(f'{value.receiver}.round(mode="half_away_from_zero")', value)
    value = guarded(value)
    wide = value.limit if digits > 0 else min(MAX_FLOAT, value.limit * 2)
    text = f"fn.round_float({value.text}, {digits})"
    return Fragment(text, Binding.ATOM, FLOAT64, limit=wide, inputs=value.inputs, unguarded=digits < 0)


def nearest(value: Fragment, of: LogicalType) -> Fragment:
    """The nearest double, or float of 32 bits, of any number."""
    dtype, most = ("pl.Float32", MAX_FLOAT32) if of == FLOAT32 else ("pl.Float64", MAX_FLOAT)
    if value.type == of and not value.bare:
        return value
    limit = magnitude(value)
    source = expression(value)
    return Fragment(
        f"{source.receiver}.cast({dtype})",
        Binding.ATOM,
        of,
        limit=min(limit, most),
        inputs=source.inputs,
        unguarded=source.unguarded or limit > most,
    )


def magnitude(value: Fragment) -> float:
    """Greatest magnitude of a number, as a double."""
    if value.type.is_integer:
        return float(max(abs(value.low), abs(value.high)))
    if value.type.kind is Kind.DECIMAL:
        return 10.0 ** (value.digits - value.type.scale)
    return value.limit
