"""A new or rewritten column as Polars source: its value, and what tells that it does not fit (semantics, section 5)."""

from __future__ import annotations

from dataclasses import dataclass

from etlgen.engines.polars import decimals
from etlgen.engines.polars.exactness import exact
from etlgen.engines.polars.expressions import emit_wide
from etlgen.engines.polars.fragments import column_source, quoted
from etlgen.engines.polars.losses import losses_of
from etlgen.engines.polars.settling import aligned, narrowable
from etlgen.expr import Expr
from etlgen_runtime.types import LogicalType


@dataclass(frozen=True, slots=True)
class Assignment:
    """The source of one column.

    Args:
        text: The value. Without ``target`` it holds exactly the expression's type and bears the column's name.
        target: The type that the runtime's ``fit`` must judge the value by; ``None``: every value fits.
        operands: What the value is computed from, where it is NULL for a number that Polars cannot hold.
        lost: TRUE where such a number was lost inside the expression.
    """

    text: str
    target: LogicalType | None = None
    operands: tuple[str, ...] = ()
    lost: str | None = None


def emit_assignment(name: str, expr: Expr, checked: bool) -> Assignment:
    """The value of column ``name``.

    Args:
        name: The column that is written.
        expr: Its value.
        checked: A value that does not fit makes the row bad (semantics, section 5: derived columns); otherwise it becomes NULL.
    """
    if not checked:
        return Assignment(_named(name, expr, expr.type))
    losses = losses_of(expr)
    value = emit_wide(exact(expr))
    if losses.operands or losses.inside or narrowable(value, expr.type):
        return Assignment(decimals.for_the_cast_table(value).text, expr.type, losses.operands, losses.inside)
    return Assignment(_named(name, exact(expr), expr.type))


def _named(name: str, expr: Expr, of: LogicalType) -> str:
    held = aligned(emit_wide(expr), of)
    return held.text if held.text.startswith(column_source(name)) else f"{held.receiver}.alias({quoted(name)})"
