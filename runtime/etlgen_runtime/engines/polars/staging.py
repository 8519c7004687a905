"""The fused run: accepted rows, quarantine and audit columns staged in one pass over the input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl
import polars.selectors as cs

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.engine import StageRequest
from etlgen_runtime.engines.polars.casts import logical_type, text_expr
from etlgen_runtime.engines.polars.checking import CheckedFrame, Finding
from etlgen_runtime.engines.polars.frame import copied, data_columns
from etlgen_runtime.engines.polars.functions.columns import column
from etlgen_runtime.engines.polars.functions.columns import columns as exact
from etlgen_runtime.engines.polars.ledger import RowLedger
from etlgen_runtime.engines.polars.quarantine import BadRows, QuarantineLayout, failure_counter, quarantined
from etlgen_runtime.report import RuleResult

ZSTD_LEVEL = 2
"""Files as small as those of Polars' own level 3, in two thirds of its time (measured on the orders job)."""
_SPARSE_ROWS = 8192
"""Batches of fewer rows than this are what is left of larger ones."""
_ROW = "__etlgen_row"


@dataclass(frozen=True, slots=True)
class Audit:
    """What the dataset rules need of one set of rows: a Parquet file of the columns they read."""

    path: Path
    columns: tuple[str, ...]
    whole: bool
    """The file is the staged target itself, not a copy of some columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedPlan:
    """The lazy ends of a run.

    Under ``one_split`` both flags stand in the frame of ``post``. ``good`` stands alone only where dataset rules judge it. Both
    splits are cached nodes, so that everything above them runs once although several sinks read them (nested automatic caches would
    scan the input twice).
    """

    pre: CheckedFrame
    post: CheckedFrame
    good: pl.LazyFrame | None
    accepted: pl.LazyFrame
    ledger: RowLedger
    one_split: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed:
    """What one execution found besides the staged files.

    Args:
        good: File for the dataset rules over the good rows; ``accepted``: likewise over the accepted ones; ``None``: no rule needs one.
        warned_rules: Failures of rules of severity warning or info.
    """

    good: Path | None
    accepted: Path | None
    warned_rules: tuple[RuleResult, ...]


def published_columns(plan: FusedPlan, request: StageRequest, hidden: Sequence[str]) -> list[str]:
    """Declared columns in their order, then undeclared ones as they came, unless they are dropped."""
    here = data_columns(plan.accepted)
    declared = [name for name in request.columns if name in here]
    if request.only_declared:
        return declared
    rest = [name for name in here if name not in set(request.columns) and name not in hidden]
    return declared + rest


def quarantined_rows(plan: FusedPlan, layout: QuarantineLayout) -> pl.LazyFrame:
    """The bad rows of both phases, in any order: the quarantine table of this run."""
    if plan.one_split:
        return quarantined(BadRows.of_one_split(plan.pre, plan.post), layout, plan.ledger)
    return pl.union([quarantined(BadRows.of(checked), layout, plan.ledger) for checked in (plan.pre, plan.post)])


def stage(plan: FusedPlan, request: StageRequest, quarantine: pl.LazyFrame, hidden: Sequence[str]) -> Executed:
    """Run everything once."""
    columns = published_columns(plan, request, hidden)
    ledger = plan.ledger
    accepted = plan.accepted.select(exact(columns))
    if request.writes_text:
        accepted = ledger.tap(accepted, "accepted")
        ledger.backpressure.is_needed = pl.thread_pool_size() > 1
    if request.accepted_format == "csv":
        accepted = _with_undeclared_moments_as_text(accepted, request.columns)
    if ledger.has_operations:
        accepted = _compacted(accepted)
    sinks = [_sink(accepted, request.accepted, request.accepted_format, request.run_id)]
    if request.quarantine is not None:
        sinks.append(_sink(quarantine, request.quarantine, request.quarantine_format, request.run_id, is_target=False))
    else:
        sinks.append(quarantine.select(pl.col("_etlgen_errors", "_etlgen_node").count()))  # all that counting needs
    accepted_audit = _audit(request, request.dataset_rules, "accepted", columns)
    if accepted_audit is not None and not accepted_audit.whole:
        sinks.append(
            _sink(
                _audited(plan.accepted, accepted_audit), accepted_audit.path, "parquet", request.run_id, is_target=False
            )
        )
    good_audit = _audit(request, request.pre_dataset_rules, "good", None)
    if good_audit is not None and plan.good is not None:
        sinks.append(
            _sink(_audited(plan.good, good_audit), good_audit.path, "parquet", request.run_id, is_target=False)
        )
    counted = [checked for checked in (plan.pre, plan.post) if checked.warnings]
    sinks += [checked.frame.select(_sums(checked.warnings)) for checked in counted]
    results = pl.collect_all(sinks, engine="streaming")
    warnings = zip(counted, results[len(results) - len(counted) :], strict=True)
    return Executed(
        good=good_audit.path if good_audit else None,
        accepted=accepted_audit.path if accepted_audit else None,
        warned_rules=tuple(result for checked, sums in warnings for result in _warned_rules(checked, sums)),
    )


def _compacted(frame: pl.LazyFrame) -> pl.LazyFrame:
    """The same rows; text of few rows that keeps whole batches of the source in memory is copied.

    A sink holds rows back until it has enough of them for a row group. Worth a call per batch only where operations may remove
    most rows.
    """

    def compact(batch: pl.DataFrame) -> pl.DataFrame:
        return batch if batch.height > _SPARSE_ROWS else batch.with_columns(copied(cs.string().as_expr()))

    return frame.map_batches(compact, predicate_pushdown=False, slice_pushdown=False, streamable=True)


def _sink(
    frame: pl.LazyFrame, path: Path, format: Literal["parquet", "csv", "json"], run_id: str, *, is_target: bool = True
) -> pl.LazyFrame:
    """What is no target is seldom read, and in no order: written in the cheapest way."""
    match format:
        case "parquet":
            return frame.sink_parquet(
                path,
                compression="zstd" if is_target else "lz4",
                compression_level=ZSTD_LEVEL if is_target else None,
                statistics=is_target,
                maintain_order=is_target,
                metadata={"etlgen.run_id": run_id},
                lazy=True,
            )
        case "csv":
            return _as_text(frame).sink_csv(path, lazy=True)
        case "json":
            return frame.sink_ndjson(path, lazy=True, check_extension=False)


def _as_text(frame: pl.LazyFrame) -> pl.LazyFrame:
    """What CSV has no spelling of, or Polars another than the cast table reads, as the table's text."""
    return _texts(
        frame,
        lambda name, dtype: (
            isinstance(dtype, (pl.Binary, pl.Time))
            or dtype.is_nested()
            or (isinstance(dtype, pl.Datetime) and dtype.time_zone is not None)
        ),
    )


def _with_undeclared_moments_as_text(frame: pl.LazyFrame, declared: Sequence[str]) -> pl.LazyFrame:
    """Dates, timestamps and durations that nobody judged may be of years that Polars does not write into CSV."""
    moments = (pl.Date, pl.Datetime, pl.Duration)
    return _texts(frame, lambda name, dtype: name not in declared and isinstance(dtype, moments))


def _texts(frame: pl.LazyFrame, is_text: Callable[[str, pl.DataType], bool]) -> pl.LazyFrame:
    """The columns that become text, by name and type."""
    texts = [
        text_expr(column(name), logical_type(dtype)).alias(name)
        for name, dtype in frame.collect_schema().items()
        if is_text(name, dtype)
    ]
    return frame.with_columns(texts) if texts else frame


def _audit(
    request: StageRequest, rules: Sequence[DatasetRule], name: str, published: Sequence[str] | None
) -> Audit | None:
    """The file that dataset rules read back: the staged Parquet target where it has their columns, else a copy."""
    if not any(rule.kind != "row_count_between" for rule in rules):
        return None
    needed = tuple(dict.fromkeys(column for rule in rules for column in rule.columns))
    if request.accepted_format == "parquet" and published is not None and set(needed) <= set(published):
        return Audit(request.accepted, tuple(published), whole=True)
    return Audit(request.audit / f"{name}.parquet", needed, whole=False)


def _audited(frame: pl.LazyFrame, audit: Audit) -> pl.LazyFrame:
    """The audited columns; a rule that reads none (``count(*)``) still needs the rows."""
    if audit.columns:
        return frame.select(exact(audit.columns))
    return frame.with_columns(pl.lit(True).alias(_ROW)).select(_ROW)


def _sums(findings: Sequence[Finding]) -> list[pl.Expr]:
    return [finding.attributed.sum().alias(str(number)) for number, finding in enumerate(findings)]


def failed_rules(checked: CheckedFrame, ledger: RowLedger) -> list[RuleResult]:
    """Rows per failed rule of severity error, as counted on the way to the quarantine."""
    return [
        RuleResult(rule=finding.rule, phase=checked.phase, severity=finding.severity, failed=failed)
        for finding in checked.errors
        if (failed := ledger.count(failure_counter(finding)))
    ]


def _warned_rules(checked: CheckedFrame, sums: pl.DataFrame) -> list[RuleResult]:
    """Rows per failed rule of severity warning or info; ``sums``: one row of :func:`_sums`."""
    return [
        RuleResult(rule=finding.rule, phase=checked.phase, severity=finding.severity, failed=int(failed))
        for finding, failed in zip(checked.warnings, sums.row(0), strict=True)
        if failed
    ]


def good_rows(checked: CheckedFrame) -> pl.LazyFrame:
    """The rows of a split that are not bad, without the marks of that split."""
    return checked.frame.filter(~pl.col(checked.bad)).drop(checked.bad, *checked.unfit.values())


def staged_rows(files: Sequence[tuple[Path, Literal["parquet", "csv", "json"]]]) -> list[int]:
    """Rows in staged files, counted from what was written."""
    counts = [_count(path, format) for path, format in files]
    found = iter(pl.collect_all([count for count in counts if isinstance(count, pl.LazyFrame)], engine="streaming"))
    return [count if isinstance(count, int) else int(next(found).item()) for count in counts]


def _count(path: Path, format: Literal["parquet", "csv", "json"]) -> pl.LazyFrame | int:
    match format:
        case "parquet":
            return pl.scan_parquet(path, glob=False).select(pl.len())
        case "csv":
            return pl.scan_csv(path, infer_schema=False, glob=False).select(pl.len())
        case "json":
            return _lines(path)


def _lines(path: Path) -> int:
    """Line feeds of a file; a row of JSON lines has one, at its end."""
    with path.open("rb", buffering=0) as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
