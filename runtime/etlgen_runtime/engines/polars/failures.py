"""Which findings a bad row has, as one short key per row; the error lists are made from the keys.

Few combinations of failures occur in a run, so a key costs a few integer additions per row and each list of errors is built
once. (Building a list of structs per row doubles the time of a run.)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

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
        self._as_json = as_json
        self._table = pl.DataFrame(schema={"key": pl.String(), "errors": dtype})

    def look_up(self, keys: pl.Series) -> pl.Series:
        """The error list of each row; called from the engine's threads, so a table is replaced, never changed."""
        rows = keys.alias("key").to_frame()
        found = rows.join(self._table, on="key", how="left", maintain_order="left")
        if found.get_column("errors").null_count():
            table = self._table = self._with({*keys.unique(), *self._table.get_column("key")})
            found = rows.join(table, on="key", how="left", maintain_order="left")
        return found.get_column("errors")

    def _with(self, seen: set[str]) -> pl.DataFrame:
        keys = sorted(seen)
        chosen = [[self._errors[number] for number in failed_in(key)] for key in keys]
        lists = [json.dumps(each, ensure_ascii=False) for each in chosen] if self._as_json else chosen
        return pl.DataFrame({"key": keys, "errors": lists}, schema=self._table.schema)
