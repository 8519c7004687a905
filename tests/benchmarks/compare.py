"""The generated orders pipeline beside the job by hand: ``python -m tests.benchmarks.compare [ROWS ...]``.

Both run in turn, each in a fresh process over the same file (page cache warm); printed are the medians of wall seconds
without imports, of processor seconds, and of peak memory, and the median of the ratios pair by pair.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks import orders_data

from etlgen.emit import build_project
from etlgen.read import read_contract
from etlgen.resolve import resolve

HERE = Path(__file__).parent
PAIRS = 5

_TIMED = """
import json, resource, sys, time
{imports}
before = resource.getrusage(resource.RUSAGE_SELF)
start = time.perf_counter()
accepted, quarantined = {call}
wall = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([wall, cpu, after.ru_maxrss / 1024, accepted, quarantined]))
"""
GENERATED = _TIMED.format(
    imports="from pathlib import Path; from etlgen_runtime import Profile; from orders_benchmark.orders import polars_steps, run",
    call="(lambda c: (c.accepted, c.quarantined))(run(Profile(root=Path(sys.argv[1]))).report.accounting)",
)
BY_HAND = _TIMED.format(
    imports="from pathlib import Path; from tests.benchmarks.by_hand import run",
    call="run(Path(sys.argv[1]))[:2]",
)


@dataclass(frozen=True, slots=True)
class Figures:
    """One run: wall and processor seconds, peak memory of the process, rows accepted and quarantined."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    accepted: int
    quarantined: int


def generate(folder: Path) -> None:
    """The package ``orders_benchmark`` below ``folder``."""
    (contract,) = read_contract(HERE / "orders.olc.yaml", display="orders.olc.yaml")
    for path, text in build_project([resolve(contract)], package="orders_benchmark").items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def measure(program: str, data: Path, package: Path) -> Figures:
    """Run one program in a fresh process."""
    root = HERE.parent.parent
    paths = [package, root, root / "runtime"]
    done = subprocess.run(
        [sys.executable, "-c", program, str(data)],
        env={"PYTHONPATH": ":".join(map(str, paths)), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return Figures(*json.loads(done.stdout))


def compare(rows: int, pairs: int = PAIRS) -> tuple[list[Figures], list[Figures]]:
    """Figures of the generated pipeline and of the job by hand, pair by pair.

    Raises:
        ValueError: The two do not agree on the counts.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        orders_data.write(folder / "data", rows)
        generate(folder)
        measure(BY_HAND, folder / "data", folder)
        generated: list[Figures] = []
        by_hand: list[Figures] = []
        for _ in range(pairs):
            generated.append(measure(GENERATED, folder / "data", folder))
            by_hand.append(measure(BY_HAND, folder / "data", folder))
        counts = {(figures.accepted, figures.quarantined) for figures in generated + by_hand}
        if len(counts) != 1:
            raise ValueError(f"the two jobs do not agree: {counts}")
        return generated, by_hand


def line(rows: int, generated: list[Figures], by_hand: list[Figures]) -> str:
    """One row of the table in docs/benchmarks.md."""

    def middle(figures: list[Figures], name: str) -> float:
        return median(getattr(each, name) for each in figures)

    def ratio(name: str) -> float:
        return median(getattr(g, name) / getattr(h, name) for g, h in zip(generated, by_hand, strict=True))

    return (
        f"| {rows:,} | {middle(generated, 'wall_s'):.2f} | {middle(by_hand, 'wall_s'):.2f} | {ratio('wall_s'):.2f} "
        f"| {ratio('cpu_s'):.2f} | {middle(generated, 'peak_mb'):.0f} | {middle(by_hand, 'peak_mb'):.0f} |"
    )


def main() -> None:
    print("| rows | generated, s | by hand, s | ratio | processor time, ratio | generated, MB | by hand, MB |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for rows in [int(each) for each in sys.argv[1:]] or [1_000_000, 10_000_000]:
        print(line(rows, *compare(rows)), flush=True)


if __name__ == "__main__":
    main()
