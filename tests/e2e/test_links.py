"""Links that are not what the contract says, and extras that are not installed: refused before any row is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, Pipeline, contract, files, rows

from etlgen.cli import main

LINK = {"name": "cities", "path": "cities.csv", "type": "csv"}
LINK_FIELDS = {"etlgen.link_fields": {"cities": [{"name": "code", "type": "long"}, {"name": "city", "type": "string"}]}}
LOOKUP = {"lookup": {"field": "city", "reference": "cities", "on": "id", "key": "code", "value": "city"}}


def looking_up(build: Builder, *, transformation: Any = None, fields: Any = None, **more: Any) -> Pipeline:
    return build(
        contract(
            fields or ["id: long!", "city: string"],
            links=[LINK],
            transformations=[transformation or LOOKUP],
            extensions=LINK_FIELDS,
            **more,
        )
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text("id\n1\n2\n3\n")
    return tmp_path


def only_error(pipeline: Pipeline, root: Path, **more: Any) -> tuple[str, str]:
    before = files(root)
    (diagnostic,) = pipeline.fail(root, **more).diagnostics
    assert files(root) == before
    return diagnostic.code, f"{diagnostic.message} ({diagnostic.help})"


def test_lookup(build: Builder, root: Path) -> None:
    """NULL for a key that is not there; blanks around a number are no part of it."""
    (root / "cities.csv").write_text("code,city\n1,Rome\n 2 ,Oslo\n")
    assert rows(looking_up(build).run(root).accepted) == [(1, "Rome"), (2, "Oslo"), (3, None)]


def test_missing_file(build: Builder, root: Path) -> None:
    code, text = only_error(looking_up(build), root)
    assert code == "PMDATA103"
    assert "`cities.csv` of link `cities` does not exist" in text


def test_asset_that_is_missing(build: Builder, root: Path) -> None:
    (root / "cities.csv").write_text("code,city\n1,Rome\n")
    code, text = only_error(looking_up(build), root, assets={"people.cities": "elsewhere.csv"})
    assert code == "PMDATA103"
    assert "`elsewhere.csv` of link `cities` does not exist" in text
    code, text = only_error(looking_up(build), root, assets={"people": "nowhere.csv"})
    assert code == "PMDATA103"
    assert "`nowhere.csv` of source `people` does not exist" in text


def test_missing_column(build: Builder, root: Path) -> None:
    (root / "cities.csv").write_text("code,town\n1,Rome\n")
    code, text = only_error(looking_up(build), root)
    assert code == "PMDATA106"
    assert "link `cities`: column `city` is missing from its data; it has: code, town" in text


def test_text_that_does_not_fit(build: Builder, root: Path) -> None:
    (root / "cities.csv").write_text("code,city\n1,Rome\nSECRET,Oslo\nx,Bonn\n")
    code, text = only_error(looking_up(build), root)
    assert code == "PMDATA106"
    assert "link `cities`: column `code` holds 2 values that do not fit its declared type" in text
    assert "SECRET" not in text


def test_typed_column_of_another_type(build: Builder, root: Path) -> None:
    pl.DataFrame({"code": [1.5], "city": ["Rome"]}).write_parquet(root / "cities.parquet")
    link = {**LINK, "path": "cities.parquet", "type": "parquet"}
    pipeline = build(
        contract(["id: long!", "city: string"], links=[link], transformations=[LOOKUP], extensions=LINK_FIELDS)
    )
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "column `code` is float64 in its data, declared as int64" in text


def test_key_that_occurs_twice(build: Builder, root: Path) -> None:
    (root / "cities.csv").write_text("code,city\n1,Rome\n2,Oslo\n1,Roma\n,x\n,y\n")
    code, text = only_error(looking_up(build), root)
    assert code == "PMDATA106"
    assert "2 rows of `cities` share a value of the key column `code`; the lookup would multiply rows" in text
    assert "use `join`" in text


def test_undeclared_link_whose_key_has_another_type(build: Builder, root: Path) -> None:
    """Without declared columns the data tell the type, and text is not compared with a number."""
    pl.DataFrame({"code": ["1"], "city": ["Rome"]}).write_parquet(root / "cities.parquet")
    link = {**LINK, "path": "cities.parquet", "type": "parquet"}
    pipeline = build(contract(["id: long!", "city: string"], links=[link], transformations=[LOOKUP]))
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "`id` (int64) cannot be compared with `code` (string) of `cities`" in text


def test_undeclared_link_without_the_key_column(build: Builder, root: Path) -> None:
    pl.DataFrame({"codes": [1], "city": ["Rome"]}).write_parquet(root / "cities.parquet")
    link = {**LINK, "path": "cities.parquet", "type": "parquet"}
    pipeline = build(contract(["id: long!", "city: string"], links=[link], transformations=[LOOKUP]))
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "`code`" in text
    assert "codes" in text


def test_referential_integrity_against_a_key_of_another_type(build: Builder, root: Path) -> None:
    pl.DataFrame({"code": ["1"]}).write_parquet(root / "cities.parquet")
    rule = {"referential_integrity": {"field": "id", "reference": "cities", "key": "code"}}
    link = {**LINK, "path": "cities.parquet", "type": "parquet"}
    pipeline = build(contract(["id: long!"], links=[link], quality={"row_rules": [rule]}))
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "`id_referential_integrity`" in text


def test_referential_integrity_against_a_missing_column(build: Builder, root: Path) -> None:
    pl.DataFrame({"codes": [1]}).write_parquet(root / "cities.parquet")
    rule = {"referential_integrity": {"field": "id", "reference": "cities", "key": "code"}}
    link = {**LINK, "path": "cities.parquet", "type": "parquet"}
    pipeline = build(contract(["id: long!"], links=[link], quality={"row_rules": [rule]}))
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "`code`" in text


def test_malformed_link_names_its_file(build: Builder, root: Path) -> None:
    (root / "cities.csv").write_text("code,city\n1,Rome,x\n")
    code, text = only_error(looking_up(build), root)
    assert code == "PMDATA105"
    assert "`cities.csv`, line 2" in text


WITHOUT_DUCKDB = """
import sys
from pathlib import Path

sys.modules["duckdb"] = None  # as if it were not installed
from importlib import import_module
from etlgen_runtime import Profile, RunFailed

try:
    import_module(sys.argv[1]).run(Profile(root=Path(sys.argv[2])))
except RunFailed as failed:
    print(failed)
"""


def test_sql_over_a_dataset_without_duckdb_names_the_install(build: Builder, root: Path) -> None:
    rule = {"name": "some", "sql": "SELECT count(*) > 0 FROM source"}
    pipeline = build(contract(["id: long!"], quality={"dataset_rules": [rule]}))
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DUCKDB, pipeline.package, str(root)],
        env=build.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "PMPLAN102: dataset rule `some` is SQL, which runs through DuckDB" in done.stdout
    assert "pip install 'etlgen-runtime[duckdb]'" in done.stdout
    assert not (root / "out").exists()


def test_contract_without_fields_is_refused_at_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "etlgen.toml").write_text('package = "nothing_declared"\n')
    (tmp_path / "contracts").mkdir()
    (tmp_path / "contracts" / "people.olc.yaml").write_text(contract([]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["etlgen", "run", "people"])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 2
    assert "CTR-091" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_required_column_has_a_value_in_every_row(build: Builder, root: Path, kind: str) -> None:
    """The key may be NULL, which matches nothing; the city is declared as required."""
    cities = pl.DataFrame({"code": [1, None, 2, 3], "city": ["Rome", "Bern", None, None]})
    write = {"csv": "write_csv", "json": "write_json", "parquet": "write_parquet"}[kind]
    getattr(cities, write)(root / f"cities.{kind}")
    declared = [{"name": "code", "type": "long"}, {"name": "city", "type": "string", "required": True}]
    pipeline = build(
        contract(
            ["id: long!", "city: string"],
            links=[{"name": "cities", "path": f"cities.{kind}", "type": kind}],
            transformations=[LOOKUP],
            extensions={"etlgen.link_fields": {"cities": declared}},
        )
    )
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "link `cities`: column `city` is declared as required and has no value in 2 rows" in text
    getattr(cities.head(2), write)(root / f"cities.{kind}")
    assert rows(pipeline.run(root).accepted) == [(1, "Rome"), (2, None), (3, None)]


def test_text_of_a_parquet_link_that_does_not_fit(build: Builder, root: Path) -> None:
    pl.DataFrame({"code": ["1", "two"], "city": ["Rome", "Oslo"]}).write_parquet(root / "cities.parquet")
    pipeline = build(
        contract(
            ["id: long!", "city: string"],
            links=[{"name": "cities", "path": "cities.parquet", "type": "parquet"}],
            transformations=[LOOKUP],
            extensions=LINK_FIELDS,
        )
    )
    code, text = only_error(pipeline, root)
    assert code == "PMDATA106"
    assert "column `code` holds 1 values that do not fit its declared type" in text
