"""Runs that are killed at a known step: the old target stays whole, and what was left behind disturbs nobody.

Every other moment: tests/kill. What the next run makes of it: test_recovery.py.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, files, published, reports

ROWS = 400_000

PROGRAM = """
import os, signal, sys
from importlib import import_module
from pathlib import Path
from etlgen_runtime import Callbacks, Profile, RunFailed

package, root, at = sys.argv[1], Path(sys.argv[2]), sys.argv[3]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def rows(seen):
    if at == "rows" and seen >= 200_000:
        die()

def step(number, name):
    if at == f"step {number}":
        die()

import_module(package).run(Profile(root=root), callbacks=Callbacks(on_rows=rows, on_step_start=step))
"""


def run_and_die(build: Builder, pipeline: Pipeline, root: Path, at: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, pipeline.package, str(root), at],
        env=build.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def pipeline(build: Builder, strategy: str) -> Pipeline:
    target = {"strategy": strategy, "format": "parquet", "target_path": "out"}
    return build(contract(["id: long!", "qty: integer"], materialization=target))


def write_input(root: Path, rows: int = ROWS) -> None:
    ids = pl.int_range(rows, eager=True)
    pl.DataFrame({"id": ids, "qty": ids % 7}).write_csv(root / "in.csv")


@pytest.mark.parametrize("strategy", ["overwrite", "append"])
def test_killed_in_mid_write(build: Builder, tmp_path: Path, strategy: str) -> None:
    """Half of the input has passed when the process dies; then a clean run, which also clears the litter."""
    people = pipeline(build, strategy)
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")
    people.run(tmp_path)
    write_input(tmp_path)
    before = files(tmp_path)
    run_and_die(build, people, tmp_path, "rows")
    assert published(tmp_path / "out") == [(1, 2)]
    litter = files(tmp_path) - before
    assert any(name.endswith(".parquet") for name in litter), "the killed run had begun to write"
    assert all(name.startswith((".etlgen/staging/", ".etlgen/journal/")) for name in litter)
    result = people.run(tmp_path)
    assert result.report.accounting.accepted == ROWS
    assert len(published(tmp_path / "out")) == ROWS + (strategy == "append")
    assert [name for name in files(tmp_path) if name.startswith(".etlgen")] == []
    assert len(reports(tmp_path)) == 2, "the killed run left none, not even half of one"


@pytest.mark.parametrize("at", ["step 1", "step 5", "step 8"])
def test_killed_before_publication(build: Builder, tmp_path: Path, at: str) -> None:
    people = pipeline(build, "overwrite")
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")
    people.run(tmp_path)
    (tmp_path / "in.csv").write_text("id,qty\n3,4\nx,5\n")
    run_and_die(build, people, tmp_path, at)
    assert published(tmp_path / "out") == [(1, 2)]
    assert people.run(tmp_path).status == "succeeded_with_quarantine"
    assert published(tmp_path / "out") == [(3, 4)]
    assert [name for name in files(tmp_path) if name.startswith(".etlgen")] == []


def test_killed_after_publication(build: Builder, tmp_path: Path) -> None:
    """The new target stands, the input is still there; the next run has that outcome, and repeats nothing."""
    people = pipeline(build, "append")
    (tmp_path / "in.csv").write_text("id,qty\n3,4\n")
    run_and_die(build, people, tmp_path, "step 9")
    assert published(tmp_path / "out") == [(3, 4)]
    assert (tmp_path / "in.csv").exists()
    (report,) = reports(tmp_path)
    assert people.run(tmp_path).report.run_id == report["run_id"]
    assert published(tmp_path / "out") == [(3, 4)]


def test_the_folder_of_a_living_run_is_left_alone(build: Builder, tmp_path: Path) -> None:
    """A dry run keeps its staged rows as long as its result lives, whoever runs meanwhile."""
    people = pipeline(build, "overwrite")
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")
    dry = people.run(tmp_path, dry_run=True)
    people.run(tmp_path)
    native: Any = dry.accepted.native
    assert native.collect().rows() == [(1, 2)]
