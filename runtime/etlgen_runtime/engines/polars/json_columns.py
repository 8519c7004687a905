"""The types of undeclared JSON columns: a column has the kind of its values in the whole file (materialization, Sources).

A file is read once, so the kind of a column may change after some of its values are kept. Until the end a column is kept in a
type from which every later one can be made without loss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from enum import Flag, auto
from types import NoneType
from typing import TypeVar

import polars as pl

from etlgen_runtime.casts.numbers import LARGEST_EXACT
from etlgen_runtime.engines.polars.casts import logical_type, text_expr
from etlgen_runtime.engines.polars.functions.columns import column, columns
from etlgen_runtime.engines.polars.json_values import spelling
from etlgen_runtime.types import Kind

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)

_LONGEST_128 = 40
"""Characters of the longest integer of 128 bits."""
_POINT = re.compile(rb"[.eE]")


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
        for type_ in set(map(type, values)) - {bytes}:
            found |= _KIND.get(type_, Kinds.OTHER)
        numbers = [value for value in values if type(value) is bytes]
        if not numbers:
            return found
        decimals = [number for number in numbers if _POINT.search(number)] if _POINT.search(b" ".join(numbers)) else []
        if len(decimals) < len(numbers):
            whole = [number for number in numbers if not _POINT.search(number)] if decimals else numbers
            found |= Kinds.INTEGER | _integer_bounds(whole)
        if decimals:
            found |= Kinds.DECIMAL
            if not found & ~_NUMBER and not all(map(_is_exact_double, decimals)):
                found |= Kinds.INEXACT
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
_KIND = {NoneType: Kinds(0), bool: Kinds.BOOLEAN}


def _integer_bounds(spelled: Sequence[bytes]) -> Kinds:
    if max(map(len, spelled)) > _LONGEST_128:
        return Kinds.INEXACT | Kinds.BEYOND_64 | Kinds.BEYOND_128
    values = list(map(int, spelled))
    least, greatest = min(values), max(values)
    exact = LARGEST_EXACT[Kind.FLOAT64]
    found = Kinds(0)
    if least < -exact or greatest > exact:
        found |= Kinds.INEXACT
    if least < -(2**63) or greatest >= 2**63:
        found |= Kinds.BEYOND_64
    if least < -(2**127) or greatest >= 2**127:
        found |= Kinds.BEYOND_128
    return found


def _is_exact_double(spelled: bytes) -> bool:
    """The nearest double has the number's own digits as its shortest text, so nothing is lost in it."""
    text = spelled.decode("ascii")
    shortest = repr(float(text))
    try:
        return shortest == text or Decimal(shortest) == Decimal(text)
    except InvalidOperation:  # an exponent of more digits than Decimal takes
        return False


def kept_column(name: str, values: Sequence[object], kinds: Kinds) -> pl.Series:
    """Values in the type in which the column is kept.

    Raises:
        RecursionError: A value is nested too deeply to be written as text.
    """
    dtype = kinds.kept_type
    if dtype.is_integer():
        return pl.Series(name, values, dtype=pl.Binary()).cast(pl.String()).cast(dtype)
    if isinstance(dtype, pl.String):
        values = [spelling(value) for value in values]
    return pl.Series(name, values, dtype=dtype)


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
