"""Profiles of the configuration or of a file, read for the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from etlgen.configuration import Configuration
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.nearest import nearest_name
from etlgen.settings_file import SettingsFile, read_settings_file

if TYPE_CHECKING:
    from etlgen_runtime.profile import Profile, ProfileFault


@dataclass(frozen=True, slots=True)
class _Written:
    """A profile as written.

    Args:
        name: For reports.
        values: The keys that it sets.
        file: The file they stand in; ``None``: nothing is written.
        display: That file, as diagnostics show it.
        section: The table in it; ``""``: all of it.
    """

    name: str
    values: Mapping[str, object]
    file: Path | None = None
    display: str = ""
    section: str = ""


def profile(found: Configuration, name: str | None) -> Profile:
    """The profile of that name (default: ``development``) or file; paths are relative to the project.

    Raises:
        ContractError: PMPLAN110, no such profile; PMPLAN103, keys or values of it do not fit; GEN-002, GEN-009: its file.
    """
    from etlgen_runtime.profile import Profile, ProfileError

    wanted = name or "development"
    written = _written(found, wanted)
    values = {"root": found.root, "engine": found.engines[0], **written.values}
    try:
        return Profile.load(written.name, values)
    except ProfileError as error:
        raise ContractError(_unfit(error.faults, written)) from None


def _written(found: Configuration, name: str) -> _Written:
    if name in found.profiles and found.file is not None:
        section = f"{found.section}.profiles.{name}".lstrip(".")
        return _Written(name, found.profiles[name], found.file, found.file.name, section)
    if name == "development":
        return _Written(name, {})
    path = Path(name)
    if path.suffix in (".toml", ".json") and path.is_file():
        from etlgen.project import display_path  # loads much that a profile does not need

        display = display_path(path, found.root)
        return _Written(path.stem, read_settings_file(path, display).values, path, display)
    if path.suffix in (".toml", ".json") or path.name != name:
        problem = "is no TOML or JSON file" if path.exists() else "does not exist"
        fix = "correct the path, which is relative to the working folder"
        raise ContractError((Diagnostic("PMPLAN110", f"the profile `{name}` {problem}", help=fix),))
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


def _unfit(faults: Iterable[ProfileFault], written: _Written) -> tuple[Diagnostic, ...]:
    """PMPLAN103 as the runtime says it, each with its place and the nearest key."""
    file = None if written.file is None else read_settings_file(written.file, written.display)
    return tuple(_placed(fault, file, written.section) for fault in faults)


def _placed(fault: ProfileFault, file: SettingsFile | None, section: str) -> Diagnostic:
    from etlgen_runtime.limits import LIMIT_KEYS
    from etlgen_runtime.profile import KEYS

    key, _, member = fault.key.partition(".")
    near = "" if fault.known else nearest_name(member or key, LIMIT_KEYS if member else KEYS)
    return Diagnostic(
        "PMPLAN103",
        fault.message,
        None if file is None else file.place_of(key, section),
        expected=fault.expected,
        nearest=near,
        help=f"rename it to `{near}`" if near else fault.help,
    )
