"""Which moments are tried: before every change of a file, in the middle of the scan, and at random."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.kill.prison import Kill, Prison, prison
from tests.kill.scenarios import SCENARIOS, Scenario


def every_change(place: Prison, step: int = 1, first: int = 1) -> Iterator[Kill]:
    """Kills before each change, so also after each but the last; ``step`` leaves some out.

    What follows the last change has no trace: the journal is gone, and the run is over.
    """
    for number in range(first, len(place.changes) + 1, step):
        yield place.kill(f"before change {number}: {place.changes[number - 1]}", at=number)


def in_the_scan(place: Prison) -> Iterator[Kill]:
    """Kills from the engine's threads, while rows are read."""
    for rows in (1, place.scenario.many_rows // 3, place.scenario.many_rows * 2 // 3):
        yield place.kill(f"once {rows} rows are read", rows=rows)


def at_random(place: Prison, moments: int, seed: int) -> Iterator[Kill]:
    """Kills from outside, at moments spread over the run and a little beyond."""
    generator = random.Random(f"{seed} {place.scenario.name}")
    for _ in range(moments):
        delay = generator.uniform(0, place.duration_s * 1.1)
        yield place.kill(f"after {delay * 1000:.1f} ms", delay_s=delay)


def long_round(seed: int, moments: int, names: Iterable[str] = ()) -> Iterator[tuple[Scenario, list[Kill], str]]:
    """Everything, scenario by scenario; the text is the reason for which one was left out."""
    chosen = [scenario for scenario in SCENARIOS if not names or scenario.name in names]
    for number, scenario in enumerate(chosen):
        share = moments // len(chosen) + (number < moments % len(chosen))
        with tempfile.TemporaryDirectory() as folder:
            try:
                with prison(scenario, Path(folder)) as place:
                    kills = [*(in_the_scan(place) if scenario.many_rows else every_change(place))]
                    kills += at_random(place, share, seed)
            except LookupError as reason:
                yield scenario, [], str(reason)
            else:
                yield scenario, kills, ""


def by_phase(kills: Iterable[Kill]) -> str:
    """How far the killed runs had come, for people."""
    found = Counter(kill.phase for kill in kills)
    return ", ".join(f"{phase} {count}" for phase, count in found.items())
