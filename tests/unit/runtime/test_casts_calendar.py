"""Dates and timestamps of any year: told apart by their integers, and written without Python's calendar (semantics, section 4)."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from etlgen_runtime.engines.polars.casts import cast_series, logical_type, unfit_series
from etlgen_runtime.engines.polars.casts.calendar import far_text, in_years
from etlgen_runtime.engines.polars.casts.spelling import moments_as_text, text_series, type_with_moments_as_text
from etlgen_runtime.types import DATE, STRING, TIMESTAMP, TIMESTAMP_TZ, LogicalType

EPOCH = dt.date(1970, 1, 1).toordinal()
FIRST, LAST = 1 - EPOCH, dt.date(9999, 12, 31).toordinal() - EPOCH
DAY_US = 86_400_000_000
UTC = pl.Datetime("us", "UTC")


def dates(*days: int) -> pl.Series:
    return pl.Series("v", days, dtype=pl.Int32).cast(pl.Date())


def moments(dtype: pl.Datetime, *physical: int) -> pl.Series:
    return pl.Series("v", physical, dtype=pl.Int64).cast(dtype)


@pytest.mark.parametrize(
    ("days", "text"),
    [
        (FIRST - 1, "0000-12-31"),
        (FIRST - 366, "0000-01-01"),  # year 0 is a leap year
        (FIRST - 367, "-0001-12-31"),
        (LAST + 1, "+10000-01-01"),
        (LAST + 60, "+10000-02-29"),  # so is year 10000
    ],
)
def test_a_far_date_by_its_days(days: int, text: str) -> None:
    assert far_text(days, pl.Date()) == text


@given(st.integers(FIRST, LAST), st.integers(-14_000, 14_000))
def test_the_calendar_repeats_after_400_years(days: int, eras: int) -> None:
    near = dt.date.fromordinal(days + EPOCH)
    year = near.year + 400 * eras
    sign = "" if 0 <= year <= 9999 else "-" if year < 0 else "+"
    assert far_text(days + eras * 146_097, pl.Date()) == f"{sign}{abs(year):04d}-{near:%m-%d}"


@pytest.mark.parametrize(
    ("dtype", "physical", "text"),
    [
        (pl.Datetime("us"), FIRST * DAY_US - 1, "0000-12-31T23:59:59.999999"),
        (UTC, FIRST * DAY_US - 1_000_000, "0000-12-31T23:59:59Z"),
        (pl.Datetime("us", "Europe/Oslo"), (LAST + 1) * DAY_US, "+10000-01-01T00:00:00Z"),
        (pl.Datetime("ms"), (LAST + 1) * (DAY_US // 1000) + 3_723_004, "+10000-01-01T01:02:03.004000"),
    ],
)
def test_a_far_timestamp_by_its_integer(dtype: pl.Datetime, physical: int, text: str) -> None:
    assert far_text(physical, dtype) == text


@pytest.mark.parametrize("unit", ["us", "ms"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Oslo"])
@pytest.mark.parametrize("target", [DATE, TIMESTAMP, TIMESTAMP_TZ])
def test_far_timestamps_fit_no_moment(unit: str, zone: str | None, target: LogicalType) -> None:
    if zone is None and target == TIMESTAMP_TZ:
        target = LogicalType(target.kind, assumed_zone="UTC")
    day = DAY_US if unit == "us" else DAY_US // 1000
    edges = (FIRST * day, LAST * day, FIRST * day - 1, (LAST + 1) * day, 2**63 - 1, -(2**63) + 1)
    source = moments(pl.Datetime("us" if unit == "us" else "ms", zone), *edges)
    before = logical_type(source.dtype)
    values = cast_series(source, before, target)
    assert values.is_not_null().to_list() == [True, True, False, False, False, False]
    unfit = unfit_series(source, values, before, target)
    assert unfit.is_null().to_list() == [True, True, False, False, False, False]
    assert unfit[3] == "+10000-01-01T00:00:00" + ("Z" if zone else "")


@pytest.mark.parametrize("target", [DATE, TIMESTAMP])
def test_far_dates_fit_no_moment(target: LogicalType) -> None:
    source = dates(FIRST, LAST, FIRST - 1, LAST + 1, 2**31 - 1, -(2**31))
    values = cast_series(source, DATE, target)
    assert values.is_not_null().to_list() == [True, True, False, False, False, False]
    assert unfit_series(source, values, DATE, target).to_list()[2:4] == ["0000-12-31", "+10000-01-01"]


def test_what_is_near_is_left_as_it_is() -> None:
    near = dates(FIRST, 0, LAST)
    assert in_years(near) is near
    nanoseconds = moments(pl.Datetime("ns"), 2**63 - 1)  # 2262-04-11
    assert in_years(nanoseconds) is nanoseconds


def test_text_has_near_and_far_years_side_by_side() -> None:
    source = pl.Series("v", [0, None, (LAST + 1) * DAY_US, 1], dtype=pl.Int64).cast(pl.Datetime("us"))
    assert text_series(source, TIMESTAMP).to_list() == [
        "1970-01-01T00:00:00",
        None,
        "+10000-01-01T00:00:00",
        "1970-01-01T00:00:00.000001",
    ]
    assert cast_series(source, TIMESTAMP, STRING).to_list()[2] == "+10000-01-01T00:00:00"


def test_moments_inside_of_lists_and_structs_become_text() -> None:
    far = dates(0, LAST + 1)
    rows = pl.DataFrame(
        {
            "days": [far.implode().item(), None],
            "row": pl.DataFrame({"day": far, "n": [1, 2]}).to_struct(),
            "pair": pl.Series([far, far]).list.to_array(2),
            "span": [dt.timedelta(hours=1), None],
            "n": [1, 2],
        }
    )
    spelled = [moments_as_text(rows[name]) for name in rows.columns]
    assert [series.dtype for series in spelled] == [type_with_moments_as_text(dtype) for dtype in rows.dtypes]
    texts = ["1970-01-01", "+10000-01-01"]
    assert [series.to_list() for series in spelled] == [
        [texts, None],
        [{"day": texts[0], "n": 1}, {"day": texts[1], "n": 2}],
        [texts, texts],
        ["PT1H", None],
        [1, 2],
    ]


def test_a_struct_that_is_null_stays_null() -> None:
    rows = pl.Series("v", [{"day": dt.date(2024, 1, 1)}, None])
    assert moments_as_text(rows).to_list() == [{"day": "2024-01-01"}, None]
