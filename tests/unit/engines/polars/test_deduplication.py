"""``deduplicate`` against the words of the specification, one row at a time (semantics, section 7)."""

from __future__ import annotations

import datetime as dt
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from functools import cmp_to_key
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen_runtime.engines.polars.deduplication import deduplicate
from etlgen_runtime.engines.polars.frame import UNFIT
from etlgen_runtime.engines.polars.ledger import RowLedger

Row = tuple[Any, ...]

VALUES: dict[Any, st.SearchStrategy[Any]] = {
    pl.Int64(): st.sampled_from([None, -1, 0, 2**62]),
    pl.Int128(): st.sampled_from([None, -(2**100), 0, 2**100]),
    pl.UInt64(): st.sampled_from([None, 0, 2**64 - 1]),
    pl.Float64(): st.sampled_from([None, -math.inf, -1.5, -0.0, 0.0, 1e300, math.inf, math.nan]),
    pl.String(): st.sampled_from([None, "", "a", "B", "é", "\U0001f600", "￿"]),
    pl.Boolean(): st.sampled_from([None, True, False]),
    pl.Date(): st.sampled_from([None, dt.date(1, 1, 1), dt.date(2024, 2, 29)]),
    pl.Datetime("us"): st.sampled_from([None, dt.datetime(1969, 12, 31, 23), dt.datetime(2024, 2, 29)]),
    pl.Decimal(38, 9): st.sampled_from(
        [None, Decimal("-0.000000001"), Decimal("99999999999999999999999999999.000000000")]
    ),
    pl.Binary(): st.sampled_from([None, b"", b"\x00", b"\xff"]),
    pl.List(pl.Int64()): st.sampled_from([None, [], [1], [1, 2]]),
}
KEY_TYPES = [dtype for dtype in VALUES if not isinstance(dtype, pl.List)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], list[Row], int, list[tuple[int, bool]]]:
    """Column types, rows, how many of the first columns are the key, and the order."""
    keys = draw(st.lists(st.sampled_from(KEY_TYPES), min_size=1, max_size=2))
    types = keys + draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3))
    order = draw(st.lists(st.tuples(st.integers(0, len(types) - 1), st.booleans()), min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(*(VALUES[dtype] for dtype in types)), max_size=25))
    return {f"c{number}": dtype for number, dtype in enumerate(types)}, rows, len(keys), order


@given(cases())
@settings(max_examples=300, deadline=None)
def test_one_row_per_key_by_order_and_ties(case: tuple[dict[str, Any], list[Row], int, list[tuple[int, bool]]]) -> None:
    types, rows, keys, order = case
    names = list(types)
    frame = pl.LazyFrame(rows, schema=types, orient="row")
    ledger = RowLedger()
    # the last column is one that the plan does not know
    kept = deduplicate(
        frame, ledger.section("post"), "1", keys=names[:keys], order=[(names[n], down) for n, down in order],
        ties=names[:-1],
    ).collect(engine="streaming").rows()  # fmt: skip
    expected = _winners(rows, keys, [*order, *((n, False) for n in range(len(names)))])
    assert sorted(map(_shown, kept)) == sorted(map(_shown, expected))
    (count,) = ledger.operations()
    assert (count.removed, count.added) == (len(rows) - len(expected), 0)


def _winners(rows: Sequence[Row], keys: int, order: Sequence[tuple[int, bool]]) -> list[Row]:
    groups: dict[Row, list[Row]] = {}
    kept: list[Row] = []
    for row in rows:
        key = row[:keys]
        if any(part is None for part in key):
            kept.append(row)
        else:
            groups.setdefault(tuple("nan" if part != part else part for part in key), []).append(row)

    def compare(one: Row, other: Row) -> int:
        for place, down in order:
            by = _compare(one[place], other[place], down)
            if by:
                return by
        return 0

    return kept + [min(group, key=cmp_to_key(compare)) for group in groups.values()]


def _compare(one: Any, other: Any, down: bool) -> int:
    """NULL after all, NaN after numbers, in both directions; text by code point, lists by their JSON."""
    for is_last in (lambda value: value is None, lambda value: value != value):
        if is_last(one) or is_last(other):
            return int(is_last(one)) - int(is_last(other))
    if isinstance(one, list):
        one, other = str(one).replace(" ", ""), str(other).replace(" ", "")
    return (int(one > other) - int(one < other)) * (-1 if down else 1)


def _shown(row: Row) -> str:
    """A row as text; zeros of both signs are one value."""
    return repr(tuple(0.0 if part == 0.0 and isinstance(part, float) else part for part in row))


def test_a_row_that_did_not_fit_takes_no_part_and_does_not_shut_out_another() -> None:
    frame = pl.LazyFrame(
        {
            "k": [1, 1, 1, 2, 2],
            "t": [None, 3, 5, None, None],
            "s": list("abcde"),
            UNFIT + "t": ["x", None, None, None, "y"],
        }
    )
    kept = deduplicate(
        frame, RowLedger().section("post"), "1", keys=["k"], order=[("t", True)], ties=["s"], unfit=["t"]
    )
    assert sorted(kept.collect(engine="streaming")["s"]) == ["a", "c", "d", "e"]


def test_what_it_reads_is_read_once() -> None:
    """Rows that tie go another way than those that do not; both ways start from one reading."""
    read: list[int] = []

    def look(batch: pl.DataFrame) -> pl.DataFrame:
        read.append(batch.height)
        return batch

    frame = pl.LazyFrame({"k": [1, 1, 2, 2], "t": [3, 3, 4, 5], "s": ["a", "b", "c", "d"]}).map_batches(
        look, streamable=True
    )
    kept = deduplicate(frame, RowLedger().section("post"), "1", keys=["k"], order=[("t", True)], ties=["s"])
    assert sorted(kept.collect(engine="streaming")["s"]) == ["a", "d"]
    assert sum(read) == 4


SPILLING = """
import os, sys
import polars as pl
from etlgen_runtime.engines.polars.deduplication import deduplicate
from etlgen_runtime.engines.polars.ledger import RowLedger
from etlgen_runtime.engines.polars.memory import bounded
from pathlib import Path

rows = 400_000
row = pl.int_range(rows)
frame = pl.LazyFrame({"row": range(rows)}).select(
    k=(pl.col("row") * 7919) % 150_001, t=pl.col("row").hash(5) % 3, s=pl.format("text {} of a row", pl.col("row") % 97),
    u=pl.col("row") % 1009,
)
def winners():
    kept = deduplicate(frame, RowLedger().section("post"), "1", keys=["k"], order=[("t", True)], ties=["s", "u"])
    return kept.collect(engine="streaming").sort("k")
def spilled():
    return any(Path(os.environ["POLARS_OOC_SPILL_DIR"]).rglob("*"))
with bounded():
    roomy = winners()
assert not spilled(), "within the budget nothing is written"
with bounded(1):
    narrow = winners()
assert spilled(), "the second run was to spill"
assert roomy.height == 150_001 and roomy.equals(narrow)
print("equal")
"""


def test_the_same_rows_win_when_memory_is_short(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SPILLING],
        env={**os.environ, "POLARS_OOC_SPILL_DIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("equal\n", "")


@pytest.mark.parametrize("name", ["POLARS_OOC_MEMORY_BUDGET_MB", "POLARS_OOC_MEMORY_BUDGET_FRACTION"])
def test_a_budget_of_the_environment_is_left_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from etlgen_runtime.engines.polars.memory import bounded

    monkeypatch.setenv(name, "0.5")
    with bounded():
        assert os.environ[name] == "0.5"
        assert len([each for each in os.environ if each.startswith("POLARS_OOC_MEMORY_BUDGET")]) == 1
    assert os.environ[name] == "0.5"


def test_the_budget_lasts_until_the_last_of_several_runs() -> None:
    from etlgen_runtime.engines.polars.memory import BUDGET_MB, bounded

    name = "POLARS_OOC_MEMORY_BUDGET_MB"
    first, second = bounded(), bounded()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert os.environ[name] == str(BUDGET_MB)
    second.__exit__(None, None, None)
    assert name not in os.environ
