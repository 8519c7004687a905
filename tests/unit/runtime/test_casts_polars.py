"""The cast table on Polars: the hand-made table, and value for value what the record path says."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.runtime.cast_cases import (
    BLANK_TEXT,
    DATE_BY_FORMAT,
    IN_NEW_YORK,
    IN_UTC,
    NAIVE,
    TEXT_CASES,
)
from tests.unit.runtime.cast_texts import TEXTS, texts

from etlgen_runtime import types as t
from etlgen_runtime.casts import Unfit, always_fits, cast_value, is_castable, to_text
from etlgen_runtime.engines.polars.casts import cast_expr, logical_type, physical_type, text_expr, unfit_expr
from etlgen_runtime.types import INTEGER_RANGES, Kind, LogicalType, decimal

DECIMALS = tuple(
    decimal(precision, scale)
    for precision, scale in ((38, 9), (38, 0), (38, 38), (38, 20), (18, 0), (15, 15), (12, 2), (5, 2), (3, 0), (2, 2))
)
TARGETS = (
    *(LogicalType(kind) for kind in Kind if kind not in (Kind.DECIMAL, Kind.INTERVAL, Kind.NULL, Kind.UNKNOWN)),
    *DECIMALS,
    NAIVE,
    IN_UTC,
    IN_NEW_YORK,
)
FORMATS = (
    ("%d/%m/%Y",),
    ("%m/%d/%Y", "%d/%m/%Y"),
    ("%Y%m%d",),
    ("%b %d, %Y", "%B %d, %Y"),
    ("%Y-%j",),
    ("%d.%m.%y",),
    ("%Y-%m-%d %H:%M:%S%z",),
    ("%d/%m/%Y %I:%M %p",),
    ("%Y%m%d%H%M%S",),
    ("%H:%M", "%I:%M %p", "%H%M"),
)
FORMATTED = tuple(
    (LogicalType(kind, formats_only=only, assumed_zone=zone), formats)
    for kind, zone in ((Kind.DATE, ""), (Kind.TIMESTAMP, ""), (Kind.TIMESTAMP_TZ, "UTC"), (Kind.TIME, ""))
    for only in (False, True)
    for formats in FORMATS
)


def cast_column(
    values: list[object], before: LogicalType, target: LogicalType, formats: tuple[str, ...] = ()
) -> tuple[list[object], list[str | None]]:
    """The cast values and the texts of what did not fit."""
    frame = pl.LazyFrame({"source": pl.Series(values, dtype=physical_type(before))})
    cast = frame.with_columns(value=cast_expr(pl.col("source"), before, target, formats))
    done = cast.with_columns(unfit=unfit_expr(pl.col("source"), pl.col("value"), before, target)).collect(
        engine="streaming"
    )
    assert done.schema["value"] == physical_type(target)
    return done["value"].to_list(), done["unfit"].to_list()


def record_column(
    values: list[object], before: LogicalType, target: LogicalType, formats: tuple[str, ...] = ()
) -> tuple[list[object], list[str | None]]:
    """The same by the record path."""
    found: list[object] = []
    unfit: list[str | None] = []
    for value in values:
        try:
            found.append(cast_value(value, target, formats, before=before))
            unfit.append(None)
        except Unfit:
            found.append(None)
            unfit.append(to_text(value, before))
    return found, unfit


def spelled(values: list[object]) -> list[str]:
    """Values with their types and signs: -0.0, 1 and True, 1.0 and 1.00 are all different."""
    aware = (v.astimezone(dt.UTC) if isinstance(v, dt.datetime) and v.tzinfo is not None else v for v in values)
    return [f"{type(value).__name__} {value!r}" for value in aware]


def assert_agreement(
    values: list[object], before: LogicalType, target: LogicalType, formats: tuple[str, ...] = ()
) -> tuple[list[object], list[str | None]]:
    found, unfit = cast_column(values, before, target, formats)
    expected, expected_unfit = record_column(values, before, target, formats)
    assert dict(enumerate(spelled(found))) == dict(enumerate(spelled(expected)))
    assert unfit == expected_unfit
    return found, unfit


@pytest.mark.parametrize(("target", "formats", "accepted", "refused"), TEXT_CASES, ids=lambda part: ascii(part)[:40])
def test_the_table_by_hand(
    target: LogicalType, formats: tuple[str, ...], accepted: dict[str, object], refused: tuple[str, ...]
) -> None:
    values, unfit = cast_column([*accepted, *refused, None], t.STRING, target, formats)
    assert spelled(values) == spelled([*accepted.values(), *[None] * len(refused), None])
    assert unfit == [*[None] * len(accepted), *refused, None]
    for text, value in accepted.items():  # alone, so that no other row sends it down another path
        assert spelled(cast_column([text], t.STRING, target, formats)[0]) == spelled([value])
    for text in refused:
        assert cast_column([text], t.STRING, target, formats) == ([None], [text])


@pytest.mark.parametrize("target", [target for target in TARGETS if target != t.STRING], ids=str)
def test_blank_text_is_null_and_not_unfit(target: LogicalType) -> None:
    values, unfit = cast_column(list(BLANK_TEXT), t.STRING, target)
    assert values == [None] * len(BLANK_TEXT)
    assert unfit == [None] * len(BLANK_TEXT)


@pytest.mark.parametrize("target", TARGETS, ids=repr)
def test_text_agrees_with_the_record_path(target: LogicalType) -> None:
    assert_agreement([*TEXTS, None], t.STRING, target)


@pytest.mark.parametrize(("target", "formats"), FORMATTED, ids=repr)
def test_formats_agree_with_the_record_path(target: LogicalType, formats: tuple[str, ...]) -> None:
    assert_agreement([*TEXTS[::5], None], t.STRING, target, formats)


@pytest.mark.parametrize("target", TARGETS, ids=repr)
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_text_agrees_with_the_record_path(target: LogicalType, data: st.DataObject) -> None:
    assert_agreement(data.draw(st.lists(texts(target) | st.none(), max_size=20)), t.STRING, target)


MOMENTS = [
    dt.datetime(1, 1, 1),
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2026, 2, 28),
    dt.datetime(2026, 2, 28, 0, 0, 0, 1),
    dt.datetime(2026, 1, 1, 1, 1, 1, 120000),
    dt.datetime(2026, 3, 8, 2, 30),
    dt.datetime(2026, 11, 1, 1, 30),
    dt.datetime(9999, 12, 31, 23, 59, 59, 999999),
]
INTEGERS = sorted(
    {base + step for bits in (0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64, 127, 128) for base in (2**bits, -(2**bits)) for step in (-1, 0, 1)}
    | {99999, 100000, 10**37, 10**38 - 1, 10**38}
)  # fmt: skip
FLOATS = [
    0.0, -0.0, 1.0, 1.5, -2.5, 0.1, 0.1 + 0.2, 1.005, 2.675, 999.99, 999.995, 4.35, 127.0, 128.0, 123456789.123, 1e-4, 9.999e-5, 1e-10,
    5e-324, 1e14 + 0.5, 1e15, 1e16, 1e17, 2.0**53, 2.0**63, -(2.0**63), 9.3e18, 1e22, 1e23, 2.0**100, 1e38, 2.0**127, 2.0**128, 1e39,
    3.4028234663852886e38, 3.4028235677973366e38, 1e300, float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
SINGLES = pl.Series([*FLOATS, *(0.1 * step for step in range(50)), *(2.0**power for power in range(-149, 128, 3))])


def decimals(type_: LogicalType) -> list[object]:
    found: list[object] = []
    for text in (
        "0",
        "1",
        "-1",
        "1.5",
        "0.1",
        "999.99",
        "255",
        "256",
        "9007199254740993",
        "12345678901234567.89",
        "0.1234",
        "1e-38",
        "9" * 38,
    ):
        try:
            found.append(cast_value(text, type_))
        except Unfit:
            continue
    return found


TYPED: dict[LogicalType, list[object]] = {
    **{LogicalType(kind): [i for i in INTEGERS if low <= i <= high] for kind, (low, high) in INTEGER_RANGES.items()},
    t.FLOAT64: list(FLOATS),
    t.FLOAT32: SINGLES.cast(pl.Float32).to_list(),
    **{type_: decimals(type_) for type_ in DECIMALS},
    t.BOOLEAN: [True, False],
    t.DATE: [dt.date(1, 1, 1), dt.date(2026, 2, 28), dt.date(9999, 12, 31)],
    t.TIMESTAMP: list(MOMENTS),
    t.TIMESTAMP_TZ: [moment.replace(tzinfo=dt.UTC) for moment in MOMENTS],
    t.TIME: [dt.time(), dt.time(10, 20), dt.time(23, 59, 59, 999999), dt.time(1, 2, 3, 450000)],
    t.BINARY: [b"", b"A", b"\xff\x00"],
    t.UUID: ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
    t.JSON: ["1", "[1]", "null", "true"],
}


@pytest.mark.parametrize("target", TARGETS, ids=repr)
@pytest.mark.parametrize("before", TYPED, ids=str)
def test_typed_values_agree_with_the_record_path(before: LogicalType, target: LogicalType) -> None:
    values = [*TYPED[before], None]
    found, unfit = assert_agreement(values, before, target)
    if always_fits(before, target):
        assert unfit == [None] * len(values)
    if not is_castable(before, target):
        assert found == [None] * len(values)


@pytest.mark.parametrize("before", TYPED, ids=str)
def test_text_of_typed_columns_agrees_with_the_record_path(before: LogicalType) -> None:
    values = [*TYPED[before], None]
    frame = pl.DataFrame({"a": pl.Series(values, dtype=physical_type(before))})
    assert frame.select(text_expr(pl.col("a"), before))["a"].to_list() == [to_text(value, before) for value in values]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(), max_size=8), st.sampled_from([t.STRING, t.INT64, t.FLOAT32, *DECIMALS]))
def test_any_float_agrees_with_the_record_path(values: list[float], target: LogicalType) -> None:
    assert_agreement(list(values), t.FLOAT64, target)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.decimals(-1000, 1000, places=2), max_size=8), st.sampled_from([decimal(5, 2), decimal(4, 1), t.INT8])
)
def test_any_decimal_agrees_with_the_record_path(values: list[Decimal], target: LogicalType) -> None:
    assert_agreement(list(values), decimal(12, 2), target)


def test_finer_units_are_cut_to_microseconds() -> None:
    nanoseconds = pl.DataFrame({"a": pl.Series([1, 1999, -1], dtype=pl.Datetime("ns"))})
    found = nanoseconds.select(cast_expr(pl.col("a"), t.TIMESTAMP, t.TIMESTAMP))["a"]
    assert found.dtype == pl.Datetime("us")
    assert found.to_physical().to_list() == [0, 1, -1]


def test_years_python_and_the_table_do_not_know_are_unfit() -> None:
    frame = pl.DataFrame({"a": pl.Series([2**62, 0, -(2**62)], dtype=pl.Datetime("us"))})
    cast = frame.with_columns(v=cast_expr(pl.col("a"), t.TIMESTAMP, t.DATE))
    assert cast["v"].to_list() == [None, dt.date(1970, 1, 1), None]


def test_nested_columns_are_spelled_as_canonical_json() -> None:
    frame = pl.DataFrame({"a": [{"z": [1, None], "b": "x"}]})
    expected = ['{"b":"x","z":[1,null]}']
    assert frame.select(text_expr(pl.col("a"), t.UNKNOWN))["a"].to_list() == expected
    assert frame.select(cast_expr(pl.col("a"), t.UNKNOWN, t.JSON))["a"].to_list() == expected


def test_nested_columns_fit_no_scalar() -> None:
    frame = pl.DataFrame({"a": [[1], None]}).with_columns(v=cast_expr(pl.col("a"), t.UNKNOWN, t.INT64))
    assert frame["v"].to_list() == [None, None]
    assert frame.select(unfit_expr(pl.col("a"), pl.col("v"), t.UNKNOWN, t.INT64))["a"].to_list() == ["[1]", None]


def test_a_category_is_read_as_its_text() -> None:
    frame = pl.DataFrame({"a": pl.Series(["1", "x"], dtype=pl.Categorical())})
    cast = frame.with_columns(v=cast_expr(pl.col("a"), t.STRING, t.INT64))
    assert cast["v"].to_list() == [1, None]
    assert cast.select(unfit_expr(pl.col("a"), pl.col("v"), t.STRING, t.INT64))["a"].to_list() == [None, "x"]
    assert frame.select(cast_expr(pl.col("a"), t.STRING, t.STRING))["a"].dtype == pl.String


@pytest.mark.parametrize("target", TARGETS, ids=repr)
def test_an_empty_column_stays_empty_with_the_right_type(target: LogicalType) -> None:
    assert cast_column([], t.STRING, target) == ([], [])


@pytest.mark.parametrize("target", TARGETS, ids=repr)
def test_an_untyped_null_column_becomes_typed_nulls(target: LogicalType) -> None:
    assert cast_column([None, None], t.NULL, target) == ([None, None], [None, None])


@pytest.mark.parametrize(
    "logical", [target for target in TARGETS if target.kind not in (Kind.UUID, Kind.JSON)], ids=repr
)
def test_physical_types_are_recognized_again(logical: LogicalType) -> None:
    assert logical_type(physical_type(logical)) == LogicalType(logical.kind, logical.precision, logical.scale)


def test_types_without_a_counterpart() -> None:
    assert logical_type(pl.List(pl.Int64())) == t.UNKNOWN
    assert logical_type(pl.Datetime("ns", "Europe/Berlin")) == t.TIMESTAMP_TZ
    with pytest.raises(TypeError, match="unknown"):
        physical_type(t.UNKNOWN)


def test_a_format_alone_refuses_iso_text() -> None:
    assert cast_column(["2026-01-31"], t.STRING, DATE_BY_FORMAT, ("%d/%m/%Y",)) == ([None], ["2026-01-31"])


@pytest.mark.parametrize("target", [t.DATE, t.TIMESTAMP, t.BOOLEAN, t.decimal(8, 2)])
def test_a_long_column_of_few_texts_reads_like_a_short_one(target: t.LogicalType) -> None:
    """Few distinct texts take another way in; every value must be the record path's."""
    texts = ["2026-01-31", " 2026-02-01T00:00:00 ", "2026-13-01", "yes", "1.50", "1.505", "", " ", None, "0"]
    column = pl.Series("v", texts * 1000)
    values = column.to_frame().select(cast_expr(pl.col("v"), t.STRING, target)).to_series().to_list()
    expected: list[object] = []
    for text in texts:
        try:
            expected.append(None if text is None else cast_value(text, target))
        except Unfit:
            expected.append(None)
    assert values == expected * 1000
