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


def digest_elsewhere(folder: Path, seed: str) -> str:
    """A hash of all that a process of its own generates, in ``folder``, with a hash seed."""
    program = (
        "import hashlib; from tests.unit.emit.hand_built_plans import orders_plan; from etlgen.emit import build_project; "
        "print(hashlib.sha256(repr(sorted(build_project([orders_plan()], package='pipes').items())).encode()).hexdigest())"
    )
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
            "PATH": os.environ["PATH"],
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_another_hash_seed_and_folder_give_the_same_bytes(tmp_path: Path) -> None:
    assert len({digest_elsewhere(tmp_path / seed, seed) for seed in ("0", "1", "2")}) == 1


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
    "orders",
    "orders_result",
    "result_",
    "results",
    "run_result",
    "order_row",
    "orders_row",
    "annotations",
    "development",
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


def test_the_project_runs_its_contracts_whatever_they_are_called(tmp_path: Path) -> None:
    """Each contract answers with its name, so what ``run`` gives shows which package it called."""
    names = ["orders", "orders_result", "order", "order_row", "orders_row", "results", "callbacks", "profile"]
    text = build_project([small_plan(name, FIELDS[:1]) for name in names], package="called")["called/pipeline.py"]
    (tmp_path / "called").mkdir()
    (tmp_path / "called" / "__init__.py").touch()
    (tmp_path / "called" / "pipeline.py").write_text(text, encoding="utf-8")
    imported = [node for node in ast.parse(text).body if isinstance(node, ast.ImportFrom) and node.level]
    for node in imported:
        if node.module is not None:
            package, _ = node.module.split(".")
            (tmp_path / "called" / package).mkdir()
            module = f"{node.names[0].name} = str\n"
            (tmp_path / "called" / package / "models.py").write_text(module, encoding="utf-8")
            own = f"def run(profile, *, callbacks):\n    return {package!r}\n"
            (tmp_path / "called" / package / "__init__.py").write_text(own, encoding="utf-8")
    program = "import called.pipeline as p, dataclasses; print(dataclasses.asdict(p.run()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    found = ast.literal_eval(done.stdout)
    assert found == {name: name for name in found}
    assert len(found) == len(names)
    aliases = {alias.asname or alias.name for node in imported if node.module for alias in node.names}
    assert len(aliases) == len(names)
    assert not any("_" in alias for alias in aliases)


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
    (problem,) = caught.value.diagnostics
    assert problem.code == "GEN-018"
    assert "soundex" in problem.message
    assert problem.at == first.at  # no SQL says it: the operation
