"""The files of a project: their names, their texts, and that nothing but the plans shapes them."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.emit.hand_built_plans import FIELDS, orders_plan, small_plan

from etlgen.diagnostics.model import ContractError
from etlgen.emit import build_project, is_untouched
from etlgen.expr import Call, Column, Literal
from etlgen.plan import FilterRows, Section
from etlgen_runtime.types import BOOLEAN, STRING

ROOT = Path(__file__).parents[3]
CONTRACT_FILES = {
    "__init__.py", "checks.py", "contract.py", "models.py", "pipeline.py", "polars_steps.py", "transformations.py"
}  # fmt: skip


def test_each_contract_is_a_package_and_the_project_has_its_own_modules() -> None:
    paths = set(build_project([orders_plan(), small_plan("returns", FIELDS[:2])], package="pipes"))
    packages = {f"pipes/{name}/{file}" for name in ("orders", "returns") for file in CONTRACT_FILES}
    assert paths == packages | {"pipes/__init__.py", "pipes/pipeline.py", "pipes/py.typed"}


def test_every_module_is_sealed_parses_and_names_its_contract() -> None:
    for path, text in build_project([orders_plan()], package="pipes").items():
        if path.endswith(".py"):
            assert is_untouched(text)
            assert ast.get_docstring(ast.parse(text))
            origin = "contracts/orders.olc.yaml" if "/orders/" in path else "the contracts of the project"
            assert f" from {origin}; do not edit." in text.splitlines()[0]


def test_run_shows_nine_numbered_steps() -> None:
    text = build_project([orders_plan()], package="pipes")["pipes/orders/pipeline.py"]
    numbers = [
        line.strip().split(" ")[1] for line in text.splitlines() if line.strip().startswith("# ") and " · " in line
    ]
    assert numbers == [str(number) for number in range(1, 10)]


def test_only_links_that_a_section_reads_are_its_inputs() -> None:
    text = build_project([orders_plan()], package="pipes")["pipes/orders/transformations.py"]
    prepare, enrich = text.split("class EnrichOrders")
    assert "Input[Countries]" in enrich
    assert "Input[Countries]" not in prepare


def test_the_order_of_contracts_does_not_show() -> None:
    plans = [orders_plan(), small_plan("returns", FIELDS[:2]), small_plan("Re turns", FIELDS[:2])]
    assert build_project(plans, package="pipes") == build_project(plans[::-1], package="pipes")


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_hash_seed_and_folder_give_the_same_bytes(seed: str, tmp_path: Path) -> None:
    program = (
        "import hashlib; from tests.unit.emit.hand_built_plans import orders_plan; from etlgen.emit import build_project; "
        "print(hashlib.sha256(repr(sorted(build_project([orders_plan()], package='pipes').items())).encode()).hexdigest())"
    )
    path = os.pathsep.join([str(ROOT), *sys.path])
    found = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": path, "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    from hashlib import sha256

    here = sha256(repr(sorted(build_project([orders_plan()], package="pipes").items())).encode()).hexdigest()
    assert found.stdout.strip() == here


def test_a_user_s_ruff_configuration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = build_project([orders_plan()], package="pipes")
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\nline-length = 60\nindent-width = 2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert build_project([orders_plan()], package="pipes") == expected


def test_two_contracts_of_one_name_are_refused() -> None:
    with pytest.raises(ContractError) as caught:
        build_project([orders_plan(), orders_plan()], package="pipes")
    assert [d.code for d in caught.value.diagnostics] == ["GEN-008"]


def test_names_that_differ_only_as_modules_get_numbers() -> None:
    plans = [small_plan(name, FIELDS[:1]) for name in ("Re-turns", "re_turns", "pipeline")]
    folders = {path.split("/")[1] for path in build_project(plans, package="pipes") if path.count("/") == 2}
    assert folders == {"re_turns", "re_turns_2", "pipeline_2"}


TABLES = [
    "result",
    "rows",
    "pl",
    "field",
    "contract",
    "source",
    "run",
    "input",
    "type",
    "print",
    "str",
    "list",
    "lambda",
    "models",
    "checks",
    "dataset",
    "datasets",
    "text",
    "literal",
    "annotated",
    "profile",
    "callbacks",
    "country",
    "countries",
    "country_row",
    "rule",
    "link",
    "polars_steps",
    "frame",
    "fn",
    "none",
    "self",
    "cls",
    "etlgen_runtime",
    "output",
    "steps",
    "order",
]


def test_tables_named_like_what_generated_code_uses_give_code_that_imports(tmp_path: Path) -> None:
    plan = orders_plan()
    plans = [replace(plan, contract=replace(plan.contract, name=name)) for name in TABLES]
    for path, text in build_project(plans, package="oddly_named").items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    modules = [path.relative_to(tmp_path).with_suffix("") for path in tmp_path.rglob("*.py")]
    program = "\n".join(f"import {'.'.join(path.parts)}" for path in modules if path.name != "__init__")
    program += "\nimport oddly_named.pipeline as p; print(len(p.Results.__dataclass_fields__))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == str(len(TABLES)), done.stderr


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ContractError) as caught:
        build_project([orders_plan()], package="pipes", engines=("pandas",))
    (problem,) = caught.value.diagnostics
    assert problem.code == "PMPLAN101"
    assert "polars" in problem.expected


def test_what_an_engine_cannot_say_stops_the_build() -> None:
    plan = orders_plan()
    odd = Call("soundex", (Column("email", STRING), Literal("x", STRING)), BOOLEAN)
    first = replace(plan.pre.operations[0], relations=(FilterRows(odd),))
    with pytest.raises(ContractError) as caught:
        build_project([replace(plan, pre=Section("pre", (first,)))], package="pipes")
    assert [d.code for d in caught.value.diagnostics] == ["GEN-018"]
    assert "soundex" in caught.value.diagnostics[0].message
