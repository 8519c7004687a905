"""Columns that a contract does not declare, and names that an operation finds taken (semantics, section 4; transformations)."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, files, rows, table

FIELDS = ["id: long!", "code: string", "twice: long"]
DERIVE = [{"derive": {"field": "twice", "sql": "id * 2"}}]


def put(root: Path, text: str) -> None:
    (root / "in.csv").write_text(text, encoding="utf-8")


def test_dropped_columns_are_read_by_operations_and_not_written(build: Builder, tmp_path: Path) -> None:
    put(tmp_path, "region,id,code,note\nn,1,a,x\ns,2,b,\n")
    steps = [*DERIVE, {"derive": {"field": "place", "sql": "concat(region, code)"}}]
    result = build(contract(FIELDS, transformations=steps, schema_policy={"unknown_fields": "drop"})).run(tmp_path)
    assert rows(result.accepted, "id", "code", "twice", "place") == [(1, "a", 2, "na"), (2, "b", 4, "sb")]
    (written,) = (tmp_path / "out").glob("*.parquet")
    assert set(pl.read_parquet_schema(written)) == {"id", "code", "twice", "place"}


def test_undeclared_columns_pass_through_by_default(build: Builder, tmp_path: Path) -> None:
    put(tmp_path, "region,id,code\nn,1,a\n")
    result = build(contract(FIELDS, transformations=DERIVE)).run(tmp_path)
    assert table(result.accepted).columns == ["id", "code", "twice", "region"]
    assert rows(result.accepted, "id", "region") == [(1, "n")]


@pytest.mark.parametrize(
    ("header", "code", "names"),
    [
        ("id,code,region", "PMDATA100", "region"),
        ("id", "PMDATA101", "code"),
        ("id,Code", "PMDATA101", "Code"),
        ("code", "PMDATA101", "id"),
    ],
)
def test_strict_evolution_takes_the_declared_columns_alone(
    build: Builder, tmp_path: Path, header: str, code: str, names: str
) -> None:
    put(tmp_path, f"{header}\n" + ",".join("1" for _ in header.split(",")) + "\n")
    pipeline = build(contract(FIELDS, transformations=DERIVE, schema_policy={"evolution": "strict"}))
    report = pipeline.fail(tmp_path)
    (found,) = report.diagnostics
    assert found.code == code
    assert f"`{names}`" in f"{found.message} {found.help}"
    assert files(tmp_path) == {"in.csv"}


def test_lookup_into_a_column_of_the_source_takes_its_place(build: Builder, tmp_path: Path) -> None:
    """No match, and a NULL found, give the default; a NULL key never matches."""
    put(tmp_path, "id,code\n1,a\n2,b\n3,zz\n4,\n")
    pl.DataFrame({"k": ["a", "b", None], "v": ["A", None, "X"]}).write_parquet(tmp_path / "ref.parquet")
    lookup = {"field": "code", "reference": "ref", "on": "code", "key": "k", "value": "v", "default_value": "?"}
    text = contract(
        FIELDS,
        transformations=[*DERIVE, {"lookup": lookup}],
        links=[{"name": "ref", "path": "ref.parquet"}],
        extensions={"etlgen.link_fields": {"ref": [{"name": "k", "type": "string"}, {"name": "v", "type": "string"}]}},
    )
    result = build(text).run(tmp_path)
    assert rows(result.accepted, "id", "code") == [(1, "A"), (2, "?"), (3, "?"), (4, "?")]
    assert table(result.accepted).columns == ["id", "code", "twice"]


def test_join_that_brings_a_name_which_the_source_has_too(build: Builder, tmp_path: Path) -> None:
    """At build nobody can know of the undeclared column: it is told before any row is written."""
    put(tmp_path, "id,code,region\n1,a,n\n")
    pl.DataFrame({"k": ["a"], "region": ["Z"]}).write_parquet(tmp_path / "ref.parquet")
    join = {"reference": "ref", "on": "code", "key": "k", "fields": ["region"]}
    text = contract(
        FIELDS,
        transformations=[*DERIVE, {"join": join}],
        links=[{"name": "ref", "path": "ref.parquet"}],
        extensions={
            "etlgen.link_fields": {"ref": [{"name": "k", "type": "string"}, {"name": "region", "type": "string"}]}
        },
    )
    (found,) = build(text).fail(tmp_path).diagnostics
    assert (found.code, found.field, found.help) == ("PMDATA106", "region", "give the join a `prefix`")
    assert files(tmp_path) == {"in.csv", "ref.parquet"}
    put(tmp_path, "id,code\n1,a\n")
    assert rows(build(text).run(tmp_path).accepted, "id", "region") == [(1, "Z")]
