"""Which findings a bad row has, as one short key per row; the error lists are made from the keys.

Few combinations of failures occur in a run, so a key costs a few integer additions per row and each list of errors is built
once. (Building a list of structs per row doubles the time of a run.)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from etlgen_runtime.engines.polars.checking import Finding

_BITS = 62
"""Findings per number of a key; more findings make longer keys."""


def failure_key(findings: Sequence[Finding]) -> pl.Expr:
    """A text that says which findings a row has: ``"5"`` for the first and the third, ``"5.1"`` beyond 62 findings."""
    blocks = [findings[first : first + _BITS] for first in range(0, len(findings), _BITS)] or [[]]
    masks = [
        pl.sum_horizontal(
            pl.lit(0, dtype=pl.Int64), *(f.attributed.cast(pl.Int64) * 2**bit for bit, f in enumerate(block))
        )
        for block in blocks
    ]
    return pl.concat_str([mask.cast(pl.String) for mask in masks], separator=".")


def failed_in(key: str) -> Iterator[int]:
    """Numbers of the findings that a key names, in order."""
    for block, mask in enumerate(int(part) for part in key.split(".")):
        yield from (block * _BITS + bit for bit in range(_BITS) if mask >> bit & 1)


class ErrorTable:
    """From keys to error lists; a list is built when its key is first seen.

    Args:
        errors: What each finding says.
        dtype: Type of an error list; text with ``as_json``.
    """

    def __init__(self, errors: Sequence[dict[str, str | None]], dtype: pl.DataType, *, as_json: bool) -> None:
        self._errors = errors
        self._dtype = dtype
        self._as_json = as_json
        self._known = self._lists(())

    def look_up(self, keys: pl.Series) -> pl.Series:
        """The error list of each row; called from the engine's threads, so what is known is replaced, never changed."""
        known, lists = self._known
        numbers = keys.cast(known, strict=False).to_physical()
        if numbers.null_count():
            known, lists = self._known = self._lists((*known.categories, *keys))
            numbers = keys.cast(known).to_physical()
        return lists.gather(numbers)

    def _lists(self, keys: Iterable[str]) -> tuple[pl.Enum, pl.Series]:
        """The keys as a type of their own, and the error list of each."""
        distinct = sorted(set(keys))
        chosen = [[self._errors[number] for number in failed_in(key)] for key in distinct]
        lists = [json.dumps(each, ensure_ascii=False) for each in chosen] if self._as_json else chosen
        return pl.Enum(distinct), pl.Series(lists, dtype=self._dtype)
