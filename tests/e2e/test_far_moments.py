"""Typed sources hold dates of years that no contract type has: such a row is bad, the others are published."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, failed_rules, rows, table

LAST_DAY = dt.date(9999, 12, 31).toordinal() - dt.date(1970, 1, 1).toordinal()
DAY_US = 86_400_000_000
FAR_US = (LAST_DAY + 1) * DAY_US
YEAR_0_US = -719_162 * DAY_US - 1
"""The microsecond before 0001-01-01."""

MOMENTS = pl.Series("v", [0, FAR_US, YEAR_0_US, 2**63 - 1], dtype=pl.Int64)
DAYS = pl.Series("v", [0, LAST_DAY + 1, -719_163, 2**31 - 1], dtype=pl.Int32)
IDS = pl.Series("id", [1, 2, 3, 4])
TEXTS = ["+10000-01-01T00:00:00", "0000-12-31T23:59:59.999999", "+294247-01-10T04:00:54.775807"]


def write(root: Path, values: pl.Series, **more: Any) -> None:
    pl.DataFrame([IDS, values]).with_columns(**more).write_parquet(root / "in.parquet")


def declared(*fields: str, target: str = "parquet", **sections: Any) -> str:
    place = {"strategy": "overwrite", "format": target, "target_path": "out"}
    source = {"format": "parquet"}
    return contract(["id: long!", *fields], path="in.parquet", source=source, materialization=place, **sections)


def raw(quarantined: Any) -> list[Any]:
    return [json.loads(text)["v"] for (text,) in table(quarantined).sort("id").select("_etlgen_raw").rows()]


@pytest.mark.parametrize("target", ["parquet", "csv"])
@pytest.mark.parametrize(
    ("kind", "zone"),
    [("timestamp", None), ("timestamp_tz", "UTC"), ("timestamp_tz", "Europe/Oslo"), ("timestamp", "Asia/Tokyo")],
)
def test_a_far_timestamp_makes_its_row_bad(
    build: Builder, tmp_path: Path, kind: str, zone: str | None, target: str
) -> None:
    write(tmp_path, MOMENTS.cast(pl.Datetime("us", zone)))
    result = build(declared(f"v: {kind}", target=target)).run(tmp_path)
    assert [id_ for id_, _ in rows(result.accepted, "id", "v")] == [1]
    assert failed_rules(result.quarantined, "id") == {key: ["v_type"] for key in "234"}
    texts = [text + ("Z" if zone else "") for text in TEXTS]
    assert raw(result.quarantined) == texts
    assert table(result.quarantined).sort("id")["v"].to_list() == texts


@pytest.mark.parametrize("kind", ["date", "timestamp"])
def test_a_far_date_makes_its_row_bad(build: Builder, tmp_path: Path, kind: str) -> None:
    write(tmp_path, DAYS.cast(pl.Date()))
    result = build(declared(f"v: {kind}")).run(tmp_path)
    assert [id_ for id_, _ in rows(result.accepted, "id", "v")] == [1]
    assert failed_rules(result.quarantined, "id") == {key: ["v_type"] for key in "234"}
    assert raw(result.quarantined) == ["+10000-01-01", "0000-12-31", "+5881580-07-11"]


def test_milliseconds_of_years_beyond_microseconds(build: Builder, tmp_path: Path) -> None:
    write(tmp_path, pl.Series("v", [0, 2**62, -(2**62), 1], dtype=pl.Int64).cast(pl.Datetime("ms")))
    result = build(declared("v: timestamp")).run(tmp_path)
    assert [id_ for id_, _ in rows(result.accepted, "id", "v")] == [1, 4]


@pytest.mark.parametrize("phase", ["pre", "post"])
def test_expressions_never_see_a_far_timestamp(build: Builder, tmp_path: Path, phase: str) -> None:
    write(tmp_path, MOMENTS.cast(pl.Datetime("us")))
    derive = {"derive": {"field": "month", "sql": "date_trunc('month', v)"}, "phase": phase}
    result = build(declared("v: timestamp", transformations=[derive])).run(tmp_path)
    assert rows(result.accepted, "id", "month") == [(1, dt.datetime(1970, 1, 1))]
    assert raw(result.quarantined) == TEXTS


def test_an_undeclared_column_that_an_expression_reads(build: Builder, tmp_path: Path) -> None:
    write(tmp_path, MOMENTS.alias("arrival").cast(pl.Datetime("us")))
    derive = {"derive": {"field": "month", "sql": "date_trunc('month', arrival)"}}
    result = build(declared(transformations=[derive])).run(tmp_path)
    assert failed_rules(result.quarantined, "id") == {key: ["arrival_type"] for key in "234"}


def test_undeclared_columns_pass_through(build: Builder, tmp_path: Path) -> None:
    far = MOMENTS.cast(pl.Datetime("us"))
    write(tmp_path, far)
    frame = table(build(declared()).run(tmp_path).accepted).sort("id")
    assert frame["v"].to_physical().to_list() == far.to_physical().to_list()


def test_undeclared_columns_are_text_in_csv(build: Builder, tmp_path: Path) -> None:
    spans = pl.Series([dt.timedelta(days=1), None, dt.timedelta(hours=-1), dt.timedelta(0)])
    write(tmp_path, MOMENTS.cast(pl.Datetime("us")), span=spans, list=pl.concat_list("v"))
    build(declared(target="csv")).run(tmp_path)
    (part,) = (tmp_path / "out").glob("*.csv")
    assert sorted(part.read_text().splitlines()) == [
        '1,1970-01-01T00:00:00,P1D,"[""1970-01-01T00:00:00""]"',
        f'2,{TEXTS[0]},,"[""{TEXTS[0]}""]"',
        f'3,{TEXTS[1]},-PT1H,"[""{TEXTS[1]}""]"',
        f'4,{TEXTS[2]},PT0S,"[""{TEXTS[2]}""]"',
        "id,v,span,list",
    ]


def test_a_far_date_is_text_where_text_is_declared(build: Builder, tmp_path: Path) -> None:
    write(tmp_path, MOMENTS.cast(pl.Datetime("us")))
    result = build(declared("v: string")).run(tmp_path)
    assert rows(result.accepted, "v") == [(text,) for text in sorted(["1970-01-01T00:00:00", *TEXTS])]


def test_raw_rows_hold_durations_and_nested_dates_as_text(build: Builder, tmp_path: Path) -> None:
    days = DAYS.cast(pl.Date())
    write(tmp_path, days, span=pl.lit(dt.timedelta(hours=1)), nested=pl.struct(pl.concat_list("v").alias("days")))
    result = build(declared("v: date")).run(tmp_path)
    first = json.loads(table(result.quarantined).sort("id")["_etlgen_raw"][0])
    assert first == {"id": 2, "v": "+10000-01-01", "span": "PT1H", "nested": {"days": ["+10000-01-01"]}}


def test_a_given_frame_is_judged_too(build: Builder, tmp_path: Path) -> None:
    frame = pl.DataFrame([IDS, DAYS.cast(pl.Date())])
    result = build(declared("v: date")).run(tmp_path, given=frame)
    assert [id_ for id_, _ in rows(result.accepted, "id", "v")] == [1]


@pytest.mark.parametrize("used", [True, False])
def test_a_link_with_a_far_date_is_refused_where_it_is_read(build: Builder, tmp_path: Path, used: bool) -> None:
    (tmp_path / "in.csv").write_text("id,day\n1,2024-01-01\n")
    days = pl.Series([19_723, LAST_DAY + 1], dtype=pl.Int32).cast(pl.Date())
    pl.DataFrame({"day": days, "name": ["a", "b"], "other": days}).write_parquet(tmp_path / "days.parquet")
    key, value = ("day", "name") if used else ("name", "name")
    if not used:
        (tmp_path / "in.csv").write_text("id,day\n1,a\n")
    text = contract(
        ["id: long!", "day: date" if used else "day: string"],
        transformations=[{"lookup": {"field": "found", "reference": "days", "on": "day", "key": key, "value": value}}],
        links=[{"name": "days", "path": "days.parquet", "type": "parquet"}],
    )
    if not used:
        assert rows(build(text).run(tmp_path).accepted, "found") == [("a",)]
        return
    (error,) = build(text).fail(tmp_path).diagnostics
    assert (error.code, error.field) == ("PMDATA106", "day")
    assert "holds 1 dates or timestamps outside the years 0001 to 9999" in error.message
