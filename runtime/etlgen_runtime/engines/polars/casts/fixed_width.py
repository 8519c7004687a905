"""Quick readings of dates and times whose text has one width, straight from its bytes.

Text such as ``2026-01-01T10:00:00`` is laid out as one flat column of bytes, checked against a template, and its numbers
are gathered from their places. This is as quick as Polars' own parser and, unlike that one, takes nothing else: no blanks
or signs for digits (``2026- 1-01``), no missing blank, no second 60, no year 0000.
"""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from dataclasses import dataclass
from datetime import date
from functools import cache

import polars as pl

from etlgen_runtime.engines.polars.casts.tiers import null_where_not
from etlgen_runtime.types import Kind, LogicalType

_DIGITS = frozenset("YmdHMSf")
_LITERALS = frozenset("-/.:, TZ")
_DIRECTIVES = {"%Y": "YYYY", "%m": "mm", "%d": "dd", "%H": "HH", "%M": "MM", "%S": "SS"}
_TOKEN = re.compile(r"%.|.", re.DOTALL)
_CLASSES = {"_": "[T ]", "±": "[+-]"} | dict.fromkeys(_DIGITS | {"h", "n"}, "[0-9]")
_ZERO, _NINE, _PLUS, _MINUS = 48, 57, 43, 45
_LEAP = 100
"""Where the months of leap years begin in the tables by month."""


@dataclass(frozen=True, slots=True)
class FixedWidth:
    """Text of one width.

    Args:
        template: One character for each byte: ``Y m d H M S f`` for the digits of a part, ``_`` for ``T`` or a blank,
            ``±hh:nn`` for an offset, anything else for itself.
    """

    template: str

    @property
    def is_time(self) -> bool:
        """A time of day without a date."""
        return "Y" not in self.template

    def read(self, text: pl.Series) -> tuple[pl.Series, pl.Series | None]:
        """Dates, naive timestamps (microseconds) or times, and the microseconds they are ahead of UTC where told.

        NULL for every text that is not exactly of this shape or names no date or time of day.
        """
        wide = text.str.len_bytes() == len(self.template)
        if wide.null_count() == 0 and wide.all():
            found = self._read_dense(text)
            if found is not None:
                return found
        places = null_where_not(wide, wide).arg_true()
        rest = text.gather(places)
        right = rest.str.contains(self._regex())
        places, rest = places.filter(right), rest.filter(right)
        values, offsets = self._read_dense(rest) or self._assemble(pl.Series([], dtype=pl.UInt8))
        size = len(text)
        return _spread(values, places, size), None if offsets is None else _spread(offsets, places, size)

    def _read_dense(self, text: pl.Series) -> tuple[pl.Series, pl.Series | None] | None:
        """The values of text that has this width throughout; ``None`` when a byte is out of place anywhere."""
        width = len(self.template)
        codes = text.cast(pl.Binary).bin.reinterpret(dtype=pl.Array(pl.UInt8, width)).explode()
        return self._assemble(codes) if len(text) and self._is_exact(codes, len(text)) else None

    def _is_exact(self, codes: pl.Series, size: int) -> bool:
        """Whether digits and literals stand where the template has them: literals by place, then digits by number."""
        digits = 0
        for place, character in enumerate(self.template):
            if character in _DIGITS or character in "hn":
                digits += 1
                continue
            found = codes.gather_every(len(self.template), place)
            match character:
                case "_":
                    fits = (found == ord("T")) | (found == ord(" "))
                case "±":
                    fits = (found == _PLUS) | (found == _MINUS)
                case _:
                    fits = found == ord(character)
            if not fits.all():
                return False
        return bool(codes.is_between(_ZERO, _NINE).sum() == digits * size)

    def _assemble(self, codes: pl.Series) -> tuple[pl.Series, pl.Series | None]:
        numbers = _Numbers(self.template, codes)
        if self.is_time:
            return (numbers.time_of_day() * 1000).cast(pl.Time()), None
        days = numbers.days()
        if "H" not in self.template:
            return days.cast(pl.Date()), None
        local = (days.cast(pl.Int64) * 86_400_000_000 + numbers.time_of_day()).cast(pl.Datetime("us"))
        if self.template.endswith("Z"):
            return local, local.to_physical() * 0
        return (local, numbers.offset()) if "±" in self.template else (local, None)

    def _regex(self) -> str:
        return f"^{''.join(_CLASSES.get(character, re.escape(character)) for character in self.template)}$"


class _Numbers:
    """The numbers at the places of a template, one series for each part."""

    def __init__(self, template: str, codes: pl.Series) -> None:
        self._template = template
        self._ones = codes - _ZERO
        self._pairs = self._ones * 10 + self._ones.shift(-1, fill_value=0)

    def part(self, letter: str) -> pl.Series:
        """The number written by ``letter``; two digits at a time."""
        start, width = self._template.index(letter), len(self._template)
        size = self._template.count(letter)
        value = self._pairs.gather_every(width, start).cast(pl.Int32)
        for place in range(start + 2, start + size - 1, 2):
            value = value * 100 + self._pairs.gather_every(width, place).cast(pl.Int32)
        return value * 10 + self._ones.gather_every(width, start + size - 1).cast(pl.Int32) if size % 2 else value

    def days(self) -> pl.Series:
        """Days since 1970; NULL where there is no such day."""
        tables = _tables()
        year, day = self.part("Y"), self.part("d")
        month = self.part("m") + tables.leap.gather(year)
        days = tables.year.gather(year) + tables.month.gather(month) + day
        return null_where_not(days, (day >= 1) & (day <= tables.length.gather(month)))

    def time_of_day(self) -> pl.Series:
        """Microseconds after midnight; NULL where there is no such time."""
        hour, minute = self.part("H"), self.part("M")
        seconds, fits = hour * 3600 + minute * 60, (hour <= 23) & (minute <= 59)
        if "S" in self._template:
            second = self.part("S")
            seconds, fits = seconds + second, fits & (second <= 59)
        time = seconds.cast(pl.Int64) * 1_000_000
        if "f" in self._template:
            time = time + self.part("f") * 10 ** (6 - self._template.count("f"))
        return null_where_not(time, fits)

    def offset(self) -> pl.Series:
        """Microseconds ahead of UTC; NULL where there is no such offset, which the caller takes for no text at all."""
        hours, minutes = self.part("h"), self.part("n")
        sign = 44 - (self._ones + _ZERO).gather_every(len(self._template), self._template.index("±")).cast(pl.Int64)
        shift = (hours * 60 + minutes) * 60_000_000 * sign
        return null_where_not(shift, (hours <= 23) & (minutes <= 59))


@dataclass(frozen=True, slots=True)
class _Tables:
    """Calendar tables: by year (0 to 9999), and by month plus ``_LEAP`` in leap years; NULL where there is none.

    ``year`` and ``month`` add up with the day of the month to days since 1970.
    """

    year: pl.Series
    leap: pl.Series
    month: pl.Series
    length: pl.Series


@cache
def _tables() -> _Tables:
    epoch = date(1970, 1, 1).toordinal()
    years = [None, *(date(year, 1, 1).toordinal() - epoch - 1 for year in range(1, 10_000))]
    lengths: list[int | None] = [None] * (2 * _LEAP)
    before: list[int | None] = [None] * (2 * _LEAP)
    for start, year in ((0, 2023), (_LEAP, 2024)):
        for month in range(1, 13):
            lengths[start + month] = monthrange(year, month)[1]
            before[start + month] = (date(year, month, 1) - date(year, 1, 1)).days
    leap = [_LEAP * isleap(year) for year in range(10_000)]
    return _Tables(*(pl.Series(table, dtype=pl.Int32()) for table in (years, leap, before, lengths)))


def _spread(values: pl.Series, places: pl.Series, size: int) -> pl.Series:
    """``values`` at their places among ``size`` rows, NULL elsewhere."""
    return pl.Series([None], dtype=values.dtype).new_from_index(0, size).scatter(places, values)


def shape_of_format(date_format: str) -> FixedWidth | None:
    """The quick reading of a contract's format, if all its numbers have one width and it holds nothing unusual."""
    tokens = _TOKEN.findall(date_format)
    numbers = [token for token in tokens if token in _DIRECTIVES]
    names = set(numbers)
    dated, timed = {"%Y", "%m", "%d"} <= names, {"%H", "%M"} <= names
    known = names <= ({"%Y", "%m", "%d"} if dated else set()) | ({"%H", "%M", "%S"} if timed else set())
    if not names or not known or len(numbers) != len(names) or not set(tokens) - names <= _LITERALS - {"Z"}:
        return None
    return FixedWidth("".join(_DIRECTIVES.get(token, token) for token in tokens))


@cache
def iso_shapes(target: LogicalType) -> tuple[FixedWidth, ...]:
    """The common ISO 8601 spellings, the most common for this target first."""
    if target.kind is Kind.TIME:
        return (FixedWidth("HH:MM:SS"), FixedWidth("HH:MM"))
    day = FixedWidth("YYYY-mm-dd")
    moments = tuple(
        FixedWidth(f"{day.template}_HH:MM:SS{fraction}{zone}")
        for fraction in ("", ".ffffff", ".fff")
        for zone in ("", "Z", "±hh:nn")
    )
    return (day, *moments) if target.kind is Kind.DATE else (*moments, day)
