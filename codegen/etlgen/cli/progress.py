"""Progress of a run on a terminal: the step, the rows so far, rows per second."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

from etlgen.cli.terminal import is_interactive, rewrite
from etlgen_runtime.callbacks import Callbacks

REFRESH_S = 0.1


class Progress:
    """One line on stderr, rewritten in place. Called from the engine's threads, so a write is one call."""

    def __init__(self, contract: str) -> None:
        self.contract = contract
        self.step = ""
        self.rows = 0
        self._start = time.perf_counter()
        self._shown = 0.0

    def on_step_start(self, number: int, name: str) -> None:
        self.step = f"{number} · {name}"
        self._show(force=True)

    def on_rows(self, rows: int) -> None:
        self.rows = max(self.rows, rows)
        self._show(force=False)

    def line(self, now: float) -> str:
        """What is shown at a time of :func:`time.perf_counter`."""
        elapsed_s = now - self._start
        said = f"{self.contract}: {self.step}"
        if self.rows and elapsed_s > 0:
            said += f" · {self.rows:,} rows · {self.rows / elapsed_s:,.0f} rows/s"
        return said

    def _show(self, *, force: bool) -> None:
        now = time.perf_counter()
        if force or now - self._shown >= REFRESH_S:
            self._shown = now
            rewrite(self.line(now))


@contextmanager
def watched(contract: str) -> Generator[Callbacks, None, None]:
    """Callbacks that show progress on a terminal, and none elsewhere; the line is gone afterwards."""
    if not is_interactive(sys.stderr):
        yield Callbacks()
        return
    progress = Progress(contract)
    try:
        yield Callbacks(on_step_start=progress.on_step_start, on_rows=progress.on_rows)
    finally:
        rewrite("")
