"""Deterministic input of the orders job: ``python -m tests.benchmarks.orders_data ROWS FOLDER``.

One row in a hundred or so is wrong in one of these ways: no customer, no email, an empty email, an unknown status, a
quantity below 1, a quantity or a date that is none, a price of 0 (fails only after the total is derived) or too high.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

COUNTRIES = {"GB": "United Kingdom", "US": "United States", "DE": "Germany", "FR": "France"}
CHUNK_ROWS = 1_000_000


def orders(first: int, rows: int) -> pl.DataFrame:
    """Rows ``first`` to ``first + rows``, every column text as in the file."""
    row = pl.col("row")
    noise = row.hash(seed=7)

    def every(n: int, offset: int = 0) -> pl.Expr:
        return row % n == offset

    def pick(values: list[str], shift: int) -> pl.Expr:
        return (noise // shift % len(values)).replace_strict(list(range(len(values))), values)

    qty = (noise // 31 % 21).cast(pl.Int64) - 1
    price = (noise // 1009 % 49_950 + 50).cast(pl.Int64)
    email = pl.format("  User{}@Example.com ", row % 50_000)
    return pl.select(pl.int_range(first, first + rows).alias("row")).select(
        order_id=row.cast(pl.String),
        customer_id=pl.when(~every(1009, 5)).then((noise // 7 % 99_999 + 1).cast(pl.String)),
        email=pl.when(~every(131)).then(pl.when(every(97)).then(pl.lit("")).otherwise(email)),
        status=pl.when(every(100, 3)).then(pl.lit("bogus")).otherwise(pick(["new", "paid", "shipped", "cancelled"], 3)),
        qty=pl.when(every(1511, 7)).then(pl.lit("n/a")).otherwise(qty.cast(pl.String)),
        unit_price=pl.when(every(2003, 11))
        .then(pl.lit("0.00"))
        .when(every(3001, 13))
        .then(pl.lit("1000000.00"))
        .otherwise(pl.format("{}.{}", price // 100, (price % 100).cast(pl.String).str.zfill(2))),
        country_code=pick([*COUNTRIES, "XX"], 11),
        created_at=pl.when(every(4001, 17))
        .then(pl.lit("2026-13-01T10:00:00"))
        .otherwise(pl.format("2026-01-{}T10:00:00", (1 + row % 28).cast(pl.String).str.zfill(2))),
    )


def write(folder: Path, rows: int) -> None:
    """``orders.csv`` and ``countries.parquet``, in pieces: memory does not grow with ``rows``."""
    folder.mkdir(parents=True, exist_ok=True)
    countries = pl.DataFrame({"code": list(COUNTRIES), "name": list(COUNTRIES.values())})
    countries.write_parquet(folder / "countries.parquet")
    with (folder / "orders.csv").open("wb") as file:
        for first in range(0, rows, CHUNK_ROWS):
            orders(first, min(CHUNK_ROWS, rows - first)).write_csv(file, include_header=first == 0)


if __name__ == "__main__":
    write(Path(sys.argv[2]), int(sys.argv[1]))
