"""Holding back the source while rows pile up before a slow sink.

Polars buffers without bound where several branches read one node: the quick ones draw rows from the source, which wait for the
slow one. A text sink, which writes with one thread, is slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

MAX_BATCHES = 8
MIN_ROWS = 50_000
"""So many of the largest batches, and at least so many rows, may be on their way."""
PAUSE_S = 0.002
PATIENCE_S = 5.0
"""Seconds without any progress, after which rows are taken to wait somewhere else, and nothing is held back any more."""


class Backpressure:
    """Waits until few enough rows are on their way.

    One thread of the engine waits at a time, so that the others can work; with a single one nothing must be held back.

    Args:
        on_their_way: Rows that were read and have not reached a sink.
    """

    def __init__(self, on_their_way: Callable[[], int]) -> None:
        self._on_their_way = on_their_way
        self._turn = Lock()
        self._largest = 0
        self.is_needed = False

    def wait(self, rows: int) -> None:
        """Called for each batch of so many rows."""
        if not self.is_needed or not self._turn.acquire(blocking=False):
            return
        try:
            self._largest = max(self._largest, rows)
            before, since = -1, time.monotonic()
            while (now := self._on_their_way()) > max(MAX_BATCHES * self._largest, MIN_ROWS):
                if now != before:
                    before, since = now, time.monotonic()
                elif time.monotonic() - since > PATIENCE_S:
                    self.is_needed = False
                    return
                time.sleep(PAUSE_S)
        finally:
            self._turn.release()
