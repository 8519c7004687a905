"""Deterministic input of the payments job: ``python -m tests.benchmarks.payments_data ROWS FOLDER``.

Seven in ten rows bring a payment of their own, in no order; the others are a second state of one of them, a few at the very same
second. A tenth of the payments is void. An account has none to three owners. Some rows are wrong: no account, an unknown
state, an amount or a date that is none, an amount below 0, or of 0 (which fails only after the join).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import polars as pl

ACCOUNTS = 50_000
CHUNK_ROWS = 1_000_000
STEP = 1_000_003
"""Prime: multiplied by it, row numbers are scattered over all payments."""


def payments(first: int, rows: int, distinct: int) -> pl.DataFrame:
    """Rows ``first`` to ``first + rows`` of a file with so many ``distinct`` payments, every column text as in the file."""
    row = pl.col("row")
    noise, own = row.hash(seed=11), pl.col("payment").hash(seed=13)

    def every(n: int, offset: int = 0) -> pl.Expr:
        return row % n == offset

    second = pl.when(every(50, 1)).then(own // 7 % 31_000_000).otherwise(noise % 31_000_000).cast(pl.Int64)
    cents = (noise // 1009 % 900_000 + 1).cast(pl.Int64)
    moment = pl.lit("2026-01-01T00:00:00").str.to_datetime(time_unit="us") + pl.duration(seconds=second)
    void = pl.when(own % 10 == 3).then(pl.lit("void"))
    return pl.select(pl.int_range(first, first + rows).alias("row")).select(
        "row", (row * STEP % distinct).alias("payment")
    ).select(
        payment_id=pl.col("payment").cast(pl.String),
        account_id=pl.when(~every(1009, 5)).then((own // 3 % ACCOUNTS).cast(pl.String)),
        receipt=pl.format("R-{}", pl.col("payment").cast(pl.String).str.zfill(10)),
        state=pl.when(every(200, 3)).then(pl.lit("bogus")).otherwise(
            pl.coalesce(void, pl.when(noise % 3 == 0).then(pl.lit("open")).otherwise(pl.lit("settled")))
        ),
        amount=pl.when(every(1511, 7)).then(pl.lit("n/a")).when(every(301, 11)).then(pl.lit("-1.00"))
        .when(every(401, 13)).then(pl.lit("0.00"))
        .otherwise(pl.format("{}.{}", cents // 100, (cents % 100).cast(pl.String).str.zfill(2))),
        updated_at=pl.when(every(4001, 17)).then(pl.lit("2026-13-01T10:00:00"))
        .otherwise(moment.dt.to_string("%Y-%m-%dT%H:%M:%S")),
    )  # fmt: skip


def owners() -> pl.DataFrame:
    """Reference data: none to three owners an account."""
    return (
        pl.select(account=pl.int_range(ACCOUNTS))
        .with_columns(number=pl.int_ranges(0, pl.col("account") % 4))
        .explode("number", empty_as_null=False)
        .select("account", owner_id=pl.col("account") * 10 + pl.col("number"), share=1.0 / (pl.col("account") % 4))
    )


def write(folder: Path, rows: int) -> None:
    """``payments.csv`` and ``owners.parquet``, in pieces: memory does not grow with ``rows``."""
    folder.mkdir(parents=True, exist_ok=True)
    owners().write_parquet(folder / "owners.parquet")
    distinct = max(rows * 7 // 10, 1)
    while math.gcd(distinct, STEP) > 1:
        distinct += 1
    with (folder / "payments.csv").open("wb") as file:
        for first in range(0, rows, CHUNK_ROWS):
            payments(first, min(CHUNK_ROWS, rows - first), distinct).write_csv(file, include_header=first == 0)


if __name__ == "__main__":
    write(Path(sys.argv[2]), int(sys.argv[1]))
