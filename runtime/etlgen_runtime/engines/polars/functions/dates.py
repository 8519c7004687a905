"""Date and time functions as DuckDB means them, total and inside the years 1 to 9999 (semantics, section 5)."""

from __future__ import annotations

import datetime as dt

import polars as pl

from etlgen_runtime import clock
from etlgen_runtime.engines.polars.functions.numbers import quotient

_FIRST, _LAST = dt.datetime.min, dt.datetime.max
_MOST_MONTHS = 12 * 10_000
_MOST_DAYS = 366 * 10_000
_MOST_MICROSECONDS = _MOST_DAYS * 86_400_000_000
_JULIAN_DAY_OF_EPOCH = 2_440_588

_MICROSECONDS = {
    "week": 7 * 86_400_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}


def current_date() -> pl.Expr:
    """The date of the run's start in UTC."""
    return pl.lit(clock.as_of().date())


def current_timestamp() -> pl.Expr:
    """The instant of the run's start."""
    return pl.lit(clock.as_of(), dtype=pl.Datetime("us", "UTC"))


def date_diff(unit: str, start: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Boundaries of ``unit`` crossed from ``start`` to ``end``; weeks are whole sevens of days, as DuckDB 2."""
    first, last = start.cast(pl.Datetime("us")), end.cast(pl.Datetime("us"))
    if unit == "week":
        return (_number("day", last) - _number("day", first)).truncdiv(7)
    return _number(unit, last) - _number(unit, first)


def _number(unit: str, moment: pl.Expr) -> pl.Expr:
    """The running number of the unit that ``moment`` lies in."""
    year = moment.dt.year().cast(pl.Int64)
    if unit == "year":
        return year
    if unit == "quarter":
        return year * 4 + moment.dt.quarter()
    if unit == "month":
        return year * 12 + moment.dt.month()
    return moment.to_physical() // _MICROSECONDS[unit]


def date_part(unit: str, moment: pl.Expr) -> pl.Expr:
    """The parts that Polars has not under one name: seconds with their fraction, days of the week, running numbers."""
    exact = moment.cast(pl.Datetime("us"))
    second = exact.dt.second().cast(pl.Int64)
    match unit:
        case "dow":
            return exact.dt.weekday().cast(pl.Int64) % 7
        case "millisecond":
            return second * 1_000 + exact.dt.millisecond()
        case "microsecond":
            return second * 1_000_000 + exact.dt.microsecond()
        case "epoch":
            return quotient(exact.to_physical(), 1_000_000)
        case _:  # julian
            return quotient(exact.to_physical(), 86_400_000_000) + _JULIAN_DAY_OF_EPOCH


def date_add(moment: pl.Expr, *, months: int = 0, days: int = 0, microseconds: int = 0) -> pl.Expr:
    """A timestamp moved: months first (day cut to the month's last), then days, then time; NULL outside years 1-9999."""
    if abs(months) > _MOST_MONTHS or abs(days) > _MOST_DAYS or abs(microseconds) > _MOST_MICROSECONDS:
        return pl.when(False).then(moment)
    moved = moment.dt.offset_by(f"{months}mo") if months else moment
    if days or microseconds:
        moved = moved + dt.timedelta(days=days, microseconds=microseconds)
    return _in_calendar(moved)


def add_days(date: pl.Expr, days: int) -> pl.Expr:
    """A date moved by days; NULL outside years 1-9999."""
    if abs(days) > _MOST_DAYS:
        return pl.when(False).then(date)
    return _in_calendar(date + dt.timedelta(days=days))


def _in_calendar(moment: pl.Expr) -> pl.Expr:
    return pl.when(moment.dt.year().is_between(_FIRST.year, _LAST.year)).then(moment)


def make_date(year: pl.Expr | int, month: pl.Expr | int, day: pl.Expr | int) -> pl.Expr:
    """The date of these parts; NULL when there is none, or not in years 1 to 9999."""
    y, m, d = (_inside(part, low, high) for part, low, high in ((year, 1, 9999), (month, 1, 12), (day, 1, 31)))
    first = pl.date(y, m, 1)
    return pl.when(d <= first.dt.days_in_month()).then(first + pl.duration(days=d - 1))


def make_timestamp(
    year: pl.Expr | int,
    month: pl.Expr | int,
    day: pl.Expr | int,
    hour: pl.Expr | int,
    minute: pl.Expr | int,
    second: pl.Expr | float,
) -> pl.Expr:
    """The timestamp of these parts, seconds to the microsecond; NULL when there is none."""
    date = make_date(year, month, day).cast(pl.Datetime("us"))
    h, m = _inside(hour, 0, 23), _inside(minute, 0, 59)
    s = second if isinstance(second, pl.Expr) else pl.lit(float(second))
    exact = pl.when((s >= 0) & (s < 60)).then(s * 1_000_000).round(mode="half_away_from_zero").cast(pl.Int64)
    return date + pl.duration(hours=h, minutes=m, microseconds=exact)


def _inside(part: pl.Expr | int, low: int, high: int) -> pl.Expr:
    value = pl.lit(part, dtype=pl.Int128) if isinstance(part, int) else part
    return pl.when(value.is_between(low, high)).then(value).cast(pl.Int64)
