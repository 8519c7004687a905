"""Targets: what a reader finds in each format, and destinations that would destroy something."""

from __future__ import annotations

import csv
import datetime as dt
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, files, published, rows, table

from etlgen_runtime import Profile, RunFailed
from etlgen_runtime.engines.polars import backpressure
from etlgen_runtime.staging import TargetLock

FIELDS = ["id: long!", "qty: integer"]


def target(path: str, format: str = "parquet", strategy: str = "overwrite") -> dict[str, str]:
    return {"strategy": strategy, "format": format, "target_path": path}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("id,qty\n1,2\nx,3\n")
    return tmp_path


EVERY_TYPE = [
    "n: long", "f: double", "d: decimal(10,2)", "b: boolean", "day: date", "at: timestamp", "tz: timestamp_tz", "t: time",
    "u: uuid", "bin: binary", "s: string", "empty: string",
]  # fmt: skip
VALUES = [
    ("-5", -5), ("1e22", 1e22), ("1.50", Decimal("1.50")), ("yes", True), ("2024-02-29", dt.date(2024, 2, 29)),
    ("2024-02-29 12:30:00.5", dt.datetime(2024, 2, 29, 12, 30, 0, 500000)),
    ("2024-02-29T12:30:00+02:00", dt.datetime(2024, 2, 29, 10, 30, tzinfo=dt.UTC)),
    ("12:30:01", dt.time(12, 30, 1)),
    ("6FA459EA-EE8A-3CA4-894E-DB77E160355E", "6fa459ea-ee8a-3ca4-894e-db77e160355e"),
    ("AP8=", b"\x00\xff"), ('say "x",\n y', 'say "x",\n y'), ("", None),
]  # fmt: skip


@pytest.mark.parametrize("format", ["parquet", "csv"])
@pytest.mark.parametrize("path", ["out", "file"])
def test_every_type_comes_back(build: Builder, tmp_path: Path, format: str, path: str) -> None:
    """A row of values and a row of NULL; the result reads the target back with the declared types."""
    place = "out" if path == "out" else f"out/all.{format}"
    pipeline = build(contract(EVERY_TYPE, materialization=target(place, format)))
    with (tmp_path / "in.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([field.split(":")[0] for field in EVERY_TYPE])
        writer.writerow([text for text, _ in VALUES])
        writer.writerow([""] * len(VALUES))
    result = pipeline.run(tmp_path)
    assert result.status == "succeeded", table(result.quarantined).to_dicts()
    first, second = sorted(table(result.accepted).rows(), key=lambda row: row[0] is None)
    assert first == tuple(value for _, value in VALUES)
    assert second == (None,) * len(VALUES)
    assert (tmp_path / "out" / f"all.{format}").exists() == (path == "file")


def test_a_single_file_is_replaced(build: Builder, root: Path) -> None:
    pipeline = build(contract(FIELDS, materialization=target("made/here/all.parquet")))
    first = pipeline.run(root)
    written = root / "made" / "here" / "all.parquet"
    assert pl.read_parquet_metadata(written)["etlgen.run_id"] == first.report.run_id
    assert first.report.quarantine == f"made/here/all__quarantine/part-{first.report.run_id}.parquet"
    (root / "in.csv").write_text("id,qty\n5,6\n")
    pipeline.run(root)
    assert pl.read_parquet(root / "made" / "here" / "all.parquet").rows() == [(5, 6)]


def test_default_places(build: Builder, root: Path) -> None:
    pipeline = build(contract(FIELDS, materialization={"strategy": "append", "format": "csv"}))
    run_id = pipeline.run(root).report.run_id
    pipeline.run(root)
    found = files(root)
    assert f"data/silver/people/part-{run_id}.csv" in found
    assert f"data/silver/people__quarantine/part-{run_id}.parquet" in found
    assert len(found) == 1 + 2 + 2


def test_rows_that_are_no_dataset(build: Builder, root: Path) -> None:
    pipeline = build(contract(FIELDS))
    module = pipeline.module("contract")
    with pytest.raises(RunFailed) as failed:
        pipeline.module("pipeline").run(Profile(root=root), people=pl.LazyFrame({"id": [1], "qty": [2]}))
    (diagnostic,) = failed.value.report.diagnostics
    assert diagnostic.code == "PMPLAN112"
    assert "`LazyFrame`" in diagnostic.message
    assert f"`dataset(frame, {module.SOURCE.model.__name__})`" in diagnostic.help


@pytest.mark.parametrize(
    ("quarantine", "said"),
    [("out", "is the target"), ("out/bad", "lies in the target"), (".", "holds the target")],
)
def test_a_quarantine_in_the_place_of_the_target(build: Builder, root: Path, quarantine: str, said: str) -> None:
    """Overwriting one would remove the other."""
    pipeline = build(contract(FIELDS, materialization=target("out"), quarantine={"target": quarantine}))
    (diagnostic,) = pipeline.fail(root).diagnostics
    assert diagnostic.code == "PMDATA104"
    assert said in diagnostic.message
    assert files(root) == {"in.csv"}


@pytest.mark.parametrize("place", ["data", "data/part-in.csv"])
def test_an_overwrite_that_would_remove_its_own_input(build: Builder, tmp_path: Path, place: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "part-in.csv").write_text("id,qty\n1,2\n")
    pipeline = build(contract(FIELDS, path="data/part-in.csv", materialization=target(place, "csv")))
    (diagnostic,) = pipeline.fail(tmp_path).diagnostics
    assert diagnostic.code == "PMDATA104"
    assert f"would remove the input `{tmp_path}/data/part-in.csv`" in diagnostic.message
    assert (tmp_path / "data" / "part-in.csv").read_text() == "id,qty\n1,2\n"


def test_a_target_behind_a_link(build: Builder, root: Path) -> None:
    """The folder behind a symbolic link is replaced; the link stays."""
    (root / "real").mkdir()
    (root / "out").symlink_to("real")
    pipeline = build(contract(FIELDS, materialization=target("out")))
    for text, expected in (("1,2", [(1, 2)]), ("3,4", [(3, 4)])):
        (root / "in.csv").write_text(f"id,qty\n{text}\n")
        result: Any = pipeline.run(root)
        assert (root / "out").is_symlink()
        assert published(root / "real") == rows(result.accepted) == expected


def test_of_two_runs_at_once_one_wins(build: Builder, root: Path) -> None:
    """Appending runs of one contract in four threads: those that find the target taken fail at once and publish nothing."""
    from concurrent.futures import ThreadPoolExecutor

    pipeline = build(contract(FIELDS, materialization=target("out", strategy="append")))

    def run(_: int) -> str:
        try:
            return pipeline.run(root).status
        except RunFailed as failed:
            (error,) = failed.report.diagnostics
            assert error.message == "another run is writing to the target `out`"
            return error.code

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(run, range(4)))
    won = outcomes.count("succeeded_with_quarantine")
    assert won >= 1
    assert won + outcomes.count("PMEXEC108") == 4
    assert published(root / "out") == [(1, 2)] * won
    assert len(list((root / "out__quarantine").iterdir())) == won


HOLDING = """
import sys, time
from importlib import import_module
from pathlib import Path
from etlgen_runtime import Callbacks, Profile

def hold(number, name):
    if number == 9:
        print("published", flush=True)
        sys.stdin.readline()

result = import_module(sys.argv[1]).run(Profile(root=Path(sys.argv[2])), callbacks=Callbacks(on_step_start=hold))
print(result.status)
"""


def test_of_two_processes_at_once_one_wins(build: Builder, root: Path) -> None:
    """The first holds the target until it has ended; the second publishes nothing and does not take the first for dead."""
    pipeline = build(contract(FIELDS, materialization=target("out", strategy="append")))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, pipeline.package, str(root)],
        env=build.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "published\n"
        before = files(root)
        assert [d.code for d in pipeline.fail(root).diagnostics] == ["PMEXEC108"]
        assert files(root) == before
        said, _ = other.communicate("\n")
    assert said == "succeeded_with_quarantine\n"
    assert published(root / "out") == [(1, 2)]
    assert pipeline.run(root).report.diagnostics == ()
    assert published(root / "out") == [(1, 2), (1, 2)]


@pytest.mark.parametrize(("link", "said"), [("out", "target"), ("out__quarantine", "quarantine")])
def test_a_symbolic_link_that_leads_to_itself(build: Builder, root: Path, link: str, said: str) -> None:
    pipeline = build(contract(FIELDS, materialization=target("out")))
    (root / link).symlink_to(link)
    (diagnostic,) = pipeline.fail(root).diagnostics
    assert diagnostic.code == "PMDATA104"
    assert diagnostic.message.startswith(f"the {said} `")
    assert "is a symbolic link that leads to itself" in diagnostic.message
    assert (root / link).is_symlink()


def test_a_taken_target(build: Builder, root: Path) -> None:
    """Another run holds the lock: this one fails; when the lock is free again the next one succeeds."""
    pipeline = build(contract(FIELDS, materialization=target("out", strategy="append")))
    other = TargetLock(root / ".etlgen" / "locks", root / "out")
    assert other.take()
    assert [d.code for d in pipeline.fail(root).diagnostics] == ["PMEXEC108"]
    assert not (root / "out").exists()
    other.release()
    assert pipeline.run(root).status == "succeeded_with_quarantine"


@pytest.mark.parametrize("folder", ["br[1]", "a*b", "what?", "x{1,2}"])
def test_a_root_whose_name_reads_as_a_pattern(build: Builder, tmp_path: Path, folder: str) -> None:
    """Every file below it is found again: source, link, target, quarantine, and what a SQL dataset rule reads."""
    root = tmp_path / folder
    (root / "in").mkdir(parents=True)
    (root / "in" / "1.csv").write_text("id,code\n1,a\nx,a\n")
    (root / "codes.csv").write_text("code,name\na,A\n")
    text = contract(
        ["id: long!", "code: string"],
        path="in/*.csv",
        source={"format": "csv"},
        links=[{"name": "codes", "path": "codes.csv", "type": "csv"}],
        transformations=[
            {"lookup": {"field": "name", "reference": "codes", "on": "code", "key": "code", "value": "name"}}
        ],
        quality={"dataset_rules": [{"name": "one", "sql": "SELECT count(*) = 1 FROM source"}]},
        materialization={"strategy": "append", "format": "parquet", "target_path": "out"},
        quarantine={"format": "json"},
    )
    for _ in range(2):
        result = build(text).run(root)
        assert (result.status, result.report.accounting.accepted) == ("succeeded_with_quarantine", 1)
        assert table(result.quarantined).get_column("id").to_list() == ["x"]
    assert published(root / "out") == [(1, "a", "A"), (1, "a", "A")]


def test_names_with_quotes_are_read_back_from_csv(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text('"q"" x","a,b"\n1,x\ny,z\n')
    fields = [{"name": 'q" x', "type": "long"}, {"name": "a,b", "type": "string"}]
    target = {"strategy": "append", "format": "csv", "target_path": "out"}
    pipeline = build(contract(fields, materialization=target, quarantine={"format": "csv"}))
    for _ in range(2):  # the second run compares its columns with the published ones
        result = pipeline.run(tmp_path)
        assert table(result.accepted).rows(named=True) == [{'q" x': 1, "a,b": "x"}]
        assert table(result.quarantined).select('q" x', "a,b").rows() == [("y", "z")]


def test_a_left_join_before_a_text_target_does_not_stall(
    build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows inside a join are not taken for rows that wait before the sink."""
    monkeypatch.setattr(backpressure, "PATIENCE_S", 60.0)
    pl.DataFrame({"id": range(400_000)}).write_csv(tmp_path / "in.csv")
    pl.DataFrame({"key": [1, 2], "name": ["a", "b"]}).write_csv(tmp_path / "ref.csv")
    text = contract(
        ["id: long!", "name: string"],
        links=[{"name": "ref", "path": "ref.csv", "type": "csv"}],
        transformations=[{"join": {"reference": "ref", "on": "id", "key": "key", "fields": ["name"], "type": "left"}}],
        extensions={
            "etlgen.link_fields": {"ref": [{"name": "key", "type": "long"}, {"name": "name", "type": "string"}]}
        },
        materialization={"strategy": "overwrite", "format": "csv", "target_path": "out"},
    )
    start = time.monotonic()
    assert build(text).run(tmp_path).report.accounting.accepted == 400_000
    assert time.monotonic() - start < 50


def test_a_column_without_a_name_is_read_back_from_csv(build: Builder, tmp_path: Path) -> None:
    pl.DataFrame({"id": [1, 2], "": [3, 4]}).write_parquet(tmp_path / "in.parquet")
    source = {"format": "parquet"}
    target = {"strategy": "append", "format": "csv", "target_path": "out"}
    pipeline = build(contract(["id: long!"], path="in.parquet", source=source, materialization=target))
    for _ in range(2):
        assert table(pipeline.run(tmp_path).accepted).rows(named=True) == [{"id": 1, "": "3"}, {"id": 2, "": "4"}]


@pytest.mark.parametrize("name", [".env", "__init__.py", "_notes", "part-notes.docx", "customers.parquet"])
def test_an_overwrite_of_a_folder_with_files_of_others(build: Builder, root: Path, name: str) -> None:
    """Hidden ones among them: no run has written them."""
    pipeline = build(contract(FIELDS, materialization=target("out")))
    pipeline.run(root)
    (root / "out" / name).write_text("mine")
    (root / "out" / "_SUCCESS").write_text("")
    (diagnostic,) = pipeline.fail(root).diagnostics
    assert (diagnostic.code, f"holds `{name}`, which is no part file" in diagnostic.message) == ("PMDATA104", True)
    (root / "out" / name).unlink()
    assert pipeline.run(root).status == "succeeded_with_quarantine"


@pytest.mark.parametrize("strategy", ["append", "overwrite"])
@pytest.mark.parametrize(
    ("target_path", "quarantine", "said"),
    [
        (".etlgen/journal", "bad", "`.etlgen/journal` of the target"),
        (".etlgen", "bad", "`.etlgen` of the target"),
        ("out", "x/../.etlgen/runs", "`x/../.etlgen/runs` of the quarantine"),
    ],
)
def test_nothing_is_published_into_the_state_folder(
    build: Builder, root: Path, strategy: str, target_path: str, quarantine: str, said: str
) -> None:
    """It holds what completes a run that dies."""
    text = contract(FIELDS, materialization=target(target_path, strategy=strategy), quarantine={"target": quarantine})
    (diagnostic,) = build(text).fail(root).diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "PMPLAN120",
        f"{said} lies in the state folder, which is no place for data",
    )


def test_no_file_is_archived_into_the_state_folder(build: Builder, root: Path) -> None:
    """A file of data there would be read as the journal of a run."""
    source = {"post_ingestion": {"action": "archive", "archive_path": ".etlgen/journal"}}
    (diagnostic,) = build(contract(FIELDS, source=source)).fail(root).diagnostics
    assert diagnostic.code == "PMPLAN120"
    assert "lies in the state folder" in diagnostic.message
    assert (root / "in.csv").exists()
