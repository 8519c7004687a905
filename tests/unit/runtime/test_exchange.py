"""The exchange of two folders: done in one step, refused as it was, or not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from etlgen_runtime.exchange import exchange

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such call on Windows")


def test_both_change_places(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"of_{name}").touch()
    assert exchange(tmp_path / "one", tmp_path / "other")
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["of_other"]
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["of_one"]


def test_a_refusal_is_no_lack_of_the_call(tmp_path: Path) -> None:
    """Taken for a lack, it would be tried in two steps."""
    (tmp_path / "one").mkdir()
    with pytest.raises(FileNotFoundError):
        exchange(tmp_path / "one", tmp_path / "gone")
    assert (tmp_path / "one").is_dir()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="there is no /proc here")
def test_folders_of_two_file_systems(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    with pytest.raises(OSError, match=r"cross-device|not permitted"):
        exchange(tmp_path / "one", Path("/proc/self"))
