"""What the smaller commands print, and what a plan says first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.cli.sample import Etlgen

from etlgen.version import VERSION

COUNTRIES = """\
links: [{ name: countries, path: countries.csv, type: csv }]
"""
JOIN = "  - join: { reference: countries, on: qty, key: code, fields: [zone], type: left }\n"


def change(project: Path, old: str, new: str) -> None:
    path = project / "contracts" / "orders.olc.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_version(etlgen: Etlgen) -> None:
    done = etlgen("--version")
    assert (done.code, done.out) == (0, f"etlgen {VERSION}\n")


def test_doctor_as_json(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("doctor", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert all(set(one) == {"check", "ok", "found", "help"} for one in found)
    assert [one["found"] for one in found if one["check"] == "configuration"] == ["etlgen.toml"]


def test_doctor_of_a_broken_configuration_goes_on_to_say_so(project: Path, etlgen: Etlgen) -> None:
    (project / "etlgen.toml").write_text("package = 3\n", encoding="utf-8")
    done = etlgen("doctor", "--json")
    (found,) = (one for one in json.loads(done.out) if one["check"] == "configuration")
    assert (done.code, found["ok"]) == (1, False)
    assert "package" in found["found"]


def test_run_on_a_named_engine_takes_the_place_of_the_profile(project: Path, etlgen: Etlgen) -> None:
    done = etlgen("run", "orders", "--engine", "polars", "--json")
    assert done.code == 0
    (report,) = json.loads(done.out)
    assert report["engine"] == "polars"


@pytest.mark.parametrize(
    ("old", "new", "risk"),
    [
        ("quarantine: {", "quarantine: { enabled: false,", "quarantine is disabled: one bad row fails the run"),
        ("quarantine:", "quality: { enforce_required: false }\nquarantine:", "required fields are not enforced"),
        (
            "format: csv }",
            "format: csv, post_ingestion: { action: delete } }",
            "the input is deleted after publication",
        ),
    ],
)
def test_risks_of_a_contract_are_printed_first(project: Path, etlgen: Etlgen, old: str, new: str, risk: str) -> None:
    change(project, old, new)
    text, record = etlgen("plan", "orders"), etlgen("plan", "orders", "--format", "json")
    assert (text.code, record.code) == (0, 0)
    assert risk in text.out
    assert text.out.index(risk) < text.out.index("source")
    assert [one for one in json.loads(record.out)["risks"] if one.startswith(risk)] != []
    change(project, new, old)
    assert risk not in etlgen("plan", "orders").out


def test_join_may_multiply_rows_and_its_link_is_named(project: Path, etlgen: Etlgen) -> None:
    types = "extensions:\n  etlgen.link_fields:\n    countries: [{ name: code, type: integer }, { name: zone, type: string }]\n"
    change(project, "materialization:", f"{JOIN}{COUNTRIES}{types}materialization:")
    text = etlgen("plan", "orders").out
    assert "join #2 may multiply rows: a key may occur several times in the link" in text
    assert "links: countries" in text
    (link,) = json.loads(etlgen("plan", "orders", "--format", "json").out)["links"]
    assert (link["name"], link["path"]) == ("countries", "countries.csv")


def test_dataset_rules_in_sql_are_no_native_ones(project: Path, etlgen: Etlgen) -> None:
    rules = (
        "quality: { dataset_rules: [{ name: some, sql: sum(qty), must_be_between: [1, 90] }, { unique: order_id }] }\n"
    )
    change(project, "quarantine:", f"{rules}quarantine:")
    done = etlgen("plan", "orders")
    assert "dataset rules in SQL run through DuckDB" in done.out
    assert "must be >= 1 and <= 90" in done.out
    checks = json.loads(etlgen("plan", "orders", "--format", "json").out)["dataset_checks"]
    found = {one["name"]: one["native"] for one in checks}
    assert found == {"some": False, "order_id_unique": True}


def test_file_of_several_contracts_is_asked_for_one(project: Path, etlgen: Etlgen) -> None:
    objects = "".join(
        f"- {{ name: {name}, properties: [{{ name: a, logicalType: string }}] }}\n" for name in ("first", "second")
    )
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: x\nversion: '1'\nstatus: active\nschema:\n"
    (project / "contracts" / "two.odcs.yaml").write_text(head + objects, encoding="utf-8")
    done = etlgen("plan", "contracts/two.odcs.yaml")
    assert done.code == 2
    assert "error[GEN-014]: `contracts/two.odcs.yaml` holds several contracts" in done.err
    assert "one of first, second" in done.err


def test_changed_template_makes_the_output_stale(project: Path, etlgen: Etlgen) -> None:
    config = project / "etlgen.toml"
    config.write_text(config.read_text(encoding="utf-8") + 'templates = "own"\n', encoding="utf-8")
    template = project / "own" / "project.py.jinja"
    template.parent.mkdir()
    template.write_text("ONE = 1\n", encoding="utf-8")
    assert etlgen("build").code == 0
    assert etlgen("build", "--check").code == 0
    template.write_text("TWO = 2\n", encoding="utf-8")
    stale = etlgen("build", "--check")
    assert stale.code == 1
    assert "-ONE = 1" in stale.out
    assert "+TWO = 2" in stale.out


def test_table_of_settings_is_a_table(project: Path, etlgen: Etlgen) -> None:
    (project / "etlgen.toml").unlink()
    (project / "pyproject.toml").write_text("[tool]\netlgen = 3\n", encoding="utf-8")
    done = etlgen("lint")
    assert done.code == 2
    assert "error[GEN-004]: `tool.etlgen` is not a table" in done.err
    assert "write `[tool.etlgen]`" in done.err


def test_generated_module_that_is_no_python_is_named(project: Path, etlgen: Etlgen) -> None:
    """The engine's steps are loaded when the pipeline runs."""
    assert etlgen("build").code == 0
    (steps,) = project.glob("*/orders/polars_steps.py")
    steps.write_text("def broken(:\n", encoding="utf-8")
    done = etlgen("run", "orders")
    assert done.code in (1, 2)
    assert "polars_steps" in done.err


def test_conformance_run_prints_its_outcomes_and_exits_by_them(tmp_path: Path, etlgen: Etlgen) -> None:
    case = tmp_path / "cases" / "one"
    case.mkdir(parents=True)
    (case / "case.yaml").write_text(
        "id: ONE\nspec_version: '1'\nlevel: core-runtime\nfeature: schema\ndescription: one row\n"
        "input: input.jsonl\nexpected: { accepted: accepted.jsonl }\n",
        encoding="utf-8",
    )
    (case / "contract.olc.yaml").write_text(
        "version: 1.0.0\ninfo: { title: T, table_name: t }\nmodel: { fields: [{ name: a, type: long }] }\n",
        encoding="utf-8",
    )
    (case / "input.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    (case / "accepted.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    right = etlgen("conformance", "run", str(tmp_path), "--engine", "polars", "--json")
    assert right.code == 0
    assert [(one["id"], one["outcome"]) for one in json.loads(right.out)["results"]] == [("ONE", "PASS")]
    (case / "accepted.jsonl").write_text('{"a": 2}\n', encoding="utf-8")
    wrong = etlgen("conformance", "run", str(tmp_path), "--engine", "polars")
    assert wrong.code == 1
    assert "FAIL" in wrong.out
