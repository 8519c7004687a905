"""SQL expressions of operations, resolved against the rows before them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf

from etlgen.contract import Text
from etlgen.diagnostics.model import Diagnostic
from etlgen.expr import Call, Case, Expr, walk
from etlgen.lower.scope import Scope
from etlgen.plan import Schema
from etlgen.ranges import wide_enough
from etlgen.sql import Resolved, resolve_grouped, resolve_scalar
from etlgen.sql.result_types import MAX_PRECISION
from etlgen_runtime.casts import always_fits, is_castable
from etlgen_runtime.types import Kind, LogicalType, decimal

_MAY_OVERFLOW = frozenset({"add", "sub", "mul", "intdiv", "mod", "neg", "abs", "round"})


def resolve_expression(
    scope: Scope, sql: Text, context: OneOf["derive", "filter"]
) -> tuple[Expr, frozenset[str]] | None:
    """The typed tree of ``sql`` and the columns it reads; findings go to the scope, ``None`` when there are errors."""
    rows = visible_to_sql(scope.schema, scope.closed, scope.undeclared_type)
    resolved = resolve_scalar(
        sql, rows, context=context, undeclared_type=scope.undeclared_type, qualifiers=scope.qualifiers
    )
    return _taken_into(scope, resolved)


def resolve_aggregation(scope: Scope, sql: Text, group_by: tuple[str, ...]) -> tuple[Expr, frozenset[str]] | None:
    """The same for one aggregation of a rollup over ``group_by``."""
    rows = visible_to_sql(scope.schema, scope.closed, scope.undeclared_type)
    resolved = resolve_grouped(sql, rows, group_by, undeclared_type=scope.undeclared_type, qualifiers=scope.qualifiers)
    return _taken_into(scope, resolved)


def _taken_into(scope: Scope, resolved: Resolved) -> tuple[Expr, frozenset[str]] | None:
    scope.findings.add(*(_with_hint(scope, found) for found in new_findings(resolved, scope.schema)))
    for name in sorted(resolved.undeclared - frozenset(scope.schema.names)):
        scope.take(name)
    return None if resolved.expr is None else (resolved.expr, resolved.reads)


def _with_hint(scope: Scope, found: Diagnostic) -> Diagnostic:
    """A type error before step 3 of a text source is mostly about types that are not there yet: say so."""
    if scope.phase != "pre" or not scope.text_source or not found.code.startswith("TYP-"):
        return found
    hint = f"columns of a text source are text until step 3: cast them in phase pre, or let {scope.name} run in post"
    return replace(found, help=f"{found.help}; {hint}" if found.help else hint)


def visible_to_sql(rows: Schema, closed: bool, undeclared: LogicalType) -> Schema:
    """The rows as SQL sees them: where the schema is open, a text column that nobody declared is left out, so that its
    misuse is reported with the fix for undeclared columns (TYP-006).
    """
    if closed:
        return replace(rows, open=False)
    known = tuple(
        column
        for column in rows.columns
        if column.origin != "undeclared" or column.type != undeclared or column.type.kind is Kind.UNKNOWN
    )
    return Schema(known, open=True)


def new_findings(resolved: Resolved, rows: Schema) -> tuple[Diagnostic, ...]:
    """The findings without SQL-010 for columns that the rows already have: those were reported where first read."""
    if resolved.undeclared - frozenset(rows.names):
        return resolved.diagnostics
    return tuple(found for found in resolved.diagnostics if found.code != "SQL-010")


def held_exactly(scope: Scope, name: str, expr: Expr) -> Expr:
    """``expr`` as the value of column ``name``: with a type that holds the exact number until it is judged by the declared one.

    A declared integer type that holds more than the expression's own takes its place; any other declared type is that of the
    casts at the end of the section, and until then the column has the type that every number fits. What is not declared keeps
    the expression's own type, and is judged by it (semantics, section 5).
    """
    declared = scope.declared.get(name)
    if declared is None or declared.type == expr.type or not isinstance(expr, Call | Case):
        return expr
    if not is_castable(expr.type, declared.type):  # an error that names the type the author knows
        return expr
    if expr.type.kind is Kind.DECIMAL:
        return replace(expr, type=decimal(MAX_PRECISION, expr.type.scale)) if may_overflow(expr) else expr
    wide = wide_enough(expr) if expr.type.is_integer else expr.type
    if wide == expr.type:
        return expr
    return replace(expr, type=declared.type if _is_wider_integer(declared.type, expr.type) else wide)


def _is_wider_integer(of: LogicalType, than: LogicalType) -> bool:
    return of.is_integer and always_fits(than, of)


def may_overflow(expr: Expr) -> bool:
    """Whether integer or decimal arithmetic in ``expr`` can leave its type, or a moment the calendar (semantics, section 5)."""
    calls = [node for node in walk(expr) if isinstance(node, Call)]
    exact = (node for node in calls if node.type.is_integer or node.type.kind is Kind.DECIMAL)
    return any(node.function in _MAY_OVERFLOW for node in exact) or any(node.function == "date_add" for node in calls)
