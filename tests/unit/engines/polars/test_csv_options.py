"""What well-formed files mean under every option (docs/sources.md)."""

from __future__ import annotations

import string

import pytest
from tests.unit.engines.polars.csv_files import Table, read_csv, refusal

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.limits import Limits

HEADERLESS = CsvOptions(has_header=False)
COMMENTS = CsvOptions(comment_prefix="#")


@pytest.mark.parametrize(
    ("content", "table"),
    [
        pytest.param('id,v\n1,\n2,""\n', {"id": ["1", "2"], "v": [None, ""]}, id="empty is null, quoted empty is not"),
        pytest.param("id,v\n,\n", {"id": [None], "v": [None]}, id="all empty"),
        pytest.param("id,v\n007, a \n", {"id": ["007"], "v": [" a "]}, id="text as it is"),
        pytest.param('id,v\n1,"a,""b""\r\nc"\n', {"id": ["1"], "v": ['a,"b"\r\nc']}, id="quoted"),
        pytest.param("id,v\r\n1,a\r\n2,b", {"id": ["1", "2"], "v": ["a", "b"]}, id="crlf, no line end at the end"),
        pytest.param("id,v\n1,a\r\n2,b\n", {"id": ["1", "2"], "v": ["a", "b"]}, id="mixed line ends"),
        pytest.param(b"\xef\xbb\xbfid,v\n1,a\n", {"id": ["1"], "v": ["a"]}, id="byte order mark"),
        pytest.param(b'\xef\xbb\xbf"id",v\n1,a\n', {"id": ["1"], "v": ["a"]}, id="byte order mark and quote"),
        pytest.param('"say ""hi""",v\n1,a\n', {'say "hi"': ["1"], "v": ["a"]}, id="quotes in a name"),
        pytest.param('"i\nd",v\n1,a\n', {"i\nd": ["1"], "v": ["a"]}, id="line break in a name"),
        pytest.param('"a,b",v\n1,a\n', {"a,b": ["1"], "v": ["a"]}, id="delimiter in a name"),
        pytest.param("id,v\n", {"id": [], "v": []}, id="header only"),
        pytest.param("id,v", {"id": [], "v": []}, id="header only, no line end"),
        pytest.param("id,v\n\n\n", {"id": [], "v": []}, id="header and blank lines"),
        pytest.param("\n\r\nid,v\n1,a\n", {"id": ["1"], "v": ["a"]}, id="blank lines before the header"),
        pytest.param("id,v\n1,a\n\n\r\n2,b\n\n", {"id": ["1", "2"], "v": ["a", "b"]}, id="blank lines are skipped"),
        pytest.param('id,v\n1,"a\n\nb"\n', {"id": ["1"], "v": ["a\n\nb"]}, id="blank line within quotes"),
        pytest.param("id\n1\n\n2\n", {"id": ["1", None, "2"]}, id="one column: a blank line is a row"),
        pytest.param('id\n\n""\n', {"id": [None, ""]}, id="one column: empty and quoted empty"),
        pytest.param("id,v\n1,a\x0bb\u2028c\x85\n", {"id": ["1"], "v": ["a\x0bb\u2028c\x85"]}, id="other line breaks"),
    ],
)
def test_a_file_with_header(content: str | bytes, table: Table) -> None:
    assert read_csv(content) == table


@pytest.mark.parametrize(
    ("content", "table"),
    [
        pytest.param("1,a\n2,b\n", {"id": ["1", "2"], "v": ["a", "b"]}, id="declared names"),
        pytest.param("\n\n1,a\n", {"id": ["1"], "v": ["a"]}, id="blank lines first"),
        pytest.param("", {"id": [], "v": []}, id="0 bytes"),
        pytest.param(b"\xef\xbb\xbf1,a\n", {"id": ["1"], "v": ["a"]}, id="byte order mark"),
    ],
)
def test_a_file_without_header(content: str | bytes, table: Table) -> None:
    assert read_csv(content, HEADERLESS) == table


def test_a_file_of_one_column_without_header() -> None:
    assert read_csv("\n1\n\n", HEADERLESS, ["id"]) == {"id": [None, "1", None]}


@pytest.mark.parametrize(
    ("content", "table"),
    [
        pytest.param('# "\n\n# x\nid,v\n# y\n1,a\n', {"id": ["1"], "v": ["a"]}, id="before and after the header"),
        pytest.param('id,v\n1,a\n# it"s, one\n2,b\n#', {"id": ["1", "2"], "v": ["a", "b"]}, id="between rows"),
        pytest.param('id,v\n1,"a\n# b"\n', {"id": ["1"], "v": ["a\n# b"]}, id="not within quotes"),
        pytest.param('id,v\n"#1",a\n #2,b\n', {"id": ["#1", " #2"], "v": ["a", "b"]}, id="only at the begin of a line"),
        pytest.param("id,v\n#1,a\n", {"id": [], "v": []}, id="nothing else"),
    ],
)
def test_comments(content: str, table: Table) -> None:
    assert read_csv(content, COMMENTS) == table


def test_a_comment_prefix_of_two_characters() -> None:
    options = CsvOptions(comment_prefix="//")
    assert read_csv("id,v\n// x\n/1,a\n", options) == {"id": ["/1"], "v": ["a"]}


def test_without_comment_prefix_a_number_sign_is_text() -> None:
    assert read_csv("id,v\n#1,a\n") == {"id": ["#1"], "v": ["a"]}


def test_skipped_lines_may_hold_anything() -> None:
    options = CsvOptions(skip_rows=2)
    assert read_csv('export "of\n\xa0,,,\nid,v\n1,a\n', options) == {"id": ["1"], "v": ["a"]}
    assert refusal('x"\ny\nid,v\n1\n', options) == "`f.csv`, line 4: 1 field, expected 2"
    assert refusal("x\n", options) == "`f.csv` has no header"
    assert read_csv("x\ny\n1,a\n", CsvOptions(skip_rows=2, has_header=False)) == {"id": ["1"], "v": ["a"]}


def test_what_stands_before_the_header_may_be_long() -> None:
    """It is not kept, and is read in blocks."""
    skipped, comments = 'a "b\n' * 300_000, "# c\n" * 200_000
    options = CsvOptions(skip_rows=300_000, comment_prefix="#")
    assert read_csv(f"{skipped}{comments}\nid,v\n1,a\n", options) == {"id": ["1"], "v": ["a"]}
    assert refusal(f"{skipped}{comments}\nid,v\n1\n", options) == "`f.csv`, line 500003: 1 field, expected 2"


@pytest.mark.parametrize("skip_rows", [3, 4, 10**18])
def test_no_more_lines_are_skipped_than_there_are(skip_rows: int) -> None:
    assert refusal("x\ny\nz", CsvOptions(skip_rows=skip_rows)) == "`f.csv` has no header"
    options = CsvOptions(skip_rows=skip_rows, has_header=False)
    assert read_csv("x\ny\nz", options) == {"id": [], "v": []}


def test_lines_are_skipped_before_comments_are_looked_for() -> None:
    options = CsvOptions(skip_rows=1, comment_prefix="#")
    assert read_csv("# first\n# second\nid,v\n1,a\n", options) == {"id": ["1"], "v": ["a"]}


def test_without_quote_character_quotes_are_text() -> None:
    options = CsvOptions(quote_char=None)
    assert read_csv('id,v\n"1,5" pipe\n2,""\n', options) == {"id": ['"1', "2"], "v": ['5" pipe', '""']}


@pytest.mark.parametrize("delimiter", [c for c in string.punctuation + "\t xD0" if c != '"'])
def test_any_ascii_delimiter(delimiter: str) -> None:
    content = f'i{delimiter}v\n1{delimiter}\n"{delimiter}"{delimiter}b\n'
    options = CsvOptions(delimiter=delimiter)
    assert read_csv(content, options) == {"i": ["1", delimiter], "v": [None, "b"]}
    assert refusal(content + "2\n", options) == "`f.csv`, line 4: 1 field, expected 2"


@pytest.mark.parametrize("quote", [c for c in string.punctuation + "D" if c != ","])
def test_any_ascii_quote(quote: str) -> None:
    q = quote
    options = CsvOptions(quote_char=quote)
    assert read_csv(f"i,v\n1,{q}{q}\n2,{q}x{q}{q},\n{q}\n", options) == {"i": ["1", "2"], "v": ["", f"x{q},\n"]}
    assert refusal(f"i,v\n1,{q}x{q}y\n", options).startswith("`f.csv`, line 2: text after the closing quote of field 2")


def test_null_values_add_to_the_empty_field() -> None:
    """A null value is one whether quoted or not; only the listed spelling is, and case counts."""
    options = CsvOptions(null_values=("NA", "-"))
    content = 'id,v\n1,NA\n2,"NA"\n3,-\n4,na\n5,\n6,""\n7,NA \n'
    assert read_csv(content, options)["v"] == [None, None, None, "na", None, "", "NA "]


@pytest.mark.parametrize("value", ['a"b', '"', '"a"', 'a""b', '"a'])
def test_a_null_value_may_hold_quotes(value: str) -> None:
    """It is compared with the text of the field, not with its spelling in the file."""
    doubled = value.replace('"', '""')
    content = f'^v$,*\n"{doubled}","{doubled}"\n"{doubled}",x\n"x{doubled}",\n"",NA\n'
    found = read_csv(content, CsvOptions(null_values=(value, "NA")))
    assert found == {"^v$": [None, None, f"x{value}", ""], "*": [None, "x", None, None]}


def test_an_empty_null_value_makes_quoted_empty_fields_null() -> None:
    assert read_csv('id,v\n1,\n2,""\n', CsvOptions(null_values=("",)))["v"] == [None, None]


def test_a_record_longer_than_a_block() -> None:
    text = "x,\n" * 400_000
    table = read_csv(f'id,v\n1,a\n2,"{text}"\n3,c\n')
    assert table == {"id": ["1", "2", "3"], "v": ["a", text, "c"]}


def test_many_columns() -> None:
    names = [f"c{number}" for number in range(3000)]
    row = ",".join(['""'] + [str(number) for number in range(2999)])
    table = read_csv(",".join(names) + "\n" + (row + "\n") * 200, limits=Limits(columns=3000))
    assert table["c0"] == [""] * 200
    assert table["c2999"] == ["2998"] * 200
