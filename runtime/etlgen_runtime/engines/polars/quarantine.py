"""The quarantine table: bad rows with their values as text, the reasons, and the row as it came in (semantics, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Self

import polars as pl

from etlgen_runtime.casts import canonical_json
from etlgen_runtime.engine import RunContext
from etlgen_runtime.engines.polars.casts import logical_type, text_expr
from etlgen_runtime.engines.polars.casts.spelling import holds_moments, moments_as_text_expr, type_with_moments_as_text
from etlgen_runtime.engines.polars.checking import CheckedFrame, Finding
from etlgen_runtime.engines.polars.failures import ErrorTable, failed_in, failure_key
from etlgen_runtime.engines.polars.flat_structs import with_flat_structs
from etlgen_runtime.engines.polars.frame import FOUND, PREFIX, RAW, SOURCE, copied
from etlgen_runtime.engines.polars.functions.columns import column, member
from etlgen_runtime.engines.polars.ledger import RowLedger, watch
from etlgen_runtime.engines.polars.spelled import found_text, is_spelled, row_as_json

REDACTED = "[redacted]"
_FAILED = "__etlgen_failed"
_IS_BAD = "__etlgen_bad"
UNEXPLAINED = "bad rows without a finding"
"""Counter of what must not be: the flag of a row and its findings come of the same rules. Any such row fails the run."""

COLUMNS = (
    "_etlgen_errors", "_etlgen_raw", "_etlgen_raw_step", "_etlgen_contract", "_etlgen_contract_version",
    "_etlgen_pipeline", "_etlgen_node", "_etlgen_run_id", "_etlgen_quarantined_at", "_etlgen_source",
)  # fmt: skip
"""What follows the data columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineLayout:
    """The shape of one run's quarantine table.

    Args:
        columns: Data columns in order, all text: those of step 3, then those that step 6 created.
        as_read: Text columns that stand in the raw row as step 3 found them.
        created: Those that step 6 created: NULL in rows that are bad in step 4.
        written_by_post: Columns that post operations create or rewrite: their text is their value, not the source's.
        source: ``_etlgen_source`` of rows that do not say it themselves.
        format: ``_etlgen_errors`` is a list of structs, and JSON text in CSV.
    """

    context: RunContext
    columns: tuple[str, ...]
    as_read: frozenset[str]
    created: frozenset[str]
    written_by_post: frozenset[str]
    source: str | None
    format: Literal["parquet", "csv", "json"]
    include_error_reason: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRows:
    """Bad rows of one split: which they are, and all that can be wrong with them.

    Args:
        frame: All rows of the split.
        pre: Flag column of the rows that are bad in step 4; ``None``: none are among them.
        post: Flag column of the rows that are bad in step 7; ``None``: none are among them.
        findings: What may have failed, phase by phase; each is TRUE only for rows that are bad in its phase.
        unfit: Data column -> originals of failed casts, in the rows to which they belong.
    """

    frame: pl.LazyFrame
    pre: str | None
    post: str | None
    findings: tuple[Finding, ...]
    unfit: Mapping[str, pl.Expr]

    @classmethod
    def of(cls, checked: CheckedFrame) -> Self:
        """The bad rows of one phase."""
        pre, post = (checked.bad, None) if checked.phase == "pre" else (None, checked.bad)
        unfit = {name: pl.col(marker) for name, marker in checked.unfit.items()}
        return cls(frame=checked.frame, pre=pre, post=post, findings=checked.errors, unfit=unfit)

    @classmethod
    def of_one_split(cls, pre: CheckedFrame, post: CheckedFrame) -> Self:
        """The bad rows of both phases where both flags stand in the frame of ``post``.

        Rows that are bad in step 4 pass through step 6 too, but nothing that happens to them there is told of them.
        """
        among = pl.col(post.bad)
        late = (replace(finding, attributed=among & finding.attributed) for finding in post.errors)
        unfit = {name: pl.col(marker) for name, marker in pre.unfit.items()}
        unfit |= {name: pl.when(among).then(pl.col(marker)) for name, marker in post.unfit.items()}
        return cls(frame=post.frame, pre=pre.bad, post=post.bad, findings=(*pre.errors, *late), unfit=unfit)


def quarantined(bad: BadRows, layout: QuarantineLayout, ledger: RowLedger) -> pl.LazyFrame:
    """Bad rows in the shape of the quarantine table; rows and failures per rule are counted as they pass."""
    schema = bad.frame.collect_schema()
    rows = _bad_rows(bad, all_of_source=not ledger.has_operations)
    rows = rows.with_columns(failure_key(bad.findings).alias(_FAILED))
    frame = _count_bad(rows, bad, ledger)
    context, contract = layout.context, layout.context.contract
    keeps_raw = bad.pre is not None or contract.raw_kept_in_post
    has_raw = keeps_raw and RAW in schema
    return frame.select(
        *_data(schema, bad, layout),
        _errors(bad, layout).alias("_etlgen_errors"),
        (_raw(schema, layout) if has_raw else pl.lit(None, dtype=pl.String)).alias("_etlgen_raw"),
        pl.lit(contract.raw_step if has_raw else None, dtype=pl.Int32).alias("_etlgen_raw_step"),
        pl.lit(contract.name).alias("_etlgen_contract"),
        pl.lit(contract.version).alias("_etlgen_contract_version"),
        pl.lit(contract.package).alias("_etlgen_pipeline"),
        _node(bad).alias("_etlgen_node"),
        pl.lit(context.run_id).alias("_etlgen_run_id"),
        _time(layout).alias("_etlgen_quarantined_at"),
        _source(schema, layout).alias("_etlgen_source"),
    )


def _bad_rows(bad: BadRows, *, all_of_source: bool) -> pl.LazyFrame:
    """The rows with a flag.

    Args:
        all_of_source: Each row is one of the source: no operation may have added others, whose structs are NULL.
    """
    is_bad = pl.any_horizontal(pl.col(flag) for flag in (bad.pre, bad.post) if flag is not None).alias(_IS_BAD)

    def pick(rows: pl.LazyFrame) -> pl.LazyFrame:
        """By a column of its own: by an expression, Polars would filter before the structs are apart."""
        return rows.with_columns(is_bad).filter(_IS_BAD).drop(_IS_BAD)

    return with_flat_structs(bad.frame, pick, all_are_rows=all_of_source)


def _node(bad: BadRows) -> pl.Expr:
    """The step that judged the row. It reads both flags where there are two, so that :func:`_count_bad` sees them."""
    early, late = pl.lit("pre-quality"), pl.lit("post-quality")
    if bad.pre is None or bad.post is None:
        return late if bad.pre is None else early
    return pl.when(pl.col(bad.pre)).then(early).when(pl.col(bad.post)).then(late)


def _count_bad(frame: pl.LazyFrame, bad: BadRows, ledger: RowLedger) -> pl.LazyFrame:
    """Count the bad rows of each phase, and how many of them failed each finding, or none (:data:`UNEXPLAINED`)."""

    def count(batch: pl.DataFrame) -> None:
        if bad.pre is not None:
            early = batch.height if bad.post is None else int(batch.get_column(bad.pre).sum())
            ledger.add("pre:bad", early)
        if bad.post is not None:
            late = batch.height if bad.pre is None else int(batch.get_column(bad.post).sum())
            ledger.add("post:bad", late)
        for key, rows in batch.get_column(_FAILED).value_counts(name="rows").iter_rows():
            failed = list(failed_in(key))
            for number in failed:
                ledger.add(failure_counter(bad.findings[number]), rows)
            if not failed:
                ledger.add(UNEXPLAINED, rows)

    return watch(frame, count)


def failure_counter(finding: Finding) -> str:
    """Name under which the failures of a finding are counted; a rule may bear the name of a cast that failed."""
    return f"{finding.phase}:failed:{finding.code}:{finding.rule}"


def _data(schema: pl.Schema, bad: BadRows, layout: QuarantineLayout) -> list[pl.Expr]:
    """Data columns as text: the original of a failed cast, else the spelling found in step 3, else the value."""
    found = _found(schema, layout)
    values = _values(schema, bad, layout, found)
    sensitive = set(layout.context.contract.sensitive)
    columns: list[pl.Expr] = []
    for name in layout.columns:
        is_written = name in layout.written_by_post
        is_known = name in found and name in layout.as_read and not is_written  # the very text that did not fit
        sources = [bad.unfit[name]] if name in bad.unfit and not is_known else []
        if name in found and not (bad.pre is None and is_written):
            sources.append(found[name])
        if name in values:
            sources.append(values[name])
        text = pl.coalesce(*sources) if sources else pl.lit(None, dtype=pl.String)
        columns.append((_protected(text, layout) if name in sensitive else copied(text)).alias(name))
    return columns


def _found(schema: pl.Schema, layout: QuarantineLayout) -> dict[str, pl.Expr]:
    """The text of each column that step 3 found, in rows that still hold it."""
    raw, rest = (_members(schema.get(name)) for name in (RAW, FOUND))
    untouched = {name: member(RAW, name, dtype) for name, dtype in raw.items() if name in layout.as_read}
    return untouched | {name: found_text(member(FOUND, name, dtype), dtype) for name, dtype in rest.items()}


def _members(struct: pl.DataType | None) -> pl.Schema:
    return pl.Schema(struct.to_schema()) if isinstance(struct, pl.Struct) else pl.Schema()


def _values(
    schema: pl.Schema, bad: BadRows, layout: QuarantineLayout, found: Mapping[str, pl.Expr]
) -> dict[str, pl.Expr]:
    """Values of step 7 as text, for what step 3 has not found: rows that are bad in step 4 have none."""
    if bad.post is None:
        return {}
    data = (name for name in schema if not name.startswith(PREFIX))
    names = [name for name in data if bad.pre is None or name not in found]
    late = pl.col(bad.post)
    return {
        name: text_expr(
            column(name) if bad.pre is None else pl.when(late).then(column(name)), logical_type(schema[name])
        )
        for name in names
        if name in layout.columns
    }


def _protected(text: pl.Expr, layout: QuarantineLayout) -> pl.Expr:
    match layout.context.profile.sensitive:
        case "keep":
            return text
        case "omit":
            return pl.lit(None, dtype=pl.String)
        case "redact":
            return pl.when(text.is_not_null()).then(pl.lit(REDACTED))


def _errors(bad: BadRows, layout: QuarantineLayout) -> pl.Expr:
    """The findings of a row as a list of {code, rule, phase, field, message}; JSON text in CSV."""
    errors = [_error(finding, layout) for finding in bad.findings]
    as_text = layout.format == "csv"
    dtype = pl.String() if as_text else pl.List(pl.Struct(dict.fromkeys(_ERROR_KEYS, pl.String)))
    table = ErrorTable(errors, dtype, as_json=as_text)
    return pl.col(_FAILED).map_batches(table.look_up, return_dtype=dtype, is_elementwise=True)


_ERROR_KEYS = ("code", "rule", "phase", "field", "message")


def _error(finding: Finding, layout: QuarantineLayout) -> dict[str, str | None]:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "phase": finding.phase,
        "field": finding.field,
        "message": finding.message if layout.include_error_reason else None,
    }


def _raw(schema: pl.Schema, layout: QuarantineLayout) -> pl.Expr:
    """The row as it came in, as canonical JSON, sensitive columns protected."""
    raw_type = schema[RAW]
    if not isinstance(raw_type, pl.Struct):
        raise TypeError("the raw row is a struct")
    sensitive = set(layout.context.contract.sensitive)
    members: list[pl.Expr] = []
    types = pl.Schema(raw_type.to_schema())
    for name, dtype in sorted(types.items()):
        value = member(RAW, name, dtype)
        if name in sensitive:
            value, types[name] = _protected(found_text(value, dtype), layout), pl.String()
        elif not is_spelled(dtype) and holds_moments(dtype):
            value, types[name] = moments_as_text_expr(value, dtype), type_with_moments_as_text(dtype)
        members.append(value.alias(name))
    if any(is_spelled(dtype) for dtype in types.values()):
        text = row_as_json({name: (value, types[name]) for name, value in zip(sorted(types), members, strict=True)})
        return pl.when(pl.col(RAW).is_not_null()).then(text)
    row = pl.struct(members)
    if all(dtype == pl.String or dtype.is_integer() or dtype == pl.Boolean for dtype in types.values()):
        text = row.struct.json_encode()
    else:
        text = row.map_elements(canonical_json, return_dtype=pl.String, skip_nulls=True)
    return pl.when(pl.col(RAW).is_not_null()).then(text)


def _time(layout: QuarantineLayout) -> pl.Expr:
    """When the run started, by the wall clock; ISO 8601 in text formats."""
    started_at = layout.context.started_at
    if layout.format != "parquet":
        return pl.lit(started_at.isoformat(timespec="microseconds").replace("+00:00", "Z"))
    return pl.lit(started_at.replace(tzinfo=None), dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")


def _source(schema: pl.Schema, layout: QuarantineLayout) -> pl.Expr:
    if SOURCE in schema:
        return pl.col(SOURCE)
    return pl.lit(layout.source, dtype=pl.String)
