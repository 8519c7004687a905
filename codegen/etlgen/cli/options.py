"""Options that several commands share, and how they override the configuration."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from etlgen.cli.terminal import set_root
from etlgen.configuration import Configuration, find_configuration, is_package_name
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.nearest import nearest_name

if TYPE_CHECKING:
    from etlgen_runtime.diagnostics import EtlgenError
    from etlgen_runtime.profile import Profile

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


def profile(found: Configuration, name: str | None) -> Profile:
    """The profile of that name (default: ``development``) or file; paths are relative to the project.

    Raises:
        ContractError: PMPLAN110, no such profile; PMPLAN103, a key or value of it does not fit.
    """
    from etlgen_runtime.diagnostics import PlanError
    from etlgen_runtime.profile import Profile

    wanted = name or "development"
    values = {"root": found.root, "engine": found.engines[0], **profile_values(found, wanted)}
    try:
        return Profile.load(Path(wanted).stem, values)
    except PlanError as error:
        raise ContractError((from_runtime(error),)) from None


def profile_values(found: Configuration, name: str) -> Mapping[str, object]:
    """The keys that a profile sets, as written."""
    if name in found.profiles:
        return found.profiles[name]
    if name == "development":
        return {}
    path = Path(name)
    if path.suffix in (".toml", ".json") and path.is_file():
        return _profile_file(path)
    known = sorted({"development", *found.profiles})
    raise ContractError(
        (
            Diagnostic(
                "PMPLAN110",
                f"unknown profile `{name}`",
                expected=f"a TOML or JSON file, or one of {', '.join(known)}",
                nearest=nearest_name(name, known),
                help=f"add [tool.etlgen.profiles.{name}] to the configuration",
            ),
        )
    )


def _profile_file(path: Path) -> Mapping[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        problem = Diagnostic("PMPLAN103", f"profile `{path.name}` cannot be read: {error}", help="correct the file")
        raise ContractError((problem,)) from None
    if not isinstance(values, dict):
        raise ContractError((Diagnostic("PMPLAN103", f"profile `{path.name}` is not an object of keys and values"),))
    return cast("dict[str, object]", values)


def from_runtime(error: EtlgenError) -> Diagnostic:
    """What the runtime refuses before a run, as a diagnostic of the command line."""
    found = error.diagnostic
    return Diagnostic(found.code, found.message, help=found.help)
