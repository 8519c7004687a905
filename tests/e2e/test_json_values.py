"""Values of declared JSON columns in whole runs: one row never decides another, and every spelling is kept.

Expected values follow from materialization, Sources ("JSON is typed value by value") and semantics, sections 4 and 6.
"""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, table

from etlgen_runtime import RunResult

Verdict = tuple[str, object]
"""``("good", value)`` or ``("bad", text in the quarantine)``."""


def run(build: Builder, root: Path, type_: str, values: list[str]) -> RunResult[Any]:
    (root / "in.jsonl").write_text("".join(f'{{"id":{n},"v":{value}}}\n' for n, value in enumerate(values)))
    return build(contract(["id: long!", f"v: {type_}"], path="in.jsonl")).run(root)


def verdicts(result: RunResult[Any]) -> dict[int, Verdict]:
    good = {key: ("good", value) for key, value in table(result.accepted).select("id", "v").rows()}
    bad = {int(key): ("bad", text) for key, text in table(result.quarantined).select("id", "v").rows()}
    assert not good.keys() & bad.keys()
    return {**good, **bad}


@pytest.mark.parametrize("beside", ["null", "5", '"x"', "0.12345678901234567890", "1.10", "true", "1.5", "[0]"])
@pytest.mark.parametrize(
    ("type_", "value", "verdict"),
    [
        ("long", "1e3", ("good", 1000)),
        ("long", "1.50", ("bad", "1.50")),
        ("long", '"1e3"', ("bad", "1e3")),
        ("string", "1", ("good", "1")),
        ("string", "1.10", ("good", "1.10")),
        ("string", "1e3", ("good", "1e3")),
        ("double", "9007199254740993", ("bad", "9007199254740993")),
        ("double", "9007199254740992", ("good", 9007199254740992.0)),
        ("boolean", "0.0", ("good", False)),
        ("boolean", "2", ("bad", "2")),
        ("decimal(5,2)", "1.00", ("good", Decimal("1.00"))),
        ("decimal(5,2)", "1.005", ("bad", "1.005")),
        ("date", '"2024-01-31"', ("good", dt.date(2024, 1, 31))),
        ("date", "20240131", ("bad", "20240131")),
    ],
)
def test_the_verdict_on_a_value(
    build: Builder, tmp_path: Path, type_: str, value: str, verdict: Verdict, beside: str
) -> None:
    for values, place in (([value], 0), ([value, beside], 0), ([beside, value], 1)):
        assert verdicts(run(build, tmp_path, type_, values))[place] == verdict


FIELDS = ["id: long!", "n: decimal(5,2)", "k: long", "f: double", "b: boolean", "d: date", "s: string", "j: json"]
ROW = (
    '{"id": 1, "n": 1.0, "k": 2E1, "f": 1.50e0, "b": 1, "d": "2024-01-31T00:00:00", "s": "1", '
    '"j": {"z": [1.00, 1e400], "a": "\\u00e9"}, "u": "é\\n\\"", "w": 7}'
)
TEXTS = {
    "id": "1", "n": "1.0", "k": "2E1", "f": "1.50e0", "b": "1", "d": "2024-01-31T00:00:00", "s": "1",
    "j": '{"a":"é","z":[1.00,1e400]}', "u": 'é\n"', "w": "7",
}  # fmt: skip
RAW = (
    '{"b":1,"d":"2024-01-31T00:00:00","f":1.50e0,"id":1,"j":{"a":"é","z":[1.00,1e400]},"k":2E1,"n":1.0,"s":"1",'
    '"u":"é\\n\\"","w":7}'
)


def refused(build: Builder, root: Path, **sections: Any) -> dict[str, Any]:
    """The quarantined row of :data:`ROW`, which passes every cast and fails one rule."""
    (root / "in.jsonl").write_text(ROW + "\n")
    quality = {"row_rules": [{"name": "never", "sql": "id <> 1"}]}
    result = build(contract(FIELDS, path="in.jsonl", quality=quality, **sections)).run(root)
    (row,) = table(result.quarantined).rows(named=True)
    assert [error["rule"] for error in row["_etlgen_errors"]] == ["never"]
    return row


def texts(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("_etlgen")}


@pytest.mark.parametrize(
    "filler", ["", '{"id": 2}', '{"id": "x", "n": true, "k": "x", "f": [], "b": {}, "s": 5, "j": 1}']
)
def test_a_bad_row_shows_the_spelling_of_values_that_fit(build: Builder, tmp_path: Path, filler: str) -> None:
    (tmp_path / "in.jsonl").write_text(ROW + "\n" + filler)
    quality = {"row_rules": [{"name": "never", "sql": "id <> 1"}]}
    result = build(contract(FIELDS, path="in.jsonl", quality=quality)).run(tmp_path)
    row = next(row for row in table(result.quarantined).rows(named=True) if row["id"] == "1")
    assert texts(row) == TEXTS
    assert (row["_etlgen_raw"], row["_etlgen_raw_step"]) == (RAW, 1)


def test_what_an_operation_of_step_2_replaced_is_shown_as_it_is_now(build: Builder, tmp_path: Path) -> None:
    """``n`` and ``k`` are other values after step 2; ``f`` is rewritten to what it was."""
    steps = [
        {"derive": {"field": "n", "sql": "n + 1.5"}, "phase": "pre"},
        {"derive": {"field": "k", "sql": "k + 1"}, "phase": "pre"},
        {"derive": {"field": "f", "sql": "f"}, "phase": "pre"},
    ]
    row = refused(build, tmp_path, transformations=steps)
    assert texts(row) == TEXTS | {"n": "2.50", "k": "21"}
    assert (row["_etlgen_raw"], row["_etlgen_raw_step"]) == (RAW, 1)


def test_the_raw_row_of_step_3(build: Builder, tmp_path: Path) -> None:
    """After an operation over several rows the raw row is the one that entered step 3. A date and an interval are a timestamp."""
    steps = [
        {"derive": {"field": "n", "sql": "n + 1.5"}, "phase": "pre"},
        {"derive": {"field": "d", "sql": "d + INTERVAL 1 DAY"}, "phase": "pre"},
        {"deduplicate": {"on": ["id"], "sort_by": ["k"], "order": "desc"}, "phase": "pre"},
    ]
    row = refused(build, tmp_path, transformations=steps)
    assert texts(row) == TEXTS | {"n": "2.50", "d": "2024-02-01T00:00:00"}
    assert row["_etlgen_raw_step"] == 3
    assert row["_etlgen_raw"] == RAW.replace('"n":1.0', '"n":2.50').replace("2024-01-31T", "2024-02-01T")


def test_step_2_sees_the_declared_types(build: Builder, tmp_path: Path) -> None:
    """Text in the file, a date and a number in the operations; what did not fit is NULL there and the row is bad."""
    lines = ['{"id": 1, "d": "2024-01-31", "k": "7"}', '{"id": 2, "d": "31.1.2024", "k": 1.0}', '{"id": 3, "d": null}']
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    steps = [
        {"derive": {"field": "y", "sql": "year(d)"}, "phase": "pre"},
        {"derive": {"field": "k", "sql": "coalesce(k, 40) + 1"}, "phase": "pre"},
    ]
    text = contract(["id: long!", "d: date", "k: long", "y: long"], path="in.jsonl", transformations=steps)
    result = build(text).run(tmp_path)
    assert table(result.accepted).select("id", "y", "k").sort("id").rows() == [(1, 2024, 8), (3, None, 41)]
    (bad,) = table(result.quarantined).rows(named=True)
    assert (bad["id"], bad["d"], bad["k"]) == ("2", "31.1.2024", "2")
    assert [error["rule"] for error in bad["_etlgen_errors"]] == ["d_type"]
    assert json.loads(bad["_etlgen_raw"]) == {"id": 2, "d": "31.1.2024", "k": 1.0}


def test_an_operation_that_removes_rows_keeps_what_does_not_fit(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": 1, "k": "x"}\n{"id": 2, "k": 7.0}\n{"id": 3, "k": 1}\n{"id": 4}\n')
    steps = [{"filter": {"sql": "k > 5"}, "phase": "pre"}]
    result = build(contract(["id: long!", "k: long"], path="in.jsonl", transformations=steps)).run(tmp_path)
    assert table(result.accepted).rows() == [(2, 7)]
    assert table(result.quarantined).select("id", "k").rows() == [("1", "x")]


def test_a_file_without_rows_has_the_declared_types(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text("")
    steps = [{"derive": {"field": "y", "sql": "year(d)"}, "phase": "pre"}]
    result = build(contract(["id: long!", "d: date", "y: long"], path="in.jsonl", transformations=steps)).run(tmp_path)
    assert table(result.accepted).schema == {"id": pl.Int64, "d": pl.Date, "y": pl.Int64}


def test_date_formats_of_the_contract(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "d": "31/01/2024"}\n{"id": 2, "d": "2024-02-01"}\n{"id": 3, "d": 3}\n'
    )
    formats = {"etlgen.fields": {"d": {"date_formats": ["%d/%m/%Y"]}}}
    result = build(contract(["id: long!", "d: date"], path="in.jsonl", extensions=formats)).run(tmp_path)
    assert table(result.accepted).sort("id")["d"].to_list() == [dt.date(2024, 1, 31), dt.date(2024, 2, 1)]
    assert table(result.quarantined)["d"].to_list() == ["3"]


def test_several_files_are_as_one(build: Builder, tmp_path: Path) -> None:
    """One file lacks the column, in each of the others it would be of another kind."""
    values = {1: "1e3", 2: '"x"', 3: "0.12345678901234567890", 4: "true", 5: "9007199254740993"}
    (tmp_path / "in").mkdir()
    for key, value in values.items():
        (tmp_path / "in" / f"{key}.jsonl").write_text(f'{{"id": {key}, "v": {value}}}\n')
    (tmp_path / "in" / "6.jsonl").write_text('{"id": 6}\n')
    source = {"pattern": "*.jsonl", "format": "jsonl"}
    result = build(contract(["id: long!", "v: long"], path="in", source=source)).run(tmp_path)
    assert dict(table(result.accepted).select("id", "v").rows()) == {1: 1000, 5: 9007199254740993, 6: None}
    bad = table(result.quarantined).sort("id").select("id", "v", "_etlgen_raw", "_etlgen_source").rows()
    assert bad == [
        ("2", "x", '{"id":2,"v":"x"}', "in/2.jsonl"),
        ("3", "0.12345678901234567890", '{"id":3,"v":0.12345678901234567890}', "in/3.jsonl"),
        ("4", "true", '{"id":4,"v":true}', "in/4.jsonl"),
    ]


def test_sensitive_values_are_protected(build: Builder, tmp_path: Path) -> None:
    fields: list[Any] = ["id: long!", {"name": "v", "type": "long", "sensitive": True}, "n: long"]
    (tmp_path / "in.jsonl").write_text('{"id": 1, "v": "S3CR3T", "n": 1.0}\n{"id": 2, "v": null, "n": "x"}\n')
    result = build(contract(fields, path="in.jsonl")).run(tmp_path)
    found = table(result.quarantined).sort("id").select("v", "_etlgen_raw").rows()
    assert found == [
        ("[redacted]", '{"id":1,"n":1.0,"v":"[redacted]"}'),
        (None, '{"id":2,"n":"x","v":null}'),
    ]


def test_names_that_read_as_patterns(build: Builder, tmp_path: Path) -> None:
    names = ["*", "^v.*$", 'a"b', "é"]
    row = {name: number for number, name in enumerate(names)}
    (tmp_path / "in.jsonl").write_text(json.dumps(row | {"*": "x"}) + "\n")
    fields = [{"name": name, "type": "long"} for name in names]
    steps = [{"derive": {"field": "é", "sql": '"é" + 1'}, "phase": "pre"}]
    result = build(contract(fields, path="in.jsonl", transformations=steps)).run(tmp_path)
    (bad,) = table(result.quarantined).rows(named=True)
    assert texts(bad) == {"*": "x", "^v.*$": "1", 'a"b': "2", "é": "4"}
    assert json.loads(bad["_etlgen_raw"]) == row | {"*": "x"}


def with_link(build: Builder, root: Path, link: str, name: str) -> Any:
    (root / "in.csv").write_text("id,ref\n1,1000\n2,7\n3,8\n")
    (root / name).write_text(link)
    fields = [{"name": "key", "type": "long"}, {"name": "label", "type": "string"}, {"name": "since", "type": "date"}]
    lookups = [
        {"lookup": {"field": each, "reference": "ref", "on": "ref", "key": "key", "value": each}}
        for each in ("label", "since")
    ]
    return build(
        contract(
            ["id: long!", "ref: long", "label: string", "since: date"],
            links=[{"name": "ref", "path": name, "type": name.rpartition(".")[2]}],
            extensions={"etlgen.link_fields": {"ref": fields}},
            transformations=lookups,
        )
    )


def test_a_link_is_read_value_by_value(build: Builder, tmp_path: Path) -> None:
    link = '[{"key": 1e3, "label": 1, "since": "2024-01-31"}, {"key": "7", "label": 1.10}, {"key": 8, "label": true}]'
    result = with_link(build, tmp_path, link, "ref.json").run(tmp_path)
    assert table(result.accepted).sort("id").select("label", "since").rows() == [
        ("1", dt.date(2024, 1, 31)),
        ("1.10", None),
        ("true", None),
    ]


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ('"key": 1.5, "since": null', "key"),
        ('"key": true, "since": null', "key"),
        ('"key": 1, "since": "31.1.2024"', "since"),
        ('"key": 1, "since": 20240131', "since"),
    ],
)
def test_a_link_with_a_value_that_does_not_fit(build: Builder, tmp_path: Path, values: str, column: str) -> None:
    """Reference data have no quarantine."""
    link = '{"key": 7, "label": "a", "since": "2024-01-31"}\n{"label": "b", ' + values + "}\n"
    (error,) = with_link(build, tmp_path, link, "ref.jsonl").fail(tmp_path).diagnostics
    assert (error.code, error.field) == ("PMDATA106", column)
    assert "holds 1 values that do not fit its declared type" in error.message
