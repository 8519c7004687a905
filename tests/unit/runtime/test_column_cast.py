"""A column's cast, batch by batch, means what the record path means, however the batches are cut."""

from __future__ import annotations

import polars as pl
import pytest

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.engines.polars.casts import ColumnCast, physical_type
from etlgen_runtime.text import is_blank
from etlgen_runtime.types import STRING, LogicalType, type_named

TEXTS: dict[str, list[str | None]] = {
    "int64": ["1", "2.0", " 3 ", "+4", "n/a", "", None, "9223372036854775808", "1e3"],
    "int8": ["127", "128", "-128", " ", "x"],
    "float64": ["1.5", "1e3", "nan", "inf", "1e999", " 2 ", None, "x"],
    "decimal(10,2)": ["1.50", "1.505", "12345678.90", "123456789.0", "1e2", None],
    "boolean": ["true", "F", "yes", "0", "2", "", None],
    "date": ["2024-02-29", "2023-02-29", "2024-02-29T00:00:00", "2024-02-29T01:00:00", " 2024-01-01 ", None],
    "timestamp": ["2026-01-01T10:00:00", "2026-13-01T10:00:00", "2026-01-01", "2026-01-01T10:00:00+02:00", "now", None],
    "time": ["12:30", "24:00", "12:30:01.5", None],
    "uuid": ["6FA459EA-EE8A-3CA4-894E-DB77E160355E", "x", None],
    "json": ['{"a":1}', "{", None],
}


def expected(texts: list[str | None], target: LogicalType) -> tuple[list[object], list[str | None]]:
    """Values and originals by the record path."""
    values: list[object] = []
    unfit: list[str | None] = []
    for text in texts:
        value: object = None
        fits = text is None or is_blank(text)
        if text is not None and not fits:
            try:
                value, fits = cast_value(text, target), True
            except Unfit:
                fits = False
        values.append(value)
        unfit.append(None if fits else text)
    return values, unfit


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [1, 7, 150, 5_000, 12_000], ids=str)
def test_as_the_record_path(name: str, size: int) -> None:
    """Few rows; many rows of few different texts; and after those a batch with texts that were not among them."""
    target = type_named(name)
    good = [text for text in TEXTS[name] if text is not None][:1]
    repeated: list[str | None] = [
        (TEXTS[name] if row % 997 == 0 else good)[row // 997 % len(TEXTS[name]) if row % 997 == 0 else 0]
        for row in range(size)
    ]
    cast = ColumnCast(STRING, target)
    for texts in (
        repeated,
        list(reversed(TEXTS[name])),
        (TEXTS[name] * (size // len(TEXTS[name]) + 1))[:size],
        repeated,
    ):
        values, unfit = cast(pl.Series("x", texts, dtype=pl.String))
        of_values, of_unfit = expected(texts, target)
        assert unfit.to_list() == of_unfit
        assert values.dtype == physical_type(target)
        assert values.to_list() == pl.Series(of_values, dtype=physical_type(target)).to_list()


def test_more_texts_than_are_remembered() -> None:
    """A column that begins with few days and goes on with very many."""
    cast = ColumnCast(STRING, type_named("date"))
    few = pl.Series([f"2024-01-{day:02}" for day in range(1, 29)] * 300)
    many = pl.Series([f"{year}-01-0{day}" for year in range(1000, 2000) for day in range(10)])
    for texts in (few, many, few):
        values, unfit = cast(texts)
        assert (values.to_list(), unfit.to_list()) == expected(texts.to_list(), type_named("date"))
