"""From the characters of a scalar in a YAML file to its value, each with the place it came from.

libyaml gives values without places. Here the same rules (YAML 1.2, chapters 7 and 8, as libyaml reads them) are applied again,
and what comes out counts only where it is the value that libyaml gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a value, and ``source[start:stop]`` that it was read from: the same characters, or one written as several."""

    text: str
    start: int
    stop: int


def value_of(parts: tuple[Part, ...]) -> str:
    """The value that the parts make."""
    return "".join(part.text for part in parts)


# --- plain and quoted -------------------------------------------------------------------------------------------------

_BLANK = " \t\r\n"
_RUNS = {
    "": re.compile(r"[^ \t\r\n]+"),
    "'": re.compile(r"[^ \t\r\n']+"),
    '"': re.compile(r"[^ \t\r\n\\]+"),
}
_SPACE = re.compile(r"[ \t\r\n]+")
_BREAK = re.compile(r"\r?\n")
_ESCAPED_BREAK = re.compile(r"\\\r?\n[ \t\r\n]*")
_ESCAPE = re.compile(
    r"\\(?:u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<letter>[^xuU]))"
)
_LETTERS = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029", " ": " ", '"': '"', "/": "/", "\\": "\\",
}  # fmt: skip


def flow_parts(source: str, start: int, stop: int, quote: str) -> tuple[Part, ...] | None:
    """The parts of a plain (``quote`` empty) or quoted scalar between its quotes; ``None`` for what is no such scalar."""
    found: list[Part] = []
    at = start
    while at < stop:
        if source[at] in _BLANK:
            end = _end(_SPACE, source, at, stop)
            found.extend(_space(source, at, end))
        elif quote == "'" and source[at] == "'":
            end = at + 2
            found.append(Part("'", at, end))
        elif quote == '"' and source[at] == "\\":
            broken = _ESCAPED_BREAK.match(source, at, stop)
            escape = _ESCAPE.match(source, at, stop)
            if broken is not None:
                end = broken.end()
                found.extend(_empty_lines(source, at, end))
            elif (char := _escaped(escape)) is not None and escape is not None:
                end = escape.end()
                found.append(Part(char, at, end))
            else:
                return None
        else:
            end = _end(_RUNS[quote], source, at, stop)
            found.append(Part(source[at:end], at, end))
        at = end
    return tuple(found)


def _end(pattern: re.Pattern[str], source: str, at: int, stop: int) -> int:
    found = pattern.match(source, at, stop)
    return at + 1 if found is None else found.end()


def _space(source: str, start: int, stop: int) -> Iterator[Part]:
    """Blanks within a line as they are; a line break as a blank, or as the empty lines that follow it."""
    broken = _BREAK.search(source, start, stop)
    if broken is None:
        yield Part(source[start:stop], start, stop)
    elif _BREAK.search(source, broken.end(), stop) is None:
        yield Part(" ", broken.start(), broken.start() + 1)
    else:
        yield from _empty_lines(source, broken.start(), stop)


def _empty_lines(source: str, start: int, stop: int) -> Iterator[Part]:
    """A line break for each one after the first."""
    _, *rest = _BREAK.finditer(source, start, stop)
    for each in rest:
        yield Part("\n", each.start(), each.start() + 1)


def _escaped(escape: re.Match[str] | None) -> str | None:
    """The character that an escape means; ``None`` when it means none."""
    if escape is None:
        return None
    if escape["high"]:
        return chr(0x10000 + ((int(escape["high"], 16) - 0xD800) << 10) + int(escape["low"], 16) - 0xDC00)
    if escape["letter"]:
        return _LETTERS.get(escape["letter"])
    code = int(escape["x"] or escape["u"] or escape["U"], 16)
    return None if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)


# --- blocks -----------------------------------------------------------------------------------------------------------


def block_parts(source: str, start: int, value: str, *, folded: bool) -> tuple[Part, ...] | None:
    """The parts of a block scalar whose header stands in the line at ``start``; ``None`` for one without any text.

    How deep it is indented shows in ``value``: what its first line has fewer blanks than that line of the file. How the end is
    chomped shows there too.
    """
    first = next((line for line in value.split("\n") if line.strip()), None)
    written = None if first is None else next((text for text, _ in _lines(source, start) if text.strip()), None)
    if first is None or written is None:
        return None
    indent = max(0, indent_of(written) - indent_of(first))
    lines = _indented(_lines(source, start), indent)
    parts: list[Part] = []
    length = 0
    for part in _folded(lines, indent) if folded else _literal(lines, indent):
        if length >= len(value):
            break
        parts.append(part)
        length += len(part.text)
    return tuple(parts)


def _lines(source: str, start: int) -> Iterator[tuple[str, int]]:
    """Text and start of each line below the header; also of those that belong to the scalar no more."""
    at = source.find("\n", start) + 1
    while 0 < at < len(source):
        end = source.find("\n", at)
        end = len(source) if end < 0 else end
        yield source[at:end].removesuffix("\r"), at
        at = end + 1


def _indented(lines: Iterable[tuple[str, int]], indent: int) -> Iterator[tuple[str, int]]:
    """The lines before the first with text that is indented less: a key, an item or a comment after the scalar."""
    return takewhile(lambda line: indent_of(line[0]) >= min(indent, len(line[0])), lines)


def indent_of(line: str) -> int:
    """How many spaces a line begins with."""
    return len(line) - len(line.lstrip(" "))


def _literal(lines: Iterable[tuple[str, int]], indent: int) -> Iterator[Part]:
    for text, at in lines:
        if text[indent:]:
            yield Part(text[indent:], at + indent, at + len(text))
        yield Part("\n", at + len(text), at + len(text) + 1)


def _folded(lines: Iterable[tuple[str, int]], indent: int) -> Iterator[Part]:
    """Between two lines that begin with no blank, one break is a blank, and of several the first is nothing."""
    pending: list[Part] = []
    """The breaks since the last line with text, its own first."""
    after_text = was_indented = False
    for text, at in lines:
        here, end = text[indent:], at + len(text)
        if here:
            is_indented = here[0] in " \t"
            if not after_text or was_indented or is_indented:
                yield from pending
            elif len(pending) == 1:
                yield Part(" ", pending[0].start, pending[0].stop)
            else:
                yield from pending[1:]
            yield Part(here, at + indent, end)
            pending, after_text, was_indented = [], True, is_indented
        pending.append(Part("\n", end, end + 1))
    yield from pending
