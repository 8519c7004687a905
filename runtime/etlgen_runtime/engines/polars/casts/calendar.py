"""The years 0001 to 9999: what dates and timestamps may be, and how others are written.

Polars holds dates of some five million years and stops with a panic when it formats the far ones, or Python does when it takes
them; a typed source may hold any. Here they are told by their integers.
"""

from __future__ import annotations

import datetime as dt

import polars as pl

from etlgen_runtime.engines.polars.casts.tiers import null_where_not

_EPOCH = dt.date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = dt.date.min.toordinal() - _EPOCH, dt.date.max.toordinal() - _EPOCH
"""0001-01-01 and 9999-12-31 in days since 1970."""

_UNITS = {"us": 1_000_000, "ms": 1_000}
_DAY_SECONDS = 86_400
_DAYS_OF_400_YEARS, _DAYS_OF_100_YEARS, _DAYS_OF_4_YEARS = 146_097, 36_524, 1_461
_MARCH_0000 = 719_468
"""Days from March of year 0 to 1970: counted from March, the leap day is the last of its year."""


def bounds(dtype: pl.DataType) -> tuple[int, int] | None:
    """The integers of the years 0001 to 9999 (in UTC) of a date or timestamp; ``None``: every value is in these years."""
    if isinstance(dtype, pl.Date):
        return FIRST_DAY, LAST_DAY
    if isinstance(dtype, pl.Datetime) and dtype.time_unit in _UNITS:
        day = _DAY_SECONDS * _UNITS[dtype.time_unit]
        return FIRST_DAY * day, (LAST_DAY + 1) * day - 1
    return None


def in_years(values: pl.Series) -> pl.Series:
    """Dates and timestamps of the years 0001 to 9999, NULL for others; the very same series when all are."""
    limits = bounds(values.dtype)
    if limits is None:
        return values
    physical = values.to_physical()
    first, last = physical.min(), physical.max()
    if not isinstance(first, int) or not isinstance(last, int) or (first >= limits[0] and last <= limits[1]):
        return values
    return null_where_not(values, physical.is_between(*limits))


def far_text(value: int, dtype: pl.DataType) -> str:
    """A date or timestamp of any year by its integer, as ISO 8601 writes it: ``-0044-03-15``, ``+12026-01-01T10:00:00``.

    Year 0000 and those to 9999 have four digits, all others a sign. Instants end in ``Z``.
    """
    if isinstance(dtype, pl.Date):
        return _date_text(value)
    assert isinstance(dtype, pl.Datetime)
    unit = _UNITS[dtype.time_unit]
    seconds, fraction = divmod(value, unit)
    days, second = divmod(seconds, _DAY_SECONDS)
    minutes, second = divmod(second, 60)
    digits = f".{fraction * (1_000_000 // unit):06d}" if fraction else ""
    zone = "Z" if dtype.time_zone is not None else ""
    return f"{_date_text(days)}T{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}{digits}{zone}"


def _date_text(days: int) -> str:
    """The proleptic Gregorian date of days since 1970."""
    era, day = divmod(days + _MARCH_0000, _DAYS_OF_400_YEARS)
    year = (day - day // (_DAYS_OF_4_YEARS - 1) + day // _DAYS_OF_100_YEARS - day // (_DAYS_OF_400_YEARS - 1)) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day += 1 - (153 * month + 2) // 5
    year += era * 400 + (month >= 10)
    month = month + 3 if month < 10 else month - 9
    sign = "" if 0 <= year <= 9999 else "-" if year < 0 else "+"
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"
