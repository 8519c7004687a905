"""The quarantine table: every column that semantics, section 6, names, in every format and for every way into it."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, failed_rules, published, rows, table

AS_OF = dt.datetime(2024, 3, 1, 12, 30, 15, 123456, tzinfo=dt.UTC)

COLUMNS = [
    "id", "qty", "note", "half",
    "_etlgen_errors", "_etlgen_raw", "_etlgen_raw_step", "_etlgen_contract", "_etlgen_contract_version",
    "_etlgen_pipeline", "_etlgen_node", "_etlgen_run_id", "_etlgen_quarantined_at", "_etlgen_source",
]  # fmt: skip

INPUT = 'id,qty,note\n1,2,fine\n x ,3.0, padded \n2,-4,\n3,7,""\n4, 5 ,odd\n'
"""Rows: good; bad id; qty out of range; odd (post); odd, with blanks around the number."""


def text(**more: Any) -> str:
    quality = {"row_rules": [{"name": "even", "sql": "half * 2 = qty"}]}
    return contract(
        ["id: long!", {"name": "qty", "type": "integer", "min": 0}, "note: string", "half: integer"],
        transformations=[
            {"upper": {"fields": ["note"]}, "phase": "pre"},
            {"derive": {"field": "half", "sql": "qty // 2"}},
        ],
        quality=quality,
        **more,
    )


def by_id(result: Any) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in table(result.quarantined).to_dicts()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(INPUT)
    return tmp_path


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
@pytest.mark.parametrize("one_split", [True, False])
def test_every_column(build: Builder, root: Path, format: str, one_split: bool) -> None:
    edits = [] if one_split else [("contract", "post_only_adds=True", "post_only_adds=False")]
    pipeline = build(text(quarantine={"format": format}), *edits)
    result = pipeline.run(root, as_of=AS_OF)
    frame = table(result.quarantined)
    assert frame.columns == COLUMNS
    assert all(frame.schema[name] == pl.String for name in COLUMNS[:4])
    found = by_id(result)
    assert set(found) == {" x ", "2", "3", "4"}
    for row in found.values():
        errors = json.loads(row["_etlgen_errors"]) if format == "csv" else row["_etlgen_errors"]
        row["_etlgen_errors"] = [(e["code"], e["rule"], e["phase"], e["field"], e["message"]) for e in errors]
    same = {
        "_etlgen_contract": "people",
        "_etlgen_contract_version": "1.0.0",
        "_etlgen_pipeline": pipeline.package,
        "_etlgen_run_id": result.report.run_id,
        "_etlgen_source": "in.csv",
    }
    times = {row["_etlgen_quarantined_at"] for row in found.values()}
    started_at = result.report.started_at  # the wall clock; `as_of` is for expressions
    assert started_at != AS_OF
    assert times == {started_at if format == "parquet" else f"{started_at:%Y-%m-%dT%H:%M:%S.%f}Z"}
    for row in found.values():
        assert {name: row[name] for name in same} == same
        assert str(row["_etlgen_raw_step"]) == "1"
    # the source's spelling where there is one: blanks stay, the pre operation has already rewritten `note`
    assert [found[" x "][name] for name in COLUMNS[:4]] == [" x ", "3.0", " PADDED ", None]
    assert [found["2"][name] for name in COLUMNS[:4]] == ["2", "-4", None, None]
    assert [found["4"][name] for name in COLUMNS[:4]] == ["4", " 5 ", "ODD", "2"]
    assert found["3"]["note"] == ""
    assert json.loads(found[" x "]["_etlgen_raw"]) == {"id": " x ", "qty": "3.0", "note": " padded "}
    assert json.loads(found["2"]["_etlgen_raw"]) == {"id": "2", "qty": "-4", "note": None}
    assert json.loads(found["4"]["_etlgen_raw"]) == {"id": "4", "qty": " 5 ", "note": "odd"}
    assert found[" x "]["_etlgen_node"] == "pre-quality"
    assert found["4"]["_etlgen_node"] == "post-quality"
    assert found[" x "]["_etlgen_errors"] == [
        ("PMDATA111", "id_type", "pre", "id", "the value of `id` does not fit its type")
    ]
    assert found["2"]["_etlgen_errors"] == [("PMDATA113", "qty_range", "pre", "qty", "value of `qty` is out of range")]
    (error,) = found["4"]["_etlgen_errors"]
    assert error[:4] == ("PMDATA120", "even", "post", None)
    assert rows(result.accepted, "id") == [(1,)]


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
@pytest.mark.parametrize("write_mode", ["append", "overwrite"])
def test_what_a_second_run_leaves(build: Builder, root: Path, format: str, write_mode: str) -> None:
    pipeline = build(text(quarantine={"format": format, "write_mode": write_mode}))
    pipeline.run(root)
    (root / "in.csv").write_text("id,qty,note\ny,1,\n")
    second = pipeline.run(root)
    parts = list((root / "out__quarantine").iterdir())
    assert len(parts) == (2 if write_mode == "append" else 1)
    assert rows(second.quarantined, "id") == [("y",)]
    (root / "in.csv").write_text("id,qty,note\n1,2,\n")
    third = pipeline.run(root)
    assert (third.status, rows(third.quarantined)) == ("succeeded", [])
    left = list((root / "out__quarantine").iterdir())
    assert len(left) == (2 if write_mode == "append" else 1)
    if write_mode == "overwrite" and format == "parquet":
        assert pl.read_parquet(left[0]).height == 0


def test_without_error_reason_the_message_is_missing(build: Builder, root: Path) -> None:
    result = build(text(quarantine={"include_error_reason": False})).run(root)
    for row in by_id(result).values():
        for error in row["_etlgen_errors"]:
            assert error["message"] is None
            assert error["rule"]


def test_quarantine_in_a_place_of_its_own(build: Builder, root: Path) -> None:
    result = build(text(quarantine={"target": "bad/rows.parquet", "write_mode": "overwrite"})).run(root)
    assert result.report.quarantine == "bad/rows.parquet"
    assert pl.read_parquet(root / "bad" / "rows.parquet").height == 4


def test_pre_operations_that_are_not_row_wise_make_raw_a_row_of_step_3(build: Builder, tmp_path: Path) -> None:
    """A deduplicated row is no row of the source any more: what is kept is the row as it entered step 3."""
    steps = [
        {"upper": {"fields": ["note"]}, "phase": "pre"},
        {"deduplicate": {"on": ["id"], "sort_by": ["note"], "order": "asc"}, "phase": "pre"},
    ]
    pipeline = build(contract(["id: string!", "qty: integer", "note: string"], transformations=steps))
    (tmp_path / "in.csv").write_text("id,qty,note\n1,x,b\n1,y,a\n")
    (row,) = by_id(pipeline.run(tmp_path)).values()
    assert row["_etlgen_raw_step"] == 3
    assert json.loads(row["_etlgen_raw"]) == {"id": "1", "qty": "y", "note": "A"}
    assert (row["id"], row["qty"], row["note"]) == ("1", "y", "A")


@pytest.mark.parametrize("kind", ["left", "inner"])
def test_after_a_join_a_row_that_turns_bad_has_no_raw(build: Builder, tmp_path: Path, kind: str) -> None:
    """A join may multiply rows, so the row of the source is not this row; a row that was bad before keeps its own."""
    pipeline = build(
        contract(
            ["id: long!", "city: string"],
            links=[{"name": "cities", "path": "cities.csv", "type": "csv"}],
            extensions={
                "etlgen.link_fields": {"cities": [{"name": "code", "type": "long"}, {"name": "city", "type": "string"}]}
            },
            transformations=[
                {"join": {"reference": "cities", "on": "id", "key": "code", "fields": ["city"], "type": kind}}
            ],
            quality={"row_rules": [{"name": "not_rome", "sql": "city <> 'Rome'"}]},
        )
    )
    (tmp_path / "in.csv").write_text("id\n1\nx\n")
    (tmp_path / "cities.csv").write_text("code,city\n1,Rome\n1,Oslo\n")
    result = pipeline.run(tmp_path)
    found = {
        row["id"]: (row["city"], row["_etlgen_raw"], row["_etlgen_raw_step"])
        for row in table(result.quarantined).to_dicts()
    }
    assert found == {"1": ("Rome", None, None), "x": (None, '{"id":"x"}', 1)}
    assert rows(result.accepted) == [(1, "Oslo")]


def test_what_each_kind_of_cast_leaves_as_spelling(build: Builder, tmp_path: Path) -> None:
    """A value that fitted shows the source's spelling, one that did not shows its original, a rewritten one its value."""
    pipeline = build(
        contract(
            ["id: long!", "qty: integer", "price: decimal(5,2)", "day: date", "kept: integer"],
            transformations=[
                {"cast": {"columns": {"qty": "integer"}}, "phase": "pre"},
                {"derive": {"field": "price", "sql": "price * 10"}},
            ],
            quality={"row_rules": [{"name": "cheap", "sql": "kept < 5"}]},
        )
    )
    (tmp_path / "in.csv").write_text(
        "id,qty,price,day,kept\n"
        "1,two,1.50,2024-01-01,1\n"   # a `cast` operation that does not fit
        "2, 2 ,1.5x,2024-01-01,1\n"   # a declared type that does not fit
        "3, 2 , 1.50 , 2024-01-01 ,7.0\n"   # a rule of pre
        "4,+2,500.00, 2024-01-01 ,1\n"   # 5000.00 does not fit decimal(5,2) after step 6
    )  # fmt: skip
    result = pipeline.run(tmp_path)
    found = {row["id"]: row for row in table(result.quarantined).to_dicts()}
    assert failed_rules(result.quarantined, "id") == {
        "1": ["qty_type"], "2": ["price_type"], "3": ["cheap"], "4": ["price_type"]
    }  # fmt: skip
    data = {key: tuple(row[name] for name in ("qty", "price", "day", "kept")) for key, row in found.items()}
    assert data["1"] == ("two", "1.50", "2024-01-01", "1")
    # `qty` was cast in step 2, so what entered step 3 is the number
    assert data["2"] == ("2", "1.5x", "2024-01-01", "1")
    assert data["3"] == ("2", " 1.50 ", " 2024-01-01 ", "7.0")
    assert data["4"][0] == "2"
    assert data["4"][1] in ("5000.00", "5000.000")
    assert data["4"][2:] == (" 2024-01-01 ", "1")
    assert json.loads(found["4"]["_etlgen_raw"])["price"] == "500.00"


def test_one_fault_is_one_finding_and_all_faults_are_told(build: Builder, tmp_path: Path) -> None:
    quality = {
        "row_rules": [
            {"name": "big", "sql": "qty > 5"},
            {"name": "both", "sql": "qty > id"},
            {"name": "named", "sql": "name LIKE 'a%'", "severity": "warning"},
        ]
    }
    pipeline = build(contract(["id: long!", "qty: integer!", "name: string!"], quality=quality))
    (tmp_path / "in.csv").write_text("id,qty,name\n1,x,\n,1,b\n3,,c\n4,9,d\n")
    result = pipeline.run(tmp_path)
    found = {row["_etlgen_raw"][:8]: row for row in table(result.quarantined).to_dicts()}
    rules = {key: sorted(error["rule"] for error in row["_etlgen_errors"]) for key, row in found.items()}
    assert rules == {
        '{"id":"1': ["name_required", "qty_type"],
        '{"id":nu': ["big", "both", "id_required"],
        '{"id":"3': ["big", "both", "qty_required"],
    }
    assert {r.rule: r.failed for r in result.report.failed_rules} == {
        "id_required": 1, "qty_required": 1, "name_required": 1, "qty_type": 1, "big": 2, "both": 2
    }  # fmt: skip
    assert {r.rule: r.failed for r in result.report.warned_rules} == {"named": 4}
    assert rows(result.accepted) == [(4, 9, "d")]


# --- typed sources ----------------------------------------------------------------------------------------------------


@pytest.fixture
def typed_root(tmp_path: Path) -> Path:
    from decimal import Decimal

    nan = float("nan")
    pl.DataFrame(
        {
            "id": pl.Series([1, 2, 3, 4, 5], dtype=pl.Int32),
            "ratio": [0.5, nan, 1.0, 1e22, None],
            "whole": [1.0, 2.0, 2.5, 3.0, nan],
            "day": [dt.date(2024, 1, number) for number in range(1, 6)],
            "moment": [dt.datetime(2024, 1, 1, 12, 0, 0, number) for number in range(5)],
            "price": pl.Series(
                [Decimal("1.50"), Decimal("2.25"), Decimal("3.999"), None, Decimal("5")], dtype=pl.Decimal(10, 3)
            ),
            "flag": [True, False, None, True, False],
            "tags": [["a"], [], None, ["b", None], ["c"]],
            "blob": [b"\x00\xff", b"", None, b"a", b"b"],
        }
    ).write_parquet(tmp_path / "in.parquet")
    return tmp_path


TYPED = contract(
    ["id: long!", "ratio: double", "whole: integer", "day: date", "moment: timestamp", "price: decimal(10,2)"],
    path="in.parquet",
    quality={"row_rules": [{"name": "small", "sql": "ratio <= 1 AND id <> 3"}]},
)


def test_a_typed_source_is_cast_by_the_table(build: Builder, typed_root: Path) -> None:
    """NaN is a value outside every range; 2.5 is no integer, nor is NaN; 3.999 has a digit too many."""
    result = build(TYPED).run(typed_root)
    assert failed_rules(result.quarantined, "id") == {
        "2": ["small"], "3": ["price_type", "small", "whole_type"], "4": ["small"], "5": ["small", "whole_type"],
    }  # fmt: skip
    (row,) = table(result.accepted).to_dicts()
    assert (row["id"], row["ratio"], row["whole"], row["flag"]) == (1, 0.5, 1, True)
    assert table(result.accepted).schema["id"] == pl.Int64


def test_quarantine_of_a_typed_source(build: Builder, typed_root: Path) -> None:
    result = build(TYPED).run(typed_root)
    found = by_id(result)
    assert [found["3"][name] for name in ("ratio", "whole", "day", "price", "flag")] == [
        "1.0", "2.5", "2024-01-03", "3.999", None
    ]  # fmt: skip
    assert found["2"]["ratio"].lower() == "nan"
    assert found["4"]["ratio"] == "1e+22"
    assert found["4"]["flag"] == "true"
    assert json.loads(found["4"]["tags"]) == ["b", None]
    assert found["3"]["moment"].startswith("2024-01-01T12:00:00.000002")
    raw = {key: json.loads(row["_etlgen_raw"]) for key, row in found.items()}
    assert raw["2"]["ratio"] == "NaN"
    assert raw["5"]["whole"] == "NaN"
    assert raw["2"]["whole"] == 2.0
    assert raw["3"]["id"] == 3
    assert raw["4"]["tags"] == ["b", None]
    assert raw["5"]["flag"] is False
    assert raw["4"]["blob"] == "YQ=="
    assert raw["2"]["day"] == "2024-01-02"
    assert str(raw["3"]["price"]) == "3.999"


def test_rows_handed_over_are_checked_like_those_of_a_file(build: Builder, tmp_path: Path) -> None:
    pipeline: Pipeline = build(contract(["id: long!", "qty: integer"]))
    result = pipeline.run(tmp_path, given=pl.DataFrame({"qty": ["1", "x"], "id": [1, 2]}))
    assert rows(result.accepted) == [(1, 1)]
    assert rows(result.quarantined, "id", "qty", "_etlgen_source") == [("2", "x", None)]
    report = pipeline.fail(tmp_path, given=pl.DataFrame({"qty": [1]}))
    assert report.diagnostics[0].code == "PMDATA101"
    assert len(published(tmp_path / "out")) == 1


@pytest.mark.parametrize("path", ["in.csv", "in.parquet"])
def test_texts_of_a_row_that_a_join_has_multiplied(build: Builder, tmp_path: Path, path: str) -> None:
    """There is no raw row any more, but each column is shown as the source has it: cast, renamed, dropped, undeclared, rewritten."""
    pipeline = build(
        contract(
            ["id: long!", "qty: integer", "code: string", "note: string", "owner: long"],
            path=path,
            links=[{"name": "ref", "path": "ref.csv"}],
            transformations=[
                {"join": {"reference": "ref", "on": "code", "key": "k", "fields": ["owner"], "type": "inner"}},
                {"upper": {"fields": ["note"]}},
                {"select": {"columns": ["id", "qty", "code", "note", "owner"]}},
            ],
            quality={"row_rules": [{"name": "small", "sql": "qty < 10 AND owner > 0"}]},
            extensions={
                "etlgen.source_fields": [
                    {"name": name, "type": "string" if name in ("code", "note", "gone") else "long"}
                    for name in ("id", "qty", "code", "note", "gone")
                ],
                "etlgen.link_fields": {"ref": [{"name": "k", "type": "string"}, {"name": "owner", "type": "long"}]},
            },
        )
    )
    source = pl.DataFrame({"id": ["01"], "qty": ["+20"], "code": ["a"], "note": ["n"], "gone": ["g"], "more": ["m"]})
    source.write_csv(tmp_path / "in.csv")
    source.with_columns(pl.col("id", "qty").cast(pl.Int64)).write_parquet(tmp_path / "in.parquet")
    (tmp_path / "ref.csv").write_text("k,owner\na,7\na,8\n")
    found = table(pipeline.run(tmp_path).quarantined).sort("owner")
    of_qty = {"in.csv": ("01", "+20"), "in.parquet": ("1", "20")}[path]
    assert found.select("id", "qty", "code", "note", "gone", "more", "owner").rows() == [
        (*of_qty, "a", "N", "g", "m", owner) for owner in ("7", "8")
    ]
    assert found["_etlgen_raw"].to_list() == [None, None]
