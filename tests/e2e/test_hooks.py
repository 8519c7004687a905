"""Callbacks: when each is called, with what, and what happens when one raises."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, published, reports

from etlgen_runtime import Callbacks, RunFailed
from etlgen_runtime.report import RunReport
from etlgen_runtime.staging import StagingFolder

STEPS = [
    (1, "source"), (2, "pre-transforms"), (3, "schema"), (4, "pre-quality"), (5, "good / bad"), (6, "post-transforms"),
    (7, "post-quality"), (8, "materialize"), (9, "cleanup"),
]  # fmt: skip


@pytest.fixture
def people(build: Builder) -> Pipeline:
    return build(contract(["id: long!", "qty: integer"]))


def test_all_hooks_of_a_good_run(people: Pipeline, tmp_path: Path) -> None:
    pl.DataFrame({"id": range(300_000), "qty": 1}).write_csv(tmp_path / "in.csv")
    steps: list[tuple[int, str]] = []
    seen: list[int] = []
    finished: list[RunReport] = []
    lock = threading.Lock()

    def rows(count: int) -> None:
        with lock:
            seen.append(count)

    hooks = Callbacks(
        on_step_start=lambda number, name: steps.append((number, name)), on_rows=rows, on_run_finish=finished.append
    )
    result = people.run(tmp_path, callbacks=hooks)
    assert steps == STEPS
    assert max(seen) == 300_000
    assert len(seen) == len(set(seen))
    assert finished == [result.report]


def test_a_failing_run_ends_with_its_report_too(people: Pipeline, tmp_path: Path) -> None:
    steps: list[int] = []
    finished: list[RunReport] = []
    hooks = Callbacks(on_step_start=lambda number, _: steps.append(number), on_run_finish=finished.append)
    report = people.fail(tmp_path, callbacks=hooks)
    assert steps == [1]
    assert finished == [report]


class Broken:
    """A callback that is an object, and raises with a value of the data."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_: Any) -> None:
        raise self.error


def refuse(*_: Any) -> None:
    raise ValueError("no more")


@pytest.mark.parametrize("hook", ["on_step_start", "on_rows", "on_run_finish"])
@pytest.mark.parametrize(("callback", "named"), [(refuse, "`refuse`"), (Broken(KeyError("x")), "`Broken`")])
def test_a_callback_that_raises_is_named(
    people: Pipeline, tmp_path: Path, hook: str, callback: Any, named: str
) -> None:
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")
    report = people.fail(tmp_path, callbacks=Callbacks(**{hook: callback}))
    (diagnostic,) = report.diagnostics
    assert diagnostic.code == "PMEXEC104"
    assert diagnostic.message.startswith(f"callback {named} raised ")
    assert diagnostic.message.endswith(("ValueError", "KeyError"))
    assert (tmp_path / "out").exists() == (hook == "on_run_finish")
    assert ("the data are published" in diagnostic.help) == (hook == "on_run_finish")


def test_a_callback_that_raises_on_a_failed_run_does_not_hide_its_reason(people: Pipeline, tmp_path: Path) -> None:
    report = people.fail(tmp_path, callbacks=Callbacks(on_run_finish=refuse))
    assert [d.code for d in report.diagnostics] == ["PMDATA103", "PMEXEC104"]


def test_what_a_callback_raised_is_shown_on_demand(people: Pipeline, tmp_path: Path) -> None:
    """Its words may hold values, so they are the cause of the failure only under ``sensitive: keep``."""
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")
    for sensitive, cause in (("redact", type(None)), ("keep", ValueError)):
        for hook in ("on_rows", "on_step_start"):
            with pytest.raises(RunFailed) as failed:
                people.run(tmp_path, callbacks=Callbacks(**{hook: refuse}), sensitive=sensitive)
            assert isinstance(failed.value.__cause__, cause), (sensitive, hook)
            assert failed.value.__suppress_context__


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_passes_through_and_is_reported(
    people: Pipeline, tmp_path: Path, interrupt: type[BaseException]
) -> None:
    """Ctrl-C is no :class:`RunFailed`; it leaves no staging and no target, and a report that says so."""
    (tmp_path / "in.csv").write_text("id,qty\n1,2\n")

    def stop(number: int, _: str) -> None:
        if number == 8:
            raise interrupt

    heard: list[RunReport] = []
    with pytest.raises(interrupt):
        people.run(tmp_path, callbacks=Callbacks(on_step_start=stop, on_run_finish=heard.append))
    assert not (tmp_path / "out").exists()
    assert list((tmp_path / ".etlgen" / "staging").iterdir()) == []
    assert list((tmp_path / ".etlgen").glob("journal/*")) == []
    (report,) = reports(tmp_path)
    assert (report["status"], report["published"]) == ("failed", False)
    assert [d["code"] for d in report["diagnostics"]] == ["PMEXEC114"]
    assert [one.run_id for one in heard] == [report["run_id"]]
    people.run(tmp_path)
    assert published(tmp_path / "out") == [(1, 2)]


def test_an_interrupt_before_the_first_step_is_reported(
    people: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it takes its staging folder, or recovers another run."""

    def stop(_: StagingFolder) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(StagingFolder, "claim", stop)
        with pytest.raises(KeyboardInterrupt):
            people.run(tmp_path)
    (report,) = reports(tmp_path)
    assert [d["code"] for d in report["diagnostics"]] == ["PMEXEC114"]


def test_an_interrupt_in_the_middle_of_the_work(people: Pipeline, tmp_path: Path) -> None:
    pl.DataFrame({"id": range(300_000), "qty": 1}).write_csv(tmp_path / "in.csv")
    with pytest.raises(KeyboardInterrupt):
        people.run(tmp_path, callbacks=Callbacks(on_rows=Broken(KeyboardInterrupt())))
    assert not (tmp_path / "out").exists()
    assert list((tmp_path / ".etlgen" / "staging").iterdir()) == []


def test_an_output_that_no_one_filled(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id\n1\n")
    edit = ("pipeline", "run.transform(PreparePeople(people=raw)).result", "PreparePeople(people=raw).result")
    (error,) = build(contract(["id: long!"]), edit).fail(tmp_path).diagnostics
    assert error.code == "PMEXEC109"
