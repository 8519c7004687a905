"""Quick readings of dates and times whose text has one width, straight from its bytes.

Text such as ``2026-01-01T10:00:00`` is laid out as one flat column of bytes, checked against a template, and its numbers
are gathered from their places. This is as quick as Polars' own parser and, unlike that one, takes nothing else: no blanks
or signs for digits (``2026- 1-01``), no missing blank, no second 60, no year 0000.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from functools import cache

import polars as pl

from etlgen_runtime.engines.polars.casts.tiers import null_where_not
from etlgen_runtime.types import Kind, LogicalType

_DIGITS = frozenset("YmdHMSfhn")
_LITERALS = frozenset("-/.:, T")
_DIRECTIVES = {"%Y": "YYYY", "%m": "mm", "%d": "dd", "%H": "HH", "%M": "MM", "%S": "SS"}
_TOKEN = re.compile(r"%.|.", re.DOTALL)
_ALLOWED = {"_": "T ", "±": "+-"}
_ZERO = ord("0")
_MARCH_0000 = 719_469
"""Days from March 0000 to the end of 1969, and one because days of the month count from 1."""


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
        places = None
        if wide.null_count() or not wide.all():
            places = wide.arg_true()
            text = text.gather(places)
        found = self._read_dense(text)
        if found is None:
            right = text.str.contains(self._regex())
            places = right.arg_true() if places is None else places.filter(right)
            text = text.filter(right)
            found = self._read_dense(text) or self._assemble(_Layout(self.template, pl.Series([], dtype=pl.UInt8)))
        if places is None:
            return found
        values, offsets = found
        return _spread(values, places, len(wide)), None if offsets is None else _spread(offsets, places, len(wide))

    def _read_dense(self, text: pl.Series) -> tuple[pl.Series, pl.Series | None] | None:
        """The values of text that has this width throughout; ``None`` when a byte is out of place anywhere."""
        codes = text.cast(pl.Binary).bin.reinterpret(dtype=pl.Array(pl.UInt8, len(self.template))).explode()
        layout = _Layout(self.template, codes)
        return self._assemble(layout) if len(text) and layout.is_exact() else None

    def _assemble(self, layout: _Layout) -> tuple[pl.Series, pl.Series | None]:
        if self.is_time:
            return (layout.time_of_day() * 1000).cast(pl.Time()), None
        days = layout.days()
        if "H" not in self.template:
            return days.cast(pl.Date()), None
        local = (days.cast(pl.Int64) * 86_400_000_000 + layout.time_of_day()).cast(pl.Datetime("us"))
        if self.template.endswith("Z"):
            return local, local.to_physical() * 0
        return (local, layout.offset()) if "±" in self.template else (local, None)

    def _regex(self) -> str:
        return f"^{''.join(_class(character) for character in self.template)}$"


def _class(character: str) -> str:
    return "[0-9]" if character in _DIGITS else f"[{re.escape(_ALLOWED.get(character, character))}]"


class _Layout:
    """The bytes of many texts of one template, by place. Bytes count from the digit zero: 0 to 9 are the digits."""

    def __init__(self, template: str, codes: pl.Series) -> None:
        self._template = template
        self._bytes = codes - _ZERO
        self._places: dict[int, pl.Series] = {}

    def _at(self, place: int) -> pl.Series:
        """The bytes at one place, a row per text."""
        if place not in self._places:
            self._places[place] = self._bytes.gather_every(len(self._template), place)
        return self._places[place]

    def is_exact(self) -> bool:
        """Whether every text has digits and literals where the template has them."""
        return all(self._is_exact_at(place, character) for place, character in enumerate(self._template))

    def _is_exact_at(self, place: int, character: str) -> bool:
        found = self._at(place)
        if character in _DIGITS:
            highest = found.max()
            return isinstance(highest, int) and highest <= 9
        allowed = _ALLOWED.get(character, character)
        lowest, highest = found.min(), found.max()
        if lowest == highest:
            return lowest in {_code(letter) for letter in allowed}
        return len(allowed) > 1 and bool(((found == _code(allowed[0])) | (found == _code(allowed[1]))).all())

    def part(self, letter: str) -> pl.Series:
        """The number written by ``letter``; two digits at a time, which a byte can hold."""
        start, size = self._template.index(letter), self._template.count(letter)
        value: pl.Series | None = None
        for place in range(start, start + size - 1, 2):
            pair = (self._at(place) * 10 + self._at(place + 1)).cast(pl.Int32, wrap_numerical=True)
            value = pair if value is None else value * 100 + pair
        last = self._at(start + size - 1).cast(pl.Int32, wrap_numerical=True)
        return last if value is None else value * 10 + last if size % 2 else value

    def days(self) -> pl.Series:
        """Days since 1970; NULL where there is no such day."""
        year, month, day = self.part("Y"), self.part("m"), self.part("d")
        fits = (year >= 1) & (day >= 1) & (day <= _month_lengths().gather(month))
        leap_days = (month == 2) & (day == 29)
        if leap_days.any():
            fits = fits & (~leap_days | ((year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))))
        early = (month <= 2).cast(pl.Int32)  # years are counted from March, so that the leap day comes last
        year, month = year - early, month - 3 + early * 12
        days = year * 365 + year // 4 - year // 100 + year // 400 + (month * 153 + 2) // 5 + day - _MARCH_0000
        return null_where_not(days, fits)

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
        size = (hours * 60 + minutes).cast(pl.Int64) * 60_000_000
        behind = self._at(self._template.index("±")) == _code("-")
        return null_where_not(size.zip_with(~behind, -size), (hours <= 23) & (minutes <= 59))


def _code(letter: str) -> int:
    return (ord(letter) - _ZERO) % 256


@cache
def _month_lengths() -> pl.Series:
    """Days of each month by its number, February with its leap day; 0 for the other numbers of two digits."""
    lengths = [monthrange(2024, month)[1] for month in range(1, 13)]
    return pl.Series([0, *lengths, *[0] * 87], dtype=pl.Int32())


def _spread(values: pl.Series, places: pl.Series, size: int) -> pl.Series:
    """``values`` at their places among ``size`` rows, NULL elsewhere."""
    return pl.Series([None], dtype=values.dtype).new_from_index(0, size).scatter(places, values)


def shape_of_format(date_format: str) -> FixedWidth | None:
    """The quick reading of a contract's format, if all its numbers have one width and it holds nothing unusual."""
    tokens = [str(token) for token in _TOKEN.findall(date_format)]
    numbers = [token for token in tokens if token in _DIRECTIVES]
    names = set(numbers)
    dated, timed = {"%Y", "%m", "%d"} <= names, {"%H", "%M"} <= names
    known = names <= ({"%Y", "%m", "%d"} if dated else set()) | ({"%H", "%M", "%S"} if timed else set())
    if not names or not known or len(numbers) != len(names) or not set(tokens) - names <= _LITERALS:
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
