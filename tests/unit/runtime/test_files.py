"""Which files a path names (semantics, section 6, Empty input)."""

from __future__ import annotations

from pathlib import Path

import pytest

from etlgen_runtime.contract import Format
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


def test_compressed_files_of_a_folder(tmp_path: Path) -> None:
    touch(
        tmp_path, "in/a.csv", "in/b.csv.gz", "in/C.CSV.ZIP", "in/d.gz", "in/._e.csv.gz", "in/f.json.gz", "in/g.tar.gz"
    )
    found = find_files(tmp_path, "in", pattern=None, format="csv", node="source")
    assert found is not None
    assert [path.name for path in found.paths] == ["C.CSV.ZIP", "a.csv", "b.csv.gz"]


@pytest.mark.parametrize("suffix", [".bz2", ".zst", ".XZ", ".tgz"])
def test_a_folder_with_data_that_cannot_be_unpacked_is_refused(tmp_path: Path, suffix: str) -> None:
    """Left out without a word, its rows would be missing."""
    touch(tmp_path, "in/a.csv", f"in/b.csv{suffix}", f"in/c.txt{suffix}")
    with pytest.raises(DataError) as refused:
        names(tmp_path, "in")
    assert refused.value.diagnostic.code == "PMDATA105"
    assert f"`b.csv{suffix}` is compressed in a way that is not read" in str(refused.value)
    assert names(tmp_path, "in", "*.csv") == ["in/a.csv"]


def test_the_suffix_before_tells_the_format(tmp_path: Path) -> None:
    touch(tmp_path, "a.jsonl.gz", "b.gz")
    found = find_files(tmp_path, "a.jsonl.gz", pattern=None, format=None, node="source")
    assert found is not None
    assert found.format == "jsonl"
    with pytest.raises(PlanError):
        find_files(tmp_path, "b.gz", pattern=None, format=None, node="source")


def test_json_lines_are_often_called_json(tmp_path: Path) -> None:
    touch(tmp_path, "in/a.json", "in/b.jsonl", "in/c.csv")
    cases: tuple[tuple[Format, list[str]], ...] = (("jsonl", ["a.json", "b.jsonl"]), ("json", ["a.json"]))
    for format, expected in cases:
        found = find_files(tmp_path, "in", pattern=None, format=format, node="source")
        assert found is not None
        assert [path.name for path in found.paths] == expected
