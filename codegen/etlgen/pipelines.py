"""Generated pipelines, imported and run in this process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import cast

from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.nearest import nearest_name
from etlgen.project import ContractFile, discover, display_path, no_contract, no_such_contract
from etlgen.write import Workspace, output_files
from etlgen_runtime.callbacks import Callbacks
from etlgen_runtime.profile import Profile
from etlgen_runtime.report import RunReport
from etlgen_runtime.result import RunFailed, RunResult

EVERYTHING = "all"

UNREADABLE = (ImportError, SyntaxError, ValueError, NameError, AttributeError, TypeError)
"""What importing a generated module that is incomplete, damaged or edited by hand raises."""


def chosen(workspace: Workspace, argument: str) -> tuple[tuple[str, str], ...]:
    """Contract name and sub-package of what ``argument`` (a name, a contract file, ``all``) means, in run order.

    Raises:
        ContractError: GEN-010, there is no such contract; GEN-001, there is none at all.
    """
    manifest = output_files.manifest_on_disk(workspace.output, workspace.package)
    pipelines = manifest.pipelines if manifest else ()
    if argument == EVERYTHING:
        if not pipelines:
            raise ContractError((no_contract(workspace.configuration),))
        return pipelines
    named = tuple(entry for entry in pipelines if entry[0] == argument)
    if not named and Path(argument).is_file():
        names = _names_in(workspace, Path(argument))
        named = tuple(entry for entry in pipelines if entry[0] in names)
    if not named:
        raise ContractError((no_such_contract(argument, [name for name, _ in pipelines]),))
    return named


def check_assets(workspace: Workspace, profile: Profile) -> None:
    """Every key of ``assets`` is a contract, a link, or ``<contract>.<link>``; another one would have no effect.

    Raises:
        ContractError: PMPLAN103, for each that is not.
    """
    manifest = output_files.manifest_on_disk(workspace.output, workspace.package)
    names = [name for name, _ in manifest.pipelines] if manifest else []
    if all(key in names for key in profile.assets):
        return  # the usual case reads no contract
    try:
        contracts = [one for file in discover(workspace.configuration) for one in _read(workspace, file)]
    except ContractError:
        return  # a contract that does not run here has errors, and its links are not known
    for contract in contracts:
        links = [link.name.value for link in contract.links]
        names += [contract.name, *links, *(f"{contract.name}.{link}" for link in links)]
    unknown = [key for key in profile.assets if key not in names]
    if unknown:
        raise ContractError(tuple(_unknown_asset(key, profile.name, names) for key in unknown))


def _unknown_asset(key: str, profile: str, names: Iterable[str]) -> Diagnostic:
    near = nearest_name(key, names)
    return Diagnostic(
        "PMPLAN103",
        f"`assets` of profile `{profile}` names `{key}`, which is no contract and no link",
        expected=f"one of {', '.join(sorted(set(names)))}",
        nearest=near,
        help=f"rename it to `{near}`" if near else "remove it, or name a contract, a link, or `<contract>.<link>`",
    )


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
    except UNREADABLE as error:
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
    except (ImportError, SyntaxError) as error:
        raise ContractError((_cannot_import(module.__name__, error),)) from None


def _cannot_import(name: str, error: Exception) -> Diagnostic:
    kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
    problem = f"`{name}` cannot be imported: {kind}{error}"
    return Diagnostic("GEN-013", problem, help="run `etlgen doctor`, or `etlgen build --force`")


def _names_in(workspace: Workspace, file: Path) -> frozenset[str]:
    """Names of the contracts in one file."""
    shown = display_path(file, workspace.configuration.root)
    return frozenset(contract.name for contract in _read(workspace, ContractFile(shown, file)))


def _read(workspace: Workspace, file: ContractFile) -> tuple[Contract, ...]:
    from etlgen.read import read_contract

    return read_contract(file.path, display=file.display, limits=workspace.configuration.limits)
