r"""Characters beyond U+FFFF as JSON escapes them: as two surrogates (``"\ud83d\ude00"``), which libyaml does not read."""

from __future__ import annotations

import re

_PAIR = re.compile(
    r"(?<!\\)(?P<before>(?:\\\\)*)\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
)
_ESCAPE = re.compile(r"\\(?:u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8}))")


def without_pairs(text: str) -> tuple[str, tuple[int, ...]]:
    """``text`` with characters of no meaning in YAML in place of each pair, as many as it has; and where pairs begin.

    Only in double-quoted text is a pair one character; what a scalar holds that one stands in is read from ``text``.
    """
    starts: list[int] = []

    def stand_in(found: re.Match[str]) -> str:
        starts.append(found.start() + len(found["before"]))
        return found["before"] + "_" * 12

    return _PAIR.sub(stand_in, text), tuple(starts)


def misread_escape(text: str, at: int) -> tuple[int, str, str, str] | None:
    """What an escape before ``at`` that means no character is: its start, itself, what is wrong, the fix."""
    start = text.rfind("\\", 0, at + 1)
    escape = _ESCAPE.match(text, start) if start >= 0 else None
    if escape is None:
        return None
    code = int(escape["u"] or escape["U"], 16)
    if code > 0x10FFFF:
        return start, escape.group(), "is beyond the last character, U+10FFFF", "write the character itself"
    return (
        start,
        escape.group(),
        "is half of a character: a surrogate without its other half",
        'write the character itself, or both halves: "\\ud83d\\ude00"',
    )
