"""Dates, timestamps and times read from text (semantics, section 4; odcs, 3.3).

Timestamps in text are read as local time and offset; :class:`Settling` makes the target of them. The quick readings are
for text of one width, such as ``2026-01-01T10:00:00``; everything else is taken apart by the patterns of the record path.
"""

from __future__ import annotations

from functools import partial

import polars as pl

from etlgen_runtime.casts.moments import MONTHS, MomentPattern
from etlgen_runtime.casts.times import moment_patterns
from etlgen_runtime.engines.polars.casts.fixed_width import FixedWidth, iso_shapes, shape_of_format
from etlgen_runtime.engines.polars.casts.settling import settle
from etlgen_runtime.engines.polars.casts.tiers import Reading, null_where_not
from etlgen_runtime.types import Kind, LogicalType

_DAY_US = 86_400_000_000
_HOUR_US = 3_600_000_000
_MINUTE_US = 60_000_000
_SECOND_US = 1_000_000


def temporal_readings(target: LogicalType, date_formats: tuple[str, ...]) -> tuple[Reading, ...]:
    """The contract's formats in their order, then ISO 8601; for each its quick readings first."""
    readings: list[Reading] = []
    for index, pattern in enumerate(moment_patterns(target, date_formats)):
        shapes = _shapes(target, date_formats[index] if index < len(date_formats) else None)
        if shapes:
            readings.append(partial(_read_likely, shapes=shapes, target=target))
            readings += [partial(_read_shape, shape=shape, target=target) for shape in shapes]
        readings.append(partial(_read_pattern, pattern=pattern, target=target))
    return tuple(readings)


def _shapes(target: LogicalType, date_format: str | None) -> tuple[FixedWidth, ...]:
    """Quick readings of one format; ``None``: of ISO 8601. All read a text alike, so their order carries no meaning."""
    if date_format is None:
        return iso_shapes(target)
    shape = shape_of_format(date_format)
    return (shape,) if shape is not None and shape.is_time == (target.kind is Kind.TIME) else ()


def _read_likely(text: pl.Series, shapes: tuple[FixedWidth, ...], target: LogicalType) -> pl.Series:
    """Read by the shape of the first text: most columns are written alike throughout."""
    first = text.first(ignore_nulls=True)
    size = len(first) if isinstance(first, str) else 0
    return _read_shape(text, next((shape for shape in shapes if len(shape.template) == size), shapes[0]), target)


def _read_shape(text: pl.Series, shape: FixedWidth, target: LogicalType) -> pl.Series:
    values, offsets = shape.read(text)
    if target.kind is Kind.TIME or (target.kind is Kind.DATE and values.dtype == pl.Date):
        return values
    if offsets is None:
        return settle(values.cast(pl.Datetime("us")), None, target)
    return settle(null_where_not(values, offsets.is_not_null()), offsets, target)


def _read_pattern(text: pl.Series, pattern: MomentPattern, target: LogicalType) -> pl.Series:
    """Take text apart by the pattern's groups and put the value together, all in integers."""
    parts = text.str.extract_groups(f"^(?:{pattern.regex})$").struct.unnest()
    if target.kind is Kind.TIME:
        return _read_time(parts, pattern)
    if not pattern.has_date:
        return settle(pl.Series([None], dtype=pl.Datetime("us")).new_from_index(0, len(text)), None, target)
    values = parts.with_columns(__date=_date(pattern), __time=_time_of_day(pattern), __offset=_offset(pattern)).select(
        local=(pl.col("__date").cast(pl.Int64) * _DAY_US + pl.col("__time")).cast(pl.Datetime("us")),
        offset=pl.col("__offset"),
        unreadable=_has_bad_offset(pattern),
    )
    local = null_where_not(values["local"], ~values["unreadable"])
    return settle(local, values["offset"], target)


def _read_time(parts: pl.DataFrame, pattern: MomentPattern) -> pl.Series:
    if not pattern.has_time:
        return pl.Series([None], dtype=pl.Time()).new_from_index(0, len(parts))
    matched = pl.col("hour" if "hour" in pattern.groups else "hour12").is_not_null()
    nanoseconds = pl.when(matched).then(_time_of_day(pattern) * 1000)
    return parts.select(nanoseconds.cast(pl.Time())).to_series()


def _date(pattern: MomentPattern) -> pl.Expr:
    """The calendar date; NULL where there is no such day."""
    if "year" in pattern.groups:
        year = pl.col("year")
    else:
        short = pl.col("short_year").cast(pl.Int32)
        year = (short + pl.when(short < 69).then(2000).otherwise(1900)).cast(pl.String)
    if "day_of_year" in pattern.groups:
        day = pl.col("day_of_year").cast(pl.Int32)
        date = _calendar_date(year, pl.lit("01"), pl.lit("01")) + pl.duration(days=day - 1)
        return pl.when(date.dt.year() == year.cast(pl.Int32)).then(date)
    return _calendar_date(year, _month(pattern), pl.col("day"))


def _calendar_date(year: pl.Expr, month: pl.Expr, day: pl.Expr) -> pl.Expr:
    text = pl.concat_str(year, month.str.zfill(2), day.str.zfill(2), separator="-")
    return text.str.to_date("%Y-%m-%d", strict=False, cache=False)


def _month(pattern: MomentPattern) -> pl.Expr:
    if "month_name" not in pattern.groups:
        return pl.col("month")
    numbers = {name: str(number) for number, name in enumerate(MONTHS, start=1)}
    return pl.col("month_name").str.slice(0, 3).str.to_lowercase().replace_strict(numbers, default=None)


def _time_of_day(pattern: MomentPattern) -> pl.Expr:
    """Microseconds after midnight; 0 where no time is written, NULL where there is no such time."""
    hour = _hour(pattern)
    minute, second = (_number(pattern, group) for group in ("minute", "second"))
    fraction = pl.lit(0, dtype=pl.Int64)
    if "fraction" in pattern.groups:
        digits = pl.col("fraction").str.slice(0, 6).str.pad_end(6, "0")  # cut, never rounded
        fraction = digits.cast(pl.Int64).fill_null(0)
    fits = (hour < 24) & (minute < 60) & (second < 60)
    return pl.when(fits).then(hour * _HOUR_US + minute * _MINUTE_US + second * _SECOND_US + fraction)


def _hour(pattern: MomentPattern) -> pl.Expr:
    if "hour" in pattern.groups or "hour12" not in pattern.groups:
        return _number(pattern, "hour")
    if "half" not in pattern.groups:
        return pl.lit(None, dtype=pl.Int64)
    hour = pl.col("hour12").cast(pl.Int64)
    afternoon = pl.when(pl.col("half").str.to_lowercase() == "pm").then(12).otherwise(0)
    return pl.when(hour.is_between(1, 12)).then(hour % 12 + afternoon)


def _number(pattern: MomentPattern, group: str) -> pl.Expr:
    if group not in pattern.groups:
        return pl.lit(0, dtype=pl.Int64)
    return pl.col(group).cast(pl.Int64).fill_null(0)


def _offset(pattern: MomentPattern) -> pl.Expr:
    """Microseconds that local time is ahead of UTC; NULL where no zone is written."""
    if "offset" not in pattern.groups:
        return pl.lit(None, dtype=pl.Int64)
    text = pl.col("offset")
    size = _offset_hours() * _HOUR_US + _offset_minutes() * _MINUTE_US
    return pl.when(text == "Z").then(0).when(text.str.starts_with("-")).then(-size).otherwise(size)


def _offset_hours() -> pl.Expr:
    return pl.col("offset").str.slice(1, 2).cast(pl.Int64, strict=False)


def _offset_minutes() -> pl.Expr:
    return pl.col("offset").str.slice(3).str.strip_chars(":").cast(pl.Int64, strict=False).fill_null(0)


def _has_bad_offset(pattern: MomentPattern) -> pl.Expr:
    if "offset" not in pattern.groups:
        return pl.lit(False)
    return ((_offset_hours() > 23) | (_offset_minutes() > 59)).fill_null(False)
