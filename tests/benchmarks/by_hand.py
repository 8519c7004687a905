"""The orders job by hand in Polars, as a good engineer writes it once: ``python by_hand.py FOLDER``.

It does less than the product: no exact casts, no error structs, no raw rows, no accounts, no validation of the file, no
atomic publication. One scan feeds both sinks; everything up to the accept/reject flag lies below one common node.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
from polars import col

COLUMNS = ("order_id", "customer_id", "email", "status", "qty", "unit_price", "country_code", "created_at")
CASTS = {
    "order_id": col("order_id").cast(pl.Int64, strict=False),
    "customer_id": col("customer_id").cast(pl.Int64, strict=False),
    "qty": col("qty").cast(pl.Int64, strict=False),
    "unit_price": col("unit_price").cast(pl.Float64, strict=False),
    "created_at": col("created_at").str.to_datetime("%Y-%m-%dT%H:%M:%S", time_unit="us", strict=False),
}


def typed(name: str) -> pl.Expr:
    """The column after its cast; the text stays under its own name."""
    return col(f"{name}__typed") if name in CASTS else col(name)


PRE = {
    **{f"{name}_type": typed(name).is_null() & col(name).is_not_null() for name in CASTS},
    "order_id_required": typed("order_id").is_null(),
    "customer_id_required": typed("customer_id").is_null(),
    "email_required": typed("email").is_null(),
    "status_accepted_values": ~col("status").is_in(["new", "paid", "shipped", "cancelled"]),
    "qty_range": typed("qty") < 1,
    "unit_price_range": ~typed("unit_price").is_between(0, 100_000),
    "email_shape": ~col("email").str.contains(r"^[^@ ]+@[^@ ]+\.[a-z]+$").fill_null(False),
}
POST = {"total_positive": ~(col("line_total") > 0).fill_null(False)}


def failed_names(rules: dict[str, pl.Expr]) -> pl.Expr:
    """Names of the failed rules: a joined text split again."""
    names = [pl.when(failed).then(pl.lit(name)) for name, failed in rules.items()]
    return pl.concat_str(names, separator=",", ignore_nulls=True).str.split(",")


def country(countries: Path) -> pl.Expr:
    """A small lookup as CASE."""
    name: pl.Expr = pl.lit("Unknown")
    for code, text in pl.read_parquet(countries).select("code", "name").iter_rows():
        name = pl.when(col("country_code") == code).then(pl.lit(text)).otherwise(name)
    return name


def run(folder: Path) -> tuple[int, int, bool]:
    """Accepted and quarantined rows, and whether ``order_id`` is unique."""
    out = folder / "by_hand"
    out.mkdir(exist_ok=True)
    rows = pl.scan_csv(folder / "orders.csv", infer_schema=False)
    rows = rows.with_columns(col("email").str.strip_chars().str.to_lowercase())
    rows = rows.with_columns(**{f"{name}__typed": cast for name, cast in CASTS.items()})
    rows = rows.with_columns(
        line_total=typed("qty") * typed("unit_price"), failed=pl.any_horizontal(*PRE.values()).fill_null(False)
    )
    rows = rows.with_columns(rejected=col("failed") | pl.any_horizontal(*POST.values()))
    accepted = rows.filter(~col("rejected")).select(*[typed(name).alias(name) for name in COLUMNS], "line_total")
    accepted = accepted.with_columns(country_name=country(folder / "countries.parquet"))
    quarantine = rows.filter(col("rejected")).select(
        *COLUMNS, failed_rules=pl.when(col("failed")).then(failed_names(PRE)).otherwise(failed_names(POST))
    )
    pl.collect_all(
        [
            accepted.sink_parquet(out / "accepted.parquet", compression="zstd", lazy=True),
            quarantine.sink_parquet(out / "quarantine.parquet", compression="zstd", lazy=True),
        ],
        engine="streaming",
    )
    good, bad = (
        pl.scan_parquet(out / name).select(pl.len()).collect().item()
        for name in ("accepted.parquet", "quarantine.parquet")
    )
    distinct = pl.scan_parquet(out / "accepted.parquet").select(col("order_id").n_unique()).collect(engine="in-memory")
    return good, bad, distinct.item() == good


if __name__ == "__main__":
    print(*run(Path(sys.argv[1])))
