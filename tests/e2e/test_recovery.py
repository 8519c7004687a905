"""After a run that died: what the next run finishes, what it reports as its own outcome, and what it begins anew."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.dead_runs import FIRST_MOVE, TARGET_MOVE, codes, journals, kill
from tests.e2e.packages import Builder, Pipeline, contract, files, published, reports, rows, table
from tests.kill.prison import Server
from tests.unprivileged import unprivileged_folder

from etlgen_runtime import Callbacks, RunFailed
from etlgen_runtime.report import RunReport

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


def appending(build: Builder, **sections: Any) -> Pipeline:
    target = {"strategy": "append", "format": "parquet", "target_path": "out"}
    return build(contract(FIELDS, **{"materialization": target, **sections}))


def imported(pipeline: Pipeline) -> Pipeline:
    """Ready to be run by somebody who may not read the folder of the packages."""
    for module in ("pipeline", "polars_steps"):
        pipeline.module(module)
    return pipeline


def bad_keys(root: Path) -> list[str]:
    return [row[0] for row in published(root / "out__quarantine")]


@pytest.mark.parametrize("at", [FIRST_MOVE, TARGET_MOVE])
def test_a_decided_run_is_finished_and_not_repeated(build: Builder, server: Server, root: Path, at: str) -> None:
    """The run that follows has the outcome of the one that died: same report, same rows. One more run repeats it on purpose."""
    people = appending(build)
    kill(server, people, root, at)
    assert not (root / "out").exists()
    heard: list[RunReport] = []
    result = people.run(root, callbacks=Callbacks(on_run_finish=heard.append))
    assert (result.status, codes(result.report)) == ("succeeded_with_quarantine", ["PMEXEC111"])
    assert rows(result.accepted) == published(root / "out") == [(1, 2)]
    assert table(result.quarantined).get_column("id").to_list() == bad_keys(root) == ["x"]
    (report,) = reports(root)
    assert report["run_id"] == result.report.run_id == heard[0].run_id
    assert json.loads(result.report.to_json()) == report
    assert journals(root) == []
    again = people.run(root)
    assert again.report.run_id != result.report.run_id
    assert codes(again.report) == []
    assert published(root / "out") == [(1, 2), (1, 2)]


def test_the_run_of_another_contract_finishes_it_too(build: Builder, server: Server, root: Path) -> None:
    """The outcome waits for the contract's own next run, so that nothing is appended twice."""
    people = appending(build)
    pets = build(contract(FIELDS, name="pets", materialization={"strategy": "overwrite", "target_path": "pets"}))
    kill(server, people, root, FIRST_MOVE)
    other = pets.run(root)
    assert codes(other.report) == ["PMEXEC111"]
    assert "of `people` died" in other.report.diagnostics[0].message
    assert published(root / "out") == [(1, 2)]
    assert len(journals(root)) == 1
    assert codes(pets.run(root).report) == []
    assert codes(people.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]
    assert journals(root) == []


def test_more_input_is_processed(build: Builder, server: Server, tmp_path: Path) -> None:
    """The dead run is finished, and as one of the files is new, this run is carried out, over all of them as ever."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,qty\n1,2\n")
    people = appending(build, path="in")
    kill(server, people, tmp_path, FIRST_MOVE)
    (tmp_path / "in" / "b.csv").write_text("id,qty\n3,4\n")
    result = people.run(tmp_path)
    assert codes(result.report) == ["PMEXEC111"]
    assert result.report.accounting.accepted == 2
    assert published(tmp_path / "out") == [(1, 2), (1, 2), (3, 4)]
    assert len(reports(tmp_path)) == 2
    assert journals(tmp_path) == []


def test_outcomes_of_several_inputs_wait_for_their_own(build: Builder, server: Server, tmp_path: Path) -> None:
    """Loads of one file each: those of other files, and one that finds nothing, leave the outcome of the first alone."""
    people = appending(build)
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"id,qty\n{ord(name)},1\n")
        kill(server, people, tmp_path, FIRST_MOVE, assets={"people": f"{name}.csv"})
    (tmp_path / "c.csv").write_text("id,qty\n99,1\n")
    (tmp_path / "nothing").mkdir()
    assert people.run(tmp_path, assets={"people": "c.csv"}).report.accounting.accepted == 1
    assert people.run(tmp_path, assets={"people": "nothing"}).status == "skipped"
    for name in "ab":
        result = people.run(tmp_path, assets={"people": f"{name}.csv"})
        assert rows(result.accepted) == [(ord(name), 1)]
    assert published(tmp_path / "out") == [(97, 1), (98, 1), (99, 1)]
    assert journals(tmp_path) == []


def test_a_changed_input_is_processed_and_not_archived_unread(build: Builder, server: Server, tmp_path: Path) -> None:
    """A file was replaced between kill and recovery: recovery leaves it, the run that follows reads it."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,qty\n1,2\n")
    (tmp_path / "in" / "b.csv").write_text("id,qty\n3,4\n")
    people = appending(build, path="in", source={"post_ingestion": {"action": "delete"}})
    kill(server, people, tmp_path, FIRST_MOVE)
    (tmp_path / "in" / "b.csv").write_text("id,qty\n5,6\n7,8\n")
    result = people.run(tmp_path)
    assert result.report.cleaned == ("in/b.csv",)
    first, second = reports(tmp_path)
    assert first["cleaned"] == ["in/a.csv"]
    assert [d["code"] for d in first["diagnostics"]] == ["PMEXEC111", "PMEXEC105"]
    assert "in/b.csv (changed since it was read)" in first["diagnostics"][1]["message"]
    assert second["run_id"] == result.report.run_id
    assert published(tmp_path / "out") == [(1, 2), (3, 4), (5, 6), (7, 8)]


@pytest.mark.parametrize("empty", ["skip", "fail"])
def test_consumed_input_is_not_missed(build: Builder, server: Server, tmp_path: Path, empty: str) -> None:
    """Recovery deletes the input, so the run that follows finds nothing: neither skipped nor failed, it has that outcome."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,qty\n1,2\n")
    source = {"pattern": "*.csv", "empty_behavior": empty, "post_ingestion": {"action": "delete"}}
    people = appending(build, path="in", source=source)
    kill(server, people, tmp_path, FIRST_MOVE)
    result = people.run(tmp_path)
    assert (result.status, result.report.cleaned) == ("succeeded", ("in/a.csv",))
    assert list((tmp_path / "in").iterdir()) == []
    assert len(reports(tmp_path)) == 1


def test_a_single_consumed_file_is_not_missed(build: Builder, server: Server, root: Path) -> None:
    """The file that the contract names is gone, which is an error in any other run."""
    people = appending(build, source={"post_ingestion": {"action": "delete"}})
    kill(server, people, root, FIRST_MOVE)
    assert (root / "in.csv").exists()
    assert people.run(root).report.cleaned == ("in.csv",)
    assert not (root / "in.csv").exists()
    assert codes(people.fail(root)) == ["PMDATA103"]


def test_a_decided_failure_is_reported_once_more_and_not_repeated(build: Builder, server: Server, root: Path) -> None:
    people = appending(build, quarantine={"fail_on_quarantine": True})
    kill(server, people, root, FIRST_MOVE)
    report = people.fail(root)
    assert codes(report) == ["PMDATA202", "PMEXEC111"]
    assert bad_keys(root) == ["x"]
    assert not (root / "out").exists()
    assert len(reports(root)) == 1
    assert journals(root) == []
    assert codes(people.fail(root)) == ["PMDATA202"]
    assert bad_keys(root) == ["x", "x"]


def test_a_dry_run_neither_recovers_nor_is_recovered(build: Builder, server: Server, root: Path) -> None:
    people = appending(build)
    kill(server, people, root, FIRST_MOVE)
    before = files(root)
    dry = people.run(root, dry_run=True)
    assert codes(dry.report) == []
    del dry
    assert files(root) == before
    kill(server, people, root, r"os\.rename .*/runs/", dry_run=True)
    assert codes(people.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]


def test_another_target_of_the_profile_is_another_run(build: Builder, server: Server, root: Path) -> None:
    people = appending(build)
    kill(server, people, root, FIRST_MOVE)
    elsewhere = people.run(root, target="elsewhere")
    assert published(root / "elsewhere") == published(root / "out") == [(1, 2)]
    assert elsewhere.report.target == "elsewhere"
    assert people.run(root).report.target == "out"
    assert published(root / "out") == [(1, 2)]


def test_staged_rows_that_are_gone(build: Builder, server: Server, root: Path) -> None:
    """Somebody emptied the state folder but for the journal: the dead run is reported as failed, this one begins anew."""
    people = appending(build)
    kill(server, people, root, FIRST_MOVE)
    for folder in (root / ".etlgen" / "staging").iterdir():
        if folder.is_dir():
            shutil.rmtree(folder)
    result = people.run(root)
    assert [(d.code, d.severity) for d in result.report.diagnostics] == [("PMEXEC113", "warning")]
    assert published(root / "out") == [(1, 2)]
    lost, own = reports(root)
    assert (lost["status"], lost["published"], own["status"]) == ("failed", False, "succeeded_with_quarantine")
    assert journals(root) == []


def test_a_target_that_cannot_be_written_any_more(build: Builder, server: Server, root: Path) -> None:
    """The reason is told, and nothing is begun over it; another contract is only warned. Then all is finished."""
    people = appending(build)
    pets = build(contract(FIELDS, name="pets", materialization={"strategy": "overwrite", "target_path": "pets"}))
    kill(server, people, root, TARGET_MOVE)
    (root / "out").write_text("in the way")
    report = people.fail(root)
    assert codes(report) == ["PMEXEC113"]
    assert "PMEXEC102" in report.diagnostics[0].message
    warned = pets.run(root)
    assert [(d.code, d.severity) for d in warned.report.diagnostics] == [("PMEXEC113", "warning")]
    (root / "out").unlink()
    assert codes(people.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]
    assert bad_keys(root) == ["x"]


def test_a_damaged_journal_is_an_error_that_names_it(build: Builder, root: Path) -> None:
    people = appending(build)
    (root / ".etlgen" / "journal").mkdir(parents=True)
    (root / ".etlgen" / "journal" / "x.jsonl").write_text("hello\n")
    report = people.fail(root)
    assert codes(report) == ["PMEXEC112"]
    assert ".etlgen/journal/x.jsonl" in report.diagnostics[0].message
    assert not (root / "out").exists()


def test_an_interrupt_after_the_decision_is_like_a_kill(build: Builder, root: Path) -> None:
    """Ctrl-C in step 9: the target is published, so the next run finishes the cleanup and has that outcome."""
    people = appending(build, source={"post_ingestion": {"action": "delete"}})

    def stop(number: int, _: str) -> None:
        if number == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        people.run(root, callbacks=Callbacks(on_step_start=stop))
    assert published(root / "out") == [(1, 2)]
    assert (root / "in.csv").exists()
    result = people.run(root)
    assert (result.status, result.report.cleaned) == ("succeeded_with_quarantine", ("in.csv",))
    assert published(root / "out") == [(1, 2)]
    assert not (root / "in.csv").exists()
    assert journals(root) == []
    assert list((root / ".etlgen" / "staging").iterdir()) == []


def test_a_journal_that_cannot_be_written(build: Builder) -> None:
    people = imported(appending(build))
    with unprivileged_folder() as root:
        (root / "in.csv").write_text("id,qty\n1,2\nx,3\n")
        (root / ".etlgen" / "journal").mkdir(parents=True)
        (root / ".etlgen" / "journal").chmod(0o500)
        with pytest.raises(RunFailed) as failed:
            people.run(root)
        (diagnostic,) = failed.value.report.diagnostics
        assert diagnostic.code == "PMEXEC102"
        assert diagnostic.message == "the state folder `.etlgen` cannot be written: Permission denied"
        assert files(root) == {"in.csv"}


@pytest.mark.parametrize("strategy", ["append", "overwrite"])
@pytest.mark.parametrize("shut", ["out", "out__quarantine"])
def test_a_read_only_destination_leaves_everything_as_it_was(build: Builder, strategy: str, shut: str) -> None:
    """Neither target nor quarantine changes, whichever of them is refused, and nothing is left behind."""
    target = {"strategy": strategy, "format": "parquet", "target_path": "lake/out"}
    people = imported(build(contract(FIELDS, materialization=target, quarantine={"target": "bad/out__quarantine"})))
    with unprivileged_folder() as root:
        (root / "in.csv").write_text("id,qty\n1,2\nx,3\n")
        people.run(root)
        before = files(root)
        folder = next(root.glob(f"*/{shut}"))
        for path in (folder, folder.parent):
            path.chmod(0o500)
        with pytest.raises(RunFailed) as failed:
            people.run(root)
        (diagnostic,) = failed.value.report.diagnostics
        assert diagnostic.code == "PMEXEC102"
        assert f"{shut}` cannot be written: Permission denied" in diagnostic.message
        assert not failed.value.report.published
        assert files(root) == before


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only the superuser makes a folder of somebody else"
)
def test_a_move_that_is_refused_after_all(build: Builder) -> None:
    """A target of somebody else in a folder like /tmp: it may be written, and not be replaced. The quarantine stands already; the
    report says so, nothing is rolled forward later, and nothing else is left.
    """
    target = {"strategy": "overwrite", "format": "parquet", "target_path": "shared/out"}
    people = imported(build(contract(FIELDS, materialization=target, quarantine={"target": "bad"})))
    with unprivileged_folder() as root:
        (root / "in.csv").write_text("id,qty\n1,2\nx,3\n")
        user = os.geteuid()
        os.seteuid(0)
        (root / "shared" / "out").mkdir(parents=True)
        (root / "shared" / "out").chmod(0o777)
        (root / "shared").chmod(0o1777)
        os.seteuid(user)
        with pytest.raises(RunFailed) as failed:
            people.run(root)
        (diagnostic,) = failed.value.report.diagnostics
        assert diagnostic.code == "PMEXEC102"
        assert "shared/out` cannot be written: Operation not permitted" in diagnostic.message
        report = failed.value.report
        assert (report.published, report.quarantine) == (False, f"bad/part-{report.run_id}.parquet")
        assert files(root) == {"in.csv", report.quarantine}
        assert list((root / "shared" / "out").iterdir()) == []
        assert reports(root)[0]["quarantine"] == report.quarantine
        os.seteuid(0)
        (root / "shared").chmod(0o777)
        os.seteuid(user)
        assert codes(people.run(root).report) == []


def test_a_run_on_a_target_whose_run_died_meanwhile(build: Builder, server: Server, root: Path) -> None:
    """It began while the other lived, so it has not recovered it: it says so, and the next one finishes."""
    people = appending(build)

    def kill_another(number: int, _: str) -> None:
        if number == 8:
            kill(server, people, root, FIRST_MOVE)

    with pytest.raises(RunFailed) as failed:
        people.run(root, callbacks=Callbacks(on_step_start=kill_another))
    (diagnostic,) = failed.value.report.diagnostics
    assert (diagnostic.code, diagnostic.help) == ("PMEXEC108", "run again: that finishes it")
    assert codes(people.run(root).report) == ["PMEXEC111"]
    assert published(root / "out") == [(1, 2)]
