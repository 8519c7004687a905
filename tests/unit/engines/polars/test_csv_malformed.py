"""Malformed files are refused with file and line; the line is that on which the record begins."""

from __future__ import annotations

import pytest
from tests.unit.engines.polars.csv_files import read_csv, refusal

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import PlanError

HEADERLESS = CsvOptions(has_header=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("id,v\n1,a\n2\n", "line 3: 1 field, expected 2", id="short row"),
        pytest.param("id,v\n1,a\n2", "line 3: 1 field, expected 2", id="short row at the end"),
        pytest.param("id,v\n1,a,x\n2,b\n", "line 2: 3 fields, expected 2", id="long row"),
        pytest.param("id,v\n1,a,\n", "line 2: 3 fields, expected 2", id="delimiter at the end of a row"),
        pytest.param('id,v\n1,"a\nb"\n2\n', "line 4: 1 field, expected 2", id="lines within quotes count"),
        pytest.param("id,v\n\n1,a\n\n2\n", "line 5: 1 field, expected 2", id="blank lines count"),
        pytest.param("id,v\n1,a\n  \n", "line 3: 1 field, expected 2", id="a line of blanks is a row"),
        pytest.param(
            'id,v\n1,"a\n2,b\n', "line 2: the quote that opens field 2 is never closed", id="unbalanced quote"
        ),
        pytest.param('id,v\n1,a\n2,"', "line 3: the quote that opens field 2 is never closed", id="quote at the end"),
        pytest.param('id,v\n1,"a""', "line 2: the quote that opens field 2 is never closed", id="doubled, not closed"),
        pytest.param('id,v\n1,5" pipe\n', "line 2: a quote inside field 2", id="stray quote"),
        pytest.param('id,v\n1, "a"\n', "line 2: a quote inside field 2", id="blank before a quote"),
        pytest.param('id,v\n1,a"b"\n', "line 2: a quote inside field 2", id="balanced stray quotes"),
        pytest.param('id,v\n"a,b"c,2\n', "line 2: text after the closing quote of field 1", id="text after a quote"),
        pytest.param('id,v\n"a,b" ,2\n', "line 2: text after the closing quote of field 1", id="blank after a quote"),
        pytest.param('id,v\n"a,b","c"d"\n', "line 2: text after the closing quote of field 2", id="field after commas"),
        pytest.param("id,v\n1,a\x00b\n", "line 2: a NUL byte", id="nul"),
        pytest.param('id,v\n1,"a\x00b"\n', "line 2: a NUL byte", id="nul within quotes"),
        pytest.param("id,v\r1,a\r2,b\r", "line 1: a carriage return without line feed", id="cr only"),
        pytest.param("id,v\n1,a\rb\n", "line 2: a carriage return without line feed", id="cr within a field"),
        pytest.param("id,v\n1,a\r\r\n", "line 2: a carriage return without line feed", id="two carriage returns"),
        pytest.param("id,v\n1,a\r", "line 2: a carriage return without line feed", id="cr at the end"),
        pytest.param(b"id,v\n1,a\n2,a\xe9\n", "line 3: bytes that are not UTF-8", id="latin-1"),
        pytest.param(b"id,v\n2,\xed\xa0\x80\n", "line 2: bytes that are not UTF-8", id="surrogate"),
        pytest.param(b"id,v\n2,a\xc3", "line 2: bytes that are not UTF-8", id="character cut at the end"),
        pytest.param(b"id,a\xe9\n2,a\n", "line 1: bytes that are not UTF-8", id="header in latin-1"),
        pytest.param('"id,v\n1,a\n', "line 1: the quote that opens field 1 is never closed", id="header never closed"),
    ],
)
def test_a_malformed_record_is_refused(content: str | bytes, message: str) -> None:
    assert refusal(content).startswith(f"`f.csv`, {message}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,v,id\n", "has two columns `id`"),
        ("id,v,ID\n", "has columns `id` and `ID`, equal but for case"),
        ("id,,v\n", "has an empty column name (column 2)"),
        ("id,v,\n", "has an empty column name (column 3)"),
        ('id,""\n', "has an empty column name (column 2)"),
        ("", "is empty (0 bytes), but a header is expected"),
        ("\n\n", "has no header"),
        (b"\xef\xbb\xbf", "has no header"),
        (b"\x1f\x8b\x08\x00", "is compressed with gzip"),
    ],
)
def test_a_header_that_does_not_name_each_column_is_refused(content: str | bytes, message: str) -> None:
    assert refusal(content) == f"`f.csv` {message}"


def test_a_header_is_not_equal_but_for_case_beyond_ascii() -> None:
    assert list(read_csv("ä,Ä\n1,2\n")) == ["ä", "Ä"]


def test_rows_of_a_file_without_header_have_the_declared_columns() -> None:
    assert refusal("1\n2\n", HEADERLESS) == "`f.csv`, line 1: 1 field, expected 2"
    assert refusal("1,a\n2,b,c\n", HEADERLESS) == "`f.csv`, line 2: 3 fields, expected 2"
    assert refusal("1,a\n", HEADERLESS, ()) == "`f.csv` has no header, and no columns are declared"


@pytest.mark.parametrize("fault", ["2", "2,b,c", '2,"b', '2,b"', '2,"b"x', "2,b\rc", "2,b\x00"])
@pytest.mark.parametrize("record", ["1,a\n", '"1","a\n"\n', '1,"a,""b"\n', "1,aäa\n", "1,a\r\n"])
def test_the_line_is_right_deep_in_a_file(fault: str, record: str) -> None:
    """Far beyond one block of the scan, whatever the records before and after look like."""
    before = 40_000
    content = "id,v\n" + record * before + fault + "\n" + record.replace('"', "").replace("a,", "a") * 10
    assert refusal(content).startswith(f"`f.csv`, line {2 + before * record.count(chr(10))}: ")


@pytest.mark.parametrize("bad", ["é", "", "||", "\n", "\x00"])
def test_delimiter_and_quote_are_single_ascii_characters(bad: str) -> None:
    for options in (CsvOptions(delimiter=bad), CsvOptions(quote_char=bad)):
        with pytest.raises(PlanError) as caught:
            read_csv("id,v\n", options)
        assert caught.value.diagnostic.code == "PMPLAN108"


def test_delimiter_and_quote_differ() -> None:
    with pytest.raises(PlanError) as caught:
        read_csv("id,v\n", CsvOptions(delimiter='"'))
    assert caught.value.diagnostic.code == "PMPLAN108"


@pytest.mark.parametrize(("before", "line"), [("", 1), ("id,v\n", 2), ("id,v\n1,a\n", 3)])
def test_a_quote_that_swallows_a_large_file_is_found_in_bounded_memory(before: str, line: int) -> None:
    content = before + '1,"a\n' + "2,b\n" * (17 << 20)
    assert (
        refusal(content)
        == f"`f.csv`, line {line}: a record longer than 67108864 bytes, as if a quote were never closed"
    )
