"""Dates and timestamps of typed sources: those outside the years 0001 to 9999 are unfit before anything computes with them.

Polars stops with a panic in many functions on far dates. So they are told apart as they are read: NULL from there on, remembered
as a cast that did not fit (semantics, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from etlgen_runtime.engines.polars.casts import logical_type, unfit_series
from etlgen_runtime.engines.polars.casts.calendar import bounds, in_years
from etlgen_runtime.engines.polars.checking import unfit_marker
from etlgen_runtime.engines.polars.functions.columns import column


def within_years(frame: pl.LazyFrame, names: Iterable[str]) -> pl.LazyFrame:
    """``frame`` without far dates and timestamps in these columns; their text is remembered beside them."""
    schema = frame.collect_schema()
    judged = [name for name in names if bounds(schema[name]) is not None]
    values = (column(name).map_batches(in_years, return_dtype=schema[name], is_elementwise=True) for name in judged)
    texts = (_far_texts(name) for name in judged)
    return frame.with_columns(*values, *texts) if judged else frame


def _far_texts(name: str) -> pl.Expr:
    texts = column(name).map_batches(_unfit_texts, return_dtype=pl.String(), is_elementwise=True)
    return texts.alias(unfit_marker(name))


def _unfit_texts(values: pl.Series) -> pl.Series:
    of = logical_type(values.dtype)
    return unfit_series(values, in_years(values), of, of)


def far_counts(frame: pl.LazyFrame, names: Iterable[str]) -> dict[str, int]:
    """How many dates and timestamps of each column are outside the years; without the columns that have none."""
    schema = frame.collect_schema()
    limits = {name: found for name in names if (found := bounds(schema[name])) is not None}
    if not limits:
        return {}
    far = (
        (~column(name).to_physical().is_between(*found)).sum().alias(str(number))
        for number, (name, found) in enumerate(limits.items())
    )
    counts = frame.select(far).collect().row(0)
    return {name: int(count) for name, count in zip(limits, counts, strict=True) if count}
