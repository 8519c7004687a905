"""The contract as read: one frozen model for OLC and ODCS. Every node remembers where it was written.

Readers (``etlgen.read``) make it, ``etlgen.resolve`` consumes it. Nothing here knows SQL, phases or engines: ``phase`` is
what the author wrote, or ``None``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.text import Text as Text  # re-exported
from etlgen_runtime.types import LogicalType

Phase = Literal["pre", "post"]
Severity = Literal["error", "warning", "info"]


class Number(float):
    """A number with a point or exponent, and the characters it was written with (``1.10``)."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Number], tuple[str]]:
        return Number, (self.text,)


Scalar = None | bool | int | float | str
"""A YAML scalar. Floats keep their text in :class:`Number`; where text was wanted, the characters on the page."""


# --- model ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Field:
    """A declared field of ``model.fields`` or ``etlgen.source_fields``, or a link column. Constraint values are as
    written: numbers as ``int``/``float``/``str`` (text when a float would lose digits).
    """

    name: Text
    type: LogicalType
    type_at: Position
    type_text: str
    required: bool = False
    required_at: Position | None = None
    accepted_values: tuple[Scalar, ...] | None = None
    minimum: Scalar = None
    maximum: Scalar = None
    exclusive_minimum: Scalar = None
    exclusive_maximum: Scalar = None
    multiple_of: Scalar = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: Text | None = None
    format: str | None = None
    date_formats: tuple[str, ...] = ()
    constraint_at: Mapping[str, Position] = dataclasses.field(default_factory=dict[str, Position])
    """Position of each constraint key that was written (``min``, ``max``, ``accepted_values``, ``pattern``, ...)."""
    value_at: Mapping[str, Position] = dataclasses.field(default_factory=dict[str, Position])
    """Position of each constraint value: of bounds under their key, of listed ones as ``accepted_values[0]``."""
    rules: tuple[RowRule, ...] = ()
    unique: bool = False
    sensitive: bool = False
    """Any of pii, phi, sensitive, masking, a sensitive classification, encryptedName."""
    sensitive_written: bool = False
    """The author said so, true or false; otherwise sensitivity follows lineage."""
    masking: str | None = None
    description: str = ""
    title: str = ""
    examples: tuple[Scalar, ...] = ()
    metadata: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object])


# --- transformations --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Select:
    columns: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Drop:
    columns: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    mappings: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True)
class CastTo:
    columns: tuple[tuple[Text, LogicalType], ...]


@dataclass(frozen=True, slots=True)
class Derive:
    """``sql_by_engine``: expressions in the place of ``sql`` on one engine, by its name. The plan is made of ``sql``."""

    field: Text
    sql: Text
    sql_by_engine: Mapping[str, Text] = dataclasses.field(default_factory=dict[str, Text])


@dataclass(frozen=True, slots=True)
class Coalesce:
    field: Text
    sources: tuple[Text, ...]
    default: Scalar
    has_default: bool
    output: Text
    default_at: Position | None = None


@dataclass(frozen=True, slots=True)
class MapValues:
    """``mapping_at``: position of each mapped value, in the order of ``mapping``."""

    field: Text
    mapping: tuple[tuple[str, Scalar], ...]
    default: Scalar
    has_default: bool
    output: Text
    mapping_at: tuple[Position, ...] = ()
    default_at: Position | None = None


@dataclass(frozen=True, slots=True)
class Trim:
    fields: tuple[Text, ...]
    side: Literal["both", "left", "right"]


@dataclass(frozen=True, slots=True)
class Lower:
    fields: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Upper:
    fields: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Filter:
    sql: Text


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """``deduplicate`` and ``deduplicate_by_latest`` (``deprecated=True``). One direction per ``sort_by`` column."""

    on: tuple[Text, ...]
    sort_by: tuple[Text, ...]
    descending: tuple[bool, ...]
    blank_keys: Literal["quarantine", "keep"]
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of ``bucket``: ``bounds`` are (``lt``/``lte``/``gt``/``gte``/``eq``, value), and-ed.

    ``bounds_at``: position of each bound's value, in the order of ``bounds``.
    """

    label: str
    bounds: tuple[tuple[str, Scalar], ...]
    at: Position
    label_at: Position | None = None
    bounds_at: tuple[Position, ...] = ()


@dataclass(frozen=True, slots=True)
class Bucket:
    field: Text
    source: Text
    bins: tuple[Bin, ...]
    default: Scalar
    has_default: bool
    default_at: Position | None = None


@dataclass(frozen=True, slots=True)
class DateDiff:
    field: Text
    from_col: Text
    to_col: Text
    unit: Text


@dataclass(frozen=True, slots=True)
class Lookup:
    field: Text
    reference: Text
    on: Text
    key: Text
    value: Text
    default: Scalar
    has_default: bool
    default_at: Position | None = None


@dataclass(frozen=True, slots=True)
class Join:
    reference: Text
    on: Text
    key: Text
    fields: tuple[Text, ...]
    how: Literal["left", "inner", "right", "full"]
    prefix: str
    defaults: tuple[tuple[Text, Scalar], ...]
    defaults_at: tuple[Position, ...] = ()
    """Position of each default's value, in the order of ``defaults``."""


@dataclass(frozen=True, slots=True)
class Rollup:
    """``aggregations``: (output column, SQL expression over the rows of a group)."""

    group_by: tuple[Text, ...]
    aggregations: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An operation of the vocabulary that this version refuses; resolution makes the diagnostic."""

    detail: Mapping[str, object]


OperationBody = (
    Select
    | Drop
    | Rename
    | CastTo
    | Derive
    | Coalesce
    | MapValues
    | Trim
    | Lower
    | Upper
    | Filter
    | Deduplicate
    | Bucket
    | DateDiff
    | Lookup
    | Join
    | Rollup
    | Unsupported
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of ``transformations``. ``kind`` is the vocabulary's word (``trim``); ``number`` counts from 1."""

    kind: str
    number: int
    body: OperationBody
    phase: Phase | None
    at: Position
    phase_at: Position | None = None


# --- rules ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bounds:
    """``must_be_between`` (inclusive), ``must_be_greater_than``, ``must_be_less_than`` (exclusive)."""

    at_least: Scalar = None
    at_most: Scalar = None
    greater_than: Scalar = None
    less_than: Scalar = None


@dataclass(frozen=True, slots=True)
class RowRule:
    """A row rule or row-rule shorthand.

    ``kind``: ``sql``, ``not_null``, ``accepted_values``, ``regex_match``, ``range``, ``referential_integrity``,
    ``lifecycle_window``. Shorthands over several fields arrive as one rule per field. ``name`` is ``None`` when the
    author wrote none (the default name is given by resolution). ``nulls_pass`` is set by ODCS rule R.
    """

    kind: str
    at: Position
    name: str | None = None
    name_at: Position | None = None
    phase: Phase | None = None
    phase_at: Position | None = None
    severity: Severity = "error"
    description: str = ""
    category: str = ""
    sql: Text | None = None
    bounds: Bounds | None = None
    field: Text | None = None
    values: tuple[Scalar, ...] = ()
    pattern: Text | None = None
    minimum: Scalar = None
    maximum: Scalar = None
    inclusive: bool = True
    reference: Text | None = None
    key: Text | None = None
    window: Text | None = None
    nulls_pass: bool = False
    value_at: Mapping[str, Position] = dataclasses.field(default_factory=dict[str, Position])
    """Position of each value: ``min``, ``max``, ``values[0]``, and of the bounds ``at_least``, ``less_than``, ..."""


@dataclass(frozen=True, slots=True)
class DatasetRule:
    """A dataset rule. ``kind``: ``sql``, ``unique``, ``null_ratio``, ``row_count_between``."""

    kind: str
    at: Position
    name: str | None = None
    name_at: Position | None = None
    phase: Phase | None = None
    phase_at: Position | None = None
    severity: Severity = "error"
    description: str = ""
    category: str = ""
    sql: Text | None = None
    bounds: Bounds | None = None
    columns: tuple[Text, ...] = ()
    maximum: Scalar = None
    minimum: Scalar = None


@dataclass(frozen=True, slots=True)
class Quality:
    enforce_required: bool = True
    fail_pipeline_on_dataset_error: bool = False
    row_rules: tuple[RowRule, ...] = ()
    dataset_rules: tuple[DatasetRule, ...] = ()


# --- source, links, target --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CsvOptions:
    delimiter: str = ","
    encoding: str = "utf-8"
    quote_char: str | None = '"'
    skip_rows: int = 0
    has_header: bool = True
    null_values: tuple[str, ...] = ()
    comment_prefix: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """``source``: landing files. ``format`` is csv, json, jsonl or parquet (``None``: from the suffix at run time)."""

    type: str
    at: Position
    path: str | None = None
    format: str | None = None
    pattern: str | None = None
    csv: CsvOptions = CsvOptions()
    empty_behavior: Literal["skip", "fail"] = "skip"
    post_ingestion: Literal["retain", "archive", "delete"] = "retain"
    archive_path: str | None = None
    cleanup_is_blocking: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """Reference data. ``fields`` come from ``etlgen.link_fields``; ``None``: the columns are unknown at build."""

    name: Text
    path: str | None
    type: str
    at: Position
    columns: tuple[Text, ...] = ()
    filter: Text | None = None
    fields: tuple[Field, ...] | None = None
    broadcast: bool = False


@dataclass(frozen=True, slots=True)
class Materialization:
    strategy: str = "append"
    format: str = "parquet"
    target_path: str | None = None
    at: Position | None = None
    written: bool = False


@dataclass(frozen=True, slots=True)
class Quarantine:
    enabled: bool = True
    target: str | None = None
    format: str = "parquet"
    write_mode: Literal["append", "overwrite"] = "append"
    include_error_reason: bool = True
    fail_on_quarantine: bool = False
    at: Position | None = None


@dataclass(frozen=True, slots=True)
class Contract:
    """A whole contract.

    ``name`` is ``info.table_name``, else ``dataset``, else the file's stem; ``digest`` the SHA-256 of the file's bytes.
    ``unknown_fields`` and ``evolution`` come from ``schema_policy``.
    """

    vocabulary: Literal["olc", "odcs"]
    file: str
    digest: str
    at: Position
    name: str
    version: str
    title: str = ""
    description: str = ""
    layer: str | None = None
    fields: tuple[Field, ...] = ()
    source_fields: tuple[Field, ...] | None = None
    source: Source | None = None
    links: tuple[Link, ...] = ()
    primary_key: tuple[Text, ...] = ()
    transformations: tuple[Operation, ...] = ()
    quality: Quality = Quality()
    materialization: Materialization = Materialization()
    quarantine: Quarantine = Quarantine()
    unknown_fields: Literal["allow", "drop", "quarantine"] = "allow"
    evolution: str = "allow"
    upstream: tuple[Text, ...] = ()
    metadata: Mapping[str, object] = dataclasses.field(default_factory=dict[str, object])
    diagnostics: tuple[Diagnostic, ...] = ()
    """Warnings and notes of the reader; errors raise."""
