"""Relational operations that generated steps call by ``.pipe``: what Polars cannot say in one expression with the specified
meaning, or what must be counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import polars.selectors as cs

from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.casts import ColumnCast, logical_type, physical_type
from etlgen_runtime.engines.polars.frame import (
    BOOKKEEPING,
    UNFIT,
    holds_unfit,
    replaced,
    unfit_columns,
)
from etlgen_runtime.engines.polars.functions.columns import column
from etlgen_runtime.engines.polars.functions.columns import columns as exact
from etlgen_runtime.engines.polars.functions.numbers import lost as lost_number
from etlgen_runtime.engines.polars.ledger import SectionLedger
from etlgen_runtime.types import Kind, LogicalType

OUT_OF_RANGE = "out of range"
"""What stands in the quarantine for a number that was too large to be held."""


def keep_rows(
    frame: pl.LazyFrame, predicate: pl.Expr, rows: SectionLedger, operation: str, *, unfit: Sequence[str] = ()
) -> pl.LazyFrame:
    """Keep rows where ``predicate`` is TRUE; FALSE and NULL rows are counted as removed by ``operation``.

    Args:
        unfit: Columns that ``predicate`` depends on and that may hold a value that did not fit. A row with one stays: it is known
            to be bad, and what does not fit is remembered, not lost (semantics, section 1).
    """
    known = holds_unfit(frame, unfit)
    return rows.keep(frame, predicate if known is None else predicate | known, operation)


def keep_columns(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """These data columns, in this order."""
    return frame.select(*exact(columns), BOOKKEEPING)


def drop_columns(frame: pl.LazyFrame, columns: Sequence[str]) -> pl.LazyFrame:
    """Without these columns; an absent one is no error (transformations, drop)."""
    return frame.drop(cs.by_name(*columns, require_all=False))


def rename_columns(frame: pl.LazyFrame, mapping: Mapping[str, str]) -> pl.LazyFrame:
    """Rename all at once, so that swaps work; originals of casts that failed go with their columns."""
    markers = unfit_columns(frame)
    moved = {markers[old]: UNFIT + new for old, new in mapping.items() if old in markers}
    left = [marker for marker in moved.values() if marker in markers.values() and marker not in moved]
    if left:  # of a column of that name that is gone: its row stays bad
        new_to_old = {new: old for old, new in moved.items()}
        frame = frame.with_columns(pl.coalesce(new_to_old[marker], marker).alias(new_to_old[marker]) for marker in left)
        frame = frame.drop(left)
    return frame.rename({**mapping, **moved})


def cast_columns(
    frame: pl.LazyFrame,
    types: Mapping[str, LogicalType],
    formats: Mapping[str, tuple[str, ...]] | None = None,
) -> pl.LazyFrame:
    """Cast by the cast table; a value that does not fit becomes NULL and its original is remembered.

    Args:
        frame: Any frame; the type before is the column's own.
        types: Target type by column.
        formats: The contract's ``date_formats`` by column.

    Returns:
        The same rows and columns, plus ``__etlgen_unfit_<column>`` for each cast that can fail.
    Source: semantics, section 4.
    """
    schema = frame.collect_schema()
    casts = [
        _Cast(name, ColumnCast(logical_type(schema[name]), target, (formats or {}).get(name, ())))
        for name, target in types.items()
        if schema[name] != physical_type(target) or logical_type(schema[name]) != target
    ]
    _refuse_unreadable(schema, casts)
    if not casts:
        return frame
    markers = {cast.marker: pl.String() for cast in casts}
    values = {cast.name: physical_type(cast.of.target) for cast in casts}

    def made(batch: pl.DataFrame) -> Iterator[pl.Series]:
        for cast in casts:
            yield from cast.apply(batch)

    return replaced(frame, made, {**values, **markers})


def _refuse_unreadable(schema: pl.Schema, casts: Sequence[_Cast]) -> None:
    """A column of a type that the cast table has no row for is a fault of the structure, not of its values."""
    for cast in casts:
        dtype = schema[cast.name]
        if cast.of.before.kind in (Kind.UNKNOWN, Kind.INTERVAL) and not dtype.is_nested():
            raise DataError(
                Diagnostic(
                    code="PMDATA126",
                    message=f"column `{cast.name}` is of type {dtype}, which cannot be read as {cast.of.target}",
                    node="schema",
                    field=cast.name,
                    help="convert the column in the source, or leave it undeclared",
                )
            )


@dataclass(frozen=True, slots=True)
class _Cast:
    """One column's cast. All casts of a step run in one call per batch: a call per column costs more than the casts."""

    name: str
    of: ColumnCast

    @property
    def marker(self) -> str:
        return UNFIT + self.name

    def apply(self, batch: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
        """The values, and the originals of those that do not fit, after those of an earlier cast of the column."""
        source = batch.get_column(self.name).alias("value")  # methods of a series take names such as `*` for patterns
        values, unfit = self.of(source)
        unfit = unfit.alias(self.marker)
        if self.marker in batch.columns:
            unfit = batch.get_column(self.marker).fill_null(unfit)
        return values.alias(self.name), unfit


def fit(
    frame: pl.LazyFrame,
    name: str,
    value: pl.Expr,
    target: LogicalType,
    *,
    operands: Sequence[pl.Expr] = (),
    lost: pl.Expr | None = None,
) -> pl.LazyFrame:
    """Set ``name`` to a value computed wider than its type; a row in which it does not fit is bad under ``<name>_type``.

    Args:
        value: The value, in the type of ``target`` or one that is cast to it.
        operands: Where given: a NULL value is a number that Polars cannot hold, unless one of these is NULL.
        lost: TRUE where such a number was lost inside the expression.
    """
    found = [lost] if lost is not None else []
    if operands:
        found.append(lost_number(value, *operands))
    if not found:
        return cast_columns(frame.with_columns(value.alias(name)), {name: target})
    marker = UNFIT + name
    unfit = pl.when(pl.any_horizontal(found)).then(pl.lit(OUT_OF_RANGE))
    known = [pl.col(marker)] if marker in frame.collect_schema() else []
    made = frame.with_columns(value.alias(name), pl.coalesce(*known, unfit).alias(marker))
    return cast_columns(made, {name: target})


def roll_up(
    frame: pl.LazyFrame,
    rows: SectionLedger,
    operation: str,
    *,
    by: Sequence[str],
    aggregates: Mapping[str, pl.Expr],
) -> pl.LazyFrame:
    """One row per group, NULL a value like others; without ``by`` one row, also over no rows.

    The rows are no longer rows of the source, so what travelled with them ends here. Only a value that did not fit stays known:
    the row of its group is bad for it. Rows whose key did not fit are groups of their own, apart from that of NULL.

    Args:
        aggregates: The value of each column after ``by``.
    Source: transformations, rollup; semantics, section 6.
    """
    schema = frame.collect_schema()
    keys = [(column(key) + 0.0).alias(key) if schema[key].is_float() else column(key) for key in by]  # -0.0 is 0.0
    values = [expr.alias(name) for name, expr in aggregates.items()]
    markers = unfit_columns(frame)
    unfit = [column(marker).min() for name, marker in markers.items() if name not in by]
    unfit_keys = [column(marker) for name, marker in markers.items() if name in by]

    def group(before: pl.LazyFrame) -> pl.LazyFrame:
        return before.group_by(*keys, *unfit_keys).agg(*values, *unfit) if keys else before.select(*values, *unfit)

    return rows.balance(frame, operation, group)
