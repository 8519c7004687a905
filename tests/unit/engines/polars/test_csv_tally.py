"""The proof that no record is short: whatever it takes for whole is whole (materialization, Sources)."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.engines.polars.csv_grammar import CsvGrammar
from etlgen_runtime.engines.polars.csv_tally import ByteTally, MeasuredRows

COLUMNS = 3


def is_proven(content: bytes, folder: Path, *, batch_rows: int = 2) -> bool:
    """As a run does it: the bytes are tallied, the rows that Polars reads are measured batch by batch."""
    file = folder / "in.csv"
    file.write_bytes(content)
    found = ByteTally(CsvGrammar(CsvOptions(), "utf-8"), COLUMNS).count(file, 0, Event())
    if found is None:
        return False
    names = [f"c{number}" for number in range(COLUMNS)]
    try:
        rows = pl.scan_csv(file, has_header=False, schema=dict.fromkeys(names, pl.String), glob=False).collect()
    except pl.exceptions.PolarsError:  # of a first line that is short
        return False
    measured = MeasuredRows(COLUMNS)
    for first in range(0, rows.height, batch_rows):
        measured.measure(rows.slice(first, batch_rows))
    return measured.are_whole(found)


@pytest.mark.parametrize(
    "content",
    [
        b"1,2,3\n4,5,6\n", b"1,2,3\r\n4,5,6\r\n", b"1,2,3\n4,5,6", b"1,2,\n,,\n", b",,\n1,2,3\n", '1,é,3\n,"",\n'.encode(),
        b'"",2,3\n1,"","x"\n', b',"a,""b""",\n', b',"",\n"x\ny",2,\n', b',"","say ""x"""\n', b",,\n1,2,3\r\n", b",\"\",\n" * 9,
    ],
)  # fmt: skip
def test_whole_records(content: bytes, tmp_path: Path) -> None:
    assert is_proven(content, tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        b"1,2\n", b"1\n4,5,6\n", b"1,2,3\n4,5\n", b"1,2,\n4,5\n", b",,\n4,\n", b'1,2,\n"",5\n', b"1,2,3\n\n4,5,6\n", b"\n",
        b",,\n,\n1,2,3\n", b"1,2,3\n1,2,\n",
    ],
)  # fmt: skip
def test_short_records_and_what_cannot_be_told(content: bytes, tmp_path: Path) -> None:
    """The last file is whole, but its first batch had no NULL in the last column, so its bytes were not counted."""
    assert not is_proven(content, tmp_path, batch_rows=1)


@pytest.mark.parametrize(
    "content",
    [b'1,5" pipe,3\n', b'1,"a" b,3\n', b"1,a\0,3\n", b"1,a\xe9,3\n", b"1,a\rb,3\n", b'1,"2,3\n', b'1,"a\n"b,3\n'],
)
def test_bytes_that_need_a_look(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "in.csv"
    file.write_bytes(content)
    assert ByteTally(CsvGrammar(CsvOptions(), "utf-8"), COLUMNS).count(file, 0, Event()) is None


FIELDS = st.sampled_from(["", "a", "é", '""', '"x"', '"a,b"', '"say ""x"""', '"l\nm"', "12 34"])
LINES = st.lists(st.lists(FIELDS, min_size=0, max_size=COLUMNS + 1), max_size=6)


@settings(max_examples=400, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\r", ","]), st.integers(1, 3))
def test_nothing_short_is_proven(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]], end: str, last: str, batch_rows: int
) -> None:
    """Lines of up to four fields: those with fewer or more than three, blank ones among them, are never taken for whole, nor is a
    file that ends in a delimiter too many or in half of a line end.
    """
    text = end.join(",".join(fields) for fields in lines) + last
    is_there = last == "\n" or not lines or ",".join(lines[-1])
    written = lines if is_there else lines[:-1]
    is_whole = last in ("", "\n") and all(len(fields) == COLUMNS for fields in written)
    folder = tmp_path_factory.mktemp("tally")
    if not is_whole:
        assert not is_proven(text.encode(), folder, batch_rows=batch_rows)
