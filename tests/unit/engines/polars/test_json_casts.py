"""Values of JSON as their declared types: by spelling and kind, as the cast table says of one value (semantics, section 4)."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest

from etlgen_runtime.engines.polars.json_casts import cast_spelled
from etlgen_runtime.engines.polars.json_spelled import JsonKind
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT8,
    INT64,
    INT128,
    JSON,
    STRING,
    LogicalType,
    decimal,
)

TEXT, NUMBER, BOOL, NESTED = JsonKind.TEXT, JsonKind.NUMBER, JsonKind.BOOLEAN, JsonKind.NESTED


def cast(target: LogicalType, *values: tuple[str | None, JsonKind]) -> list[object]:
    texts = pl.Series([text for text, _ in values], dtype=pl.String())
    kinds = pl.Series([int(kind) for _, kind in values], dtype=pl.UInt8())
    return cast_spelled(texts, kinds, target).to_list()


@pytest.mark.parametrize(
    ("target", "text", "kind", "value"),
    [
        (INT64, "9007199254740993", NUMBER, 9007199254740993),  # 2**53 + 1: no double on the way
        (INT64, "1e3", NUMBER, 1000),
        (INT64, "1.0", NUMBER, 1),
        (INT64, "1.5", NUMBER, None),
        (INT64, "9223372036854775808", NUMBER, None),
        (INT64, "1e18", NUMBER, 10**18),
        (INT64, "1e99999999999999999999", NUMBER, None),
        (INT64, "0e99999999999999999999", NUMBER, 0),
        (INT64, "1e-99999999999999999999", NUMBER, None),
        (INT64, "true", BOOL, None),  # booleans are refused
        (INT64, "12", TEXT, 12),
        (INT64, "[1]", NESTED, None),
        (INT8, "128", NUMBER, None),
        (INT8, "-128.0", NUMBER, -128),
        (INT128, "1" * 23, NUMBER, int("1" * 23)),
        (FLOAT64, "0.1", NUMBER, 0.1),
        (FLOAT64, "9007199254740992", NUMBER, 9007199254740992.0),
        (FLOAT64, "9007199254740993", NUMBER, None),  # integers up to 2**53
        (FLOAT64, "9007199254740993.0", NUMBER, 9007199254740992.0),  # a decimal, to the nearest
        (FLOAT64, "1e400", NUMBER, None),
        (FLOAT64, "nan", TEXT, None),
        (decimal(5, 2), "1.50", NUMBER, Decimal("1.50")),
        (decimal(5, 2), "1.505", NUMBER, None),
        (decimal(5, 2), "1e2", NUMBER, Decimal("100.00")),
        (BOOLEAN, "true", BOOL, True),
        (BOOLEAN, "false", BOOL, False),
        (BOOLEAN, "1", NUMBER, True),
        (BOOLEAN, "0", NUMBER, False),
        (BOOLEAN, "-0", NUMBER, False),
        (BOOLEAN, "0.0", NUMBER, False),
        (BOOLEAN, "1e0", NUMBER, True),
        (BOOLEAN, "2", NUMBER, None),
        (BOOLEAN, "yes", TEXT, True),
        (DATE, "2024-05-01", TEXT, dt.date(2024, 5, 1)),
        (DATE, "20240501", NUMBER, None),
        (STRING, "1e3", NUMBER, "1e3"),
        (STRING, "true", BOOL, "true"),
        (JSON, '{"a":1}', NESTED, '{"a":1}'),
    ],
)
def test_value(target: LogicalType, text: str, kind: JsonKind, value: object) -> None:
    assert cast(target, (text, kind)) == [value]
    # a column of several kinds is judged value by value
    beside: list[tuple[str | None, JsonKind]] = [("x", TEXT), (None, TEXT), ("x", NESTED)]
    assert cast(target, *beside, (text, kind))[3] == value


def test_missing_value_has_no_kind() -> None:
    kinds = pl.Series([None, None], dtype=pl.UInt8())
    assert cast_spelled(pl.Series([None, None], dtype=pl.String()), kinds, INT64).to_list() == [None, None]


def test_column_of_every_kind() -> None:
    mixed = [("1", NUMBER), ("x", TEXT), ("true", BOOL), (None, TEXT), ("[1]", NESTED), ("2.0", NUMBER), (" 3 ", TEXT)]
    assert cast(INT64, *mixed) == [1, None, None, None, None, 2, 3]
