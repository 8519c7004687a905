"""The memory that a run may take before Polars spills to disk.

What must see all rows before it can give one (deduplicate, group, sort, the larger side of a join) is kept by the streaming engine in
partitions, which it writes to disk by itself when memory runs short: into ``POLARS_OOC_SPILL_DIR``, else a folder of its own for
temporary files, from which it removes what a killed process has left. Polars' own budget is most of the memory of the machine.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

import polars as pl

BUDGET_MB = 3072
"""Enough for ten million rows without any spilling, and room for the rest of a process below 4 GiB."""

_VARIABLE = "POLARS_OOC_MEMORY_BUDGET_MB"
_OF_THE_USER = (_VARIABLE, "POLARS_OOC_MEMORY_BUDGET_FRACTION")
_turn = Lock()
_runs = 0


@contextmanager
def bounded(budget_mb: int | None = None) -> Generator[None]:
    """Within, Polars spills beyond :data:`BUDGET_MB`, or ``budget_mb``; what the environment says has the last word.

    The setting is one for the process: it lasts until the last of several runs at once is done.
    """
    global _runs
    with _turn:
        own = _runs > 0 or not any(name in os.environ for name in _OF_THE_USER)
        if own:
            _runs += 1
            os.environ[_VARIABLE] = str(BUDGET_MB if budget_mb is None else budget_mb)
            pl.Config.reload_env_vars()
    try:
        yield
    finally:
        if own:
            with _turn:
                _runs -= 1
                if not _runs:
                    del os.environ[_VARIABLE]
                    pl.Config.reload_env_vars()
