"""Formatting of generated modules: all files in one run of ruff, by fixed rules, whatever the user's own are."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from etlgen.diagnostics.model import ContractError, Diagnostic

_RULES = ("--isolated", "--no-cache", "--target-version=py311", "--line-length=120")
_IMPORT_RULES = ("--select=I,F401", "--ignore-noqa", "--config=lint.isort.known-third-party=['etlgen_runtime']")


def formatted(files: Mapping[str, str]) -> dict[str, str]:
    """Every Python file with sorted imports, no unused import, and formatted; other files as they are.

    Args:
        files: Text by relative path, ``/`` between parts.

    Raises:
        ContractError: GEN-019, a file does not parse: a template is wrong.
    """
    modules = [path for path in files if path.endswith(".py")]
    with tempfile.TemporaryDirectory(prefix="etlgen-") as name:
        folder = Path(name)
        for path in modules:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(files[path], encoding="utf-8", newline="\n")
        _ruff(folder, "check", "--fix", "--quiet", *_RULES, *_IMPORT_RULES)
        _ruff(folder, "format", "--quiet", *_RULES)
        return {**files, **{path: (folder / path).read_bytes().decode("utf-8") for path in modules}}


def _binary() -> str:
    """The program of the installed distribution; its module has no types."""
    return str(import_module("ruff").find_ruff_bin())


def _ruff(folder: Path, command: str, *options: str) -> None:
    done = subprocess.run(
        [_binary(), command, *options, "."], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        found = " ".join((done.stdout + done.stderr).split())
        message = f"the generated modules are no valid Python: {found}"
        raise ContractError((Diagnostic("GEN-019", message, help="start from the built-in templates"),))
