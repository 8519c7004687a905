"""The expected files are real code: both type checkers accept them, they import, and they run with the right results."""

from __future__ import annotations

import ast
import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest

from etlgen_runtime import Profile

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGES = sorted(path.parent for path in HERE.glob("*/*/expected/pipelines/__init__.py"))


@pytest.fixture
def package(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """A generated package imported as ``pipelines``, and forgotten afterwards."""
    folder: Path = request.param
    sys.path.insert(0, str(folder.parent))
    try:
        yield importlib.import_module("pipelines")
    finally:
        sys.path.remove(str(folder.parent))
        for name in [name for name in sys.modules if name.split(".")[0] == "pipelines"]:
            del sys.modules[name]


def case(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("package", [HERE / name / "expected" / "pipelines"], indirect=True, ids=[name])


@pytest.mark.parametrize(
    "package", PACKAGES, indirect=True, ids=lambda path: "/".join(path.relative_to(HERE).parts[:2])
)
def test_every_module_imports(package: ModuleType) -> None:
    folder = Path(str(package.__file__)).parent
    modules = [path.relative_to(folder).with_suffix("").parts for path in folder.rglob("*.py")]
    assert modules
    for parts in modules:
        name = ".".join(["pipelines", *(part for part in parts if part != "__init__")])
        assert importlib.import_module(name).__doc__


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda path: "/".join(path.relative_to(HERE).parts[:2]))
def test_no_any_and_no_import_of_the_generator(folder: Path) -> None:
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert "Any" not in names
        assert not [name for name in modules | imported if name.split(".")[0] == "etlgen"]
        assert ("polars" in imported) == (path.name == "polars_steps.py")


def test_both_type_checkers_accept_the_code_and_refuse_the_wrong_programs() -> None:
    """``tests/typing`` holds the wrong programs; an ignore that is no longer needed is an error."""
    bin_folder = Path(sys.executable).parent
    for command in (
        ["mypy", "--strict", "tests/typing", "tests/golden"],
        ["pyright", "tests/typing", *map(str, PACKAGES)],
    ):
        done = subprocess.run(
            [str(bin_folder / command[0]), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_an_ignore_that_is_not_needed_is_reported(tmp_path: Path) -> None:
    """The guard of the test above guards: a right line with ignores fails under both checkers."""
    program = tmp_path / "program.py"
    program.write_text("x: int = 1  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]\n")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    bin_folder = Path(sys.executable).parent
    mypy = subprocess.run(
        [bin_folder / "mypy", "--strict", "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    pyright = subprocess.run(
        [bin_folder / "pyright", "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "unused-ignore" in mypy.stdout
    assert "reportUnnecessaryTypeIgnoreComment" in pyright.stdout


def run(package: ModuleType, contract: str, root: Path) -> pl.DataFrame:
    """The accepted rows of a run in ``root``."""
    result = importlib.import_module(f"pipelines.{contract}").run(Profile(root=root))
    frame = result.accepted.native
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


@case("texts/hostile")
def test_hostile_texts_are_values(package: ModuleType, tmp_path: Path) -> None:
    """Rules and mappings compare with the characters of the contract, whatever they are."""
    rows = pl.DataFrame(
        {
            "status": ["it's", 'say "hi"', "back\\slash", "new\nline", "{{ 7 * 7 }}", "\u202e", "49", '"""'],
            "note": ['"', "\\", "x", None, '"', '"', '"', '"'],
            "code": ["'", '"', "{}", "\\", '"', '"', '"', '"'],
        }
    )
    (tmp_path / "data").mkdir()
    rows.write_csv(tmp_path / "data" / "te'x\"t.csv", separator="\t")
    accepted = run(package, "texts", tmp_path).sort("status")
    assert set(accepted["status"]) == set(rows["status"]) - {"49", '"""'}
    notes = dict(zip(accepted["status"], accepted["note"], strict=True))
    assert notes == {
        "it's": "'", 'say "hi"': "\n", "back\\slash": "# no", "new\nline": "# no", "{{ 7 * 7 }}": "'", "\u202e": "'"
    }  # fmt: skip
    assert set(accepted["kind"]) == {"it's"}


@case("names/unusual")
def test_unusual_names_reach_the_right_columns(package: ModuleType, tmp_path: Path) -> None:
    names = [
        "class", "class_", "Group By", "group_by", "group-by", "2fast", "é", "数量", "model_config", "copy", "Text",
        "_private", "a'b\"c\\d{e}", "x\ny", "%s {{ 7 * 7 }}",
    ]  # fmt: skip
    (tmp_path / "data").mkdir()
    row = {name: str(number) for number, name in enumerate(names)}
    pl.DataFrame([row, {**row, "Group By": None}, {**row, "group-by": "0"}]).write_csv(tmp_path / "data" / "names.csv")
    for link, value in (("from", "found here"), ("contract", "other there")):
        pl.DataFrame({"key": [5, 6], "value": [value, "wrong"]}).write_parquet(tmp_path / "data" / f"{link}.parquet")
    accepted = run(package, "contract_2fast_group_by", tmp_path)
    (found,) = accepted.to_dicts()
    typed: dict[str, object] = dict(row)
    typed |= {"group-by": 4, "2fast": 5, "数量": 7}
    assert found == {**typed, "found": "found here", "other": "other there"}


@case("names/unusual")
def test_unusual_names_are_aliases_of_the_models(package: ModuleType) -> None:
    models = importlib.import_module("pipelines.contract_2fast_group_by.models")
    row = models.Contract2fastGroupBy.model_validate({"Group By": "g", "class": "c", "class_": "d", "group-by": 2})
    assert (row.group_by_2, row.class_2, row.class_, row.group_by_3) == ("g", "c", "d", 2)
    dumped = json.loads(row.model_dump_json(by_alias=True))
    assert dumped["class"] == "c"
    assert dumped["Group By"] == "g"


@case("project/dependencies")
def test_the_project_runs_in_dependency_order(package: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    pl.DataFrame({"sku": ["a", "b"], "label": ["Apple", "Bean"]}).write_csv(tmp_path / "data" / "products.csv")
    pl.DataFrame({"sku": ["b", "c"], "label": ["x", "y"]}).write_csv(tmp_path / "data" / "sales.csv")
    results = importlib.import_module("pipelines.pipeline").run(Profile(root=tmp_path))
    report = results.a_report.accepted.native.lazy().sort("sku").collect()
    assert report.select("sku", "label").rows() == [("b", "Bean"), ("c", None)]
