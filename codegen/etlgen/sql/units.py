"""Closed lists of words that stand in literals: date units and the letters of `strftime` and `strptime`."""

from __future__ import annotations

_ALIASES = {
    "year": "years yr yrs y",
    "month": "months mon mons",
    "day": "days d dayofmonth",
    "quarter": "quarters",
    "week": "weeks w weekofyear",
    "hour": "hours hr hrs h",
    "minute": "minutes min mins m",
    "second": "seconds sec secs s",
    "millisecond": "milliseconds ms msec msecs",
    "microsecond": "microseconds us usec usecs",
    "dow": "dayofweek weekday",
    "isodow": "",
    "doy": "dayofyear",
    "isoyear": "",
    "epoch": "",
    "julian": "",
}

UNIT_NAMES: dict[str, str] = {
    spelling: unit for unit, aliases in _ALIASES.items() for spelling in (unit, *aliases.split())
}
"""Canonical unit by lower-case spelling, as DuckDB reads them."""

CALENDAR_UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond")
"""Units of `date_trunc`, `date_diff` and intervals."""

PART_UNITS = tuple(_ALIASES)
"""Units of `date_part` and `extract`."""

_NAMED_PARTS = (*(unit for unit in PART_UNITS if unit not in ("dow", "doy")), "dayofweek", "weekday")

PART_FUNCTIONS: dict[str, str] = {
    name: unit for name, unit in UNIT_NAMES.items() if name in (*_NAMED_PARTS, "dayofmonth", "weekofyear", "dayofyear")
}
"""Functions that are one part of a date: `year(x)` is `date_part('year', x)`."""

STRFTIME_LETTERS = "aAbBdfgHIjmMnpSuUVwWyYz%-"
"""Letters after `%` that `strftime` and `strptime` take; `-` before d, H, I, j, m, M, S, y takes the padding away."""

UNPADDED_LETTERS = "dHIjmMSy"

INTERVAL_MONTHS = {"year": 12, "quarter": 3, "month": 1}
INTERVAL_DAYS = {"week": 7, "day": 1}
INTERVAL_MICROSECONDS = {
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}


def unknown_letter(form: str) -> str | None:
    """The first directive of a `strftime` format that is not supported (``%Q``), or ``None``."""
    index = 0
    while index < len(form):
        if form[index] != "%":
            index += 1
            continue
        directive = form[index : index + 3] if form[index + 1 : index + 2] == "-" else form[index : index + 2]
        letter = directive[-1]
        padded = len(directive) == 2
        if len(directive) < 2 or (
            letter not in STRFTIME_LETTERS.rstrip("-") if padded else letter not in UNPADDED_LETTERS
        ):
            return directive
        index += len(directive)
    return None
