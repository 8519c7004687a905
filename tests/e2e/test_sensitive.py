"""No value of a sensitive column leaves the run, whatever goes wrong; a marker value is looked for everywhere."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.packages import Builder, contract, files, table

from etlgen_runtime import Callbacks, RunFailed

MARKER = "S3CR3T"

FIELDS: list[Any] = [
    "id: long!",
    {"name": "email", "type": "string", "pii": True, "max_length": 20},
    {"name": "birth", "type": "date", "sensitive": True},
    "domain: string",
    "score: integer",
]
STEPS: list[Any] = [
    {"lower": {"fields": ["email"]}, "phase": "pre"},
    {"derive": {"field": "domain", "sql": "split_part(email, '@', 2)"}},
    {"derive": {"field": "score", "sql": "length(email)"}},
]
QUALITY = {"row_rules": [{"name": "public", "sql": "domain <> 'bad.s3cr3t'"}]}


def text(**more: Any) -> str:
    sections: dict[str, Any] = {"transformations": STEPS, "quality": QUALITY}
    return contract(FIELDS, **{**sections, **more})


INPUT = (
    "id,email,birth\n"
    f"1,ok@fine,2000-01-01\n"
    f"2,{MARKER}@{'x' * 30},2000-01-01\n"
    f"3,a@bad.{MARKER},2000-01-01\n"
    f"4,b@fine,{MARKER}\n"
    f"5,,\n"
    f"x,{MARKER}@ok,2000-01-01\n"
)
"""Good; too long (pre); a bad domain (post, in a derived column); no date (cast); good; an id that does not fit."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(INPUT)
    return tmp_path


def everything(root: Path) -> str:
    """Text of every file but the input and the published target; Parquet tables are shown as text."""
    import polars as pl

    found: list[str] = []
    for path in root.rglob("*"):
        if not path.is_file() or path.name == "in.csv" or path.parent.name == "out":
            continue
        frame = pl.read_parquet(path) if path.suffix == ".parquet" else None
        found.append(
            path.read_bytes().decode("latin-1") if frame is None else json.dumps(frame.to_dicts(), default=str)
        )
    return "\n".join(found).upper()


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_redacted_by_default(build: Builder, root: Path, format: str) -> None:
    """``domain`` and ``score`` are derived from a sensitive column, so they are sensitive too."""
    result = build(text(quarantine={"format": format})).run(root)
    found = {row["id"]: row for row in table(result.quarantined).to_dicts()}
    assert set(found) == {"2", "3", "4", "5", "x"}
    for key in ("2", "3", "4", "x"):
        assert found[key]["email"] == "[redacted]"
        assert found[key]["birth"] == "[redacted]"
        raw = json.loads(found[key]["_etlgen_raw"])
        assert (raw["id"], raw["email"], raw["birth"]) == (key, "[redacted]", "[redacted]")
    assert (found["3"]["domain"], found["3"]["score"]) == ("[redacted]", "[redacted]")
    assert found["5"]["email"] is None, "there is nothing to hide"
    assert json.loads(found["5"]["_etlgen_raw"]) == {"id": "5", "email": None, "birth": None}
    assert MARKER not in everything(root)


def test_omitted(build: Builder, root: Path) -> None:
    result = build(text()).run(root, sensitive="omit")
    for row in table(result.quarantined).to_dicts():
        assert (row["email"], row["birth"], row["domain"], row["score"]) == (None, None, None, None)
        raw = json.loads(row["_etlgen_raw"])
        assert (raw["email"], raw["birth"]) == (None, None)
    assert MARKER not in everything(root)


def test_kept_where_the_profile_says_so(build: Builder, root: Path) -> None:
    result = build(text()).run(root, sensitive="keep")
    found = {row["id"]: row for row in table(result.quarantined).to_dicts()}
    assert found["4"]["birth"] == MARKER
    assert found["3"]["domain"] == f"bad.{MARKER.lower()}"
    assert json.loads(found["2"]["_etlgen_raw"])["email"] == f"{MARKER}@{'x' * 30}"


def test_a_sensitive_column_renamed_in_pre_is_hidden_in_the_raw_row_too(build: Builder, root: Path) -> None:
    """The raw row of step 1 has the old name; the value is the same."""
    fields: list[Any] = [{"name": "e", "type": "string", "pii": True, "max_length": 9}, "id: long!", "birth: string"]
    steps = [{"rename": {"mappings": {"email": "e"}}, "phase": "pre"}]
    pipeline = build(
        contract(
            fields,
            transformations=steps,
            extensions={
                "etlgen.source_fields": [
                    {"name": "id", "type": "long"},
                    {"name": "email", "type": "string"},
                    {"name": "birth", "type": "string", "pii": True},
                ]
            },
        )
    )
    result = pipeline.run(root)
    assert "2" in table(result.quarantined)["id"].to_list()
    assert MARKER not in everything(root)


def boom(*_: object) -> None:
    raise RuntimeError(MARKER)


@pytest.mark.parametrize(
    ("name", "prepare"),
    [
        ("short row", lambda root: (root / "in.csv").write_text(INPUT + f"{MARKER}\n")),
        ("long row", lambda root: (root / "in.csv").write_text(INPUT + f"9,{MARKER},2000-01-01,more\n")),
        ("open quote", lambda root: (root / "in.csv").write_text(INPUT + f'9,"{MARKER},2000-01-01\n')),
        ("encoding", lambda root: (root / "in.csv").write_bytes(INPUT.encode() + b"9,S3CR3T\xff,2000-01-01\n")),
        ("state", lambda root: (root / ".etlgen").write_text("a file")),
        ("target", lambda root: (root / "out").write_text("a file")),
    ],
)
def test_failing_runs_say_nothing(
    build: Builder, root: Path, name: str, prepare: Any, capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    prepare(root)
    caplog.set_level(logging.DEBUG)
    with pytest.raises(RunFailed) as failed:
        build(text()).run(root)
    assert MARKER not in told(failed.value, capfd) + caplog.text.upper() + everything(root)
    assert name


def told(error: BaseException, capfd: pytest.CaptureFixture[str]) -> str:
    """Exception with its causes, report and both streams."""
    import traceback

    streams = capfd.readouterr()
    texts = [*traceback.format_exception(error), streams.out, streams.err]
    if isinstance(error, RunFailed):
        texts.append(error.report.to_json())
    return "\n".join(texts).upper()


@pytest.mark.parametrize(
    "section",
    [
        {"quarantine": {"enabled": False}},
        {"quarantine": {"fail_on_quarantine": True}},
        {"quality": {**QUALITY, "fail_pipeline_on_dataset_error": True, "dataset_rules": [{"unique": ["email"]}]}},
    ],
)
def test_refused_rows_are_not_shown(
    build: Builder, root: Path, section: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """Twice the same address among the accepted rows; bad rows that fail the run."""
    (root / "in.csv").write_text(INPUT + f"7,{MARKER}@a,2000-01-01\n8,{MARKER}@a,2000-01-01\n")
    words = ""
    try:
        words = build(text(**section)).run(root).report.to_json().upper()
    except RunFailed as failed:
        words = told(failed, capfd)
    assert words
    assert MARKER not in words + everything(root)


def test_a_dataset_rule_shows_no_value_of_a_sensitive_column(build: Builder, tmp_path: Path) -> None:
    """The largest salary is somebody's salary; the largest of an open column is shown."""
    quality = {
        "dataset_rules": [
            {"name": "salaries", "sql": "SELECT max(salary) FROM source", "must_be_less_than": 1000},
            {"name": "ages", "sql": "SELECT max(age) FROM source", "must_be_less_than": 50},
        ]
    }
    fields: list[Any] = [{"name": "salary", "type": "long", "pii": True}, "age: long"]
    pipeline = build(contract(fields, quality=quality))
    (tmp_path / "in.csv").write_text("salary,age\n987654321,77\n")
    result = pipeline.run(tmp_path)
    outcomes = {rule.rule: (rule.value, rule.reason) for rule in result.report.dataset_rules}
    assert outcomes["ages"] == ("77", "77 is not less than 50")
    assert outcomes["salaries"] == ("[redacted]", "[redacted] is not less than 1000")
    assert "987654321" not in result.report.to_json()
    shown = pipeline.run(tmp_path, sensitive="keep")
    assert {rule.value for rule in shown.report.dataset_rules} == {"77", "987654321"}


def test_an_exception_of_the_engine_shows_no_value(
    build: Builder, root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A step that fails on the values themselves (as user code may): Polars names them, the run does not."""
    edit = ("polars_steps", "# 2. derive", '.with_columns(pl.col("email").cast(pl.Int64))\n        # 2. derive')
    with pytest.raises(RunFailed) as failed:
        build(text(), edit).run(root)
    assert failed.value.report.diagnostics[0].code == "PMEXEC110"
    assert MARKER not in failed.value.report.to_json().upper()
    assert MARKER not in str(failed.value).upper()
    assert MARKER not in told(failed.value, capfd)
    assert MARKER not in everything(root)


@pytest.mark.parametrize("hook", ["on_step_start", "on_rows", "on_run_finish"])
def test_an_exception_of_a_callback_is_not_repeated_in_the_report(build: Builder, root: Path, hook: str) -> None:
    with pytest.raises(RunFailed) as failed:
        build(text()).run(root, callbacks=Callbacks(**{hook: boom}))
    assert MARKER not in failed.value.report.to_json().upper()
    assert MARKER not in str(failed.value).upper()
    assert MARKER not in everything(root)
    assert "in.csv" in files(root)
