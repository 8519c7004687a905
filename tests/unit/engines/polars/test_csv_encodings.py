"""Encodings other than UTF-8 are read from a copy; faults name the original file and its line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.little_room import needs_limits, room_for
from tests.unit.engines.polars.csv_files import read_csv, refusal

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError, PlanError
from etlgen_runtime.engines.polars.csv_encoding import copy_as_utf8
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.reading import Reading


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "UTF8"]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_text_is_that_of_the_encoding(encoding: str, line_end: str) -> None:
    content = f'id,größe{line_end}1,"é{line_end}"{line_end}2,{line_end}'.encode(encoding)
    table = read_csv(content, CsvOptions(encoding=encoding))
    assert table == {"id": ["1", "2"], "größe": [f"é{line_end}", None]}


def test_a_byte_order_mark_of_a_fixed_byte_order_is_no_text() -> None:
    content = "\ufeffid,v\n1,a\n".encode("utf-16-le")
    assert read_csv(content, CsvOptions(encoding="utf-16-le")) == {"id": ["1"], "v": ["a"]}


def test_a_fault_of_the_copy_names_the_original() -> None:
    content = "id,v\n1,é\n2\n".encode("utf-16")
    assert refusal(content, CsvOptions(encoding="utf-16")) == "`f.csv`, line 3: 1 field, expected 2"


def test_bytes_outside_of_the_encoding_name_the_line() -> None:
    fault = b"id,v\n1,a\n2,\x81\n"
    message = "`f.csv`, line 3: bytes that are not in the encoding `cp1252`"
    assert refusal(fault, CsvOptions(encoding="cp1252")) == message
    many = "id,v\n" + "1,é\n" * 500_000
    assert refusal(many.encode("utf-16") + b"\x00\xd8\n\x00", CsvOptions(encoding="utf-16")).startswith(
        "`f.csv`, line 500002: "
    )
    assert refusal("id,v\n1,a\n".encode("utf-16") + b"x", CsvOptions(encoding="utf-16")).startswith("`f.csv`, line 3: ")


def test_ascii_is_not_utf8() -> None:
    assert refusal("id,v\n1,é\n", CsvOptions(encoding="ascii")) == "`f.csv`, line 2: bytes that are not ascii"


def test_lossy_utf8_replaces_what_is_none() -> None:
    assert read_csv(b"id,v\n1,a\xe9\n", CsvOptions(encoding="utf8-lossy")) == {"id": ["1"], "v": ["a\ufffd"]}


@pytest.mark.parametrize("encoding", ["utf8mb4", "base64", "", "rot13", "idna", "punycode", "\0"])
def test_an_unknown_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(PlanError) as caught:
        read_csv("id,v\n", CsvOptions(encoding=encoding))
    assert caught.value.diagnostic.code == "PMPLAN107"


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        scan_csv_file(tmp_path / "gone.csv", tmp_path / "gone.csv", CsvOptions(), ["id"], Reading(tmp_path))
    assert caught.value.diagnostic.code == "PMDATA105"
    assert caught.value.diagnostic.message.startswith("`gone.csv` cannot be read: ")


@pytest.mark.parametrize("name", ["\u8b1f", "\u4b50\u0403"])
def test_text_of_two_bytes_a_character_may_look_like_an_archive(name: str) -> None:
    content = f"{name},v\n1,a\n".encode("utf-16-le")
    assert content.startswith((b"\x1f\x8b", b"PK\x03\x04"))
    assert list(read_csv(content, CsvOptions(encoding="utf-16-le"))) == [name, "v"]


def test_an_archive_is_no_text_of_one_byte_a_character() -> None:
    assert refusal(gzip.compress(b"id,v\n"), CsvOptions(encoding="latin-1")) == "`f.csv` is compressed with gzip"


@needs_limits
@pytest.mark.parametrize("room", [10, 1_499_999])
def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path, room: int) -> None:
    """The copy may lack a single byte, and its last block is written in part: no rows are lost without a word."""
    path = tmp_path / "f.csv"
    path.write_bytes(b"id,v\n" + b"1,\xe9\n" * 299_999)
    with room_for(room), pytest.raises(OSError, match="File too large"):
        copy_as_utf8(path, "latin-1", tmp_path / "copy")
