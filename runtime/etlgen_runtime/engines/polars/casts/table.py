"""The cast table as Polars expressions (semantics, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache, partial

import polars as pl

from etlgen_runtime.casts import Unfit, always_fits, cast_value, is_castable
from etlgen_runtime.engines.polars.casts import moments, numbers, scalars
from etlgen_runtime.engines.polars.casts.calendar import in_years
from etlgen_runtime.engines.polars.casts.physical import physical_type
from etlgen_runtime.engines.polars.casts.repeated import RepeatedTexts
from etlgen_runtime.engines.polars.casts.settling import in_zone, midnights
from etlgen_runtime.engines.polars.casts.spelling import text_expr, text_series
from etlgen_runtime.engines.polars.casts.tiers import FEW, Reading, ReadOne, read_in_tiers, unread
from etlgen_runtime.text import BLANKS, is_blank
from etlgen_runtime.types import Kind, LogicalType


def cast_expr(source: pl.Expr, before: LogicalType, target: LogicalType, date_formats: tuple[str, ...] = ()) -> pl.Expr:
    """The values of ``source`` as ``target``: exact, NULL where the value is NULL, blank or does not fit.

    Args:
        source: A column of ``before``.
        before: Its type; text types (string, uuid, json) are read as text.
        target: The type wanted; the result has its ``physical_type``.
        date_formats: strptime-style formats of the contract, for dates, timestamps and times.
    """
    if target.kind is Kind.STRING:
        return text_expr(source, before)
    physical = physical_type(target)
    if before.kind is Kind.NULL or (always_fits(before, target) and not before.is_text):
        return source.cast(physical)
    if before == target and before.is_text:
        return source
    cast = partial(cast_series, before=before, target=target, date_formats=date_formats)
    return source.map_batches(cast, return_dtype=physical, is_elementwise=True)


def unfit_expr(source: pl.Expr, value: pl.Expr, before: LogicalType, target: LogicalType) -> pl.Expr:
    """Text of each value that did not fit, NULL for every other row.

    Args:
        source: The column before the cast.
        value: Its cast, as ``cast_expr`` made it (best a column already computed).
        before: Type of ``source``.
        target: Type of ``value``.
    """

    def find(batch: Sequence[pl.Series]) -> pl.Series:
        return unfit_series(batch[0], batch[1], before, target)

    return pl.map_batches([source, value], find, return_dtype=pl.String(), is_elementwise=True)


def cast_series(
    values: pl.Series, before: LogicalType, target: LogicalType, date_formats: tuple[str, ...] = ()
) -> pl.Series:
    """:func:`cast_expr` of one batch."""
    if before.kind is Kind.NULL:
        return nulls(len(values), physical_type(target))
    if target.kind is Kind.STRING:
        return text_series(values, before)
    if not is_castable(before, target):
        return nulls(len(values), physical_type(target))
    if before.is_text:
        text = values if values.dtype == pl.String else values.cast(pl.String())
        read_one = reader_of(target, date_formats)
        if not target.is_integer and not target.is_float:
            repeated = RepeatedTexts(read_one, physical_type(target)).read(text)
            if repeated is not None:
                return repeated[0]
        return read_in_tiers(text, readings_of(target, date_formats), read_one)
    if target.kind is Kind.JSON:
        return text_series(values, before)
    if before.is_numeric:
        return _from_numbers(values, before, target)
    return _from_moments(values, target) if before.is_temporal and before.kind is not Kind.TIME else values


def reader_of(target: LogicalType, date_formats: tuple[str, ...]) -> ReadOne:
    """The record path: one text at a time."""
    return partial(_read_one, target, date_formats)


@lru_cache(maxsize=4096)
def _read_one(target: LogicalType, date_formats: tuple[str, ...], text: str) -> object:
    """Texts that occur again and again come back in every batch."""
    try:
        return cast_value(text, target, date_formats)
    except Unfit:
        return None


def nulls(size: int, physical: pl.DataType) -> pl.Series:
    """So many NULLs of a type, without a name."""
    return _null(physical).new_from_index(0, size)


@cache
def _null(physical: pl.DataType) -> pl.Series:
    return pl.Series([None], dtype=physical)


def readings_of(target: LogicalType, date_formats: tuple[str, ...]) -> tuple[Reading, ...]:
    """The vectorized ways to read text as ``target``, the quickest first."""
    if target.is_integer:
        return numbers.integer_readings(target)
    if target.is_float:
        return numbers.float_readings(target)
    if target.is_temporal:
        return moments.temporal_readings(target, date_formats)
    match target.kind:
        case Kind.DECIMAL:
            return numbers.decimal_readings(target)
        case Kind.BOOLEAN:
            return scalars.boolean_readings()
        case Kind.UUID:
            return scalars.uuid_readings()
        case Kind.BINARY:
            return scalars.binary_readings()
        case _:
            return scalars.json_readings()


def _from_numbers(values: pl.Series, before: LogicalType, target: LogicalType) -> pl.Series:
    if target.is_integer:
        return numbers.numbers_to_integers(values, target)
    if target.is_float:
        return numbers.numbers_to_floats(values, target, before)
    if target.kind is Kind.DECIMAL:
        return numbers.numbers_to_decimals(values, target, before)
    return numbers.numbers_to_booleans(values)


def _from_moments(values: pl.Series, target: LogicalType) -> pl.Series:
    """Dates and timestamps of any unit and zone; a finer fraction is cut to microseconds."""
    values = in_years(values)  # before any unit overflows
    dtype = values.dtype
    if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None:
        instants = values.cast(pl.Datetime("us", dtype.time_zone)).dt.convert_time_zone("UTC")
        if target.kind is Kind.TIMESTAMP_TZ:
            return instants
        moments_ = instants.dt.replace_time_zone(None)
    else:
        moments_ = values.cast(pl.Datetime("us"))
    if target.kind is Kind.TIMESTAMP_TZ:
        return in_zone(moments_, target.assumed_zone)
    return midnights(moments_) if target.kind is Kind.DATE else moments_


def unfit_series(source: pl.Series, value: pl.Series, before: LogicalType, target: LogicalType) -> pl.Series:
    """:func:`unfit_expr` of one batch."""
    if value.null_count() == source.null_count() or always_fits(before, target):
        return nulls(len(source), pl.String())
    unfit = unread(source, value)
    found = text_series(source.gather(unfit), before)
    if before.is_text and len(found) <= FEW:
        texts = [None if text is None or is_blank(text) else text for text in found]
        return nulls(len(source), pl.String()).scatter(unfit, pl.Series(texts, dtype=pl.String()))
    if before.is_text:
        spoken = found.str.strip_chars(BLANKS) != ""
        unfit, found = unfit.filter(spoken), found.filter(spoken)
    return nulls(len(source), pl.String()).scatter(unfit, found) if len(unfit) else nulls(len(source), pl.String())
