"""A generated pipeline beside the same job by hand: ``python -m tests.benchmarks.compare JOB [ROWS ...]``.

All sides run in turn, each in a fresh process over the same file (page cache warm); printed are the medians of wall seconds
without imports and of peak memory, and the medians of the ratios pair by pair, of wall seconds, processor seconds and memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks import orders_data, payments_data
from tests.benchmarks.generated import HERE, generate

PAIRS = 5

TIMED = """
import json, resource, sys, time
from pathlib import Path
{imports}
before = resource.getrusage(resource.RUSAGE_SELF)
start = time.perf_counter()
accepted, quarantined = {call}
wall = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF)
cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([wall, cpu, after.ru_maxrss / 1024, accepted, quarantined]))
"""
"""One timed run below the folder that is the argument; what it writes is written again by the next."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job, written by hand in one way or several.

    Args:
        name: Of its contract.
        write: Writes so many rows of its data into a folder.
        by_hand: Modules of this package with ``run(folder)``, which gives accepted and quarantined rows first.
    """

    name: str
    write: Callable[[Path, int], None]
    by_hand: tuple[str, ...]

    def programs(self) -> dict[str, str]:
        """What is measured, by name."""
        return {"generated": generated_program(self.name)} | {side: _by_hand_program(side) for side in self.by_hand}


JOBS = {
    "orders": Job("orders", orders_data.write, ("by_hand_full", "by_hand")),
    "payments": Job("payments", payments_data.write, ("payments_by_hand",)),
}


def generated_program(job: str) -> str:
    """The generated pipeline of a job as a program; its engine is imported before the clock runs, as by hand."""
    return TIMED.format(
        imports=f"from etlgen_runtime import Profile; from {job}_benchmark.{job} import polars_steps, run",
        call="(lambda c: (c.accepted, c.quarantined))(run(Profile(root=Path(sys.argv[1]))).report.accounting)",
    )


def _by_hand_program(module: str) -> str:
    return TIMED.format(imports=f"from tests.benchmarks.{module} import run", call="run(Path(sys.argv[1]))[:2]")


@dataclass(frozen=True, slots=True)
class Figures:
    """One run: wall and processor seconds, peak memory of the process, rows accepted and quarantined."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    accepted: int
    quarantined: int


def measure(program: str, data: Path, package: Path) -> Figures:
    """Run one program in a fresh process."""
    root = HERE.parent.parent
    paths = [package, root, root / "runtime"]
    done = subprocess.run(
        [sys.executable, "-c", program, str(data)],
        env={"PYTHONPATH": ":".join(map(str, paths)), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Figures(*json.loads(done.stdout))


def in_turn(programs: dict[str, str], data: Path, package: Path, pairs: int = PAIRS) -> dict[str, list[Figures]]:
    """Figures of each program, one round after the other; a round before the first warms the page cache.

    Raises:
        ValueError: They do not agree on the counts.
    """
    found: dict[str, list[Figures]] = {name: [] for name in programs}
    measure(next(iter(programs.values())), data, package)
    for _ in range(pairs):
        for name, program in programs.items():
            found[name].append(measure(program, data, package))
    counts = {(figures.accepted, figures.quarantined) for each in found.values() for figures in each}
    if len(counts) != 1:
        raise ValueError(f"the jobs do not agree: {counts}")
    return found


def compare(job: Job, rows: int, pairs: int = PAIRS) -> dict[str, list[Figures]]:
    """Figures of the generated pipeline and of the same job by hand."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        job.write(folder / "data", rows)
        generate(job.name, folder)
        return in_turn(job.programs(), folder / "data", folder, pairs)


def middle(figures: Sequence[Figures], name: str) -> float:
    """The median of one figure."""
    return median(getattr(each, name) for each in figures)


def ratio(those: Sequence[Figures], these: Sequence[Figures], name: str) -> float:
    """The median of the ratios pair by pair."""
    return median(getattr(a, name) / getattr(b, name) for a, b in zip(those, these, strict=True))


def lines(rows: int, found: dict[str, list[Figures]]) -> list[str]:
    """Rows of the table in docs/benchmarks.md: the generated pipeline against each way by hand."""
    generated = found["generated"]
    return [
        f"| {rows:,} | `{side}` | {middle(generated, 'wall_s'):.2f} | {middle(other, 'wall_s'):.2f} "
        f"| {ratio(generated, other, 'wall_s'):.2f} | {ratio(generated, other, 'cpu_s'):.2f} "
        f"| {middle(generated, 'peak_mb'):.0f} | {middle(other, 'peak_mb'):.0f} | {ratio(generated, other, 'peak_mb'):.2f} |"
        for side, other in found.items()
        if side != "generated"
    ]


def main() -> None:
    job = JOBS[sys.argv[1] if sys.argv[1:] else "orders"]
    print(
        "| rows | by hand | generated, s | by hand, s | ratio | processor time | generated, MB | by hand, MB | memory |"
    )
    print("|---:|---|---:|---:|---:|---:|---:|---:|---:|")
    for rows in [int(each) for each in sys.argv[2:]] or [1_000_000, 10_000_000]:
        print(*lines(rows, compare(job, rows)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
