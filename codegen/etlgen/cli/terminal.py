"""What goes to which stream, and whether in colour."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TextIO, cast

from etlgen.cli.exit_codes import EXIT_WRONG
from etlgen.diagnostics.model import Diagnostic
from etlgen.diagnostics.render import Style, json_text, printable, records, render_text, summary

MAX_SHOWN_BYTES = 4_000_000
"""Larger files are not read again to show a line of them."""

_CLEAR_LINE = "\r\x1b[2K"

_settings: dict[str, Path] = {}


def set_root(root: Path) -> None:
    """The folder that paths in diagnostics are relative to."""
    _settings["root"] = root
    lines_of.cache_clear()


def say(text: str) -> None:
    """A line for people, on stderr; safe for a terminal, whatever contracts hold."""
    _write(sys.stderr, _safe(text) + "\n")


def rewrite(line: str) -> None:
    """The line of a terminal on which the cursor stands, on stderr; one write, since engines call it from threads."""
    _write(sys.stderr, _CLEAR_LINE + printable(line))


def result(text: str) -> None:
    """What was asked for, on stdout; safe for a terminal, whatever contracts hold."""
    _write(_stdout(), _safe(text if text.endswith("\n") else text + "\n"))


def result_json(value: object) -> None:
    """What was asked for, as JSON."""
    result(json_text(value))


def is_interactive(stream: TextIO | None) -> bool:
    """Progress and colour belong on a terminal only."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colour(stream: TextIO | None) -> bool:
    """Colour on terminals, never with ``NO_COLOR`` (https://no-color.org)."""
    return is_interactive(stream) and not os.environ.get("NO_COLOR")


def report(diagnostics: Iterable[Diagnostic], *, as_result: bool = False) -> None:
    """Diagnostics as a compiler prints them; on stderr unless they are the result."""
    target = _stdout() if as_result else sys.stderr
    text = render_text(diagnostics, lines_of, Style(colour=has_colour(target)))
    if text:
        _write(target, text)


def report_json(diagnostics: Iterable[Diagnostic]) -> None:
    """Diagnostics as the result, as JSON: findings of a lint and errors of every command have this one shape."""
    result_json({"diagnostics": records(diagnostics)})


def report_errors(diagnostics: Sequence[Diagnostic], *, as_json: bool = False) -> int:
    """Say what is wrong, on stderr or with ``--json`` as the result, and give the exit code for it."""
    if as_json:
        report_json(diagnostics)
    else:
        report(diagnostics)
        _write(sys.stderr, f"\n{summary(diagnostics)}\n")
    return EXIT_WRONG


@cache
def lines_of(file: str) -> Sequence[str]:
    """The lines of a file of the project, for the excerpt of a diagnostic."""
    path = _settings.get("root", Path.cwd()) / file
    try:
        if path.stat().st_size > MAX_SHOWN_BYTES:
            return ()
        return path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    except OSError:
        return ()


def discard(stream: TextIO | None) -> None:
    """Let nothing more out of a stream that cannot be written, or Python would complain once more at exit."""
    if stream is not None:
        with suppress(OSError, ValueError):  # a stream that is no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _stdout() -> TextIO:
    """Raises OSError when the shell closed it (`>&-`): what was asked for would be lost silently."""
    found = cast("TextIO | None", sys.stdout)
    if found is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return found


def _write(stream: TextIO | None, text: str) -> None:
    """Text to a stream. What is said beside the result may be lost: a run does not fail for it."""
    if stream is None:
        return
    try:
        _encode(stream, text)
        stream.flush()
    except OSError:
        if stream is not sys.stderr:
            raise
        discard(stream)


def _encode(stream: TextIO, text: str) -> None:
    """Names from contracts may hold characters that the terminal's encoding lacks."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, errors="backslashreplace").decode(encoding))


def _safe(text: str) -> str:
    return "\n".join(printable(line) for line in text.split("\n"))
