"""Random contracts of hostile names and texts build, type-check, run and give the right rows; broken ones are refused in words.

The short profile; ``python -m tests.hostile`` makes a thousand, and prints what became of them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.hostile.contracts import make_case
from tests.hostile.project import outcomes

SEED = 20240301


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_legal_names_and_texts_give_the_right_rows(folder: Path) -> None:
    cases = [make_case(number, SEED, "olc" if number % 2 else "odcs") for number in range(48)]
    found = outcomes(cases, folder, "legal")
    assert [(one.case.number, one.kind, one.detail) for one in found if one.kind != "right"] == []
    assert len(found) == len(cases)
    few = [case.number for case in cases if case.expected is not None and case.expected.rows]
    assert len(few) > len(cases) // 2, "most contracts publish something"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "legal"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_broken_contract_is_refused_in_words(folder: Path) -> None:
    cases = [make_case(number, SEED, "olc" if number % 2 else "odcs", broken=True) for number in range(40)]
    found = outcomes(cases, folder, "broken")
    assert [(one.case.number, one.detail) for one in found if one.is_failure] == []
    assert {one.kind for one in found} == {"refused", "ran"}


def test_every_feature_has_its_turn() -> None:
    """A generator that never maps or looks up anything would make this module pass for less."""
    cases = [make_case(number, SEED, "olc") for number in range(1, 48, 2)]
    operations = {key for case in cases for each in case.document["transformations"] for key in each}
    rules = {key for case in cases for each in case.document["quality"]["row_rules"] for key in each}
    assert operations == {"map_values", "derive", "coalesce", "filter", "lookup"}
    assert {"accepted_values", "sql"} <= rules
    assert any("options" in case.document["source"] for case in cases)
    assert {case.document["source"]["format"] for case in cases} == {"csv", "jsonl"}


def test_the_same_seed_gives_the_same_contracts() -> None:
    assert make_case(7, 1, "olc") == make_case(7, 1, "olc")
    assert make_case(7, 1, "olc").text != make_case(7, 2, "olc").text
