"""What a run has staged or published, read again: to be appended to, and to be handed to the caller."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import polars as pl

from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.casts import physical_type
from etlgen_runtime.engines.polars.csv_source import scan_written_csv
from etlgen_runtime.engines.polars.functions.columns import columns
from etlgen_runtime.engines.polars.relations import cast_columns
from etlgen_runtime.models import ColumnSpec


def require_same_columns(existing: Sequence[Path], format: Literal["parquet", "csv"], staged: Path) -> None:
    """Refuse an append to files with other columns.

    Raises:
        DataError: PMDATA107 other columns or types, PMDATA108 a published file cannot be read.
    """
    new = _columns_of(staged, format) if existing else {}
    for part in existing:
        old = _columns_of(part, format)
        if old == new:
            continue
        different = sorted({*old.items()} ^ {*new.items()}, key=lambda item: item[0])[0][0]
        raise DataError(
            Diagnostic(
                code="PMDATA107",
                message=f"the target has other columns than this run: `{different}`",
                node="materialize",
                field=different,
                help="overwrite the target, or bring its files to today's contract; it is unchanged",
            )
        )


def accepted_rows(path: Path, format: Literal["parquet", "csv"], specs: Sequence[ColumnSpec]) -> pl.LazyFrame:
    """The rows of one file in their declared types; no rows where there is none."""
    if not path.is_file():
        return pl.LazyFrame(schema={spec.name: physical_type(spec.type) for spec in specs})
    if format == "parquet":
        return pl.scan_parquet(path, glob=False)
    frame = scan_written_csv(path)
    names = frame.collect_schema().names()
    return cast_columns(frame, {spec.name: spec.type for spec in specs if spec.name in names}).select(columns(names))


def quarantined_rows_in(
    path: Path | None, format: Literal["parquet", "csv", "json"], schema: pl.Schema
) -> pl.LazyFrame:
    """The bad rows of one file; none where there is no file, or an empty one."""
    if path is None or not path.stat().st_size:
        return pl.LazyFrame(schema=schema)
    match format:
        case "parquet":
            return pl.scan_parquet(path, glob=False)
        case "csv":
            return scan_written_csv(path)
        case "json":
            return pl.scan_ndjson(path.read_bytes(), schema=schema)  # a path may read as a pattern


def _columns_of(path: Path, format: Literal["parquet", "csv"]) -> dict[str, pl.DataType]:
    try:
        if format == "parquet":
            return dict(pl.scan_parquet(path, glob=False).collect_schema())
        return dict(scan_written_csv(path).collect_schema())
    except (pl.exceptions.PolarsError, OSError, DataError):
        raise DataError(
            Diagnostic(
                code="PMDATA108",
                message=f"`{path.name}` of the target cannot be read",
                node="materialize",
                help="repair or remove it; the target is unchanged",
            )
        ) from None
