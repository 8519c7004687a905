"""Cleanup done again, after a process died in the middle of it: what is archived is found, and nothing is lost or overwritten."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from etlgen_runtime.cleanup import Cleanup
from etlgen_runtime.read_files import ReadFile

OTHER_FILE_SYSTEM = Path("/dev/shm")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system."""
    if not OTHER_FILE_SYSTEM.is_dir() or OTHER_FILE_SYSTEM.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip(f"{OTHER_FILE_SYSTEM} is no file system of its own here")
    with tempfile.TemporaryDirectory(dir=OTHER_FILE_SYSTEM) as folder:
        yield Path(folder)


def cleanup(root: Path, archive: Path, action: Literal["archive", "delete"] = "archive") -> Cleanup:
    (root / "in" / "sub").mkdir(parents=True, exist_ok=True)
    (root / "in" / "sub" / "a.csv").write_text("rows")
    file = ReadFile.of(root / "in" / "sub" / "a.csv")
    return Cleanup(run_id="r1", action=action, base=root / "in", archive=archive, is_blocking=False, files=(file,))


def texts(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_archive_on_another_file_system(tmp_path: Path, other: Path) -> None:
    asked = cleanup(tmp_path, other / "archive")
    assert asked.carry_out(tmp_path) == (("in/sub/a.csv",), None)
    assert texts(other) == {"archive/sub/a.csv": "rows"}
    assert texts(tmp_path) == {}
    assert asked.carry_out(tmp_path) == (("in/sub/a.csv",), None), "done again, it is found done"
    assert texts(other) == {"archive/sub/a.csv": "rows"}


def test_a_process_died_between_copy_and_removal(tmp_path: Path, other: Path) -> None:
    """The copy stands in the archive, the file where it was: no second copy is made."""
    asked = cleanup(tmp_path, other / "archive")
    (other / "archive" / "sub").mkdir(parents=True)
    shutil.copy2(asked.files[0].path, other / "archive" / "sub" / "a.csv")
    asked.carry_out(tmp_path)
    assert texts(other) == {"archive/sub/a.csv": "rows"}
    assert texts(tmp_path) == {}


def test_a_process_died_in_the_middle_of_the_copy(tmp_path: Path, other: Path) -> None:
    asked = cleanup(tmp_path, other / "archive")
    (other / "archive" / "sub").mkdir(parents=True)
    (other / "archive" / "sub" / ".etlgen-copy-r1-a.csv").write_text("ro")
    asked.carry_out(tmp_path)
    assert texts(other) == {"archive/sub/a.csv": "rows"}


def test_a_process_died_between_link_and_removal(tmp_path: Path) -> None:
    """On one file system the archive gets a second name of the file; here it has it already."""
    asked = cleanup(tmp_path, tmp_path / "archive")
    (tmp_path / "archive" / "sub").mkdir(parents=True)
    os.link(asked.files[0].path, tmp_path / "archive" / "sub" / "a.csv")
    asked.carry_out(tmp_path)
    assert texts(tmp_path) == {"archive/sub/a.csv": "rows"}


@pytest.mark.parametrize("same", ["size", "size and time"])
def test_an_archived_file_of_that_name_is_never_overwritten(tmp_path: Path, other: Path, same: str) -> None:
    """It may look like the copy of this one, and is another."""
    asked = cleanup(tmp_path, other / "archive")
    (other / "archive" / "sub").mkdir(parents=True)
    archived = other / "archive" / "sub" / "a.csv"
    archived.write_text("ROWS")
    if same == "size and time":
        os.utime(archived, ns=(asked.files[0].modified_ns, asked.files[0].modified_ns))
    asked.carry_out(tmp_path)
    assert texts(other) == {"archive/sub/a.csv": "ROWS", "archive/sub/a.1.csv": "rows"}


def test_what_a_symbolic_link_means_is_archived_and_the_link_removed(tmp_path: Path) -> None:
    """Moved as it is, a relative link would mean nothing."""
    (tmp_path / "real.csv").write_text("rows")
    asked = cleanup(tmp_path, tmp_path / "archive")
    asked.files[0].path.unlink()
    asked.files[0].path.symlink_to("../../real.csv")
    asked = Cleanup(
        run_id="r1", action="archive", base=asked.base, archive=asked.archive, is_blocking=False,
        files=(ReadFile.of(asked.files[0].path),),
    )  # fmt: skip
    assert asked.carry_out(tmp_path)[1] is None
    assert texts(tmp_path) == {"archive/sub/a.csv": "rows", "real.csv": "rows"}
    assert not (tmp_path / "archive" / "sub" / "a.csv").is_symlink()


@pytest.mark.parametrize("action", ["archive", "delete"])
def test_a_file_that_changed_since_it_was_read_stays(tmp_path: Path, action: Literal["archive", "delete"]) -> None:
    asked = cleanup(tmp_path, tmp_path / "archive", action)
    asked.files[0].path.write_text("rows and more")
    cleaned, problem = asked.carry_out(tmp_path)
    assert cleaned == ()
    assert problem is not None
    assert (problem.code, problem.severity) == ("PMEXEC105", "warning")
    assert "in/sub/a.csv (changed since it was read)" in problem.message
    assert texts(tmp_path) == {"in/sub/a.csv": "rows and more"}


def test_new_archive_folders_are_on_the_disk_before_the_input_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each new folder is a name in the one above it, which a power cut must not take with the archived file."""
    asked = cleanup(tmp_path, tmp_path / "archive" / "deep")
    flushed: set[Path] = set()

    def flush(folders: Iterable[Path]) -> None:
        assert asked.files[0].path.exists()
        flushed.update(folders)

    monkeypatch.setattr("etlgen_runtime.cleanup.sync_folders", flush)
    assert asked.carry_out(tmp_path) == (("in/sub/a.csv",), None)
    archive = tmp_path / "archive"
    assert flushed == {tmp_path, archive, archive / "deep", archive / "deep" / "sub"}
