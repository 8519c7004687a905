"""Paths that lead out of the project, on the command line: refused unless a profile allows their folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT, Etlgen

OUTSIDE = CONTRACT.replace("{ strategy: overwrite", "{ target_path: ../elsewhere/orders, strategy: overwrite")


@pytest.fixture
def outside(project: Path) -> Path:
    """A project inside the folder of the test, whose contract writes beside it."""
    (project / "contracts" / "orders.olc.yaml").write_text(OUTSIDE, encoding="utf-8")
    return project


def test_refused_with_its_place(outside: Path, etlgen: Etlgen) -> None:
    for command in (("build",), ("lint",), ("run", "orders")):
        done = etlgen(*command)
        assert done.code in (1, 2)
        assert "error[SEC-002]" in done.out + done.err
        assert "contracts/orders.olc.yaml:11:" in done.out + done.err
        assert "allowed_folders" in done.out + done.err
    assert not (outside.parent / "elsewhere").exists()


def test_allowed_by_a_profile_of_the_configuration(outside: Path, etlgen: Etlgen) -> None:
    """The build knows all of them; a run obeys its own."""
    with (outside / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write('[profiles.open]\nallowed_folders = ["../elsewhere"]\n')
    assert etlgen("build").code == 0
    assert "contracts may also read and write in ../elsewhere" in etlgen("plan", "orders", "--profile", "open").out
    refused = etlgen("run", "orders")
    assert refused.code == 2
    assert "PMPLAN120" in refused.err
    assert not (outside.parent / "elsewhere").exists()
    assert etlgen("run", "orders", "--profile", "open").code == 0
    assert list((outside.parent / "elsewhere" / "orders").glob("*.parquet"))


def test_allowed_by_a_profile_in_a_file(outside: Path, etlgen: Etlgen) -> None:
    (outside / "open.toml").write_text('allowed_folders = ["../elsewhere"]\n', encoding="utf-8")
    assert etlgen("run", "orders", "--profile", "open.toml").code == 0
    assert etlgen("run", "orders").code == 2


def test_a_secret_is_shown_by_no_command(project: Path, etlgen: Etlgen) -> None:
    path = project / "contracts" / "orders.olc.yaml"
    path.write_text(CONTRACT + "metadata: { db_password: hunter2 }\n", encoding="utf-8")
    for command in (("lint",), ("lint", "--json"), ("build",), ("plan", "orders"), ("run", "all")):
        done = etlgen(*command)
        assert done.code in (1, 2)
        assert "SEC-003" in done.out + done.err
        assert "hunter2" not in done.out + done.err
    written = [file for file in project.rglob("*") if file.is_file() and file != path]
    assert all(b"hunter2" not in file.read_bytes() for file in written)
