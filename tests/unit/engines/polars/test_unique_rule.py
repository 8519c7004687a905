"""The dataset rule ``unique`` (semantics, section 3): by hashes, and beyond a size by groups on the streaming engine."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.engines.polars import dataset_rules

VALUES: dict[Any, st.SearchStrategy[Any]] = {
    pl.Int64(): st.integers(-3, 3) | st.none() | st.just(2**63 - 1),
    pl.Float64(): st.sampled_from([None, -0.0, 0.0, 1.5]),
    pl.String(): st.sampled_from([None, "", "a", "ab", "b", "|"]),
    pl.Boolean(): st.sampled_from([None, True, False]),
    pl.Date(): st.sampled_from([None, dt.date(2024, 1, 1), dt.date(2024, 1, 2)]),
    pl.Decimal(20, 2): st.sampled_from([None, Decimal("1.00"), Decimal("-1.00"), Decimal("123456789012345678.90")]),
    pl.Binary(): st.sampled_from([None, b"", b"\x00"]),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    types = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(*(VALUES[dtype] for dtype in types)), max_size=30))
    return {f"c{number}": dtype for number, dtype in enumerate(types)}, rows


@given(tables())
@settings(max_examples=150, deadline=None)
def test_keys_that_occur_again_are_counted_alike_both_ways(table: tuple[dict[str, Any], list[tuple[Any, ...]]]) -> None:
    types, rows = table
    keys = Counter(row for row in rows if None not in row)  # a key with a NULL part is no duplicate; -0.0 is 0.0
    recurring = sum(1 for count in keys.values() if count > 1)
    frame = pl.DataFrame(rows, schema=types, orient="row")
    assert _recurring(frame, dataset_rules.MOST_HASHED_ROWS) == recurring
    assert _recurring(frame, 0) == recurring


def test_parts_of_a_key_are_never_run_together() -> None:
    frame = pl.DataFrame({"a": ["x", "xy"], "b": ["yz", "z"]})
    assert _recurring(frame, dataset_rules.MOST_HASHED_ROWS) == 0


def test_two_keys_of_one_hash_are_two_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal hashes are a reason to look at the keys, never a finding."""
    monkeypatch.setattr(pl.Expr, "hash", lambda self: self.is_null().cast(pl.UInt64))  # as bad as a hash can be
    frame = pl.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "x"]})
    assert _recurring(frame, dataset_rules.MOST_HASHED_ROWS) == 0
    assert _recurring(pl.concat([frame, frame.head(1)]), dataset_rules.MOST_HASHED_ROWS) == 1


@pytest.mark.parametrize("keys", [[1, 2, 3], [3, 1, 2], [1, 2, 2], [2, 1, 2], []])
def test_ascending_keys_or_not(keys: list[int]) -> None:
    frame = pl.DataFrame({"k": keys}, schema={"k": pl.Int64})
    expected = len(keys) - len(set(keys))
    assert _recurring(frame, dataset_rules.MOST_HASHED_ROWS) == expected


def _recurring(frame: pl.DataFrame, most_hashed_rows: int) -> int:
    """The value of the rule over all columns of a staged file."""
    before = dataset_rules.MOST_HASHED_ROWS
    rule = DatasetRule(name="u", kind="unique", columns=tuple(frame.columns), sql="")
    with tempfile.TemporaryDirectory() as folder:
        audit = Path(folder) / "accepted.parquet"
        frame.write_parquet(audit)
        dataset_rules.MOST_HASHED_ROWS = most_hashed_rows
        try:
            # the context is for rules that are no `unique`
            (result,) = dataset_rules.judge([rule], frame.height, audit, {}, None, Path(folder))  # type: ignore[arg-type]
        finally:
            dataset_rules.MOST_HASHED_ROWS = before
    assert result.passed == (result.value == "0")
    return int(result.value or 0)
