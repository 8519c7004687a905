"""What other shapes of the orders job cost: ``python -m tests.benchmarks.shapes [ROWS]``.

Fifty more row rules beside the job as it is, half of the rows bad beside none; in turn.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
from tests.benchmarks import orders_data
from tests.benchmarks.compare import Figures, generated_program, measure, middle, ratio
from tests.benchmarks.generated import HERE, generate

ROUNDS = 5
ORDERS = (HERE / "orders.olc.yaml").read_text(encoding="utf-8")
PROGRAM = generated_program("orders")

RULES = (
    "qty * unit_price < {n}000000", "length(email) <> {n}", "status <> 'status {n}'", "unit_price <> {n}.005",
    "country_code <> 'X{n}' OR qty > 0",
)  # fmt: skip


def with_more_rules(text: str, count: int = 50) -> str:
    """The contract with so many more row rules, which nearly every row passes."""
    rules = (f'    - {{ name: rule_{n}, sql: "{RULES[n % len(RULES)].format(n=n + 1)}" }}\n' for n in range(count))
    return text.replace("  row_rules:\n", "  row_rules:\n" + "".join(rules))


def clean(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with every fault mended, so that all are accepted."""
    return rows.with_columns(
        pl.col("customer_id").fill_null("1"),
        pl.when(pl.col("email").fill_null("") == "")
        .then(pl.lit("  User@Example.com "))
        .otherwise("email")
        .alias("email"),
        pl.col("status").replace("bogus", "new"),
        pl.col("qty").replace(["n/a", "-1", "0"], "3"),
        pl.col("unit_price").replace(["0.00", "1000000.00"], "5.00"),
        pl.col("created_at").replace("2026-13-01T10:00:00", "2026-01-01T10:00:00"),
    )


def half_bad(rows: pl.DataFrame) -> pl.DataFrame:
    """Every second row has a quantity below 1, every sixth a word for it."""
    row = pl.int_range(pl.len())
    bad = pl.when(row % 6 == 0).then(pl.lit("n/a")).when(row % 2 == 0).then(pl.lit("0"))
    return clean(rows).with_columns(qty=pl.coalesce(bad, "qty"))


def write(folder: Path, rows: int, shape: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    """The data of the orders job in another shape."""
    orders_data.write(folder, 0)
    with (folder / "orders.csv").open("wb") as file:
        for first in range(0, rows, orders_data.CHUNK_ROWS):
            some = orders_data.orders(first, min(orders_data.CHUNK_ROWS, rows - first))
            shape(some).write_csv(file, include_header=first == 0)
    return folder


def beside(
    one: tuple[Path, Path], other: tuple[Path, Path], rounds: int = ROUNDS
) -> tuple[list[Figures], list[Figures]]:
    """Figures of two (data, package), in turn."""
    pairs = [(measure(PROGRAM, *one), measure(PROGRAM, *other)) for _ in range(rounds + 1)][1:]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def line(name: str, those: list[Figures], these: list[Figures]) -> str:
    """One row of the table in docs/benchmarks.md."""
    return (
        f"| {name} | {middle(those, 'wall_s'):.2f} | {middle(these, 'wall_s'):.2f} | {ratio(those, these, 'wall_s'):.2f} "
        f"| {ratio(those, these, 'cpu_s'):.2f} |"
    )


def main() -> None:
    rows = int(sys.argv[1]) if sys.argv[1:] else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, ruled = folder / "plain", folder / "ruled"
        for package, text in ((plain, ORDERS), (ruled, with_more_rules(ORDERS))):
            package.mkdir()
            generate("orders", package, text=text)
        data = write(folder / "as it is", rows, lambda frame: frame)
        good, half = write(folder / "clean", rows, clean), write(folder / "half", rows, half_bad)
        print("| shape | s | beside it, s | ratio | processor time |")
        print("|---|---:|---:|---:|---:|")
        print(line("50 more row rules, beside the job as it is", *beside((data, ruled), (data, plain))), flush=True)
        print(line("half of the rows bad, beside none", *beside((half, plain), (good, plain))), flush=True)


if __name__ == "__main__":
    main()
