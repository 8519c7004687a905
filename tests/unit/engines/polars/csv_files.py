"""Reading CSV text as a run does, for the tests of this folder."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.limits import DEFAULT_LIMITS, Limits

Table = dict[str, list[str | None]]


def read_csv(
    content: str | bytes,
    options: CsvOptions | None = None,
    declared: Sequence[str] = ("id", "v"),
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """The columns of a file ``f.csv`` of that content.

    Raises:
        DataError: PMDATA105, it is malformed.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        reading = Reading(Path(folder) / "staging", limits)
        frame = scan_csv_file(path, path, options or CsvOptions(), declared, reading)
        read = frame.collect(engine="streaming")
        assert set(read.dtypes) <= {pl.String}
        return read.to_dict(as_series=False)


def refusal(
    content: str | bytes,
    options: CsvOptions | None = None,
    declared: Sequence[str] = ("id", "v"),
    limits: Limits = DEFAULT_LIMITS,
) -> str:
    """The message with which that content is refused."""
    with pytest.raises(DataError) as caught:
        read_csv(content, options, declared, limits)
    assert caught.value.diagnostic.code == "PMDATA105"
    assert caught.value.diagnostic.help
    return caught.value.diagnostic.message
