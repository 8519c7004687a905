"""Where a contract may read and write: paths are judged where they lead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from etlgen_runtime import PlanError, Profile
from etlgen_runtime.default_paths import path_segment
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.files import find_files
from etlgen_runtime.paths import AllowedFolders, leads_out, leaves, unfit_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """``root`` with a file, beside ``outside`` with a file."""
    for name in ("root/in/a.csv", "outside/b.csv"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("id\n1\n")
    return tmp_path / "root"


def refusal(root: Path, path: str, pattern: str | None = None) -> str:
    with pytest.raises(PlanError) as refused:
        find_files(root, path, pattern=pattern, format="csv", node="source `orders`")
    assert refused.value.diagnostic.help
    return f"{refused.value.diagnostic.code}: {refused.value.diagnostic.message}"


@pytest.mark.parametrize(
    "path", ["../outside/b.csv", "in/../../outside", "../outside/*.csv", "/etc/passwd", "/dev/stdin"]
)
def test_a_path_that_leads_out_is_refused(root: Path, path: str) -> None:
    assert refusal(root, path).startswith(f"PMPLAN120: `{path}` of source `orders` leads out of the root")


@pytest.mark.parametrize(
    ("path", "why"),
    [("~/a.csv", "begins with `~`"), ("C:/a.csv", "names a drive"), ("a\0b.csv", "holds the character NUL")],
)
def test_a_path_that_means_something_else_elsewhere_is_refused(root: Path, path: str, why: str) -> None:
    assert why in refusal(root, path)


def test_what_a_pattern_finds_outside_is_refused(root: Path) -> None:
    assert refusal(root, "in", "../../outside/*.csv").startswith("PMPLAN120")
    assert find_files(root, "in", pattern="../in/*.csv", format=None, node="source") is not None


@pytest.mark.parametrize("pattern", ["/etc/*", "a**.csv"])
def test_a_pattern_that_cannot_be_is_refused(root: Path, pattern: str) -> None:
    assert refusal(root, "in", pattern).startswith(f"PMPLAN121: the pattern `{pattern}`")


@pytest.mark.parametrize(
    "path", ["link.csv", "folder", "folder/b.csv", "folder/*.csv", "fold*/b.csv", "**/b.csv", "in"]
)
def test_a_symbolic_link_that_leads_out_is_refused(root: Path, path: str) -> None:
    (root / "folder").symlink_to(root.parent / "outside")
    (root / ("in/link.csv" if path == "in" else "link.csv")).symlink_to(root.parent / "outside" / "b.csv")
    assert "by a symbolic link, to" in refusal(root, path)


def test_a_symbolic_link_inside_is_followed(root: Path) -> None:
    (root / "link.csv").symlink_to("in/a.csv")
    found = find_files(root, "link.csv", pattern=None, format=None, node="source")
    assert found is not None
    assert found.paths == (root / "link.csv",)


def test_a_root_that_is_itself_a_link_holds_what_is_in_it(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert find_files(link, "in/a.csv", pattern=None, format=None, node="source") is not None


def test_folders_that_the_profile_allows(root: Path) -> None:
    profile = Profile(root=root, allowed_folders=("../outside",))
    (root / "link").symlink_to(root.parent / "outside")
    for path in ("../outside/b.csv", "link/b.csv", str(root.parent / "outside")):
        found = find_files(root, path, pattern=None, format=None, node="x", allowed=AllowedFolders.of(profile))
        assert found is not None
    assert profile.risks() == ("contracts may also read and write in ../outside (allowed_folders)",)


def test_what_the_profile_names_is_allowed_and_nothing_else_in_its_folder(root: Path) -> None:
    own = AllowedFolders.of(Profile(root=root)).named_by_profile("../outside/b.csv")
    own.require(root.parent / "outside" / "b.csv", "the source", "")
    with pytest.raises(PlanError):
        own.require(root.parent / "outside" / "c.csv", "the source", "")
    beside = AllowedFolders.of(Profile(root=root)).named_by_profile("../outside/t", with_neighbours=True)
    beside.require(root.parent / "outside" / "t__quarantine", "the quarantine", "")


def test_what_a_wildcard_of_the_profile_finds_is_below_its_folder(root: Path) -> None:
    allowed = AllowedFolders.of(Profile(root=root)).named_by_profile("../outside/*.csv")
    (root.parent / "outside" / "c.csv").symlink_to("/etc/passwd")
    with pytest.raises(PlanError) as refused:
        find_files(root, "../outside/*.csv", pattern=None, format=None, node="source", allowed=allowed)
    assert "/etc/passwd" in refused.value.diagnostic.message


def test_a_pipe_is_no_file(root: Path) -> None:
    os.mkfifo(root / "pipe.csv")
    with pytest.raises(DataError) as refused:
        find_files(root, "pipe.csv", pattern=None, format=None, node="source")
    assert refused.value.diagnostic.code == "PMDATA103"
    assert "is neither a file nor a folder" in refused.value.diagnostic.message
    assert find_files(root, ".", pattern="*.csv", format=None, node="source") is None


def test_a_first_part_with_a_tilde_is_not_expanded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines take `~name/` at the beginning of a path for a home folder."""
    (root / "~root").mkdir()
    (root / "~root" / "a.csv").touch()
    monkeypatch.chdir(root)
    found = find_files(Path(), "*/a.csv", pattern=None, format=None, node="source")
    assert found is not None
    assert [str(path) for path in found.paths] == [f"{root}/in/a.csv", f"{root}/~root/a.csv"]


def test_what_is_only_written_oddly_is_fit() -> None:
    assert [unfit_path(path) for path in ("a/~", "it's", "{{ x }}", "a\nb", "ab:c", r"a\b")] == [""] * 6
    assert not any(leaves(path) for path in ("a/../b", "..a", ".", r"a\..\b"))


def test_a_link_to_nothing_is_judged_where_it_leads(root: Path) -> None:
    (root / "out").symlink_to(root.parent / "new")
    assert leads_out(root / "out" / "x", root)
    assert not leads_out(root / "new" / "x", root)


def test_a_default_place_has_a_name_that_file_systems_take() -> None:
    """And room for `__quarantine`; names that differ only far behind have places of their own."""
    long, other = path_segment("\u6570" * 200), path_segment("\u6570" * 201)
    assert len(long.encode()) <= 200
    assert long != other
    assert path_segment("x" * 200) == "x" * 200
