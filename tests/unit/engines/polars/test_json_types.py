"""Types of undeclared JSON columns: the kind of the values in the whole file, wherever its blocks and parts end.

Expected values follow from the rules: one kind keeps its type, mixed kinds are text in the spelling of the file's numbers, nested
values canonical JSON (materialization, Sources; semantics, section 4, string).
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.unit.engines.polars.json_files import NO_ROWS, SIZES, read_json

from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.reading import Reading

WIDE = 2**64
HUGE = 2**127
ODD = 2**53 + 1
"""No double holds it."""

COLUMNS: dict[str, tuple[list[str], pl.DataType, list[object]]] = {
    "text": (['"a"', "null", '""'], pl.String(), ["a", None, ""]),
    "booleans": (["null", "true", "false"], pl.Boolean(), [None, True, False]),
    "integers": (["-1", "null", f"{2**63 - 1}"], pl.Int64(), [-1, None, 2**63 - 1]),
    "integers beyond 64 bits": (["1", "null", f"{2**63}"], pl.Int128(), [1, None, 2**63]),
    "wide integers first": ([f"{-(2**127)}", "1", f"{HUGE - 1}"], pl.Int128(), [-(2**127), 1, HUGE - 1]),
    "integers beyond 128 bits": (["1", f"{WIDE}", f"{HUGE}"], pl.String(), ["1", f"{WIDE}", f"{HUGE}"]),
    "integers below 128 bits": (["1", f"{-HUGE}", f"{-HUGE - 1}"], pl.String(), ["1", f"{-HUGE}", f"{-HUGE - 1}"]),
    "floats": (["0.1", "null", "-0.0"], pl.Float64(), [0.1, None, -0.0]),
    "spellings of floats": (["1.50", "1e2", "25E-1"], pl.Float64(), [1.5, 100.0, 2.5]),
    "integers, then a float": (["1", f"{2**53}", "2.5"], pl.Float64(), [1.0, 2.0**53, 2.5]),
    "a float, then integers": (["2.5", "null", "-3"], pl.Float64(), [2.5, None, -3.0]),
    "a float beside an integer that no double holds": (["2.50", f"{ODD}", "1"], pl.String(), ["2.50", f"{ODD}", "1"]),
    "an integer that no double holds, then a float": ([f"{ODD}", "1", "0.5"], pl.String(), [f"{ODD}", "1", "0.5"]),
    "a wide integer, then a float": ([f"{WIDE}", "null", "0.5"], pl.String(), [f"{WIDE}", None, "0.5"]),
    "a decimal that is no double": (
        ["1.50", "12345678901234567.125", "1e2"],
        pl.String(),
        ["1.50", "12345678901234567.125", "1e2"],
    ),
    "a number beyond all doubles": (["0.10", "1e400", "2"], pl.String(), ["0.10", "1e400", "2"]),
    "a number of an exponent that Decimal refuses": (
        ["1.5", "1e-99999999999999999999", "null"],
        pl.String(),
        ["1.5", "1e-99999999999999999999", None],
    ),
    "an integer of more digits than Python reads": (["1", "7" * 5000, "null"], pl.String(), ["1", "7" * 5000, None]),
    "integers, then text": (["1", f"{WIDE}", '"x"'], pl.String(), ["1", f"{WIDE}", "x"]),
    "text, then integers": (['"x"', "7", "null"], pl.String(), ["x", "7", None]),
    "booleans, then integers": (["true", "null", "0"], pl.String(), ["true", None, "0"]),
    "booleans, then text": (["false", "true", '"t"'], pl.String(), ["false", "true", "t"]),
    "floats, then a boolean": (["1.0", "2.50", "false"], pl.String(), ["1.0", "2.50", "false"]),
    "nothing": (["null", "null", "null"], pl.String(), [None, None, None]),
    "nothing for long": (["null", "null", "5"], pl.Int64(), [None, None, 5]),
    "nested": (
        ['{"b": [1, 2.50, null], "a": "\\u00e9"}', "[]", "{}"],
        pl.String(),
        ['{"a":"é","b":[1,2.50,null]}', "[]", "{}"],
    ),
    "numbers in nested values": (
        ["[1e400, -0, 0.12345678901234567890]", '{"b": {"d": 1E5, "c": true}, "": 9007199254740993}', f"[{WIDE}]"],
        pl.String(),
        ["[1e400,-0,0.12345678901234567890]", '{"":9007199254740993,"b":{"c":true,"d":1E5}}', f"[{WIDE}]"],
    ),
    "integers, then nested": (["1", "2", "[true]"], pl.String(), ["1", "2", "[true]"]),
}


def _file(rows: list[str], *, lines: bool) -> str:
    return "\n".join(rows) if lines else "[" + ",\n".join(rows) + "]"


@pytest.mark.parametrize("lines", [True, False], ids=["jsonl", "json"])
@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize("part_bytes", [1, 1 << 20])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_the_type_of_its_values(name: str, part_bytes: int, block_chars: int, lines: bool) -> None:
    texts, dtype, values = COLUMNS[name]
    rows = [f'{{"id": {number}, "v": {text}}}' for number, text in enumerate(texts)]
    read = read_json(_file(rows, lines=lines), lines=lines, block_chars=block_chars, part_bytes=part_bytes)
    expected = pl.DataFrame({"id": [0, 1, 2], "v": pl.Series(values, dtype=dtype)})
    assert_frame_equal(read, expected, check_exact=True)


def test_all_columns_at_once_keep_their_rows_together() -> None:
    """Columns change their types in different batches; no value leaves its row."""
    rows = ["{" + ", ".join(f'"{n}": {texts[i]}' for n, (texts, _, _) in COLUMNS.items()) + "}" for i in range(3)]
    expected = pl.DataFrame({name: pl.Series(values, dtype=dtype) for name, (_, dtype, values) in COLUMNS.items()})
    for block_chars in SIZES:
        assert_frame_equal(read_json("\n".join(rows), block_chars=block_chars), expected, check_exact=True)


@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize("part_bytes", [1, 1 << 20])
def test_columns_in_order_of_appearance_and_missing_keys(part_bytes: int, block_chars: int) -> None:
    text = '{"b": 1}\n{}\n{"a": true, "b": 2}\n{"c": "x", "a": false}\n'
    read = read_json(text, block_chars=block_chars, part_bytes=part_bytes)
    expected = {"b": [1, None, 2, None], "a": [None, None, True, False], "c": [None, None, None, "x"]}
    assert read.columns == ["b", "a", "c"]
    assert read.to_dict(as_series=False) == expected


@pytest.mark.parametrize("block_chars", SIZES)
def test_objects_without_keys_are_rows(block_chars: int) -> None:
    assert read_json("{}\n{}\n{}", block_chars=block_chars).shape == (3, 0)
    assert read_json('{}\n{}\n{"v": 1}', block_chars=block_chars).to_dict(as_series=False) == {"v": [None, None, 1]}


@pytest.mark.parametrize("name", ["", " ", "*", "^v.*$", "a.b", "é", 'say "x"', "x\ny"])
def test_names_are_kept_as_they_are(name: str) -> None:
    spelled = name.replace('"', '\\"').replace("\n", "\\n")
    read = read_json(f'{{"{spelled}": 1, "v": 1}}\n{{"{spelled}": "t", "v": 2}}\n')
    assert read.to_dict(as_series=False) == {name: ["1", "t"], "v": [1, 2]}


@pytest.mark.parametrize("content", ["", "\n", " \t\r\n \n", "\ufeff", "\u00a0\n"])
@pytest.mark.parametrize("lines", [True, False], ids=["jsonl", "json"])
def test_no_text_is_no_rows(content: str, lines: bool) -> None:
    assert_frame_equal(read_json(content, lines=lines), NO_ROWS)


@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("[]", []),
        (" [ ] \n", []),
        ('{"v": 7}', [7]),
        ('\n {"v":\n7\n}\n\n', [7]),
        ('\ufeff[{"v": 1},{"v":2} , {"v"\n:3}]', [1, 2, 3]),
        ('[\r\n{"v": 1}\r\n,\r\n{"v": 2}\r\n]\r\n', [1, 2]),
    ],
)
def test_an_array_or_one_object(content: str, values: list[int], block_chars: int) -> None:
    read = read_json(content, lines=False, block_chars=block_chars)
    assert read.to_dict(as_series=False) == ({"v": values} if values else {})


@pytest.mark.parametrize("block_chars", SIZES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_like_and_blank_ones_are_skipped(end: str, block_chars: int) -> None:
    text = end.join(['\ufeff{"v": "a\\r\\nb"}', "", "  ", ' {"v": "\u2028"} ', '\t{"v": "c"}'])
    assert read_json(text, block_chars=block_chars).to_dict(as_series=False) == {"v": ["a\r\nb", "\u2028", "c"]}


def test_escapes_are_text_wherever_a_block_ends() -> None:
    text = '[{"v": "\\ud83d\\ude00", "w": "\\\\ud800", "x": "\\"}]\\\\"}]'
    for block_chars in range(1, len(text)):
        read = read_json(text, lines=False, block_chars=block_chars)
        assert read.to_dict(as_series=False) == {"v": ["\U0001f600"], "w": ["\\ud800"], "x": ['"}]\\']}


def test_a_large_file_leaves_no_more_than_a_part_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text("".join(f'{{"v":{number}}}\n' for number in range(100, 200)))
    staging = tmp_path / "staging"
    frame = scan_json_file(path, path, Reading(staging), lines=True, block_chars=100, part_bytes=200)
    assert frame is not None
    assert frame.collect().to_dict(as_series=False) == {"v": list(range(100, 200))}
    parts = list(staging.rglob("*.arrow"))
    assert len(parts) == 3  # ten rows are 100 characters and 80 bytes, so three such batches are a part
    assert pl.scan_ipc(parts).collect().height == 90


def test_a_small_file_stays_in_memory(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text('{"v": 1}\n' * 100)
    frame = scan_json_file(tmp_path / "f.jsonl", tmp_path / "f.jsonl", Reading(tmp_path / "staging"), lines=True)
    assert frame is not None
    (tmp_path / "f.jsonl").unlink()
    assert not (tmp_path / "staging").exists()
    assert frame.collect().height == 100


def test_one_file_read_twice_at_once(tmp_path: Path) -> None:
    """As source and as link: neither overwrites the parts of the other."""
    path = tmp_path / "f.jsonl"
    path.write_text('{"v": 1}\n{"v": 2}\n')
    frames = [scan_json_file(path, path, Reading(tmp_path), lines=True, block_chars=1, part_bytes=1) for _ in range(2)]
    assert [None if frame is None else frame.collect()["v"].to_list() for frame in frames] == [[1, 2], [1, 2]]


def _bits(number: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", number))[0])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 2**64 - 1).map(_bits) | st.floats(), max_size=100))
def test_every_double_comes_back_bit_for_bit(numbers: list[float]) -> None:
    """Python writes the shortest digits of a double, so the nearest double of these digits is the number itself."""
    finite = [
        number for number in [*numbers, 5e-324, 1.7976931348623157e308, 2.2250738585072011e-308] if number - number == 0
    ]
    read = read_json("\n".join(f'{{"v": {number!r}}}' for number in finite), block_chars=1 << 20)
    assert read.schema["v"] == pl.Float64
    assert [struct.pack("<d", value) for value in read["v"]] == [struct.pack("<d", number) for number in finite]


_scalars = (
    st.none() | st.booleans() | st.integers(-(2**130), 2**130) | st.text(max_size=3) | st.sampled_from([0.5, 1e22])
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), _scalars), max_size=8),
    st.integers(1, 60),
    st.sampled_from([1, 40, 1 << 20]),
)
def test_blocks_and_parts_change_nothing(rows: list[dict[str, object]], block_chars: int, part_bytes: int) -> None:
    spelled = [json.dumps(row, ensure_ascii=len(rows) % 2 == 0) for row in rows]
    whole = read_json("\n".join(spelled), block_chars=1 << 20, part_bytes=1 << 20)
    for lines in (True, False):
        content = _file(spelled, lines=lines)
        read = read_json(content, lines=lines, block_chars=block_chars, part_bytes=part_bytes)
        assert_frame_equal(read, whole, check_exact=True)
