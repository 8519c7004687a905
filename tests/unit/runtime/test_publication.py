"""Publication: what a reader of the target sees, and what is refused before anything is computed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from etlgen_runtime.diagnostics import DataError, ExecutionError
from etlgen_runtime.destination import Destination


def staged(destination: Destination, staging: Path, run_id: str, text: str) -> Path:
    path = destination.staged_path(staging, run_id)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def folder(path: Path, mode: Literal["append", "overwrite"]) -> Destination:
    return Destination(path, ".csv", mode, "target")


def test_append_adds_one_part_per_run(tmp_path: Path) -> None:
    target = folder(tmp_path / "t", "append")
    for run_id in ("r1", "r2"):
        target.publish(staged(target, tmp_path / "staging" / run_id, run_id, run_id), run_id)
    assert {p.name: p.read_text() for p in (tmp_path / "t").iterdir()} == {"part-r1.csv": "r1", "part-r2.csv": "r2"}


def test_overwrite_replaces_the_whole_folder(tmp_path: Path) -> None:
    target = folder(tmp_path / "t", "overwrite")
    for run_id in ("r1", "r2"):
        target.publish(staged(target, tmp_path / "staging" / run_id, run_id, run_id), run_id)
    assert {p.name: p.read_text() for p in (tmp_path / "t").iterdir()} == {"part-r2.csv": "r2"}
    assert not (tmp_path / "staging" / "r2" / "target").exists(), "the old folder is not left in staging"


def test_a_file_is_replaced(tmp_path: Path) -> None:
    target = Destination(tmp_path / "out" / "t.csv", ".csv", "overwrite", "target")
    for run_id in ("r1", "r2"):
        target.publish(staged(target, tmp_path / "staging" / run_id, run_id, run_id), run_id)
    assert (tmp_path / "out" / "t.csv").read_text() == "r2"
    assert target.published_path("r2") == tmp_path / "out" / "t.csv"


@pytest.mark.parametrize(
    ("name", "make", "mode", "said"),
    [
        ("t.csv", "directory", "overwrite", "is a directory"),
        ("t", "file", "append", "is a file"),
        ("t.csv", "nothing", "append", "append adds part files to a folder"),
    ],
)
def test_impossible_destinations_are_refused(
    tmp_path: Path, name: str, make: str, mode: Literal["append", "overwrite"], said: str
) -> None:
    path = tmp_path / name
    if make == "directory":
        path.mkdir()
    elif make == "file":
        path.touch()
    with pytest.raises(DataError) as refused:
        Destination(path, ".csv", mode, "target").check()
    assert refused.value.diagnostic.code == "PMDATA104"
    assert said in refused.value.diagnostic.message


def test_a_folder_with_something_else_in_it_names_it(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "notes.txt").touch()
    with pytest.raises(DataError) as refused:
        folder(tmp_path / "t", "overwrite").check()
    assert refused.value.diagnostic.code == "PMDATA104"
    assert refused.value.diagnostic.help == "move `notes.txt` away, or choose another folder"


def test_a_failed_publication_leaves_the_old_file(tmp_path: Path) -> None:
    """The staged file vanished: the rename fails, the old target stays."""
    target = Destination(tmp_path / "t.csv", ".csv", "overwrite", "target")
    target.path.write_text("old")
    path = staged(target, tmp_path / "staging", "r1", "new")
    path.unlink()
    with pytest.raises(ExecutionError) as refused:
        target.publish(path, "r1")
    assert refused.value.diagnostic.code == "PMEXEC102"
    assert target.path.read_text() == "old"
