"""Every example in docs/casts.md is what the cast table does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from etlgen_runtime.casts import Unfit, cast_value, to_text
from etlgen_runtime.types import Kind, LogicalType, decimal

PAGE = Path(__file__).parents[3] / "docs" / "casts.md"
ROW = re.compile(r"^\| (?P<target>[a-z0-9_(),]+) \| (?P<accepted>`.*`) \| (?P<refused>`.*`) \|$", re.MULTILINE)
PAIR = re.compile(r"`([^`]+)` is `([^`]+)`")


def logical(name: str) -> LogicalType:
    """``int64`` or ``decimal(5,2)`` as a type."""
    found = re.fullmatch(r"decimal\((\d+),(\d+)\)", name)
    return decimal(int(found[1]), int(found[2])) if found else LogicalType(Kind(name))


ROWS = [match.groupdict() for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
ACCEPTED = [(row["target"], text, value) for row in ROWS for text, value in PAIR.findall(row["accepted"])]
REFUSED = [(row["target"], text) for row in ROWS for text in re.findall(r"`([^`]+)`", row["refused"])]


def test_the_page_has_a_row_for_each_family() -> None:
    assert [row["target"] for row in ROWS] == [
        "int64", "uint8", "float64", "decimal(5,2)", "boolean", "date", "timestamp", "timestamp_tz", "time", "uuid", "binary", "json",
    ]  # fmt: skip


@pytest.mark.parametrize(("target", "text", "value"), ACCEPTED)
def test_an_accepted_example(target: str, text: str, value: str) -> None:
    assert to_text(cast_value(text, logical(target)), logical(target)) == value


@pytest.mark.parametrize(("target", "text"), REFUSED)
def test_a_refused_example(target: str, text: str) -> None:
    with pytest.raises(Unfit):
        cast_value(text, logical(target))
