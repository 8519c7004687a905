"""The data of a link: read once, checked against its declared columns before any row of the source."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from etlgen_runtime.contract import CsvOptions, Link
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.casts import cast_expr, logical_type, physical_type
from etlgen_runtime.engines.polars.frame import SOURCE, unfit_columns
from etlgen_runtime.engines.polars.functions.columns import column as column_named
from etlgen_runtime.engines.polars.functions.columns import columns
from etlgen_runtime.engines.polars.sources import scan_files
from etlgen_runtime.engines.polars.spelled import as_declared, spelled_columns
from etlgen_runtime.files import InputFiles
from etlgen_runtime.models import ColumnSpec, schema_of
from etlgen_runtime.types import Kind, LogicalType


def read_link(link: Link[Any], files: InputFiles, staging: Path) -> pl.LazyFrame:
    """A link with its declared columns in their types; all columns where a type is unknown.

    Columns of a CSV file are text and are cast by the cast table, values of a JSON file one by one; typed data may only be widened.

    Raises:
        DataError: PMDATA106, a declared column is missing, of another type, holds text that does not fit its type, or has no value though
            it is ``required``.
    Source: transformations, links.
    """
    declared = schema_of(link.model)
    frame = scan_files(files, CsvOptions(), declared, staging).drop(SOURCE, strict=False)
    schema = frame.collect_schema()
    absent = next((name for name in (*(c.name for c in declared), *link.columns) if name not in schema), None)
    if absent is not None:
        raise _unusable(link, absent, "is missing from its data; it has: " + ", ".join(schema.names()[:20]))
    known = [column for column in declared if column.type.kind is not Kind.UNKNOWN]
    if spelled_columns(frame):
        frame = _fitting(link, as_declared(frame, known))
        _refuse_nulls(link, frame, declared)
        return frame.select(columns(one.name for one in declared)) if len(known) == len(declared) else frame
    casts = [_cast(link, column, logical_type(schema[column.name])) for column in known]
    typed = frame.with_columns(cast for cast in casts if cast is not None)
    if files.format == "csv":
        _refuse_unfit(link, frame, typed, known)
    _refuse_nulls(link, typed, declared)
    return typed.select(columns(one.name for one in declared)) if known and len(known) == len(declared) else typed


def _fitting(link: Link[Any], frame: pl.LazyFrame) -> pl.LazyFrame:
    """The frame without what it remembers of casts that failed: there must be none."""
    markers = unfit_columns(frame)
    if markers:
        counts = frame.select(pl.col(list(markers.values())).count()).collect(engine="streaming").row(0)
        for name, unfit in zip(markers, counts, strict=True):
            if unfit:
                raise _unusable(link, name, f"holds {unfit} values that do not fit its declared type")
    return frame.drop(markers.values())


def _cast(link: Link[Any], column: ColumnSpec, actual: LogicalType) -> pl.Expr | None:
    if actual == column.type or (actual.is_text and column.type.kind is Kind.STRING):
        return None
    if actual.kind is Kind.STRING:
        return cast_expr(column_named(column.name), actual, column.type, column.date_formats).alias(column.name)
    if not _widens(actual.kind, column.type.kind):
        raise _unusable(link, column.name, f"is {actual} in its data, declared as {column.type}")
    return column_named(column.name).cast(physical_type(column.type))


def _refuse_unfit(link: Link[Any], found: pl.LazyFrame, typed: pl.LazyFrame, columns: list[ColumnSpec]) -> None:
    """Reference data have no quarantine: a value that does not fit is an error."""
    names = [column.name for column in columns if column.type.kind is not Kind.STRING]
    if not names:
        return
    texts = found.select(column_named(name).str.strip_chars(" \t\r\n").replace("", None).null_count() for name in names)
    values = typed.select(column_named(name).null_count() for name in names)
    before, after = pl.collect_all([texts, values])
    for name in names:
        unfit = int(after[name].item()) - int(before[name].item())
        if unfit:
            raise _unusable(link, name, f"holds {unfit} values that do not fit its declared type")


def _refuse_nulls(link: Link[Any], frame: pl.LazyFrame, declared: Sequence[ColumnSpec]) -> None:
    """A column that is declared ``required`` has a value in every row: reference data have no quarantine."""
    names = [column.name for column in declared if not column.nullable]
    if not names:
        return
    counts = frame.select(column_named(name).null_count() for name in names).collect(engine="streaming").row(0)
    for name, missing in zip(names, counts, strict=True):
        if missing:
            raise _unusable(link, name, f"is declared as required and has no value in {missing} rows")


_WIDTH = {Kind.INT8: 1, Kind.INT16: 2, Kind.INT32: 3, Kind.INT64: 4, Kind.INT128: 5}


def _widens(actual: Kind, declared: Kind) -> bool:
    """The data's type goes into the declared one without loss."""
    if actual is Kind.NULL:
        return True
    if actual in _WIDTH and declared in _WIDTH:
        return _WIDTH[actual] <= _WIDTH[declared]
    return (actual, declared) == (Kind.FLOAT32, Kind.FLOAT64)


def _unusable(link: Link[Any], column: str, what: str) -> DataError:
    return DataError(
        Diagnostic(
            code="PMDATA106",
            message=f"link `{link.name}`: column `{column}` {what}",
            node="source",
            field=column,
            help="correct `etlgen.link_fields`, or the data",
        )
    )
