"""The rows that checks of one phase judge, and what a check asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from etlgen import problems
from etlgen.contract import Text
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Position
from etlgen.expr import Expr
from etlgen.lower.literals import UnfitValue
from etlgen.nearest import nearest_column
from etlgen.plan import PlannedLink, Schema, SchemaColumn
from etlgen.spelling import code
from etlgen.sql import problems as sql_problems
from etlgen_runtime.types import Kind, LogicalType


@dataclass(frozen=True, slots=True)
class Predicate:
    """What a check asks.

    Args:
        expr: TRUE where the row passes; ``None`` for ``referential_integrity``, see ``link``.
        nulls_pass: A NULL outcome passes.
        columns: Columns it reads.
        message: One sentence without values.
    """

    kind: str
    expr: Expr | None
    nulls_pass: bool
    columns: tuple[str, ...]
    sql: str
    message: str
    link: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows of one phase.

    Args:
        closed: An unknown name is an error.
        undeclared: Type of columns that nobody declared.
        qualifiers: Table names that mean these rows in SQL.
    """

    rows: Schema
    closed: bool
    undeclared: LogicalType
    links: Mapping[str, PlannedLink]
    findings: Findings
    qualifiers: tuple[str, ...] = ("source",)

    def column(self, name: Text) -> SchemaColumn | None:
        """The column called ``name``; SQL-001 when there is none."""
        found = self.rows.get(name.value)
        if found is None:
            names = self.rows.names
            nearest = nearest_column(name.value, names, closed=self.closed)
            self.findings.add(sql_problems.unknown_column(name.value, names, nearest, name.at))
        return found

    def refuse_type(self, column: SchemaColumn, check: str, expected: str, at: Position) -> None:
        """TYP-050: the column cannot be checked so."""
        if column.origin == "undeclared":
            fix = f"declare {code(column.name)} in `etlgen.source_fields`, or cast it in phase pre"
        elif column.declared is not None and column.declared.type != column.type:
            fix = f"write `phase: pre` on the operation that rewrites {code(column.name)}"
        else:
            fix = "remove the check, or declare the field with the type that it means"
        subject = f"{check} is for a {expected}, but {code(column.name)}"
        self.findings.add(problems.wrong_type(subject, str(column.type), expected, at, fix))

    def refuse_value(self, unfit: UnfitValue, column: SchemaColumn, at: Position) -> None:
        """TYP-051: a value beside a column that cannot hold it."""
        self.findings.add(problems.unfit_value(unfit.value, str(unfit.type), code(column.name), at))


def is_text(column: SchemaColumn) -> bool:
    return column.type.kind in (Kind.STRING, Kind.UNKNOWN)


def is_ordered(column: SchemaColumn) -> bool:
    return column.type.is_numeric or column.type.is_temporal or column.type.kind is Kind.UNKNOWN
