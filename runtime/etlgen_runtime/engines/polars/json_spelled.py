"""Declared JSON columns as they stand in the file: each value's spelling beside its kind.

What a value is in its declared type depends on nothing but itself, so it is read from here, row by row of a batch at once
(materialization, Sources). Quarantine and raw rows show the spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from types import NoneType

import polars as pl

from etlgen_runtime.engines.polars.json_values import spelling

TEXT = "__etlgen_text"
KIND = "__etlgen_kind"


class JsonKind(IntEnum):
    """What JSON tells apart."""

    TEXT = 0
    NUMBER = 1
    BOOLEAN = 2
    NESTED = 3


SPELLED = pl.Struct({TEXT: pl.String(), KIND: pl.UInt8()})
"""A value of JSON: its text without quotes, and its kind. NULL is a NULL text of any kind."""

_KINDS: dict[type[object], JsonKind] = {
    str: JsonKind.TEXT,
    bytes: JsonKind.NUMBER,
    bool: JsonKind.BOOLEAN,
    dict: JsonKind.NESTED,
    list: JsonKind.NESTED,
}


def spelled_column(name: str, values: Sequence[object]) -> pl.Series:
    """Decoded values as a column of :data:`SPELLED`.

    Raises:
        RecursionError: A value is nested too deeply to be written as text.
    """
    types = set(map(type, values)) - {NoneType}
    if types == {bytes}:
        texts = pl.Series(TEXT, values, dtype=pl.Binary()).cast(pl.String())
    elif types <= {str}:
        texts = pl.Series(TEXT, values, dtype=pl.String())
    else:
        texts = pl.Series(TEXT, [spelling(value) for value in values], dtype=pl.String())
    return pl.DataFrame([texts, _kinds(values, types)]).to_struct(name)


def _kinds(values: Sequence[object], types: set[type[object]]) -> pl.Series:
    if len(types) > 1:
        return pl.Series(KIND, [_KINDS.get(type(value)) for value in values], dtype=pl.UInt8())
    kind = next((_KINDS[one] for one in types), None)
    return pl.Series(KIND, [kind], dtype=pl.UInt8()).new_from_index(0, len(values))
