"""What lowering adds to SQL's functions: the ``trim`` operation, and dates in text for ``date_diff``."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

from etlgen.engines.polars.expressions import emit
from etlgen.expr import Call, Column, Literal
from etlgen_runtime.engines.polars import WHITESPACE
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.types import STRING, TIMESTAMP

TEXT = Column("t", STRING)


def values(expr: Call, texts: list[str | None]) -> list[object]:
    emitted = eval(emit(expr), {"pl": pl, "fn": fn, "WHITESPACE": WHITESPACE})
    return pl.DataFrame({"t": texts}, schema={"t": pl.String}).select(emitted.alias("v"))["v"].to_list()


@pytest.mark.parametrize(("side", "expected"), [("both", "a b"), ("left", "a b\u00a0\ufeff"), ("right", "\u2003\ta b")])
def test_trim_removes_all_unicode_white_space_and_the_byte_order_mark(side: str, expected: str) -> None:
    trimmed = Call("trim_whitespace", (TEXT, Literal(side, STRING)), STRING)
    assert values(trimmed, ["\u2003\ta b\u00a0\ufeff", None, "\u200b"]) == [expected, None, "\u200b"]


def test_dates_in_iso_or_compact_form_are_read_and_nothing_else() -> None:
    read = Call("read_date_text", (TEXT,), TIMESTAMP)
    texts = [
        "2024-02-29",
        "20240229",
        "2024-02-29T10:00:00",
        "20240230",
        "2024229",
        "202402290",
        "29.02.2024",
        "",
        None,
    ]
    day = dt.datetime(2024, 2, 29)
    assert values(read, texts) == [day, day, day.replace(hour=10), None, None, None, None, None, None]
