"""From what arithmetic left (wide, unguarded) to a value of the expression's own type: NULL where it does not fit."""

from __future__ import annotations

from etlgen.engines.polars import decimals, integers
from etlgen.engines.polars.fragments import Fragment, guarded, typed
from etlgen.engines.polars.literals import expression, null_fragment
from etlgen.engines.polars.types import dtype_source
from etlgen_runtime.types import Kind, LogicalType


def settled(fragment: Fragment, of: LogicalType) -> Fragment:
    """A value of ``of`` or NULL, in whatever width Polars holds it: for comparisons and arguments."""
    if fragment.unguarded:
        return guarded(fragment)
    if of.is_integer and fragment.type.is_integer and not fragment.bare and not integers.fits(fragment, of):
        text = f"{fragment.receiver}.cast({dtype_source(of)}, strict=False)"
        return typed(text, of)
    return decimals.scaled(fragment)


def aligned(fragment: Fragment, of: LogicalType) -> Fragment:
    """A Polars expression that holds exactly ``of``, NULL where the value does not fit: for results and branches."""
    if fragment.type.kind in (Kind.NULL, Kind.UNKNOWN):
        return null_fragment(of) if fragment.type.kind is Kind.NULL else fragment
    value = expression(settled(fragment, of))
    if value.type == of or _same_physical(value.type, of):
        return value
    return _converted(value, of)


def narrowable(fragment: Fragment, of: LogicalType) -> bool:
    """Whether a value may fail to fit ``of``: the question of a checked assignment."""
    if of.is_integer and fragment.type.is_integer:
        return not integers.fits(fragment, of)
    return of.kind is Kind.DECIMAL and fragment.type.kind is Kind.DECIMAL and not decimals.fits(fragment, of)


def _same_physical(first: LogicalType, second: LogicalType) -> bool:
    return (first.is_text and second.is_text) or (
        first.kind is second.kind and first.precision == second.precision and first.scale == second.scale
    )


def _converted(value: Fragment, of: LogicalType) -> Fragment:
    lenient = ", strict=False" if narrowable(value, of) else ""
    return typed(f"{value.receiver}.cast({dtype_source(of)}{lenient})", of, inputs=value.inputs)
