"""The long profile of the hostile contracts: ``python -m tests.hostile [--contracts 1000] [--seed N]``.

Prints the seed and what became of each contract; exits with 1 where one ended in a traceback, gave a wrong result, or ran what
was planted in it.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.hostile.contracts import Case, make_case
from tests.hostile.plants import plants
from tests.hostile.project import Outcome, outcomes, read_aloud

SOUND = "of legal names and texts"
BROKEN = "broken on purpose"
PLANTS = "planted, one place each"
_TOGETHER = 40
"""Contracts in one generated project."""


def main() -> int:
    """Make, build and run all; the number of failures decides the exit code."""
    options = _options()
    print(
        f"seed {options.seed}, {options.contracts} contracts of legal names and texts, half OLC and half ODCS",
        flush=True,
    )
    started = time.perf_counter()
    counts: Counter[tuple[str, str, str]] = Counter()
    failures: list[tuple[str, Outcome]] = []
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        (Path(folder) / "in.csv").write_text("a,b\nx,1\n", encoding="utf-8")
        for group, cases in _groups(options):
            package = f"hostile_{sum(counts.values())}"
            found = outcomes(cases, Path(folder), package)
            found += [Outcome(case, "steers", steer) for case in cases if (steer := read_aloud(case, Path(folder)))]
            counts.update((group, one.case.vocabulary, one.kind) for one in found)
            failures += [(group, one) for one in found if one.is_failure or one.kind == "steers"]
            print(f"{sum(counts.values())} contracts, {len(failures)} failures", end="\r", file=sys.stderr, flush=True)
            if group == SOUND and cases[0].number < options.mypy:
                _check_types(package)
        os.chdir("/")
    for group, one in failures[:10]:
        print(
            f"\n{group}, {one.case.vocabulary} {one.case.number}: {one.kind}\n{one.detail[-3000:]}\n{one.case.text[:3000]}"
        )
    print(f"\n{_table(counts)}\n{time.perf_counter() - started:.0f} s; failures: {len(failures)}")
    return 1 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--contracts", type=int, default=1000, help="contracts that must build and run")
    parser.add_argument("--broken", type=int, default=500, help="contracts broken on purpose")
    parser.add_argument(
        "--texts", type=int, default=4, help="planted texts for each place, other ones from place to place"
    )
    parser.add_argument("--mypy", type=int, default=_TOGETHER, help="contracts whose code is type-checked")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    return parser.parse_args()


def _groups(options: argparse.Namespace) -> Iterator[tuple[str, Sequence[Case]]]:
    """What is built together, with the name of its row in the table."""
    for group, most in ((SOUND, options.contracts), (BROKEN, options.broken)):
        for cases in _in_parts(range(most)):
            yield (
                group,
                [make_case(n, options.seed, "olc" if n % 2 else "odcs", broken=group == BROKEN) for n in cases],
            )
    planted = list(plants(options.texts))
    for part in _in_parts(range(len(planted))):
        yield PLANTS, [planted[number].case(number) for number in part]


def _in_parts(numbers: Sequence[int]) -> Iterable[Sequence[int]]:
    return (numbers[start : start + _TOGETHER] for start in range(0, len(numbers), _TOGETHER))


def _check_types(package: str) -> None:
    """Strict mypy over a generated project.

    Raises:
        SystemExit: It finds something.
    """
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", package],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"mypy refuses the generated code:\n{done.stdout[-4000:]}{done.stderr[-1000:]}")
    print(f"mypy --strict: {done.stdout.strip()}", flush=True)


def _table(counts: Counter[tuple[str, str, str]]) -> str:
    kinds = ("right", "ran", "refused", "wrong", "traceback", "executed", "steers")
    head = f"| contracts | vocabulary | {' | '.join(kinds)} |\n|---|---|{'---:|' * len(kinds)}"
    rows = sorted({(group, vocabulary) for group, vocabulary, _ in counts})
    lines = [f"| {g} | {v} | {' | '.join(str(counts[g, v, kind]) for kind in kinds)} |" for g, v in rows]
    return "\n".join([head, *lines])


if __name__ == "__main__":
    sys.exit(main())
