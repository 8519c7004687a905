"""The date, timestamp and time rows of the cast table (semantics, section 4; odcs, 3.3)."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

from etlgen_runtime.casts.moments import ISO_TIME, ISO_TIMESTAMP, MONTHS, MomentPattern, format_pattern
from etlgen_runtime.casts.unfit import Unfit
from etlgen_runtime.types import Kind, LogicalType

_MIDNIGHT = dt.time()


def moment_patterns(target: LogicalType, date_formats: tuple[str, ...]) -> tuple[MomentPattern, ...]:
    """How text may be written for a date, timestamp or time: the contract's formats first, then ISO 8601."""
    formats = tuple(format_pattern(date_format) for date_format in date_formats)
    if formats and target.formats_only:
        return formats
    return (*formats, ISO_TIME if target.kind is Kind.TIME else ISO_TIMESTAMP)


def temporal_from_text(text: str, target: LogicalType, date_formats: tuple[str, ...]) -> dt.date | dt.time:
    """The date, timestamp or time by the first pattern under which the text is one."""
    reason = Unfit(f"not written as a {target}")
    for pattern in moment_patterns(target, date_formats):
        parts = pattern.match(text)
        if parts is None:
            continue
        try:
            return _time_from_parts(parts) if target.kind is Kind.TIME else _moment_from_parts(parts, target)
        except Unfit as unfit:
            reason = unfit
    raise reason


def temporal_from_value(value: dt.date | dt.time, target: LogicalType) -> dt.date | dt.time:
    """Dates, timestamps and times as another of these: a date is its midnight and the other way round."""
    if isinstance(value, dt.time) or target.kind is Kind.TIME:
        if isinstance(value, dt.time) and target.kind is Kind.TIME and value.tzinfo is None:
            return value
        raise Unfit(f"not a {target}")
    if isinstance(value, dt.datetime):
        return _as_target(value, target)
    if target.kind is Kind.DATE:
        return value
    return _as_target(dt.datetime.combine(value, _MIDNIGHT), target)


def _as_target(moment: dt.datetime, target: LogicalType) -> dt.date:
    """A naive or aware moment as a date, a naive UTC timestamp or a UTC instant."""
    aware = moment.tzinfo is not None
    match target.kind:
        case Kind.TIMESTAMP_TZ:
            return _to_utc(moment) if aware else _in_zone(moment, target)
        case Kind.TIMESTAMP if aware and target.naive_offset_refused:
            raise Unfit("an offset where none is expected")
        case Kind.TIMESTAMP:
            return _to_utc(moment).replace(tzinfo=None) if aware else moment
        case _:
            utc = _to_utc(moment) if aware else moment
            if utc.time() != _MIDNIGHT:
                raise Unfit("a time of day other than midnight")
            return utc.date()


def _to_utc(moment: dt.datetime) -> dt.datetime:
    try:
        return moment.astimezone(dt.UTC)
    except OverflowError:
        raise Unfit("outside the years 0001 to 9999 in UTC") from None


def _in_zone(moment: dt.datetime, target: LogicalType) -> dt.datetime:
    if not target.assumed_zone:
        raise Unfit("no zone")
    return instant(moment, target.assumed_zone)


def instant(moment: dt.datetime, zone_name: str) -> dt.datetime:
    """The instant of a local time of a zone, in UTC.

    Raises:
        Unfit: A clock change skips or repeats the local time, or the instant lies outside the years 0001 to 9999.
    """
    zone = ZoneInfo(zone_name)
    first, second = (_to_utc(moment.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    if first != second:
        raise Unfit("local time that a clock change skips or repeats")
    return first


def _moment_from_parts(parts: dict[str, str], target: LogicalType) -> dt.date:
    try:
        date = _date_from_parts(parts)
        time = _time_from_parts(parts) if parts.keys() & {"hour", "hour12"} else _MIDNIGHT
        zone = _zone(parts["offset"]) if "offset" in parts else None
    except (ValueError, KeyError):
        raise Unfit(f"no such {target}") from None
    return _as_target(dt.datetime.combine(date, time, zone), target)


def _date_from_parts(parts: dict[str, str]) -> dt.date:
    if "year" in parts:
        year = int(parts["year"])
    else:
        short = int(parts["short_year"])
        year = short + (2000 if short < 69 else 1900)  # the pivot of POSIX
    if "day_of_year" in parts:
        first = dt.date(year, 1, 1)
        date = first + dt.timedelta(days=int(parts["day_of_year"]) - 1)
        if date.year != year:
            raise ValueError("no such day of the year")
        return date
    name = parts.get("month_name")
    month = MONTHS.index(name[:3].lower()) + 1 if name else int(parts["month"])
    return dt.date(year, month, int(parts["day"]))


def _time_from_parts(parts: dict[str, str]) -> dt.time:
    try:
        if "hour" in parts:
            hour = int(parts["hour"])
        else:
            hour = int(parts["hour12"])
            if not 1 <= hour <= 12:
                raise ValueError("no such hour of twelve")
            hour = hour % 12 + (12 if parts["half"].lower() == "pm" else 0)
        fraction = int(parts.get("fraction", "")[:6].ljust(6, "0"))  # cut, never rounded
        return dt.time(hour, int(parts.get("minute", "0")), int(parts.get("second", "0")), fraction)
    except (ValueError, KeyError):
        raise Unfit("no such time of day") from None


def _zone(offset: str) -> dt.timezone:
    if offset == "Z":
        return dt.UTC
    hours, minutes = int(offset[1:3]), int(offset[3:].lstrip(":") or "0")
    if hours > 23 or minutes > 59:
        raise ValueError("no such offset")
    shift = dt.timedelta(hours=hours, minutes=minutes)
    return dt.timezone(-shift if offset[0] == "-" else shift)
