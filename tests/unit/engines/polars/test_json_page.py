"""The refused JSON files of docs/sources.md are refused with the messages that stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.unit.engines.polars.json_files import refusal

PAGE = Path(__file__).parents[4] / "docs" / "sources.md"
ROW = re.compile(r"^\| `(?P<file>[^`]*\\n)` \| `(?P<message>[^`]*)` \|$", re.MULTILINE)
JSON = PAGE.read_text(encoding="utf-8").partition("## JSON")[2]
ROWS = [(match["file"], match["message"]) for match in ROW.finditer(JSON)]


def test_the_page_shows_each_fault() -> None:
    assert len(ROWS) == 6


@pytest.mark.parametrize(("file", "message"), ROWS)
def test_a_refused_file(file: str, message: str) -> None:
    content = file.encode("ascii").replace(rb"\n", b"\n").replace(rb"\xff", b"\xff")
    assert refusal(content, lines=True) == message.replace("'", "`")
