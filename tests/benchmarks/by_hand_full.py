"""The orders job by hand in Polars with all that the product must do: ``python -m tests.benchmarks.by_hand_full FOLDER``.

The bar for the generated pipeline, so it is written for speed by one who knows this contract and these rules:

* one scan, one flag; everything up to it lies below one cached node that feeds both tables;
* a cast is Polars' own; only the rows that it left without a value are looked at again, text by text (``casts_by_hand.py``);
* the address is never shown, so of the source's own only whether there is one is kept;
* what a bad row failed is one number per row, and the list of errors is taken from a table of the numbers seen so far;
* boundaries are counted in the batches that pass; what was written is counted in the files.

The bytes of the file are judged by the runtime's own scan, which is what the product must do: the time is the same.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path

import polars as pl
from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.csv_validation import LateValidations
from etlgen_runtime.engines.polars.reading import Reading
from polars import col
from tests.benchmarks.casts_by_hand import floats, integers, timestamps, trimmed

COLUMNS = ("order_id", "customer_id", "email", "status", "qty", "unit_price", "country_code", "created_at")
CASTS = {
    "order_id": (integers, pl.Int64()),
    "customer_id": (integers, pl.Int64()),
    "qty": (integers, pl.Int64()),
    "unit_price": (floats, pl.Float64()),
    "created_at": (timestamps, pl.Datetime("us")),
}
MIN_ROWS, MAX_ROWS = 1, 100_000_000


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
        return {
            "code": self.code,
            "rule": self.name,
            "phase": self.phase,
            "field": self.field,
            "message": self.message,
        }


def unfit(name: str) -> pl.Expr:
    """TRUE where the text of a column does not fit: only such rows are marked, so most batches have an all-FALSE column."""
    return col(f"{name}:unfit")


def _rules() -> Iterator[Rule]:
    for name in CASTS:
        message = f"the value of `{name}` does not fit its type"
        yield Rule(f"{name}_type", "PMDATA111", "pre", name, message, unfit(name))
    for name in ("order_id", "customer_id", "email"):
        typed = col(f"{name}:typed")
        fits = ~unfit(name) if name in CASTS else None
        yield Rule(
            f"{name}_required", "PMDATA110", "pre", name, f"`{name}` is missing", typed.is_null(), fits
        )
    known = reduce(or_, (col("status") == status for status in ("new", "paid", "shipped", "cancelled")))
    yield Rule(
        "status_accepted_values", "PMDATA112", "pre", "status", "value of `status` is not among the accepted values",
        ~known.fill_null(True),
    )  # fmt: skip
    low = (col("qty:typed") < 1).fill_null(False)
    yield Rule("qty_range", "PMDATA113", "pre", "qty", "value of `qty` is out of range", low)
    outside = ~col("unit_price:typed").is_between(0.0, 100_000.0).fill_null(True)
    yield Rule("unit_price_range", "PMDATA113", "pre", "unit_price", "value of `unit_price` is out of range", outside)
    shaped = col("email:typed").str.contains(r"^[^ @]+@[^ @]+\.[a-z]+\z").fill_null(False)
    yield Rule("email_shape", "PMDATA120", "pre", "email", "value of `email` does not match the pattern", ~shaped)
    positive = (col("line_total") > 0.0).fill_null(False)
    yield Rule("total_positive", "PMDATA120", "post", None, "rule `total_positive` does not hold", ~positive)


RULES = tuple(_rules())
PRE = tuple(rule for rule in RULES if rule.phase == "pre")
POST = tuple(rule for rule in RULES if rule.phase == "post")


@dataclass(slots=True)
class Counts:
    """Rows by boundary, and failures by number of failed rules; counted from any thread."""

    rows: Counter[str] = field(default_factory=Counter)
    failures: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, **rows: int) -> None:
        with self.lock:
            self.rows.update(rows)

    def failed(self, rule: int) -> int:
        """Rows that failed a rule, by its number."""
        return sum(rows for number, rows in self.failures.items() if number >> rule & 1)


def typed(rows: pl.LazyFrame, counts: Counts) -> pl.LazyFrame:
    """Steps 2 and 3: the address cleaned, the columns cast; the text of the source stays beside the values."""
    types: dict[str, pl.DataType] = {"email:typed": pl.String()}
    for name, (_, dtype) in CASTS.items():
        types |= {f"{name}:typed": dtype, f"{name}:unfit": pl.Boolean()}

    def cast(batch: pl.DataFrame) -> pl.DataFrame:
        counts.add(read=batch.height)
        made = [trimmed(batch.get_column("email")).str.to_lowercase().alias("email:typed")]
        for name, (read, _) in CASTS.items():
            values, bad = read(batch.get_column(name))
            made += [values.alias(f"{name}:typed"), bad.alias(f"{name}:unfit")]
        return batch.with_columns(made)

    return rows.map_batches(
        cast, schema=pl.Schema({**rows.collect_schema(), **types}), predicate_pushdown=False,
        projection_pushdown=False, slice_pushdown=False, streamable=True,
    )  # fmt: skip


def judged(rows: pl.LazyFrame, counts: Counts) -> pl.LazyFrame:
    """Steps 4 to 7: both flags. No total overflows: a good price is at most 100,000, and a quantity has 64 bits."""

    def count(batch: pl.DataFrame) -> pl.DataFrame:
        bad = int(batch.get_column("bad").sum())
        rejected = int(batch.get_column("rejected").sum())
        counts.add(good=batch.height - bad, accepted=batch.height - rejected)
        return batch

    rows = rows.with_columns(
        (col("qty:typed") * col("unit_price:typed")).alias("line_total"),
        pl.any_horizontal(rule.failed for rule in PRE).alias("bad"),
    )
    rows = rows.with_columns((col("bad") | pl.any_horizontal(rule.failed for rule in POST)).alias("rejected"))
    return rows.map_batches(
        count, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False, streamable=True
    )


def country(countries: Path) -> pl.Expr:
    """A small lookup as CASE; a key that occurs twice would multiply rows."""
    table = pl.read_parquet(countries, columns=["code", "name"]).filter(col("code").is_not_null())
    if table.get_column("code").is_duplicated().any():
        raise ValueError("a country code occurs twice")
    name: pl.Expr = pl.lit("Unknown")
    for code, text in table.iter_rows():
        if text is not None:
            name = pl.when(col("country_code") == code).then(pl.lit(text)).otherwise(name)
    return name.alias("country_name")


def accepted(rows: pl.LazyFrame, countries: Path) -> pl.LazyFrame:
    """The columns of the target."""
    values = [col(f"{n}:typed").alias(n) if n in CASTS or n == "email" else col(n) for n in COLUMNS]
    return rows.filter(~col("rejected")).select(*values, "line_total", country(countries))


def quarantine(rows: pl.LazyFrame, countries: Path, counts: Counts, run: Run) -> pl.LazyFrame:
    """The bad rows in the shape of every quarantine table."""
    late = ~col("bad")
    failures = pl.sum_horizontal(
        (rule.failed if rule.fits is None else rule.failed & rule.fits).and_(late if rule.phase == "post" else True)
        .cast(pl.Int32) * 2**number
        for number, rule in enumerate(RULES)
    )  # fmt: skip
    hidden = pl.when(col("email").is_not_null()).then(pl.lit("[redacted]")).alias("email")
    texts = [hidden if name == "email" else (col(name) + "").alias(name) for name in COLUMNS]  # frees the batch's text
    raw = pl.struct(hidden if name == "email" else col(name) for name in sorted(COLUMNS)).struct.json_encode()
    total = pl.when(late).then(col("line_total")).map_elements(repr, return_dtype=pl.String, skip_nulls=True)
    errors = Errors(counts)
    return rows.filter("rejected").select(
        *texts,
        total.alias("line_total"),
        pl.when(late).then(country(countries)).alias("country_name"),
        failures.map_batches(errors.look_up, return_dtype=errors.dtype, is_elementwise=True).alias("_etlgen_errors"),
        raw.alias("_etlgen_raw"),
        pl.lit(1, dtype=pl.Int32).alias("_etlgen_raw_step"),
        pl.lit("orders").alias("_etlgen_contract"),
        pl.lit("1.0.0").alias("_etlgen_contract_version"),
        pl.lit("orders_benchmark.orders").alias("_etlgen_pipeline"),
        pl.when(late).then(pl.lit("post-quality")).otherwise(pl.lit("pre-quality")).alias("_etlgen_node"),
        pl.lit(run.id).alias("_etlgen_run_id"),
        pl.lit(run.started_at, dtype=pl.Datetime("us", "UTC")).alias("_etlgen_quarantined_at"),
        pl.lit("orders.csv").alias("_etlgen_source"),
    )


class Errors:
    """From the number of failed rules to the list of errors; a list is built when its number is first seen."""

    dtype = pl.List(pl.Struct(dict.fromkeys(("code", "rule", "phase", "field", "message"), pl.String)))

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._known: tuple[dict[int, int], pl.Series, pl.Series] = ({}, *self._tables({}))

    def look_up(self, numbers: pl.Series) -> pl.Series:
        found = dict(numbers.value_counts().iter_rows())
        if 0 in found:
            raise ValueError("a bad row has no reason")
        with self._counts.lock:
            self._counts.failures.update(found)
            places, _, _ = self._known
            if new := [number for number in found if number not in places]:
                places = {number: place for place, number in enumerate((*places, *new))}
                self._known = (places, *self._tables(places))
            _, index, lists = self._known
        return lists.gather(index.gather(numbers))

    def _tables(self, places: dict[int, int]) -> tuple[pl.Series, pl.Series]:
        index = [0] * (max(places, default=0) + 1)
        for number, place in places.items():
            index[number] = place
        lists = [[rule.error for bit, rule in enumerate(RULES) if number >> bit & 1] for number in places]
        return pl.Series(index, dtype=pl.UInt32), pl.Series(lists, dtype=self.dtype)


@dataclass(frozen=True, slots=True)
class Run:
    """One run and its places."""

    id: str
    started_at: dt.datetime
    staging: Path
    target: Path
    quarantine: Path

    @classmethod
    def begin(cls, folder: Path) -> Run:
        started_at = dt.datetime.now(dt.UTC)
        out = folder / "by_hand_full"
        run_id = f"{started_at:%Y%m%dT%H%M%S%f}-{secrets.token_hex(3)}"
        run = cls(run_id, started_at, out / "staging" / run_id, out / "orders", out / "orders__quarantine")
        for place in (run.staging / "target", run.target, run.quarantine):
            place.mkdir(parents=True, exist_ok=True)
        return run

    @property
    def part(self) -> str:
        return f"part-{self.id}.parquet"


def is_unique(path: Path) -> bool:
    """No two accepted rows share ``order_id``."""
    key = pl.scan_parquet(path).select("order_id").collect(engine="in-memory").to_series()
    return bool((key.slice(1) > key.head(-1)).all()) or key.n_unique() == len(key)


def stage(folder: Path, run: Run, counts: Counts) -> None:
    """Read once, write both tables; nothing is published before the bytes of the file are known to be well-formed."""
    late = LateValidations()
    countries = folder / "countries.parquet"
    try:
        path = folder / "orders.csv"
        found = scan_csv_file(path, path, CsvOptions(), COLUMNS, Reading(run.staging, late=late))
        if found.collect_schema().names() != list(COLUMNS):
            raise ValueError("the columns of the file are not those of the job")
        rows = judged(typed(found, counts), counts).cache()
        zstd = {"compression": "zstd", "compression_level": 2, "lazy": True}
        while True:
            pl.collect_all(
                [
                    accepted(rows, countries).sink_parquet(run.staging / "target" / run.part, **zstd),
                    quarantine(rows, countries, counts, run).sink_parquet(
                        run.staging / run.part, compression="lz4", statistics=False, maintain_order=False, lazy=True
                    ),
                ],
                engine="streaming",
            )
            if late.settle():
                return
            counts.rows.clear()
            counts.failures.clear()
    finally:
        late.stop()


def publish(run: Run) -> None:
    """To disk, then renamed into place: quarantine first; the folder of the target is exchanged as a whole."""
    for path, place in ((run.staging / run.part, run.quarantine), (run.staging / "target" / run.part, None)):
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
        if place is not None:
            os.rename(path, place / run.part)
    old = run.staging / "old"
    os.rename(run.target, old)
    os.rename(run.staging / "target", run.target)
    shutil.rmtree(run.staging)


def run(folder: Path) -> tuple[int, int, bool]:
    """Accepted and quarantined rows, and whether the dataset rules hold.

    Raises:
        ValueError: The accounts do not add up; nothing was published.
    """
    begun = time.perf_counter()
    job, counts = Run.begin(folder), Counts()
    stage(folder, job, counts)
    staged = job.staging / "target" / job.part
    good, bad = (_rows(path) for path in (staged, job.staging / job.part))
    rows = counts.rows
    bad_pre = sum(n for number, n in counts.failures.items() if number < 2 ** len(PRE))
    bad_post = sum(counts.failures.values()) - bad_pre
    if (rows["read"], rows["good"], rows["accepted"], bad) != (bad_pre + rows["good"], good + bad_post, good, bad_pre + bad_post):
        raise ValueError(f"the accounts do not add up: {rows}, {bad_pre}, {bad_post}, {good}, {bad}")
    rules = {"order_id_unique": is_unique(staged), "row_count_between": MIN_ROWS <= good <= MAX_ROWS}
    publish(job)
    report = {
        "run_id": job.id,
        "started_at": job.started_at.isoformat(),
        "duration_s": round(time.perf_counter() - begun, 6),
        "accounting": {**rows, "bad_pre": bad_pre, "bad_post": bad_post, "written": good, "quarantine_written": bad},
        "failed_rules": {rule.name: counts.failed(number) for number, rule in enumerate(RULES)},
        "dataset_rules": rules,
    }
    path = job.target.parent / f"{job.id}.json"
    path.with_suffix(".tmp").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    os.replace(path.with_suffix(".tmp"), path)
    return good, bad, all(rules.values())


def _rows(path: Path) -> int:
    return int(pl.scan_parquet(path).select(pl.len()).collect().item())


if __name__ == "__main__":
    print(*run(Path(sys.argv[1])))
