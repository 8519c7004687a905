"""What the lowering of one operation may look at, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from etlgen import problems
from etlgen.contract import Field, Operation, Phase, Text
from etlgen.diagnostics.findings import Findings
from etlgen.expr import Column
from etlgen.nearest import nearest_column
from etlgen.plan import PlannedLink, Relation, Schema, SchemaColumn
from etlgen.spelling import folded
from etlgen.sql import problems as sql_problems
from etlgen_runtime.types import STRING, UNKNOWN, LogicalType


@dataclass(slots=True)
class Scope:
    """The rows before an operation, and where its findings go.

    Args:
        schema: The columns known at this point; grows when an undeclared source column is read.
        closed: An unknown name is an error (semantics, section 4, "Undeclared names").
        text_source: Undeclared columns are text; otherwise they keep a type that is unknown at build.
        declared: Fields of the model by name.
        links: Links by name.
        qualifiers: Table names that mean these rows in SQL.
        taken: Undeclared source columns that this operation read for the first time.
    """

    operation: Operation
    phase: Phase
    schema: Schema
    closed: bool
    text_source: bool
    declared: Mapping[str, Field]
    links: Mapping[str, PlannedLink]
    findings: Findings
    qualifiers: tuple[str, ...] = ("source",)
    taken: list[SchemaColumn] = field(default_factory=list[SchemaColumn])

    @property
    def undeclared_type(self) -> LogicalType:
        return STRING if self.text_source else UNKNOWN

    @property
    def name(self) -> str:
        return problems.describe(self.operation)

    def column(self, name: Text) -> SchemaColumn | None:
        """The column called ``name``, taken from the source where the schema is open.

        Reports SQL-001 (unknown, or a likely misspelling) and gives ``None``; reports SQL-010 for a taken one.
        """
        found = self.schema.get(name.value)
        if found is not None:
            return found
        names = self.schema.names
        nearest = nearest_column(name.value, names, closed=self.closed)
        if self.closed or nearest:
            self.findings.add(sql_problems.unknown_column(name.value, names, nearest, name.at))
            return None
        self.findings.add(sql_problems.undeclared_column(name.value, name.at))
        return self.take(name.value)

    def take(self, name: str) -> SchemaColumn:
        """Add the undeclared source column ``name`` to the rows before this operation."""
        column = SchemaColumn(name, self.undeclared_type, origin="undeclared")
        self.taken.append(column)
        self.schema = replace(self.schema, columns=(*self.schema.columns, column))
        return column

    def columns(self, names: tuple[Text, ...]) -> tuple[SchemaColumn, ...] | None:
        """All of ``names``; ``None`` when one of them is unknown (every unknown one is reported)."""
        found = [self.column(name) for name in names]
        known = tuple(column for column in found if column is not None)
        return known if len(known) == len(found) else None

    def text_hint(self, column: SchemaColumn) -> str:
        """The fix where a column is text only because the types are not enforced yet."""
        if column.untyped_link:
            return sql_problems.declare_link_types(column.untyped_link)
        declared = self.declared.get(column.name)
        if self.phase == "pre" and self.text_source and (declared is None or declared.type != STRING):
            return f"cast `{column.name}` in phase pre before it, or let {self.name} run in post"
        if column.origin == "undeclared":
            return f"declare `{column.name}` in `etlgen.source_fields`, or cast it in phase pre"
        return f"cast `{column.name}` first"


@dataclass(frozen=True, slots=True)
class Lowered:
    """One operation as relations.

    Args:
        title: One line of Markdown for people; contract text is on one line and quoted.
        after: The rows after it.
        reads: Columns whose values the outcome depends on.
        writes: Columns it sets, in order.
        row_wise: One row in, one row out.
        multiplies: It may give several rows for one.
    """

    relations: tuple[Relation, ...]
    title: str
    after: Schema
    reads: frozenset[str]
    writes: tuple[str, ...] = ()
    row_wise: bool = True
    multiplies: bool = False
    links: tuple[str, ...] = ()


def reference(column: SchemaColumn) -> Column:
    """The expression that reads ``column``."""
    return Column(column.name, column.type)


def with_columns(scope: Scope, written: tuple[tuple[str, LogicalType, frozenset[str]], ...]) -> Schema:
    """The schema after columns are set: known ones keep their place, new ones are appended.

    Args:
        written: (name, type, columns its value is computed from). Sensitivity follows these, unless declared otherwise.
    """
    columns = {column.name: column for column in scope.schema.columns}
    for name, type_, sources in written:
        declared = scope.declared.get(name)
        before = columns.get(name)
        inherited = any(column.sensitive for column in scope.schema.columns if column.name in sources)
        columns[name] = SchemaColumn(
            name,
            type_,
            origin=before.origin if before and name in sources else scope.name,
            declared=declared,
            sensitive=declared.sensitive
            if declared and declared.sensitive_written
            else inherited or is_sensitive(declared),
        )
    return replace(scope.schema, columns=tuple(columns.values()))


def is_sensitive(declared: Field | None) -> bool:
    return declared is not None and declared.sensitive


def once(scope: Scope, names: tuple[Text, ...]) -> tuple[Text, ...]:
    """``names`` without repetitions; a repetition is reported (CTR-092), in another case as CTR-093."""
    seen: dict[str, Text] = {}
    for name in names:
        other = seen.setdefault(folded(name.value), name)
        if other is not name:
            same = other.value == name.value
            scope.findings.add(
                problems.duplicate_name(name.value, f"in {scope.name}, column", name.at)
                if same
                else problems.names_differ_in_case(name.value, other.value, name.at)
            )
    return tuple(seen.values())
