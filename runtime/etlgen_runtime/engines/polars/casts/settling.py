"""From local time and offset to the target: UTC, zones, midnights and the years 0001 to 9999."""

from __future__ import annotations

import datetime as dt

import polars as pl

from etlgen_runtime.casts import Unfit
from etlgen_runtime.casts.times import instant
from etlgen_runtime.engines.polars.casts.calendar import in_years
from etlgen_runtime.engines.polars.casts.tiers import null_where_not
from etlgen_runtime.types import Kind, LogicalType

_FAR_US = 2_145_916_800_000_000
"""2038-01-01: from here on Polars' tables of clock changes end, some sooner, some later."""


def settle(local: pl.Series, offset_us: pl.Series | None, target: LogicalType) -> pl.Series:
    """Dates, timestamps or instants of local times.

    Args:
        local: Naive timestamps in microseconds.
        offset_us: How far each is ahead of UTC, NULL where no zone is known; ``None``: known for none.
    """
    zoned = None if offset_us is None or offset_us.null_count() == len(offset_us) else offset_us.is_not_null()
    if zoned is None or offset_us is None:
        return _settle_naive(in_years(local), target)
    utc = in_years((local.to_physical() - offset_us.fill_null(0)).cast(pl.Datetime("us")))
    if target.kind is Kind.TIMESTAMP and target.naive_offset_refused:
        return null_where_not(utc, ~zoned)
    if target.kind is not Kind.TIMESTAMP_TZ:
        return _settle_naive(utc, target)
    instants = utc.dt.replace_time_zone("UTC")
    return instants if zoned.all() else instants.zip_with(zoned, _settle_naive(in_years(local), target))


def _settle_naive(moments: pl.Series, target: LogicalType) -> pl.Series:
    if target.kind is Kind.DATE:
        return midnights(moments)
    return in_zone(moments, target.assumed_zone) if target.kind is Kind.TIMESTAMP_TZ else moments


def midnights(moments: pl.Series) -> pl.Series:
    """The dates of timestamps at midnight."""
    dates = moments.cast(pl.Date())
    return null_where_not(dates, dates.cast(moments.dtype) == moments)


def in_zone(moments: pl.Series, zone: str) -> pl.Series:
    """Instants of local times of ``zone``; NULL without a zone, and for times a clock change skips or repeats."""
    if not zone:
        return pl.Series([None], dtype=pl.Datetime("us", "UTC")).new_from_index(0, len(moments))
    local = moments.dt.replace_time_zone(zone, ambiguous="null", non_existent="null")
    instants = in_years(local.dt.convert_time_zone("UTC"))
    far = (moments.to_physical() >= _FAR_US).arg_true()
    if not len(far):
        return instants
    return instants.scatter(
        far, pl.Series([_instant(each, zone) for each in moments.gather(far)], dtype=instants.dtype)
    )


def _instant(moment: dt.datetime, zone: str) -> dt.datetime | None:
    try:
        return instant(moment, zone)
    except Unfit:
        return None
