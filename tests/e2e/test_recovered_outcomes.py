"""Whether the outcome of a run that died is that of the next one: what must still hold of target, input and contract."""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.dead_runs import FIRST_MOVE, FIRST_REPORT, TARGET_MOVE, codes, journals, kill
from tests.e2e.packages import Builder, Pipeline, contract, published, reports, rows
from tests.kill.prison import Server

from etlgen_runtime import Callbacks, RunFailed, publication

FIELDS = ["id: long!", "qty: integer"]


@pytest.fixture(scope="module")
def server(build: Builder) -> Iterator[Server]:
    server = Server(build.folder)
    yield server
    server.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("id,qty\n1,2\nx,3\n")
    return tmp_path


def people(build: Builder, strategy: str = "append", path: str = "out", **sections: Any) -> Pipeline:
    target: dict[str, Any] = {"strategy": strategy, "format": "parquet", "target_path": path}
    return build(contract(FIELDS, **{"materialization": target, **sections}))


@pytest.fixture
def pets(build: Builder, root: Path) -> Pipeline:
    """Another contract, whose runs recover those of `people`."""
    (root / "pets.csv").write_text("id,qty\n7,7\n")
    target = {"strategy": "overwrite", "format": "parquet", "target_path": "pets"}
    return build(contract(FIELDS, name="pets", path="pets.csv", materialization=target))


def empty_staging(root: Path) -> None:
    for folder in (root / ".etlgen" / "staging").iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)


def single(path: Path) -> list[tuple[Any, ...]]:
    """The rows of a target that is one file."""
    return sorted(pl.read_parquet(path).rows())


@contextmanager
def changed(pipeline: Pipeline, what: str) -> Generator[None]:
    """The package as another version of the contract makes it, or as it is."""
    file = Path(str(pipeline.module("contract").__file__))
    text = file.read_text()
    file.write_text(text + "# changed\n" if what == "contract" else text)
    try:
        yield
    finally:
        file.write_text(text)


def test_a_single_file_that_was_there_before_is_not_taken_for_the_new_one(
    build: Builder, server: Server, root: Path
) -> None:
    """The staged rows are gone, the target is the old one: the input must not be deleted for it."""
    own = people(build, "overwrite", "out.parquet", source={"post_ingestion": {"action": "delete"}})
    own.run(root)
    (root / "in.csv").write_text("id,qty\n5,6\n")
    kill(server, own, root, TARGET_MOVE)
    empty_staging(root)
    result = own.run(root)
    assert codes(result.report) == ["PMEXEC113"]
    assert rows(result.accepted) == single(root / "out.parquet") == [(5, 6)]
    assert result.report.cleaned == ("in.csv",)


def test_a_single_file_that_is_published_is_found_done(build: Builder, server: Server, root: Path) -> None:
    own = people(build, "overwrite", "out.parquet", source={"post_ingestion": {"action": "delete"}})
    kill(server, own, root, FIRST_REPORT)
    assert single(root / "out.parquet") == [(1, 2)]
    result = own.run(root)
    assert (codes(result.report), result.report.cleaned) == (["PMEXEC111"], ("in.csv",))


def test_a_quarantine_that_is_gone_does_not_append_the_target_again(build: Builder, server: Server, root: Path) -> None:
    own = people(build)
    kill(server, own, root, FIRST_REPORT)
    shutil.rmtree(root / "out__quarantine")
    result = own.run(root)
    assert codes(result.report) == ["PMEXEC111", "PMEXEC113"]
    assert (result.report.status, result.report.quarantine) == ("succeeded_with_quarantine", None)
    assert published(root / "out") == rows(result.accepted) == [(1, 2)]
    assert rows(result.quarantined) == []
    assert journals(root) == []


def test_two_profiles_that_name_one_target_are_one(build: Builder, server: Server, root: Path) -> None:
    """The path decides: written in the contract or in the profile, it is the same target."""
    own = people(build)
    kill(server, own, root, FIRST_MOVE, target="out")
    assert codes(own.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]


def test_another_target_does_not_take_the_outcome_away(build: Builder, server: Server, root: Path) -> None:
    """A run into another target, over the same input, is in between."""
    own = people(build)
    kill(server, own, root, FIRST_MOVE)
    assert own.run(root, target="elsewhere").report.target == "elsewhere"
    assert codes(own.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]


@pytest.mark.parametrize("strategy", ["append", "overwrite"])
def test_an_outcome_whose_rows_are_gone_is_none(
    build: Builder, server: Server, root: Path, pets: Pipeline, strategy: str
) -> None:
    """Finished by another contract, then somebody removed the target: the next run is carried out."""
    own = people(build, strategy)
    kill(server, own, root, FIRST_MOVE)
    pets.run(root)
    assert published(root / "out") == [(1, 2)]
    shutil.rmtree(root / "out")
    result = own.run(root)
    assert codes(result.report) == []
    assert published(root / "out") == rows(result.accepted) == [(1, 2)]
    assert journals(root) == []


def test_an_outcome_that_another_run_has_replaced_is_none(
    build: Builder, server: Server, root: Path, pets: Pipeline
) -> None:
    """The other run has a state folder of its own, so it knows nothing of the waiting outcome."""
    own = people(build, "overwrite")
    kill(server, own, root, FIRST_MOVE)
    pets.run(root)
    (root / "other.csv").write_text("id,qty\n8,8\n")
    own.run(root, state_dir=".other", assets={"people": "other.csv"})
    assert published(root / "out") == [(8, 8)]
    assert codes(own.run(root).report) == []
    assert published(root / "out") == [(1, 2)]


def test_a_part_of_a_retained_input_is_another_input(build: Builder, server: Server, root: Path) -> None:
    """Nothing has taken the other file away but its owner, so an overwrite by the rest is meant."""
    (root / "in").mkdir()
    (root / "in" / "a.csv").write_text("id,qty\n1,1\n")
    (root / "in" / "b.csv").write_text("id,qty\n2,2\n")
    own = people(build, "overwrite", path="out", source={"pattern": "*.csv", "path": "in"})
    kill(server, own, root, FIRST_MOVE)
    (root / "in" / "b.csv").unlink()
    result = own.run(root)
    assert result.report.accounting.accepted == 1
    assert published(root / "out") == [(1, 1)]


@pytest.mark.parametrize("change", ["contract", "as_of"])
def test_a_changed_contract_overwrites_what_the_dead_run_made(
    build: Builder, server: Server, root: Path, change: str
) -> None:
    own = people(build, "overwrite")
    before = {"as_of": "2024-01-01T00:00:00Z"} if change == "as_of" else {}
    kill(server, own, root, FIRST_MOVE, **before)
    with changed(own, change):
        result = own.run(root)
    assert codes(result.report) == ["PMEXEC111"]
    assert [one["run_id"] for one in reports(root)][1] == result.report.run_id
    assert published(root / "out") == [(1, 2)]
    assert journals(root) == []


@pytest.mark.parametrize("change", ["contract", "as_of"])
def test_a_changed_contract_appends_nothing_twice(build: Builder, server: Server, root: Path, change: str) -> None:
    own = people(build)
    before = {"as_of": "2024-01-01T00:00:00Z"} if change == "as_of" else {}
    kill(server, own, root, FIRST_MOVE, **before)
    with changed(own, change):
        result = own.run(root)
    assert [(d.code, d.severity) for d in result.report.diagnostics] == [
        ("PMEXEC111", "info"),
        ("PMEXEC115", "warning"),
    ]
    assert [d["code"] for d in reports(root)[0]["diagnostics"]] == ["PMEXEC111", "PMEXEC115"]
    assert len(reports(root)) == 1
    assert published(root / "out") == [(1, 2)]
    assert journals(root) == []


def test_outcomes_of_a_part_and_of_all_of_the_input(build: Builder, server: Server, root: Path, pets: Pipeline) -> None:
    """Two outcomes wait; the run over both files has that of the one that read both, whatever their names say."""
    (root / "in").mkdir()
    (root / "in" / "a.csv").write_text("id,qty\n1,1\n")
    own = people(build, source={"pattern": "*.csv", "path": "in"})
    kill(server, own, root, FIRST_MOVE)
    pets.run(root)
    (root / "in" / "b.csv").write_text("id,qty\n2,2\n")
    kill(server, own, root, FIRST_MOVE)
    pets.run(root)
    result = own.run(root)
    assert rows(result.accepted) == [(1, 1), (2, 2)]
    assert published(root / "out") == [(1, 1), (1, 1), (2, 2)]


class Stop(BaseException):
    """As of a handler of a signal or a test's time limit: neither an error of a run nor Ctrl-C."""


@pytest.mark.parametrize("strategy", ["append", "overwrite"])
def test_whatever_stops_a_decided_run_leaves_it_to_the_next(build: Builder, root: Path, strategy: str) -> None:
    """It says that it failed and that the target is published; the next run completes it, and repeats nothing."""
    own = people(build, strategy, source={"post_ingestion": {"action": "delete"}})

    def stop(number: int, _: str) -> None:
        if number == 9:
            raise Stop

    with pytest.raises(RunFailed) as failed:
        own.run(root, callbacks=Callbacks(on_step_start=stop))
    report = failed.value.report
    assert (codes(report), report.published) == (["PMEXEC101"], True)
    assert "the next run finishes" in report.diagnostics[0].help
    assert report.quarantine == f"out__quarantine/part-{report.run_id}.parquet"
    assert (root / "in.csv").exists()
    result = own.run(root)
    assert (result.report.run_id, result.status) == (report.run_id, "succeeded_with_quarantine")
    assert result.report.cleaned == ("in.csv",)
    assert published(root / "out") == [(1, 2)]
    assert journals(root) == []


@pytest.mark.parametrize("path", ["out", "out.parquet"])
def test_a_move_that_is_made_but_not_flushed_is_not_taken_back(
    build: Builder, root: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The disk refuses after the rename: what readers see is the new state, so the report does not say that it is the old one."""
    own = people(build, "overwrite", path)
    own.run(root)
    (root / "in.csv").write_text("id,qty\n5,6\n")

    def refuse(folders: object) -> None:
        if (single if path.endswith(".parquet") else published)(root / path) == [(5, 6)]:
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(publication, "sync_folders", refuse)
        with pytest.raises(RunFailed) as failed:
            own.run(root)
    report = failed.value.report
    assert (codes(report), report.published) == (["PMEXEC102"], True)
    assert "is published, but may not survive a power cut: Input/output error" in report.diagnostics[0].message
    assert len(journals(root)) == 1
    result = own.run(root)
    assert (result.report.run_id, result.status, codes(result.report)) == (report.run_id, "succeeded", ["PMEXEC111"])
    assert (single if path.endswith(".parquet") else published)(root / path) == [(5, 6)]


def test_state_folders_that_are_not_shared_exclude_each_other(build: Builder, root: Path) -> None:
    """The target that is there is locked itself."""
    own = people(build)
    own.run(root)
    inner: list[list[str]] = []

    def run_another(number: int, _: str) -> None:
        if number == 9:
            with pytest.raises(RunFailed) as failed:
                own.run(root, state_dir=".other")
            inner.append(codes(failed.value.report))

    own.run(root, callbacks=Callbacks(on_step_start=run_another))
    assert inner == [["PMEXEC108"]]
    assert published(root / "out") == [(1, 2), (1, 2)]
