"""Scalar SQL: one expression over the columns of one row, resolved and typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from sqlglot import exp

from etlgen.contract import Text
from etlgen.diagnostics.model import Diagnostic
from etlgen.expr import Expr
from etlgen.plan import Schema
from etlgen.sql import problems
from etlgen.sql.grammar import STATEMENT_REASON, STATEMENTS
from etlgen.sql.handlers import HANDLERS
from etlgen.sql.resolver import Rejected, Resolver
from etlgen.sql.source import SqlSource, Unreadable
from etlgen_runtime.types import BOOLEAN, STRING, Kind, LogicalType

Context = OneOf["derive", "filter", "row_rule", "rule_value"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A scalar expression as understood.

    Args:
        expr: The typed tree; ``None`` when there are errors.
        reads: Columns it reads, in their declared spelling (undeclared ones as first written).
        undeclared: Those of them that the schema does not hold: taken as columns of the source.
        diagnostics: Errors and warnings.
    """

    expr: Expr | None
    reads: frozenset[str]
    undeclared: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def resolve_scalar(
    sql: Text,
    schema: Schema,
    *,
    context: Context,
    undeclared_type: LogicalType | None = None,
    qualifiers: Sequence[str] = ("source",),
) -> Resolved:
    """Parse, resolve and type one scalar expression (semantics, section 5).

    Args:
        schema: The columns it may read. In an open schema an unknown name is taken as an undeclared source column
            (SQL-010), unless it looks like a misspelling (SQL-001).
        context: ``filter`` and ``row_rule`` are boolean, ``rule_value`` (``must_be_*``) numeric, ``derive`` anything.
        undeclared_type: Type of undeclared columns: text for text sources; ``None``: unknown at build.
        qualifiers: Table names that may stand before a column; ``{dataset}`` always may.
    """
    resolver = Resolver(SqlSource(sql), schema, undeclared_type, qualifiers, HANDLERS)
    return resolved_by(resolver, lambda node, expr: _checked(resolver, node, expr, context))


def resolved_by(resolver: Resolver, check: Callable[[exp.Expr, Expr], Expr]) -> Resolved:
    """The one expression of the resolver's SQL as it understands it; ``check`` has the last word."""
    source = resolver.source
    expr: Expr | None = None
    try:
        node = _one_expression(source, resolver)
        expr = check(node, resolver.expr(node))
    except Unreadable as error:
        resolver.findings.add(error.finding)
    except Rejected:
        pass
    except RecursionError:
        resolver.findings.add(source.too_deep().finding)
    failed = bool(resolver.findings.errors)
    undeclared = frozenset(resolver.undeclared.values())
    return Resolved(None if failed else expr, frozenset(resolver.reads), undeclared, resolver.findings.all)


def _one_expression(source: SqlSource, resolver: Resolver) -> exp.Expr:
    statements = source.statements()
    if not statements:
        resolver.reject(problems.not_one_expression(source.whole))
    node, *more = statements
    if more:
        resolver.reject(problems.refused("a second statement", "one expression is expected", source.at(more[0])))
    if isinstance(node, STATEMENTS):
        resolver.reject(problems.refused(f"`{source.first_word}`", STATEMENT_REASON, source.whole))
    return node


def _checked(resolver: Resolver, node: exp.Expr, expr: Expr, context: Context) -> Expr:
    """The value's type against what the context needs."""
    kind = expr.type.kind
    if context in ("filter", "row_rule") and kind not in (Kind.BOOLEAN, Kind.UNKNOWN):
        if expr.type == STRING:
            resolver.refuse_undeclared_text(node, expr, "a boolean")
        resolver.reject(problems.not_boolean("the condition", str(expr.type), resolver.at(node)))
    if context == "rule_value" and not (expr.type.is_numeric or kind is Kind.UNKNOWN):
        if expr.type != BOOLEAN:
            resolver.refuse_undeclared_text(node, expr, "a number")
        resolver.reject(problems.not_numeric(str(expr.type), resolver.at(node)))
    return expr
