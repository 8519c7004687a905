"""The data of a link: read once, checked against its declared columns before any row of the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import polars as pl

from etlgen_runtime.contract import CsvOptions, Link
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.casts import logical_type, physical_type
from etlgen_runtime.engines.polars.frame import SOURCE, unfit_columns
from etlgen_runtime.engines.polars.functions.columns import column as column_named
from etlgen_runtime.engines.polars.functions.columns import columns
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.engines.polars.relations import cast_columns
from etlgen_runtime.engines.polars.sources import scan_files
from etlgen_runtime.engines.polars.spelled import as_declared, spelled_columns
from etlgen_runtime.files import InputFiles, unpacked_name
from etlgen_runtime.models import ColumnSpec, schema_of
from etlgen_runtime.types import Kind, LogicalType

KEPT_BYTES = 1 << 20
"""Links of up to this size are read once and kept; larger ones are read by each operation that uses them."""


def read_link(link: Link[Any], files: InputFiles, reading: Reading) -> pl.LazyFrame:
    """A link with its declared columns in their types; all columns where a type is unknown.

    Columns of a CSV file are text and are cast by the cast table, values of a JSON file one by one; typed data may
    only be widened.

    Raises:
        DataError: PMDATA106, a declared column is missing, of another type, holds text that does not fit its type, or
            has no value though it is ``required``.
    Source: transformations, links.
    """
    declared = schema_of(link.model)
    frame = scan_files(files, _dialect(files), declared, reading).drop(SOURCE, strict=False)
    is_kept = sum(path.stat().st_size for path in files.paths) <= KEPT_BYTES
    if is_kept:
        frame = frame.collect().lazy()
    schema = frame.collect_schema()
    absent = next((name for name in (*(c.name for c in declared), *link.columns) if name not in schema), None)
    if absent is not None:
        raise _unusable(link, absent, "is missing from its data; it has: " + ", ".join(schema.names()[:20]))
    known = [column for column in declared if column.type.kind is not Kind.UNKNOWN]
    frame = as_declared(frame, known) if spelled_columns(frame) else _cast(link, frame, known)
    frame = _fitting(link, frame, declared, "in-memory" if is_kept else "streaming")
    return frame.select(columns(one.name for one in declared)) if known and len(known) == len(declared) else frame


def _dialect(files: InputFiles) -> CsvOptions:
    """The defaults: links have no options."""
    is_tabbed = all(unpacked_name(path.name).lower().endswith(".tsv") for path in files.paths)
    return CsvOptions(delimiter="\t") if is_tabbed else CsvOptions()


def _fitting(
    link: Link[Any], frame: pl.LazyFrame, declared: Sequence[ColumnSpec], engine: Literal["in-memory", "streaming"]
) -> pl.LazyFrame:
    """The frame without what it remembers of casts that failed: there must be none.

    Nor may a ``required`` column hold a NULL: reference data have no quarantine.
    """
    markers = unfit_columns(frame)
    required = [column.name for column in declared if not column.nullable]
    if not markers and not required:
        return frame
    unfit = [pl.col(marker).count() for marker in markers.values()]
    missing = [column_named(name).null_count() for name in required]
    counts = frame.select(*unfit, *missing).collect(engine=engine).row(0)
    for name, count in zip(markers, counts[: len(unfit)], strict=True):
        if count:
            raise _unusable(link, name, f"holds {count} values that do not fit its declared type")
    for name, count in zip(required, counts[len(unfit) :], strict=True):
        if count:
            raise _unusable(link, name, f"is declared as required and has no value in {count} rows")
    return frame.drop(markers.values())


def _cast(link: Link[Any], frame: pl.LazyFrame, known: Sequence[ColumnSpec]) -> pl.LazyFrame:
    """Text by the cast table, which remembers what does not fit; other columns widened."""
    actual = {name: logical_type(dtype) for name, dtype in frame.collect_schema().items()}
    others = [one for one in known if actual[one.name] != one.type and actual[one.name].kind is not Kind.STRING]
    texts = [one for one in known if actual[one.name].kind is Kind.STRING and one.type.kind is not Kind.STRING]
    types = {one.name: one.type for one in texts}
    formats = {one.name: one.date_formats for one in texts}
    return cast_columns(frame.with_columns(_widened(link, one, actual[one.name]) for one in others), types, formats)


def _widened(link: Link[Any], column: ColumnSpec, actual: LogicalType) -> pl.Expr:
    if not _widens(actual.kind, column.type.kind):
        raise _unusable(link, column.name, f"is {actual} in its data, declared as {column.type}")
    return column_named(column.name).cast(physical_type(column.type))


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
