"""JSON values as their declared types, by the cast table: vectorised, and the same as for single values (semantics, section 4)."""

from __future__ import annotations

from decimal import Decimal

import polars as pl

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.casts.numbers import LARGEST_EXACT
from etlgen_runtime.engines.polars.casts import cast_series, nulls, physical_type
from etlgen_runtime.engines.polars.json_spelled import JsonKind
from etlgen_runtime.types import STRING, Kind, LogicalType

_POINT = "[.eE]"
_EXPONENT_DIGITS = 17
"""Fewer than ``Decimal`` takes; the exponent 10^17 stands for all larger ones, for no text has so many digits."""


def cast_spelled(
    texts: pl.Series, kinds: pl.Series, target: LogicalType, date_formats: tuple[str, ...] = ()
) -> pl.Series:
    """Values in the physical type of ``target``; NULL where one is NULL, blank text, or does not fit.

    Args:
        texts: The spelling of each value.
        kinds: Its :class:`JsonKind`; of NULL any or none.
    """
    if target.kind is Kind.STRING:
        return texts
    present = kinds.drop_nulls().unique().to_list()
    if len(present) <= 1:
        return _read(texts, JsonKind(present[0]) if present else None, target, date_formats)
    found = nulls(len(texts), physical_type(target))
    nothing = nulls(len(texts), pl.String())
    for kind in map(JsonKind, present):
        of_kind = (kinds == kind).fill_null(False)
        values = _read(texts.zip_with(of_kind, nothing), kind, target, date_formats)
        found = values.zip_with(of_kind, found)
    return found


def _read(texts: pl.Series, kind: JsonKind | None, target: LogicalType, date_formats: tuple[str, ...]) -> pl.Series:
    """Values that are all of one kind."""
    match kind:
        case JsonKind.TEXT:
            return cast_series(texts, STRING, target, date_formats)
        case JsonKind.NUMBER:
            return _numbers(texts, target)
        case JsonKind.BOOLEAN if target.kind is Kind.BOOLEAN:
            return texts == "true"
        case JsonKind.NESTED if target.kind is Kind.JSON:
            return texts
        case _:
            return nulls(len(texts), physical_type(target))


def _numbers(texts: pl.Series, target: LogicalType) -> pl.Series:
    """Numbers are read from their digits: whole ones as integers, those with a point or an exponent as decimals."""
    if target.kind is Kind.DECIMAL:
        return cast_series(texts, STRING, target)
    if target.is_integer:
        return _odd_ones(texts, cast_series(texts, STRING, target), target)
    if target.is_float:
        return _floats(texts, target)
    if target.kind is Kind.BOOLEAN:
        plain = texts.replace_strict(["0", "-0", "1"], [False, False, True], default=None, return_dtype=pl.Boolean())
        return _odd_ones(texts, plain, target)
    return nulls(len(texts), physical_type(target))


def _odd_ones(texts: pl.Series, values: pl.Series, target: LogicalType) -> pl.Series:
    """``values``, and those numbers with a point or an exponent that are still missing: ``1e3``, ``0.0`` for a boolean."""
    if values.null_count() == texts.null_count():
        return values
    odd = (values.is_null() & texts.str.contains(_POINT)).arg_true()
    if not len(odd):
        return values
    found = [_cast_decimal(text, target) for text in texts.gather(odd)]
    return values.scatter(odd, pl.Series(found, dtype=values.dtype))


def _cast_decimal(text: str, target: LogicalType) -> object:
    try:
        return cast_value(_decimal(text), target)
    except Unfit:
        return None


def _decimal(text: str) -> Decimal:
    digits, _, exponent = text.lower().partition("e")
    size = exponent.lstrip("+-0")
    if len(size) > _EXPONENT_DIGITS:
        exponent = ("-" if exponent.startswith("-") else "") + "1" + "0" * _EXPONENT_DIGITS
    return Decimal(f"{digits}e{exponent or 0}")


def _floats(texts: pl.Series, target: LogicalType) -> pl.Series:
    """The nearest floats, but for integers that are not exact."""
    values = cast_series(texts, STRING, target)
    largest = LARGEST_EXACT[target.kind]
    far = values.abs() >= largest
    if not far.any():
        return values
    inexact = far & ~texts.str.contains(_POINT) & ~texts.is_in([str(largest), str(-largest)])
    return values.zip_with(~inexact.fill_null(False), nulls(len(texts), physical_type(target)))
