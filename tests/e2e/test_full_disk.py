"""A disk that is full: the old state stays, the error is clear, and nothing is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, files, published, reports
from tests.little_room import needs_limits

from etlgen_runtime import RunFailed
from etlgen_runtime.report import RunReport

ROWS = 400_000


def pipeline(build: Builder, strategy: str, path: str = "out") -> Pipeline:
    target = {"strategy": strategy, "format": "parquet", "target_path": path}
    return build(contract(["id: long!", "qty: integer"], materialization=target))


def write_input(root: Path, rows: int = ROWS) -> None:
    ids = pl.int_range(rows, eager=True)
    pl.DataFrame({"id": ids, "qty": ids.hash(1) % 2**31}).write_csv(root / "in.csv")  # hardly compressed


def fail(people: Pipeline, root: Path, state: Path) -> RunReport:
    with pytest.raises(RunFailed) as failed:
        people.run(root, state_dir=state)
    return failed.value.report


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only the superuser of a Linux system mounts a file system")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Use up what is free, to the last block."""
    stuff = disk / "stuff"
    with stuff.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            pass
    return stuff


@pytest.mark.parametrize("strategy", ["overwrite", "append"])
def test_no_space_for_the_target(build: Builder, tmp_path: Path, small_disk: Path, strategy: str) -> None:
    """The target lies on the small disk, the state elsewhere: rows are staged beside the target, and do not fit."""
    people = pipeline(build, strategy)
    (small_disk / "in.csv").write_text("id,qty\n1,2\n")
    state = tmp_path / "state"
    people.run(small_disk, state_dir=state)
    (small_disk / "in.csv").unlink()
    write_input(tmp_path)
    (small_disk / "in.csv").symlink_to(tmp_path / "in.csv")
    before, kept = files(small_disk), files(state)
    with pytest.raises(RunFailed) as failed:
        people.run(small_disk, state_dir=state, allowed_folders=(str(tmp_path),))
    (diagnostic,) = failed.value.report.diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "PMEXEC102", "a file cannot be read or written: No space left on device"
    )  # fmt: skip
    assert published(small_disk / "out") == [(1, 2)]
    assert files(small_disk) == before
    assert {name for name in files(state) - kept if not name.startswith(("runs/", "locks/"))} == set()
    (small_disk / "in.csv").unlink()
    (small_disk / "in.csv").write_text("id,qty\n3,4\n")
    people.run(small_disk, state_dir=state)
    assert (3, 4) in published(small_disk / "out")


def test_no_space_for_the_state(build: Builder, tmp_path: Path, small_disk: Path) -> None:
    """Neither journal nor report can be written: the failure carries the report, and the target is as it was."""
    people = pipeline(build, "append")
    (tmp_path / "in.csv").write_text("id,qty\n1,2\nx,3\n")
    state = small_disk / "state"
    people.run(tmp_path, state_dir=state)
    stuff = fill(small_disk)
    before, kept = files(tmp_path) - {"small/stuff"}, files(state)
    report = fail(people, tmp_path, state)
    (diagnostic,) = report.diagnostics
    assert diagnostic.code == "PMEXEC102"
    assert "No space left on device" in diagnostic.message
    stuff.unlink()
    assert files(tmp_path) == before
    assert files(state) == kept
    people.run(tmp_path, state_dir=state)
    assert published(tmp_path / "out") == [(1, 2), (1, 2)]


FULL = """
import resource, signal, sys
from importlib import import_module
from pathlib import Path
from etlgen_runtime import Profile, RunFailed

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
try:
    import_module(sys.argv[1]).run(Profile(root=Path(sys.argv[2])))
except RunFailed as failed:
    print(failed)
"""


@needs_limits
def test_no_space_for_the_staged_file(build: Builder, tmp_path: Path) -> None:
    """Writing is refused half-way, here by a limit of file sizes, which needs no rights."""
    people = pipeline(build, "overwrite")
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")
    people.run(tmp_path)
    write_input(tmp_path)
    before = files(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", FULL, people.package, str(tmp_path)],
        env=build.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "PMEXEC102: a file cannot be read or written" in done.stdout
    assert "check permissions and free space" in done.stdout
    assert published(tmp_path / "out") == [(1, 2)]
    assert files(tmp_path) == before
    assert reports(tmp_path)[-1]["status"] == "failed"
