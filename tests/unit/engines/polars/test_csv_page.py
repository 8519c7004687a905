"""The refused CSV files of docs/sources.md are refused with the messages that stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.unit.engines.polars.csv_files import refusal

PAGE = Path(__file__).parents[4] / "docs" / "sources.md"
ROW = re.compile(r"^\| `(?P<file>[^`]*\\[nr])` \| `(?P<message>[^`]*)` \|$", re.MULTILINE)
CSV = PAGE.read_text(encoding="utf-8").partition("## JSON")[0]
ROWS = [(match["file"], match["message"]) for match in ROW.finditer(CSV)]
ESCAPES = {r"\n": b"\n", r"\r": b"\r", r"\0": b"\0", r"\xe9": b"\xe9"}


def test_the_page_shows_each_fault() -> None:
    assert len(ROWS) == 12


@pytest.mark.parametrize(("file", "message"), ROWS)
def test_a_refused_file(file: str, message: str) -> None:
    content = file.encode("ascii")
    for escape, byte in ESCAPES.items():
        content = content.replace(escape.encode("ascii"), byte)
    separator = ", " if message.startswith("line") else " "
    assert refusal(content) == f"`f.csv`{separator}{message}".replace("'", "`")
