"""CASE, COALESCE, NULLIF, GREATEST and LEAST: one value out of several."""

from __future__ import annotations

from dataclasses import replace

from etlgen.engines.polars import decimals, integers
from etlgen.engines.polars.fragments import Binding, Fragment, merged, typed
from etlgen.engines.polars.literals import expression
from etlgen.engines.polars.settling import aligned
from etlgen_runtime.types import INT64, INT128, Kind, LogicalType

_FILLED = frozenset({Kind.STRING, Kind.BOOLEAN, Kind.INT64, Kind.FLOAT64})


def choose(values: tuple[Fragment, ...], of: LogicalType) -> tuple[tuple[Fragment, ...], Fragment]:
    """The values in one Polars type, and what is known of the one chosen: wide integers stay wide."""
    if of.is_integer and (of == INT128 or any(_is_wide(value, of) for value in values)):
        return _integers(values)
    if any(value.unscaled for value in values):
        return _unscaled(values, of)
    held = tuple(aligned(value, of) for value in values)
    inputs: tuple[str, ...] = ()
    for value in held:
        inputs = merged(inputs, value.inputs)
    return held, typed("", of, inputs=inputs)


def _is_wide(value: Fragment, of: LogicalType) -> bool:
    return value.type.is_integer and not integers.fits(value, of)


def _integers(values: tuple[Fragment, ...]) -> tuple[tuple[Fragment, ...], Fragment]:
    """Integers in the narrowest of 64 and 128 bits that holds them all; NULL beyond 128 bits."""
    known = [value for value in values if value.type.is_integer]
    bounds = min((value.low for value in known), default=0), max((value.high for value in known), default=0)
    if not any(_is_wide(value, INT64) for value in known):
        held = tuple(_as_long(value) for value in values)
        return held, integers.typed_integer("", INT64, bounds)
    held = tuple(integers.in_128_bits(value) if value.type.is_integer else aligned(value, INT128) for value in values)
    bounds = min(value.low for value in held), max(value.high for value in held)
    return held, integers.typed_integer("", INT128, bounds)


def _as_long(value: Fragment) -> Fragment:
    return integers.widened(value, INT64) if value.type.is_integer else aligned(value, INT64)


def _unscaled(values: tuple[Fragment, ...], of: LogicalType) -> tuple[tuple[Fragment, ...], Fragment]:
    """Decimals of which one may be beyond 38 digits, all as unscaled integers of the scale of ``of``."""
    held: list[Fragment] = []
    for value in values:
        if value.unscaled and value.type.scale == of.scale:
            held.append(value)
        else:
            held.append(typed(f"{aligned(value, of).receiver}.to_physical()", INT128))
    return tuple(held), Fragment("", Binding.ATOM, of, digits=of.precision + 1, unscaled=True)


def case(branches: tuple[tuple[Fragment, Fragment], ...], default: Fragment | None, of: LogicalType) -> Fragment:
    """``pl.when(...).then(...)``; without ``default`` the rest is NULL."""
    values = tuple(value for _, value in branches) + ((default,) if default is not None else ())
    held, known = choose(values, of)
    steps = [
        f"when({expression(condition).text}).then({value.text})"
        for (condition, _), value in zip(branches, held, strict=False)
    ]
    if default is not None:
        steps.append(f"otherwise({held[-1].text})")
    return replace(known, text="pl." + ".".join(steps), binding=Binding.ATOM)


def coalesce(values: tuple[Fragment, ...], of: LogicalType) -> Fragment:
    """The first non-NULL value, a decimal beyond 38 digits taken for NULL; ``fill_null`` where a constant of the column's own type
    follows.
    """
    if len(values) == 1:
        return values[0]
    first, last = values[0], values[-1]
    same = first.type == last.type == of and (not of.is_integer or integers.fits(first, of))
    if len(values) == 2 and same and last.bare and not first.bare and of.kind in _FILLED:
        return first.method(f"fill_null({last.text})", of)
    held, known = choose(tuple(map(decimals.scaled, values)), of)
    return replace(known, text=f"pl.coalesce({', '.join(value.text for value in held)})", binding=Binding.ATOM)


def null_if(value: Fragment, other: Fragment, of: LogicalType) -> Fragment:
    """NULL where both are equal."""
    kept = aligned(value, of)
    condition = f"{kept.receiver}.ne_missing({other.text})"
    return typed(f"pl.when({condition}).then({kept.text})", of, inputs=kept.inputs)


def extreme(function: str, values: tuple[Fragment, ...], of: LogicalType) -> Fragment:
    """GREATEST, LEAST: NULLs skipped, NaN above every number."""
    if len(values) == 1:
        return values[0]
    held, known = choose(tuple(map(decimals.scaled, values)), of)
    name = {"greatest": "pl.max_horizontal", "least": "pl.min_horizontal"}[function]
    if function == "greatest" and of.is_float:
        name = "fn.greatest"
    return replace(known, text=f"{name}({', '.join(value.text for value in held)})", binding=Binding.ATOM)
