"""Typed sources keep their values exactly: several files, JSON numbers, units and zones, columns without values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, table

from etlgen_runtime import RunResult


def run(build: Builder, root: Path, type_: str, pattern: str) -> RunResult[Any]:
    format_ = pattern.rpartition(".")[2]
    source = {"pattern": pattern, "format": "jsonl" if format_ == "jsonl" else "parquet"}
    return build(contract(["id: long!", f"v: {type_}"], path="in", source=source)).run(root)


def parquet(root: Path, *frames: pl.DataFrame) -> None:
    (root / "in").mkdir()
    for number, frame in enumerate(frames):
        frame.write_parquet(root / "in" / f"{number}.parquet")


def jsonl(root: Path, *texts: str) -> None:
    (root / "in").mkdir()
    for number, text in enumerate(texts):
        (root / "in" / f"{number}.jsonl").write_text(text)


def values(result: RunResult[Any]) -> dict[int, Any]:
    return dict(table(result.accepted).select("id", "v").iter_rows())


BIG = 9_007_199_254_740_993  # 2**53 + 1: no double holds it


def test_files_that_do_not_agree_on_a_number_type_lose_no_digit(build: Builder, tmp_path: Path) -> None:
    parquet(tmp_path, pl.DataFrame({"id": [1, 2], "v": [1.5, 2.0]}), pl.DataFrame({"id": [3], "v": [BIG]}))
    result = run(build, tmp_path, "long", "*.parquet")
    assert values(result) == {2: 2, 3: BIG}  # 1.5 is no integer


def test_decimals_beside_doubles(build: Builder, tmp_path: Path) -> None:
    exact = Decimal("12345678901234567.125")
    first = pl.DataFrame({"id": [1], "v": [exact]}, schema_overrides={"v": pl.Decimal(38, 3)})
    parquet(tmp_path, first, pl.DataFrame({"id": [2], "v": [0.5]}))
    assert values(run(build, tmp_path, "decimal(20,3)", "*.parquet")) == {1: exact, 2: Decimal("0.500")}


def test_booleans_beside_integers_stay_refused(build: Builder, tmp_path: Path) -> None:
    parquet(tmp_path, pl.DataFrame({"id": [1], "v": [True]}), pl.DataFrame({"id": [2], "v": [7]}))
    assert values(run(build, tmp_path, "long", "*.parquet")) == {2: 7}


def test_json_numbers_keep_their_digits(build: Builder, tmp_path: Path) -> None:
    jsonl(tmp_path, '{"id":1,"v":12345678901234567.125}\n{"id":2,"v":0.1}\n{"id":3,"v":1e2}\n')
    result = run(build, tmp_path, "decimal(38,3)", "*.jsonl")
    assert values(result) == {1: Decimal("12345678901234567.125"), 2: Decimal("0.100"), 3: Decimal("100.000")}


def test_a_json_integer_written_with_a_point(build: Builder, tmp_path: Path) -> None:
    jsonl(tmp_path, f'{{"id":1,"v":{BIG}.0}}\n{{"id":2,"v":2.5}}\n')
    assert values(run(build, tmp_path, "long", "*.jsonl")) == {1: BIG}


@pytest.mark.parametrize(
    ("line", "said"), [('{"id":1,"v":"\\ud800"}', "surrogate"), ('{"id":1,"id":2}', "has the key `id` twice")]
)
def test_json_that_is_no_text_or_ambiguous(build: Builder, tmp_path: Path, line: str, said: str) -> None:
    jsonl(tmp_path, '{"id":0,"v":"x"}\n' + line + "\n")
    text = contract(["id: long!", "v: string"], path="in", source={"pattern": "*.jsonl", "format": "jsonl"})
    (error,) = build(text).fail(tmp_path).diagnostics
    assert (error.code, said in error.message, "at line 2" in error.message) == ("PMDATA105", True, True)


def test_a_column_without_any_value(build: Builder, tmp_path: Path) -> None:
    parquet(tmp_path, pl.DataFrame({"id": [1], "v": [None]}))
    assert values(run(build, tmp_path, "long", "*.parquet")) == {1: None}


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_timestamps_are_published_in_microseconds(build: Builder, tmp_path: Path, unit: Any) -> None:
    moment = dt.datetime(2024, 3, 1, 12, 30)
    parquet(tmp_path, pl.DataFrame({"id": [1], "v": [moment]}, schema_overrides={"v": pl.Datetime(unit)}))
    frame = table(run(build, tmp_path, "timestamp", "*.parquet").accepted)
    assert (frame.schema["v"], frame["v"].to_list()) == (pl.Datetime("us"), [moment])


def test_instants_are_published_in_utc(build: Builder, tmp_path: Path) -> None:
    moments = pl.Series("v", [dt.datetime(2024, 3, 1, 12, 30)]).dt.replace_time_zone("Europe/Berlin")
    parquet(tmp_path, pl.DataFrame({"id": [1], "v": moments}))
    frame = table(run(build, tmp_path, "timestamp_tz", "*.parquet").accepted)
    assert frame.schema["v"] == pl.Datetime("us", "UTC")
    assert frame["v"].to_list() == [dt.datetime(2024, 3, 1, 11, 30, tzinfo=dt.UTC)]


def test_a_duration_cannot_be_read_as_a_number(build: Builder, tmp_path: Path) -> None:
    parquet(tmp_path, pl.DataFrame({"id": [1], "v": [dt.timedelta(days=1)]}))
    source = {"pattern": "*.parquet", "format": "parquet"}
    (error,) = build(contract(["id: long!", "v: long"], path="in", source=source)).fail(tmp_path).diagnostics
    assert (error.code, error.field) == ("PMDATA126", "v")


def test_a_column_without_a_name_passes_through(build: Builder, tmp_path: Path) -> None:
    parquet(tmp_path, pl.DataFrame({"id": ["1", "2"], "": [3, 4]}))
    source = {"pattern": "*.parquet", "format": "parquet"}
    result = build(contract(["id: long!"], path="in", source=source)).run(tmp_path)
    assert table(result.accepted).sort("id").rows(named=True) == [{"id": 1, "": 3}, {"id": 2, "": 4}]
