"""One run on Polars: lazy until it is staged."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import polars as pl

from etlgen_runtime.callbacks import callback_failed
from etlgen_runtime.checks import RowRule, Rules
from etlgen_runtime.contract import Link, Source
from etlgen_runtime.crossing import require_queries
from etlgen_runtime.datasets import Post, Transformation
from etlgen_runtime.diagnostics import DataError, Diagnostic, ExecutionError
from etlgen_runtime.engine import RunContext, Staged, StageRequest
from etlgen_runtime.engines.polars.casts import logical_type
from etlgen_runtime.engines.polars.checking import CheckedFrame, check_rows
from etlgen_runtime.engines.polars.csv_validation import LateValidations
from etlgen_runtime.engines.polars.dataset_rules import judge
from etlgen_runtime.engines.polars.faults import fault
from etlgen_runtime.engines.polars.frame import (
    BEFORE,
    FOUND,
    RAW,
    SPELLING,
    as_lazy,
    data_columns,
    unfit_columns,
)
from etlgen_runtime.engines.polars.functions.columns import column, columns, member
from etlgen_runtime.engines.polars.ledger import RowLedger, watch
from etlgen_runtime.engines.polars.link_data import read_link
from etlgen_runtime.engines.polars.links import key_values, require_columns
from etlgen_runtime.engines.polars.memory import bounded
from etlgen_runtime.engines.polars.published import accepted_rows, quarantined_rows_in, require_same_columns
from etlgen_runtime.engines.polars.quarantine import UNEXPLAINED, QuarantineLayout
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.engines.polars.relations import cast_columns
from etlgen_runtime.engines.polars.sources import empty_frame, fit_columns, read_source
from etlgen_runtime.engines.polars.spelled import as_declared, remembered, spelled_columns, together
from etlgen_runtime.engines.polars.staging import (
    FusedPlan,
    failed_rules,
    good_rows,
    quarantined_rows,
    stage,
    staged_rows,
)
from etlgen_runtime.engines.polars.steps import PolarsSteps
from etlgen_runtime.engines.polars.typed_moments import within_years
from etlgen_runtime.files import InputFiles, shown_path
from etlgen_runtime.models import schema_of
from etlgen_runtime.report import Accounting
from etlgen_runtime.types import Kind

T = TypeVar("T")


class PolarsRun:
    """Implements :class:`etlgen_runtime.engine.EngineRun` with ``pl.LazyFrame`` as its frame."""

    def __init__(self, context: RunContext, steps: PolarsSteps) -> None:
        self._context = context
        self._steps = steps
        self._ledger = RowLedger(context.callbacks.on_rows)
        self._undeclared: tuple[str, ...] = ()
        self._hidden: tuple[str, ...] = ()
        self._unknown: tuple[str, ...] = ()
        self._source_name: str | None = None
        self._spelled: tuple[str, ...] = ()
        self._read: pl.LazyFrame | None = None
        self._late = LateValidations()
        self._typed_columns: tuple[str, ...] = ()
        self._as_read: frozenset[str] = frozenset()
        self._checked: dict[str, CheckedFrame] = {}
        self._good: pl.LazyFrame | None = None
        self._good_is_audited = False
        self._one_split = False
        self._notices: list[Diagnostic] = []
        self._links: dict[str, pl.LazyFrame] = {}
        self._quarantine: pl.LazyFrame | None = None

    # --- step 1 -------------------------------------------------------------------------------------------------------

    def read(self, source: Source[Any], files: InputFiles | None) -> object:
        if files is None:
            return self._begin(empty_frame(source), source)
        if len(files.paths) == 1:
            self._source_name = shown_path(files.paths[0], self._context.profile.root)
        return self._begin(read_source(source, files, self._context.profile.root, self._reading(self._late)), source)

    def _reading(self, late: LateValidations | None = None) -> Reading:
        return Reading(self._context.staging, self._context.profile.limits, late)

    def given(self, source: Source[Any], frame: object) -> object:
        return self._begin(as_lazy(frame), source)

    def _begin(self, frame: pl.LazyFrame, source: Source[Any]) -> pl.LazyFrame:
        frame, undeclared, missing = fit_columns(frame, source)
        self._notices += [_missing_column(name) for name in missing]
        self._undeclared = undeclared
        if source.unknown_fields == "quarantine":
            self._unknown = tuple(name for name in undeclared if name not in source.allowed_undeclared)
            self._hidden = self._unknown
        frame = self._ledger.tap_source(frame)
        self._spelled = spelled_columns(frame)
        if self._context.contract.raw_step == 1:
            frame = remembered(frame, RAW)
        elif self._spelled:
            frame = together(frame, self._spelled, SPELLING)
        judged = [name for name in _judged_moments(frame, source) if name not in self._spelled]
        frame = within_years(as_declared(frame, schema_of(source.model)), judged)
        self._read = frame
        return frame

    def notices(self) -> tuple[Diagnostic, ...]:
        return tuple(self._notices)

    def link(self, link: Link[Any], files: InputFiles) -> object:
        frame = read_link(link, files, self._reading())
        predicate = self._steps.link_filters().get(link.name)
        if predicate is not None:
            require_columns(frame, link.name, predicate.meta.root_names())
            frame = frame.filter(predicate)
        if link.columns:
            frame = frame.select(columns(link.columns))
        self._links[link.name] = frame
        return frame

    # --- steps 2 and 6 ------------------------------------------------------------------------------------------------

    def transform(self, transformation: Transformation, frames: Mapping[str, object]) -> object:
        phase: Literal["pre", "post"] = "post" if "pre" in self._checked else "pre"
        step = self._steps.transform[type(transformation)]
        given = {name: as_lazy(frame) for name, frame in frames.items()}
        if phase == "post":
            return self._count_good(step(given, self._ledger.section(phase)), "enriched")
        if self._spelled:
            given = {n: together(f, self._spelled, BEFORE) if f is self._read else f for n, f in given.items()}
        made = step(given, self._ledger.section(phase))
        # a step without operations hands back what it was given: the values are still as they were read, and need no `BEFORE`
        return self._read if any(made is frame for frame in given.values()) else made

    # --- steps 3 and 6 ------------------------------------------------------------------------------------------------

    def enforce_schema(self, frame: object, model: type[object]) -> object:
        rows = as_lazy(frame)
        schema = rows.collect_schema()
        specs = schema_of(model)
        if "pre" not in self._checked:
            first = self._context.contract.raw_step == 1
            remember = partial(
                remembered, spelled=RAW if first else SPELLING, before=None if rows is self._read else BEFORE
            )
            if not first:
                rows = remember(rows, RAW)
            self._as_read = self._untouched_texts(schema) if first else frozenset()
            rows = remember(rows, FOUND, without=self._as_read).drop(SPELLING, BEFORE, strict=False)
            self._typed_columns = tuple(data_columns(rows))
            rows = self._ledger.tap(rows, "prepared")
        wanted = {s.name: s.type for s in specs if s.name in schema and s.type.kind is not Kind.UNKNOWN}
        formats = {spec.name: spec.date_formats for spec in specs if spec.date_formats}
        return cast_columns(rows, wanted, formats)

    def _untouched_texts(self, schema: pl.Schema) -> frozenset[str]:
        """Text columns that step 2 leaves as they were read: the raw row has their text."""
        raw = schema.get(RAW)
        members = pl.Schema(raw.to_schema()) if isinstance(raw, pl.Struct) else pl.Schema()
        written = self._context.contract.pre_writes
        return frozenset(
            name for name, dtype in members.items() if dtype == schema.get(name) == pl.String and name not in written
        )

    # --- steps 4, 5 and 7 ---------------------------------------------------------------------------------------------

    def check(self, frame: object, rules: Rules[Any, Any], links: Mapping[str, object]) -> object:
        require_queries(rules.dataset)
        phase: Literal["pre", "post"] = "post" if rules.phase is Post else "pre"
        if phase == "pre":
            self._good_is_audited = bool(rules.dataset)
        rows = as_lazy(frame)
        predicates = self._steps.post_predicates() if phase == "post" else self._steps.pre_predicates()
        for rule in rules.rows:
            if rule.link is not None:
                predicates[rule.name] = _membership(rows, rule, as_lazy(links[rule.link]))
        type_rules = dict(self._context.contract.type_rules)
        judge_rows = partial(check_rows, rows, phase, rules.rows, predicates, type_rules=type_rules)
        if phase == "pre":
            checked = judge_rows(unfit_columns(rows), self._unknown)
            self._one_split = self._context.contract.post_only_adds and not rules.dataset
            self._checked["pre"] = checked if self._one_split else _cached(checked)
        elif self._one_split:
            pre = self._checked["pre"]
            unfit = {name: marker for name, marker in unfit_columns(rows).items() if name not in pre.unfit}
            checked = judge_rows(unfit, among=~pl.col(pre.bad))
            self._checked["post"] = _cached(checked)
            self._checked["pre"] = replace(pre, frame=self._checked["post"].frame)
        else:
            self._checked["post"] = _cached(judge_rows(unfit_columns(rows)))
        return self._checked[phase].frame

    def split(self, frame: object) -> object:
        pre = self._checked["pre"]
        if self._one_split:
            return self._count_good(pre.frame, "good")
        good = self._ledger.tap(good_rows(pre), "good")
        if not self._context.contract.raw_kept_in_post:
            good = self._without_raw(good)
        self._good = good.cache() if self._good_is_audited else good
        return self._good

    def _without_raw(self, good: pl.LazyFrame) -> pl.LazyFrame:
        """Of the raw row, which is not shown any more, the texts of columns that do not have them themselves."""
        schema, may_go = good.collect_schema(), {*self._context.contract.post_drops, *self._undeclared}
        kept = [name for name in schema if name in self._as_read and (schema[name] != pl.String or name in may_go)]
        texts = [member(RAW, name, pl.String()).alias(name) for name in kept]
        return good.with_columns(pl.struct(texts).alias(RAW)) if texts else good.drop(RAW, strict=False)

    def _count_good(self, frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
        """Count the good rows; under one split the bad ones pass along with their flag, and are left out."""
        if not self._one_split:
            return self._ledger.tap(frame, name)
        flag = self._checked["pre"].bad

        def count(batch: pl.DataFrame) -> None:
            self._ledger.add(name, batch.height - int(batch.get_column(flag).sum()))

        return watch(frame, count)

    def accept(self, frame: object) -> object:
        post = self._checked["post"]
        if self._one_split:
            pre = self._checked["pre"]
            return post.frame.filter(~(pl.col(pre.bad) | pl.col(post.bad)))
        return good_rows(post)

    # --- step 8 -------------------------------------------------------------------------------------------------------

    def lay_out(self, frame: object, request: StageRequest) -> None:
        self._plan(frame, request)

    def _plan(self, frame: object, request: StageRequest) -> tuple[FusedPlan, pl.LazyFrame]:
        """Everything up to both sinks, and the bad rows as the quarantine has them."""
        pre, post = self._checked["pre"], self._checked["post"]
        plan = FusedPlan(
            pre=pre, post=post, good=self._good, accepted=as_lazy(frame), ledger=self._ledger, one_split=self._one_split
        )
        created = [name for name in data_columns(post.frame) if name not in self._typed_columns]
        contract = self._context.contract
        layout = QuarantineLayout(
            context=self._context,
            columns=(*self._typed_columns, *created),
            as_read=self._as_read,
            created=frozenset(created),
            written_by_post=frozenset(contract.post_writes),
            source=self._source_name,
            format=request.quarantine_format,
            include_error_reason=request.include_error_reason,
        )
        quarantine = quarantined_rows(plan, layout)
        self._quarantine = quarantine
        return plan, quarantine

    @bounded()
    def stage(self, frame: object, request: StageRequest) -> Staged:
        plan, quarantine = self._plan(frame, request)
        pre, post = plan.pre, plan.post
        executed = self._execute(partial(stage, plan, request, quarantine, self._hidden))
        accounting = self._accounting(request)
        judged = partial(judge, links=self._links, context=self._context, folder=request.audit)
        results = (
            *judged(request.pre_dataset_rules, accounting.good, executed.good),
            *judged(request.dataset_rules, accounting.accepted, executed.accepted),
        )
        shutil.rmtree(request.audit)
        return Staged(
            accounting=accounting,
            failed_rules=(*failed_rules(pre, self._ledger), *failed_rules(post, self._ledger)),
            warned_rules=executed.warned_rules,
            dataset_rules=results,
            fallbacks=tuple(
                f"dataset rule `{rule.name}`: SQL, through DuckDB"
                for rule in (*request.pre_dataset_rules, *request.dataset_rules)
                if rule.kind == "sql"
            ),
        )

    def _execute(self, once: Callable[[], T]) -> T:
        """Execute the plan; again where a source turned out to hold lines that are no records."""
        while True:
            self._ledger.restart()
            self._late.restart()
            try:
                results = once()
            except Exception:
                if self._ledger.refusal is not None:
                    raise callback_failed(
                        self._context.callbacks.on_rows, self._ledger.refusal
                    ) from self._ledger.refusal
                if self._late.settle(to_their_end=False):
                    raise
            else:
                if self._late.settle(to_their_end=True):
                    return results

    def _accounting(self, request: StageRequest) -> Accounting:
        ledger = self._ledger
        _require_findings(ledger.count(UNEXPLAINED))
        files: list[tuple[Path, Literal["parquet", "csv", "json"]]] = [(request.accepted, request.accepted_format)]
        if request.quarantine is not None:
            files.append((request.quarantine, request.quarantine_format))
        written, *quarantine_written = staged_rows(files)
        return Accounting(
            read=ledger.count("read"),
            prepared=ledger.count("prepared"),
            bad_pre=ledger.count("pre:bad"),
            good=ledger.count("good"),
            enriched=ledger.count("enriched"),
            bad_post=ledger.count("post:bad"),
            accepted=ledger.count("accepted") if request.writes_text else written,
            operations=ledger.operations(),
            written=written,
            quarantine_written=quarantine_written[0] if quarantine_written else None,
        )

    # --- after the run ------------------------------------------------------------------------------------------------

    def check_append(self, existing: Sequence[Path], format: Literal["parquet", "csv"], staged: Path) -> None:
        require_same_columns(existing, format, staged)

    def open_accepted(self, path: Path, format: Literal["parquet", "csv"], model: type[object]) -> object:
        return accepted_rows(path, format, schema_of(model))

    def open_quarantine(self, path: Path | None, format: Literal["parquet", "csv", "json"]) -> object:
        return quarantined_rows_in(path, format, self._quarantine_schema())

    def _quarantine_schema(self) -> pl.Schema:
        return pl.Schema() if self._quarantine is None else self._quarantine.collect_schema()

    def close(self) -> None:
        self._late.stop()

    def describe(self, error: BaseException) -> Diagnostic | None:
        return fault(error, self._source_name if not self._links else None)


def _require_findings(unexplained: int) -> None:
    """A bad row says why it is bad.

    Raises:
        ExecutionError: PMEXEC103, rows were flagged for which no finding holds.
    """
    if unexplained:
        raise ExecutionError(
            Diagnostic(
                code="PMEXEC103",
                message=f"the row accounts do not add up: {unexplained} bad rows have no finding",
                node="materialize",
                help="nothing was published; a rule gave two results for one row",
            )
        )


def _missing_column(name: str) -> Diagnostic:
    return Diagnostic(
        code="PMDATA125",
        message=f"the source has no column `{name}`; it is NULL in every row",
        severity="warning",
        node="source",
        field=name,
        help="correct the name in the contract or in the source, or make the field required",
    )


def _judged_moments(frame: pl.LazyFrame, source: Source[Any]) -> list[str]:
    """Columns in which a date or timestamp must be one of the contract's: declared as such, or read by an operation."""
    types = {spec.name: spec.type for spec in schema_of(source.model)}
    read = {name for name, of in types.items() if of.is_temporal or of.kind is Kind.UNKNOWN} | {
        *source.allowed_undeclared
    }
    return [name for name in data_columns(frame) if name in read]


def _cached(checked: CheckedFrame) -> CheckedFrame:
    """A node that runs once although several branches read it; nested automatic caches would scan the input twice."""
    return replace(checked, frame=checked.frame.cache())


def _membership(frame: pl.LazyFrame, rule: RowRule, link: pl.LazyFrame) -> pl.Expr:
    """TRUE where the value is in the link's key column; NULL stays NULL and fails (semantics, section 3)."""
    field, key = rule.columns[0], rule.link_key or ""
    values = key_values(link, rule.link or "", key)
    left, right = logical_type(frame.collect_schema()[field]), logical_type(values.dtype)
    comparable = left.kind == right.kind or (left.is_integer and right.is_integer) or (left.is_text and right.is_text)
    if not comparable:
        raise DataError(
            Diagnostic(
                code="PMDATA106",
                message=f"rule `{rule.name}`: `{field}` ({left}) cannot be compared with `{key}` ({right}) of `{rule.link}`",
                node="checks",
                field=field,
                rule=rule.name,
            )
        )
    return column(field).is_in(values.implode())
