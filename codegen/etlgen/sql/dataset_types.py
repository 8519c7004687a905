"""Types in dataset SQL: the parts that look at single rows of `source` are typed as row expressions are.

DuckDB would convert a wrong literal when the query runs, and abort it there; here it is an error of the contract.
"""

from __future__ import annotations

from contextlib import suppress

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, traverse_scope

from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Diagnostic
from etlgen.plan import Schema
from etlgen.spelling import find_column, folded
from etlgen.sql.handlers import HANDLERS
from etlgen.sql.resolver import Rejected, Resolver
from etlgen.sql.row_parts import is_row_wise
from etlgen.sql.source import SqlSource

_TYPED = (exp.Binary, exp.Between, exp.In, exp.Not, exp.Case, exp.Cast, exp.Anonymous, exp.Like, exp.ILike)


def check_types(query: exp.Query, place: SqlSource, source: Schema, tables: frozenset[str], findings: Findings) -> None:
    """Report the TYP codes of every part of ``query`` that reads one row of the source alone.

    Args:
        tables: Names by which a query may call the source, in lower case.
    """
    for scope in traverse_scope(query):
        if not _is_over_source(scope, tables):
            continue
        aliases = tuple(scope.selected_sources)
        for part in _row_parts(scope):
            if not all(find_column(column.name, source.names) for column in part.find_all(exp.Column)):
                continue  # an undeclared column, or a name given in SELECT
            resolver = Resolver(place, source, None, aliases, HANDLERS)
            with suppress(Rejected):
                resolver.expr(part)
            findings.add(*(found for found in resolver.findings.all if _is_told(found)))


def _is_told(found: Diagnostic) -> bool:
    """Type errors and comparisons with NULL; names and functions are judged for the query as a whole."""
    return (found.is_error and found.code.startswith("TYP")) or found.code == "SQL-020"


def _is_over_source(scope: Scope, tables: frozenset[str]) -> bool:
    selected = [source for _, source in scope.selected_sources.values()]
    return len(selected) == 1 and isinstance(selected[0], exp.Table) and folded(selected[0].name) in tables


def _row_parts(scope: Scope) -> list[exp.Expr]:
    """The largest row-wise expressions of a scope."""
    found: list[exp.Expr] = []
    inside: set[int] = set()
    for node in scope.walk():
        if node.parent is not None and id(node.parent) in inside:
            inside.add(id(node))
        elif isinstance(node, _TYPED) and not isinstance(node, exp.Query) and is_row_wise(node):
            inside.add(id(node))
            found.append(node)
    return found
