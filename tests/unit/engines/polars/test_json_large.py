"""Files of many blocks and parts: every row is read, and memory does not grow with the file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

STATUS = Path("/proc/self/status")
ROWS = 500_000
TEXT = "a text of some length, as in a comment or an address " * 5

READ = """
import json, re, sys
from pathlib import Path
import polars as pl
from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.engines.polars.spelled import as_declared
from etlgen_runtime.models import ColumnSpec
from etlgen_runtime.types import type_named

def peak():  # of this program alone; getrusage also counts the process that started it
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text()).group(1)) * 1024

path, out = Path(sys.argv[1]), sys.argv[2]
specs = [ColumnSpec(name, type_named(of)) for name, of in json.loads(sys.argv[3]).items()]
before = peak()
frame = scan_json_file(
    path, path, Reading(path.parent / "staging"), lines=path.suffix == ".jsonl", declared=[spec.name for spec in specs]
)
frame = as_declared(frame, specs).select("id", "text", "amount", "code")
read = peak()
frame.select(pl.all().count()).collect(engine="streaming")
print(json.dumps([read - before, peak() - before]))
frame.sink_parquet(out)
"""

DECLARED = {"id": "int64", "text": "string", "amount": "float64", "code": "string"}


def _objects() -> Iterator[str]:
    """The last one makes text of one column, and doubles of another."""
    for number in range(ROWS - 1):
        yield f'{{"id": {number}, "text": "{TEXT}{number}", "amount": {number * 7}, "code": {number}}}'
    yield f'{{"id": {ROWS - 1}, "text": null, "amount": 0.5, "code": "x"}}'


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not tell the peak of memory of one program")
@pytest.mark.parametrize(("name", "declared"), [("in.jsonl", {}), ("in.json", {}), ("in.jsonl", DECLARED)])
def test_memory_does_not_grow_with_the_file(name: str, declared: dict[str, str], tmp_path: Path) -> None:
    path, out = tmp_path / name, tmp_path / "out.parquet"
    begin, between, end = ("", "\n", "\n") if name == "in.jsonl" else ("[\n", ",\n", "\n]")
    with path.open("w", encoding="utf-8") as file:
        file.write(begin)
        for number, text in enumerate(_objects()):
            file.write(between + text if number else text)
        file.write(end)
    size = path.stat().st_size
    assert size > 150_000_000
    done = subprocess.run(
        [sys.executable, "-c", READ, path, out, json.dumps(declared)], check=True, capture_output=True, text=True
    )
    read, counted = json.loads(done.stdout)
    assert read < size * 0.6
    assert counted < size * 1.5
    numbers = pl.int_range(ROWS - 1, eager=True)
    rows = pl.read_parquet(out)
    assert rows["id"].equals(pl.int_range(ROWS, eager=True).alias("id"), check_names=False)
    assert rows["text"].equals((TEXT + numbers.cast(pl.String)).extend(pl.Series([None], dtype=pl.String)))
    assert rows["amount"].equals((numbers * 7).cast(pl.Float64).extend(pl.Series([0.5])))
    assert rows["code"].equals(numbers.cast(pl.String).extend(pl.Series(["x"])))
