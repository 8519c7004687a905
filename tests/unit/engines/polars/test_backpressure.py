"""Holding back the source: until rows have reached the sink, one thread at a time, and never for ever."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from etlgen_runtime.engines.polars import backpressure
from etlgen_runtime.engines.polars.backpressure import MAX_BATCHES, Backpressure

ROWS = 10_000


def test_nothing_is_held_back_unless_it_is_needed() -> None:
    asked: list[int] = []

    def on_their_way() -> int:
        asked.append(ROWS)
        return 0

    Backpressure(on_their_way).wait(ROWS)
    assert not asked


def test_a_batch_waits_until_few_enough_rows_are_on_their_way() -> None:
    """Exactly the limit may be on its way; one more row may not."""
    seen: list[int] = []
    numbers = iter([MAX_BATCHES * ROWS + 2, MAX_BATCHES * ROWS + 1, MAX_BATCHES * ROWS])

    def on_their_way() -> int:
        seen.append(next(numbers))
        return seen[-1]

    held = Backpressure(on_their_way)
    held.is_needed = True
    held.wait(ROWS)
    assert len(seen) == 3
    assert held.is_needed


def test_a_small_batch_does_not_make_the_limit_small() -> None:
    numbers: Iterator[int] = iter([0, MAX_BATCHES * ROWS])
    held = Backpressure(lambda: next(numbers))
    held.is_needed = True
    held.wait(ROWS)
    held.wait(1)  # would ask once more, and fail, if its own size counted
    assert next(numbers, None) is None


def test_it_gives_up_where_nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backpressure, "PATIENCE_S", 0.05)
    held = Backpressure(lambda: 10**9)
    held.is_needed = True
    start = time.monotonic()
    held.wait(ROWS)
    assert 0.05 <= time.monotonic() - start < 2
    assert not held.is_needed


def test_one_thread_waits_at_a_time() -> None:
    """The second one passes while the first waits, or nobody would be left to bring rows to the sink."""
    waits, rows = Event(), [10**9]

    def on_their_way() -> int:
        waits.set()
        return rows[0]

    held = Backpressure(on_their_way)
    held.is_needed = True
    first = Thread(target=held.wait, args=(ROWS,))
    first.start()
    assert waits.wait(5)
    held.wait(ROWS)
    assert first.is_alive()
    rows[0] = 0
    first.join(5)
    assert not first.is_alive()
