"""``etlgen init``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from etlgen.cli.terminal import result, say
from etlgen.diagnostics.model import ContractError, Diagnostic

FILES = {
    "pyproject.toml": "pyproject.toml",
    "people.olc.yaml": "contracts/people.olc.yaml",
    "people.csv": "data/people.csv",
    "gitignore": ".gitignore",
    "pre-commit-config.yaml": ".pre-commit-config.yaml",
    "workflow.yml": ".github/workflows/pipelines.yml",
}
"""Files of ``etlgen/scaffold`` and where they go."""


def init(
    directory: Annotated[Path, typer.Argument(help="Folder of the new project.")] = Path("."),
) -> None:
    """Begin a project that runs.

    Writes a contract, sample data, configuration with mypy settings, a pre-commit hook and a CI workflow.
    """
    taken = [target for target in FILES.values() if (directory / target).exists()]
    if taken:
        raise ContractError(tuple(_taken(target) for target in taken))
    try:
        for name, target in FILES.items():
            path = directory / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(name), encoding="utf-8", newline="\n")
            result(f"created  {path}")
    except OSError as error:
        problem = f"`{directory}` cannot be written: {(error.strerror or str(error)).lower()}"
        raise ContractError((Diagnostic("GEN-009", problem, help="choose a folder that you may write"),)) from None
    say("\nnext:")
    say(f"  cd {shlex.quote(str(directory))}" if directory != Path(".") else "  etlgen lint")
    say("  etlgen plan people")
    say("  etlgen run people")


def _text(name: str) -> str:
    return (Path(__file__).parents[1] / "scaffold" / name).read_text(encoding="utf-8")


def _taken(target: str) -> Diagnostic:
    return Diagnostic("GEN-012", f"`{target}` is already there", help="choose an empty folder: etlgen init DIR")
