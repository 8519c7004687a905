"""Typed columns written as text: the string row of the cast table (semantics, section 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl
from polars.datatypes import DataTypeClass

from etlgen_runtime.casts.spelling import plain_text, to_text
from etlgen_runtime.engines.polars.casts.calendar import far_text, in_years
from etlgen_runtime.engines.polars.casts.physical import logical_type
from etlgen_runtime.engines.polars.casts.tiers import unread
from etlgen_runtime.types import Kind, LogicalType

_PLAIN_FROM, _PLAIN_TO = 1e-4, 1e12
"""Magnitudes in which Polars spells floats of either precision as Python does."""


def text_expr(source: pl.Expr, before: LogicalType) -> pl.Expr:
    """The canonical text of each value, as ``etlgen_runtime.casts.to_text`` writes it; NULL stays NULL.

    Args:
        source: A column of ``before``; lists, structs and other columns of unknown type are written as canonical JSON.
        before: Its type.
    """
    if before.is_text:
        return source.cast(pl.String())  # nothing to do, but for categories
    return source.map_batches(partial(text_series, before=before), return_dtype=pl.String(), is_elementwise=True)


def text_series(values: pl.Series, before: LogicalType) -> pl.Series:
    """:func:`text_expr` of one batch."""
    if before.is_float:
        return _float_text(values, before)
    match before.kind:
        case Kind.TIMESTAMP | Kind.TIMESTAMP_TZ:
            return _moment_text(values, _timestamp_text)
        case Kind.TIME:
            return _with_fraction(values.dt.to_string("%H:%M:%S"), values, "%H:%M:%S%.6f")
        case Kind.DATE:
            return _moment_text(values, lambda dates: dates.dt.to_string("%Y-%m-%d"))
        case Kind.INTERVAL:
            return values.dt.to_string("iso")
        case Kind.BINARY:
            return values.bin.encode("base64")
        case Kind.UNKNOWN if values.dtype.is_nested() or values.dtype.is_object():
            texts = [None if value is None else plain_text(value) for value in moments_as_text(values).to_list()]
            return pl.Series(texts, dtype=pl.String())
        case _:
            return values.cast(pl.String())


def _float_text(values: pl.Series, before: LogicalType) -> pl.Series:
    texts = values.cast(pl.String())
    size = values.abs()
    plain = size.is_between(_PLAIN_FROM, _PLAIN_TO, closed="left") | (size == 0.0)
    if plain.all(ignore_nulls=True):
        return texts
    odd = (~plain).arg_true()
    spelled = [to_text(value, before) for value in values.gather(odd).to_list()]
    return texts.scatter(odd, pl.Series(spelled, dtype=pl.String()))


def holds_moments(dtype: pl.DataType) -> bool:
    """Whether values of a type are or contain dates, times or durations: those that Python may not be able to take."""
    if isinstance(dtype, (pl.List, pl.Array)):
        return holds_moments(_instance(dtype.inner))
    if isinstance(dtype, pl.Struct):
        return any(holds_moments(_instance(field.dtype)) for field in dtype.fields)
    return dtype.is_temporal()


def _instance(dtype: pl.DataType | DataTypeClass) -> pl.DataType:
    return dtype if isinstance(dtype, pl.DataType) else dtype()


def moments_as_text(values: pl.Series) -> pl.Series:
    """The values with every date, time and duration in them as its text; nothing else changes."""
    dtype = values.dtype
    if not holds_moments(dtype):
        return values
    if isinstance(dtype, pl.Array):
        values = values.arr.to_list()
    if isinstance(dtype, (pl.List, pl.Array)):
        inner = type_with_moments_as_text(_instance(dtype.inner))
        return values.list.eval(pl.element().map_batches(moments_as_text, return_dtype=inner))
    if isinstance(dtype, pl.Struct):
        members = [moments_as_text(member) for member in values.struct.unnest().get_columns()]
        rows = pl.DataFrame(members).to_struct(values.name)
        return rows.zip_with(values.is_not_null(), pl.Series([None], dtype=rows.dtype))
    return text_series(values, logical_type(dtype)).alias(values.name)


def moments_as_text_expr(source: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    """:func:`moments_as_text` of a column of ``dtype``."""
    return source.map_batches(moments_as_text, return_dtype=type_with_moments_as_text(dtype), is_elementwise=True)


def type_with_moments_as_text(dtype: pl.DataType) -> pl.DataType:
    """The type of :func:`moments_as_text`."""
    if not holds_moments(dtype):
        return dtype
    if isinstance(dtype, (pl.List, pl.Array)):
        return pl.List(type_with_moments_as_text(_instance(dtype.inner)))
    if isinstance(dtype, pl.Struct):
        return pl.Struct({field.name: type_with_moments_as_text(_instance(field.dtype)) for field in dtype.fields})
    return pl.String()


def _moment_text(values: pl.Series, spell: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """By ``spell``, and outside the years 0001 to 9999 one by one."""
    near = in_years(values)
    texts = spell(near)
    if near.null_count() == values.null_count():
        return texts
    far = unread(values, near)
    spelled = [far_text(value, values.dtype) for value in values.gather(far).to_physical()]
    return texts.scatter(far, pl.Series(spelled, dtype=pl.String()))


def _timestamp_text(values: pl.Series) -> pl.Series:
    """``T`` between date and time, a fraction only where there is one, ``Z`` behind an instant."""
    dtype = values.dtype
    assert isinstance(dtype, pl.Datetime)
    zoned = dtype.time_zone is not None
    naive = (values.dt.convert_time_zone("UTC").dt.replace_time_zone(None) if zoned else values).cast(pl.Datetime("us"))
    seconds = naive.dt.to_string("%Y-%m-%dT%H:%M:%S")
    texts = _with_fraction(seconds, naive, "%Y-%m-%dT%H:%M:%S%.6f")
    return texts + "Z" if zoned else texts


def _with_fraction(texts: pl.Series, values: pl.Series, pattern: str) -> pl.Series:
    """``texts``, but by ``pattern`` where the value has microseconds."""
    odd = (values.dt.microsecond() != 0).arg_true()
    return texts.scatter(odd, values.gather(odd).dt.to_string(pattern)) if len(odd) else texts
