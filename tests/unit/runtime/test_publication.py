"""Publication: what a reader of the target sees, what is found done, and what is refused before anything is changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from tests.unprivileged import unprivileged_folder

from etlgen_runtime import publication
from etlgen_runtime.destination import Destination
from etlgen_runtime.diagnostics import DataError, ExecutionError
from etlgen_runtime.publication import Move, prepare


def staged(destination: Destination, state: Path, run_id: str, text: str) -> Move:
    path = destination.staged_path(state / run_id, run_id)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return destination.move(path, run_id)


def publish(destination: Destination, state: Path, run_id: str) -> Move:
    move = staged(destination, state, run_id, run_id)
    prepare([move])
    move.carry_out()
    return move


def folder(path: Path, mode: Literal["append", "overwrite"]) -> Destination:
    return Destination(path, ".csv", mode, "target")


def texts(path: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in path.iterdir()}


def test_append_adds_one_part_per_run(tmp_path: Path) -> None:
    target = folder(tmp_path / "t", "append")
    for run_id in ("r1", "r2"):
        publish(target, tmp_path / "staging", run_id)
    assert texts(tmp_path / "t") == {"part-r1.csv": "r1", "part-r2.csv": "r2"}


def test_overwrite_replaces_the_whole_folder(tmp_path: Path) -> None:
    target = folder(tmp_path / "t", "overwrite")
    for run_id in ("r1", "r2"):
        publish(target, tmp_path / "staging", run_id)
    assert texts(tmp_path / "t") == {"part-r2.csv": "r2"}
    assert texts(tmp_path / "staging" / "r2" / "target") == {"part-r1.csv": "r1"}, "the exchange put the old one there"


def test_where_folders_cannot_be_exchanged_a_kill_in_between_is_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows: the old folder is moved aside first. Dead after that, the move is carried out again."""
    monkeypatch.setattr(publication, "exchange", lambda left, right: False)
    target = folder(tmp_path / "t", "overwrite")
    for run_id in ("r1", "r2"):
        publish(target, tmp_path / "staging", run_id)
    assert texts(tmp_path / "t") == {"part-r2.csv": "r2"}
    move = staged(target, tmp_path / "staging", "r3", "r3")
    (tmp_path / "t").rename(move.staged.parent.with_name("target.old"))
    move.carry_out()
    assert texts(tmp_path / "t") == {"part-r3.csv": "r3"}


def test_a_file_is_replaced(tmp_path: Path) -> None:
    target = Destination(tmp_path / "out" / "t.csv", ".csv", "overwrite", "target")
    for run_id in ("r1", "r2"):
        publish(target, tmp_path / "staging", run_id)
    assert (tmp_path / "out" / "t.csv").read_text() == "r2"
    assert target.published_path("r2") == tmp_path / "out" / "t.csv"


@pytest.mark.parametrize("kind", ["file", "append", "overwrite"])
def test_a_move_that_is_made_is_found_done(tmp_path: Path, kind: str) -> None:
    """A second time nothing happens: the exchange is not undone, nothing is appended, the file stays."""
    path = tmp_path / ("t.csv" if kind == "file" else "t")
    target = Destination(path, ".csv", "append" if kind == "append" else "overwrite", "target")
    publish(target, tmp_path / "staging", "r1")
    (move,) = prepare([staged(target, tmp_path / "staging", "r2", "r2")])
    assert not move.is_done()
    assert not move.is_lost()
    move.carry_out()
    assert move.is_done()
    before = path.read_text() if kind == "file" else texts(path)
    move.carry_out()
    assert (path.read_text() if kind == "file" else texts(path)) == before
    assert not move.is_lost()


@pytest.mark.parametrize("name", ["t.csv", "t"])
def test_staged_rows_that_somebody_removed_are_lost(tmp_path: Path, name: str) -> None:
    move = staged(Destination(tmp_path / name, ".csv", "overwrite", "target"), tmp_path / "staging", "r1", "new")
    move.staged.unlink()
    assert move.is_lost()


def test_an_old_file_is_not_taken_for_the_staged_one_that_is_gone(tmp_path: Path) -> None:
    """Same name, same size, even the same time: it is another file, so nothing of the run is published."""
    target = Destination(tmp_path / "t.csv", ".csv", "overwrite", "target")
    publish(target, tmp_path / "staging", "r1")
    (move,) = prepare([staged(target, tmp_path / "staging", "r2", "r2")])
    found = move.staged.stat()
    os.utime(tmp_path / "t.csv", ns=(found.st_atime_ns, found.st_mtime_ns))
    move.staged.unlink()
    assert not move.is_done()
    assert move.is_lost()


def test_an_append_keeps_what_others_added_meanwhile(tmp_path: Path) -> None:
    target = folder(tmp_path / "t", "append")
    move = staged(target, tmp_path / "staging", "r1", "r1")
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "other.csv").write_text("other")
    move.carry_out()
    assert texts(tmp_path / "t") == {"part-r1.csv": "r1", "other.csv": "other"}


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


@pytest.mark.skipif(not Path("/proc").is_mount(), reason="/proc is no mount point here")
def test_a_mount_point_cannot_be_replaced() -> None:
    with pytest.raises(DataError) as refused:
        Destination(Path("/proc"), ".csv", "overwrite", "target").check()
    assert refused.value.diagnostic.code == "PMDATA104"
    assert "is a mount point" in refused.value.diagnostic.message


def test_a_folder_with_something_else_in_it_names_it(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "notes.txt").touch()
    with pytest.raises(DataError) as refused:
        folder(tmp_path / "t", "overwrite").check()
    assert refused.value.diagnostic.code == "PMDATA104"
    assert refused.value.diagnostic.help == "move `notes.txt` away, or choose another folder"


def test_a_refused_move_leaves_the_old_file(tmp_path: Path) -> None:
    """A folder took the place of the file meanwhile: the rename fails, and what is staged stays staged."""
    target = Destination(tmp_path / "t.csv", ".csv", "overwrite", "target")
    move = staged(target, tmp_path / "staging", "r1", "new")
    (tmp_path / "t.csv").mkdir()
    (tmp_path / "t.csv" / "kept").touch()
    with pytest.raises(ExecutionError) as refused:
        move.carry_out()
    assert refused.value.diagnostic.code == "PMEXEC102"
    assert (tmp_path / "t.csv" / "kept").exists()
    assert move.staged.read_text() == "new"


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_what_would_be_refused_is_found_before_the_first_move(mode: Literal["append", "overwrite"]) -> None:
    """The second of two destinations may not be written: neither is touched, and no folder made for the first remains."""
    with unprivileged_folder() as root:
        shut = root / "shut" / "t"
        shut.mkdir(parents=True)
        moves = [
            staged(folder(root / "new" / "deep" / "q", mode), root / "staging", "q", "q"),
            staged(folder(shut, mode), root / "staging", "t", "t"),
        ]
        shut.chmod(0o500)
        shut.parent.chmod(0o500)
        with pytest.raises(ExecutionError) as refused:
            prepare(moves)
        assert refused.value.diagnostic.code == "PMEXEC102"
        assert str(shut) in refused.value.diagnostic.message
        assert not (root / "new").exists()
        assert all(move.staged.exists() for move in moves)
