"""Casts of the jobs by hand: Polars' own, and the rows that it left without a value text by text (semantics, section 4).

Each gives the values and TRUE where a text does not fit; a text of blanks is NULL and fits.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

import polars as pl

from etlgen_runtime.text import BLANKS, WHITESPACE

Cast = tuple[pl.Series, pl.Series]

_INTEGER = re.compile(r"([+-]?[0-9]+)(?:\.0+)?")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]+))?)?(Z|[+-][0-9]{2}:?[0-9]{2}|[+-][0-9]{2})?)?"
)
_FIRST, _LAST = -(2**63), 2**63 - 1
_DECIMAL = pl.Decimal(12, 2)
_YEAR_1, _YEAR_9999 = dt.datetime.min, dt.datetime.max
_FEW = 200
"""Distinct texts of a batch up to which each is read once."""


def trimmed(text: pl.Series) -> pl.Series:
    """Without white space and U+FEFF around it: Polars' own, twice as fast, knows the white space."""
    found = text.str.strip_chars()
    is_ascii = found.str.len_bytes().sum() == found.str.len_chars().sum()
    return found if is_ascii else text.str.strip_chars(WHITESPACE)


def integers(text: pl.Series) -> Cast:
    """Polars takes ``[+-]?digits`` in range and nothing else."""
    return _with_rest(text, text.cast(pl.Int64, strict=False), _integer)


def floats(text: pl.Series) -> Cast:
    """Polars rounds correctly; what it takes too lightly is not finite."""
    values = text.cast(pl.Float64, strict=False)
    if not math.isfinite(values.sum()):
        values = values.set(~values.is_finite(), None)
    return _with_rest(text, values, _float)


def decimals(text: pl.Series) -> Cast:
    """``decimal(12,2)`` by way of doubles: of at most 15 digits they name each other uniquely. What is rounded is left over."""
    near = text.cast(pl.Float64, strict=False)
    size = text.str.len_bytes()
    doubtful = ~(near.abs() < 1e10) | (size > 16) | ((near == 0.0) & (size > 5))
    if doubtful.any():
        near = near.set(doubtful, None)
    values = near.cast(_DECIMAL, strict=False)
    rounded = values.cast(pl.Float64) != near
    return _with_rest(text, values.set(rounded, None) if rounded.any() else values, _decimal)


def timestamps(text: pl.Series) -> Cast:
    """Where few days and hours occur again and again each text is read once a batch. Otherwise Polars reads those of 19 bytes,
    in which it takes blanks for digits, a sign before the year and second 60 too lightly.
    """
    distinct = text.unique().drop_nulls() if text.head(_FEW).n_unique() < _FEW // 4 else text
    if len(distinct) > _FEW:
        plain = (text.str.len_bytes() == 19) & ~text.str.contains("[^0-9T:-]")
        values = text.str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False, cache=False)
        plain &= values.is_between(_YEAR_1, _YEAR_9999)
        minutes = (values.to_physical() % 60_000_000 == 0).arg_true()
        plain = plain.scatter(minutes, plain.gather(minutes) & text.gather(minutes).str.ends_with(":00"))
        return _with_rest(text, values if plain.all() else values.set(~plain.fill_null(False), None), _timestamp)
    distinct = text.unique().drop_nulls()
    read = pl.Series([_timestamp(each) for each in distinct], dtype=pl.Datetime("us"))
    return _with_rest(text, read.gather(text.cast(pl.Enum(distinct)).to_physical()), _timestamp)


def _with_rest(text: pl.Series, values: pl.Series, read: Callable[[str], object]) -> Cast:
    if values.null_count() == text.null_count():
        return values, pl.Series([False], dtype=pl.Boolean).new_from_index(0, len(text))
    rest = (text.is_not_null() & values.is_null()).arg_true()
    texts = text.gather(rest).to_list()
    found = [read(each) for each in texts]
    missing = [value is None and each.strip(BLANKS) != "" for each, value in zip(texts, found, strict=True)]
    unfit = pl.Series([False], dtype=pl.Boolean).new_from_index(0, len(text)).scatter(rest, pl.Series(missing))
    return values.scatter(rest, pl.Series(found, dtype=values.dtype)), unfit


@lru_cache(maxsize=4096)
def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text.strip(BLANKS))
    value = int(match[1]) if match else None
    return value if value is not None and _FIRST <= value <= _LAST else None


@lru_cache(maxsize=4096)
def _float(text: str) -> float | None:
    text = text.strip(BLANKS)
    value = float(text) if _FLOAT.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


@lru_cache(maxsize=4096)
def _decimal(text: str) -> Decimal | None:
    text = text.strip(BLANKS)
    value = Decimal(text) if _FLOAT.fullmatch(text) else None
    if value is None or abs(value) >= 10**10 or value != value.quantize(Decimal("0.01")):
        return None
    return value.quantize(Decimal("0.01"))


@lru_cache(maxsize=4096)
def _timestamp(text: str) -> dt.datetime | None:
    match = _TIMESTAMP.fullmatch(text.strip(BLANKS))
    if match is None:
        return None
    *parts, fraction, zone = match.groups()
    numbers = [int(part) if part else 0 for part in parts]
    try:
        local = dt.datetime(*numbers[:6], int((fraction or "0")[:6].ljust(6, "0")))  # type: ignore[arg-type]
        return local - _offset(zone)
    except (ValueError, OverflowError):
        return None


def _offset(zone: str | None) -> dt.timedelta:
    if zone is None or zone == "Z":
        return dt.timedelta()
    hours, minutes = int(zone[1:3]), int(zone[3:].strip(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(zone)
    size = dt.timedelta(hours=hours, minutes=minutes)
    return -size if zone[0] == "-" else size
