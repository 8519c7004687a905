"""Runs killed by SIGKILL, then one more run: the short profile. ``python -m tests.kill`` tries everything, and 300 random moments."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.kill.prison import Kill, prison
from tests.kill.rounds import at_random, every_change, in_the_scan
from tests.kill.scenarios import SCENARIOS, Scenario

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the victims are forked, and exchange folders")

WHOLE = ("overwrite_folder", "append_archive")
"""Killed before each change; the others before every third, beginning at another one each."""

SEED = 20240301
MOMENTS = 3


def wrong(kills: list[Kill]) -> list[str]:
    return [f"{kill.moment} ({kill.phase}): {'; '.join(kill.wrong)}" for kill in kills if kill.wrong]


@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=[scenario.name for scenario in SCENARIOS])
def test_killed_before_changes_of_files_and_at_random_moments(number: int, tmp_path: Path) -> None:
    scenario: Scenario = SCENARIOS[number]
    try:
        with prison(scenario, tmp_path) as place:
            if scenario.many_rows:
                kills = list(in_the_scan(place))
                assert {kill.phase for kill in kills} == {"staged"}, "killed while rows were read and staged"
            else:
                step = 1 if scenario.name in WHOLE else 3
                kills = list(every_change(place, step, 1 + number % step))
                assert {"nothing", "staged"} < {kill.phase for kill in kills}, "killed before and after the decision"
            kills += at_random(place, MOMENTS, SEED)
    except LookupError as reason:
        pytest.skip(str(reason))
    assert wrong(kills) == []


def test_the_changes_that_are_killed_are_those_that_matter(tmp_path: Path) -> None:
    """Were one of these not seen by the audit hook, no kill would hit beside it."""
    with prison(next(one for one in SCENARIOS if one.name == "append_archive"), tmp_path) as place:
        changes = " ".join(place.changes)
    for part in ("/journal/", "/staging/", "/runs/", "/archive/", "os.rename", "os.link", "os.remove", "shutil.rmtree"):
        assert part in changes
