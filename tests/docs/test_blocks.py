"""Every fenced block of README and docs is executed or checked, by its language.

- ``console``: the ``etlgen`` commands of a page run in order, in a folder of their own; every line shown below a command must be
  in its output (numbers of seconds and run ids aside). ``make`` targets must exist; other programs are the reader's own.
- ``yaml``: parses; a whole contract is read and resolved; marked ``lint``, the next block is what ``etlgen lint`` prints for it;
  marked ``from: FILE``, it stands in that file; marked ``run`` or ``refused``, it is an example (test_examples.py).
- ``toml``: parses; ``[tool.etlgen]`` is accepted. ``json``: parses.
- ``python``: compiles; marked ``from: FILE`` its lines stand in that file, one after another.
- ``text`` is not checked: it is for what has no syntax.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.docs.markdown import ROOT, Block, blocks, pages

from etlgen.configuration import Configuration, find_configuration
from etlgen.diagnostics.render import render_text
from etlgen.project import ContractFile, analyse

LANGUAGES = {"console", "yaml", "toml", "json", "python", "text", "sql", "bash", "sh"}
DESIGN = ROOT / "docs" / "design"
ALL = [block for page in pages() if DESIGN not in page.parents for block in blocks(page)]
"""Design notes sketch code, with ellipses; every other block is held to its word."""

VARIABLE = re.compile(r"\d+\.\d\d\b|\d{8}T\d{12}-[0-9a-f]{6}")
"""Seconds and run ids differ from run to run."""


def of(*languages: str) -> list[Block]:
    return [block for block in ALL if block.language in languages]


def linted(block: Block, folder: Path) -> str:
    """The diagnostics of a contract that a page shows, as text."""
    path = folder / "orders.olc.yaml"
    path.write_text(block.text, encoding="utf-8")
    return render_text(
        analyse([ContractFile(path.name, path)], Configuration(root=path.parent)).diagnostics,
        lambda _: block.text.splitlines(),
    )


def test_every_block_says_its_language() -> None:
    assert [str(block) for block in ALL if block.language not in LANGUAGES] == []


@pytest.mark.parametrize("block", of("yaml"), ids=str)
def test_yaml(block: Block, tmp_path: Path) -> None:
    value = yaml.safe_load(block.text)
    if block.mark.startswith("from: "):
        assert block.text in (ROOT / block.mark.removeprefix("from: ")).read_text(encoding="utf-8")
    elif block.mark == "run" or block.mark.startswith("refused: "):
        return  # tests/docs/test_examples.py runs it
    elif block.mark == "lint":
        assert linted(block, tmp_path) == ALL[ALL.index(block) + 1].text
    elif isinstance(value, dict) and ({"version", "model"} <= value.keys() or {"apiVersion", "kind"} <= value.keys()):
        path = tmp_path / ("contract.odcs.yaml" if "kind" in value else "contract.olc.yaml")
        path.write_text(block.text, encoding="utf-8")
        assert analyse([ContractFile(path.name, path)], Configuration(root=path.parent)).errors == ()


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_toml(block: Block, tmp_path: Path) -> None:
    assert tomllib.loads(block.text)
    (tmp_path / "pyproject.toml").write_text(block.text, encoding="utf-8")
    find_configuration(tmp_path)


def test_json() -> None:
    assert all(isinstance(json.loads(block.text), (dict, list)) for block in of("json"))


@pytest.mark.parametrize("block", of("python"), ids=str)
def test_python(block: Block) -> None:
    if block.mark.startswith("from: "):
        source = (ROOT / block.mark.removeprefix("from: ")).read_text(encoding="utf-8")
        assert block.text.strip("\n") in source
    else:
        compile(block.text, str(block), "exec")


@pytest.mark.parametrize("page", sorted({block.file for block in of("console", "bash", "sh")}), ids=lambda p: p.name)
def test_commands(page: Path, tmp_path: Path) -> None:
    folder = tmp_path
    for block in blocks(page):
        if block.language not in ("console", "bash", "sh"):
            continue
        for command, shown in _commands(block):
            folder = _check(command, shown, folder, str(block))


def _commands(block: Block) -> list[tuple[str, list[str]]]:
    """(command, lines shown below it); outside ``console`` every line is a command."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if block.language != "console" and line.strip():
            found.append((line, []))
        elif line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip() and found:
            found[-1][1].append(line)
    return found


def _check(command: str, shown: list[str], folder: Path, where: str) -> Path:
    """Run or check one command; the folder in which the next one runs."""
    words = shlex.split(command, comments=True)
    program, arguments = (words[0], words[1:]) if words else ("", [])
    if program == "cd":
        return folder / arguments[0]
    if program == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
        assert {word for word in arguments if "=" not in word} <= set(targets), where
    if program == "etlgen":
        output = _etlgen(arguments, folder, where)
        missing = [line for line in shown if line.strip() != "..." and VARIABLE.sub("*", line.strip()) not in output]
        assert missing == [], f"{where}: {command}\n{output}"
    return folder


def _etlgen(arguments: list[str], folder: Path, where: str) -> str:
    """Output of ``etlgen`` on both streams, blanks at the ends of lines and variable parts removed."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    done = subprocess.run(
        [sys.executable, "-m", "etlgen.cli", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{where}\n{done.stderr}"
    return VARIABLE.sub("*", done.stdout + done.stderr)
