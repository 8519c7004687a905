"""LIKE and ILIKE with a computed pattern; patterns known at build become plain Polars expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from etlgen_runtime.engines.polars.functions.columns import rows


def like(value: pl.Expr, pattern: pl.Expr, escape: str = "") -> pl.Expr:
    """`%` any text, `_` one code point, line breaks included; NULL when the pattern ends with ``escape``."""
    return _matched(value, pattern, escape, ignore_case=False)


def ilike(value: pl.Expr, pattern: pl.Expr, escape: str = "") -> pl.Expr:
    """As :func:`like` on both sides in simple lower case, as DuckDB."""
    return _matched(value, pattern, escape, ignore_case=True)


def _matched(value: pl.Expr, pattern: pl.Expr, escape: str, *, ignore_case: bool) -> pl.Expr:
    def found(columns: Sequence[pl.Series]) -> pl.Series:
        made = (_is_like(text, form, escape, ignore_case) for text, form in rows(columns))
        return pl.Series(columns[0].name, made, dtype=pl.Boolean)

    return pl.map_batches([value, pattern], found, return_dtype=pl.Boolean(), is_elementwise=True)


def _is_like(text: str | None, pattern: str | None, escape: str, ignore_case: bool) -> bool | None:
    if text is None or pattern is None:
        return None
    if ignore_case:
        text, pattern, escape = simple_lower(text), simple_lower(pattern), simple_lower(escape)
    compiled = _compiled(pattern, escape)
    return None if compiled is None else compiled.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _compiled(pattern: str, escape: str) -> re.Pattern[str] | None:
    parts: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            literal = next(letters, None)
            if literal is None:
                return None
            parts.append(re.escape(literal))
        else:
            parts.append({"%": ".*", "_": "."}.get(letter, re.escape(letter)))
    return re.compile("".join(parts), re.DOTALL)


def simple_lower(text: str) -> str:
    """Lower case code point by code point, without context: the length never changes."""
    if text.isascii():
        return text.lower()
    return "".join(lower if len(lower := letter.lower()) == 1 else lower[0] for letter in text)
