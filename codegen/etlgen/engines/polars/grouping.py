"""Aggregates of a rollup as Polars source: what is computed of the rows, of the groups, and of their aggregates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeGuard

from etlgen.engines.polars import integers
from etlgen.engines.polars.exactness import emit_exact, exact, is_widened
from etlgen.engines.polars.fragments import Binding, Fragment, column_source
from etlgen.engines.polars.losses import lost
from etlgen.engines.polars.settling import aligned, narrowable
from etlgen.expr import Call, Column, Expr, replaced, walk
from etlgen.plan import AggregateRows
from etlgen_runtime.types import FLOAT64, INT128, Kind, LogicalType

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
        arguments: New columns before the groups, arguments of aggregates that are no plain column: name by receiver.
        aggregates: Source text by output or temporary name.
        results: Outputs computed from grouped columns and aggregates, in order; TRUE where a number was lost for them.
        temporary: Names that are no output.
        lost: Where an aggregate was computed from a number too large to be held: name of a temporary column by aggregate.
    """

    arguments: dict[str, str] = field(default_factory=dict[str, str])
    aggregates: dict[str, str] = field(default_factory=dict[str, str])
    results: list[tuple[str, Expr, str | None]] = field(default_factory=list[tuple[str, Expr, str | None]])
    temporary: list[str] = field(default_factory=list[str])
    lost: dict[Call, str] = field(default_factory=dict[Call, str])


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
            parts.results.append((name, replaced(expr, value_of), _lost_in(expr, parts)))
            continue
        parts.aggregates[name] = _aggregate(expr, parts)
        held, found = _held(expr, name), _lost_in(expr, parts)
        if found or not isinstance(held, Column):
            parts.results.append((name, held, found))
    return parts


def _lost_in(expr: Expr, parts: Grouped) -> str | None:
    """TRUE where a number was lost for one of the aggregates of an output."""
    names = dict.fromkeys(parts.lost[node] for node in walk(expr) if _is_aggregate(node) and node in parts.lost)
    return " | ".join(map(column_source, names)) or None


def _is_aggregate(expr: Expr) -> TypeGuard[Call]:
    return isinstance(expr, Call) and expr.function in AGGREGATES


def _held(call: Call, name: str) -> Expr:
    """The aggregate, read from the column that holds it."""
    column = Column(name, call.type)
    if call.function == "sum" and _sums_unscaled(call):
        return Call("unscaled_sum", (column,), call.type)
    if call.function in ("min", "max") and _is_wide(call.args[0]):
        return Call("wide_integer", (column,), call.type)
    if call.function in ("min", "max") and is_widened(call.args[0]):
        return Call("wide_decimal", (Column(name, exact(call.args[0]).type),), call.type)
    return column


def _sums_unscaled(call: Call) -> bool:
    if call.type.kind is not Kind.DECIMAL:
        return False
    value = emit_exact(call.args[0])
    return value.unscaled or value.digits > _NEVER_BEYOND


def _is_wide(arg: Expr) -> bool:
    """An integer that may be beyond its type."""
    return arg.type.is_integer and narrowable(emit_exact(arg), arg.type)


def _aggregate(call: Call, parts: Grouped) -> str:
    if call.args and call not in parts.lost:
        _remember_losses(call, parts)
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
    """The argument as a column: in its type, or as a number beyond it."""
    (arg,) = call.args
    value = emit_exact(arg)
    return _as_column(arg, value if _is_wide(arg) else aligned(value, _held_as(call)), parts)


def _held_as(call: Call) -> LogicalType:
    """The type of the column of an argument that is no integer beyond its type."""
    (arg,) = call.args
    one_of_them = call.function in ("min", "max") and call.type.kind is Kind.DECIMAL
    return call.type if one_of_them and not is_widened(arg) else exact(arg).type


def _as_column(arg: Expr, value: Fragment, parts: Grouped) -> Fragment:
    """``value`` by the name of its column; one that is computed becomes a column first, a constant one for each row."""
    if isinstance(arg, Column):
        return value
    return replace(value, text=column_source(_new_column(value.receiver, parts)), binding=Binding.ATOM)


def _new_column(receiver: str, parts: Grouped) -> str:
    """The name of a column of the rows before they are grouped; what is computed twice is one column."""
    return parts.arguments.setdefault(receiver, f"__etlgen_argument_{len(parts.arguments) + 1}")


def _remember_losses(call: Call, parts: Grouped) -> None:
    """A column of the groups that is TRUE where a number was lost in an argument, or in a sum of integers."""
    (arg,) = call.args
    found: list[str] = []
    in_rows = lost(arg, carried=call.function == "sum" and call.type.kind is Kind.DECIMAL)
    if in_rows:
        found.append(f"{column_source(_new_column(f'({in_rows})', parts))}.any()")
    value = emit_exact(arg)
    if call.function in ("sum", "avg") and value.type.is_integer and _may_leave_128_bits(value):
        column = _as_column(arg, value, parts)
        if not integers.fits(value, INT128):
            found.append(f"fn.lost({_wide(column).text}, {column.text}).any()")
        if call.function == "sum":
            found.append(f"fn.lost_total({_wide(column).text})")
    if found:
        name = parts.lost[call] = f"__etlgen_lost_{len(parts.lost) + 1}"
        parts.temporary.append(name)
        parts.aggregates[name] = " | ".join(found)


def _may_leave_128_bits(value: Fragment) -> bool:
    """Whether some number of rows has a sum of integers beyond 128 bits."""
    return max(abs(value.low), abs(value.high)) > _NEVER_WRAPS


def _wide(value: Fragment) -> Fragment:
    return value if value.type == INT128 else integers.in_128_bits(value)


def _number(call: Call, parts: Grouped) -> str:
    """``sum`` or ``avg`` in the cheapest form that is exact for every possible value."""
    (arg,) = call.args
    value = _as_column(arg, emit_exact(arg), parts)
    stem = "total" if call.function == "sum" else "mean"
    if value.type.is_integer:
        wide = _wide(value)
        if not _may_leave_128_bits(value):
            return f"fn.{stem}({wide.text})"
        return f"fn.total_wide({wide.text})" if stem == "total" else f"fn.mean_unscaled({wide.text}, 0)"
    if value.type.kind is Kind.DECIMAL and (value.unscaled or value.digits > _NEVER_BEYOND):
        digits = value.text if value.unscaled else f"{value.receiver}.to_physical()"
        return f"fn.total_unscaled({digits})" if stem == "total" else f"fn.mean_unscaled({digits}, {value.type.scale})"
    if value.type.is_float:
        double = value.text if value.type == FLOAT64 else f"{value.receiver}.cast(pl.Float64)"
        return f"fn.{stem}_float({double})"
    return f"fn.{stem}({value.text})"
