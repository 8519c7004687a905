"""Step 9, and sources of several files: what is read is what is cleaned, and never before the rows are published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.e2e.packages import Builder, Pipeline, contract, files, published, rows, table

FIELDS = ["id: long!", "qty: integer"]


def pipeline(build: Builder, action: str, *, blocking: bool = False, **source: Any) -> Pipeline:
    cleanup = {"action": action, "cleanup_is_blocking": blocking}
    if action == "archive":
        cleanup["archive_path"] = "archive"
    return build(contract(FIELDS, path="in", source={"pattern": "**/*.csv", "post_ingestion": cleanup, **source}))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "a.csv").write_text("id,qty\n1,2\n")
    (tmp_path / "in" / "sub" / "a.csv").write_text("id,qty\n3,4\n")
    (tmp_path / "in" / "notes.txt").write_text("not read")
    return tmp_path


def inputs(root: Path) -> set[str]:
    return {name for name in files(root) if name.startswith(("in/", "archive/"))}


def test_retain(build: Builder, root: Path) -> None:
    before = inputs(root)
    result = pipeline(build, "retain").run(root)
    assert inputs(root) == before
    assert result.report.cleaned == ()
    assert result.report.sources == ("in/a.csv", "in/sub/a.csv")


def test_delete_only_what_was_read(build: Builder, root: Path) -> None:
    result = pipeline(build, "delete").run(root)
    assert inputs(root) == {"in/notes.txt"}
    assert result.report.cleaned == ("in/a.csv", "in/sub/a.csv")
    assert published(root / "out") == [(1, 2), (3, 4)]


def test_archive_keeps_the_layout_and_never_overwrites(build: Builder, root: Path) -> None:
    archiving = pipeline(build, "archive")
    archiving.run(root)
    assert inputs(root) == {"in/notes.txt", "archive/a.csv", "archive/sub/a.csv"}
    (root / "in" / "a.csv").write_text("id,qty\n5,6\n")
    archiving.run(root)
    assert inputs(root) == {"in/notes.txt", "archive/a.csv", "archive/a.1.csv", "archive/sub/a.csv"}
    assert (root / "archive" / "a.csv").read_text() == "id,qty\n1,2\n"
    assert (root / "archive" / "a.1.csv").read_text() == "id,qty\n5,6\n"


@pytest.mark.parametrize("blocking", [False, True])
def test_files_that_cannot_be_archived(build: Builder, root: Path, blocking: bool) -> None:
    """The archive is a file: nothing can be moved. The data are published all the same, and the report names the files."""
    (root / "archive").write_text("in the way")
    archiving = pipeline(build, "archive", blocking=blocking)
    report = archiving.fail(root) if blocking else archiving.run(root).report
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code, diagnostic.severity) == ("PMEXEC105", "error" if blocking else "warning")
    assert "in/a.csv" in diagnostic.message
    assert "in/sub/a.csv" in diagnostic.message
    assert "the data are published" in diagnostic.help
    assert published(root / "out") == [(1, 2), (3, 4)]
    assert {"in/a.csv", "in/sub/a.csv"} <= inputs(root)
    assert report.accounting.accepted == 2


def test_nothing_is_cleaned_when_nothing_was_published(build: Builder, root: Path) -> None:
    """A run that fails, one that withholds its rows, and a dry run leave the input alone."""
    before = inputs(root)
    quality = {"fail_pipeline_on_dataset_error": True, "dataset_rules": [{"row_count_between": {"min": 9, "max": 99}}]}
    source = {"pattern": "**/*.csv", "post_ingestion": {"action": "delete"}}
    withholding = build(contract(FIELDS, path="in", source=source, quality=quality))
    assert withholding.run(root).status == "failed_checks"
    assert inputs(root) == before
    pipeline(build, "delete").run(root, dry_run=True)
    assert inputs(root) == before
    (root / "out").write_text("a file")
    pipeline(build, "delete").fail(root)
    assert inputs(root) == before


def test_all_bad_rows_are_published_to_the_quarantine_so_the_input_goes(build: Builder, root: Path) -> None:
    """Without an old target there is nothing to protect: the empty table is published, and step 9 follows."""
    for path in ("in/a.csv", "in/sub/a.csv"):
        (root / path).write_text("id,qty\nx,2\n")
    assert pipeline(build, "delete").run(root).status == "all_quarantined"
    assert inputs(root) == {"in/notes.txt"}


def test_a_withheld_overwrite_keeps_the_input(build: Builder, root: Path) -> None:
    deleting = pipeline(build, "delete")
    deleting.run(root)
    (root / "in" / "a.csv").write_text("id,qty\nx,2\n")
    assert deleting.run(root).status == "all_quarantined"
    assert inputs(root) == {"in/notes.txt", "in/a.csv"}


# --- several files ----------------------------------------------------------------------------------------------------


def test_columns_are_matched_by_name(build: Builder, tmp_path: Path) -> None:
    """Another order in one file, a missing optional column in another, an undeclared one in the third."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,qty\n1,2\n")
    (tmp_path / "in" / "b.csv").write_text("qty,id\n4,3\n")
    (tmp_path / "in" / "c.csv").write_text("id\n5\n")
    (tmp_path / "in" / "d.csv").write_text("extra,id,qty\nmore,6,7\n")
    result = build(contract(FIELDS, path="in")).run(tmp_path)
    assert rows(result.accepted, "id", "qty", "extra") == [(1, 2, None), (3, 4, None), (5, None, None), (6, 7, "more")]
    assert result.report.sources == ("in/a.csv", "in/b.csv", "in/c.csv", "in/d.csv")


def test_each_row_says_which_file_it_came_from(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / f"{name}.csv").write_text(f"id,qty\n1,{name}\n2,5\n")
    quality = {"row_rules": [{"name": "last", "sql": "late < 1"}]}
    steps = [{"derive": {"field": "late", "sql": "qty - 5"}}]
    result = build(contract([*FIELDS, "late: integer"], path="in", transformations=steps)).run(tmp_path)
    assert rows(result.quarantined, "qty", "_etlgen_source") == [("a", "in/a.csv"), ("b", "in/b.csv")]
    assert json_columns(result) == {"id", "qty"}
    assert "_etlgen_source" not in table(result.accepted).columns
    strict = build(
        contract([*FIELDS, "late: integer"], path="in", transformations=steps, quality={"row_rules": [
            {**quality["row_rules"][0], "sql": "late < 0"}
        ]})
    ).run(tmp_path)  # fmt: skip
    assert rows(strict.quarantined, "id", "_etlgen_source") == [
        ("1", "in/a.csv"), ("1", "in/b.csv"), ("2", "in/a.csv"), ("2", "in/b.csv")
    ]  # fmt: skip


def json_columns(result: Any) -> set[str]:
    import json

    return {name for text in table(result.quarantined)["_etlgen_raw"] for name in json.loads(text)}


def test_a_required_column_may_not_be_missing_in_one_of_the_files(build: Builder, tmp_path: Path) -> None:
    """Each file is an input of its own: rows of a file without the column would all be bad, or worse."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,qty\n1,2\n")
    (tmp_path / "in" / "b.csv").write_text("ID,qty\n3,4\n")
    (diagnostic,) = build(contract(FIELDS, path="in")).fail(tmp_path).diagnostics
    assert diagnostic.code == "PMDATA101"
    assert "`id`" in diagnostic.message
    assert "`ID`" in diagnostic.help
    (tmp_path / "in" / "b.csv").write_text("qty\n4\n")
    (diagnostic,) = build(contract(FIELDS, path="in")).fail(tmp_path).diagnostics
    assert diagnostic.code == "PMDATA101"
    assert "`in/b.csv`" in diagnostic.message


def test_files_whose_headers_differ_in_case_are_refused(build: Builder, tmp_path: Path) -> None:
    """Undeclared columns too: within one dataset, names equal but for case are an error."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_text("id,qty,note\n1,2,x\n")
    (tmp_path / "in" / "b.csv").write_text("id,qty,Note\n1,2,x\n")
    (diagnostic,) = build(contract(FIELDS, path="in")).fail(tmp_path).diagnostics
    assert diagnostic.code == "PMDATA105"
    assert "`note`" in diagnostic.message
    assert "`Note`" in diagnostic.message


def test_typed_files_of_different_types(build: Builder, tmp_path: Path) -> None:
    """Integers in one file, text in the other: the column is read as text and cast row by row."""
    import polars as pl

    (tmp_path / "in").mkdir()
    pl.DataFrame({"id": [1, 2], "qty": [1, 2]}).write_parquet(tmp_path / "in" / "a.parquet")
    pl.DataFrame({"id": ["3", "x"], "qty": [3.0, 4.5]}).write_parquet(tmp_path / "in" / "b.parquet")
    result = build(contract(FIELDS, path="in", source={"format": "parquet"})).run(tmp_path)
    assert rows(result.accepted) == [(1, 1), (2, 2), (3, 3)]
    assert rows(result.quarantined, "id", "qty") == [("x", "4.5")]
