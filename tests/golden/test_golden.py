"""Contracts and everything that is generated from them, side by side.

A case is a folder ``<feature>/<variant>/`` with contracts and ``expected/`` (all output), or ``expected.txt`` (the diagnostics).
Extra, missing and changed files fail.
"""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path

import pytest

from etlgen.diagnostics.model import ContractError
from etlgen.emit import build_project
from etlgen.plan import Plan
from etlgen.read import read_contract
from etlgen.resolve import resolve

HERE = Path(__file__).parent
CASES = sorted({path.parent for path in HERE.glob("*/*/*.yaml")})
ACCEPT = "pytest tests/golden --update-golden"


def plans_of(case: Path) -> list[Plan]:
    files = sorted(case.glob("*.yaml"))
    return [resolve(contract) for path in files for contract in read_contract(path, display=path.name)]


def output_of(case: Path) -> dict[str, str]:
    """What the case gives: generated files below ``expected/``, or its diagnostics as ``expected.txt``."""
    try:
        texts = build_project(plans_of(case), package="pipelines")
    except ContractError as error:
        lines = [f"{d.code} {d.at.file if d.at else '-'}: {d.message}" for d in error.diagnostics if d.is_error]
        return {"expected.txt": "\n".join(lines) + "\n"}
    return {f"expected/{path}": text for path, text in texts.items()}


def files_of(case: Path) -> dict[str, str]:
    found = [
        path
        for path in case.rglob("*")
        if path.is_file() and path.suffix != ".yaml" and "__pycache__" not in path.parts
    ]
    return {path.relative_to(case).as_posix(): path.read_bytes().decode("utf-8") for path in sorted(found)}


def difference(expected: dict[str, str], actual: dict[str, str]) -> str:
    lines: list[str] = []
    for path in sorted({*expected, *actual}):
        old, new = expected.get(path), actual.get(path)
        if old is None or new is None:
            lines.append(f"{path}: {'is not expected' if old is None else 'was not generated'}")
        else:
            lines += difflib.unified_diff(
                old.splitlines(), new.splitlines(), f"expected/{path}", f"actual/{path}", lineterm="", n=1
            )
    return "\n".join(lines)


def update(case: Path, actual: dict[str, str]) -> None:
    shutil.rmtree(case / "expected", ignore_errors=True)
    (case / "expected.txt").unlink(missing_ok=True)
    for path, text in actual.items():
        (case / path).parent.mkdir(parents=True, exist_ok=True)
        (case / path).write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.relative_to(HERE).as_posix())
def test_output_is_the_expected_one(case: Path, request: pytest.FixtureRequest) -> None:
    actual = output_of(case)
    if request.config.getoption("--update-golden", default=False):
        update(case, actual)
    problem = difference(files_of(case), actual)
    assert not problem, f"{problem}\n\naccept with: {ACCEPT}"


def test_an_extra_a_missing_and_a_changed_file_are_differences() -> None:
    expected, actual = {"a": "1\n", "b": "2\n"}, {"a": "1\n", "b": "3\n", "c": "4\n"}
    assert "c: is not expected" in difference(expected, actual)
    assert "a: was not generated" in difference(expected, {"b": "2\n"})
    assert "-2\n+3" in difference(expected, actual)
    assert not difference(expected, dict(expected))
