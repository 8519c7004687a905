"""The cast of one column, batch by batch: its values, and the originals of those that do not fit (semantics, section 4)."""

from __future__ import annotations

import polars as pl

from etlgen_runtime.engines.polars.casts.physical import physical_type
from etlgen_runtime.engines.polars.casts.repeated import RepeatedTexts
from etlgen_runtime.engines.polars.casts.table import cast_series, nulls, reader_of, readings_of, unfit_series
from etlgen_runtime.engines.polars.casts.tiers import FEW, text_without
from etlgen_runtime.text import is_blank
from etlgen_runtime.types import Kind, LogicalType


class ColumnCast:
    """Means the same as ``cast_series`` and ``unfit_series``, which look at a batch by itself, in fewer passes.

    Args:
        before: The column's type; text types are read as text.
        target: The type wanted; values have its ``physical_type``.
        date_formats: strptime-style formats of the contract, for dates, timestamps and times.
    """

    def __init__(self, before: LogicalType, target: LogicalType, date_formats: tuple[str, ...] = ()) -> None:
        self.before = before
        self.target = target
        self._formats = date_formats
        self._reads_text = before.is_text and target.kind is not Kind.STRING
        if self._reads_text:
            self._read_one = reader_of(target, date_formats)
            self._first = readings_of(target, date_formats)[0]
            repeats = not target.is_integer and not target.is_float
            self._repeated = RepeatedTexts(self._read_one, physical_type(target)) if repeats else None

    def __call__(self, source: pl.Series) -> tuple[pl.Series, pl.Series]:
        """The values of a batch, and the text of each that does not fit, NULL for every other row."""
        if self._reads_text:
            found = self._read(source if source.dtype == pl.String else source.cast(pl.String()))
            if found is not None:
                return found
        values = cast_series(source, self.before, self.target, self._formats)
        return values, unfit_series(source, values, self.before, self.target)

    def _read(self, text: pl.Series) -> tuple[pl.Series, pl.Series] | None:
        """The quick ways; ``None`` where much is left over by the first reading."""
        if self._repeated is not None:
            if len(text) <= FEW:
                return self._one_by_one(text)
            found = self._repeated.read(text)
            if found is not None:
                values, unfit = found
                return values, nulls(len(text), pl.String()) if unfit is None else unfit
        values = self._first(text)
        if values.null_count() == text.null_count():
            return values, nulls(len(text), pl.String())
        if len(text) <= FEW:
            return self._one_by_one(text)
        if values.null_count() - text.null_count() > FEW:
            return None
        unread = text_without(text, values)
        late, unfit = self._one_by_one(unread.drop_nulls())
        if not unfit.null_count():
            return values, unread
        places = unread.is_not_null().arg_true()
        return values.scatter(places, late), nulls(len(text), pl.String()).scatter(places, unfit)

    def _one_by_one(self, text: pl.Series) -> tuple[pl.Series, pl.Series]:
        """By the record path, which costs less than a few queries to Polars."""
        texts = text.to_list()
        values = [None if each is None else self._read_one(each) for each in texts]
        unfit = [
            None if each is None or value is not None or is_blank(each) else each
            for each, value in zip(texts, values, strict=True)
        ]
        return pl.Series(values, dtype=physical_type(self.target)), pl.Series(unfit, dtype=pl.String())
