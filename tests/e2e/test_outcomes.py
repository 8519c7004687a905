"""The statuses of a run, what each publishes, and what a dry run leaves."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest
from tests.e2e.packages import Builder, Pipeline, contract, failed_rules, files, published, reports, rows, table

from etlgen_runtime import RunFailed

FIELDS = ["id: long!", "qty: integer"]
GOOD, MIXED, BAD = "id,qty\n1,2\n", "id,qty\n1,2\nx,3\n", "id,qty\nx,2\ny,3\n"


@pytest.fixture
def people(build: Builder) -> Pipeline:
    return build(contract(FIELDS))


def write(root: Path, text: str) -> None:
    (root / "in.csv").write_text(text)


def test_succeeded(people: Pipeline, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    result = people.run(tmp_path)
    assert result.status == "succeeded"
    assert rows(result.accepted) == [(1, 2)]
    assert rows(result.quarantined) == []
    assert {"id", "qty", "_etlgen_errors", "_etlgen_raw"} <= set(table(result.quarantined).columns)
    assert files(tmp_path) == {"in.csv", f"out/part-{result.report.run_id}.parquet"}
    assert repr(result) == "RunResult(succeeded, accepted=1, quarantined=0)"


def test_succeeded_with_quarantine(people: Pipeline, tmp_path: Path) -> None:
    write(tmp_path, MIXED)
    result = people.run(tmp_path)
    assert result.status == "succeeded_with_quarantine"
    assert failed_rules(result.quarantined, "id") == {"x": ["id_type"]}
    run_id = result.report.run_id
    assert files(tmp_path) == {"in.csv", f"out/part-{run_id}.parquet", f"out__quarantine/part-{run_id}.parquet"}
    assert result.report.quarantine == f"out__quarantine/part-{run_id}.parquet"


def test_all_quarantined_keeps_the_old_data(people: Pipeline, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    people.run(tmp_path)
    write(tmp_path, BAD)
    result = people.run(tmp_path)
    assert result.status == "all_quarantined"
    assert published(tmp_path / "out") == [(1, 2)]
    assert rows(result.accepted) == []
    assert rows(result.quarantined, "id") == [("x",), ("y",)]
    (warning,) = result.report.diagnostics
    assert (warning.code, warning.severity) == ("PMDATA204", "warning")
    assert "allow_empty_overwrite" in warning.help


def test_all_quarantined_replaces_where_the_profile_allows_it(people: Pipeline, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    people.run(tmp_path)
    write(tmp_path, BAD)
    assert people.run(tmp_path, allow_empty_overwrite=True).status == "all_quarantined"
    assert published(tmp_path / "out") == []


def test_all_quarantined_appends_nothing(build: Builder, tmp_path: Path) -> None:
    target = {"strategy": "append", "format": "parquet", "target_path": "out"}
    pipeline = build(contract(FIELDS, materialization=target))
    write(tmp_path, GOOD)
    pipeline.run(tmp_path)
    write(tmp_path, BAD)
    assert pipeline.run(tmp_path).status == "all_quarantined"
    assert published(tmp_path / "out") == [(1, 2)]


def test_an_empty_source_does_replace(people: Pipeline, tmp_path: Path) -> None:
    """No rows at all is a fact about the source, not a fault of the rows."""
    write(tmp_path, GOOD)
    people.run(tmp_path)
    write(tmp_path, "id,qty\n")
    assert people.run(tmp_path).status == "succeeded"
    assert published(tmp_path / "out") == []


@pytest.mark.parametrize("stops", [False, True])
def test_failed_checks(build: Builder, tmp_path: Path, stops: bool) -> None:
    quality = {
        "fail_pipeline_on_dataset_error": stops,
        "dataset_rules": [
            {"row_count_between": {"min": 2, "max": 9}},
            {"unique": ["qty"], "severity": "warning"},
            {"name": "low", "sql": "SELECT max(qty) FROM source", "must_be_less_than": 2},
            {"name": "unknown", "sql": "SELECT max(qty) > 0 FROM source WHERE qty > 100"},
        ],
    }
    pipeline = build(contract(FIELDS, quality=quality))
    write(tmp_path, MIXED)
    result = pipeline.run(tmp_path)
    assert result.status == "failed_checks"
    assert result.report.dataset_rules_failed == ("row_count_between", "low", "unknown")
    outcomes = {r.rule: (r.passed, r.value, r.reason) for r in result.report.dataset_rules}
    assert outcomes == {
        "row_count_between": (False, "1", "1 is below the minimum 2"),
        "qty_unique": (True, "0", ""),
        "low": (False, "2", "2 is not less than 2"),
        "unknown": (False, None, "returned NULL"),
    }
    codes = [d.code for d in result.report.diagnostics]
    assert codes == ["PMDATA130"] * 3 + ["PMDATA203"] * stops
    assert rows(result.quarantined, "id") == [("x",)]
    assert len(list((tmp_path / "out__quarantine").iterdir())) == 1
    if stops:
        assert not (tmp_path / "out").exists()
        assert rows(result.accepted) == []
    else:
        assert published(tmp_path / "out") == rows(result.accepted) == [(1, 2)]


def test_failed_raises_with_the_report(people: Pipeline, tmp_path: Path) -> None:
    with pytest.raises(RunFailed) as failed:
        people.run(tmp_path)
    report = failed.value.report
    assert str(failed.value).startswith("run of `people` failed: PMDATA103: `in.csv` of source `people` does not exist")
    assert json.loads(report.to_json()) == reports(tmp_path)[0]
    assert report.report_path == f".etlgen/runs/{report.run_id}.json"
    assert report.steps == ()


# --- bad rows without quarantine --------------------------------------------------------------------------------------


def test_disabled_quarantine_fails_on_a_bad_row(build: Builder, tmp_path: Path) -> None:
    pipeline = build(contract(FIELDS, quarantine={"enabled": False}))
    write(tmp_path, MIXED)
    report = pipeline.fail(tmp_path)
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code, diagnostic.count) == ("PMDATA201", 1)
    assert (
        diagnostic.message == "1 bad row (quarantine is disabled: a bad row fails the run); rows by rule: `id_type` (1)"
    )
    assert files(tmp_path) == {"in.csv"}
    assert (report.accounting.read, report.accounting.bad_pre) == (2, 1)


def test_disabled_quarantine_fails_on_a_row_that_turns_bad_in_post(build: Builder, tmp_path: Path) -> None:
    quality = {"row_rules": [{"name": "even", "sql": "half * 2 = qty"}]}
    steps = [{"derive": {"field": "half", "sql": "qty // 2"}}]
    pipeline = build(
        contract([*FIELDS, "half: integer"], quarantine={"enabled": False}, quality=quality, transformations=steps)
    )
    write(tmp_path, "id,qty\n1,2\n2,3\n3,5\n")
    (diagnostic,) = pipeline.fail(tmp_path).diagnostics
    assert (diagnostic.code, diagnostic.count) == ("PMDATA201", 2)
    assert "`even` (2)" in diagnostic.message


def test_disabled_quarantine_drops_where_the_profile_says_so(build: Builder, tmp_path: Path) -> None:
    pipeline = build(contract(FIELDS, quarantine={"enabled": False}))
    write(tmp_path, MIXED)
    result = pipeline.run(tmp_path, drop_bad_rows=True)
    assert result.status == "succeeded_with_quarantine"
    assert result.report.accounting.bad_pre == 1
    assert result.report.accounting.quarantine_written is None
    assert rows(result.quarantined) == []
    assert [name for name in files(tmp_path) if "quarantine" in name] == []
    assert published(tmp_path / "out") == [(1, 2)]


def test_fail_on_quarantine_keeps_the_bad_rows(build: Builder, tmp_path: Path) -> None:
    pipeline = build(contract(FIELDS, quarantine={"fail_on_quarantine": True}))
    write(tmp_path, MIXED)
    report = pipeline.fail(tmp_path)
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code, diagnostic.count) == ("PMDATA202", 1)
    assert not (tmp_path / "out").exists()
    (part,) = published(tmp_path / "out__quarantine")
    assert part[0] == "x"
    assert report.accounting.bad_pre == 1
    assert report.quarantine == f"out__quarantine/part-{report.run_id}.parquet"


# --- dry run ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_a_dry_run_counts_the_same_and_publishes_nothing(build: Builder, tmp_path: Path, format: str) -> None:
    target = {"strategy": "overwrite", "format": format, "target_path": "out"}
    pipeline = build(contract(FIELDS, materialization=target, source={"post_ingestion": {"action": "delete"}}))
    write(tmp_path, MIXED)
    dry = pipeline.run(tmp_path, dry_run=True)
    assert (dry.status, dry.report.dry_run) == ("succeeded_with_quarantine", True)
    assert rows(dry.accepted) == [(1, 2)]
    assert rows(dry.quarantined, "id", "qty") == [("x", "3")]
    assert {name for name in files(tmp_path) if not name.startswith(".etlgen/staging/")} == {"in.csv"}
    counts = dry.report.accounting
    del dry
    gc.collect()
    assert files(tmp_path) == {"in.csv"}
    real = pipeline.run(tmp_path)
    assert real.report.accounting == counts
    assert not (tmp_path / "in.csv").exists()


def test_a_failing_dry_run_leaves_nothing(build: Builder, tmp_path: Path) -> None:
    pipeline = build(contract(FIELDS, quarantine={"fail_on_quarantine": True}))
    write(tmp_path, MIXED)
    (diagnostic,) = pipeline.fail(tmp_path, dry_run=True).diagnostics
    assert diagnostic.code == "PMDATA202"
    assert files(tmp_path) == {"in.csv"}


def test_a_dry_run_refuses_what_the_run_would_refuse(build: Builder, tmp_path: Path) -> None:
    target = {"strategy": "append", "format": "parquet", "target_path": "out"}
    write(tmp_path, GOOD)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-0.parquet").write_bytes(b"x")
    (diagnostic,) = build(contract(FIELDS, materialization=target)).fail(tmp_path, dry_run=True).diagnostics
    assert diagnostic.code == "PMDATA108"


# --- time and profile -------------------------------------------------------------------------------------------------


def test_as_of_is_the_time_that_expressions_see(build: Builder, tmp_path: Path) -> None:
    import datetime as dt

    steps = [
        {"derive": {"field": "day", "sql": "current_date"}},
        {"derive": {"field": "moment", "sql": "current_timestamp"}},
    ]
    pipeline = build(contract(["id: long!", "day: date", "moment: timestamp_tz"], transformations=steps))
    write(tmp_path, "id\n1\n")
    zone = dt.timezone(dt.timedelta(hours=-5))
    result = pipeline.run(tmp_path, as_of=dt.datetime(2024, 2, 29, 23, 30, tzinfo=zone))
    instant = dt.datetime(2024, 3, 1, 4, 30, tzinfo=dt.UTC)
    assert rows(result.accepted) == [(1, dt.date(2024, 3, 1), instant)]
    assert result.report.as_of == instant
    assert '"as_of": "2024-03-01T04:30:00Z"' in result.report.to_json()


def test_an_asset_takes_the_place_of_the_source(people: Pipeline, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "other.csv").write_text("id,qty\n7,8\n")
    result = people.run(tmp_path, assets={"people": "other.csv"})
    assert rows(result.accepted) == [(7, 8)]
    assert result.report.sources == ("other.csv",)


def test_an_asset_of_another_format_is_read_by_its_suffix(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"id": 7, "qty": "8"}\n')
    assert rows(people.run(tmp_path, assets={"people": "other.jsonl"}).accepted) == [(7, 8)]


def test_a_profile_says_what_it_loosens() -> None:
    from etlgen_runtime import Profile

    risky = Profile.load("risky", {"allow_empty_overwrite": True, "drop_bad_rows": True, "sensitive": "keep"})
    assert [risk.rpartition(" (")[2] for risk in risky.risks()] == [
        "allow_empty_overwrite)", "drop_bad_rows)", "sensitive: keep)"
    ]  # fmt: skip
    assert Profile().risks() == ()


def test_a_failed_dataset_rule_does_not_let_nothing_replace_data(build: Builder, tmp_path: Path) -> None:
    """Every row bad and a dataset rule failed beside it: the status tells the rule, the old data stay all the same."""
    rules = {"dataset_rules": [{"row_count_between": {"min": 1, "max": 9}}]}
    pipeline = build(contract(["id: long!"], quality=rules))
    (tmp_path / "in.csv").write_text("id\n1\n")
    assert pipeline.run(tmp_path).status == "succeeded"
    (tmp_path / "in.csv").write_text("id\nx\n")
    report = pipeline.run(tmp_path).report
    assert report.status == "failed_checks"
    assert [d.code for d in report.diagnostics] == ["PMDATA130", "PMDATA204"]
    assert published(tmp_path / "out") == [(1,)]


def test_a_declared_column_that_the_source_lacks_is_told(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,due\n1,2024-01-01\n")
    report = build(contract(["id: long!", "due_date: date"])).run(tmp_path).report
    assert [(d.code, d.severity, d.field) for d in report.diagnostics] == [("PMDATA125", "warning", "due_date")]
