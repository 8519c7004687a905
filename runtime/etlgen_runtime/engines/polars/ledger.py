"""Counting rows as they pass. Each boundary has a counter of its own, so the accounts compare independent numbers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

import polars as pl

from etlgen_runtime.engines.polars.backpressure import Backpressure
from etlgen_runtime.report import OperationCount

KEEP = "__etlgen_keep"
_LEFT = "__etlgen_left"
_RANK = "__etlgen_rank"

JoinHow = Literal["left", "inner", "right", "full"]

_DROPPING: dict[JoinHow, JoinHow] = {"inner": "left", "right": "full"}
"""Joins that drop rows of the left side without a partner -> the one that differs in nothing else."""


def watch(frame: pl.LazyFrame, look: Callable[[pl.DataFrame], None], *, every_column: bool = False) -> pl.LazyFrame:
    """The same rows; ``look`` sees each batch as it passes.

    Whole batches, because Polars hands a column of one repeated value to an expression's function as a single value. Columns
    that nothing after this point reads may be missing from the batches, unless ``every_column`` is asked for.
    """

    def pass_through(batch: pl.DataFrame) -> pl.DataFrame:
        look(batch)
        return batch

    return frame.map_batches(
        pass_through,
        predicate_pushdown=False,
        projection_pushdown=not every_column,
        slice_pushdown=False,
        streamable=True,
    )


class RowLedger:
    """Rows counted by name, from any of the engine's threads.

    A *tap* is a pass-through that counts each batch. It costs next to nothing and keeps Polars from moving a filter from
    above it to below it.
    """

    def __init__(self, on_rows: Callable[[int], None] | None = None) -> None:
        self._counts: dict[str, int] = {}
        self._operations: dict[tuple[Literal["pre", "post"], str], tuple[str, str]] = {}
        self._settlements: list[tuple[str, str, str, str]] = []
        self._collecting: list[tuple[str, str]] = []
        self._lock = threading.Lock()
        self._on_rows = on_rows
        self.backpressure = Backpressure(self._on_their_way)
        self.refusal: Exception | None = None

    def count(self, name: str) -> int:
        """Rows seen under that name."""
        return self._counts.get(name, 0)

    def add(self, name: str, rows: int) -> int:
        """Count ``rows`` more; the new sum."""
        with self._lock:
            total = self._counts.get(name, 0) + rows
            self._counts[name] = total
        return total

    def restart(self) -> None:
        """Forget what was counted so far: a look at a frame in a debugger runs the taps above it, too."""
        with self._lock:
            self._counts.clear()

    def tap(self, frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
        """The same rows, counted under ``name``."""

        def count(batch: pl.DataFrame) -> None:
            self.add(name, batch.height)

        return watch(frame, count)

    def tap_source(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """As :meth:`tap`, under ``read``: the caller's hook hears the running sum, and rows are held back while too many are on
        their way to a slow sink.
        """

        def count(batch: pl.DataFrame) -> None:
            total = self.add("read", batch.height)
            if self._on_rows is not None:
                self._tell(self._on_rows, total)
            self.backpressure.wait(batch.height)

        return watch(frame, count)

    def _on_their_way(self) -> int:
        """Rows read, less those removed, bad, accepted or inside an operation that collects rows, plus those added."""
        with self._lock:
            count = dict(self._counts)
        gone = sum(count.get(name, 0) for name in ("pre:bad", "post:bad", "accepted"))
        inside = sum(count.get(seen, 0) - count.get(made, 0) for seen, made in self._collecting)
        changed = sum(count.get(added, 0) - count.get(removed, 0) for removed, added in self._operations.values())
        return count.get("read", 0) + changed - inside - gone

    def _tell(self, hook: Callable[[int], None], total: int) -> None:
        """The engine rewords what a callback raises, so the first exception is kept as it was."""
        try:
            hook(total)
        except Exception as error:
            self.refusal = self.refusal or error
            raise

    def section(self, phase: Literal["pre", "post"]) -> SectionLedger:
        """The ledger of step 2 or step 6, for the generated steps."""
        return SectionLedger(self, phase)

    def collects(self, seen: str, made: str) -> None:
        """Rows counted as ``seen`` and not yet as ``made`` are inside an operation, or were removed by it."""
        self._collecting.append((seen, made))

    def settle(self, seen: str, made: str, removed: str, added: str) -> None:
        """After the run, book the net change between two counters as removed or added rows."""
        self._settlements.append((seen, made, removed, added))

    @property
    def has_operations(self) -> bool:
        """Some operation may change the set of rows."""
        return bool(self._operations)

    def operations(self) -> tuple[OperationCount, ...]:
        """What each row-changing operation removed and added, in plan order; once, after the run."""
        for seen, made, removed, added in self._settlements:
            change = self.count(made) - self.count(seen)
            self.add(added if change > 0 else removed, abs(change))
        self._settlements.clear()
        found: list[OperationCount] = []
        for (phase, operation), (removed, added) in self._operations.items():
            found.append(
                OperationCount(phase=phase, operation=operation, removed=self.count(removed), added=self.count(added))
            )
        return tuple(found)

    def register(self, phase: Literal["pre", "post"], operation: str) -> tuple[str, str]:
        """Names under which an operation counts removed and added rows."""
        names = (f"{phase}:{operation}:removed", f"{phase}:{operation}:added")
        self._operations[(phase, operation)] = names
        return names


class SectionLedger:
    """Counts per operation of one section; what generated steps pass to the helpers that change the set of rows."""

    def __init__(self, ledger: RowLedger, phase: Literal["pre", "post"]) -> None:
        self._ledger = ledger
        self._phase: Literal["pre", "post"] = phase

    def keep(self, frame: pl.LazyFrame, predicate: pl.Expr, operation: str) -> pl.LazyFrame:
        """The rows where ``predicate`` is TRUE; the others (FALSE and NULL) are counted, not subtracted."""
        removed, _ = self._ledger.register(self._phase, operation)

        def count(batch: pl.DataFrame) -> None:
            kept = batch.get_column(KEEP)
            self._ledger.add(removed, kept.len() - int(kept.sum() or 0))

        return watch(frame.with_columns(predicate.alias(KEEP)), count).filter(pl.col(KEEP)).drop(KEEP)

    def join(
        self,
        left: pl.LazyFrame,
        right: pl.LazyFrame,
        operation: str,
        *,
        on: pl.Expr,
        key: str,
        how: JoinHow,
        kept: pl.Expr | None = None,
    ) -> pl.LazyFrame:
        """Join, with rows counted as they come out: those that a partner multiplies or that only ``right`` has were added; in an
        inner or right join those without a partner were removed.

        ``kept``: TRUE for rows of ``left`` that an inner or right join keeps although they have no partner.
        """
        removed, added = self._ledger.register(self._phase, operation)
        seen, matched = (f"{self._phase}:{operation}:{what}" for what in ("in", "matched"))
        ranked = right.with_columns(pl.int_range(pl.len()).over(key).alias(_RANK))
        marked = self._ledger.tap(left, seen).with_columns(pl.lit(True).alias(_LEFT))
        if how in _DROPPING and kept is not None:
            all_of_left = marked.join(ranked, left_on=on, right_on=key, how=_DROPPING[how], coalesce=False)
            joined = all_of_left.filter(pl.col(_RANK).is_not_null() | kept)
        else:
            joined = marked.join(ranked, left_on=on, right_on=key, how=how, coalesce=False)

        def count(batch: pl.DataFrame) -> None:
            from_left = batch.get_column(_LEFT).fill_null(False)
            further = from_left & (batch.get_column(_RANK) > 0).fill_null(False)
            self._ledger.add(matched, int(from_left.sum()) - int(further.sum()))
            self._ledger.add(added, int(further.sum()) + batch.height - int(from_left.sum()))

        self._ledger.collects(seen, matched)
        if how in _DROPPING:
            self._ledger.settle(seen, matched, removed, removed)
        return watch(joined, count, every_column=True).drop(_LEFT, _RANK)

    def balance(
        self, before: pl.LazyFrame, operation: str, change: Callable[[pl.LazyFrame], pl.LazyFrame]
    ) -> pl.LazyFrame:
        """``change(before)``, with the rows that appeared or vanished counted batch by batch.

        The operation may both remove and multiply rows; what is recorded is the net change of the whole frame.
        """
        removed, added = self._ledger.register(self._phase, operation)
        seen = f"{self._phase}:{operation}:in"
        made = f"{self._phase}:{operation}:out"
        after = self._ledger.tap(change(self._ledger.tap(before, seen)), made)
        self._ledger.collects(seen, made)
        self._ledger.settle(seen, made, removed, added)
        return after
