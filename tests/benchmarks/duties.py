"""What every job by hand owes beside its rows: reasons of bad rows, counts, a judged file, publication, a report."""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.csv_validation import LateValidations
from etlgen_runtime.engines.polars.memory import bounded
from etlgen_runtime.engines.polars.reading import Reading


@dataclass(frozen=True, slots=True)
class Rule:
    """One way for a row to fail: ``failed`` is TRUE or FALSE; ``fits`` is FALSE where a cast of its column failed."""

    name: str
    code: str
    phase: str
    field: str | None
    message: str
    failed: pl.Expr
    fits: pl.Expr | None = None

    @property
    def error(self) -> dict[str, str | None]:
        """The record of it in ``_etlgen_errors``."""
        texts = {"code": self.code, "rule": self.name, "phase": self.phase, "field": self.field}
        return {**texts, "message": self.message}


def any_failed(rules: Sequence[Rule]) -> pl.Expr:
    """TRUE where a row is bad. A column whose cast failed is NULL, so its rules need no look at that here."""
    return pl.any_horizontal(rule.failed for rule in rules)


@dataclass(slots=True)
class Counts:
    """Rows by boundary, and rows by number of failed rules; counted from any thread."""

    rows: Counter[str] = field(default_factory=Counter)
    failures: Counter[tuple[str, int]] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, **rows: int) -> None:
        with self.lock:
            self.rows.update(rows)

    def bad(self, phase: str) -> int:
        """Rows that failed in a phase."""
        return sum(rows for (of, _), rows in self.failures.items() if of == phase)

    def failed(self, rules: Sequence[Rule], *phases: str) -> dict[str, int]:
        """Rows by rule, of the numbers of these phases."""
        found = {number: rows for (of, number), rows in self.failures.items() if of in phases}
        return {
            rule.name: sum(rows for number, rows in found.items() if number >> bit & 1)
            for bit, rule in enumerate(rules)
        }


class Errors:
    """From the number of failed rules to the list of errors; a list is built when its number is first seen."""

    dtype = pl.List(pl.Struct(dict.fromkeys(("code", "rule", "phase", "field", "message"), pl.String)))

    def __init__(self, rules: Sequence[Rule], counts: Counts) -> None:
        self._rules = rules
        self._counts = counts
        self._known: tuple[dict[int, int], pl.Series, pl.Series] = ({}, *self._tables({}))

    def expr(self) -> pl.Expr:
        """The errors of each bad row; whoever is bad has one."""
        number = pl.sum_horizontal(
            (rule.failed if rule.fits is None else rule.failed & rule.fits).cast(pl.Int32) * 2**bit
            for bit, rule in enumerate(self._rules)
        )
        return number.map_batches(self._look_up, return_dtype=self.dtype, is_elementwise=True).alias("_etlgen_errors")

    def _look_up(self, numbers: pl.Series) -> pl.Series:
        found = {int(number): rows for number, rows in numbers.value_counts().iter_rows()}
        if 0 in found:
            raise ValueError("a bad row has no reason")
        early = sum(1 for rule in self._rules if rule.phase == "pre")  # they come first
        with self._counts.lock:
            for number, rows in found.items():
                self._counts.failures["pre" if number % 2**early else "post", number] += rows
            places = self._known[0]
            if new := [number for number in found if number not in places]:
                places = {number: place for place, number in enumerate((*places, *new))}
                self._known = (places, *self._tables(places))
            _, index, lists = self._known
        return lists.gather(index.gather(numbers))

    def _tables(self, places: Mapping[int, int]) -> tuple[pl.Series, pl.Series]:
        index = [0] * (max(places, default=0) + 1)
        for number, place in places.items():
            index[number] = place
        lists = [[rule.error for bit, rule in enumerate(self._rules) if number >> bit & 1] for number in places]
        return pl.Series(index, dtype=pl.UInt32), pl.Series(lists, dtype=self.dtype)


def watched(rows: pl.LazyFrame, look: Callable[[pl.DataFrame], None]) -> pl.LazyFrame:
    """The same rows; ``look`` sees each batch, with all its columns."""

    def pass_through(batch: pl.DataFrame) -> pl.DataFrame:
        look(batch)
        return batch

    return made(rows, pass_through, rows.collect_schema())


def made(rows: pl.LazyFrame, make: Callable[[pl.DataFrame], pl.DataFrame], schema: pl.Schema) -> pl.LazyFrame:
    """What ``make`` makes of each batch."""
    return rows.map_batches(
        make, schema=schema, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, streamable=True
    )


@dataclass(frozen=True, slots=True)
class Run:
    """One run and its places."""

    job: str
    id: str
    started_at: dt.datetime
    begun: float
    staging: Path
    target: Path
    quarantine: Path

    @classmethod
    def begin(cls, job: str, folder: Path) -> Run:
        started_at, begun = dt.datetime.now(dt.UTC), time.perf_counter()
        out = folder / "by_hand_full"
        run_id = f"{started_at:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        run = cls(job, run_id, started_at, begun, out / "staging" / run_id, out / job, out / f"{job}__quarantine")
        for place in (run.staging / "target", run.target, run.quarantine):
            place.mkdir(parents=True, exist_ok=True)
        return run

    @property
    def staged(self) -> Path:
        """The accepted rows before they are published."""
        return self.staging / "target" / f"part-{self.id}.parquet"

    @property
    def staged_quarantine(self) -> Path:
        return self.staging / f"part-{self.id}.parquet"

    def columns(self, node: pl.Expr) -> list[pl.Expr]:
        """The last columns of the quarantine, the same for every row but for the ``node`` that judged it."""
        return [
            pl.lit(self.job).alias("_etlgen_contract"),
            pl.lit("1.0.0").alias("_etlgen_contract_version"),
            pl.lit(f"{self.job}_benchmark.{self.job}").alias("_etlgen_pipeline"),
            node.alias("_etlgen_node"),
            pl.lit(self.id).alias("_etlgen_run_id"),
            pl.lit(self.started_at, dtype=pl.Datetime("us", "UTC")).alias("_etlgen_quarantined_at"),
            pl.lit(f"{self.job}.csv").alias("_etlgen_source"),
        ]

    def stage(
        self,
        path: Path,
        columns: Sequence[str],
        counts: Counts,
        tables: Callable[[pl.LazyFrame], tuple[pl.LazyFrame, pl.LazyFrame]],
    ) -> tuple[int, int]:
        """Read the file once and write both ``tables`` of it; rows written. Nothing is published before its bytes are judged."""
        late = LateValidations()
        try:
            found = scan_csv_file(path, path, CsvOptions(), columns, Reading(self.staging, late=late))
            if found.collect_schema().names() != list(columns):
                raise ValueError("the columns of the file are not those of the job")
            accepted, quarantine = tables(found)
            sinks = [
                accepted.sink_parquet(self.staged, compression="zstd", compression_level=2, lazy=True),
                quarantine.sink_parquet(
                    self.staged_quarantine, compression="lz4", statistics=False, maintain_order=False, lazy=True
                ),
            ]
            while True:
                with bounded():
                    pl.collect_all(sinks, engine="streaming")
                if late.settle(to_their_end=True):
                    break
                counts.rows.clear()
                counts.failures.clear()
        finally:
            late.stop()
        return _rows(self.staged), _rows(self.staged_quarantine)

    def publish(self) -> None:
        """To disk, then renamed into place: quarantine first; the folder of the target is exchanged as a whole."""
        for path in (self.staged, self.staged_quarantine):
            handle = os.open(path, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
        os.rename(self.staged_quarantine, self.quarantine / self.staged_quarantine.name)
        os.rename(self.target, self.staging / "old")
        os.rename(self.staging / "target", self.target)
        shutil.rmtree(self.staging)

    def report(self, **facts: object) -> None:
        """One JSON file, whole or not at all."""
        report = {"run_id": self.id, "started_at": self.started_at.isoformat(), **facts}
        report["duration_s"] = round(time.perf_counter() - self.begun, 6)
        path = self.target.parent / f"{self.id}.json"
        path.with_suffix(".tmp").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
        os.replace(path.with_suffix(".tmp"), path)


def require(**accounts: tuple[int, int]) -> None:
    """The two sides of each account are equal.

    Raises:
        ValueError: They are not; nothing was published.
    """
    wrong = {name: sides for name, sides in accounts.items() if sides[0] != sides[1]}
    if wrong:
        raise ValueError(f"the accounts do not add up: {wrong}")


def _rows(path: Path) -> int:
    return int(pl.scan_parquet(path).select(pl.len()).collect().item())
