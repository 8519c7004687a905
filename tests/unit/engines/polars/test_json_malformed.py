"""Malformed JSON is refused with the line of the fault, wherever the blocks of the text end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.engines.polars.json_files import SIZES, read_json, refusal

from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.limits import Limits

LIMITS = Limits(record_bytes=1000)
FINE = '{"id": 1, "v": "some text, as long as a block"}'


@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": }', "is not JSON at line 4"),
        ('{"id": 1', "is not JSON at line 4"),
        ('{"id": "1}', "is not JSON at line 4"),
        ('{"id": 1}}', "is not JSON at line 4"),
        ('{"id": 1} {"id": 2}', "is not JSON at line 4"),
        ('{"id": 1},', "is not JSON at line 4"),
        ("{'id': 1}", "is not JSON at line 4"),
        ('{"id": NaN}', "is not JSON at line 4"),
        ('{"id": [-Infinity]}', "is not JSON at line 4"),
        ('{"id": "a\tb"}', "is not JSON at line 4"),
        ("\ufeff{}", "is not JSON at line 4"),
        ('{"id": 1, "v": {"a": 1, "b": 2, "a": 3}}', "has the key `a` twice in one object at line 4"),
        ('{"id": "\\ud800"}', "holds half of a surrogate pair, which is no text, at line 4"),
        ('{"\\uDC00": 1}', "holds half of a surrogate pair, which is no text, at line 4"),
        ('{"id": ' + "[" * 100_000, "is not JSON that can be read: it is nested too deeply at line 4"),
        ("[1]", "holds something other than an object at row 4"),
        ('"id"', "holds something other than an object at row 4"),
        ("null", "holds something other than an object at row 4"),
    ],
)
def test_a_line_of_jsonl(line: str, message: str, block_chars: int) -> None:
    """A blank line counts as a line."""
    assert refusal(f"{FINE}\n\n{FINE}\n{line}\n{FINE}\n", lines=True, block_chars=block_chars) == message


@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('{"id":\n1\n,}', "is not JSON at line 6"),
        ('{"id":\n\n 1 "v": 2}', "is not JSON at line 6"),
        ('{"id":\nnul}', "is not JSON at line 5"),
        ('{"id":\n\n"a\nb"}', "is not JSON at line 6"),
        ('{"id":\n"\\x"}', "is not JSON at line 5"),
        ('{"id":\n"\\u12g4"}', "is not JSON at line 5"),
        ('{"id": 1}\n\n{"id": 2}', "is not JSON at line 6"),
        ('{"id": "NaN",\n"v":\nNaN}', "is not JSON at line 6"),
        ('{"id": 1,\n"v": {"a": 1,\n\n"b": "a",\n"a": 3}}', "has the key `a` twice in one object at line 8"),
        ('{"id": [{"id": 1}],\n"id": 3}', "has the key `id` twice in one object at line 5"),
        ('{"v":\n\n"\\uD83D\\uDE00 \\ud800"}', "holds half of a surrogate pair, which is no text, at line 6"),
        ('{"id":\n' + "[" * 100_000, "is not JSON that can be read: it is nested too deeply at line 4"),
        ("17", "holds something other than an object at row 3"),
        ("[" + FINE + "]", "holds something other than an object at row 3"),
    ],
)
def test_an_element_of_an_array(value: str, message: str, block_chars: int) -> None:
    assert refusal(f"[\n{FINE},\n{FINE},\n{value},\n{FINE}\n]", lines=False, block_chars=block_chars) == message


@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[\n" + FINE + "\n", "is not JSON at line 3"),
        ("[\n" + FINE + ",\n", "is not JSON at line 3"),
        ("[\n" + FINE + "\n}", "is not JSON at line 3"),
        ("[" + FINE + ",\n]", "is not JSON at line 2"),
        ("[,\n" + FINE + "]", "is not JSON at line 1"),
        ("[" + FINE + "]\n]", "is not JSON at line 2"),
        ("[]\n\n[]", "is not JSON at line 3"),
        (FINE + "\n" + FINE, "is not JSON at line 2"),
        ("\n\n" + FINE[:-1], "is not JSON at line 3"),
        ("\n[", "is not JSON at line 2"),
        ("\n\u00a0[]", "is not JSON at line 2"),
        ("nothing", "is not JSON at line 1"),
        ("5", "holds something other than an object at row 1"),
        ('[[{"id": 1}]]', "holds something other than an object at row 1"),
    ],
)
def test_around_the_elements(content: str, message: str, block_chars: int) -> None:
    assert refusal(content, lines=False, block_chars=block_chars) == message


@pytest.mark.parametrize("lines", [True, False], ids=["jsonl", "json"])
@pytest.mark.parametrize("bad", [b"\xff", b"\xed\xa0\x80", b"\xc3"])
def test_bytes_that_are_not_utf8(bad: bytes, lines: bool) -> None:
    content = b'\xef\xbb\xbf\n\r\n{"v": "\xc3\xa9' + bad + b'"}\n'
    assert refusal(content, lines=lines) == "is not UTF-8 (line 3)"


def test_a_cut_character_at_the_end_is_not_utf8() -> None:
    assert refusal(b'{"v": 1}\n{"v": "\xc3', lines=True) == "is not UTF-8 (line 2)"


@pytest.mark.parametrize("lines", [True, False], ids=["jsonl", "json"])
def test_a_value_nested_deeper_than_it_can_be_written(lines: bool) -> None:
    """The decoder nests a little less than 1000 levels; writing a level takes more than one call."""
    levels = 800
    content = '{"v": ' + "[" * levels + "]" * levels + "}"
    assert json.loads(content)
    assert "nested too deeply" in refusal(content, lines=lines)


def test_the_first_fault_is_told_before_the_rest_is_read() -> None:
    """A fault within the text of a block is certain at once, however long the file goes on."""
    wrong = '{"id": 1 "v": 2}' + " " * 100
    assert (
        refusal(f"[{FINE},\n{wrong},\n" + f"{FINE},\n" * 1000, lines=False, block_chars=200) == "is not JSON at line 2"
    )


@pytest.mark.parametrize(
    ("lines", "begin"),
    [(True, f"{FINE}\n" + '{"v": "'), (False, f"[{FINE},\n" + '{"v": "'), (False, f"[{FINE},\n" + '{"v": [')],
)
def test_an_object_that_never_ends(lines: bool, begin: str) -> None:
    message = "holds an object of more than 1000 characters at line 2, as if it were never closed"
    assert refusal(begin + "1," * 5000, lines=lines, block_chars=100, limits=LIMITS) == message


@pytest.mark.parametrize("lines", [True, False], ids=["jsonl", "json"])
def test_an_object_as_long_as_is_allowed(lines: bool) -> None:
    read = read_json('{"v": "' + "x" * 991 + '"}', lines=lines, block_chars=100, limits=LIMITS)
    assert read["v"].to_list() == ["x" * 991]


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "f.json").mkdir()
    with pytest.raises(DataError) as caught:
        scan_json_file(tmp_path / "f.json", tmp_path / "f.json", Reading(tmp_path), lines=True)
    assert caught.value.diagnostic.code == "PMDATA105"
    assert caught.value.diagnostic.message.startswith("`f.json` cannot be read: ")
