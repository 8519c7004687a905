"""The accounting identities of semantics, section 6: they hold for honest counts and break for every lost row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from etlgen_runtime.report import Accounting, OperationCount

# 10 read; a pre filter removes 2 -> 8; 3 bad -> 5 good; a join adds 4 -> 9; a post filter removes 1 -> 8; 2 bad -> 6.
HONEST = Accounting(
    read=10,
    prepared=8,
    bad_pre=3,
    good=5,
    enriched=8,
    bad_post=2,
    accepted=6,
    operations=(
        OperationCount(phase="pre", operation="1", removed=2),
        OperationCount(phase="post", operation="2", added=4),
        OperationCount(phase="post", operation="3", removed=1),
    ),
    written=6,
    quarantine_written=5,
)


def test_honest_counts_add_up() -> None:
    assert HONEST.broken_identities() == ()
    assert HONEST.quarantined == 5
    assert (HONEST.removed("pre"), HONEST.added("post"), HONEST.removed("post")) == (2, 4, 1)


@pytest.mark.parametrize(
    "counter",
    ["read", "prepared", "bad_pre", "good", "enriched", "bad_post", "accepted", "written", "quarantine_written"],
)
@pytest.mark.parametrize("change", [-1, 1])
def test_one_row_too_few_or_too_many_breaks_an_identity(counter: str, change: int) -> None:
    wrong = replace(HONEST, **{counter: getattr(HONEST, counter) + change})
    assert wrong.broken_identities()


def test_formats_that_cannot_be_counted_again_are_not_compared() -> None:
    assert replace(HONEST, written=None, quarantine_written=None).broken_identities() == ()
