"""Reading text in tiers: the quick reading first, slower and more patient ones only for what is left."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from etlgen_runtime.text import BLANKS

Reading = Callable[[pl.Series], pl.Series]
"""From text to values of one type, as many; NULL where the text is not one of them."""


ReadOne = Callable[[str], object]
"""From one text to its value, ``None`` where it does not fit."""

FEW = 200
"""Up to this many left-over texts of a batch are read one by one: vectorized tiers cost some hundred calls a batch."""


def read_in_tiers(text: pl.Series, readings: Sequence[Reading], read_one: ReadOne | None = None) -> pl.Series:
    """The values by the first reading that has one for the text, NULL where none has.

    The first reading sees all rows as they are. The others see only rows that are still NULL though the text is not, and
    see them without the blanks around them; text of blanks alone stays NULL. A few left-over
    texts go through ``read_one``, the record path, which means the same as all readings.
    """
    values = readings[0](text)
    if values.null_count() == text.null_count():
        return values
    left = unread(text, values)
    if read_one is not None and len(left) <= FEW:
        return values.scatter(left, pl.Series([read_one(each) for each in text.gather(left)], dtype=values.dtype))
    rest = text.gather(left).str.strip_chars(BLANKS)
    blank = rest == ""
    if blank.any():
        left, rest = left.filter(~blank), rest.filter(~blank)
    for reading in readings if len(rest) else ():
        found = reading(rest)
        fits = found.is_not_null()
        if fits.any():
            values = values.scatter(left.filter(fits), found.filter(fits))
            left, rest = left.filter(~fits), rest.filter(~fits)
            if not len(rest):
                break
    return values


def unread(source: pl.Series, values: pl.Series) -> pl.Series:
    """Where there is a source but no value. One call, because each method of a series is a query of its own to Polars."""
    return _pairs(source, values).select(pl.arg_where(_IS_UNREAD).alias("row")).get_column("row")


def text_without(source: pl.Series, values: pl.Series) -> pl.Series:
    """The text of each row without a value, NULL elsewhere."""
    return _pairs(source, values).select(pl.when(_IS_UNREAD).then(pl.col("source"))).get_column("source")


_IS_UNREAD = pl.col("source").is_not_null() & pl.col("value").is_null()


def _pairs(source: pl.Series, values: pl.Series) -> pl.DataFrame:
    return pl.DataFrame([source.alias("source"), values.alias("value")])


def null_where_not(values: pl.Series, keep: pl.Series) -> pl.Series:
    """``values`` where ``keep`` is TRUE, else NULL; the very same series when nothing has to go.

    ``keep`` is computed from ``values``: NULL wherever those are, and elsewhere where its own computation found no value.
    """
    if keep.null_count() <= values.null_count() and keep.all(ignore_nulls=True):
        return values
    return values.zip_with(keep.fill_null(False), pl.Series([None], dtype=values.dtype))
