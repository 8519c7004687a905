"""Reading JSON text as a run does, for the tests of this folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl
import pytest

from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.json_text import BLOCK_CHARS
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.limits import DEFAULT_LIMITS, Limits

NO_ROWS = pl.DataFrame()
SIZES = (BLOCK_CHARS, 40, 1)
"""Characters per block: all text in one, about three short objects, one object."""


def read_json(
    content: str | bytes,
    *,
    lines: bool = True,
    block_chars: int = 1,
    part_bytes: int = 1,
    limits: Limits = DEFAULT_LIMITS,
) -> pl.DataFrame:
    """The rows of a file ``f.json`` of that content; by default every object is a batch and a part of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        staging = Path(folder) / "staging=1"
        frame = scan_json_file(
            path, path, Reading(staging, limits), lines=lines, block_chars=block_chars, part_bytes=part_bytes
        )
        return NO_ROWS if frame is None else frame.collect(engine="streaming")


def refusal(content: str | bytes, *, lines: bool, block_chars: int = 1, limits: Limits = DEFAULT_LIMITS) -> str:
    """The message with which that content is refused, without the file's name."""
    with pytest.raises(DataError) as caught:
        read_json(content, lines=lines, block_chars=block_chars, limits=limits)
    assert caught.value.diagnostic.code == "PMDATA105"
    assert caught.value.diagnostic.help
    return caught.value.diagnostic.message.removeprefix("`f.json` ")
