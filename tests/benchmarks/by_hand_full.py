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

import sys
from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path

import polars as pl
from polars import col
from tests.benchmarks.casts_by_hand import floats, integers, timestamps, trimmed
from tests.benchmarks.duties import Counts, Errors, Rule, Run, any_failed, made, require, watched

COLUMNS = ("order_id", "customer_id", "email", "status", "qty", "unit_price", "country_code", "created_at")
CASTS = {
    "order_id": (integers, pl.Int64()),
    "customer_id": (integers, pl.Int64()),
    "qty": (integers, pl.Int64()),
    "unit_price": (floats, pl.Float64()),
    "created_at": (timestamps, pl.Datetime("us")),
}
MIN_ROWS, MAX_ROWS = 1, 100_000_000


def _rules() -> Iterator[Rule]:
    for name in CASTS:
        message = f"the value of `{name}` does not fit its type"
        yield Rule(f"{name}_type", "PMDATA111", "pre", name, message, col(f"{name}:unfit"))
    for name in ("order_id", "customer_id", "email"):
        missing = col(f"{name}:typed").is_null()
        fits = ~col(f"{name}:unfit") if name in CASTS else None
        yield Rule(f"{name}_required", "PMDATA110", "pre", name, f"`{name}` is missing", missing, fits)
    known = reduce(or_, (col("status") == status for status in ("new", "paid", "shipped", "cancelled")))
    message = "value of `status` is not among the accepted values"
    yield Rule("status_accepted_values", "PMDATA112", "pre", "status", message, ~known.fill_null(True))
    low = (col("qty:typed") < 1).fill_null(False)
    yield Rule("qty_range", "PMDATA113", "pre", "qty", "value of `qty` is out of range", low)
    outside = ~col("unit_price:typed").is_between(0.0, 100_000.0).fill_null(True)
    yield Rule("unit_price_range", "PMDATA113", "pre", "unit_price", "value of `unit_price` is out of range", outside)
    shaped = col("email:typed").str.contains(r"^[^ @]+@[^ @]+\.[a-z]+\z").fill_null(False)
    yield Rule("email_shape", "PMDATA120", "pre", "email", "value of `email` does not match the pattern", ~shaped)
    positive = (col("line_total") > 0.0).fill_null(False)
    message = "rule `total_positive` does not hold"
    yield Rule("total_positive", "PMDATA120", "post", None, message, ~positive & ~col("bad"))


RULES = tuple(_rules())
PRE, POST = RULES[:-1], RULES[-1:]


def typed(rows: pl.LazyFrame, counts: Counts) -> pl.LazyFrame:
    """Steps 2 and 3: the address cleaned, the columns cast; the text of the source stays beside the values."""
    types: dict[str, pl.DataType] = {"email:typed": pl.String()}
    for name, (_, dtype) in CASTS.items():
        types |= {f"{name}:typed": dtype, f"{name}:unfit": pl.Boolean()}

    def cast(batch: pl.DataFrame) -> pl.DataFrame:
        counts.add(read=batch.height)
        found = [trimmed(batch.get_column("email")).str.to_lowercase().alias("email:typed")]
        for name, (read, _) in CASTS.items():
            values, unfit = read(batch.get_column(name))
            found += [values.alias(f"{name}:typed"), unfit.alias(f"{name}:unfit")]
        return batch.with_columns(found)

    return made(rows, cast, pl.Schema({**rows.collect_schema(), **types}))


def judged(rows: pl.LazyFrame, counts: Counts) -> pl.LazyFrame:
    """Steps 4 to 7: both flags. No total overflows: a good price is at most 100,000, and a quantity has 64 bits."""

    def count(batch: pl.DataFrame) -> None:
        bad, rejected = (int(batch.get_column(name).sum()) for name in ("bad", "rejected"))
        counts.add(good=batch.height - bad, accepted=batch.height - rejected)

    total = (col("qty:typed") * col("unit_price:typed")).alias("line_total")
    rows = rows.with_columns(total, any_failed(PRE).alias("bad"))
    return watched(rows.with_columns((col("bad") | any_failed(POST)).alias("rejected")), count)


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
    hidden = pl.when(col("email").is_not_null()).then(pl.lit("[redacted]")).alias("email")
    texts = [hidden if name == "email" else (col(name) + "").alias(name) for name in COLUMNS]  # frees the batch's text
    raw = pl.struct(hidden if name == "email" else col(name) for name in sorted(COLUMNS)).struct.json_encode()
    total = pl.when(late).then(col("line_total")).map_elements(repr, return_dtype=pl.String, skip_nulls=True)
    return rows.filter("rejected").select(
        *texts,
        total.alias("line_total"),
        pl.when(late).then(country(countries)).alias("country_name"),
        Errors(RULES, counts).expr(),
        raw.alias("_etlgen_raw"),
        pl.lit(1, dtype=pl.Int32).alias("_etlgen_raw_step"),
        *run.columns(pl.when(late).then(pl.lit("post-quality")).otherwise(pl.lit("pre-quality"))),
    )


def is_unique(path: Path) -> bool:
    """No two accepted rows share ``order_id``."""
    key = pl.scan_parquet(path).select("order_id").collect(engine="in-memory").to_series()
    return bool((key.slice(1) > key.head(-1)).all()) or key.n_unique() == len(key)


def run(folder: Path) -> tuple[int, int, bool]:
    """Accepted and quarantined rows, and whether the dataset rules hold.

    Raises:
        ValueError: The accounts do not add up; nothing was published.
    """
    job, counts, countries = Run.begin("orders", folder), Counts(), folder / "countries.parquet"

    def tables(found: pl.LazyFrame) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        rows = judged(typed(found, counts), counts).cache()
        return accepted(rows, countries), quarantine(rows, countries, counts, job)

    good, bad = job.stage(folder / "orders.csv", COLUMNS, counts, tables)
    rows, bad_pre, bad_post = counts.rows, counts.bad("pre"), counts.bad("post")
    require(
        read=(rows["read"], bad_pre + rows["good"]),
        good=(rows["good"], bad_post + rows["accepted"]),
        accepted=(rows["accepted"], good),
        quarantined=(bad_pre + bad_post, bad),
    )
    rules = {"order_id_unique": is_unique(job.staged), "row_count_between": MIN_ROWS <= good <= MAX_ROWS}
    job.publish()
    job.report(
        accounting={**rows, "bad_pre": bad_pre, "bad_post": bad_post, "written": good, "quarantine_written": bad},
        failed_rules=counts.failed(RULES, "pre", "post"),
        dataset_rules=rules,
    )
    return good, bad, all(rules.values())


if __name__ == "__main__":
    print(*run(Path(sys.argv[1])))
