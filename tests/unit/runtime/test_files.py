"""Which files a path names (semantics, section 6, Empty input)."""

from __future__ import annotations

from pathlib import Path

import pytest

from etlgen_runtime.diagnostics import DataError, PlanError
from etlgen_runtime.files import find_files


def touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def names(root: Path, path: str, pattern: str | None = None) -> list[str]:
    found = find_files(root, path, pattern=pattern, format=None, node="source")
    return [] if found is None else [p.relative_to(root).as_posix() for p in found.paths]


def test_a_file_is_itself(tmp_path: Path) -> None:
    touch(tmp_path, "a.csv")
    assert names(tmp_path, "a.csv") == ["a.csv"]


def test_a_folder_is_its_data_files_in_name_order(tmp_path: Path) -> None:
    touch(tmp_path, "in/b.csv", "in/a.csv", "in/.hidden.csv", "in/_SUCCESS", "in/readme.txt")
    assert names(tmp_path, "in") == ["in/a.csv", "in/b.csv"]


def test_a_pattern_chooses_in_the_folder(tmp_path: Path) -> None:
    touch(tmp_path, "in/a_1.csv", "in/b_1.csv")
    assert names(tmp_path, "in", "a_*.csv") == ["in/a_1.csv"]


def test_a_glob_in_the_path(tmp_path: Path) -> None:
    touch(tmp_path, "in/x/1.csv", "in/y/2.csv")
    assert names(tmp_path, "in/*/*.csv") == ["in/x/1.csv", "in/y/2.csv"]


def test_nothing_matches(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    assert find_files(tmp_path, "in", pattern="*.csv", format=None, node="source") is None
    assert find_files(tmp_path, "in/*.csv", pattern=None, format=None, node="source") is None


def test_a_missing_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError) as refused:
        find_files(tmp_path, "nowhere.csv", pattern=None, format=None, node="source `orders`")
    assert refused.value.diagnostic.code == "PMDATA103"
    assert "`nowhere.csv` of source `orders` does not exist" in str(refused.value)


def test_the_format_must_be_known(tmp_path: Path) -> None:
    touch(tmp_path, "data.dat")
    with pytest.raises(PlanError) as refused:
        find_files(tmp_path, "data.dat", pattern=None, format=None, node="source")
    assert refused.value.diagnostic.code == "PMPLAN105"
    given = find_files(tmp_path, "data.dat", pattern=None, format="csv", node="source")
    assert given is not None
    assert given.format == "csv"
