"""The row accounts: exact numbers worked out by hand, and a run that fails as soon as one row is lost or invented."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, files, published, reports, rows

FIELDS = ["id: long!", "country: string", "amount: integer", "name: string!"]
SHARED: dict[str, Any] = {
    "links": [{"name": "countries", "path": "countries.csv", "type": "csv"}],
    "extensions": {
        "etlgen.link_fields": {
            "countries": [{"name": "code", "type": "string"}, {"name": "name", "type": "string"}],
        }
    },
    "transformations": [
        {"trim": {"fields": ["country"]}, "phase": "pre"},
        {"filter": {"sql": "country <> 'skip'"}, "phase": "pre"},
        {"deduplicate": {"on": ["id"], "sort_by": ["amount"], "order": "desc"}, "phase": "pre"},
        {"cast": {"columns": {"amount": "integer"}}, "phase": "pre"},
        {"join": {"reference": "countries", "on": "country", "key": "code", "fields": ["name"], "type": "left"}},
        {"filter": {"sql": "amount <> 13"}},
    ],
}
INPUT = "\n".join([
    "id,country,amount",
    "1,de,5",
    "2,skip,5",       # removed by the first filter
    "3,,5",           # NULL is not TRUE: removed by the first filter
    "4,fr,7",
    "4,fr,7",         # removed by deduplicate
    "5,fr,13",        # joined twice, and both removed by the second filter
    "6,xx,1",         # no partner: `name_required` in post
    "seven,de,1",     # `id_type` in pre
    "8,de,much",      # `amount_type` in pre
    "9, it ,9",       # the link has `it` three times
    "",
])  # fmt: skip
COUNTRIES = "code,name\nde,Germany\nfr,France\nfr,Frankreich\nit,Italy\nit,Italia\nit,Italie\n"


def root_with(tmp_path: Path, text: str = INPUT) -> Path:
    (tmp_path / "in.csv").write_text(text)
    (tmp_path / "countries.csv").write_text(COUNTRIES)
    return tmp_path


def pipeline_text(**more: Any) -> str:
    return contract(FIELDS, **{**SHARED, **more})


def test_every_number(build: Builder, tmp_path: Path) -> None:
    """10 read, less 2 filtered, less 1 duplicate: 7. Two of them are bad: 5 good (1, 4, 5, 6, 9). The join adds one for 4, one
    for 5, two for 9: 9. The filter takes both of 5: 7. One (6) has no name: 6 are accepted.
    """
    result = build(pipeline_text()).run(root_with(tmp_path))
    counts = result.report.accounting
    assert (counts.read, counts.prepared, counts.bad_pre, counts.good) == (10, 7, 2, 5)
    assert (counts.enriched, counts.bad_post, counts.accepted) == (7, 1, 6)
    assert (counts.written, counts.quarantine_written) == (6, 3)
    changes = [(c.phase, c.removed, c.added) for c in counts.operations]
    assert changes == [("pre", 2, 0), ("pre", 1, 0), ("post", 0, 4), ("post", 2, 0)]
    assert {r.rule: r.failed for r in result.report.failed_rules} == {
        "id_type": 1,
        "amount_type": 1,
        "name_required": 1,
    }
    assert rows(result.accepted, "id", "name") == [
        (1, "Germany"), (4, "France"), (4, "Frankreich"), (9, "Italia"), (9, "Italie"), (9, "Italy"),
    ]  # fmt: skip
    assert rows(result.quarantined, "id") == [("6",), ("8",), ("seven",)]
    assert len(published(tmp_path / "out")) == 6


def test_the_report_on_disk_says_the_same(build: Builder, tmp_path: Path) -> None:
    result = build(pipeline_text()).run(root_with(tmp_path))
    (written,) = reports(tmp_path)
    assert written == json.loads(result.report.to_json())
    assert written["accounting"]["accepted"] == result.report.accounting.accepted == 6
    assert written["status"] == "succeeded_with_quarantine"
    assert written["report_path"] == f".etlgen/runs/{result.report.run_id}.json"
    assert [(step["step"], step["fused_with"]) for step in written["steps"]] == [
        *((number, 8) for number in range(1, 8)), (8, None), (9, None)
    ]  # fmt: skip
    sink = next(b for b in written["boundaries"] if b["boundary"] == "sink_input")
    assert (sink["checked"], sink["valid"], sink["invalid"]) == (6, 6, 0)


TWICE = '.with_columns(pl.lit(1).repeat_by(2).alias("twice")).explode("twice").drop("twice")'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        # step 2 loses a row after its last counted operation
        ('.pipe(cast_columns, {"amount": INT64})', ".slice(1)", "rows after step 2: 7 is not 6"),
        # step 6 loses one after the join, before the filter: one that the filter keeps (a join has no order)
        ("# 6. keep rows", '.filter(pl.col("id") != 1)\n        # 6. keep rows', "rows after step 6: 7 is not 6"),
        # step 6 invents rows
        ("# 6. keep rows", f"{TWICE}\n        # 6. keep rows", "rows after step 6: 5 is not 14"),
        # step 2 keeps only the head
        ("# 2. keep rows", ".head(9)\n        # 2. keep rows", "rows after step 2: 7 is not"),
    ],
)
def test_a_step_that_loses_or_invents_a_row_fails_the_run(
    build: Builder, tmp_path: Path, old: str, new: str, said: str
) -> None:
    pipeline = build(pipeline_text(), ("polars_steps", old, new))
    root = root_with(tmp_path)
    before = files(root)
    (diagnostic,) = pipeline.fail(root).diagnostics
    assert diagnostic.code == "PMEXEC103"
    assert "the row accounts do not add up" in diagnostic.message
    assert said in diagnostic.message
    assert "nothing was published" in diagnostic.help
    assert files(root) == before


ADDING = contract(
    ["id: long!", "double: integer"],
    transformations=[{"derive": {"field": "double", "sql": "id * 2"}}],
    quality={"row_rules": [{"name": "small", "sql": "double < 100"}]},
)
"""Step 6 only adds a column, so both phases are judged under one split."""


@pytest.mark.parametrize("step", ["# 1. derive"])
@pytest.mark.parametrize(("new", "codes"), [(".slice(1)", {"PMEXEC103"}), (".head(3)", {"PMEXEC103"})])
def test_a_lost_row_is_found_under_one_split_too(
    build: Builder, tmp_path: Path, step: str, new: str, codes: set[str]
) -> None:
    (tmp_path / "in.csv").write_text("id\n1\n2\nx\n3\n")
    pipeline = build(ADDING, ("polars_steps", step, f"{new}\n        {step}"))
    assert pipeline.module("contract").CONTRACT.post_only_adds
    report = pipeline.fail(tmp_path)
    assert {d.code for d in report.diagnostics} == codes
    assert not (tmp_path / "out").exists()


def test_a_lost_bad_row_is_found_under_one_split_too(build: Builder, tmp_path: Path) -> None:
    """The first row is bad in step 4 and vanishes in step 6, through which it passes with its flag."""
    (tmp_path / "in.csv").write_text("id\nx\n1\n2\n")
    pipeline = build(ADDING, ("polars_steps", "# 1. derive", ".slice(1)\n        # 1. derive"))
    (diagnostic,) = pipeline.fail(tmp_path).diagnostics
    assert diagnostic.code == "PMEXEC103"


def test_a_boundary_of_many_batches_is_counted_exactly(build: Builder, tmp_path: Path) -> None:
    """200,000 rows, every 10th not a number, every 4th removed; numbers divisible by 40 are only not numbers."""
    total = 200_000
    ids = pl.int_range(total, eager=True)
    texts = pl.select(pl.when(ids % 10 == 0).then(pl.lit("x")).otherwise(ids.cast(pl.String))).to_series()
    pl.DataFrame({"id": texts, "n": (ids % 4).cast(pl.String)}).write_csv(tmp_path / "in.csv")
    steps = [{"filter": {"sql": "n <> '1'"}, "phase": "pre"}]
    counts = build(contract(["id: long!", "n: string"], transformations=steps)).run(tmp_path).report.accounting
    removed = total // 4
    # of the rows that stay, n = 0 and n = 2 hold the even numbers, and half of the multiples of 10 are multiples of 20: all even
    bad = total // 10
    assert (counts.read, counts.prepared, counts.bad_pre) == (total, total - removed, bad)
    assert (counts.accepted, counts.quarantine_written) == (total - removed - bad, bad)


def test_an_aggregate_is_counted_and_its_bad_groups_have_no_raw_row(build: Builder, tmp_path: Path) -> None:
    """7 read; 1 has no number; 6 good rows in 4 groups: 2 removed; the group of 60 is bad and came from no single row."""
    pipeline = build(
        contract(
            ["city: string", "total: long"],
            transformations=[{"rollup": {"group_by": ["city"], "aggregations": {"total": "SUM(amount)"}}}],
            quality={"row_rules": [{"name": "small", "sql": "total < 50"}]},
            extensions={
                "etlgen.source_fields": [{"name": "city", "type": "string"}, {"name": "amount", "type": "integer"}]
            },
        )
    )
    (tmp_path / "in.csv").write_text("city,amount\na,1\na,2\nb,30\nb,30\nc,4\nb,x\n,7\n")
    result = pipeline.run(tmp_path)
    counts = result.report.accounting
    assert (counts.read, counts.bad_pre, counts.good, counts.bad_post, counts.accepted) == (7, 1, 6, 1, 3)
    assert [(c.phase, c.removed, c.added) for c in counts.operations] == [("post", 2, 0)]
    assert rows(result.accepted) == sorted([("a", 3), ("c", 4), (None, 7)], key=repr)
    found = rows(result.quarantined, "city", "amount", "total", "_etlgen_raw", "_etlgen_raw_step")
    assert found == [("b", "x", None, '{"amount":"x","city":"b"}', 1), ("b", None, "60", None, None)]


@pytest.mark.parametrize(
    ("how", "removed", "added", "accepted"),
    [("left", 0, 1, 5), ("inner", 3, 1, 2), ("right", 3, 3, 4), ("full", 0, 3, 7)],
)
def test_a_join_counts_what_it_removes_and_what_it_adds(
    build: Builder, tmp_path: Path, how: str, removed: int, added: int, accepted: int
) -> None:
    """Rows 1:A, 2:NULL, 3:Z, 4:Y against A, A, C, NULL: 1 has two partners (one row added), 2, 3 and 4 have none (removed where
    the join wants partners), C and NULL of the link have none either (added where the join keeps them).
    """
    (tmp_path / "in.csv").write_text("id,code\n1,A\n2,\n3,Z\n4,Y\n")
    (tmp_path / "ref.jsonl").write_text(
        '{"k":"A","n":"a1"}\n{"k":"A","n":"a2"}\n{"k":"C","n":"c"}\n{"k":null,"n":"none"}\n'
    )
    fields = [{"name": "k", "type": "string"}, {"name": "n", "type": "string"}]
    text = contract(
        ["id: long", "code: string"],
        links=[{"name": "ref", "path": "ref.jsonl", "type": "json"}],
        extensions={"etlgen.link_fields": {"ref": fields}},
        transformations=[{"join": {"reference": "ref", "on": "code", "key": "k", "fields": ["n"], "type": how}}],
    )
    accounts = build(text).run(tmp_path).report.accounting
    (join,) = accounts.operations
    assert (join.removed, join.added, accounts.accepted) == (removed, added, accepted)


def test_what_dataset_rules_read_is_not_published(build: Builder, tmp_path: Path) -> None:
    """A rule over a link: the target holds the part of the run and nothing of the link; the report says who computed it."""
    (tmp_path / "in.csv").write_text("id,code\n1,A\n")
    (tmp_path / "ref.csv").write_text("k,secret\nA,TOPSECRET\n")
    text = contract(
        ["id: long", "code: string"],
        links=[{"name": "ref", "path": "ref.csv", "type": "csv"}],
        quality={
            "dataset_rules": [{"name": "all", "sql": "SELECT count(*) = 1 FROM source JOIN ref ON source.code = ref.k"}]
        },
    )
    result = build(text).run(tmp_path)
    assert [path.name for path in (tmp_path / "out").iterdir()] == [f"part-{result.report.run_id}.parquet"]
    assert result.report.fallbacks == ("dataset rule `all`: SQL, through DuckDB",)


@pytest.mark.parametrize("lost", ["out", "quarantine"])
@pytest.mark.parametrize(("target", "quarantine"), [("parquet", "csv"), ("csv", "json"), ("csv", "parquet")])
def test_a_row_that_is_not_written_fails_the_run(
    build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str, target: str, quarantine: str
) -> None:
    """2 rows are accepted, 2 are bad; the writer of one format forgets a row."""
    (tmp_path / "in.csv").write_text('id,name\n1,a\nx,b\n2,"c\nd"\ny,"e\nf"\n')
    pipeline = build(
        contract(
            ["id: long!", "name: string"],
            materialization={"strategy": "overwrite", "format": target, "target_path": "out"},
            quarantine={"format": quarantine},
        )
    )
    counts = pipeline.run(tmp_path).report.accounting
    assert (counts.accepted, counts.written, counts.quarantined, counts.quarantine_written) == (2, 2, 2, 2)
    before = files(tmp_path)
    writer = {"parquet": "sink_parquet", "csv": "sink_csv", "json": "sink_ndjson"}[
        target if lost == "out" else quarantine
    ]
    write = getattr(pl.LazyFrame, writer)
    monkeypatch.setattr(pl.LazyFrame, writer, lambda frame, *args, **more: write(frame.slice(1), *args, **more))
    (diagnostic,) = pipeline.fail(tmp_path).diagnostics
    assert diagnostic.code == "PMEXEC103"
    assert "2 is not 1" in diagnostic.message
    assert files(tmp_path) == before
