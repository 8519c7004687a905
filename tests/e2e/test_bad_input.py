"""Bad input: every kind has its own message, nothing is published, and the report is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, files, published, rows
from tests.unprivileged import unprivileged_folder

GOOD = "id,qty\n1,2\n"


@pytest.fixture
def people(build: Builder) -> Pipeline:
    return build(contract(["id: long!", "qty: integer"]))


def only_error(pipeline: Pipeline, root: Path, **more: Any) -> tuple[str, str]:
    """Code and whole text of the one error of a failing run; nothing was published."""
    before = files(root)
    (diagnostic,) = pipeline.fail(root, **more).diagnostics
    assert files(root) == before, "the run left files"
    return diagnostic.code, f"{diagnostic.message} ({diagnostic.help})"


def test_missing_file(people: Pipeline, tmp_path: Path) -> None:
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA103"
    assert "`in.csv` of source `people` does not exist" in text
    assert "relative to the profile's root" in text


def test_empty_csv_file(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"")
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA105"
    assert "`in.csv` is empty (0 bytes), but a header is expected" in text


def test_header_only(people: Pipeline, tmp_path: Path) -> None:
    """No rows are a success; the target has the declared columns and types."""
    (tmp_path / "in.csv").write_text("id,qty\n")
    result = people.run(tmp_path)
    assert (result.status, result.report.accounting.read, result.report.accounting.accepted) == ("succeeded", 0, 0)
    (part,) = (tmp_path / "out").glob("*.parquet")
    assert pl.read_parquet_schema(part) == {"id": pl.Int64, "qty": pl.Int64}
    assert table_is_empty(result)


def table_is_empty(result: Any) -> bool:
    return rows(result.accepted) == [] and rows(result.quarantined) == []


def test_nothing_matches_is_skipped(build: Builder, tmp_path: Path) -> None:
    pipeline = build(contract(["id: long!"], path="in", source={"pattern": "*.csv"}))
    (tmp_path / "in").mkdir()
    result = pipeline.run(tmp_path)
    assert result.status == "skipped"
    (note,) = result.report.diagnostics
    assert (note.code, note.severity) == ("PMDATA109", "info")
    assert "nothing matches `in`" in note.message
    assert not (tmp_path / "out").exists()
    assert table_is_empty(result)


def test_nothing_matches_fails_where_the_contract_says_so(build: Builder, tmp_path: Path) -> None:
    pipeline = build(contract(["id: long!"], path="in", source={"pattern": "*.csv", "empty_behavior": "fail"}))
    (tmp_path / "in").mkdir()
    code, text = only_error(pipeline, tmp_path)
    assert code == "PMDATA109"
    assert "nothing matches `in` / `*.csv`" in text
    assert "`empty_behavior: skip`" in text


def test_missing_required_column(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("key,qty\n1,2\n")
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA101"
    assert "required column `id` is missing" in text
    assert "the source has: `key`, `qty`" in text


def test_missing_optional_column_is_null(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id\n1\n")
    assert rows(people.run(tmp_path).accepted) == [(1, None)]


@pytest.mark.parametrize(("header", "wanted", "found"), [("ID,qty", "id", "ID"), ("id,QTY", "qty", "QTY")])
def test_header_that_differs_in_case(people: Pipeline, tmp_path: Path, header: str, wanted: str, found: str) -> None:
    (tmp_path / "in.csv").write_text(f"{header}\n1,2\n")
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA101"
    assert f"`{wanted}` is missing" in text
    assert f"the source has `{found}`, which differs only in case" in text


def test_wrong_encoding(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"id,qty,name\n1,2,ok\n2,3,\xe9\xff\n")
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA105"
    assert "`in.csv`, line 3" in text


def test_column_with_a_reserved_name(people: Pipeline, tmp_path: Path) -> None:
    for name in ("_etlgen_raw", "__etlgen_bad"):
        (tmp_path / "in.csv").write_text(f"id,{name}\n1,2\n")
        code, text = only_error(people, tmp_path)
        assert code == "PMDATA105"
        assert f"column `{name}`: names that begin with `_etlgen_` are reserved" in text


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("in.jsonl", '{"id": 1}\n{"id": }\n', "is not JSON at line 2"),
        ("in.jsonl", '{"id": 1}\n\n[1]\n', "holds something other than an object at row 3"),
        ("in.jsonl", '{"id": 1, "id": 2}\n', "has the key `id` twice in one object at line 1"),
        ("in.json", '[{"id": 1},\n {"id": 2},\n {"id" 3}]', "is not JSON at line 3"),
        ("in.json", '[{"id": 1}, 2]', "holds something other than an object at row 2"),
        ("in.json", "[" * 100_000, "is not JSON"),
        ("in.jsonl", '{"id": NaN}\n', "is not JSON at line 1"),
    ],
)
def test_malformed_json(build: Builder, tmp_path: Path, name: str, text: str, said: str) -> None:
    pipeline = build(contract(["id: long!"], path=name))
    (tmp_path / name).write_text(text)
    code, message = only_error(pipeline, tmp_path)
    assert code == "PMDATA105"
    assert f"`{name}` {said}" in message


def test_json_that_is_not_utf8(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(b'{"id": 1, "name": "\xff"}\n')
    code, text = only_error(build(contract(["id: long!"], path="in.jsonl")), tmp_path)
    assert (code, text.split(" (")[0]) == ("PMDATA105", "`in.jsonl` is not UTF-8")


@pytest.mark.parametrize("name", ["in.json", "in.jsonl"])
def test_empty_json_has_no_rows(build: Builder, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    result = build(contract(["id: long", "qty: integer"], path=name)).run(tmp_path)
    assert (result.status, result.report.accounting.read) == ("succeeded", 0)


def test_empty_json_has_no_rows_although_a_column_is_required(build: Builder, tmp_path: Path) -> None:
    """A file of 0 bytes has no rows, so it lacks no column."""
    (tmp_path / "in.jsonl").write_bytes(b"")
    result = build(contract(["id: long!", "qty: integer"], path="in.jsonl")).run(tmp_path)
    assert (result.status, result.report.accounting.read) == ("succeeded", 0)


def test_parquet_that_is_none(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_bytes(b"PAR1 this is not one PAR1")
    code, text = only_error(build(contract(["id: long!"], path="in.parquet")), tmp_path)
    assert code == "PMDATA105"
    assert "`in.parquet` is not a readable Parquet file" in text


def test_parquet_with_a_damaged_body(build: Builder, tmp_path: Path) -> None:
    """The footer reads, the pages do not: the run fails without the engine's words, which may hold values."""
    path = tmp_path / "in.parquet"
    pl.DataFrame({"id": list(range(1000)), "name": ["SECRET"] * 1000}).write_parquet(path, compression="zstd")
    data = bytearray(path.read_bytes())
    data[4:60] = b"\xff" * 56
    path.write_bytes(data)
    report = build(contract(["id: long!"], path="in.parquet")).fail(tmp_path)
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "PMDATA105",
        "`in.parquet` is malformed, or changed while it was read",
    )
    assert "SECRET" not in report.to_json()
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / ".etlgen" / "staging").exists() or not list((tmp_path / ".etlgen" / "staging").iterdir())


def test_unknown_engine(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    code, text = only_error(people, tmp_path, engine="polar")
    assert code == "PMPLAN101"
    assert "unknown engine `polar`" in text
    assert "engines: polars" in text


# --- targets ----------------------------------------------------------------------------------------------------------


def appending(build: Builder, **more: Any) -> Pipeline:
    target = {"strategy": "append", "format": "parquet", "target_path": "out"}
    return build(contract(["id: long!", "qty: integer"], materialization=target, **more))


def test_append_to_a_target_with_a_corrupt_part(build: Builder, tmp_path: Path) -> None:
    pipeline = appending(build)
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-0.parquet").write_bytes(b"not parquet")
    code, text = only_error(pipeline, tmp_path)
    assert code == "PMDATA108"
    assert "`part-0.parquet` of the target cannot be read" in text


def test_a_corrupt_part_is_found_wherever_it_stands(build: Builder, tmp_path: Path) -> None:
    """Not only the newest part is looked at: a reader of the folder reads all of them."""
    pipeline = appending(build)
    (tmp_path / "in.csv").write_text(GOOD)
    pipeline.run(tmp_path)
    (tmp_path / "out" / "part-0.parquet").write_bytes(b"not parquet")
    code, text = only_error(pipeline, tmp_path)
    assert (code, "`part-0.parquet`" in text) == ("PMDATA108", True)


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"id": [1], "qty": ["2"]}, "qty"),
        ({"id": [1]}, "qty"),
        ({"id": [1], "qty": [2], "note": ["x"]}, "note"),
    ],
)
def test_append_to_a_target_of_other_columns(
    build: Builder, tmp_path: Path, other: dict[str, list[Any]], named: str
) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "out").mkdir()
    pl.DataFrame(other).write_parquet(tmp_path / "out" / "part-0.parquet")
    code, text = only_error(appending(build), tmp_path)
    assert code == "PMDATA107"
    assert f"the target has other columns than this run: `{named}`" in text


def test_the_order_of_columns_in_a_target_means_nothing(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "out").mkdir()
    pl.DataFrame({"qty": [9], "id": [8]}).write_parquet(tmp_path / "out" / "part-0.parquet")
    assert appending(build).run(tmp_path).status == "succeeded"


def test_target_that_is_a_file_where_a_folder_is_meant(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "out").write_text("mine")
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA104"
    assert "is a file, but its name means a folder of part files" in text
    assert (tmp_path / "out").read_text() == "mine"


def test_target_that_is_a_directory_where_a_file_is_meant(build: Builder, tmp_path: Path) -> None:
    target = {"strategy": "overwrite", "format": "csv", "target_path": "out.csv"}
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "out.csv").mkdir()
    code, text = only_error(build(contract(["id: long!"], materialization=target)), tmp_path)
    assert code == "PMDATA104"
    assert "is a directory, but its name ends in `.csv`" in text


def test_a_folder_of_other_files_is_not_overwritten(people: Pipeline, tmp_path: Path) -> None:
    """Overwriting replaces a folder as a whole: one that holds anything but part files is somebody else's."""
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    code, text = only_error(people, tmp_path)
    assert code == "PMDATA104"
    assert "thesis.txt" in text
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


def test_folder_without_permission(build: Builder, tmp_path: Path) -> None:
    target = {"strategy": "overwrite", "format": "parquet", "target_path": "locked/out"}
    pipeline = build(contract(["id: long!"], materialization=target))
    (tmp_path / "in.csv").write_text(GOOD)
    pipeline.run(tmp_path)  # imports all that a run needs while it may be read
    with unprivileged_folder() as root:
        (root / "in.csv").write_text(GOOD)
        (root / "locked").mkdir(mode=0o500)
        code, text = only_error(pipeline, root)
    assert code == "PMEXEC102"
    assert "cannot be written: Permission denied" in text


def test_parent_of_the_target_is_a_file(build: Builder, tmp_path: Path) -> None:
    """A folder that cannot be made: the file system says why."""
    target = {"strategy": "overwrite", "format": "parquet", "target_path": "locked/out"}
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "locked").write_text("a file")
    report = build(contract(["id: long!"], materialization=target)).fail(tmp_path)
    (diagnostic,) = report.diagnostics
    assert diagnostic.code in ("PMDATA104", "PMEXEC102")
    assert "locked" in diagnostic.message
    assert files(tmp_path) == {"in.csv", "locked"}


def test_state_folder_that_cannot_be_made(people: Pipeline, tmp_path: Path) -> None:
    """The report has no place either, but the failure is told, and carries one."""
    (tmp_path / "in.csv").write_text(GOOD)
    (tmp_path / "state").write_text("a file")
    from etlgen_runtime import RunFailed

    with pytest.raises(RunFailed) as failed:
        people.run(tmp_path, state_dir="state")
    codes = [d.code for d in failed.value.report.diagnostics]
    assert set(codes) <= {"PMEXEC102", "PMEXEC106"}
    assert codes
    assert not (tmp_path / "out").exists()


def test_a_failed_run_leaves_the_old_target(people: Pipeline, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(GOOD)
    people.run(tmp_path)
    (tmp_path / "in.csv").write_text("id,qty\n2,3\n4,5,6\n")
    code, text = only_error(people, tmp_path)
    assert (code, "line 3" in text) == ("PMDATA105", True)
    assert published(tmp_path / "out") == [(1, 2)]
