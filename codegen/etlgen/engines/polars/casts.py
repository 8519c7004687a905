"""CAST inside expressions: Polars' own where it is exact for every value, else the cast table of the runtime."""

from __future__ import annotations

from decimal import Decimal

from etlgen.engines.polars import decimals, integers
from etlgen.engines.polars.fragments import Binding, Fragment, quoted, typed
from etlgen.engines.polars.literals import expression, literal_fragment, null_fragment
from etlgen.engines.polars.settling import aligned
from etlgen.engines.polars.types import dtype_source
from etlgen.expr import Literal
from etlgen_runtime.types import DATE, FLOAT64, STRING, TIMESTAMP, Kind, LogicalType, decimal

_EXACT_IN_A_DOUBLE = 2**53


def cast_fragment(value: Fragment, before: LogicalType, target: LogicalType) -> Fragment:
    """``value`` of type ``before`` as ``target``; NULL when it does not fit."""
    if before == target or (before.kind is target.kind and before.kind is not Kind.DECIMAL):
        return value
    if before.kind is Kind.NULL:
        return null_fragment(target)
    native = _native(value, before, target)
    if native is not None:
        return native
    source = aligned(value, before)
    names = f"{quoted(str(before))}, {quoted(str(target))}"
    zone = f", {quoted(target.assumed_zone)}" if target.assumed_zone else ""
    return typed(f"fn.cast({source.text}, {names}{zone})", target)


def folded_cast(literal: Literal, target: LogicalType) -> Fragment | None:
    """A number converted at build where that is exact; ``None`` when it must be left to the run."""
    value = literal.value
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    if target.is_float and Decimal(float(value)) == value:
        return literal_fragment(Literal(float(value), target))
    if target.kind is Kind.DECIMAL:
        fragment = literal_fragment(Literal(Decimal(value), target))
        exact = Decimal(value) == round(Decimal(value), target.scale)
        return fragment if exact and fragment.digits <= target.precision else None
    if target.is_integer and value == int(value):
        fragment = literal_fragment(Literal(int(value), target))
        return fragment if integers.fits(fragment, target) else None
    return None


def _native(value: Fragment, before: LogicalType, target: LogicalType) -> Fragment | None:
    """Polars' own cast, when it is exact and never fails."""
    source = expression(value)
    text = f"{source.receiver}.cast({dtype_source(target)})"
    if before.is_integer and source.type.is_integer:
        return _of_integer(source, text, before, target)
    if before.kind is Kind.DECIMAL and target.kind is Kind.DECIMAL and decimals.fits(source, target):
        return Fragment(text, Binding.ATOM, target, digits=source.digits + target.scale - source.type.scale)
    if before.kind is Kind.DECIMAL and target == FLOAT64 and source.digits <= decimals.MAX_DIGITS:
        return Fragment(text, Binding.ATOM, target, limit=10.0 ** (source.digits - source.type.scale))
    if before.kind in (Kind.DATE, Kind.TIMESTAMP) and target.kind is Kind.TIMESTAMP_TZ and target.assumed_zone == "UTC":
        midnight = f"{source.receiver}.cast({dtype_source(TIMESTAMP)})"
        naive = source.receiver if before.kind is Kind.TIMESTAMP else midnight
        return typed(f'{naive}.dt.replace_time_zone("UTC")', target)
    plain = {
        (Kind.BOOLEAN, STRING),
        (Kind.DATE, TIMESTAMP),
        (Kind.UUID, STRING),
        (Kind.JSON, STRING),
        (DATE.kind, STRING),
    }
    return typed(text, target) if (before.kind, target) in plain else None


def _of_integer(source: Fragment, text: str, before: LogicalType, target: LogicalType) -> Fragment | None:
    settled = integers.fits(source, before)
    if target.is_integer and settled:
        if integers.fits(source, target):
            return integers.typed_integer(text, target, (source.low, source.high))
        return typed(f"{source.receiver}.cast({dtype_source(target)}, strict=False)", target)
    size = max(abs(source.low), abs(source.high))
    if target == FLOAT64 and settled and size <= _EXACT_IN_A_DOUBLE:
        return Fragment(text, Binding.ATOM, target, limit=float(size))
    if target.kind is Kind.DECIMAL and settled:
        digits = len(str(size))
        if decimals.fits(Fragment("", Binding.ATOM, decimal(38, 0), digits=digits), target):
            return Fragment(text, Binding.ATOM, target, digits=digits + target.scale)
    return typed(text, target) if target == STRING and settled else None
