"""Generated pipelines are imported as they lie on the disk; what does not import is told, never run half."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.unit.cli.sample import CONTRACT

from etlgen.configuration import Configuration
from etlgen.diagnostics.model import ContractError
from etlgen.pipelines import load
from etlgen.write import Workspace


def workspace(root: Path, name: str, file: str = "orders.olc.yaml") -> Workspace:
    """A built project with the sample contract in ``file``; its package is called ``name``."""
    (root / "contracts").mkdir()
    (root / "contracts" / file).write_text(CONTRACT, encoding="utf-8")
    found = Workspace(Configuration(root=root, package=name))
    found.build()
    return found


@pytest.fixture(autouse=True)
def _import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def run(:\n", "SyntaxError"),
        ("# coding: no-such-codec\n", "SyntaxError"),
        ("x = 1\0\n", "null bytes"),
        ("from .models import Nothing\n", "Nothing"),
        ("run = undefined\n", "NameError"),
    ],
)
def test_a_damaged_module_is_a_diagnostic(tmp_path: Path, text: str, reason: str) -> None:
    name = f"damaged_{abs(hash(text))}"
    project = workspace(tmp_path, name)
    (tmp_path / name / "orders" / "pipeline.py").write_text(text, encoding="utf-8")
    with pytest.raises(ContractError) as caught:
        load(project, "orders")
    (problem,) = caught.value.diagnostics
    assert problem.code == "GEN-013"
    assert reason in problem.message


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no colon or quotes in a file name")
def test_the_name_of_a_contract_file_is_never_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As UTF-7, ``+AAo-`` is a line feed: what follows would be a statement."""
    project = workspace(tmp_path, "harmless", "coding=utf-7 +AAo-print('run') #.olc.yaml")
    assert callable(load(project, "orders").run)
    assert capsys.readouterr().out == ""
