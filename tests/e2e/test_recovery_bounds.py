"""Journals that are not what a run of this project wrote: what they name outside of its bounds is left alone, and said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.dead_runs import FIRST_MOVE, FIRST_REPORT, codes, journals, kill
from tests.e2e.packages import Builder, Pipeline, contract, files, published
from tests.kill.prison import Server

FIELDS = ["id: long!", "qty: integer"]
SOURCE = {"post_ingestion": {"action": "archive", "archive_path": "archive/deep"}}


@pytest.fixture(scope="module")
def server(build: Builder) -> Iterator[Server]:
    server = Server(build.folder)
    yield server
    server.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "in.csv").write_text("id,qty\n1,2\nx,3\n")
    (root / "pets.csv").write_text("id,qty\n7,7\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("precious")
    return root


@pytest.fixture
def people(build: Builder) -> Pipeline:
    target = {"strategy": "append", "format": "parquet", "target_path": "out"}
    return build(contract(FIELDS, source=SOURCE, materialization=target))


@pytest.fixture
def pets(build: Builder) -> Pipeline:
    target = {"strategy": "overwrite", "format": "parquet", "target_path": "pets"}
    return build(contract(FIELDS, name="pets", path="pets.csv", materialization=target))


def journal(root: Path) -> Path:
    (found,) = (root / ".etlgen" / "journal").iterdir()
    return found


def lines(root: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in journal(root).read_text().splitlines()]


Forgery = Callable[[dict[str, Any], dict[str, Any], str], None]


def root_above(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    begin["root"] = "../.."


def other_target(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    begin["begin"]["target"] = outside
    move = staged["decision"]["moves"][-1]
    move["path"] = outside
    move["published"] = staged["decision"]["accepted"] = f"{outside}/{Path(move['staged']).name}"


def other_move(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["moves"][-1]["path"] = outside


def published_elsewhere(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["moves"][-1]["published"] = f"{outside}/precious"


def staged_elsewhere(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["moves"][-1]["staged"] = f"{outside}/precious"


def rows_elsewhere(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["accepted"] = f"{outside}/precious"


def input_elsewhere(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    found = Path(outside, "precious").stat()
    file = {"path": f"{outside}/precious", "size_bytes": found.st_size, "modified_ns": found.st_mtime_ns}
    begin["begin"]["inputs"] = staged["decision"]["cleanup"]["files"] = [file]
    staged["decision"]["cleanup"]["action"] = "delete"


def more_than_was_read(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["cleanup"]["files"] = [{"path": "pets.csv", "size_bytes": 1, "modified_ns": 1}]


def archive_elsewhere(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["cleanup"]["archive"] = outside


def copy_elsewhere(begin: dict[str, Any], staged: dict[str, Any], outside: str) -> None:
    staged["decision"]["cleanup"]["run_id"] = "../../../outside/x"


FORGERIES: tuple[tuple[Forgery, str], ...] = (
    (root_above, "is not that of this run"),
    (other_target, "its target `{outside}` lies where this run may not write"),
    (other_move, "which is no destination of it"),
    (published_elsewhere, "it moves a file to `{outside}/precious`, which is no destination of it"),
    (staged_elsewhere, "it moves `{outside}/precious`, which is no staged file of it"),
    (rows_elsewhere, "its rows are said to be in `{outside}/precious`"),
    (input_elsewhere, "it would delete `{outside}/precious`, which lies where this run may not read"),
    (more_than_was_read, "pets.csv`, which it has not read"),
    (archive_elsewhere, "its archive `{outside}` lies where this run may not write"),
    (copy_elsewhere, "its cleanup is that of another run"),
)


@pytest.mark.parametrize(("forge", "said"), FORGERIES, ids=[forge.__name__ for forge, _ in FORGERIES])
def test_a_journal_that_leads_out_of_the_bounds_is_not_carried_out(
    server: Server, root: Path, people: Pipeline, pets: Pipeline, forge: Forgery, said: str
) -> None:
    """Another contract is warned; nothing is moved, archived, deleted or swept; its own target is blocked until somebody has looked."""
    outside = root.parent / "outside"
    kill(server, people, root, FIRST_MOVE)
    begin, staged = lines(root)
    forge(begin, staged, str(outside))
    journal(root).write_text("".join(json.dumps(line) + "\n" for line in (begin, staged)))
    before = files(root)
    warned = pets.run(root)
    ((code, severity),) = [(d.code, d.severity) for d in warned.report.diagnostics]
    assert (code, severity) == ("PMEXEC112", "warning")
    assert said.format(outside=outside) in warned.report.diagnostics[0].message
    assert {
        name for name in files(root) - before if not name.startswith((".etlgen/runs/", ".etlgen/locks/", "pets/"))
    } == set()
    assert before - files(root) == set()
    assert (outside / "precious").read_text() == "precious"
    assert files(outside) == {"precious"}
    if forge not in (root_above, other_target):
        assert codes(people.fail(root)) == ["PMEXEC112"]
        assert files(outside) == {"precious"}


def test_a_target_that_the_profile_named_is_finished_under_that_profile(
    server: Server, root: Path, people: Pipeline, pets: Pipeline
) -> None:
    """A run without that profile may not write there: it says so, and leaves it to the one that may."""
    elsewhere = str(root.parent / "elsewhere")
    kill(server, people, root, FIRST_MOVE, target=elsewhere)
    assert codes(pets.run(root).report) == ["PMEXEC112"]
    assert not (root.parent / "elsewhere").exists()
    assert codes(people.run(root, target=elsewhere).report) == ["PMEXEC111"]
    assert published(root.parent / "elsewhere") == [(1, 2)]
    assert journals(root) == []


def test_a_source_that_the_profile_named_is_finished_under_that_profile(
    server: Server, root: Path, people: Pipeline, pets: Pipeline
) -> None:
    asset = root.parent / "landing.csv"
    asset.write_text("id,qty\n8,8\n")
    assets = {"people": str(asset)}
    kill(server, people, root, FIRST_MOVE, assets=assets)
    assert codes(pets.run(root).report) == ["PMEXEC112"]
    assert asset.exists()
    assert codes(pets.run(root, assets=assets).report) == ["PMEXEC111"]
    assert not asset.exists()
    assert published(root / "out") == [(8, 8)]


def test_another_format_of_journals_is_said_to_be_one(server: Server, root: Path, people: Pipeline) -> None:
    kill(server, people, root, FIRST_MOVE)
    begin, staged = lines(root)
    del begin["format"]
    journal(root).write_text("".join(json.dumps(line) + "\n" for line in (begin, staged)))
    report = people.fail(root)
    assert codes(report) == ["PMEXEC112"]
    assert "is of another version of the runtime" in report.diagnostics[0].message
    assert not (root / "out").exists()


@pytest.mark.parametrize("gone", ["nothing", "target", "quarantine"])
def test_a_journal_that_was_cut_is_not_taken_for_a_run_that_had_decided_nothing(
    server: Server, root: Path, people: Pipeline, pets: Pipeline, gone: str
) -> None:
    """Its part files are published, so beginning anew would append them twice."""
    kill(server, people, root, FIRST_REPORT)
    cut = journal(root).read_text().splitlines(keepends=True)[0]
    journal(root).write_text(cut)
    if gone != "nothing":
        shutil.rmtree(root / ("out" if gone == "target" else "out__quarantine"))
    report = people.fail(root)
    assert codes(report) == ["PMEXEC113"]
    assert "has lost what was decided" in report.diagnostics[0].message
    assert [(d.code, d.severity) for d in pets.run(root).report.diagnostics] == [("PMEXEC113", "warning")]
    journal(root).unlink()
    assert codes(people.run(root).report) == []


def test_a_line_for_which_the_disk_was_full_is_cut_before_the_next(
    server: Server, root: Path, people: Pipeline
) -> None:
    """The hint `published` was written in part: the run is finished, and its journal still is one."""
    kill(server, people, root, FIRST_REPORT)
    with journal(root).open("a") as file:
        file.write('{"state": "publ')
    assert codes(people.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]
    assert journals(root) == []
