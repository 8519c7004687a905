"""Aggregates of a rollup as Polars source: what is computed of the rows, of the groups, and of their aggregates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeGuard

from etlgen.engines.polars.expressions import emit_wide
from etlgen.engines.polars.fragments import Binding, Fragment, column_source, quoted
from etlgen.engines.polars.settling import aligned
from etlgen.expr import Call, Column, Expr, replaced
from etlgen.plan import AggregateRows
from etlgen_runtime.types import FLOAT64, INT128, Kind

AGGREGATES = frozenset({"count_star", "count", "count_distinct", "sum", "avg", "min", "max"})
"""Canonical names of ``etlgen.sql.aggregates.GROUP_FUNCTIONS``."""

_NEVER_WRAPS = 2**64
"""Integers up to here have a sum within 128 bits, however many rows there are."""
_NEVER_BEYOND = 19
"""Decimals of so many digits have a sum within 38 digits."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """The parts of one rollup.

    Args:
        arguments: New columns before the groups: arguments of aggregates that are no plain column.
        aggregates: Source text by output or temporary name.
        results: Outputs computed from grouped columns and aggregates, in order.
        temporary: Names that are no output.
    """

    arguments: list[str] = field(default_factory=list[str])
    aggregates: dict[str, str] = field(default_factory=dict[str, str])
    results: list[tuple[str, Expr]] = field(default_factory=list[tuple[str, Expr]])
    temporary: list[str] = field(default_factory=list[str])


def grouped(relation: AggregateRows) -> Grouped:
    """Take the aggregations apart; an aggregate that occurs twice is computed once."""
    parts = Grouped()
    names: dict[Call, str] = {}

    def value_of(expr: Expr) -> Expr | None:
        """An aggregate as the temporary column that holds it."""
        if not _is_aggregate(expr):
            return None
        if expr not in names:
            names[expr] = f"__etlgen_aggregate_{len(names) + 1}"
            parts.temporary.append(names[expr])
            parts.aggregates[names[expr]] = _aggregate(expr, parts)
        return _held(expr, names[expr])

    for name, expr in relation.aggregations:
        if not _is_aggregate(expr):
            parts.results.append((name, replaced(expr, value_of)))
            continue
        parts.aggregates[name] = _aggregate(expr, parts)
        held = _held(expr, name)
        if not isinstance(held, Column):
            parts.results.append((name, held))
    return parts


def _is_aggregate(expr: Expr) -> TypeGuard[Call]:
    return isinstance(expr, Call) and expr.function in AGGREGATES


def _held(call: Call, name: str) -> Expr:
    """The aggregate, read from the column that holds it."""
    column = Column(name, call.type)
    unscaled = call.function == "sum" and _sums_unscaled(call)
    return Call("unscaled_sum", (column,), call.type) if unscaled else column


def _sums_unscaled(call: Call) -> bool:
    if call.type.kind is not Kind.DECIMAL:
        return False
    value = emit_wide(call.args[0])
    return value.unscaled or value.digits > _NEVER_BEYOND


def _aggregate(call: Call, parts: Grouped) -> str:
    match call.function:
        case "count_star":
            return "fn.count_rows()"
        case "sum" | "avg":
            return _number(call, parts)
        case "count":
            return f"fn.count_values({_argument(call, parts).text})"
        case "count_distinct":
            return f"fn.count_distinct({_argument(call, parts).text})"
        case _:
            value = _argument(call, parts)
            nan_counts = call.function == "max" and call.type.is_float
            return f"{value.receiver}.{'nan_max' if nan_counts else call.function}()"


def _argument(call: Call, parts: Grouped) -> Fragment:
    """The settled argument as a column."""
    (arg,) = call.args
    return _as_column(arg, aligned(emit_wide(arg), arg.type), parts)


def _as_column(arg: Expr, value: Fragment, parts: Grouped) -> Fragment:
    """``value`` by the name of its column; one that is computed becomes a column first, a constant one for each row."""
    if isinstance(arg, Column):
        return value
    name = f"__etlgen_argument_{len(parts.arguments) + 1}"
    parts.arguments.append(f"{value.receiver}.alias({quoted(name)})")
    return replace(value, text=column_source(name), binding=Binding.ATOM)


def _number(call: Call, parts: Grouped) -> str:
    """``sum`` or ``avg`` in the cheapest form that is exact for every possible value."""
    (arg,) = call.args
    value = _as_column(arg, emit_wide(arg), parts)
    stem = "total" if call.function == "sum" else "mean"
    if value.type.is_integer:
        wide = value if value.type == INT128 else value.method("cast(pl.Int128)", INT128)
        if max(abs(value.low), abs(value.high)) <= _NEVER_WRAPS:
            return f"fn.{stem}({wide.text})"
        return f"fn.total_wide({wide.text})" if stem == "total" else f"fn.mean_unscaled({wide.text}, 0)"
    if value.type.kind is Kind.DECIMAL and (value.unscaled or value.digits > _NEVER_BEYOND):
        digits = value.text if value.unscaled else f"{value.receiver}.to_physical()"
        return f"fn.total_unscaled({digits})" if stem == "total" else f"fn.mean_unscaled({digits}, {value.type.scale})"
    if value.type.is_float:
        double = value.text if value.type == FLOAT64 else f"{value.receiver}.cast(pl.Float64)"
        return f"fn.{stem}_float({double})"
    return f"fn.{stem}({value.text})"
