"""``strptime`` with DuckDB's letters: one regular expression, then arithmetic on its groups (semantics, section 5).

Polars' own parser takes signs, blanks and widths that DuckDB refuses, and the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import polars as pl

from etlgen_runtime.engines.polars.casts.fixed_width import shape_of_format
from etlgen_runtime.engines.polars.functions.dates import make_date

_BLANK = r"[ \t\n\v\f\r]"
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WIDTHS = {"Y": 4, "y": 2, "m": 2, "d": 2, "H": 2, "I": 2, "M": 2, "S": 2, "j": 3, "f": 6, "g": 3}
"""Most digits of each number; all take fewer, unless a digit follows at once."""

_NAMES = {
    "b": "|".join(name[:3] for name in _MONTHS),
    "B": "|".join(_MONTHS),
    "a": "|".join(name[:3] for name in _DAYS),
    "A": "|".join(_DAYS),
    "p": "am|pm",
}
_OFFSET = r"(?P<z>[+-])(?P<z_hours>[0-9]{2})(?::?(?P<z_minutes>[0-9]{2})(?::(?P<z_seconds>[0-9]{2}))?)?"
Field = Callable[[str], pl.Expr]
_DIRECTIVE = re.compile(r"%-?(.)|([ \t\n\v\f\r]+)|([^% \t\n\v\f\r]+)", re.DOTALL)


def strptime(value: pl.Expr, form: str) -> pl.Expr:
    """A timestamp read by ``form``; with ``%z`` an instant. NULL when the text does not match or names no moment.

    Missing parts are those of 1900-01-01 00:00:00. Blanks around the text are ignored; blanks in ``form`` are one or more.
    """
    dtype = pl.Datetime("us", "UTC") if "%z" in form else pl.Datetime("us")
    return value.map_batches(lambda texts: _read(texts, form), return_dtype=dtype, is_elementwise=True)


def _read(texts: pl.Series, form: str) -> pl.Series:
    """By the quick reading of fixed widths where the format has one; what that leaves, by the regular expression."""
    shape = shape_of_format(form)
    if shape is None or shape.is_time:
        return _matched(texts, form)
    found = shape.read(texts)[0].cast(pl.Datetime("us"))
    rows = (found.is_null() & texts.is_not_null()).arg_true()
    return found.scatter(rows, _matched(texts.gather(rows), form)) if len(rows) else found


def _matched(texts: pl.Series, form: str) -> pl.Series:
    return pl.DataFrame({"text": texts}).select(_moment(pl.col("text"), form)).to_series()


def _moment(value: pl.Expr, form: str) -> pl.Expr:
    letters = {match[1] for match in _DIRECTIVE.finditer(form) if match[1]}
    groups = value.str.extract_groups(pattern(form)).struct
    moment = _date(groups.field, letters) + pl.duration(microseconds=_microseconds(groups.field, letters))
    if "z" not in letters:
        return moment
    shifted = moment - pl.duration(seconds=_offset_seconds(groups.field))
    return pl.when(shifted.dt.year().is_between(1, 9999)).then(shifted).dt.replace_time_zone("UTC")


def pattern(form: str) -> str:
    """``form`` as a regular expression of the crate regex, with one group per letter."""
    tokens = list(_DIRECTIVE.finditer(form))
    parts = [_part(token, _begins_with_digit(after)) for token, after in zip(tokens, [*tokens[1:], None], strict=True)]
    return rf"\A{_BLANK}*{''.join(parts)}{_BLANK}*\z"


def _part(token: re.Match[str], digit_follows: bool) -> str:
    letter, blanks, literal = token.groups()
    if blanks:
        return f"{_BLANK}+"
    if literal or letter == "%":
        return re.sub(r"([^0-9A-Za-z_\s\x80-\U0010ffff])", r"\\\1", literal or "%")
    if letter == "z":
        return _OFFSET
    if letter in _NAMES:
        return f"(?P<{letter}>(?i:{_NAMES[letter]}))"
    width = _WIDTHS[letter]
    return f"(?P<{letter}>[0-9]{{{width if digit_follows else f'1,{width}'}}})"


def _begins_with_digit(token: re.Match[str] | None) -> bool:
    if token is None:
        return False
    letter, _, literal = token.groups()
    return letter in _WIDTHS if letter else bool(literal) and literal[0].isdigit()


def _number(text: pl.Expr) -> pl.Expr:
    return text.cast(pl.Int64)


def _inside(value: pl.Expr, low: int, high: int) -> pl.Expr:
    return pl.when(value.is_between(low, high)).then(value)


def _date(field: Field, letters: set[str]) -> pl.Expr:
    """Midnight of the day that the groups name; NULL where there is none."""
    year: pl.Expr = pl.when(field(_any_of(letters)).is_not_null()).then(pl.lit(1900, dtype=pl.Int64))
    if "Y" in letters:
        year = _number(field("Y"))
    elif "y" in letters:
        short = _number(field("y"))
        year = short + pl.when(short >= 69).then(1900).otherwise(2000)
    month: pl.Expr | int = 1
    if "m" in letters:
        month = _number(field("m"))
    elif letters & {"b", "B"}:
        letter = "B" if "B" in letters else "b"
        number = {(name if letter == "B" else name[:3]): index for index, name in enumerate(_MONTHS, 1)}
        month = field(letter).str.to_lowercase().replace_strict(number, default=None, return_dtype=pl.Int64)
    date = make_date(year, month, _number(field("d")) if "d" in letters else 1)
    if "j" in letters:
        date = _day_of_year(date, _number(field("j")), used=not letters & {"m", "b", "B", "d"})
    return date.cast(pl.Datetime("us"))


def _any_of(letters: set[str]) -> str:
    return next(letter for letter in sorted(letters) if letter != "%")


def _day_of_year(date: pl.Expr, day: pl.Expr, *, used: bool) -> pl.Expr:
    if not used:  # a written month or day has the word
        return pl.when(day.is_between(1, 366)).then(date)
    days = pl.when(date.dt.is_leap_year()).then(366).otherwise(365)
    return pl.when(day.is_between(1, days)).then(date + pl.duration(days=day - 1))


def _microseconds(field: Field, letters: set[str]) -> pl.Expr:
    """Time of day in microseconds; NULL where a part is out of its range."""
    total: pl.Expr = pl.lit(0, dtype=pl.Int64)
    if letters & {"H", "I"}:
        hour = _inside(_number(field("H")), 0, 23) if "H" in letters else _inside(_number(field("I")), 1, 12)
        total = total + (_half_day(hour, field("p")) if "p" in letters else hour) * 3_600_000_000
    if "M" in letters:
        total = total + _inside(_number(field("M")), 0, 59) * 60_000_000
    if "S" in letters:
        total = total + _inside(_number(field("S")), 0, 59) * 1_000_000
    for letter in letters & {"f", "g"}:
        total = total + _number(field(letter).str.pad_end(6, "0"))
    return total


def _half_day(hour: pl.Expr, half: pl.Expr) -> pl.Expr:
    afternoon = half.str.to_lowercase() == "pm"
    return pl.when(hour <= 12).then(hour % 12 + pl.when(afternoon).then(12).otherwise(0))


def _offset_seconds(field: Field) -> pl.Expr:
    minutes, seconds = (_number(field(name).fill_null("0")) for name in ("z_minutes", "z_seconds"))
    size = _number(field("z_hours")) * 3600 + minutes * 60 + seconds
    return pl.when(field("z") == "-").then(-size).otherwise(size)
