"""``etlgen run``, ``plan`` and ``init`` from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT, DATA, Etlgen

from etlgen.cli.progress import Progress


def test_a_run_builds_and_prints_counts_and_places(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders")
    assert done.code == 0, done.err
    row = next(line.split() for line in done.out.splitlines() if line.startswith("orders  "))
    # Rows: order 2 has no quantity of at least 1, the last one no number.
    assert row[:7] == ["orders", "succeeded_with_quarantine", "4", "2", "2", "0", "0"]
    assert "  failed   order_id_required: 1 row" in done.out.splitlines()
    assert "  failed   qty_range: 1 row" in done.out.splitlines()
    for label in ("output", "quarantine", "report"):
        (path,) = [line.split()[1] for line in done.out.splitlines() if line.startswith(f"  {label} ")]
        assert (project / path).exists()
    assert "files changed" in done.err


def test_a_run_by_file_and_as_json(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "contracts/orders.olc.yaml", "--json")
    (report,) = json.loads(done.out)
    assert (report["contract"], report["accounting"]["accepted"]) == ("orders", 2)


def test_a_dry_run_counts_the_same_and_publishes_nothing(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--dry-run", "--json")
    (report,) = json.loads(done.out)
    accounting = report["accounting"]
    assert (accounting["accepted"], accounting["bad_pre"], accounting["bad_post"]) == (2, 2, 0)
    assert not (project / "data").exists()


def test_strict_exits_3_for_quarantined_rows(project: Path, etlgen: Etlgen) -> None:
    assert etlgen("run", "orders", "--strict").code == 3
    (project / "orders.csv").write_text("order_id,qty\n1,2\n", encoding="utf-8")
    assert etlgen("run", "orders", "--strict").code == 0


def test_another_source(project: Path, etlgen: Etlgen) -> None:
    (project / "other.csv").write_text("order_id,qty\n1,2\n", encoding="utf-8")
    (report,) = json.loads(etlgen("run", "orders", "--source", "other.csv", "--json").out)
    assert report["accounting"]["read"] == 1


@pytest.mark.parametrize("content", [None, "", "qty\n1\n"])
def test_a_run_that_fails_exits_1_with_the_reason(project: Path, etlgen: Etlgen, content: str | None) -> None:
    """A missing file, one of 0 bytes, one without a required column."""
    (project / "orders.csv").unlink()
    if content is not None:
        (project / "orders.csv").write_text(content, encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 1
    assert "error[PMDATA" in done.err
    assert "PMDATA" not in done.out


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"ORDER_ID,qty\n1,2\n", "PMDATA101", "ORDER_ID"),
        (b"order_id,qty\n1,\xff\n", "PMDATA105", "orders.csv"),
        (b"order_id,qty,QTY\n1,2,3\n", "PMDATA105", "QTY"),
    ],
    ids=["a header that differs in case only", "a wrong encoding", "names equal but for case"],
)
def test_input_that_cannot_be_read_fails_the_run(
    project: Path, etlgen: Etlgen, data: bytes, code: str, said: str
) -> None:
    (project / "orders.csv").write_bytes(data)
    done = etlgen("run", "orders")
    assert done.code == 1
    assert f"error[{code}]" in done.err
    assert said in done.err


@pytest.mark.parametrize(("behavior", "exit_code", "status"), [("skip", 0, "skipped"), ("fail", 1, "failed")])
def test_a_pattern_that_matches_nothing(
    project: Path, etlgen: Etlgen, behavior: str, exit_code: int, status: str
) -> None:
    contract = project / "contracts" / "orders.olc.yaml"
    source = f"path: incoming, pattern: '*.csv', format: csv, empty_behavior: {behavior} }}"
    text = contract.read_text(encoding="utf-8").replace("path: orders.csv, format: csv }", source)
    contract.write_text(text, encoding="utf-8")
    (project / "incoming").mkdir()
    done = etlgen("run", "orders", "--json")
    assert done.code == exit_code
    (report,) = json.loads(done.out)
    assert report["status"] == status
    assert [d["code"] for d in report["diagnostics"]] == ["PMDATA109"]


def test_a_target_that_is_a_file_where_a_folder_belongs(project: Path, etlgen: Etlgen) -> None:
    (project / "data" / "silver").mkdir(parents=True)
    (project / "data" / "silver" / "orders").write_text("mine", encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 1
    assert "error[PMDATA104]" in done.err
    assert (project / "data" / "silver" / "orders").read_text(encoding="utf-8") == "mine"


def test_a_header_without_rows_gives_an_empty_table(project: Path, etlgen: Etlgen) -> None:
    (project / "orders.csv").write_text("order_id,qty\n", encoding="utf-8")
    (report,) = json.loads(etlgen("run", "orders", "--json").out)
    assert (report["status"], report["accounting"]["read"]) == ("succeeded", 0)


def test_a_plan_names_every_step_and_reason(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("plan", "orders")
    assert done.code == 0
    steps = [line for line in done.out.splitlines() if " · " in line and not line.startswith(" ")]
    assert [line.split(" · ")[0] for line in steps] == [str(number) for number in range(1, 10)]
    assert "derive `total`" in done.out
    assert "phase post: " in done.out
    assert "qty_range" in done.out


def test_a_plan_as_json(project: Path, etlgen: Etlgen) -> None:
    plan = json.loads(etlgen("plan", "contracts/orders.olc.yaml", "--format", "json").out)
    assert [step["number"] for step in plan["steps"]] == list(range(1, 10))
    (operation,) = plan["operations"]
    assert (operation["kind"], operation["phase"], operation["creates"]) == ("derive", "post", ["total"])
    assert {check["name"]: check["phase"] for check in plan["row_checks"]} == {
        "order_id_required": "pre",
        "qty_range": "pre",
    }


def test_what_a_profile_loosens_comes_first(project: Path, etlgen: Etlgen) -> None:
    with (project / "etlgen.toml").open("a", encoding="utf-8") as file:
        file.write("[profiles.loose]\nallow_empty_overwrite = true\n")
    lines = etlgen("plan", "orders", "--profile", "loose").out.splitlines()
    assert lines.index("risks") < lines.index(next(line for line in lines if line.startswith("1 · ")))
    assert "allow_empty_overwrite" in lines[lines.index("risks") + 1]


def test_a_new_project_lints_plans_and_runs(tmp_path: Path, etlgen: Etlgen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = etlgen("init", "shop")
    assert done.code == 0
    assert "etlgen run people" in done.err
    monkeypatch.chdir(tmp_path / "shop")
    assert etlgen("lint").code == 0
    assert etlgen("plan", "people").code == 0
    (report,) = json.loads(etlgen("run", "people", "--json").out)
    # Six people: one without an address, one whose age is no number.
    assert (report["accounting"]["read"], report["accounting"]["accepted"]) == (6, 4)
    again = etlgen("init", ".")
    assert again.code == 2
    assert "error[GEN-012]" in again.err


def test_progress_shows_step_rows_and_speed() -> None:
    progress = Progress("orders")
    progress.step, progress.rows = "8 · materialize", 30_000
    assert progress.line(progress._start + 2.0) == "orders: 8 · materialize · 30,000 rows · 15,000 rows/s"


def test_after_a_failure_the_contracts_that_follow_do_not_run(project: Path, etlgen: Etlgen) -> None:
    later = CONTRACT.replace("table_name: orders", "table_name: report") + "upstream: [orders]\n"
    (project / "contracts" / "report.olc.yaml").write_text(
        later.replace("path: orders.csv", "path: other.csv"), encoding="utf-8"
    )
    (project / "other.csv").write_text(DATA, encoding="utf-8")
    (project / "orders.csv").unlink()
    done = etlgen("run", "all", "--json")
    assert done.code == 1
    assert [report["contract"] for report in json.loads(done.out)] == ["orders"]
    assert "not run after the failure of `orders`: report" in done.err


RULE = """\
quality:
  fail_pipeline_on_dataset_error: true
  dataset_rules:
    - { name: many, sql: "count(*) > 100" }
"""


def labels(out: str) -> list[str]:
    return [
        line.split()[0] for line in out.splitlines() if line.startswith(("  output ", "  quarantine ", "  report "))
    ]


def test_a_dataset_rule_that_stops_publication_fails_the_command(project: Path, etlgen: Etlgen) -> None:
    """Status ``failed_checks`` and nothing published: what reads the target would run on old rows."""
    (project / "contracts" / "orders.olc.yaml").write_text(CONTRACT + RULE, encoding="utf-8")
    later = CONTRACT.replace("table_name: orders", "table_name: report") + "upstream: [orders]\n"
    (project / "contracts" / "report.olc.yaml").write_text(later, encoding="utf-8")
    done = etlgen("run", "all")
    assert done.code == 1
    assert "not run after the failure of `orders`: report" in done.err
    assert [line for line in done.out.splitlines() if "`many`" in line or " many " in line] == [
        "  error    many (dataset): returned FALSE"
    ]
    assert labels(done.out) == ["quarantine", "report"]
    assert etlgen("run", "orders", "--strict").code == 1


def test_a_failed_dataset_rule_that_stops_nothing(project: Path, etlgen: Etlgen) -> None:
    """Without ``fail_pipeline_on_dataset_error`` the rows are published, and the command succeeds."""
    kept = RULE.replace("fail_pipeline_on_dataset_error: true", "enforce_required: true")
    (project / "contracts" / "orders.olc.yaml").write_text(CONTRACT + kept, encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 0
    assert labels(done.out) == ["output", "quarantine", "report"]
    assert etlgen("run", "orders", "--strict").code == 3


def test_a_dry_run_names_its_report_only(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--dry-run")
    assert done.code == 0
    assert labels(done.out) == ["report"]


def test_a_failed_run_names_no_output(project: Path, etlgen: Etlgen) -> None:
    (project / "orders.csv").write_text("qty\n1\n", encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 1
    assert labels(done.out) == ["report"]


def test_a_table_that_was_not_replaced_is_no_output(project: Path, etlgen: Etlgen) -> None:
    """PMDATA204: every row is bad, and the overwrite is withheld."""
    assert labels(etlgen("run", "orders").out) == ["output", "quarantine", "report"]
    (project / "orders.csv").write_text("order_id,qty\n,1\n", encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 0
    assert "PMDATA204" in done.out
    assert labels(done.out) == ["quarantine", "report"]


@pytest.mark.parametrize(
    ("quarantine", "written"),
    [("fail_on_quarantine: true", ["quarantine", "report"]), ("enabled: false", ["report"])],
)
def test_a_run_that_failed_on_bad_rows_names_what_it_wrote(
    project: Path, etlgen: Etlgen, quarantine: str, written: list[str]
) -> None:
    """PMDATA202 comes after the quarantine and before the target, PMDATA201 before both."""
    contract = CONTRACT.replace("write_mode: overwrite", f"write_mode: overwrite, {quarantine}")
    (project / "contracts" / "orders.olc.yaml").write_text(contract, encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 1
    assert labels(done.out) == written


def test_a_run_that_failed_after_publication_names_its_output(project: Path, etlgen: Etlgen) -> None:
    """PMEXEC105: a blocking cleanup fails when the rows are in place."""
    text = CONTRACT.replace(
        "format: csv }",
        "format: csv, post_ingestion: { action: archive, archive_path: orders.csv/below, cleanup_is_blocking: true } }",
    )
    (project / "contracts" / "orders.olc.yaml").write_text(text, encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code == 1
    assert "PMEXEC105" in done.err
    assert labels(done.out) == ["output", "quarantine", "report"]


def test_the_errors_of_a_contract_that_cannot_be_read_come_alone(project: Path, etlgen: Etlgen) -> None:
    """Whether `orders` is in that file is not known, so nothing is said about there being none."""
    (project / "contracts" / "orders.olc.yaml").write_text("version: [\n", encoding="utf-8")
    for command in ("run", "plan"):
        done = etlgen(command, "orders")
        assert done.code == 2
        assert "error[CTR-005]" in done.err
        assert "GEN-010" not in done.err


def test_a_contract_with_an_error_is_there(project: Path, etlgen: Etlgen) -> None:
    """Its name can be read: for it the error comes alone, for another name it is no excuse."""
    broken = CONTRACT.replace("type: integer", "type: integr")
    assert broken != CONTRACT
    (project / "contracts" / "orders.olc.yaml").write_text(broken, encoding="utf-8")
    done = etlgen("plan", "orders")
    assert (done.code, "GEN-010" in done.err, "integr" in done.err) == (2, False, True)
    done = etlgen("plan", "order")
    assert (done.code, "error[GEN-010]" in done.err, "integr`" in done.err) == (2, True, False)
    assert "one of orders" in done.err
