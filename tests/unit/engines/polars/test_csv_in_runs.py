"""Malformed files fail a run: the target stays as it was, the report names file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from generated_example.orders import pipeline

from etlgen_runtime import Callbacks, Profile, RunFailed

ROOT = Path(__file__).parents[4]
JANUARY = Path("contracts/orders/data/orders_2024-01.csv")
COUNTRIES = Path("contracts/orders/data/countries.csv")


@pytest.fixture
def profile(tmp_path: Path) -> Profile:
    """The example project's data in a folder of its own."""
    shutil.copytree(ROOT / "contracts/orders/data", tmp_path / "contracts/orders/data")
    return Profile(root=tmp_path)


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(text)


def _targets(profile: Profile) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (profile.root / "data").rglob("*") if path.is_file()}


@pytest.mark.parametrize(("path", "line"), [(JANUARY, "9;short\n"), (COUNTRIES, "XX,short\n")])
def test_a_short_row_of_source_or_link_fails_the_run(path: Path, line: str, profile: Profile) -> None:
    pipeline.run(profile)
    before = _targets(profile)
    assert before
    file = profile.root / path
    lines = file.read_bytes().count(b"\n")
    assert file.read_bytes().endswith(b"\n")
    _append(file, line)
    with pytest.raises(RunFailed) as caught:
        pipeline.run(profile)
    (found,) = [one for one in caught.value.report.diagnostics if one.severity == "error"]
    assert found.code == "PMDATA105"
    assert found.message.startswith(f"`{path.name}`, line {lines + 1}: 2 fields, expected ")
    assert _targets(profile) == before


def test_a_file_that_breaks_after_it_was_validated_fails_the_run(profile: Profile) -> None:
    def spoil(number: int, name: str) -> None:
        if number == 2:
            _append(profile.root / JANUARY, ";" * 40 + "\n")

    with pytest.raises(RunFailed) as caught:
        pipeline.run(profile, callbacks=Callbacks(on_step_start=spoil))
    (found,) = [one for one in caught.value.report.diagnostics if one.severity == "error"]
    assert (found.code, found.message) == ("PMDATA105", "an input file is malformed, or changed while it was read")
    assert _targets(profile) == {}
