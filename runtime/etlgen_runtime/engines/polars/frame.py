"""Names that frames carry beside the data, and the typed way into a dataset's frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import polars as pl
import polars.selectors as cs

from etlgen_runtime.datasets import Accepted, Dataset

M = TypeVar("M")

PREFIX = "__etlgen_"
RAW = "__etlgen_raw"
FOUND = "__etlgen_found"
SOURCE = "__etlgen_source"
SPELLING = "__etlgen_spelling"
"""Columns as they are spelled in the source, where ``RAW`` does not hold them."""
BEFORE = "__etlgen_before"
"""Values of spelled columns before the operations of step 2."""
BAD_IN_PRE = "__etlgen_bad_pre"
BAD_IN_POST = "__etlgen_bad_post"
UNFIT = "__etlgen_unfit_"

BOOKKEEPING = cs.starts_with(PREFIX)
"""Selects what travels with the rows: raw row, values as found, casts that did not fit."""


def frame_of(rows: Dataset[M] | Accepted[M]) -> pl.LazyFrame:
    """The lazy frame of a dataset: one row per record, columns named as the model's aliases.

    Raises:
        TypeError: The dataset belongs to another engine.
    """
    native = rows.native
    if isinstance(native, pl.LazyFrame):
        return native
    if isinstance(native, pl.DataFrame):
        return native.lazy()
    raise TypeError(f"{rows!r} holds a {type(native).__name__}, not a Polars frame")


def dataset(frame: pl.LazyFrame | pl.DataFrame, model: type[M]) -> Dataset[M]:
    """Hand a frame to ``run()``; its structure is checked there."""
    return Dataset(model, frame.lazy())


def preview(rows: Dataset[M] | Accepted[M], n: int = 10) -> pl.DataFrame:
    """The first ``n`` rows of a dataset, for debuggers and notebooks: executes the steps up to there, changes no account."""
    return frame_of(rows).drop(BOOKKEEPING).head(n).collect()


def as_lazy(native: object) -> pl.LazyFrame:
    """The lazy frame behind an opaque value of the core."""
    if isinstance(native, (pl.LazyFrame, pl.DataFrame)):
        return native.lazy()
    raise TypeError(f"not a Polars frame: {type(native).__name__}")


def data_columns(frame: pl.LazyFrame) -> list[str]:
    """Names of the data columns, in order."""
    return [name for name in frame.collect_schema().names() if not name.startswith(PREFIX)]


def holds_unfit(frame: pl.LazyFrame, names: Iterable[str]) -> pl.Expr | None:
    """TRUE for rows in which one of these columns holds a value that did not fit, else FALSE; ``None``: none can."""
    markers = unfit_columns(frame)
    found = [pl.col(markers[name]).is_not_null() for name in names if name in markers]
    return pl.any_horizontal(found) if found else None


def replaced(
    frame: pl.LazyFrame, made: Callable[[pl.DataFrame], Iterable[pl.Series]], types: Mapping[str, pl.DataType]
) -> pl.LazyFrame:
    """The frame with the columns that ``made`` makes of each batch, new or in place of others, of these types."""

    def convert(batch: pl.DataFrame) -> pl.DataFrame:
        columns = {series.name: series for series in batch.iter_columns()}
        return pl.DataFrame(
            columns | {series.name: series for series in made(batch)}
        )  # a list would rename a column ``""``

    return frame.map_batches(
        convert,
        schema=pl.Schema({**frame.collect_schema(), **types}),
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
        streamable=True,
    )


def copied(text: pl.Expr) -> pl.Expr:
    """Text of its own: few rows out of a large batch keep the text of all its rows in memory until they are written."""
    return text + ""


def unfit_columns(frame: pl.LazyFrame) -> dict[str, str]:
    """Data column -> bookkeeping column that holds originals of casts that did not fit."""
    names = frame.collect_schema().names()
    return {name.removeprefix(UNFIT): name for name in names if name.startswith(UNFIT)}
