"""What goes to which stream, and whether in colour."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TextIO

from etlgen.cli.exit_codes import EXIT_WRONG
from etlgen.diagnostics.model import Diagnostic
from etlgen.diagnostics.render import Style, as_record, ordered, render_text, summary

MAX_SHOWN_BYTES = 4_000_000
"""Larger files are not read again to show a line of them."""

_settings: dict[str, Path] = {}


def set_root(root: Path) -> None:
    """The folder that paths in diagnostics are relative to."""
    _settings["root"] = root
    lines_of.cache_clear()


def say(text: str) -> None:
    """A line for people, on stderr."""
    _write(sys.stderr, text + "\n")


def result(text: str) -> None:
    """What was asked for, on stdout."""
    _write(sys.stdout, text if text.endswith("\n") else text + "\n")


def result_json(value: object) -> None:
    """What was asked for, as JSON."""
    result(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def is_interactive(stream: TextIO) -> bool:
    """Progress and colour belong on a terminal only."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colour(stream: TextIO) -> bool:
    """Colour on terminals, never with ``NO_COLOR`` (https://no-color.org)."""
    return is_interactive(stream) and not os.environ.get("NO_COLOR")


def report(diagnostics: Iterable[Diagnostic], stream: TextIO | None = None) -> None:
    """Diagnostics as a compiler prints them; on stderr unless they are the result."""
    target = stream or sys.stderr
    text = render_text(diagnostics, lines_of, Style(colour=has_colour(target)))
    if text:
        _write(target, text)


def report_errors(diagnostics: Sequence[Diagnostic], *, as_json: bool = False) -> int:
    """Say what is wrong, on stderr or with ``--json`` as the result, and give the exit code for it."""
    if as_json:
        result_json({"diagnostics": [as_record(d) for d in ordered(diagnostics)]})
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


def _write(stream: TextIO, text: str) -> None:
    """Names from contracts may hold characters that the terminal's encoding lacks."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, errors="backslashreplace").decode(encoding))
    stream.flush()
