"""The environment: what is installed, what is missing, and the command that adds it."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from etlgen.configuration import Configuration, find_configuration
from etlgen.diagnostics.model import ContractError
from etlgen.project import discover
from etlgen.version import VERSION
from etlgen_runtime.engine import ENGINES

_GENERATING = (
    "datamodel-code-generator",
    "jinja2",
    "open-lakehouse-contract",
    "open-data-contract-standard",
    "sqlglot",
)


@dataclass(frozen=True, slots=True)
class EngineState:
    """An engine, the version of its library, and how to get it."""

    name: str
    installed: bool
    version: str

    @property
    def fix(self) -> str:
        return f"pip install 'etlgen-runtime[{self.name}]'"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of ``etlgen doctor``. What is not ``needed`` may be missing without anything being wrong."""

    check: str
    ok: bool
    found: str
    help: str = ""
    needed: bool = True


def engine_states() -> tuple[EngineState, ...]:
    """Every engine of this version; looked up by name, so nothing is imported."""
    return tuple(EngineState(name, find_spec(name) is not None, _version(name)) for name in ENGINES)


def examine(project: Path | None) -> tuple[Finding, ...]:
    """All findings. Problems are findings, never exceptions."""
    root = (project or Path.cwd()).resolve()
    findings = [_python(), _same_version(), *_libraries(), *_engines(), _sql_rules()]
    try:
        configuration = find_configuration(root)
    except ContractError as error:
        return (*findings, Finding("configuration", ok=False, found=error.diagnostics[0].message))
    where = "none, defaults apply" if configuration.file is None else configuration.file.name
    findings.append(Finding("configuration", ok=True, found=where))
    findings.append(_contracts(configuration))
    findings.append(_writable("output", configuration.root / configuration.output))
    findings.append(_writable("state", configuration.root / ".etlgen"))
    return tuple(findings)


def _python() -> Finding:
    help_text = "install Python 3.11 or newer"
    return Finding("python", ok=sys.version_info >= (3, 11), found=platform.python_version(), help=help_text)


def _same_version() -> Finding:
    installed = _version("etlgen-runtime")
    found = f"etlgen {VERSION}, etlgen-runtime {installed}"
    return Finding("versions", ok=installed == VERSION, found=found, help=f"pip install etlgen-runtime=={VERSION}")


def _libraries() -> list[Finding]:
    return [
        Finding(name, ok=bool(_version(name)), found=_version(name) or "not installed", help=f"pip install {name}")
        for name in _GENERATING
    ]


def _engines() -> list[Finding]:
    return [
        Finding(f"engine {state.name}", ok=state.installed, found=state.version or "not installed", help=state.fix)
        for state in engine_states()
    ]


def _sql_rules() -> Finding:
    """Dataset rules in SQL go through DuckDB."""
    found = _version("duckdb")
    fix = "needed for dataset rules in SQL: pip install 'etlgen-runtime[duckdb]'"
    return Finding("duckdb", ok=bool(found), found=found or "not installed", help=fix, needed=False)


def _contracts(configuration: Configuration) -> Finding:
    try:
        count = len(discover(configuration))
    except ContractError as error:
        first = error.diagnostics[0]
        return Finding("contracts", ok=False, found=first.message, help=first.help)
    return Finding("contracts", ok=True, found=f"{count} file{'' if count == 1 else 's'}")


def _writable(check: str, folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    ok = existing.is_dir() and os.access(existing, os.W_OK)
    return Finding(f"{check} folder", ok=ok, found="writable" if ok else f"`{existing.name}` is not writable")


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
