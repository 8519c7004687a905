"""Contracts built, imported and run in this process: the way of every test here from a contract text to rows."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
import yaml

from etlgen.emit import build_project
from etlgen.python_source.names import package_names
from etlgen.read import read_contract
from etlgen.resolve import resolve
from etlgen_runtime import Callbacks, Dataset, Profile, RunFailed, RunResult
from etlgen_runtime.report import RunReport

Row = Mapping[str, Any]
Edit = tuple[str, str, str]
"""A module of the package, a text in it, and what stands there instead."""


def contract(fields: Iterable[str | Row], *, name: str = "people", path: str = "in.csv", **sections: Any) -> str:
    """A contract as YAML text. A field written as ``"id: long!"`` is required.

    ``source`` and ``extensions`` are merged with what is needed anyway; other sections stand as given.
    """
    declared = [_field(field) if isinstance(field, str) else dict(field) for field in fields]
    document: dict[str, Any] = {
        "version": "1.0.0",
        "info": {"title": name, "table_name": name, "target_layer": "silver"},
        "source": {"type": "landing", "path": path, **sections.pop("source", {})},
        "model": {"fields": declared},
        "materialization": {"strategy": "overwrite", "format": "parquet", "target_path": "out"},
        **sections,
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def _field(text: str) -> dict[str, Any]:
    name, _, kind = text.rpartition(": ")
    return {"name": name, "type": kind.removesuffix("!"), **({"required": True} if kind.endswith("!") else {})}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A generated and imported package of one contract."""

    package: str
    name: str

    def module(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.package}.{name}")

    def run(
        self, root: Path, *, callbacks: Callbacks | None = None, given: pl.DataFrame | None = None, **profile: Any
    ) -> RunResult[Any]:
        """Run in ``root``; ``profile`` are settings of the profile."""
        more: dict[str, Any] = {}
        if given is not None:
            more[self.name] = Dataset(self.module("contract").SOURCE.model, given.lazy())
        result: RunResult[Any] = importlib.import_module(self.package).run(
            Profile(root=root, **profile), callbacks=callbacks, **more
        )
        return result

    def fail(self, root: Path, **more: Any) -> RunReport:
        """The report of a run that fails. It is on disk too, and is JSON."""
        with pytest.raises(RunFailed) as failed:
            self.run(root, **more)
        report = failed.value.report
        assert report.status == "failed"
        written = reports(root)[-1]
        assert (written["run_id"], written["status"]) == (report.run_id, "failed")
        assert [d["code"] for d in written["diagnostics"]] == [d.code for d in report.diagnostics]
        return report


class Builder:
    """Builds contracts below one folder on ``sys.path``; the same text is built once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self._built: dict[tuple[str, tuple[Edit, ...]], Pipeline] = {}

    def __call__(self, text: str, *edits: Edit) -> Pipeline:
        key = (text, edits)
        if key not in self._built:
            self._built[key] = self._build(text, edits)
        return self._built[key]

    def _build(self, text: str, edits: tuple[Edit, ...]) -> Pipeline:
        root = f"e2e_{next(self._numbers)}"
        file = self._folder / f"{root}.olc.yaml"
        file.write_text(text, encoding="utf-8")
        plans = [resolve(one) for one in read_contract(file, display=file.name)]
        name = plans[0].contract.name
        folder = package_names(plans)[name]
        for path, source in build_project(plans, package=root, engines=("polars",)).items():
            for module, old, new in edits:
                if path == f"{root}/{folder}/{module}.py":
                    assert source.count(old) == 1, f"`{old}` stands {source.count(old)} times in {path}"
                    source = source.replace(old, new)
            (self._folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self._folder / path).write_text(source, encoding="utf-8")
        importlib.invalidate_caches()
        return Pipeline(f"{root}.{folder}", name)

    @property
    def folder(self) -> Path:
        """What a fresh process needs on its path."""
        return self._folder

    @property
    def environment(self) -> dict[str, str]:
        """That of a fresh process, which finds the built packages."""
        return {**os.environ, "PYTHONPATH": os.pathsep.join([str(self._folder), *filter(None, sys.path)])}

    def forget(self) -> None:
        """Remove the built packages from ``sys.modules``."""
        roots = {pipeline.package.split(".")[0] for pipeline in self._built.values()}
        for name in [name for name in sys.modules if name.split(".")[0] in roots]:
            del sys.modules[name]


def rows(dataset: Dataset[Any], *columns: str) -> list[tuple[Any, ...]]:
    """Rows of a dataset, all columns or these, in the order of their text: row order carries no meaning."""
    frame = table(dataset)
    return sorted((frame.select(columns) if columns else frame).rows(), key=repr)


def table(dataset: Dataset[Any]) -> pl.DataFrame:
    """The collected frame of a dataset."""
    native = dataset.native
    assert isinstance(native, (pl.LazyFrame, pl.DataFrame))
    return native.lazy().collect()


def failed_rules(dataset: Dataset[Any], key: str) -> dict[str, list[str]]:
    """Names of the failed rules of each quarantined row, by the text of its ``key`` column."""
    found = table(dataset).select(key, "_etlgen_errors").rows()
    return {value: sorted(error["rule"] for error in errors) for value, errors in found}


def reports(root: Path) -> list[Any]:
    """The reports on disk, oldest first."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / ".etlgen" / "runs").glob("*.json"))]


def published(folder: Path) -> list[tuple[Any, ...]]:
    """The rows that a reader of a Parquet folder finds, in the order of their text."""
    return sorted(pl.read_parquet(sorted(folder.glob("*.parquet")), glob=False).rows(), key=repr)


def files(root: Path) -> set[str]:
    """Every file below a folder, without reports and locks."""
    found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return {name for name in found if not name.startswith((".etlgen/runs/", ".etlgen/locks/"))}
