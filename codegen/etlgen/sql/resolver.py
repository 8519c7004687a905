"""The walk over sqlglot's tree: visits operands, collects findings, keeps names. What each node means is in handlers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.expr import Column, Expr, Literal
from etlgen.nearest import nearest_column
from etlgen.plan import Schema
from etlgen.spelling import find_column, folded
from etlgen.sql import problems
from etlgen.sql.source import DATASET_NAME, SqlSource
from etlgen_runtime.types import BOOLEAN, UNKNOWN, Kind, LogicalType

RESERVED_PREFIXES = ("_etlgen_", "__etlgen_")
"""Columns of etlgen's own bookkeeping, which contracts may not read."""


class Rejected(Exception):
    """Part of the expression is in error; the diagnostic is already among the findings."""


class Resolver:
    """State of one expression.

    Args:
        source: The SQL and its place.
        schema: The columns it may read.
        undeclared_type: Type of a name that an open schema lets pass; ``None`` is unknown.
        qualifiers: Table names that mean the rows of ``schema``.
        handlers: What each class of sqlglot node means.
    """

    def __init__(
        self,
        source: SqlSource,
        schema: Schema,
        undeclared_type: LogicalType | None,
        qualifiers: Sequence[str],
        handlers: Mapping[type[exp.Expr], Handler],
    ) -> None:
        self.source = source
        self.schema = schema
        self.undeclared_type = undeclared_type or UNKNOWN
        self.qualifiers = frozenset(folded(name) for name in (*qualifiers, DATASET_NAME))
        self.handlers = handlers
        self.findings = Findings()
        self.undeclared: dict[str, str] = {}
        self.reads: set[str] = set()

    # --- findings -----------------------------------------------------------------------------------------------------

    def reject(self, finding: Diagnostic) -> NoReturn:
        self.findings.add(finding)
        raise Rejected

    def warn(self, finding: Diagnostic) -> None:
        self.findings.add(finding)

    def at(self, node: exp.Expr) -> Position:
        return self.source.at(node)

    # --- operands -----------------------------------------------------------------------------------------------------

    def expr(self, node: object) -> Expr:
        """The typed tree of one node.

        Raises:
            Rejected: It is in error; reported.
        """
        assert isinstance(node, exp.Expr), "the grammar gives an operand where one is required"
        for kind in type(node).__mro__:
            handler = self.handlers.get(kind)
            if handler is not None:
                made = handler(self, node)
                return made if made.at is not None else replace(made, at=self.at(node))
        what = node.sql("duckdb")
        return self.reject(
            problems.unsupported_syntax(f"`{what}`" if len(what) <= 40 else type(node).key, self.at(node))
        )

    def all(self, nodes: Iterable[object]) -> list[Expr]:
        """Every node, so that all errors are found before the first one stops the walk."""
        found: list[Expr] = []
        rejected = False
        for node in nodes:
            try:
                found.append(self.expr(node))
            except Rejected:
                rejected = True
        if rejected:
            raise Rejected
        return found

    def boolean(self, node: exp.Expr, expr: Expr, what: str) -> Expr:
        """``expr`` as a condition."""
        if expr.type.kind is Kind.NULL:
            return Literal(None, BOOLEAN)
        if expr.type.kind in (Kind.BOOLEAN, Kind.UNKNOWN):
            return expr
        self.refuse_undeclared_text(node, expr, "a boolean")
        return self.reject(problems.not_boolean(what, str(expr.type), self.at(node)))

    def refuse_undeclared_text(self, node: exp.Expr, expr: Expr, used_as: str) -> None:
        """TYP-006 where the text is a column that nobody declared; the plain type error is the caller's."""
        if isinstance(expr, Column) and expr.name in self.undeclared.values():
            self.reject(problems.undeclared_text(expr.name, used_as, self.at(node)))

    # --- names --------------------------------------------------------------------------------------------------------

    def is_source(self, table: str) -> bool:
        """Whether ``table`` means the rows of the schema."""
        return folded(table) in self.qualifiers

    def column(self, name: str, at: Position, *, quoted: bool = False) -> Column:
        """The column that an SQL reference means: case does not count, quoted or not (DuckDB).

        Reports SQL-001 (unknown) and SQL-010 (taken as an undeclared source column).
        """
        known = find_column(name, self.schema.names)
        if known is not None:
            found = self.schema.get(known)
            assert found is not None, "the name was found in the schema"
            self.reads.add(known)
            return Column(known, found.type)
        spelling = self.undeclared.get(folded(name))
        if spelling is None:
            names = self.schema.names
            nearest = nearest_column(name, names, closed=not self.schema.open)
            if not self.schema.open or nearest or folded(name).startswith(RESERVED_PREFIXES):
                self.reject(problems.unknown_column(name, names, nearest, at, quoted=quoted))
            spelling = self.undeclared[folded(name)] = name
            self.warn(problems.undeclared_column(name, at, quoted=quoted))
        self.reads.add(spelling)
        return Column(spelling, self.undeclared_type)


Handler = Callable[[Resolver, exp.Expr], Expr]
