"""Generated pipelines, imported and run in this process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import cast

from etlgen import build
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.project import display_path, limits, no_such_contract
from etlgen.workspace import Workspace
from etlgen_runtime.callbacks import Callbacks
from etlgen_runtime.profile import Profile
from etlgen_runtime.report import RunReport
from etlgen_runtime.result import RunFailed, RunResult

EVERYTHING = "all"


def chosen(workspace: Workspace, argument: str) -> tuple[tuple[str, str], ...]:
    """Contract name and sub-package of what ``argument`` (a name, a contract file, ``all``) means, in run order.

    Raises:
        ContractError: GEN-010, there is no such contract.
    """
    manifest = build.manifest_on_disk(workspace.output, workspace.package)
    pipelines = manifest.pipelines if manifest else ()
    if argument == EVERYTHING:
        return pipelines
    named = tuple(entry for entry in pipelines if entry[0] == argument)
    if not named and Path(argument).is_file():
        names = _names_in(workspace, Path(argument))
        named = tuple(entry for entry in pipelines if entry[0] in names)
    if not named:
        raise ContractError((no_such_contract(argument, [name for name, _ in pipelines]),))
    return named


def load(workspace: Workspace, package: str) -> ModuleType:
    """Import a generated sub-package from the output folder.

    Raises:
        ContractError: GEN-013, it does not import.
    """
    name = f"{workspace.package}.{package}"
    if str(workspace.output) not in sys.path:
        sys.path.insert(0, str(workspace.output))
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ContractError((_cannot_import(name, error),)) from None


def run_pipeline(module: ModuleType, profile: Profile, callbacks: Callbacks) -> RunReport:
    """Run one generated pipeline; its report, also when it failed.

    Raises:
        ContractError: GEN-013, a module that it loads when it runs (the engine's steps) does not import.
    """
    run = cast("Callable[..., RunResult[object]]", module.run)
    try:
        return run(profile, callbacks=callbacks).report
    except RunFailed as failure:
        return failure.report
    except ImportError as error:
        raise ContractError((_cannot_import(module.__name__, error),)) from None


def _cannot_import(name: str, error: ImportError) -> Diagnostic:
    problem = f"`{name}` cannot be imported: {error}"
    return Diagnostic("GEN-013", problem, help="run `etlgen doctor`, or `etlgen build --force`")


def _names_in(workspace: Workspace, file: Path) -> frozenset[str]:
    """Names of the contracts in one file."""
    from etlgen.read import read_contract

    configuration = workspace.configuration
    shown = display_path(file, configuration.root)
    contracts = read_contract(file, display=shown, limits=limits(configuration))
    return frozenset(contract.name for contract in contracts)
