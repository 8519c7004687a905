"""Bookkeeping structs taken apart while rows are picked: filters, windows and joins of Polars take a multiple of the time with them."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from etlgen_runtime.engines.polars.frame import BEFORE, FOUND, RAW, SPELLING
from etlgen_runtime.engines.polars.functions.columns import member

_STRUCTS = (RAW, FOUND, SPELLING, BEFORE)


def with_flat_structs(
    frame: pl.LazyFrame, pick: Callable[[pl.LazyFrame], pl.LazyFrame], *, all_are_rows: bool = False
) -> pl.LazyFrame:
    """``pick(frame)``, of rows whose bookkeeping structs stand as columns of their own meanwhile.

    Args:
        pick: Chooses, multiplies or adds rows and may add columns; it keeps the bookkeeping columns that it finds.
        all_are_rows: No struct is NULL: each row is one of the source, and ``pick`` adds none.
    """
    schema = frame.collect_schema()
    found = {name: dtype for name in _STRUCTS if isinstance(dtype := schema.get(name), pl.Struct)}
    structs = {name: list(pl.Schema(dtype.to_schema()).items()) for name, dtype in found.items()}
    if not structs:
        return pick(frame)
    apart = [
        member(name, one, dtype).alias(_flat(name, number))
        for name, members in structs.items()
        for number, (one, dtype) in enumerate(members)
    ]
    marks = [] if all_are_rows else [pl.col(name).is_not_null().alias(_is_row(name)) for name in structs]
    together = {
        name: pl.struct(pl.col(_flat(name, number)).alias(one) for number, (one, _) in enumerate(members))
        for name, members in structs.items()
    }
    if not all_are_rows:
        together = {name: pl.when(_is_row(name)).then(struct) for name, struct in together.items()}
    flat = [_flat(name, number) for name, members in structs.items() for number in range(len(members))]
    picked = pick(frame.with_columns(*apart, *marks).drop(structs))
    return picked.with_columns(**together).drop(*flat, *(() if all_are_rows else map(_is_row, structs)))


def _flat(struct: str, number: int) -> str:
    return f"{struct}:{number}"


def _is_row(struct: str) -> str:
    return f"{struct}:row"
