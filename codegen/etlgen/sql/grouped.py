"""Aggregate SQL: one expression that has one value for a group of rows, resolved and typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from etlgen.contract import Text
from etlgen.expr import Call, Case, Column, Expr, Literal
from etlgen.plan import Schema
from etlgen.sql import problems
from etlgen.sql.aggregates import AGGREGATES, GROUP_FUNCTION, OTHER_AGGREGATES, WINDOW_FUNCTIONS
from etlgen.sql.handlers import HANDLERS
from etlgen.sql.operands import sql_name
from etlgen.sql.refusals import NON_DETERMINISTIC
from etlgen.sql.resolver import Handler, Resolver
from etlgen.sql.scalar import Resolved, resolved_by
from etlgen.sql.source import SqlSource
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT32, STRING, Kind, LogicalType

_MEANING = {
    "count": "count",
    "count_star": "count_star",
    "count_if": "count",
    "countif": "count",
    "sum": "sum",
    "avg": "avg",
    "mean": "avg",
    "min": "min",
    "max": "max",
    "bool_and": "min",
    "bool_or": "max",
}
"""The aggregate that each spelling means."""

_NAMES = tuple(name for name in _MEANING if name not in ("count_star", "countif", "mean"))
_ON_CONDITIONS = frozenset({"count_if", "countif", "bool_and", "bool_or"})
_ORDERED = frozenset({"first", "last"})
_MANY_ROWS = AGGREGATES | OTHER_AGGREGATES | WINDOW_FUNCTIONS
_ONE, _ZERO = Literal(1, INT32), Literal(0, INT32)


def resolve_grouped(
    sql: Text,
    schema: Schema,
    group_by: Sequence[str],
    *,
    undeclared_type: LogicalType | None = None,
    qualifiers: Sequence[str] = ("source",),
) -> Resolved:
    """Parse, resolve and type one aggregation of a rollup (semantics, section 5).

    Args:
        schema: The rows before the rollup; arguments of aggregates may read all of them.
        group_by: Columns that may also stand outside aggregates.
        undeclared_type, qualifiers: As in :func:`etlgen.sql.scalar.resolve_scalar`.
    """
    grouped = _Grouped(tuple(group_by))
    resolver = Resolver(SqlSource(sql), schema, undeclared_type, qualifiers, grouped.handlers())

    def check(node: exp.Expr, expr: Expr) -> Expr:
        if not grouped.aggregates:
            resolver.reject(problems.no_aggregate(resolver.at(node)))
        return expr

    return resolved_by(resolver, check)


@dataclass(slots=True)
class _Grouped:
    """What nodes mean in one aggregation: outside aggregates only grouped columns, inside no further aggregate."""

    group_by: tuple[str, ...]
    aggregates: int = 0
    inside: bool = False

    def handlers(self) -> dict[type[exp.Expr], Handler]:
        return {
            **HANDLERS,
            exp.Column: self._column,
            exp.Anonymous: self._function,
            exp.Filter: self._filter,
            exp.Window: _window,
        }

    def _column(self, resolver: Resolver, node: exp.Expr) -> Expr:
        found = HANDLERS[exp.Column](resolver, node)
        if not self.inside and isinstance(found, Column) and found.name not in self.group_by:
            resolver.reject(problems.not_grouped(found.name, self.group_by, resolver.at(node)))
        return found

    def _filter(self, resolver: Resolver, node: exp.Expr) -> Expr:
        aggregate, where = node.this, node.expression
        if not isinstance(aggregate, exp.Anonymous) or str(aggregate.this).lower() not in _MANY_ROWS:
            resolver.reject(
                problems.unsupported_syntax("FILTER behind something else than an aggregate", resolver.at(node))
            )
        return self._call(resolver, aggregate, (where.this,))

    def _function(self, resolver: Resolver, node: exp.Expr) -> Expr:
        return self._call(resolver, node, ())

    def _call(self, resolver: Resolver, node: exp.Expr, conditions: Sequence[exp.Expr]) -> Expr:
        written = str(node.this)
        name = written.lower()
        if name not in _MANY_ROWS or (name in NON_DETERMINISTIC and name not in _MEANING):
            return HANDLERS[exp.Anonymous](resolver, node)
        at = resolver.source.name_of(node, written)
        if self.inside:
            resolver.reject(problems.nested_aggregate(written, at))
        if name not in _MEANING:
            fix = (
                "`first` and `last` need an order: deduplicate by it first, or use `min` or `max`"
                if name in _ORDERED
                else ""
            )
            resolver.reject(problems.unsupported_aggregate(written, _NAMES, at, fix))
        self.aggregates += 1
        self.inside = True
        try:
            return _aggregate(resolver, node, name, conditions)
        finally:
            self.inside = False


def _window(resolver: Resolver, node: exp.Expr) -> Expr:
    fix = "a rollup gives one value for a group: leave out OVER"
    return resolver.reject(problems.unsupported_syntax("a window function in a rollup", resolver.at(node), help=fix))


def _aggregate(resolver: Resolver, node: exp.Expr, name: str, conditions: Sequence[exp.Expr]) -> Expr:
    """One call: its argument typed, DISTINCT and FILTER written out."""
    nodes, distinct = _argument_nodes(resolver, node)
    meaning = _MEANING[name]
    if meaning == "count" and not nodes and name == "count":
        meaning = "count_star"
    function = GROUP_FUNCTION[meaning]
    if len(nodes) != len(function.parameters):
        at = resolver.source.name_of(node, str(node.this))
        resolver.reject(problems.wrong_argument_count(function, str(node.this), len(nodes), at))
    values = resolver.all((*nodes, *conditions))
    arguments, found = values[: len(nodes)], values[len(nodes) :]
    tests = [
        resolver.boolean(part, expr, "the condition of FILTER") for part, expr in zip(conditions, found, strict=True)
    ]
    if not arguments:
        return _counted(tests)
    argument = _argument(resolver, name, nodes[0], arguments[0])
    for test in tests:
        argument = Case(((test, argument),), Literal(None, argument.type), argument.type)
    if distinct and meaning == "count":
        meaning = "count_distinct"
    elif distinct and meaning not in ("min", "max"):
        resolver.reject(problems.unsupported_syntax(f"{name}(DISTINCT ...)", resolver.at(node)))
    return Call(meaning, (argument,), GROUP_FUNCTION[meaning].result((argument,)))


def _counted(tests: Sequence[Expr]) -> Expr:
    """``count(*)``, of the rows that FILTER leaves."""
    star = GROUP_FUNCTION["count_star"].result(())
    if not tests:
        return Call("count_star", (), star)
    return Call("count", (Case(((tests[0], Literal(True, BOOLEAN)),), Literal(None, BOOLEAN), BOOLEAN),), star)


def _argument_nodes(resolver: Resolver, node: exp.Expr) -> tuple[list[exp.Expr], bool]:
    """The arguments as written, without ``*`` and DISTINCT."""
    nodes: list[exp.Expr] = list(node.expressions)
    distinct = len(nodes) == 1 and isinstance(nodes[0], exp.Distinct)
    if distinct:
        nodes = list(nodes[0].expressions)
    if len(nodes) == 1 and isinstance(nodes[0], exp.Star) and str(node.this).lower() == "count" and not distinct:
        return [], False
    for each in nodes:
        if isinstance(each, exp.Distinct | exp.Order | exp.Star | exp.PropertyEQ | exp.Kwarg | exp.Lambda):
            what = f"`{each.sql('duckdb')}` as an argument"
            resolver.reject(problems.unsupported_syntax(what, resolver.at(each)))
    return nodes, distinct


def _argument(resolver: Resolver, name: str, node: exp.Expr, expr: Expr) -> Expr:
    """The argument as the aggregate wants it.

    Raises:
        Rejected: TYP-003, TYP-004 or TYP-006.
    """
    if name in _ON_CONDITIONS:
        condition = resolver.boolean(node, expr, f"the argument of {name}")
        counted = name in ("count_if", "countif")
        return Case(((condition, Literal(True, BOOLEAN)),), Literal(None, BOOLEAN), BOOLEAN) if counted else condition
    if name not in ("sum", "avg", "mean"):
        return Literal(None, STRING) if expr.type.kind is Kind.NULL else expr
    if expr.type.kind is Kind.NULL:
        return Literal(None, FLOAT64)
    if name == "sum" and expr.type == BOOLEAN:
        return Case(((expr, _ONE), (Call("not", (expr,), BOOLEAN), _ZERO)), Literal(None, INT32), INT32)
    if expr.type.is_numeric or expr.type.kind is Kind.UNKNOWN:
        return expr
    resolver.refuse_undeclared_text(node, expr, "a number")
    text = node.sql("duckdb")
    fix = (
        f"cast it: `CAST({text} AS {sql_name(FLOAT64)})`"
        if expr.type.is_text
        else "count it, or take its `min` or `max`"
    )
    if expr.type == BOOLEAN:
        fix = f"write `avg(CASE WHEN {text} THEN 1 ELSE 0 END)`"
    return resolver.reject(problems.argument_type(name, "value", str(expr.type), "a number", resolver.at(node), fix))
