"""Diagnostics as text, as a compiler prints them, and as JSON. All formats read the same fields."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from etlgen.diagnostics.discretion import holds_secret, without_logins
from etlgen.diagnostics.model import Diagnostic, Position, Severity

SourceLines = Callable[[str], Sequence[str]]
"""Gives the lines of a file as named in a :class:`Position`; empty when it cannot be read."""

SHOWN_COLUMNS = 110
"""Longer source lines are cut to a window around the caret."""

_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.NOTE: "\x1b[1;36m"}
_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}


@dataclass(frozen=True, slots=True)
class Style:
    """Terminal escapes, or nothing: ``Style(colour=False)`` writes plain text."""

    colour: bool = False

    def severity(self, text: str, severity: Severity) -> str:
        return f"{_COLOURS[severity]}{text}\x1b[0m" if self.colour else text

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def margin(self, text: str) -> str:
        return f"\x1b[34m{text}\x1b[0m" if self.colour else text


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """By file, line and column, errors before warnings at one place; without duplicates, and without passwords of URLs."""
    nowhere = Position("", 0, 0)
    unique = dict.fromkeys(each.reworded(without_logins) for each in diagnostics)
    return tuple(sorted(unique, key=lambda d: (d.at or nowhere, _ORDER[d.severity], d.code, d.message)))


def render_text(diagnostics: Iterable[Diagnostic], lines_of: SourceLines, style: Style | None = None) -> str:
    """All diagnostics, a blank line between two; the empty string when there is none."""
    style = style or Style()
    return "\n".join(_one(diagnostic, lines_of, style) for diagnostic in ordered(diagnostics))


def records(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Plain JSON values, one object per diagnostic, in the order of the text format."""
    return [as_record(d) for d in ordered(diagnostics)]


def json_text(value: object) -> str:
    """JSON that is readable and safe for a terminal: control and direction characters are escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def as_record(diagnostic: Diagnostic) -> dict[str, object]:
    """One diagnostic as plain JSON values; ``file``, ``line`` and ``column`` are null without a place."""
    at = diagnostic.at
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "file": at.file if at else None,
        "line": at.line if at else None,
        "column": at.column if at else None,
        "length": at.length if at else None,
        "key_path": diagnostic.key_path,
        "found": diagnostic.label,
        "expected": diagnostic.expected,
        "nearest": diagnostic.nearest,
        "help": diagnostic.help,
    }


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """``2 errors, 1 warning``; ``no problems`` when there is none."""
    unique = ordered(diagnostics)
    counts = [(severity.value, sum(d.severity is severity for d in unique)) for severity in Severity]
    said = [f"{count} {word}{'' if count == 1 else 's'}" for word, count in counts if count]
    return ", ".join(said) or "no problems"


def printable(text: str) -> str:
    """Text safe for a terminal: control and direction characters as escapes, so that a contract cannot steer it."""
    return "".join(c if c.isprintable() else " " if c == "\t" else c.encode("unicode_escape").decode() for c in text)


def _one(diagnostic: Diagnostic, lines_of: SourceLines, style: Style) -> str:
    head = style.severity(f"{diagnostic.severity.value}[{diagnostic.code}]", diagnostic.severity)
    out = [f"{head}{style.bold(': ' + printable(diagnostic.message))}"]
    width = 2
    if diagnostic.at is not None:
        width = max(2, len(str(diagnostic.at.line)))
        at = diagnostic.at
        out.append(f"{style.margin(' ' * width + '-->')} {printable(at.file)}:{at.line}:{at.column}")
        out.extend(_excerpt(diagnostic, at, lines_of, style, width))
    margin = style.margin(" " * width + " =")
    if diagnostic.expected:
        out.append(f"{margin} expected: {printable(diagnostic.expected)}")
    if diagnostic.nearest and f"`{diagnostic.nearest}`" not in diagnostic.help:
        out.append(f"{margin} did you mean `{printable(diagnostic.nearest)}`?")
    if diagnostic.help:
        out.append(f"{margin} help: {printable(diagnostic.help)}")
    out.append(f"{margin} more: etlgen explain {diagnostic.code}")
    return "\n".join(out) + "\n"


def _excerpt(diagnostic: Diagnostic, at: Position, lines_of: SourceLines, style: Style, width: int) -> list[str]:
    """The line and the caret under the place; only the label when the file cannot be read."""
    lines = lines_of(at.file) if diagnostic.line_shown else ()
    if not 1 <= at.line <= len(lines) or holds_secret(lines[at.line - 1]):
        return [f"{style.margin(' ' * width + ' =')} found: {printable(diagnostic.label)}"] if diagnostic.label else []
    line = lines[at.line - 1]
    start = min(max(at.column - 1, 0), len(line))
    end = min(max(start + max(at.length, 1), start), len(line))
    before, marked, after = _window(line, start, end)
    carets = "^" * max(1, _columns(marked))
    label = f" {printable(diagnostic.label)}" if diagnostic.label else ""
    pointer = " " * _columns(before) + style.severity(carets + label, diagnostic.severity)
    return [
        f"{style.margin(f'{at.line:>{width}} |')} {before}{marked}{after}".rstrip(),
        f"{style.margin(' ' * width + ' |')} {pointer}",
    ]


def _window(line: str, start: int, end: int) -> tuple[str, str, str]:
    """The line in three parts, printable, cut to :data:`SHOWN_COLUMNS` around the marked one."""
    cut_left = max(0, start - SHOWN_COLUMNS // 2) if len(line) > SHOWN_COLUMNS else 0
    cut_right = min(len(line), cut_left + SHOWN_COLUMNS)
    before = ("…" if cut_left else "") + printable(line[cut_left:start])
    after = printable(line[end:cut_right]) + ("…" if cut_right < len(line) else "")
    return before, printable(line[start : min(end, cut_right)]), after


def _columns(text: str) -> int:
    """Terminal columns of a printable text: wide characters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)
