"""Text and canonical JSON of typed values (semantics, sections 4 and 6)."""

from __future__ import annotations

import datetime as dt
import json
import struct
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etlgen_runtime.casts import canonical_json, to_text
from etlgen_runtime.text import BLANKS, WHITESPACE, is_blank
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    LogicalType,
    decimal,
)


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (None, INT64, None),
        ("a ", STRING, "a "),
        (-5, INT64, "-5"),
        (2**100, INT64, "1267650600228229401496703205376"),
        (1.0, FLOAT64, "1.0"),
        (1e22, FLOAT64, "1e+22"),
        (1e16, FLOAT64, "1e+16"),
        (1e15, FLOAT64, "1000000000000000.0"),
        (0.00001, FLOAT64, "1e-05"),
        (float("nan"), FLOAT64, "nan"),
        (float("-inf"), FLOAT64, "-inf"),
        (-0.0, FLOAT64, "-0.0"),
        (0.10000000149011612, FLOAT32, "0.1"),
        (16777216.0, FLOAT32, "16777216.0"),
        (1.401298464324817e-45, FLOAT32, "1e-45"),
        (Decimal("1.5"), decimal(5, 2), "1.50"),
        (Decimal("0E-9"), decimal(), "0.000000000"),
        (Decimal("1E+3"), decimal(5, 0), "1000"),
        (True, BOOLEAN, "true"),
        (False, BOOLEAN, "false"),
        (dt.date(1, 2, 3), DATE, "0001-02-03"),
        (dt.datetime(2026, 1, 1, 10), TIMESTAMP, "2026-01-01T10:00:00"),
        (dt.datetime(2026, 1, 1, 10, 0, 0, 500000), TIMESTAMP, "2026-01-01T10:00:00.500000"),
        (dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC), TIMESTAMP_TZ, "2026-01-01T10:00:00Z"),
        (dt.time(10, 0), TIME, "10:00:00"),
        (dt.time(10, 0, 0, 1), TIME, "10:00:00.000001"),
        (b"A", BINARY, "QQ=="),
    ],
)
def test_text_of_typed_values(value: object, type_: LogicalType, text: str | None) -> None:
    assert to_text(value, type_) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
        ({"a": {"z": None, "y": [True, False]}}, '{"a":{"y":[true,false],"z":null}}'),
        ([1.0, 1e22, -0.0], "[1.0,1e+22,-0.0]"),
        ([float("nan"), float("inf"), float("-inf")], '["NaN","Infinity","-Infinity"]'),
        (Decimal("1.50"), "1.50"),
        (b"A", '"QQ=="'),
        ('a"\\\n\u2028é', '"a\\"\\\\\\n\u2028é"'),
        (dt.date(2026, 1, 1), '"2026-01-01"'),
        (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), '"2026-01-01T00:00:00Z"'),
        (("x", None), '["x",null]'),
        ({}, "{}"),
        ([], "[]"),
    ],
)
def test_canonical_json(value: object, expected: str) -> None:
    assert canonical_json(value) == expected


def test_canonical_json_refuses_what_has_no_json() -> None:
    with pytest.raises(TypeError, match="object"):
        canonical_json([object()])


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_canonical_json_reads_back(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_single_precision_text_reads_back_and_is_no_longer_than_nine_digits(value: float) -> None:
    text = to_text(value, FLOAT32)
    assert text is not None
    assert struct.pack("<f", float(text)) == struct.pack("<f", value)
    assert len(Decimal(text).normalize().as_tuple().digits) <= 9


def test_white_space_is_the_property_of_unicode_and_the_byte_order_mark() -> None:
    assert len(WHITESPACE) == len(set(WHITESPACE)) == 26
    separators = {chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Zs", "Zl", "Zp")}
    assert set(WHITESPACE) == separators | set("\t\n\v\f\r\x85\ufeff")


def test_blanks_are_four_characters() -> None:
    assert sorted(BLANKS) == ["\t", "\n", "\r", " "]
    assert is_blank(" \t\r\n")
    assert is_blank("")
    assert not is_blank("\u00a0")
