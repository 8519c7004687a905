"""Two paths of the Polars engine, one meaning: where step 6 only adds columns, both phases are judged under one split."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, published, table

RUN_COLUMNS = ("_etlgen_run_id", "_etlgen_quarantined_at")


def text(**more: Any) -> str:
    return contract(
        [
            "id: long!",
            {"name": "qty", "type": "integer", "min": 0, "max": 90},
            "price: decimal(8,2)",
            "day: date",
            {"name": "mail", "type": "string", "pii": True},
            "total: decimal(6,2)",
            "band: string!",
            "ratio: double",
        ],
        links=[{"name": "codes", "path": "codes.csv", "type": "csv"}],
        transformations=[
            {"trim": {"fields": ["mail"]}, "phase": "pre"},
            {"filter": {"sql": "mail IS NULL OR mail <> 'skip'"}, "phase": "pre"},
            {"cast": {"columns": {"day": "date"}}, "phase": "pre"},
            {"derive": {"field": "total", "sql": "qty * price"}},
            {"lookup": {"field": "band", "reference": "codes", "on": "qty", "key": "code", "value": "band"}},
            {"derive": {"field": "ratio", "sql": "qty / (qty - 7)"}},
            {"derive": {"field": "extra", "sql": "total > 50"}},
        ],
        quality={
            "row_rules": [
                {"name": "mail_has_at", "sql": "mail LIKE '%@%'"},
                {"name": "recent", "sql": "day >= DATE '2024-01-02'", "severity": "warning"},
                {"name": "not_too_much", "sql": "total < 3000"},
                {"name": "a_ratio", "sql": "ratio IS NOT NULL", "severity": "info"},
                {"name": "both", "sql": "total > price", "severity": "warning"},
                {"name": "in_pre", "sql": "qty <> 11", "phase": "pre"},
            ],
            **more.pop("quality", {}),
        },
        extensions={
            "etlgen.link_fields": {"codes": [{"name": "code", "type": "long"}, {"name": "band", "type": "string"}]}
        },
        **more,
    )


def write(root: Path, seed: int, rows: int) -> None:
    """Rows in which everything goes wrong now and then, in both phases and both at once."""
    rng = random.Random(seed)
    record: dict[str, Callable[[int], str]] = {
        "id": lambda i: rng.choice(["", "x", *[str(i)] * 12]),
        "qty": lambda _: rng.choice(["", " 7 ", "11", "-1", "91", "many", "2.0", str(rng.randrange(100))]),
        "price": lambda _: rng.choice(["", "1.234", "x", "1e2", f"{rng.randrange(99)}.5", f" {rng.randrange(9)} "]),
        "day": lambda _: rng.choice(["", "2024-01-01", " 2024-02-29 ", "2023-02-29", "today"]),
        "mail": lambda _: rng.choice(["", " a@b ", "skip", "nobody", "s3cr3t@x"]),
        "more": lambda _: rng.choice(["", "1", "y"]),
    }
    frame = pl.DataFrame([{name: make(i) or None for name, make in record.items()} for i in range(rows)])
    frame.write_csv(root / "in.csv")
    bands = "\n".join(f"{code},band {code % 5}" for code in range(0, 95, 1 if seed % 2 else 3))
    (root / "codes.csv").write_text(f"code,band\n{bands}\n")


def outcome(pipeline: Pipeline, root: Path, name: str, one_split: bool, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Everything that a run says about its rows, in any order of rows."""
    import importlib

    module = importlib.import_module(f"{pipeline.package}.pipeline")
    assert module.CONTRACT.post_only_adds
    with monkeypatch.context() as patched:
        patched.setattr(module, "CONTRACT", dataclasses.replace(module.CONTRACT, post_only_adds=one_split))
        result = pipeline.run(root, target=f"out_{name}")
    quarantined = table(result.quarantined).drop(RUN_COLUMNS)
    report = result.report
    return {
        "status": report.status,
        "accepted": sorted(table(result.accepted).rows(), key=repr),
        "published": published(root / f"out_{name}"),
        "columns": table(result.accepted).schema,
        "quarantined": sorted(quarantined.rows(), key=repr),
        "quarantine columns": quarantined.schema,
        "accounts": report.accounting,
        "failed": {(r.rule, r.phase): r.failed for r in report.failed_rules},
        "warned": {(r.rule, r.phase, r.severity): r.failed for r in report.warned_rules},
        "dataset": report.dataset_rules,
    }


@pytest.mark.parametrize("seed", range(6))
def test_both_paths_give_the_same(build: Builder, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, seed, 400 + 37 * seed)
    pipeline = build(
        text(quality={"dataset_rules": [{"unique": ["id"]}, {"null_ratio": {"field": "ratio", "max": 0.1}}]})
    )
    one = outcome(pipeline, tmp_path, "one", True, monkeypatch)
    two = outcome(pipeline, tmp_path, "two", False, monkeypatch)
    for key, value in one.items():
        assert value == two[key], key
    counts = one["accounts"]
    assert counts.bad_pre
    assert counts.bad_post
    assert counts.accepted
    assert {"pre", "post"} == {phase for _, phase in one["failed"]}
    assert {"pre", "post"} == {phase for _, phase, _ in one["warned"]}


@pytest.mark.parametrize("write_mode", ["csv", "json"])
def test_both_paths_write_the_same_text(
    build: Builder, tmp_path: Path, write_mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 3, 200)
    pipeline = build(text(quarantine={"format": write_mode}, schema_policy={"unknown_fields": "quarantine"}))
    one = outcome(pipeline, tmp_path, "one", True, monkeypatch)
    two = outcome(pipeline, tmp_path, "two", False, monkeypatch)
    assert one == two
    assert any(rule == "unknown_field" for rule, _ in one["failed"])


def test_a_row_bad_in_pre_is_not_judged_in_post(
    build: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under one split it passes step 6 with its flag: no rule of post may count it, nor a cast of step 6."""
    (tmp_path / "codes.csv").write_text("code,band\n1,one\n")
    (tmp_path / "in.csv").write_text(
        "id,qty,price,day,mail\n"
        "x,80,9999.99,2024-03-01,a@b\n"   # bad in pre; total would not fit, band would be missing, not_too_much would fail
        "1,1,2.50,2024-03-01,a@b\n"       # good
        "2,2,2.50,2024-03-01,a@b\n"       # bad in post: no band
        "3,80,9999.99,2024-03-01,a@b\n"   # bad in post: total does not fit, no band
    )  # fmt: skip
    for name, one_split in (("one", True), ("two", False)):
        found = outcome(build(text()), tmp_path, name, one_split, monkeypatch)
        assert found["failed"] == {("id_type", "pre"): 1, ("total_type", "post"): 1, ("band_required", "post"): 2}
        assert found["warned"] == {("both", "post", "warning"): 1}, "2.50 is not more than 2.50"
        counts = found["accounts"]
        assert (counts.bad_pre, counts.good, counts.enriched, counts.bad_post, counts.accepted) == (1, 3, 3, 2, 1)
