"""Decimal arithmetic: Polars' own while 38 digits are surely enough, else the runtime's (semantics, section 5)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from etlgen.engines.polars.fragments import Binding, Fragment
from etlgen.engines.polars.literals import expression, null_fragment
from etlgen.engines.polars.types import dtype_source
from etlgen_runtime.types import Kind, LogicalType, decimal

MAX_DIGITS = 38
_SYMBOLS = {"add": ("+", Binding.SUM), "sub": ("-", Binding.SUM)}
_EXACT = {
    "add": "fn.checked_add",
    "sub": "fn.checked_subtract",
    "mul": "fn.checked_multiply",
    "mod": "fn.checked_remainder",
}


def decimal_call(function: str, args: tuple[Fragment, ...]) -> Fragment:
    """``add``, ``sub``, ``mul``, ``mod``, ``neg`` or ``abs``; integer operands become decimals of scale 0."""
    first = as_decimal(args[0])
    if function == "neg" and first.unscaled:  # Polars has no negation of 128-bit integers
        return replace(first, text=f"0 - {first.above(Binding.SUM)}", binding=Binding.SUM)
    if function == "neg":
        return replace(first, text=f"-{expression(first).at(Binding.UNARY)}", binding=Binding.UNARY, bare=False)
    if function == "abs":
        return replace(first, text=f"{expression(first).receiver}.abs()", binding=Binding.ATOM, bare=False)
    second = as_decimal(args[1])
    if first.bare and second.bare:
        first = expression(first)
    if function == "mul":
        return _product(first, second)
    if function == "mod":
        scale = max(first.type.scale, second.type.scale)
        whole = max(item.digits - item.type.scale for item in (first, second))
        digits = scale + whole if scale + whole <= MAX_DIGITS else MAX_DIGITS + 1
        return _exact("mod", first, second, scale, digits)
    return _sum(function, first, second)


def as_decimal(value: Fragment) -> Fragment:
    """A number as a decimal; an integer gets the digits that its bounds need."""
    if value.type.kind is Kind.DECIMAL:
        return replace(value, text=f'Decimal("{_plain(value)}")', binding=Binding.ATOM) if value.bare else value
    digits = max(len(str(abs(value.low))), len(str(abs(value.high))))
    of = decimal(min(digits, MAX_DIGITS), 0)
    if value.bare:
        return Fragment(f'Decimal("{value.text}")', Binding.ATOM, of, digits=digits, bare=True)
    text = f"{value.receiver}.cast({dtype_source(of)}{', strict=False' if digits > MAX_DIGITS else ''})"
    return Fragment(text, Binding.ATOM, of, digits=min(digits, MAX_DIGITS))


def _plain(value: Fragment) -> str:
    """The digits of a bare decimal, with all places of its type's scale."""
    text = value.text.removeprefix('Decimal("').removesuffix('")')
    return f"{Decimal(text):.{value.type.scale}f}"


def _sum(function: str, first: Fragment, second: Fragment) -> Fragment:
    scale = max(first.type.scale, second.type.scale)
    digits = scale + 1 + max(item.digits - item.type.scale for item in (first, second))
    if digits > MAX_DIGITS or first.unscaled or second.unscaled:
        return _exact(function, first, second, scale, digits)
    symbol, binding = _SYMBOLS[function]
    text = f"{first.at(binding)} {symbol} {second.above(binding)}"
    return Fragment(text, binding, decimal(MAX_DIGITS, scale), digits=digits)


def _product(first: Fragment, second: Fragment) -> Fragment:
    """Polars multiplies to the greater scale, rounding, so the product is taken of the unscaled integers."""
    scale = first.type.scale + second.type.scale
    digits = first.digits + second.digits
    if scale > MAX_DIGITS:  # no decimal of 38 digits has such a scale
        return replace(null_fragment(decimal(MAX_DIGITS, MAX_DIGITS)), partial=True)
    if digits > MAX_DIGITS or first.unscaled or second.unscaled:
        return _exact("mul", first, second, scale, digits)
    text = f"fn.decimal_product({expression(first).text}, {expression(second).text}, {scale})"
    return Fragment(text, Binding.ATOM, decimal(MAX_DIGITS, scale), digits=digits)


def _exact(function: str, first: Fragment, second: Fragment, scale: int, digits: int) -> Fragment:
    operands = f"{expression(first).text}, {expression(second).text}"
    scales = "" if function == "mul" else f", scales=({first.type.scale}, {second.type.scale})"
    text = f"{_EXACT[function]}({operands}{scales})"
    of = decimal(MAX_DIGITS, scale)
    return Fragment(text, Binding.ATOM, of, digits=digits, unscaled=True, partial=digits > MAX_DIGITS)


def scaled(value: Fragment) -> Fragment:
    """As a decimal that Polars knows as one; NULL beyond 38 digits."""
    if not value.unscaled:
        return value
    text = f"fn.within_38_digits({value.text}, {value.type.scale})"
    return Fragment(text, Binding.ATOM, value.type, digits=min(value.digits, MAX_DIGITS))


def for_the_cast_table(value: Fragment) -> Fragment:
    """As what a checked assignment judges: text where the value may need more than 38 digits."""
    if not value.unscaled:
        return expression(value)
    return Fragment(f"fn.decimal_text({value.text}, {value.type.scale})", Binding.ATOM, value.type)


def round_call(value: Fragment, digits: int) -> Fragment:
    """``round`` half away from zero; the scale becomes ``digits``, at least 0 and at most what it was."""
    scale = value.type.scale
    if digits >= scale:
        return value
    kept = max(digits, 0)
    whole = value.digits - scale + 1
    of, needed = decimal(MAX_DIGITS, kept), whole + kept
    name, is_beyond = ("checked_round", True) if needed > MAX_DIGITS else ("round_decimal", False)
    text = f"fn.{name}({expression(value).text}, {scale}, {digits})"
    return Fragment(text, Binding.ATOM, of, digits=needed, unscaled=is_beyond, partial=is_beyond)


def whole_call(function: str, value: Fragment) -> Fragment:
    """``floor`` or ``ceil``: scale 0."""
    if value.type.scale == 0:
        return value
    text = f"fn.{function}_decimal({expression(value).text}, {value.type.scale})"
    return Fragment(text, Binding.ATOM, decimal(MAX_DIGITS, 0), digits=value.digits - value.type.scale + 1)


def fits(value: Fragment, of: LogicalType) -> bool:
    """Whether every possible decimal is one of ``of``."""
    return value.type.scale <= of.scale and value.digits - value.type.scale <= of.precision - of.scale
