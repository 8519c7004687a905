"""The cast table on single values (semantics, section 4)."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from uuid import UUID as PythonUUID

import pytest
from tests.unit.runtime.cast_cases import BLANK_TEXT, IN_NEW_YORK, IN_UTC, NAIVE, TEXT_CASES, utc

from etlgen_runtime.casts import Unfit, always_fits, cast_value, is_castable
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT64,
    JSON,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UINT64,
    UUID,
    LogicalType,
    decimal,
)

ACCEPTED = [(t, formats, text, value) for t, formats, accepted, _ in TEXT_CASES for text, value in accepted.items()]
REFUSED = [(t, formats, text) for t, formats, _, refused in TEXT_CASES for text in refused]


def shorten(value: object) -> str:
    return ascii(value)[:40]


@pytest.mark.parametrize(("target", "formats", "text", "value"), ACCEPTED, ids=shorten)
def test_text_that_fits(target: LogicalType, formats: tuple[str, ...], text: str, value: object) -> None:
    found = cast_value(text, target, formats)
    assert (type(found), repr(found)) == (type(value), repr(value))


@pytest.mark.parametrize(("target", "formats", "text"), REFUSED, ids=shorten)
def test_text_that_does_not_fit(target: LogicalType, formats: tuple[str, ...], text: str) -> None:
    with pytest.raises(Unfit) as unfit:
        cast_value(text, target, formats)
    assert len(text) < 8 or text not in str(unfit.value)  # a reason never holds the value


@pytest.mark.parametrize("target", sorted({case[0] for case in TEXT_CASES} - {STRING}, key=str), ids=str)
@pytest.mark.parametrize("text", BLANK_TEXT, ids=repr)
def test_blank_text_is_null_except_for_string(target: LogicalType, text: str) -> None:
    assert cast_value(text, target) is None
    assert cast_value(text, STRING) == text


def test_null_stays_null() -> None:
    assert cast_value(None, INT64) is None
    assert cast_value(None, STRING) is None


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        (3.0, INT64, 3),
        (-0.0, INT64, 0),
        (Decimal("3.00"), INT64, 3),
        (127, INT8, 127),
        (2**64 - 1, UINT64, 2**64 - 1),
        (2**53, FLOAT64, 9007199254740992.0),
        (2**24, FLOAT32, 16777216.0),
        (Decimal("0.1"), FLOAT64, 0.1),
        (0.1, FLOAT32, 0.10000000149011612),
        (float("inf"), FLOAT64, float("inf")),
        (5, decimal(3, 2), Decimal("5.00")),
        (Decimal("1.500"), decimal(3, 1), Decimal("1.5")),
        (0.1, decimal(5, 2), Decimal("0.10")),
        (1e22, decimal(38, 2), Decimal("10000000000000000000000.00")),
        (1, BOOLEAN, True),
        (0.0, BOOLEAN, False),
        (Decimal("1.00"), BOOLEAN, True),
        (True, BOOLEAN, True),
        (dt.datetime(2026, 1, 31), DATE, dt.date(2026, 1, 31)),
        (utc(2026, 1, 31), DATE, dt.date(2026, 1, 31)),
        (dt.date(2026, 1, 31), TIMESTAMP, dt.datetime(2026, 1, 31)),
        (utc(2026, 1, 31, 10), TIMESTAMP, dt.datetime(2026, 1, 31, 10)),
        (dt.datetime(2026, 1, 31, 10, tzinfo=dt.timezone(dt.timedelta(hours=2))), TIMESTAMP_TZ, utc(2026, 1, 31, 8)),
        (dt.date(2026, 1, 31), IN_UTC, utc(2026, 1, 31)),
        (dt.datetime(2026, 1, 31, 10), IN_NEW_YORK, utc(2026, 1, 31, 15)),
        (dt.time(10, 20), TIME, dt.time(10, 20)),
        (b"A", BINARY, b"A"),
        (PythonUUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"), UUID, "6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
        (True, STRING, "true"),
        (1e22, STRING, "1e+22"),
        ({"b": 1, "a": [None]}, STRING, '{"a":[null],"b":1}'),
        ({"b": 1, "a": [None]}, JSON, '{"a":[null],"b":1}'),
    ],
    ids=shorten,
)
def test_values_that_fit(value: object, target: LogicalType, expected: object) -> None:
    found = cast_value(value, target)
    assert (type(found), repr(found)) == (type(expected), repr(expected))


@pytest.mark.parametrize(
    ("value", "target"),
    [
        (3.5, INT64),
        (float("nan"), INT64),
        (1e300, INT64),
        (9.3e18, INT64),
        (Decimal("3.01"), INT64),
        (128, INT8),
        (-1, UINT64),
        (True, INT64),
        (True, FLOAT64),
        (True, decimal()),
        (2**53 + 1, FLOAT64),
        (-(2**53) - 1, FLOAT64),
        (2**24 + 1, FLOAT32),
        (1e39, FLOAT32),
        (1000, decimal(5, 2)),
        (Decimal("1.25"), decimal(5, 1)),
        (0.125, decimal(5, 2)),
        (0.1 + 0.2, decimal(38, 9)),
        (float("nan"), decimal()),
        (float("inf"), decimal()),
        (2, BOOLEAN),
        (-1, BOOLEAN),
        (0.5, BOOLEAN),
        (float("nan"), BOOLEAN),
        (dt.datetime(2026, 1, 31, 0, 0, 0, 1), DATE),
        (utc(2026, 1, 31), NAIVE),
        (dt.datetime(2026, 1, 31), TIMESTAMP_TZ),
        (dt.date(2026, 1, 31), TIMESTAMP_TZ),
        (dt.datetime(2026, 3, 8, 2, 30), IN_NEW_YORK),
        (dt.datetime(2026, 11, 1, 1, 30), IN_NEW_YORK),
        (dt.datetime(2026, 1, 31), TIME),
        (dt.time(10), TIMESTAMP),
        (20260131, DATE),
        (5, JSON),
        (5, UUID),
        (b"A", INT64),
        ([1], INT64),
    ],
    ids=shorten,
)
def test_values_that_do_not_fit(value: object, target: LogicalType) -> None:
    with pytest.raises(Unfit):
        cast_value(value, target)


def test_single_precision_becomes_decimal_by_its_own_digits() -> None:
    single = 0.10000000149011612  # the single nearest to 0.1
    assert cast_value(single, decimal(5, 2), before=FLOAT32) == Decimal("0.10")
    with pytest.raises(Unfit):
        cast_value(single, decimal(5, 2), before=FLOAT64)


@pytest.mark.parametrize("bad_format", ["%Q", "%d/%d/%Y", "%Y-%m-%"])
def test_a_format_that_means_nothing_is_an_error(bad_format: str) -> None:
    with pytest.raises(ValueError, match="date format"):
        cast_value("2026-01-31", DATE, (bad_format,))


def test_which_pairs_have_an_entry() -> None:
    assert is_castable(STRING, DATE)
    assert is_castable(INT64, BOOLEAN)
    assert is_castable(BINARY, STRING)
    assert not is_castable(BOOLEAN, INT64)
    assert not is_castable(TIMESTAMP, TIMESTAMP_TZ)
    assert is_castable(TIMESTAMP, IN_UTC)
    assert not is_castable(TIMESTAMP_TZ, NAIVE)
    assert not is_castable(DATE, INT64)


def test_which_pairs_cannot_fail() -> None:
    assert always_fits(INT8, INT16)
    assert not always_fits(INT16, INT8)
    assert always_fits(DATE, STRING)
    assert not always_fits(STRING, INT64)
    assert not always_fits(decimal(5, 2), decimal(4, 2))
