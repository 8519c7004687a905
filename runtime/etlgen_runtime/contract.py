"""What generated modules say about their contract: identity, source, links, schemas, target. Values only, no engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

A = TypeVar("A")
M = TypeVar("M")

Format = Literal["csv", "json", "jsonl", "parquet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Identity of a contract, and what the run must know about it as a whole.

    Args:
        name: Table name; also names the input of the generated ``run()``.
        package: The generated package (``__package__``); engines' steps are its modules ``<engine>_steps``.
        file: The contract's file, relative to the project.
        layer: ``info.target_layer``; the default target is ``data/<layer>/<name>``.
        raw_step: Step whose rows ``_etlgen_raw`` holds: 1 if all pre operations are row-wise, else 3.
        raw_kept_in_post: Rows that turn bad in step 7 keep ``_etlgen_raw``.
        fail_on_dataset_error: A failed dataset rule of severity error stops publication.
        sensitive: Columns whose values appear in no report, log or quarantine unless the profile says so.
        pre_writes: Columns that pre operations create or rewrite; of interest where ``raw_step`` is 1.
        post_writes: Columns that post operations create or rewrite.
        post_drops: Columns that post operations drop; of interest where ``raw_kept_in_post`` is not set.
        post_only_adds: The post section adds columns row by row and changes nothing else, so an engine may judge both phases
            under one split.
        type_rules: (column, rule) where a value that does not fit is not reported as ``<column>_type`` (odcs, section 0).
        links: Every link of the contract, also those that only rules read.
    Source: semantics, sections 3 and 6.
    """

    name: str
    version: str
    package: str
    file: str
    title: str = ""
    layer: str | None = None
    raw_step: Literal[1, 3] = 1
    raw_kept_in_post: bool = True
    fail_on_dataset_error: bool = False
    sensitive: tuple[str, ...] = ()
    pre_writes: tuple[str, ...] = ()
    post_writes: tuple[str, ...] = ()
    post_drops: tuple[str, ...] = ()
    post_only_adds: bool = False
    type_rules: tuple[tuple[str, str], ...] = ()
    links: tuple[Link[Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvOptions:
    """The dialect of a CSV file; every option is fixed, nothing is sniffed (materialization, Sources)."""

    delimiter: str = ","
    encoding: str = "utf-8"
    quote_char: str | None = '"'
    skip_rows: int = 0
    has_header: bool = True
    null_values: tuple[str, ...] = ()
    comment_prefix: str | None = None


class Source(Generic[M]):
    """Where step 1 reads, and which columns must be there.

    Args:
        model: Rows as found; its fields are the declared source columns.
        path: File or folder, relative to ``profile.root``; ``None``: the profile's ``assets`` must name it.
        pattern: Glob within the folder.
        format: ``None``: from the suffix.
        required: Source columns whose absence fails the run before any row (PMDATA101).
        unknown_fields: What happens to undeclared columns (semantics, section 4).
        allowed_undeclared: Undeclared columns that operations or rules read.
        strict: ``evolution: strict``: any undeclared or missing column fails the run.
        empty_behavior: A folder or pattern that matches nothing skips or fails the run.
        post_ingestion: What step 9 does with the files that were read.
    """

    __slots__ = (
        "allowed_undeclared", "archive_path", "cleanup_is_blocking", "csv", "empty_behavior", "format", "model", "name",
        "path", "pattern", "post_ingestion", "required", "strict", "unknown_fields",
    )  # fmt: skip

    def __init__(
        self,
        model: type[M],
        *,
        name: str,
        path: str | None = None,
        pattern: str | None = None,
        format: Format | None = None,
        csv: CsvOptions | None = None,
        required: tuple[str, ...] = (),
        unknown_fields: Literal["allow", "drop", "quarantine"] = "allow",
        allowed_undeclared: tuple[str, ...] = (),
        strict: bool = False,
        empty_behavior: Literal["skip", "fail"] = "skip",
        post_ingestion: Literal["retain", "archive", "delete"] = "retain",
        archive_path: str | None = None,
        cleanup_is_blocking: bool = False,
    ) -> None:
        self.model = model
        self.name = name
        self.path = path
        self.pattern = pattern
        self.format: Format | None = format
        self.csv = csv if csv is not None else CsvOptions()
        self.required = required
        self.unknown_fields: Literal["allow", "drop", "quarantine"] = unknown_fields
        self.allowed_undeclared = allowed_undeclared
        self.strict = strict
        self.empty_behavior: Literal["skip", "fail"] = empty_behavior
        self.post_ingestion: Literal["retain", "archive", "delete"] = post_ingestion
        self.archive_path = archive_path
        self.cleanup_is_blocking = cleanup_is_blocking


class Link(Generic[M]):
    """Reference data. Its predicate (``filter``) is native code in the engine's steps module.

    Args:
        columns: Columns to keep; empty: all.
        filter_sql: The filter, for people.
        declared: The columns are declared; the file must have them with comparable types.
    """

    __slots__ = ("columns", "declared", "filter_sql", "format", "model", "name", "path")

    def __init__(
        self,
        model: type[M],
        *,
        name: str,
        path: str,
        format: Format,
        columns: tuple[str, ...] = (),
        filter_sql: str = "",
        declared: bool = True,
    ) -> None:
        self.model = model
        self.name = name
        self.path = path
        self.format: Format = format
        self.columns = columns
        self.filter_sql = filter_sql
        self.declared = declared


class Schema(Generic[A, M]):
    """A cast from rows of ``before`` to rows of ``after`` (steps 3 and 6)."""

    __slots__ = ("after", "before")

    def __init__(self, before: type[A], after: type[M]) -> None:
        self.before = before
        self.after = after


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineTarget:
    """Where bad rows go (semantics, section 6). ``path`` ``None``: ``<target>__quarantine`` beside the target."""

    enabled: bool = True
    path: str | None = None
    format: Literal["parquet", "csv", "json"] = "parquet"
    write_mode: Literal["append", "overwrite"] = "append"
    include_error_reason: bool = True
    fail_on_quarantine: bool = False


class Target(Generic[M]):
    """Where step 8 writes the accepted rows.

    Args:
        path: File or folder, relative to ``profile.root``; ``None``: ``data/<layer>/<name>``.
        only_declared: ``unknown_fields: drop``: undeclared source columns are not written.
    """

    __slots__ = ("format", "model", "only_declared", "path", "published", "quarantine", "strategy")

    def __init__(
        self,
        model: type[M],
        *,
        published: type[object],
        path: str | None = None,
        format: Literal["parquet", "csv"] = "parquet",
        strategy: Literal["append", "overwrite"] = "append",
        only_declared: bool = False,
        quarantine: QuarantineTarget | None = None,
    ) -> None:
        self.model = model
        self.published = published
        self.path = path
        self.format: Literal["parquet", "csv"] = format
        self.strategy: Literal["append", "overwrite"] = strategy
        self.only_declared = only_declared
        self.quarantine = quarantine if quarantine is not None else QuarantineTarget()
