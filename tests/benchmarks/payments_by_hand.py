"""The payments job by hand in Polars with all that the product must do: ``python -m tests.benchmarks.payments_by_hand FOLDER``.

Latest state of each payment, filter, join that multiplies, two splits. What makes it fast, beside what ``by_hand_full.py`` says:

* the latest state is found by window aggregates of the streaming engine; only states that tie in time are sorted;
* rows that the join multiplies have no source row to show, so the source's own text of the casts is all that is carried along;
* uniqueness is judged by one number for each pair, its hash; only where two are equal would the pairs be looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path

import polars as pl
from polars import col
from tests.benchmarks.casts_by_hand import decimals, integers, timestamps
from tests.benchmarks.duties import Counts, Errors, Rule, Run, any_failed, made, require, watched

COLUMNS = ("payment_id", "account_id", "receipt", "state", "amount", "updated_at")
CASTS = {
    "payment_id": (integers, pl.Int64()),
    "account_id": (integers, pl.Int64()),
    "amount": (decimals, pl.Decimal(12, 2)),
    "updated_at": (timestamps, pl.Datetime("us")),
}
JOINED = ("owner_id", "share", "portion")


def value(name: str) -> pl.Expr:
    """The column after its cast; the text stays under its own name."""
    return col(f"{name}:typed") if name in CASTS else col(name)


def _pre() -> Iterator[Rule]:
    for name in CASTS:
        message = f"the value of `{name}` does not fit its type"
        yield Rule(f"{name}_type", "PMDATA111", "pre", name, message, col(f"{name}:unfit"))
    for name in ("payment_id", "account_id", "receipt"):
        fits = ~col(f"{name}:unfit") if name in CASTS else None
        yield Rule(f"{name}_required", "PMDATA110", "pre", name, f"`{name}` is missing", value(name).is_null(), fits)
    known = reduce(or_, (col("state") == state for state in ("open", "settled", "void")))
    message = "value of `state` is not among the accepted values"
    yield Rule("state_accepted_values", "PMDATA112", "pre", "state", message, ~known.fill_null(True))
    low = (value("amount") < 0).fill_null(False)
    yield Rule("amount_range", "PMDATA113", "pre", "amount", "value of `amount` is out of range", low)
    missing = value("updated_at").is_null()
    message = "`updated_at` is missing"
    yield Rule("updated_at_required", "PMDATA110", "pre", "updated_at", message, missing, ~col("updated_at:unfit"))


PRE = tuple(_pre())
POST = (
    Rule(
        "portion_positive", "PMDATA120", "post", None, "rule `portion_positive` does not hold",
        ~(col("portion") > 0.0).fill_null(False),
    ),
)  # fmt: skip


def typed(rows: pl.LazyFrame, counts: Counts) -> pl.LazyFrame:
    """Steps 3 and 4: the columns cast, the text of the source beside them, the flag."""
    types: dict[str, pl.DataType] = {}
    for name, (_, dtype) in CASTS.items():
        types |= {f"{name}:typed": dtype, f"{name}:unfit": pl.Boolean()}

    def cast(batch: pl.DataFrame) -> pl.DataFrame:
        counts.add(read=batch.height)
        found: list[pl.Series] = []
        for name, (read, _) in CASTS.items():
            values, unfit = read(batch.get_column(name))
            found += [values.alias(f"{name}:typed"), unfit.alias(f"{name}:unfit")]
        return batch.with_columns(found)

    rows = made(rows, cast, pl.Schema({**rows.collect_schema(), **types}))
    return rows.with_columns(any_failed(PRE).alias("bad"))


def latest(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Operation 1. A good row has a key and a time."""
    key, time = value("payment_id"), value("updated_at")
    rows = rows.filter(time == time.max().over(key))
    rows = rows.with_columns((pl.len().over(key) > 1).alias("tied")).cache()
    order = [value(name) for name in ("account_id", "receipt", "state", "amount")]
    first = rows.filter("tied").sort(order, nulls_last=True)
    return pl.union([rows.filter(~col("tied")), first.unique("payment_id:typed", keep="first", maintain_order=True)])


def enriched(good: pl.LazyFrame, folder: Path, counts: Counts) -> pl.LazyFrame:
    """Operations 1 to 4, each with its rows counted on its own, and the flag of step 7."""
    owners = (
        pl.scan_parquet(folder / "owners.parquet")
        .select("account", "owner_id", "share", rank=pl.int_range(pl.len()).over("account"))
        .collect()
    )

    def passed(batch: pl.DataFrame) -> None:
        counts.add(deduplicated=batch.height, filtered=int((batch.get_column("state") != "void").sum()))

    def joined(batch: pl.DataFrame) -> None:
        partners = int((batch.get_column("rank") == 0).sum())
        counts.add(matched=partners, multiplied=batch.height - partners, enriched=batch.height)

    rows = watched(latest(watched(good, lambda batch: counts.add(good=batch.height))), passed)
    rows = rows.filter(col("state") != "void")
    rows = watched(rows.join(owners.lazy(), left_on="account_id:typed", right_on="account", how="inner"), joined)
    portion = value("amount").cast(pl.Float64) * col("share")
    portion = pl.when(portion.is_finite() | ~col("share").is_finite()).then(portion)
    return rows.with_columns(portion.alias("portion")).with_columns(any_failed(POST).alias("late"))


def early(bad: pl.LazyFrame, counts: Counts, run: Run) -> pl.LazyFrame:
    """Rows that are bad in step 4, in the shape of the quarantine table."""
    return bad.select(
        *((col(name) + "").alias(name) for name in COLUMNS),
        *(pl.lit(None, dtype=pl.String).alias(name) for name in JOINED),
        Errors(PRE, counts).expr(),
        pl.struct(sorted(COLUMNS)).struct.json_encode().alias("_etlgen_raw"),
        pl.lit(1, dtype=pl.Int32).alias("_etlgen_raw_step"),
        *run.columns(pl.lit("pre-quality")),
    )


def late(bad: pl.LazyFrame, counts: Counts, run: Run) -> pl.LazyFrame:
    """Rows that are bad in step 7: a join that multiplies came before, so there is no raw row."""
    floats = (col(name).map_elements(repr, return_dtype=pl.String, skip_nulls=True) for name in JOINED[1:])
    return bad.select(
        *((col(name) + "").alias(name) for name in COLUMNS),
        col("owner_id").cast(pl.String),
        *floats,
        Errors(POST, counts).expr(),
        pl.lit(None, dtype=pl.String).alias("_etlgen_raw"),
        pl.lit(None, dtype=pl.Int32).alias("_etlgen_raw_step"),
        *run.columns(pl.lit("post-quality")),
    )


def is_unique(path: Path) -> bool:
    """No receipt occurs twice with one owner."""
    pairs = pl.scan_parquet(path).select("receipt", "owner_id").drop_nulls()
    hashes = pairs.select(pl.struct("receipt", "owner_id").hash()).collect(engine="streaming").to_series()
    if hashes.n_unique() == len(hashes):
        return True
    return not pairs.group_by("receipt", "owner_id").len().filter(col("len") > 1).collect(engine="streaming").height


def run(folder: Path) -> tuple[int, int, bool]:
    """Accepted and quarantined rows, and whether the pairs are unique.

    Raises:
        ValueError: The accounts do not add up; nothing was published.
    """
    job, counts = Run.begin("payments", folder), Counts()

    def tables(found: pl.LazyFrame) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        rows = typed(found, counts).cache()
        carried = [*COLUMNS, *(f"{name}:typed" for name in CASTS)]
        made = enriched(rows.filter(~col("bad")).select(carried), folder, counts).cache()
        accepted = made.filter(~col("late")).select(*(value(name).alias(name) for name in COLUMNS), *JOINED)
        bad = [early(rows.filter("bad"), counts, job), late(made.filter("late"), counts, job)]
        return accepted, pl.union(bad)

    accepted, bad = job.stage(folder / "payments.csv", COLUMNS, counts, tables)
    rows, bad_pre, bad_post = counts.rows, counts.bad("pre"), counts.bad("post")
    require(
        read=(rows["read"], bad_pre + rows["good"]),
        enriched=(rows["enriched"], rows["matched"] + rows["multiplied"]),
        accepted=(rows["enriched"], bad_post + accepted),
        quarantined=(bad_pre + bad_post, bad),
    )
    unique = is_unique(job.staged)
    job.publish()
    job.report(
        accounting={**rows, "bad_pre": bad_pre, "bad_post": bad_post, "written": accepted, "quarantine_written": bad},
        failed_rules={**counts.failed(PRE, "pre"), **counts.failed(POST, "post")},
        dataset_rules={"receipt_owner_id_unique": unique},
    )
    return accepted, bad, unique


if __name__ == "__main__":
    print(*run(Path(sys.argv[1])))
