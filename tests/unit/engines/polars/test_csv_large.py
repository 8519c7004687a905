"""Files of many blocks: the reader's own chunks must agree with the scan, and memory must not grow with the file."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import polars as pl
import pytest

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.engines.polars.csv_grammar import CsvGrammar
from etlgen_runtime.engines.polars.csv_scan import CsvFile
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.limits import DEFAULT_LIMITS

ROWS = 120_000


def _record(number: int, style: str) -> str:
    match style:
        case "plain":
            return f"{number},text of {number},{number * 7}\n"
        case "sparse quotes":
            return f'{number},"a, ""b""\n{number}",{number * 7}\n' if number % 50 == 0 else _record(number, "plain")
        case "all quoted":
            return f'"{number}","a, ""b""\n\n{number}","{number * 7}"\r\n'
        case "comments":
            return _record(number, "sparse quotes") + ('# it"s\n' if number % 1000 == 0 else "")
        case "blank lines":
            return _record(number, "sparse quotes") + ("\n" if number % 1000 == 0 else "")
        case _:
            raise ValueError(style)


@pytest.mark.parametrize("style", ["plain", "sparse quotes", "all quoted", "comments", "blank lines"])
def test_every_record_of_a_large_file_is_read(style: str, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("id,v,w\n")
        file.writelines(_record(number, style) for number in range(ROWS))
    options = CsvOptions(comment_prefix="#" if style == "comments" else None)
    frame = scan_csv_file(path, path, options, ["id", "v", "w"], Reading(tmp_path)).with_columns(
        pl.col("id", "w").cast(pl.Int64)
    )
    ends_with_id = pl.col("v").str.ends_with(pl.col("id").cast(pl.String))
    row = (
        frame.select(
            pl.len(),
            pl.sum("id"),
            pl.col("w").sum().alias("w"),
            ends_with_id.sum().alias("v"),
            pl.n_unique("id").alias("u"),
        )
        .collect(engine="streaming")
        .row(0)
    )
    total = ROWS * (ROWS - 1) // 2
    assert row == (ROWS, total, 7 * total, ROWS, ROWS)


def test_the_scan_needs_a_few_blocks_of_memory(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(_record(number, "sparse quotes") for number in range(ROWS * 5))
    size = path.stat().st_size
    scan = CsvFile(path, CsvGrammar(CsvOptions(), "utf-8"), DEFAULT_LIMITS.record_bytes)
    tracemalloc.start()
    try:
        read = sum(len(block.data) for block in scan.blocks(0, 3))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read == size
    assert size > 15_000_000
    assert peak < 3_000_000
