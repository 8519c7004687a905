"""What does not fit is remembered, not lost: a row with such a value reaches the quarantine, and tells why (semantics, 1 and 5)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, failed_rules, rows, table

FAR = 253_402_300_800_000_000
"""The microsecond after the year 9999."""
DAY = 86_400_000_000
PARQUET: dict[str, Any] = {"path": "in.parquet", "source": {"format": "parquet"}}


def source_fields(*fields: str) -> dict[str, Any]:
    made = [dict(zip(("name", "type"), field.split(": "), strict=True)) for field in fields]
    return {"etlgen.source_fields": made}


def write_moments(root: Path, moments: Iterable[int | None], **more: list[Any]) -> None:
    values = pl.Series("ts", moments, dtype=pl.Int64).cast(pl.Datetime("us"))
    ids = pl.Series("id", range(1, len(values) + 1))
    pl.DataFrame([ids, values, *(pl.Series(name, each) for name, each in more.items())]).write_parquet(
        root / "in.parquet"
    )


def pre(**operation: Mapping[str, Any]) -> dict[str, Any]:
    return {**operation, "phase": "pre"}


# --- what removes rows ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "kept"),
    [("ts IS NOT NULL", [1]), ("ts > TIMESTAMP '2000-01-01'", []), ("id > 1", [3]), ("ts IS NULL OR id < 9", [1, 3])],
)
def test_a_filter_keeps_what_it_cannot_judge(build: Builder, tmp_path: Path, sql: str, kept: list[int]) -> None:
    write_moments(tmp_path, [0, FAR, None])
    text = contract(["id: long!", "ts: timestamp"], transformations=[pre(filter={"sql": sql})], **PARQUET)
    result = build(text).run(tmp_path)
    assert [id_ for id_, _ in rows(result.accepted, "id", "ts")] == kept
    assert failed_rules(result.quarantined, "id") == {"2": ["ts_type"]}


def test_a_filter_removes_a_row_that_is_bad_for_what_it_does_not_read(build: Builder, tmp_path: Path) -> None:
    write_moments(tmp_path, [0, FAR])
    text = contract(["id: long!", "ts: timestamp"], transformations=[pre(filter={"sql": "id = 1"})], **PARQUET)
    result = build(text).run(tmp_path)
    assert (rows(result.accepted, "id"), table(result.quarantined).height) == ([(1,)], 0)
    assert [count.removed for count in result.report.accounting.operations] == [1]


@pytest.mark.parametrize("phase", ["pre", "post"])
@pytest.mark.parametrize(
    "sql",
    ["x > 5", "y > 5", "z IS NOT NULL"],
    ids=["the column itself", "a column computed from it", "the column renamed"],
)
def test_a_filter_keeps_a_derived_value_that_did_not_fit(build: Builder, tmp_path: Path, phase: str, sql: str) -> None:
    pl.DataFrame({"id": [1, 2, 3], "a": [10**10, 3, None]}).write_parquet(tmp_path / "in.parquet")
    steps: list[dict[str, Any]] = [
        {"derive": {"field": "x", "sql": "a * a"}},
        {"derive": {"field": "y", "sql": "x - 0.5"}},
        {"derive": {"field": "z0", "sql": "x + 1"}},
        {"rename": {"from": "z0", "to": "z"}},
        {"filter": {"sql": sql}},
    ]
    text = contract(
        ["id: long!", "a: long", "x: long"], transformations=[{**step, "phase": phase} for step in steps], **PARQUET
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted, "id", "x") == [(2, 9)]
    assert failed_rules(result.quarantined, "id") == {"1": ["x_type"]}


def test_a_filter_after_a_cast_keeps_what_did_not_fit(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,n\n1,5\n2,five\n3,\n")
    text = contract(
        ["id: long!", "n: long"],
        transformations=[pre(cast={"columns": {"n": "long"}}), pre(filter={"sql": "n > 1"})],
    )
    result = build(text).run(tmp_path)
    assert (rows(result.accepted, "id"), failed_rules(result.quarantined, "id")) == ([(1,)], {"2": ["n_type"]})


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_row_of_unknown_order_takes_no_part_in_deduplicate(build: Builder, tmp_path: Path, order: str) -> None:
    """Row 3 has the only good moment of key 2; row 5 has the key alone; no moment at all (row 6) never wins."""
    write_moments(tmp_path, [0, FAR, DAY, -FAR, FAR, None], g=[1, 1, 2, 2, 3, 1])
    text = contract(
        ["id: long!", "ts: timestamp"],
        transformations=[pre(deduplicate={"on": ["g"], "sort_by": ["ts"], "order": order})],
        extensions=source_fields("id: long", "g: long", "ts: timestamp"),
        **PARQUET,
    )
    result = build(text).run(tmp_path)
    assert [id_ for (id_,) in rows(result.accepted, "id")] == [1, 3]
    assert failed_rules(result.quarantined, "id") == {key: ["ts_type"] for key in "245"}
    assert [count.removed for count in result.report.accounting.operations] == [1]


def test_a_row_of_unknown_key_is_no_duplicate(build: Builder, tmp_path: Path) -> None:
    write_moments(tmp_path, [0, FAR, FAR, 0], n=[1, 2, 3, 4])
    text = contract(
        ["id: long!", "ts: timestamp", "n: long"],
        transformations=[pre(deduplicate={"on": ["ts"], "sort_by": ["n"]})],
        **PARQUET,
    )
    result = build(text).run(tmp_path)
    assert [id_ for (id_,) in rows(result.accepted, "id")] == [4]
    assert failed_rules(result.quarantined, "id") == {key: ["ts_type"] for key in "23"}


@pytest.mark.parametrize(
    ("how", "good"), [("inner", [1]), ("left", [1, 3, 4]), ("right", [1, None]), ("full", [1, 3, 4, None])]
)
def test_a_join_keeps_a_row_of_unknown_key(build: Builder, tmp_path: Path, how: str, good: list[int | None]) -> None:
    """Row 2 overflows, row 3 has a key of nobody, row 4 has none; the link has a row of its own."""
    (tmp_path / "in.csv").write_text("id,a\n1,2\n2,10000000000\n3,5\n4,\n")
    pl.DataFrame({"key": [4, 7], "name": ["four", "seven"]}).write_parquet(tmp_path / "ref.parquet")
    text = contract(
        ["id: long", "a: long", "k: long", "name: string"],
        links=[{"name": "ref", "path": "ref.parquet", "type": "parquet"}],
        transformations=[
            {"derive": {"field": "k", "sql": "a * a"}},
            {"join": {"reference": "ref", "on": "k", "key": "key", "fields": ["name"], "type": how}},
        ],
    )
    result = build(text).run(tmp_path)
    assert sorted((id_ for (id_,) in rows(result.accepted, "id")), key=repr) == sorted(good, key=repr)
    assert failed_rules(result.quarantined, "id") == {"2": ["k_type"]}
    counts = result.report.accounting.operations
    assert [(count.removed, count.added) for count in counts] == [
        (2 if how in ("inner", "right") else 0, 1 if how in ("right", "full") else 0)
    ]


def test_a_lookup_of_unknown_key_finds_nothing_and_the_row_is_bad(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,a\n1,2\n2,10000000000\n")
    pl.DataFrame({"key": [4], "name": ["four"]}).write_parquet(tmp_path / "ref.parquet")
    text = contract(
        ["id: long", "a: long", "k: long", "name: string"],
        links=[{"name": "ref", "path": "ref.parquet", "type": "parquet"}],
        transformations=[
            {"derive": {"field": "k", "sql": "a * a"}},
            {"lookup": {"field": "name", "reference": "ref", "on": "k", "key": "key", "value": "name"}},
            {"filter": {"sql": "name = 'four'"}},
        ],
    )
    result = build(text).run(tmp_path)
    assert (rows(result.accepted, "id"), failed_rules(result.quarantined, "id")) == ([(1,)], {"2": ["k_type"]})


# --- judged by the declared type --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "sql", "expected"),
    [
        ("long", "s * s", 90_000),
        ("smallint", "s * s", None),
        ("long", "2000000000 + 2000000000", 4_000_000_000),
        ("long", "CASE WHEN s > 0 THEN s * s ELSE 0 END", 90_000),
        ("long", "coalesce(s * s, 0)", 90_000),
        ("long", "greatest(s * s, s)", 90_000),
        ("double", "s * s", 90_000.0),
        ("string", "s * s", "90000"),
        ("string", "a * a", "1" + "0" * 20),
        ("decimal(38,0)", "a * a", 10**20),
        ("decimal(38,2)", "coalesce(a * a, p)", 10**20),
        ("decimal(21,2)", "coalesce(a * a, p)", None),
        ("decimal(38,2)", "CASE WHEN p > a * a THEN p ELSE a * a END", 10**20),
        ("double", "a * a", None),
        ("long", "a * a", None),
        ("long", "CAST(s * s AS SMALLINT)", None),
    ],
)
def test_a_derived_value_is_judged_by_the_declared_type(
    build: Builder, tmp_path: Path, declared: str, sql: str, expected: object
) -> None:
    """10**20 is no integer that a double keeps exactly: those end at 2**53 (casts)."""
    (tmp_path / "in.csv").write_text("id,s,a,p\n1,300,10000000000,1.25\n")
    text = contract(
        ["id: long!", "s: smallint", "a: long", "p: decimal(10,2)", f"x: {declared}"],
        transformations=[{"derive": {"field": "x", "sql": sql}}],
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted, "x") == ([] if expected is None else [(expected,)])
    assert failed_rules(result.quarantined, "id") == ({"1": ["x_type"]} if expected is None else {})


def test_an_undeclared_value_is_judged_by_its_own_type(build: Builder, tmp_path: Path) -> None:
    """Also when a later operation gives it a wider column."""
    (tmp_path / "in.csv").write_text("id,s\n1,300\n2,3\n")
    text = contract(
        ["id: long!", "s: smallint", "y: long"],
        transformations=[{"derive": {"field": "x", "sql": "s * s"}}, {"derive": {"field": "y", "sql": "x + 1"}}],
    )
    result = build(text).run(tmp_path)
    assert (rows(result.accepted, "id", "x", "y"), failed_rules(result.quarantined, "id")) == (
        [(2, 9, 10)],
        {"1": ["x_type"]},
    )


def test_operations_see_the_exact_number_until_it_is_cast(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,a\n1,10000000000\n")
    text = contract(
        ["id: long!", "a: long", "x: string", "y: double"],
        transformations=[
            {"derive": {"field": "x", "sql": "a * a"}},
            {"derive": {"field": "y", "sql": "x / a"}},
            {"filter": {"sql": "x > 99999999999999999999"}},
        ],
    )
    assert rows(build(text).run(tmp_path).accepted, "x", "y") == [("1" + "0" * 20, 1e10)]


@pytest.mark.parametrize(
    ("declared", "sql", "expected"),
    [
        ("long", "MAX(s * s)", 90_000),
        ("long", "MAX(s * s) + MIN(s)", 90_001),
        ("long", "SUM(s * s)", 90_001),
        ("smallint", "MAX(s * s)", None),
        ("decimal(38,0)", "MAX(a * a)", 10**20),
        ("decimal(38,2)", "MAX(coalesce(a * a, p))", 10**20),
        ("decimal(21,2)", "MAX(coalesce(a * a, p))", None),
        ("decimal(38,0)", "SUM(a * a)", 2 * 10**20),
    ],
)
def test_an_aggregate_is_judged_by_the_declared_type(
    build: Builder, tmp_path: Path, declared: str, sql: str, expected: object
) -> None:
    (tmp_path / "in.csv").write_text("k,s,a,p\nx,300,10000000000,1.25\nx,1,10000000000,\n")
    text = contract(
        ["k: string", f"x: {declared}"],
        transformations=[{"rollup": {"group_by": ["k"], "aggregations": {"x": sql}}}],
        extensions=source_fields("k: string", "s: smallint", "a: long", "p: decimal(10,2)"),
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted, "x") == ([] if expected is None else [(expected,)])
    assert failed_rules(result.quarantined, "k") == ({"x": ["x_type"]} if expected is None else {})


# --- moments ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "kind", "bad"),
    [
        ("ts + INTERVAL 1 day", "timestamp", [1]),
        ("ts - INTERVAL 1 month", "timestamp", [2]),
        ("CAST(ts AS DATE) + 1", "date", []),
        ("d + 1", "date", [1]),
        ("d - 1", "date", [2]),
        ("date_diff('day', ts + INTERVAL 1 day, ts)", "long", [1]),
        ("CASE WHEN id = 2 THEN ts + INTERVAL 1 day END", "timestamp", []),
        ("coalesce(ts + INTERVAL 1 day, ts)", "timestamp", [1]),
        ("date_trunc('week', ts)", "timestamp", []),
        ("make_date(CAST(year(ts) + 1 AS BIGINT), 1, 1)", "date", []),
    ],
)
def test_a_moment_moved_out_of_the_calendar_makes_the_row_bad(
    build: Builder, tmp_path: Path, sql: str, kind: str, bad: list[int]
) -> None:
    """A day that is made of its parts is like a cast: NULL where there is none in the years 1 to 9999."""
    moments = [dt.datetime(9999, 12, 31, 23), dt.datetime(1, 1, 1, 1), None]
    frame = pl.DataFrame({"id": [1, 2, 3], "ts": moments}).with_columns(d=pl.col("ts").dt.date())
    frame.write_parquet(tmp_path / "in.parquet")
    text = contract(
        ["id: long!", "ts: timestamp", "d: date", f"x: {kind}"],
        transformations=[{"derive": {"field": "x", "sql": sql}}],
        **PARQUET,
    )
    result = build(text).run(tmp_path)
    assert [id_ for (id_,) in rows(result.accepted, "id")] == [one for one in (1, 2, 3) if one not in bad]
    assert failed_rules(result.quarantined, "id") == {str(one): ["x_type"] for one in bad}


def test_a_moment_moved_out_of_the_calendar_is_null_in_a_rule(build: Builder, tmp_path: Path) -> None:
    pl.DataFrame({"id": [1, 2], "ts": [dt.datetime(9999, 12, 31), dt.datetime(2024, 1, 1)]}).write_parquet(
        tmp_path / "in.parquet"
    )
    text = contract(
        ["id: long!", "ts: timestamp"],
        quality={"row_rules": [{"name": "no_next_day", "sql": "ts + INTERVAL 1 day IS NULL"}]},
        **PARQUET,
    )
    result = build(text).run(tmp_path)
    assert (rows(result.accepted, "id"), failed_rules(result.quarantined, "id")) == ([(1,)], {"2": ["no_next_day"]})


# --- the quarantine ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("two_splits", [False, True])
def test_a_row_bad_in_step_4_shows_nothing_of_step_6(build: Builder, tmp_path: Path, two_splits: bool) -> None:
    (tmp_path / "in.csv").write_text("id,a\n1,10000000000\n2,20000000000\n3,1\n")
    audited = {"row_count_between": {"min": 0}, "phase": "pre"}
    text = contract(
        ["id: long!", "a: long", "x: long"],
        transformations=[{"derive": {"field": "x", "sql": "a * a"}}],
        quality={
            "row_rules": [{"name": "small", "sql": "a < 10000000000 OR id = 2"}],
            **({"dataset_rules": [audited]} if two_splits else {}),
        },
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted, "id", "x") == [(3, 1)]
    assert failed_rules(result.quarantined, "id") == {"1": ["small"], "2": ["x_type"]}
    assert rows(result.quarantined, "id", "x") == [("1", None), ("2", "4" + "0" * 20)]


@pytest.mark.parametrize("beside", ["", "2,1.0,1\n"])
def test_a_lost_number_is_judged_alike_whatever_stands_beside_it(build: Builder, tmp_path: Path, beside: str) -> None:
    """Twice 28 nines and a tenth needs 39 digits; zero times that is not known to be zero."""
    (tmp_path / "in.csv").write_text(f"id,q,n\n1,{'9' * 28}.{'9' * 10},0\n{beside}")
    text = contract(
        ["id: long!", "q: decimal(38,10)", "n: long"],
        quality={"row_rules": [{"name": "zero", "sql": "(q + q) * n >= 0"}]},
    )
    result = build(text).run(tmp_path)
    assert failed_rules(result.quarantined, "id") == {"1": ["zero"]}
    assert table(result.accepted).height == beside.count("\n")


def test_a_bad_row_without_a_finding_fails_the_run(build: Builder, tmp_path: Path) -> None:
    """A predicate that looks at other rows flags row 1, and has nothing against it once the bad rows are among themselves."""
    (tmp_path / "in.csv").write_text("id,n\n1,1\n2,2\n")
    text = contract(["id: long!", "n: long"], quality={"row_rules": [{"name": "top", "sql": "n >= 2"}]})
    edit = ("polars_steps", 'pl.col("n") >= 2', 'pl.col("n") >= pl.col("n").max()')
    report = build(text, edit).fail(tmp_path)
    assert [found.code for found in report.diagnostics] == ["PMEXEC103"]
    assert "1 bad rows have no finding" in report.diagnostics[0].message
    assert not (tmp_path / "out").exists()


# --- names ------------------------------------------------------------------------------------------------------------


JSONL: dict[str, Any] = {"path": "in.jsonl", "source": {"format": "jsonl"}}


def test_a_rename_takes_the_original_along(build: Builder, tmp_path: Path) -> None:
    """One fault, one finding, under the name that the column has when the row is judged."""
    (tmp_path / "in.jsonl").write_text('{"id": 1, "old": "12x"}\n{"id": 2, "old": 2}\n')
    text = contract(
        ["id: long!", "amount: long!"],
        transformations=[pre(rename={"from": "old", "to": "amount"})],
        extensions=source_fields("id: long", "old: long"),
        **JSONL,
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted) == [(2, 2)]
    assert failed_rules(result.quarantined, "id") == {"1": ["amount_type"]}
    assert table(result.quarantined)["amount"].to_list() == ["12x"]


def test_a_swap_of_names_swaps_the_originals(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"a": 1, "b": "x"}\n')
    text = contract(
        ["a: double", "b: double"], transformations=[pre(rename={"mappings": {"a": "b", "b": "a"}})], **JSONL
    )
    result = build(text).run(tmp_path)
    found = table(result.quarantined)
    assert (found["a"].to_list(), found["b"].to_list()) == (["x"], ["1.0"])
    assert [error["rule"] for error in found["_etlgen_errors"][0]] == ["a_type"]


def test_a_derived_value_that_did_not_fit_is_renamed(build: Builder, tmp_path: Path) -> None:
    pl.DataFrame({"id": [1, 2], "a": [2**62, 3]}).write_parquet(tmp_path / "in.parquet")
    steps = [{"derive": {"field": "x", "sql": "a * 4"}}, {"rename": {"from": "x", "to": "y"}}]
    text = contract(["id: long!", "a: long", "y: long!"], transformations=steps, **PARQUET)
    result = build(text).run(tmp_path)
    assert rows(result.accepted, "id", "y") == [(2, 12)]
    assert failed_rules(result.quarantined, "id") == {"1": ["y_type"]}
    assert table(result.quarantined)["y"].to_list() == [str(2**64)]


def test_the_original_of_a_column_that_is_gone_stays_with_its_row(build: Builder, tmp_path: Path) -> None:
    """Another column takes the name of one that was dropped: the row is bad all the same."""
    (tmp_path / "in.jsonl").write_text('{"id": 1, "n": "bad", "m": 5}\n{"id": 2, "n": 1, "m": 6}\n')
    text = contract(
        ["id: long!", "n: long"],
        transformations=[pre(drop={"columns": ["n"]}), pre(rename={"from": "m", "to": "n"})],
        extensions=source_fields("id: long", "n: long", "m: long"),
        **JSONL,
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted) == [(2, 6)]
    assert failed_rules(result.quarantined, "id") == {"1": ["n_type"]}


def test_keys_that_do_not_fit_are_no_part_of_the_group_of_null(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"g": null, "n": 10}\n{"g": "x", "n": 3}\n{"g": null, "n": 2}\n{"g": "y", "n": 1}\n'
    )
    text = contract(
        ["g: long", "total: long"],
        transformations=[pre(rollup={"group_by": ["g"], "aggregations": {"total": "sum(n)"}})],
        extensions=source_fields("g: long", "n: long"),
        **JSONL,
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted) == [(None, 12)]
    assert rows(result.quarantined, "g", "total") == [("x", "3"), ("y", "1")]
