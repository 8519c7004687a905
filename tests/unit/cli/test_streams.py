"""What reaches a terminal, a closed stream and a reader of JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT, Etlgen, Outcome

from etlgen.cli import terminal
from etlgen.cli.progress import Progress

STEERING = '"a\\e]0;pwn\\a\\e[31m\\u202Eb"'
"""As YAML writes it: a new window title, red, right to left."""


def shell(project: Path, redirected: str, *arguments: str) -> Outcome:
    """A call from a POSIX shell, with its redirections."""
    command = f'exec "$0" -m etlgen.cli "$@" {redirected}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable, *arguments], capture_output=True, text=True, cwd=project, check=False
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def steer(project: Path) -> None:
    text = CONTRACT.replace("table_name: orders", f"table_name: {STEERING}").replace(
        "title: Orders", f"title: {STEERING}"
    )
    rule = f"quality: {{ row_rules: [{{ name: {STEERING}, sql: qty > 4 }}] }}\n"
    (project / "contracts" / "orders.olc.yaml").write_text(text + rule, encoding="utf-8")


def is_harmless(text: str) -> bool:
    return all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize(
    "command",
    [
        ("lint",),
        ("lint", "--json"),
        ("build", "--check"),
        ("plan", "contracts/orders.olc.yaml"),
        ("plan", "contracts/orders.olc.yaml", "--json"),
        ("plan", "a\x1b[31mb"),
        ("build",),
        ("run", "contracts/orders.olc.yaml"),
        ("run", "contracts/orders.olc.yaml", "--json"),
        ("run", "all", "--source", "x\x1b[31m"),
    ],
    ids=" ".join,
)
def test_no_text_of_a_contract_steers_the_terminal(project: Path, etlgen: Etlgen, command: tuple[str, ...]) -> None:
    steer(project)
    done = etlgen(*command)
    assert is_harmless(done.out)
    assert is_harmless(done.err)


def test_a_json_result_keeps_the_text_that_it_escapes(project: Path, etlgen: Etlgen) -> None:
    steer(project)
    plan = json.loads(etlgen("plan", "contracts/orders.olc.yaml", "--json").out)
    assert plan["contract"]["name"] == "a\x1b]0;pwn\x07\x1b[31m\u202eb"


def test_the_progress_line_holds_one_escape_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.rewrite(Progress("a\x1b[31mb").line(0.0))
    assert capsys.readouterr().err == "\r\x1b[2Ka\\x1b[31mb: "


needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a shell and /dev/full")


@needs_full_device
@pytest.mark.parametrize(
    "command", [("plan", "orders"), ("explain", "PHS-001"), ("lint", "--json"), ("build",), ("engines",), ("--help",)]
)
@pytest.mark.parametrize("redirected", [">&-", ">/dev/full"])
def test_output_that_goes_nowhere_is_one_line(project: Path, command: tuple[str, ...], redirected: str) -> None:
    done = shell(project, redirected, *command)
    if command == ("--help",) and redirected == ">&-":
        assert (done.code, done.err) == (0, "")  # typer writes no help to a stream that is closed
        return
    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if not line.startswith("1 contract")]
    assert line.startswith("etlgen: the system refused: ")


@needs_full_device
@pytest.mark.parametrize("redirected", ["2>&-", "2>/dev/full"])
def test_what_is_said_beside_the_result_may_be_lost(project: Path, redirected: str) -> None:
    done = shell(project, redirected, "run", "orders", "--json")
    assert done.code == 0
    assert [report["contract"] for report in json.loads(done.out)] == ["orders"]
    assert shell(project, redirected, "plan", "ordres").code == 2


@needs_full_device
def test_a_reader_that_leaves_early_is_no_error_to_tell(project: Path) -> None:
    done = shell(project, "| true", "plan", "orders")
    assert "Traceback" not in done.err
    assert "Exception" not in done.err


def test_findings_and_errors_have_one_shape_in_json(project: Path, etlgen: Etlgen) -> None:
    text = CONTRACT.replace("sql: qty * 2", "sql: qyt * 2")
    (project / "contracts" / "orders.olc.yaml").write_text(text, encoding="utf-8")
    linted, built = etlgen("lint", "--json"), etlgen("build", "--json")
    assert (linted.code, built.code) == (1, 2)
    assert json.loads(linted.out) == json.loads(built.out)
    (found,) = json.loads(built.out)["diagnostics"]
    assert (found["code"], found["line"]) == ("SQL-001", 10)


def test_a_check_prints_json(project: Path, etlgen: Etlgen) -> None:
    stale = etlgen("build", "--check", "--json")
    record = json.loads(stale.out)
    assert (stale.code, record["contracts"], record["diagnostics"]) == (1, 1, [])
    assert "orders/models.py" in [change["path"].partition("/")[2] for change in record["changes"]]
    assert json.loads(etlgen("build", "--json").out)["changes"] == record["changes"]
    fresh = etlgen("build", "--check", "--json")
    assert (fresh.code, json.loads(fresh.out)["changes"]) == (0, [])


def test_warnings_of_a_build_are_in_its_json(project: Path, etlgen: Etlgen) -> None:
    (project / "contracts" / "orders.olc.yaml").write_text(CONTRACT + "natural_key: [order_id]\n", encoding="utf-8")
    done = etlgen("build", "--json")
    assert [d["code"] for d in json.loads(done.out)["diagnostics"]] == ["CTR-032"]
    assert done.err == ""


def test_next_commands_can_be_pasted(tmp_path: Path, etlgen: Etlgen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "  cd 'my shop; true'\n" in etlgen("init", "my shop; true").err
