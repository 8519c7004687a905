"""Whatever tables, links, columns and rules are called: no name hides another in any generated module, which imports and type-checks."""

from __future__ import annotations

import ast
import builtins
import importlib
import keyword
import os
import subprocess
import sys
import typing
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

import pytest
from tests.e2e.packages import contract

import etlgen_runtime
from etlgen.emit import build_project
from etlgen.read import read_text
from etlgen.resolve import resolve

ROOT = Path(__file__).parents[2]
PROJECT = "names_in_modules"

ODD = [
    *ascii_lowercase, *ascii_uppercase, "e1", "A1", "p1", "p_1", "p 1", "P1", "x2y", "1", "2fast", "é", "数量", "-", "_", "a b", "a-b",
    *keyword.kwlist, *keyword.softkwlist, *dir(builtins), *typing.__all__, *etlgen_runtime.__all__,
    "SOURCE", "CONTRACT", "TARGET", "TYPED", "OUTPUT", "PRE_RULES", "POST_RULES", "DEVELOPMENT", "STEPS", "BOOKKEEPING", "WHITESPACE",
    "fn", "pl", "dt", "polars", "functions", "frames", "rows", "decimal", "Decimal", "replace", "lambda", "pre_predicates", "link_filters",
    "contract", "checks", "models", "model", "transformations", "pipeline", "polars_steps", "result", "results", "profile", "callbacks",
    "self", "cls", "annotations", "BaseModel", "RootModel", "ConfigDict", "ContractModel", "field", "Text", "string", "manifest",
    "require_runtime", "dataclass", "dataclasses", "prepare_a", "enrich_a", "PrepareA", "EnrichA", "a_typed", "ATyped", "APublished",
    "a_link", "ALink", "country", "countries", "country_row", "callback_row", "results_row", "init", "main", "py", "etlgen", "con", "nul",
]  # fmt: skip
"""Letters, letters with digits, case twins, keywords, builtins, names of `typing`, of the runtime and of generated modules."""


TABLES = [
    "p_1", "l", "E", "A1", "raw", "prepared", "typed", "checked", "good", "enriched", "output", "accepted", "run", "given", "profile",
    "callbacks", "result", "inputs", "input_names", "output_names", "self", "cls", "clock", "as_of", "pl", "dt", "fn", "rows", "frames",
    "replace", "decimal", "class", "lambda", "country", "countries", "country_row", "results", "require_runtime", "Text", "Link", "Run",
    "Schema", "links", "Prepare", "a_typed", "数量", "-", "con",
]  # fmt: skip
"""Names of what stands in the modules of a package, and of what the package derives from them."""


def names() -> Iterator[str]:
    """All of them, over and over, each time further from where they were."""
    unique = list(dict.fromkeys(ODD))
    for step in count(1):
        yield from unique[step:] + unique[:step]


def distinct(source: Iterator[str], count: int) -> list[str]:
    """The next names that differ not only in case, as the columns of a table must."""
    found: dict[str, str] = {}
    while len(found) < count:
        name = next(source)
        found.setdefault(name.casefold(), name)
    return list(found.values())


def contracts(number: int) -> Iterator[str]:
    """Tables of odd names, each with eight links that its steps read, twelve columns and a rule named like each of them."""
    links, columns = names(), names()
    for table in list(dict.fromkeys([*TABLES, *ODD[:: len(ODD) // number]]))[:number]:
        own = distinct((name for name in chain([table], links) if name.casefold() not in ("source", "dataset")), 8)
        fields = distinct(columns, 12)
        steps = [
            {
                "lookup": {
                    "field": f"found {i}",
                    "reference": link,
                    "on": fields[0],
                    "key": fields[0],
                    "value": fields[1],
                }
            }
            for i, link in enumerate(own)
        ]
        quoted = [name.replace('"', '""') for name in fields]
        yield contract(
            [*(f"{name}: string" for name in fields), *(f"found {i}: string" for i in range(len(own)))],
            name=table,
            links=[{"name": link, "path": f"link{i}.parquet", "type": "parquet"} for i, link in enumerate(own)],
            transformations=steps,
            quality={
                "row_rules": [{"name": name, "sql": f"\"{q}\" <> ''"} for name, q in zip(fields, quoted, strict=True)]
            },
            extensions={
                "etlgen.link_fields": {link: [{"name": name, "type": "string"} for name in fields[:2]] for link in own}
            },
            materialization={"strategy": "overwrite", "format": "parquet"},
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One project of 80 tables: every name is a link, a column and a rule of some of them."""
    plans = [resolve(one) for i, text in enumerate(contracts(80)) for one in read_text(text.encode(), f"{i}.yaml")]
    root = tmp_path_factory.mktemp("odd")
    for path, text in build_project(plans, package=PROJECT).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def bound(body: list[ast.stmt]) -> Iterator[str]:
    """What the statements of a module or class define or import; annotations without value define attributes of a model."""
    for node in body:
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                yield from (alias.asname or alias.name.split(".")[0] for alias in aliases)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass


def hidden(path: Path) -> list[str]:
    """Names with two meanings in a module, and parameters of its functions that hide one of its names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = list(bound(tree.body))
    found = [f"{path}: {name}" for name in set(own) if own.count(name) > 1]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            parameters = [each.arg for each in (*node.args.args, *node.args.kwonlyargs)]
            found += [f"{path}: parameter {name}" for name in parameters if name in own]
        if isinstance(node, ast.ClassDef):
            inside = list(bound(node.body))
            found += [f"{path}: {node.name}.{name}" for name in set(inside) if inside.count(name) > 1]
    return found


def test_every_name_has_one_meaning_in_its_module(folder: Path) -> None:
    assert [each for path in folder.rglob("*.py") for each in hidden(path)] == []


def test_every_module_imports(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(folder))
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        importlib.import_module(".".join(part for part in parts if part != "__init__"))
    project = importlib.import_module(f"{PROJECT}.pipeline")
    for package in project.Results.__annotations__:
        assert getattr(project, package).run.__module__ == f"{PROJECT}.{package}.pipeline"
        module = importlib.import_module(f"{PROJECT}.{package}.contract")
        assert all(type(link) is etlgen_runtime.Link for link in module.CONTRACT.links)


def test_one_target_for_the_whole_project_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(folder))
    project = importlib.import_module(f"{PROJECT}.pipeline")
    root = folder / "nothing_ran"
    with pytest.raises(etlgen_runtime.PlanError) as refused:
        project.run(etlgen_runtime.Profile(root=root, target="out"))
    assert refused.value.diagnostic.code == "PMPLAN111"
    assert not root.exists()


def test_every_module_type_checks(folder: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), "-p", PROJECT]
    paths = os.pathsep.join([str(folder), str(ROOT / "runtime")])
    done = subprocess.run(
        [*command, "--cache-dir", str(folder / ".mypy_cache")],
        cwd=ROOT, env={**os.environ, "MYPYPATH": paths}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
