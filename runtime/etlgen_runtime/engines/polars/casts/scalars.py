"""Booleans, uuids, binary and JSON read from text (semantics, section 4)."""

from __future__ import annotations

from itertools import product

import polars as pl

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.casts.scalars import FALSE_WORDS, TRUE_WORDS, UUID_PATTERN
from etlgen_runtime.engines.polars.casts.tiers import Reading, null_where_not
from etlgen_runtime.types import JSON


def _any_case(words: tuple[str, ...]) -> list[str]:
    """Every mixture of upper and lower case."""
    spellings = {"".join(letters) for word in words for letters in product(*({c, c.upper()} for c in word))}
    return sorted(spellings)


_TRUE, _FALSE = _any_case(TRUE_WORDS), _any_case(FALSE_WORDS)


def boolean_readings() -> tuple[Reading, ...]:
    """The words for true and false, in any case."""

    def words(text: pl.Series) -> pl.Series:
        true = text.is_in(_TRUE)
        return null_where_not(true, true | text.is_in(_FALSE))

    return (words,)


def uuid_readings() -> tuple[Reading, ...]:
    """Canonical text; only what is not lower-case already is written anew."""

    def canonical(text: pl.Series) -> pl.Series:
        return null_where_not(text, text.str.contains(f"^{UUID_PATTERN.replace('A-F', '')}$"))

    def any_case(text: pl.Series) -> pl.Series:
        return null_where_not(text, text.str.contains(f"^{UUID_PATTERN}$")).str.to_lowercase()

    return canonical, any_case


def binary_readings() -> tuple[Reading, ...]:
    """Base64; Polars' decoder is as strict as the table, except for empty text."""

    def decoded(text: pl.Series) -> pl.Series:
        return null_where_not(text, text != "").str.decode("base64", strict=False)

    return (decoded,)


def json_readings() -> tuple[Reading, ...]:
    """Text that parses as JSON, by the parser of the record path (Polars' own wants one shape for all rows)."""

    def parsed(text: pl.Series) -> pl.Series:
        return pl.Series([_json(item) for item in text.to_list()], dtype=pl.String())

    return (parsed,)


def _json(text: str | None) -> object:
    try:
        return cast_value(text, JSON)
    except Unfit:
        return None
