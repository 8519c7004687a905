"""The plan: what resolution and lowering make of a contract, and all that printers and emitters read.

A :class:`Plan` is engine-free. Its nine steps are one list which both ``etlgen plan`` and the emitter walk, so the printed
plan and the generated ``run()`` cannot drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from etlgen.contract import Contract, Field, Phase, Severity
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.expr import Expr
from etlgen_runtime.types import LogicalType

# --- schemas ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SchemaColumn:
    """A column at one point of the plan.

    Args:
        name: The declared spelling.
        type: Its type here; text for columns of a text source before step 3.
        nullable: NULL may occur here.
        origin: Where it came from, for people: ``source``, ``undeclared``, ``derive #2``, ``lookup #3``.
        declared: The field of the contract that declares it (here or at the end), if any.
        sensitive: Holds, or was computed from, sensitive data.
        untyped_link: The link it comes from, if that link declares no types.
    """

    name: str
    type: LogicalType
    nullable: bool = True
    origin: str = "source"
    declared: Field | None = None
    sensitive: bool = False
    untyped_link: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns in order. ``open``: the frame may hold further, undeclared columns (semantics, section 4)."""

    columns: tuple[SchemaColumn, ...]
    open: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def get(self, name: str) -> SchemaColumn | None:
        """The column of that exact name."""
        return next((column for column in self.columns if column.name == name), None)


# --- relational operations: all that an engine implements --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """Set or append columns, all computed from the frame before it.

    ``checked``: a value that does not fit ``type`` (integer or decimal overflow) makes the row bad under
    ``<name>_type`` instead of being NULL silently.
    """

    columns: tuple[tuple[str, Expr], ...]
    checked: bool = False


@dataclass(frozen=True, slots=True)
class CastColumns:
    """Cast by the cast table; a value that does not fit makes the row bad under ``<name>_type``, its original kept."""

    columns: tuple[tuple[str, LogicalType, LogicalType, tuple[str, ...]], ...]
    """(name, type before, type after, date formats)."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep these columns, in this order (select, drop)."""

    columns: tuple[str, ...]
    dropped: tuple[str, ...] | None = None
    """Set for ``drop``: remove just these, everything else stays (open schemas)."""


@dataclass(frozen=True, slots=True)
class RenameColumns:
    """Rename all at once; swaps work."""

    mapping: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FilterRows:
    """Keep rows where ``predicate`` is TRUE; the others are counted as removed.

    A row in which a column that ``predicate`` depends on holds a value that did not fit stays (``etlgen.unfit``). So do such rows
    of ``on`` in every kind of :class:`JoinLink`, and of keys and order in :class:`DeduplicateRows`, where they take no part.
    """

    predicate: Expr


@dataclass(frozen=True, slots=True)
class JoinLink:
    """Join with a link on one key.

    ``fields``: (link column, output name, type, default expression or ``None``). ``unique_key``: a key that occurs twice in
    the link is an error before any row is written (lookup). NULL keys never match. ``on_type``/``key_type`` are known to be
    comparable, or ``unknown`` and checked against the real schema before any row.
    """

    link: str
    on: str
    key: str
    fields: tuple[tuple[str, str, LogicalType, Expr | None], ...]
    how: Literal["left", "inner", "right", "full"] = "left"
    unique_key: bool = False
    on_type: LogicalType | None = None
    key_type: LogicalType | None = None


@dataclass(frozen=True, slots=True)
class DeduplicateRows:
    """Keep one row per key: the first by ``order`` (column, descending; NULL last), ties by ``tie_break`` ascending,
    NULLs last, then undeclared columns by name. Rows whose key has a NULL part are all kept.
    """

    keys: tuple[str, ...]
    order: tuple[tuple[str, bool], ...]
    tie_break: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AggregateRows:
    """One row per group; NULL is a value of a key. Without ``group_by`` exactly one row, also over no rows.

    ``aggregations``: (output name, expression). An expression holds calls of ``etlgen.sql.aggregates.GROUP_FUNCTIONS``, whose
    arguments read the rows of the group; around them it reads columns of ``group_by`` only. The columns after it are
    ``group_by`` and the outputs, in order. A value that does not fit its type makes the row bad under ``<name>_type``, and so
    does a row of the group in which an earlier value did not fit.
    """

    group_by: tuple[str, ...]
    aggregations: tuple[tuple[str, Expr], ...]


Relation = Assign | CastColumns | Keep | RenameColumns | FilterRows | JoinLink | DeduplicateRows | AggregateRows


@dataclass(frozen=True, slots=True)
class PlannedOperation:
    """One transformation, resolved.

    Args:
        title: For people and docstrings: ``trim `email` on both sides`` (Markdown, one line, contract text escaped).
        reason: Why it runs in its phase: ``written``, ``default: a transformation without phase runs in post``.
        reads: Columns whose values it depends on.
        creates: Output columns that were not there before.
        rewrites: Columns it overwrites.
        drops: Columns that are gone after it.
        row_wise: One row in, one row out.
        changes_rows: removes, may multiply, or both: rows are counted before and after.
    """

    kind: str
    number: int
    title: str
    phase: Phase
    reason: str
    relations: tuple[Relation, ...]
    before: Schema
    after: Schema
    reads: frozenset[str]
    creates: tuple[str, ...]
    rewrites: tuple[str, ...]
    drops: tuple[str, ...]
    row_wise: bool
    links: tuple[str, ...]
    at: Position


# --- checks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlannedRowCheck:
    """A row check: field constraint or row rule.

    Args:
        kind: ``required``, ``accepted_values``, ``range``, ``max_length``, ``min_length``, ``pattern``, ``multiple_of``,
            ``format``, or the row rule's kind; ``required_for_dedup``. (``<field>_type`` is not a check: casts make it.)
        predicate: TRUE where the row passes. For ``referential_integrity`` ``None``: see ``link``.
        nulls_pass: A NULL predicate passes (field constraints); for rules it fails.
        columns: Columns read; the check is not evaluated for rows in which one of their casts failed.
        code: ``PMDATA...`` code of its diagnostics.
        sql: The predicate as SQL, for people.
        link: (link, key column) of ``referential_integrity``.
    """

    name: str
    kind: str
    phase: Phase
    reason: str
    severity: Severity
    predicate: Expr | None
    nulls_pass: bool
    columns: tuple[str, ...]
    field: str | None
    code: str
    message: str
    sql: str
    description: str
    at: Position
    link: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class PlannedDatasetCheck:
    """A dataset check. ``kind``: ``unique``, ``null_ratio``, ``row_count_between`` (native) or ``sql`` (through DuckDB).

    ``phase``: ``None`` judges the accepted rows after step 7; ``pre`` (written only) the good rows after step 5.
    ``sql`` is the validated query in the DuckDB dialect, tables named ``source`` and as the links; for native kinds a SQL
    rendering for people. ``columns``: columns of ``source`` it reads.
    """

    name: str
    kind: str
    phase: Phase | None
    reason: str
    severity: Severity
    columns: tuple[str, ...]
    sql: str
    minimum: float | int | str | None
    maximum: float | int | str | None
    greater_than: float | int | str | None
    less_than: float | int | str | None
    links: tuple[str, ...]
    description: str
    at: Position


# --- the whole --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PlannedLink:
    """A link with its columns after ``columns``/``filter``; ``schema`` is ``None`` when unknown at build."""

    name: str
    path: str
    format: Literal["parquet", "csv", "json", "jsonl"]
    columns: tuple[str, ...]
    schema: Schema | None
    filter: Expr | None
    filter_sql: str
    used_by: tuple[str, ...]
    """``pre``, ``post``, ``pre_checks``, ``post_checks``, ``dataset_checks``."""


@dataclass(frozen=True, slots=True)
class Section:
    """Step 2 or step 6."""

    phase: Phase
    operations: tuple[PlannedOperation, ...]

    @property
    def row_wise(self) -> bool:
        return all(operation.row_wise for operation in self.operations)


@dataclass(frozen=True, slots=True)
class Step:
    """One of the nine steps as the plan prints it and ``run()`` executes it."""

    number: int
    key: str
    title: str
    details: tuple[str, ...]
    columns_in: tuple[str, ...]
    columns_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The nine steps of one contract.

    ``source``: as found in step 1. ``prepared``: after step 2. ``typed``: after step 3 (model of steps 4 and 5).
    ``enriched``: after step 6 before the output types. ``output``: after step 6 (model of step 7). ``published``: after
    masking in step 8.
    """

    contract: Contract
    source: Schema
    prepared: Schema
    typed: Schema
    enriched: Schema
    output: Schema
    published: Schema
    pre: Section
    post: Section
    pre_checks: tuple[PlannedRowCheck, ...]
    post_checks: tuple[PlannedRowCheck, ...]
    pre_dataset_checks: tuple[PlannedDatasetCheck, ...]
    dataset_checks: tuple[PlannedDatasetCheck, ...]
    links: tuple[PlannedLink, ...]
    raw_step: Literal[1, 3]
    """The step whose rows ``_etlgen_raw`` holds (semantics, section 6)."""
    raw_kept_in_post: bool
    """Rows that turn bad in step 7 keep ``_etlgen_raw``: no aggregating or row-multiplying operation ran before."""
    unread_undeclared_are_bad: tuple[str, ...] | None
    """``unknown_fields: quarantine``: undeclared names that operations or rules read, hence allowed; else ``None``."""
    steps: tuple[Step, ...]
    diagnostics: tuple[Diagnostic, ...]
    type_rules: tuple[tuple[str, str], ...] = ()
    """(column, rule) where a failed cast is not reported as ``<column>_type`` (odcs, section 0)."""
