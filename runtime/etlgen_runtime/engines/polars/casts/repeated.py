"""Text of which few values occur again and again, such as days and statuses: each is read once for all batches of a column."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from etlgen_runtime.engines.polars.casts.tiers import FEW, ReadOne
from etlgen_runtime.text import is_blank

_WORTH_A_LOOK = 20 * FEW
"""Rows of a batch from which on looking for repeated values pays."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What has been read: the texts as a type of their own, and by its codes their values and the originals of what does not fit."""

    texts: pl.Enum
    values: pl.Series
    unfit: pl.Series


class RepeatedTexts:
    """Reads batches of one column; called from the engine's threads, so what is known is replaced, never changed.

    Args:
        read_one: The record path, which means the same as all readings; ``None`` where a text does not fit.
        dtype: Type of the values.
    """

    def __init__(self, read_one: ReadOne, dtype: pl.DataType) -> None:
        self._read_one = read_one
        self._dtype = dtype
        self._known = self._learned([])

    def read(self, text: pl.Series) -> tuple[pl.Series, pl.Series | None] | None:
        """The values, and the text of each that does not fit (``None``: all fit); ``None`` where texts do not repeat enough to pay."""
        if len(text) < _WORTH_A_LOOK or text.head(FEW).n_unique() > FEW // 4:
            return None
        known = self._known
        coded = text.cast(known.texts, strict=False)
        if coded.null_count() != text.null_count():
            distinct = {*known.texts.categories, *text.unique().drop_nulls()}
            if len(distinct) > FEW:
                return None
            known = self._known = self._learned(sorted(distinct))
            coded = text.cast(known.texts)
        codes = coded.to_physical()
        all_fit = known.unfit.null_count() == len(known.unfit)
        return known.values.gather(codes), None if all_fit else known.unfit.gather(codes)

    def _learned(self, texts: list[str]) -> _Known:
        values = [self._read_one(text) for text in texts]
        unfit = [
            None if value is not None or is_blank(text) else text for text, value in zip(texts, values, strict=True)
        ]
        return _Known(pl.Enum(texts), pl.Series(values, dtype=self._dtype), pl.Series(unfit, dtype=pl.String()))
