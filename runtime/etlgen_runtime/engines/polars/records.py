"""Rows as Python values, into frames and out of them: for tests, conformance cases and small looks, not for bulk data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import polars as pl

from etlgen_runtime.engines.polars.frame import as_lazy
from etlgen_runtime.engines.polars.functions.columns import columns
from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.engines.polars.relations import cast_columns
from etlgen_runtime.models import schema_of


def read_records(path: Path) -> object:
    """A JSON Lines file as one frame: types as in JSON, a key missing in a row is NULL, a column of mixed types is text.

    Raises:
        DataError: PMDATA105, the file is not JSON Lines.
    """
    frame = scan_json_file(path, path, Reading(path.parent), lines=True, part_bytes=sys.maxsize)
    return pl.LazyFrame() if frame is None else frame


def records_of(native: object) -> tuple[tuple[str, ...], tuple[dict[str, object], ...]]:
    """Columns and rows of a frame, in any order of rows."""
    frame = as_lazy(native).collect()
    return tuple(frame.columns), tuple(frame.iter_rows(named=True))


def read_published(target: Path, format: Literal["parquet", "csv"], model: type[object]) -> object:
    """A target as a reader finds it: all its part files; no rows where nothing was ever published.

    Args:
        target: The file, or the folder of part files.
        model: Gives the types of a CSV target.
    """
    parts = [target] if target.is_file() else sorted(target.rglob(f"*.{format}"))
    if not parts:
        return pl.LazyFrame()
    if format == "parquet":
        return pl.concat([pl.scan_parquet(part, glob=False) for part in parts], how="diagonal_relaxed")
    frame = pl.concat([pl.scan_csv(part, infer_schema=False, glob=False) for part in parts], how="diagonal")
    names = frame.collect_schema().names()
    return cast_columns(frame, {spec.name: spec.type for spec in schema_of(model) if spec.name in names}).select(
        columns(names)
    )
