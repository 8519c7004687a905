"""Columns by their exact name, also where Polars would read a pattern: ``*`` and ``^...$``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl
import polars.selectors as cs


def column(name: str) -> pl.Expr:
    """The column called exactly ``name``."""
    return cs.by_name(name).as_expr() if _is_pattern(name) else pl.col(name)


def columns(names: Iterable[str]) -> list[pl.Expr]:
    """The columns called exactly so, in this order."""
    return [column(name) for name in names]


def member(struct: str, name: str, dtype: pl.DataType) -> pl.Expr:
    """The member called exactly ``name`` of a column of structs."""
    if not _is_pattern(name):
        return pl.col(struct).struct.field(name)

    def take(rows: pl.Series) -> pl.Series:
        return rows.struct.unnest().get_column(name)

    return pl.col(struct).map_batches(take, return_dtype=dtype, is_elementwise=True)


def spread(batch: Sequence[pl.Series]) -> list[pl.Series]:
    """A batch whose constants come as one value, with a value for each row of them; the batch may be empty."""
    size = max({len(series) for series in batch} - {1}, default=1)
    return [series if len(series) == size else series.new_from_index(0, size) for series in batch]


def rows(batch: Sequence[pl.Series]) -> Iterator[tuple[Any, ...]]:  # the values of a series have any type
    """The values of a batch row by row, constants repeated."""
    return zip(*(series.to_list() for series in spread(batch)), strict=True)


def _is_pattern(name: str) -> bool:
    return name == "*" or (name.startswith("^") and name.endswith("$"))
