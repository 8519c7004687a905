"""What an import loads: looked up in a fresh process, because ours has loaded everything already."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

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
    "module", ["etlgen.read", "etlgen.resolve", "etlgen.emit", "etlgen.workspace", "etlgen.conformance"]
)
def test_no_stage_of_the_generator_loads_an_engine(module: str) -> None:
    assert loaded_by(f"import {module}") & ENGINES == set()


@pytest.mark.parametrize("module", ["etlgen_runtime.crossing", "etlgen_runtime.engines.duckdb"])
def test_the_core_finds_the_engine_of_queries_by_name(module: str) -> None:
    assert loaded_by(f"import {module}") & ENGINES == set()


def test_the_polars_engine_loads_no_other_engine() -> None:
    assert loaded_by("import etlgen_runtime.engines.polars") & {"duckdb", "pyspark", "deltalake", "etlgen"} == set()
