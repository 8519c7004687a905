"""The types of JSON columns: a column has the kind of its values in the whole file (materialization, Sources).

A file is read once, so the kind of a column may change after some of its values are kept. Until the end a column is kept in a
type from which every later one can be made without loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Flag, auto
from types import NoneType
from typing import TypeVar, cast

import polars as pl

from etlgen_runtime.casts import to_text
from etlgen_runtime.engines.polars.casts import logical_type, text_expr
from etlgen_runtime.engines.polars.functions.columns import column, columns
from etlgen_runtime.types import STRING

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

_EXACT_IN_DOUBLE = 2**53


class Kinds(Flag):
    """What is known of the values of a column: more with every batch, never less."""

    BOOLEAN = auto()
    INTEGER = auto()
    DECIMAL = auto()
    OTHER = auto()
    """Text, arrays, objects."""
    BEYOND_64 = auto()
    BEYOND_128 = auto()
    INEXACT = auto()
    """A number that is not the shortest spelling of a double."""

    @staticmethod
    def of(values: Sequence[object]) -> Kinds:
        """Kinds of the values that are not NULL."""
        found = Kinds(0)
        for type_ in set(map(type, values)):
            found |= _KIND.get(type_, Kinds.OTHER)
        if Kinds.INTEGER in found:
            found |= _integer_bounds([value for value in values if type(value) is int])
        if Kinds.DECIMAL in found and not found & ~_NUMBER:
            exact = all(_is_exact_double(value) for value in values if isinstance(value, Decimal))
            found |= Kinds(0) if exact else Kinds.INEXACT
        return found

    @property
    def type(self) -> pl.DataType:
        """The type of the column if nothing more comes."""
        if self in _NUMBER and Kinds.DECIMAL in self:
            return pl.Float64()
        return pl.String() if not self else self.kept_type

    @property
    def kept_type(self) -> pl.DataType:
        """The type in which values are kept until the file is read: decimals as text, since a later value may want their digits."""
        if not self:
            return pl.Null()
        if self == Kinds.BOOLEAN:
            return pl.Boolean()
        if Kinds.INTEGER in self and self in _WIDE_INTEGER:
            return pl.Int128() if Kinds.BEYOND_64 in self else pl.Int64()
        return pl.String()


_NUMBER = Kinds.INTEGER | Kinds.DECIMAL
_WIDE_INTEGER = Kinds.INTEGER | Kinds.BEYOND_64 | Kinds.INEXACT
_KIND = {NoneType: Kinds(0), bool: Kinds.BOOLEAN, int: Kinds.INTEGER, Decimal: Kinds.DECIMAL}


def _integer_bounds(values: Sequence[int]) -> Kinds:
    least, greatest = min(values), max(values)
    found = Kinds(0)
    if least < -_EXACT_IN_DOUBLE or greatest > _EXACT_IN_DOUBLE:
        found |= Kinds.INEXACT
    if least < -(2**63) or greatest >= 2**63:
        found |= Kinds.BEYOND_64
    if least < -(2**127) or greatest >= 2**127:
        found |= Kinds.BEYOND_128
    return found


def _is_exact_double(value: Decimal) -> bool:
    """The nearest double has the number's own digits as its shortest text, so nothing is lost in it."""
    spelling = repr(float(value))
    return spelling == str(value) or Decimal(spelling) == value


def kept_column(name: str, values: Sequence[object], kinds: Kinds) -> pl.Series:
    """Values in the type in which the column is kept.

    Raises:
        RecursionError: A value is nested too deeply to be written as text.
    """
    dtype = kinds.kept_type
    if isinstance(dtype, pl.String):
        values = [value if value is None or type(value) is str else _text(value) for value in values]
    return pl.Series(name, values, dtype=dtype)


def _text(value: object) -> str | None:
    return str(value).lower() if isinstance(value, Decimal) else to_text(_plain(value), STRING)


def _plain(value: object) -> object:
    """Nested values with numbers that canonical JSON can write."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[object]", value)]
    return float(value) if isinstance(value, Decimal) else value


def as_types(frame: Frame, found: Mapping[str, pl.DataType], wanted: Mapping[str, pl.DataType]) -> Frame:
    """The wanted columns in their order, from the kept ones without loss; one that the frame lacks is NULL."""
    if found == wanted:
        return frame
    made = [_as_type(name, found.get(name), dtype) for name, dtype in wanted.items() if found.get(name) != dtype]
    return frame.with_columns(made).select(columns(wanted))


def _as_type(name: str, found: pl.DataType | None, wanted: pl.DataType) -> pl.Expr:
    if found is None:
        return pl.lit(None, dtype=wanted).alias(name)
    if isinstance(wanted, pl.String) and not isinstance(found, pl.Null):
        return text_expr(column(name), logical_type(found)).alias(name)
    return column(name).cast(wanted)
