"""Constants as Python source. Every text passes through ``ascii``: contracts are hostile."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

from etlgen.engines.polars.fragments import Binding, Fragment, quoted, typed
from etlgen.engines.polars.types import dtype_source
from etlgen.expr import Expr, Interval, Literal, LiteralValue
from etlgen_runtime.types import Kind, LogicalType

_BARE_INTEGER = range(-(2**63), 2**63)


def literal_fragment(literal: Literal) -> Fragment:
    """A bare Python constant with what is known of it; NULL is a typed ``pl.lit(None)``."""
    value, of = literal.value, literal.type
    if value is None:
        return null_fragment(of)
    if isinstance(value, Interval):
        raise TypeError("an interval stands only in date_add, which reads it itself")
    text = python_source(value)
    binding = Binding.UNARY if text.startswith("-") else Binding.ATOM
    if isinstance(value, int | float | Decimal) and of.is_numeric:
        number = int(value) if of.is_integer else 0
        limit = abs(float(value)) if of.is_float else 0.0
        digits = _digits(value, of) if of.kind is Kind.DECIMAL else 0
        return Fragment(text, binding, of, number, number, limit, digits, bare=True)
    return Fragment(text, binding, of, bare=True)


def is_null(expr: Expr) -> bool:
    """Whether ``expr`` is a NULL constant."""
    return isinstance(expr, Literal) and expr.value is None


def null_fragment(of: LogicalType) -> Fragment:
    """A NULL of type ``of``."""
    if of.kind in (Kind.NULL, Kind.UNKNOWN, Kind.INTERVAL):
        return typed("pl.lit(None)", of)
    return typed(f"pl.lit(None, dtype={dtype_source(of)})", of)


def expression(fragment: Fragment) -> Fragment:
    """``fragment`` as a Polars expression: a constant inside ``pl.lit``, with its type where Polars would guess another."""
    if not fragment.bare:
        return fragment
    guessed = fragment.type.kind in (Kind.STRING, Kind.BOOLEAN, Kind.FLOAT64, Kind.DATE, Kind.UUID, Kind.JSON)
    dtype = (
        "" if guessed or fragment.type.kind in (Kind.NULL, Kind.UNKNOWN) else f", dtype={dtype_source(fragment.type)}"
    )
    return Fragment(
        f"pl.lit({fragment.text}{dtype})",
        Binding.ATOM,
        fragment.type,
        fragment.low,
        fragment.high,
        fragment.limit,
        fragment.digits,
    )


def python_source(value: LiteralValue) -> str:
    """A Python expression of exactly this value, over the names ``dt`` (datetime) and ``Decimal``."""
    match value:
        case bool() | int() | bytes():
            return repr(value)
        case float():
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        case Decimal():
            return _decimal_source(value)
        case str():
            return quoted(value)
        case dt.datetime():
            return _moment_source("datetime", value.timetuple()[:6], value.microsecond, value.tzinfo is not None)
        case dt.date():
            return f"dt.date({value.year}, {value.month}, {value.day})"
        case dt.time():
            return _moment_source("time", (value.hour, value.minute, value.second), value.microsecond, False)
        case dt.timedelta():
            return f"dt.timedelta(days={value.days}, seconds={value.seconds}, microseconds={value.microseconds})"
        case None:
            return "None"


def _decimal_source(value: Decimal) -> str:
    if value == value.to_integral_value() and int(value) in _BARE_INTEGER:
        return str(int(value))
    return f'Decimal("{value:f}")'


def _moment_source(name: str, parts: tuple[int, ...], microsecond: int, aware: bool) -> str:
    arguments = [str(part) for part in parts]
    if microsecond:
        arguments.append(str(microsecond))
    if aware:
        arguments.append("tzinfo=dt.UTC")
    return f"dt.{name}({', '.join(arguments)})"


def _digits(value: LiteralValue, of: LogicalType) -> int:
    """Digits that the constant needs at the scale of its type."""
    scaled = abs(Decimal(str(value)).scaleb(of.scale))
    return max(len(str(int(scaled))), of.scale)
