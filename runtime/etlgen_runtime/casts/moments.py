"""Patterns of dates, times and timestamps: ISO 8601 and the contract's own formats (semantics, section 4).

A :class:`MomentPattern` is one regular expression in the common subset of Python's and Rust's syntax, so that both the
record path and the engines read text by the same definition. Its named groups are among ``GROUPS``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

GROUPS = (
    "year", "short_year", "month", "month_name", "day", "day_of_year",
    "hour", "hour12", "half", "minute", "second", "fraction", "offset",
)  # fmt: skip

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
"""The first three letters of the English month names, lower-case."""

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_OFFSET = r"(?P<offset>Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]+))?)?"
_DATE = r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"

_DIRECTIVES: dict[str, tuple[str, str]] = {
    "Y": ("year", "[0-9]{4}"),
    "y": ("short_year", "[0-9]{2}"),
    "m": ("month", "[0-9]{1,2}"),
    "d": ("day", "[0-9]{1,2}"),
    "j": ("day_of_year", "[0-9]{1,3}"),
    "H": ("hour", "[0-9]{1,2}"),
    "I": ("hour12", "[0-9]{1,2}"),
    "M": ("minute", "[0-9]{1,2}"),
    "S": ("second", "[0-9]{1,2}"),
    "f": ("fraction", "[0-9]+"),
    "p": ("half", "(?i:am|pm)"),
    "b": ("month_name", f"(?i:{'|'.join(MONTHS)})"),
    "B": ("month_name", f"(?i:{'|'.join(_MONTH_NAMES)})"),
    "z": ("offset", "Z|[+-][0-9]{2}(?::?[0-9]{2})?"),
}
_FIXED_WIDTHS = {"m": "[0-9]{2}", "d": "[0-9]{2}", "j": "[0-9]{3}", "H": "[0-9]{2}", "I": "[0-9]{2}"} | {
    "M": "[0-9]{2}",
    "S": "[0-9]{2}",
}
_TOKEN = re.compile(r"%(.)|([^%]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class MomentPattern:
    """One way to write a date, a time or a timestamp.

    Args:
        regex: Matches a whole text (no anchors).
        groups: Names of its groups.
        has_date: Year, month and day can be told.
        has_time: At least the hour can be told.
    """

    regex: str
    groups: frozenset[str]
    has_date: bool
    has_time: bool

    def match(self, text: str) -> dict[str, str] | None:
        """The parts of ``text`` by group, without those that are absent."""
        found = _compiled(self.regex).fullmatch(text)
        if found is None:
            return None
        return {name: part for name, part in found.groupdict().items() if part is not None}


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _pattern(regex: str) -> MomentPattern:
    groups = frozenset(re.compile(regex).groupindex)
    dated = bool(groups & {"year", "short_year"}) and (
        "day_of_year" in groups or ("day" in groups and bool(groups & {"month", "month_name"}))
    )
    return MomentPattern(regex, groups, dated, "hour" in groups or {"hour12", "half"} <= groups)


ISO_TIMESTAMP = _pattern(f"{_DATE}(?:[T ]{_TIME}{_OFFSET}?)?")
"""A date, and after ``T`` or a blank a time of day with optional seconds, fraction, and ``Z`` or offset."""

ISO_TIME = _pattern(_TIME)


@cache
def format_pattern(date_format: str) -> MomentPattern:
    """The pattern of one strptime-style format.

    Directives: ``%Y %y %m %b %B %d %j %H %I %p %M %S %f %z %%``. Month names are English, in any case; numbers may lack
    their leading zero unless they touch another number; everything else stands for itself.

    Raises:
        ValueError: an unknown or repeated directive (contracts are checked for these when they are read).
    """
    tokens = _TOKEN.findall(date_format)
    if "".join(f"%{directive}" if directive else text for directive, text in tokens) != date_format:
        raise ValueError(f"a lone % at the end of the date format {date_format!r}")
    parts: list[str] = []
    for index, (directive, text) in enumerate(tokens):
        if not directive or directive == "%":
            parts.append(re.escape(text or "%"))
            continue
        if directive not in _DIRECTIVES:
            raise ValueError(f"unknown directive %{directive} in the date format {date_format!r}")
        group, regex = _DIRECTIVES[directive]
        touching = _is_number(tokens, index - 1) or _is_number(tokens, index + 1)
        parts.append(f"(?P<{group}>{_FIXED_WIDTHS.get(directive, regex) if touching else regex})")
    try:
        return _pattern("".join(parts))
    except re.error as error:
        raise ValueError(f"a directive occurs twice in the date format {date_format!r}") from error


def _is_number(tokens: list[tuple[str, str]], index: int) -> bool:
    return 0 <= index < len(tokens) and tokens[index][0] in set("YymdjHIMSf")
