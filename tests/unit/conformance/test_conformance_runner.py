"""The runner: finding cases, outcomes, exit codes and the three report formats."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from etlgen.conformance.case import Case
from etlgen.conformance.compare import RowSet
from etlgen.conformance.execution import EngineMissing, Execution, Message, Stop
from etlgen.conformance.report import Format
from etlgen.conformance.runner import discover, run_conformance
from etlgen.diagnostics.model import ContractError


def add_case(root: Path, name: str, *, level: str = "core-runtime", accepted: int = 1) -> None:
    folder = root / name
    (folder / "expected").mkdir(parents=True)
    (folder / "case.yaml").write_text(
        f"id: {name.upper()}\nlevel: {level}\nfeature: f\nexpected: {{accepted: expected/accepted.jsonl}}\n"
    )
    (folder / "contract.olc.yaml").write_text("version: 1.0.0\n")
    (folder / "input.jsonl").write_text('{"id": 1}\n')
    (folder / "expected" / "accepted.jsonl").write_text(f'{{"id": {accepted}}}\n')


def echo(case: Case, engine: str, workdir: Path) -> Execution:
    """An engine whose accepted rows are one row with id 1; it lacks the feature of cases named gap."""
    assert workdir.is_dir()
    assert not list(workdir.iterdir())
    if engine == "absent":
        raise EngineMissing("engine `absent` is not installed")
    if case.folder.name == "gap":
        return Execution(stop=Stop("build", (Message("no merge"),), is_gap=True))
    return Execution(declared=("id",), accepted=RowSet(({"id": 1},), ("id",)))


def run(
    root: Path, fmt: Format = "json", *, require: bool = False, engines: tuple[str, ...] = ("polars",)
) -> tuple[int, str]:
    out = io.StringIO()
    code = run_conformance(root, engines, fmt, require, out, echo)
    return code, out.getvalue()


def outcomes(text: str) -> dict[str, str]:
    return {item["path"]: item["outcome"] for item in json.loads(text)["results"]}


def test_cases_are_found_at_any_depth_in_order(tmp_path: Path) -> None:
    add_case(tmp_path / "rules", "b")
    add_case(tmp_path / "rules", "a")
    add_case(tmp_path, "z")
    assert [path.name for path in discover(tmp_path)] == ["a", "b", "z"]
    assert [path.name for path in discover(tmp_path / "z")] == ["z"]


def test_a_pass_exits_with_0(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    code, text = run(tmp_path)
    assert (code, outcomes(text)) == (0, {"a": "PASS"})


def test_a_fail_exits_with_1_and_says_why(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    add_case(tmp_path, "b", accepted=2)
    code, text = run(tmp_path)
    assert (code, outcomes(text)) == (1, {"a": "PASS", "b": "FAIL"})
    assert "`id` expected 2, got 1" in json.loads(text)["results"][1]["reasons"][0]


@pytest.mark.parametrize(
    ("level", "require", "code"),
    [
        ("core-runtime", False, 0),
        ("core-runtime", True, 1),
        ("materialization", True, 1),
        ("operational", True, 0),
    ],
)
def test_a_declared_gap_fails_only_where_it_is_required(tmp_path: Path, level: str, require: bool, code: int) -> None:
    add_case(tmp_path, "gap", level=level)
    got, text = run(tmp_path, require=require)
    assert (got, outcomes(text)) == (code, {"gap": "UNSUPPORTED"})
    assert json.loads(text)["results"][0]["reasons"] == ["no merge"]


def test_an_engine_that_is_not_installed_is_skipped(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    code, text = run(tmp_path, engines=("absent",), require=True)
    assert (code, outcomes(text)) == (0, {"a": "SKIP"})


def test_a_broken_case_is_a_fail_with_its_diagnostics(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    (tmp_path / "a" / "case.yaml").write_text("id: a\nlevel: core\n")
    code, text = run(tmp_path)
    assert (code, outcomes(text)) == (1, {"a": "FAIL"})
    assert json.loads(text)["results"][0]["reasons"][0].startswith("CNF-003: `level`")


def test_a_broken_row_file_is_a_fail(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    (tmp_path / "a" / "expected" / "accepted.jsonl").write_text("{\n")
    code, text = run(tmp_path)
    assert (code, outcomes(text)) == (1, {"a": "FAIL"})


@pytest.mark.parametrize(
    ("rows", "code"), [(b'{"id": "\xff"}\n', "CNF-005"), (b"[" * 100_000, "CNF-005"), (b"1" * 5000, "CNF-005")]
)
def test_a_row_file_that_is_no_json_of_any_use_is_a_fail(tmp_path: Path, rows: bytes, code: str) -> None:
    add_case(tmp_path, "a")
    (tmp_path / "a" / "expected" / "accepted.jsonl").write_bytes(rows)
    _, text = run(tmp_path)
    assert outcomes(text) == {"a": "FAIL"}
    assert json.loads(text)["results"][0]["reasons"][0].startswith(code)


def test_a_case_that_cannot_be_read_is_a_fail(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    (tmp_path / "b" / "case.yaml").mkdir(parents=True)  # a folder of that name
    code, text = run(tmp_path)
    assert (code, outcomes(text)) == (1, {"a": "PASS", "b": "FAIL"})
    assert json.loads(text)["results"][1]["reasons"][0].startswith("CNF-001: `b/case.yaml` cannot be read")


def test_no_case_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="CNF-006"):
        run(tmp_path)


def test_json_has_the_documented_keys(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    results = json.loads(run(tmp_path)[1])["results"]
    assert set(results[0]) == {"id", "path", "engine", "outcome", "reasons", "duration_ms"}
    assert (results[0]["id"], results[0]["engine"]) == ("A", "polars")


def test_the_table_shows_reasons_and_a_summary(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    add_case(tmp_path, "b", accepted=2)
    add_case(tmp_path, "gap")
    lines = run(tmp_path, "table")[1].splitlines()
    assert lines[0].split() == ["outcome", "case", "engine", "ms", "path"]
    assert lines[2].split()[:2] == ["FAIL", "B"]
    assert "`id` expected 2, got 1" in lines[3]
    assert lines[-1] == "1 PASS, 1 FAIL, 1 UNSUPPORTED"


def test_junit_counts_failures_and_skips(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    add_case(tmp_path, "b", accepted=2)
    add_case(tmp_path, "gap")
    suite = ET.fromstring(run(tmp_path, "junit")[1])
    assert {key: suite.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "skipped": "1",
    }
    failure = suite.find("testcase[@name='B']/failure")
    assert failure is not None
    assert "expected 2" in (failure.text or "")


def test_every_engine_runs_every_case(tmp_path: Path) -> None:
    add_case(tmp_path, "a")
    results = json.loads(run(tmp_path, engines=("polars", "absent"))[1])["results"]
    assert [(item["engine"], item["outcome"]) for item in results] == [("polars", "PASS"), ("absent", "SKIP")]
