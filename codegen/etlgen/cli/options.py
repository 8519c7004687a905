"""Options that several commands share, and how they override the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from etlgen.cli.terminal import set_root
from etlgen.configuration import Configuration, find_configuration, is_package_name, is_taken, taken
from etlgen.diagnostics.model import ContractError, Diagnostic

Project: TypeAlias = Annotated[
    Path | None, typer.Option("--project", "-C", help="Folder of the project; default: found upwards from here.")
]
Engines: TypeAlias = Annotated[
    list[str] | None, typer.Option("--engine", "-e", help="Engine to generate for; may be repeated.")
]
ProfileName: TypeAlias = Annotated[
    str | None, typer.Option("--profile", "-p", help="Profile of the configuration, or a TOML or JSON file.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
FormatJson: TypeAlias = Annotated[bool, typer.Option("--json", help="The same as --format json.")]


def configuration(project: Path | None, engines: Sequence[str] | None = None) -> Configuration:
    """The configuration with the flags applied, its engines known.

    Raises:
        ContractError: GEN-002 to GEN-005; PMPLAN101, an engine that there is not.
    """
    if project is not None and not project.is_dir():
        raise ContractError((Diagnostic("GEN-005", f"`{project}` is not a folder", help="name the project's folder"),))
    start = Path.cwd() if project is None else project.resolve()
    set_root(start)
    found = find_configuration(start)
    set_root(found.root)
    wanted = tuple(engines) if engines else found.engines
    check_engines(wanted)
    return replace(found, engines=wanted)


def check_engines(names: Sequence[str]) -> None:
    """Refuse an engine that this version does not have.

    Raises:
        ContractError: PMPLAN101, for each of them.
    """
    from etlgen.engines.protocol import unknown_engine
    from etlgen_runtime.engine import ENGINES

    unknown = [name for name in names or [""] if name not in ENGINES]
    if unknown:
        raise ContractError(tuple(unknown_engine(name) for name in unknown))


def overridden(found: Configuration, output: str | None, package: str | None) -> Configuration:
    """The configuration with ``--output`` (relative to here) and ``--package``.

    Raises:
        ContractError: GEN-004, the package is no Python identifier, or another package has the name.
    """
    folder = found.output if output is None else str(Path(output).resolve())
    if package is None:
        return replace(found, output=folder)
    if not is_package_name(package):
        problem = Diagnostic("GEN-004", f"`{package}` cannot be a package", expected="a Python identifier in ASCII")
        raise ContractError((problem,))
    if is_taken(package, found.root / folder):
        raise ContractError((taken(package),))
    return replace(found, output=folder, package=package)
