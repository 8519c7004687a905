"""One version in every place that says it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from etlgen.version import VERSION
from etlgen_runtime.compat import VERSION as RUNTIME_VERSION

ROOT = Path(__file__).parents[2]


def project(path: str) -> dict[str, object]:
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]


def test_both_distributions_and_the_code_have_one_version() -> None:
    assert {project("pyproject.toml")["version"], project("runtime/pyproject.toml")["version"], RUNTIME_VERSION} == {
        VERSION
    }


def test_the_generator_requires_its_own_runtime() -> None:
    dependencies = project("pyproject.toml")["dependencies"]
    assert isinstance(dependencies, list)
    assert f"etlgen-runtime=={VERSION}" in dependencies


def test_the_changelog_has_an_entry() -> None:
    assert f"\n## {VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
