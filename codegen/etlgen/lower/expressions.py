"""SQL expressions of operations, resolved against the rows before them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf

from etlgen.contract import Text
from etlgen.expr import Call, Expr, walk
from etlgen.lower.scope import Scope
from etlgen.sql import resolve_scalar

_MAY_OVERFLOW = frozenset({"add", "sub", "mul", "intdiv", "mod", "neg", "abs", "round"})


def resolve_expression(scope: Scope, sql: Text, context: OneOf["derive", "filter"]) -> tuple[Expr, frozenset[str]] | None:
    """The typed tree of ``sql`` and the columns it reads; findings go to the scope, ``None`` when there are errors."""
    schema = replace(scope.schema, open=not scope.closed)
    resolved = resolve_scalar(sql, schema, context=context, undeclared_type=scope.undeclared_type)
    scope.findings.add(*resolved.diagnostics)
    for name in sorted(resolved.undeclared):
        scope.take(name)
    return None if resolved.expr is None else (resolved.expr, resolved.reads)


def may_overflow(expr: Expr) -> bool:
    """Whether integer or decimal arithmetic in ``expr`` can leave its type (semantics, section 5)."""
    exact = (
        node for node in walk(expr) if isinstance(node, Call) and (node.type.is_integer or node.type.kind == "decimal")
    )
    return any(node.function in _MAY_OVERFLOW for node in exact)
