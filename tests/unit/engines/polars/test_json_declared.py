"""Declared JSON columns: each value is read by itself, whatever stands in other rows (materialization, Sources).

Expected values are worked out from the cast table: a JSON number is a number (with a point or an exponent a decimal), ``true`` a
boolean, text is text, arrays and objects have an entry for string and json alone (semantics, section 4).
"""

from __future__ import annotations

import datetime as dt
import json
import struct
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.engines.polars.checking import unfit_marker
from etlgen_runtime.engines.polars.json_source import scan_json_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.engines.polars.spelled import as_declared
from etlgen_runtime.models import ColumnSpec
from etlgen_runtime.types import type_named

BAD = object()
"""The value does not fit."""

ZONE = dt.UTC
TYPES: dict[str, list[tuple[str, object]]] = {
    "string": [
        ('" a\\n"', " a\n"),
        ('""', ""),
        ("1", "1"),
        ("-0", "-0"),
        ("1.10", "1.10"),
        ("1e3", "1e3"),
        ("25E-1", "25E-1"),
        ("1e400", "1e400"),
        ("true", "true"),
        ('{"b": [1.0, 1e5, null], "a": "x"}', '{"a":"x","b":[1.0,1e5,null]}'),
        ("[]", "[]"),
    ],
    "int64": [
        ("5", 5),
        ("-0", 0),
        ("1.0", 1),
        ("1e3", 1000),
        ("1.5e1", 15),
        ("100E-2", 1),
        ("0e99999999999999999999", 0),
        ("1.5", BAD),
        ("1e-3", BAD),
        ("1e400", BAD),
        ("1e99999999999999999999", BAD),
        ("1e-99999999999999999999", BAD),
        (f"{2**63 - 1}", 2**63 - 1),
        (f"{2**63 - 1}.0", 2**63 - 1),
        (f"{2**63}", BAD),
        ("7" * 5000, BAD),
        ("true", BAD),
        ('" +5.0 "', 5),
        ('"1e3"', BAD),
        ('" "', None),
        ("[1]", BAD),
    ],
    "int8": [("127", 127), ("128", BAD), ("1.27E2", 127), ("-128", -128), ('"-129"', BAD)],
    "float64": [
        ("1", 1.0),
        ("0.1", 0.1),
        ("1e3", 1000.0),
        ("-0", -0.0),
        (f"{2**53}", 2.0**53),
        (f"-{2**53}", -(2.0**53)),
        (f"{2**53 + 1}", BAD),
        (f"{2**53 + 2}", BAD),
        (f"-{2**53 + 1}", BAD),
        (f"{2**53 + 1}.0", 2.0**53),
        ("1e22", 1e22),
        (f"{10**22}", BAD),
        ("0.12345678901234567890", 0.12345678901234568),
        ("1e400", BAD),
        ("1e-400", 0.0),
        ("1e99999999999999999999", BAD),
        ("false", BAD),
        (f'"{2**53 + 1}"', 2.0**53),
        ('"nan"', BAD),
        ('""', None),
        ("{}", BAD),
    ],
    "float32": [("0.5", 0.5), ("16777216", 16777216.0), ("16777217", BAD), ("16777217.0", 16777216.0), ("1e39", BAD)],
    "decimal(5,2)": [
        ("1", Decimal("1.00")),
        ("1.00", Decimal("1.00")),
        ("1.10", Decimal("1.10")),
        ("1e2", Decimal("100.00")),
        ("1.005", BAD),
        ("1.000000000000000000000000000000000000001", BAD),
        ("1000", BAD),
        ("1e-99999999999999999999", BAD),
        ("true", BAD),
        ('"1.5"', Decimal("1.50")),
        ("[]", BAD),
    ],
    "boolean": [
        ("true", True),
        ("false", False),
        ("1", True),
        ("0", False),
        ("-0", False),
        ("0.0", False),
        ("1.0", True),
        ("10e-1", True),
        ("2", BAD),
        ("0.5", BAD),
        ('"Yes"', True),
        ('"f"', False),
        ('"1.0"', BAD),
        ('""', None),
        ("[true]", BAD),
    ],
    "date": [
        ('"2024-01-31"', dt.date(2024, 1, 31)),
        ('"2024-01-31T00:00:00Z"', dt.date(2024, 1, 31)),
        ('"2024-02-30"', BAD),
        ("20240131", BAD),
        ("true", BAD),
        ("{}", BAD),
    ],
    "timestamp": [('"2024-01-31 10:20"', dt.datetime(2024, 1, 31, 10, 20)), ('"now"', BAD), ("1706696400", BAD)],
    "timestamp_tz": [
        ('"2024-01-31T10:20:00+02:00"', dt.datetime(2024, 1, 31, 8, 20, tzinfo=ZONE)),
        ('"2024-01-31T10:20:00"', BAD),
        ("1.5", BAD),
    ],
    "time": [('"10:20"', dt.time(10, 20)), ('"24:00"', BAD), ("10", BAD)],
    "uuid": [
        ('"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"', "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
        ('"x"', BAD),
        ("1", BAD),
        ("true", BAD),
    ],
    "binary": [('"QUJD"', b"ABC"), ('"QUJ"', BAD), ("1234", BAD), ("[]", BAD)],
    "json": [
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('"{"', BAD),
        ('{"b": 1e400, "a": [1.50]}', '{"a":[1.50],"b":1e400}'),
        ("[ ]", "[]"),
        ("5", BAD),
        ("1.5", BAD),
        ("false", BAD),
    ],
}
CELLS = [(type_, text, value) for type_, cells in TYPES.items() for text, value in cells]
NEIGHBOURS = ["null", '"x"', "1", "1.5", "0.12345678901234567890", f"{2**64}", "true", "[1]"]
"""One of every kind that a column may have."""


def read(rows: Sequence[str], type_: str, *, block_chars: int = 1 << 20, part_bytes: int = 1 << 20) -> list[object]:
    """What the values of a column ``v`` become, in a file with these values; ``BAD`` where one does not fit."""
    content = "".join(f'{{"v": {text}}}\n' for text in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.jsonl"
        path.write_text(content)
        scanned = scan_json_file(
            path,
            path,
            Reading(Path(folder)),
            lines=True,
            declared=["v"],
            block_chars=block_chars,
            part_bytes=part_bytes,
        )
        assert scanned is not None
        found = as_declared(scanned, [ColumnSpec("v", type_named(type_))]).collect(engine="streaming")
    marker = unfit_marker("v")
    unfit = found[marker].to_list() if marker in found.columns else [None] * len(rows)
    assert all(value is None for value, original in zip(found["v"], unfit, strict=True) if original is not None)
    return [BAD if bad is not None else value for value, bad in zip(found["v"].to_list(), unfit, strict=True)]


def bits(values: Sequence[object]) -> list[object]:
    """Comparable bit for bit: ``-0.0`` is not ``0.0``, ``True`` not ``1``."""
    return [struct.pack("<d", value) if isinstance(value, float) else (type(value), value) for value in values]


@pytest.mark.parametrize(("type_", "text", "value"), CELLS)
def test_a_value_alone(type_: str, text: str, value: object) -> None:
    assert bits(read([text], type_)) == bits([value])


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
@pytest.mark.parametrize("type_", TYPES)
def test_other_rows_change_nothing(type_: str, neighbour: str) -> None:
    texts, values = zip(*TYPES[type_], strict=True)
    for block_chars in (1, 1 << 20):
        assert bits(read([neighbour, *texts, neighbour], type_, block_chars=block_chars)[1:-1]) == bits(values)


def test_null_fits_every_type() -> None:
    for type_ in TYPES:
        assert read(["null", "null"], type_) == [None, None]


def test_the_original_is_remembered_as_it_is_spelled(tmp_path: Path) -> None:
    texts = ["1.50", "2E+1", "true", '"x"', '[1.0, {"b": 1, "a": -0}]', '" "', "null", "7", '"7"']
    path = tmp_path / "f.jsonl"
    path.write_text("".join(f'{{"v": {text}}}\n' for text in texts))
    scanned = scan_json_file(path, path, Reading(tmp_path), lines=True, declared=["v"])
    assert scanned is not None
    found = as_declared(scanned, [ColumnSpec("v", type_named("int64"))]).collect()
    assert found["v"].to_list() == [None, 20, None, None, None, None, None, 7, 7]
    assert found[unfit_marker("v")].to_list() == [
        "1.50", None, "true", "x", '[1.0,{"a":-0,"b":1}]', None, None, None, None,
    ]  # fmt: skip


def expected(text: str, type_: str) -> object:
    """By the cast of single values, from what Python's own decoder reads."""
    value = json.loads(text, parse_float=Decimal)
    if type_ == "string" and isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return text
    if isinstance(value, list):  # numbers in it keep their spelling, so the text is written by hand below
        return text if type_ in ("string", "json") else BAD
    try:
        return cast_value(value, type_named(type_))
    except Unfit:
        return BAD


digits = st.integers(0, 10**20).map(str)
numbers = st.tuples(
    st.sampled_from(["", "-"]),
    st.sampled_from(["0", "1", "12", "9007199254740992", "9007199254740993", "16777217", "128"]) | digits,
    st.sampled_from(["", ".0", ".00", ".5", ".10", ".000000000000000000001"]),
    st.sampled_from(["", "e0", "E1", "e+2", "e-1", "e-20", "e30", "E308", "e400", "e999999999"]),
).map("".join)
texts = st.sampled_from(
    [
        "",
        " ",
        "x",
        "1",
        "1.0",
        "1e3",
        " 7 ",
        "true",
        "No",
        "2024-01-31",
        "10:20",
        "QUJD",
        "[1]",
        "1.005",
        "9007199254740993",
    ]
)
values_ = numbers | texts.map(json.dumps) | st.sampled_from(["null", "true", "false", "[]", '["a",1.0]', "[1e400]"])


@settings(max_examples=150, deadline=None)
@given(st.lists(values_, min_size=1, max_size=12), st.sampled_from(list(TYPES)), st.integers(1, 80))
@example(["1e3", '"x"', "0.12345678901234567890"], "int64", 1)
@example(["9007199254740993", "1.5"], "float64", 80)
@example(["0.0", "true"], "boolean", 80)
def test_one_file_each_or_one_for_all_or_parts(rows: list[str], type_: str, block_chars: int) -> None:
    alone = bits([read([row], type_)[0] for row in rows])
    assert bits(read(rows, type_)) == alone
    assert bits(read(rows, type_, block_chars=block_chars, part_bytes=1)) == alone
    assert bits(read(rows[::-1], type_)) == alone[::-1]
    assert alone == bits([expected(row, type_) for row in rows])


def test_a_column_that_some_parts_lack(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text('{"a": 1}\n{"v": "2"}\n{}\n{"v": 3.0, "a": true}\n')
    for part_bytes in (1, 1 << 20):
        scanned = scan_json_file(
            path, path, Reading(tmp_path), lines=True, declared=["v"], block_chars=1, part_bytes=part_bytes
        )
        assert scanned is not None
        found = as_declared(scanned, [ColumnSpec("v", type_named("int64"))]).collect()
        assert found["v"].to_list() == [None, 2, None, 3]
        assert found["a"].to_list() == ["1", None, None, "true"]
        assert found[unfit_marker("v")].to_list() == [None] * 4
        assert found.schema["v"] == pl.Int64
