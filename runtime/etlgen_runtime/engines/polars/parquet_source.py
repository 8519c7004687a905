"""Parquet files: columns keep their types; a file that is none is refused before any row (materialization, Sources)."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from etlgen_runtime.engines.polars.csv_validation import unreadable
from etlgen_runtime.engines.polars.reading import Reading, refuse_wide, refused_by_system

PARQUET, ENCRYPTED = b"PAR1", b"PARE"


def scan_parquet_file(path: Path, content: Path, reading: Reading) -> pl.LazyFrame:
    """One file, lazily; its schema is read.

    Args:
        path: The file as messages name it.
        content: The file, or what it holds unpacked.

    Raises:
        DataError: PMDATA105, it cannot be opened, is not Parquet, encrypted, cut off, or too wide.
    """
    try:
        begin, end = _marks(content)
    except OSError as error:
        raise refused_by_system(path, error) from None
    if ENCRYPTED in (begin, end):
        raise unreadable(path, "is an encrypted Parquet file", "decrypt it before")
    if (begin, end) != (PARQUET, PARQUET):
        raise unreadable(path, "is not a readable Parquet file", "fix or remove it")
    frame = pl.scan_parquet(content, glob=False)
    try:
        width = len(frame.collect_schema())
    except (pl.exceptions.PolarsError, OSError):
        raise unreadable(path, "is not a readable Parquet file", "fix or remove it") from None
    refuse_wide(path, width, reading.limits)
    return frame


def _marks(path: Path) -> tuple[bytes, bytes]:
    """The first and the last four bytes."""
    with path.open("rb") as file:
        begin = file.read(4)
        file.seek(max(file.seek(0, os.SEEK_END) - 4, 0))
        return begin, file.read(4)
