"""The ``deduplicate`` operation: one row per key, by order and ties (semantics, section 7).

Sorting all rows is slow and holds them in memory. So candidates are narrowed first: a row stays whose value of the first order
column is the best of its key, then of the second, and so on. These are window aggregates, which Polars' streaming engine computes in
partitions by the hash of the key and spills to disk by itself (:mod:`etlgen_runtime.engines.polars.memory`). Nearly always one row
per key is left; only rows that tie are sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from etlgen_runtime.engines.polars.casts import logical_type, text_expr
from etlgen_runtime.engines.polars.flat_structs import with_flat_structs
from etlgen_runtime.engines.polars.frame import PREFIX, data_columns, holds_unfit
from etlgen_runtime.engines.polars.functions.columns import column, columns
from etlgen_runtime.engines.polars.ledger import SectionLedger

_APART = f"{PREFIX}apart"
_RIVALS = f"{PREFIX}rivals"
_TIED = f"{PREFIX}tied"


def deduplicate(
    frame: pl.LazyFrame,
    rows: SectionLedger,
    operation: str,
    *,
    keys: Sequence[str],
    order: Sequence[tuple[str, bool]],
    ties: Sequence[str],
    unfit: Sequence[str] = (),
) -> pl.LazyFrame:
    """Keep one row per key.

    Args:
        keys: A row with NULL in any of them is kept and never grouped.
        order: (column, descending): the first row by these wins; NULL never wins.
        ties: Then these ascending, NULLs last, NaN after numbers; then undeclared columns by name.
        unfit: Columns that ``keys`` and ``order`` depend on and that may hold a value that did not fit. A row with one takes no
            part and is kept: nobody knows its place, and it is known to be bad.

    Source: semantics, section 7.
    """
    schema = frame.collect_schema()
    rest = sorted(set(data_columns(frame)) - set(ties))
    places = tuple(_Place(name, schema[name], down) for name, down in order)
    later = tuple(_Place(name, schema[name], False) for name in (*ties, *rest))
    known = holds_unfit(frame, unfit)
    contest = _Contest(tuple(keys), places, later, known)
    return rows.balance(frame, operation, lambda before: with_flat_structs(before, contest.winners))


@dataclass(frozen=True, slots=True)
class _Place:
    """One column that decides, and in which direction."""

    name: str
    dtype: pl.DataType
    descending: bool

    @property
    def has_best(self) -> bool:
        """``max`` and ``min`` find the value that a sort would put first: NULLs last, NaN after all numbers."""
        dtype = self.dtype
        return dtype.is_numeric() or dtype.is_temporal() or isinstance(dtype, (pl.String, pl.Boolean))

    def best(self, among: pl.Expr | None) -> pl.Expr:
        """The value that wins; ``among``: of the rows where it is TRUE."""
        value = column(self.name) if among is None else pl.when(among).then(column(self.name))
        return value.max() if self.descending else value.min()

    def sort_keys(self) -> Iterator[tuple[pl.Expr, bool]]:
        """What to sort by, and whether descending; before a float whether it is NaN, which comes last in both directions."""
        value = column(self.name)
        if self.dtype.is_float():
            yield value.is_nan(), False
        yield text_expr(value, logical_type(self.dtype)) if self.dtype.is_nested() else value, self.descending


@dataclass(frozen=True, slots=True)
class _Contest:
    """Which row of each key is kept.

    Args:
        order: What decides first.
        ties: What decides among rows that are equal in ``order``: all data columns.
        unfit: TRUE for rows that take no part although they have a key; ``None``: there are none.
    """

    keys: tuple[str, ...]
    order: tuple[_Place, ...]
    ties: tuple[_Place, ...]
    unfit: pl.Expr | None

    def winners(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """One row per key, and all rows that take no part."""
        without_key = pl.any_horizontal(column(key).is_null() for key in self.keys)
        apart = without_key if self.unfit is None else without_key | self.unfit
        among = None if self.unfit is None else ~pl.col(_APART)
        rows = frame.with_columns(apart.alias(_APART))
        for place in self._narrowing():
            rows = rows.filter(pl.col(_APART) | column(place.name).eq_missing(self._of_key(place.best(among))))
        rivals = pl.len() if among is None else among.sum()
        rows = rows.with_columns(self._of_key(rivals).alias(_RIVALS))
        rows = rows.select(pl.exclude(_APART, _RIVALS), (~pl.col(_APART) & (pl.col(_RIVALS) > 1)).alias(_TIED)).cache()
        return pl.union([rows.filter(~pl.col(_TIED)), self._first(rows.filter(_TIED))]).drop(_TIED)

    def _narrowing(self) -> Iterator[_Place]:
        """The first columns of the order for which a best value can be told."""
        for place in self.order:
            if not place.has_best:
                return
            yield place

    def _of_key(self, aggregate: pl.Expr) -> pl.Expr:
        return aggregate.over(columns(self.keys))

    def _first(self, tied: pl.LazyFrame) -> pl.LazyFrame:
        """The first row of each key by everything that decides."""
        by = [pair for place in (*self.order, *self.ties) for pair in place.sort_keys()]
        return tied.sort([key for key, _ in by], descending=[down for _, down in by], nulls_last=True).unique(
            subset=columns(self.keys), keep="first", maintain_order=True
        )
