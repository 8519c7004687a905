"""Type texts of OLC and date formats."""

from __future__ import annotations

import pytest

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.read.date_format import letters, strptime_format
from etlgen.read.types import parse_type
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT64,
    INT8,
    INT16,
    INT64,
    JSON,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UUID,
    LogicalType,
    decimal,
)

AT = Position("c.yaml", 3, 7, 4)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("string", STRING),
        ("int", INT64),
        ("integer", INT64),
        ("long", INT64),
        ("bigint", INT64),
        ("smallint", INT16),
        ("tinyint", INT8),
        ("float", FLOAT64),
        ("double", FLOAT64),
        ("number", FLOAT64),
        ("decimal", decimal(38, 9)),
        ("decimal(10)", decimal(10, 0)),
        ("decimal(18,2)", decimal(18, 2)),
        ("DECIMAL ( 18 , 2 )", decimal(18, 2)),
        ("boolean", BOOLEAN),
        ("bool", BOOLEAN),
        ("date", DATE),
        ("timestamp", TIMESTAMP),
        ("timestamp_tz", TIMESTAMP_TZ),
        ("time", TIME),
        ("uuid", UUID),
        ("binary", BINARY),
        ("json", JSON),
        ("String", STRING),
    ],
)
def test_the_names_of_the_cast_table(text: str, expected: LogicalType) -> None:
    assert parse_type(text, AT) == expected


@pytest.mark.parametrize(
    ("text", "code", "near"),
    [
        ("strng", "TYP-070", "string"),
        ("timestmp", "TYP-070", "timestamp"),
        ("geography", "TYP-070", ""),
        ("", "TYP-070", ""),
        ("varchar(20)", "TYP-070", "string"),
        ("array<int>", "TYP-071", ""),
        ("array", "TYP-071", ""),
        ("map<string,int>", "TYP-071", ""),
        ("struct<a: int>", "TYP-071", ""),
        ("int[]", "TYP-071", ""),
        ("decimal(39,2)", "TYP-072", ""),
        ("decimal(5,6)", "TYP-072", ""),
        ("decimal(0)", "TYP-072", ""),
        ("decimal(99999999999999999999)", "TYP-072", ""),
    ],
)
def test_what_is_no_type(text: str, code: str, near: str) -> None:
    found = parse_type(text, AT)
    assert isinstance(found, Diagnostic)
    assert (found.code, found.nearest, found.at) == (code, near, AT)


@pytest.mark.parametrize(
    ("pattern", "directives"),
    [
        ("yyyy-MM-dd", "%Y-%m-%d"),
        ("dd/MM/yyyy HH:mm:ss", "%d/%m/%Y %H:%M:%S"),
        ("d MMM yy", "%d %b %y"),
        ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "%Y-%m-%dT%H:%M:%S.%f%z"),
        ("yyyyMMddTHHmm", "%Y%m%dT%H%M"),
        ("hh:mm a", "%I:%M %p"),
        ("'week' dd", "week %d"),
        ("h 'o''clock'", "%I o'clock"),
        ("%d.%m.%Y", "%d.%m.%Y"),
    ],
)
def test_date_formats(pattern: str, directives: str) -> None:
    assert strptime_format(pattern) == directives


@pytest.mark.parametrize(
    "pattern",
    ["YYYY-MM-dd", "yyyyy", "DD.MM.yyyy", "%Q", "%", "", "---", "yyyy 'open", "EEE", "dd dd", "%d %d", "MM M"],
)
def test_what_is_no_date_format(pattern: str) -> None:
    assert strptime_format(pattern) is None


def test_letters_of_a_pattern_leave_quoted_text_out() -> None:
    assert letters("yyyy-MM'hms'dd") == frozenset("yMd")
