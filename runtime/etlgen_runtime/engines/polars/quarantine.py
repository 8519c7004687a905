"""The quarantine table: bad rows with their values as text, the reasons, and the row as it came in (semantics, section 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from etlgen_runtime.casts import canonical_json
from etlgen_runtime.engine import RunContext
from etlgen_runtime.engines.polars.casts import logical_type, text_expr
from etlgen_runtime.engines.polars.checking import CheckedFrame, Finding
from etlgen_runtime.engines.polars.failures import ErrorTable, failed_in, failure_key
from etlgen_runtime.engines.polars.frame import FOUND, RAW, SOURCE, data_columns
from etlgen_runtime.engines.polars.functions.columns import column, member
from etlgen_runtime.engines.polars.ledger import RowLedger, watch

REDACTED = "[redacted]"
_FAILED = "__etlgen_failed"

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
        created: Those that step 6 created: NULL in rows that are bad in step 4.
        written_by_post: Columns that post operations create or rewrite: their text is their value, not the source's.
        source: ``_etlgen_source`` of rows that do not say it themselves.
        format: ``_etlgen_errors`` is a list of structs, and JSON text in CSV.
    """

    context: RunContext
    columns: tuple[str, ...]
    created: frozenset[str]
    written_by_post: frozenset[str]
    source: str | None
    format: Literal["parquet", "csv", "json"]
    include_error_reason: bool


def bad_rows(checked: CheckedFrame, layout: QuarantineLayout, ledger: RowLedger) -> pl.LazyFrame:
    """The bad rows of one split in the shape of the quarantine table; failures are counted per rule as they pass."""
    bad = checked.frame.filter(pl.col(checked.bad))
    frame = _count_bad(bad.with_columns(failure_key(checked.errors).alias(_FAILED)), checked, ledger)
    node = "pre-quality" if checked.phase == "pre" else "post-quality"
    context, contract = layout.context, layout.context.contract
    keeps_raw = checked.phase == "pre" or contract.raw_kept_in_post
    has_raw = keeps_raw and RAW in frame.collect_schema()
    return frame.select(
        *_data(frame, checked, layout),
        _errors(checked, layout).alias("_etlgen_errors"),
        (_raw(frame, layout) if has_raw else pl.lit(None, dtype=pl.String)).alias("_etlgen_raw"),
        pl.lit(contract.raw_step if has_raw else None, dtype=pl.Int32).alias("_etlgen_raw_step"),
        pl.lit(contract.name).alias("_etlgen_contract"),
        pl.lit(contract.version).alias("_etlgen_contract_version"),
        pl.lit(contract.package).alias("_etlgen_pipeline"),
        pl.lit(node).alias("_etlgen_node"),
        pl.lit(context.run_id).alias("_etlgen_run_id"),
        _time(layout).alias("_etlgen_quarantined_at"),
        _source(frame, layout).alias("_etlgen_source"),
    )


def _count_bad(frame: pl.LazyFrame, checked: CheckedFrame, ledger: RowLedger) -> pl.LazyFrame:
    """Count the bad rows, and how many of them failed each finding."""

    def count(batch: pl.DataFrame) -> None:
        ledger.add(f"{checked.phase}:bad", batch.height)
        for key, rows in batch.get_column(_FAILED).value_counts(name="rows").iter_rows():
            for number in failed_in(key):
                ledger.add(failure_counter(checked, number), rows)

    return watch(frame, count)


def failure_counter(checked: CheckedFrame, number: int) -> str:
    """Name under which the failures of finding ``number`` are counted."""
    return f"{checked.phase}:failed:{number}"


def _data(frame: pl.LazyFrame, checked: CheckedFrame, layout: QuarantineLayout) -> list[pl.Expr]:
    """Data columns as text: the original of a failed cast, else the spelling found in step 3, else the value."""
    schema = frame.collect_schema()
    here = set(data_columns(frame))
    found_type = schema.get(FOUND)
    found = pl.Schema(found_type.to_schema()) if isinstance(found_type, pl.Struct) else pl.Schema()
    sensitive = set(layout.context.contract.sensitive)
    columns: list[pl.Expr] = []
    for name in layout.columns:
        sources: list[pl.Expr] = []
        if name in checked.unfit:
            sources.append(pl.col(checked.unfit[name]))
        as_found = name in found and not (checked.phase == "post" and name in layout.written_by_post)
        if as_found:
            sources.append(text_expr(member(FOUND, name, found[name]), logical_type(found[name])))
        if (
            name in here
            and (not as_found or checked.phase == "post")
            and not (checked.phase == "pre" and name in layout.created)
        ):
            sources.append(text_expr(column(name), logical_type(schema[name])))
        text = pl.coalesce(*sources) if sources else pl.lit(None, dtype=pl.String)
        columns.append((_protected(text, layout) if name in sensitive else text).alias(name))
    return columns


def _protected(text: pl.Expr, layout: QuarantineLayout) -> pl.Expr:
    match layout.context.profile.sensitive:
        case "keep":
            return text
        case "omit":
            return pl.lit(None, dtype=pl.String)
        case "redact":
            return pl.when(text.is_not_null()).then(pl.lit(REDACTED))


def _errors(checked: CheckedFrame, layout: QuarantineLayout) -> pl.Expr:
    """The findings of a row as a list of {code, rule, phase, field, message}; JSON text in CSV."""
    errors = [_error(finding, checked.phase, layout) for finding in checked.errors]
    as_text = layout.format == "csv"
    dtype = pl.String() if as_text else pl.List(pl.Struct(dict.fromkeys(_ERROR_KEYS, pl.String)))
    table = ErrorTable(errors, dtype, as_json=as_text)
    return pl.col(_FAILED).map_batches(table.look_up, return_dtype=dtype, is_elementwise=True)


_ERROR_KEYS = ("code", "rule", "phase", "field", "message")


def _error(finding: Finding, phase: str, layout: QuarantineLayout) -> dict[str, str | None]:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "phase": phase,
        "field": finding.field,
        "message": finding.message if layout.include_error_reason else None,
    }


def _raw(frame: pl.LazyFrame, layout: QuarantineLayout) -> pl.Expr:
    """The row as it came in, as canonical JSON, sensitive columns protected."""
    raw_type = frame.collect_schema()[RAW]
    if not isinstance(raw_type, pl.Struct):
        raise TypeError("the raw row is a struct")
    sensitive = set(layout.context.contract.sensitive)
    members: list[pl.Expr] = []
    types = pl.Schema(raw_type.to_schema())
    for name, dtype in types.items():
        value = member(RAW, name, dtype)
        if name in sensitive:
            value = _protected(text_expr(value, logical_type(dtype)), layout)
        members.append(value.alias(name))
    row = pl.struct(members)
    if all(dtype == pl.String or dtype.is_integer() or dtype == pl.Boolean for dtype in types.values()):
        text = row.struct.json_encode()
    else:
        text = row.map_elements(canonical_json, return_dtype=pl.String, skip_nulls=True)
    return pl.when(pl.col(RAW).is_not_null()).then(text)


def _time(layout: QuarantineLayout) -> pl.Expr:
    """The run's clock; ISO 8601 in text formats."""
    as_of = layout.context.as_of
    if layout.format != "parquet":
        return pl.lit(as_of.isoformat(timespec="microseconds").replace("+00:00", "Z"))
    return pl.lit(as_of.replace(tzinfo=None), dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")


def _source(frame: pl.LazyFrame, layout: QuarantineLayout) -> pl.Expr:
    if SOURCE in frame.collect_schema():
        return pl.col(SOURCE)
    return pl.lit(layout.source, dtype=pl.String)
