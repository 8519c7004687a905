"""Date formats of contracts to ``strptime`` directives: both spellings, Java letters and ``%`` directives."""

from __future__ import annotations

import re

_LETTERS = {
    "yyyy": "%Y",
    "uuuu": "%Y",
    "y": "%Y",
    "u": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "a": "%p",
    "Z": "%z",
    "ZZ": "%z",
    "ZZZ": "%z",
    "X": "%z",
    "XX": "%z",
    "XXX": "%z",
    "x": "%z",
    "xx": "%z",
    "xxx": "%z",
}
_TOKEN = re.compile(r"'((?:[^']|'')*)'|T|([A-Za-z])\2*|[^A-Za-z']+")
_DIRECTIVES = frozenset("YmdHMSfbByjpIz%")
TIME_LETTERS = frozenset("HhmsSa")
DATE_LETTERS = frozenset("yuMd")


def strptime_format(pattern: str) -> str | None:
    """``pattern`` with ``strptime`` directives, or ``None`` when it uses something else or one part twice.

    >>> strptime_format("dd/MM/yyyy HH:mm")
    '%d/%m/%Y %H:%M'
    >>> strptime_format("%d.%m.%Y")
    '%d.%m.%Y'
    """
    if "%" in pattern:
        return pattern if _is_strptime(pattern) else None
    parts: list[str] = []
    position = 0
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None:
            return None
        part = _token(match[0])
        if part is None:
            return None
        parts.append(part)
        position = match.end()
    written = "".join(parts)
    return written if _is_strptime(written) else None


def _is_strptime(pattern: str) -> bool:
    """Known directives only, at least one, and none twice (which ``strptime`` refuses)."""
    used = [letter for letter in re.findall(r"%(.?)", pattern) if letter != "%"]
    return bool(used) and set(used) <= _DIRECTIVES and len(set(used)) == len(used)


def _token(token: str) -> str | None:
    if token == "''":
        return "'"
    if token.startswith("'"):
        return token[1:-1].replace("''", "'").replace("%", "%%")
    if token == "T":
        return "T"
    if not token[0].isalpha():
        return token
    if set(token) == {"S"}:
        return "%f"
    return _LETTERS.get(token)


def letters(pattern: str) -> frozenset[str]:
    """The unquoted letters of a Java pattern."""
    unquoted = re.sub(r"'(?:[^']|'')*'", "", pattern)
    return frozenset(letter for letter in unquoted if letter.isalpha() and letter != "T")
