"""What an import loads: looked up in a fresh process, because ours has loaded everything already."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import etlgen_runtime

ENGINES = {"polars", "duckdb", "pyspark", "deltalake", "pyarrow", "pandas", "numpy"}
GENERATING = {"sqlglot", "datamodel_code_generator", "jinja2", "libcst", "jsonschema", "pydantic", "black", "olc"}


def loaded_by(statement: str) -> set[str]:
    """Top-level modules after a statement in a new interpreter."""
    code = f"import sys, json\n{statement}\nprint(json.dumps(sorted({{m.split('.')[0] for m in sys.modules}})), file=sys.stderr)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(process.stderr.splitlines()[-1]))


def test_importing_the_generator_loads_neither_an_engine_nor_what_generates() -> None:
    assert loaded_by("import etlgen") & (ENGINES | GENERATING) == set()


def test_help_loads_neither_an_engine_nor_what_generates() -> None:
    statement = (
        "sys.argv = ['etlgen', '--help']\n"
        "from etlgen.cli import main\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code"
    )
    assert loaded_by(statement) & (ENGINES | GENERATING | {"rich", "yaml"}) == set()


@pytest.mark.parametrize(
    "module", ["etlgen_runtime", "etlgen_runtime.run", "etlgen_runtime.profile", "etlgen_runtime.engine"]
)
def test_the_core_of_the_runtime_loads_no_engine_and_no_generator(module: str) -> None:
    assert loaded_by(f"import {module}") & (ENGINES | GENERATING - {"pydantic"} | {"etlgen"}) == set()


@pytest.mark.parametrize(
    "module", ["etlgen.read", "etlgen.resolve", "etlgen.emit", "etlgen.write", "etlgen.conformance"]
)
def test_no_stage_of_the_generator_loads_an_engine(module: str) -> None:
    assert loaded_by(f"import {module}") & ENGINES == set()


@pytest.mark.parametrize("module", ["etlgen_runtime.crossing", "etlgen_runtime.engines.duckdb"])
def test_the_core_finds_the_engine_of_queries_by_name(module: str) -> None:
    assert loaded_by(f"import {module}") & ENGINES == set()


def test_the_polars_engine_loads_no_other_engine() -> None:
    assert loaded_by("import etlgen_runtime.engines.polars") & {"duckdb", "pyspark", "deltalake", "etlgen"} == set()


RUNTIME = Path(etlgen_runtime.__file__).parent
ALLOWED = {*sys.stdlib_module_names, "pydantic", "pydantic_core", "typing_extensions", "etlgen_runtime"}


def imported_by(path: Path) -> set[str]:
    """Top-level modules of every import statement of a file, also those inside functions."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0}
    return {name.partition(".")[0] for name in plain | named}


def test_the_core_of_the_runtime_imports_pydantic_and_the_standard_library_alone() -> None:
    core = [path for path in RUNTIME.rglob("*.py") if path.relative_to(RUNTIME).parts[0] != "engines"]
    assert len(core) > 20
    foreign = {path.name: imported_by(path) - ALLOWED for path in core if imported_by(path) - ALLOWED}
    assert foreign == {}


def test_an_engine_imports_its_own_library_beside_that() -> None:
    own = {"polars": {"polars"}, "duckdb": {"duckdb"}}
    for folder in (path for path in (RUNTIME / "engines").iterdir() if (path / "__init__.py").is_file()):
        for path in folder.rglob("*.py"):
            assert imported_by(path) - ALLOWED <= own[folder.name], path


def test_every_package_says_what_its_folder_is_for() -> None:
    for top in (RUNTIME, RUNTIME.parents[1] / "codegen" / "etlgen"):
        for path in top.rglob("__init__.py"):
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


@pytest.mark.parametrize("package", ["etlgen", "etlgen_runtime"])
def test_no_modules_import_one_another_in_a_ring(package: str) -> None:
    """Also not through the ``__init__`` of a package, which import-linter's contract of siblings does not see."""
    graph = grimp.build_graph(package)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert set(TopologicalSorter(imports).static_order()) == graph.modules  # a ring raises CycleError
