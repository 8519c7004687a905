"""Profiles of the configuration or of a file, read for the command line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from etlgen.configuration import Configuration
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.nearest import nearest_name
from etlgen.spelling import codes

if TYPE_CHECKING:
    from pydantic import ValidationError

    from etlgen_runtime.profile import Profile

_YES_OR_NO = "true or false"
_EXPECTED = {
    "engine": "the name of an engine in quotes",
    "root": "a folder in quotes",
    "state_dir": "a folder in quotes",
    "assets": "a table of paths in quotes, by the name of a contract or link",
    "target": "a path in quotes",
    "as_of": "a time in ISO 8601, such as 2024-03-01T12:00:00Z",
    "dry_run": _YES_OR_NO,
    "allow_empty_overwrite": _YES_OR_NO,
    "drop_bad_rows": _YES_OR_NO,
    "sensitive": "`redact`, `omit` or `keep`",
}
"""What a key of a profile holds."""


def profile(found: Configuration, name: str | None) -> Profile:
    """The profile of that name (default: ``development``) or file; paths are relative to the project.

    Raises:
        ContractError: PMPLAN110, no such profile; PMPLAN103, keys or values of it do not fit.
    """
    from pydantic import ValidationError

    from etlgen_runtime.profile import Profile

    wanted = name or "development"
    written = _written(found, wanted)
    label = Path(wanted).stem
    known = tuple(key for key in Profile.model_fields if key != "name")
    unknown = tuple(_unknown_key(label, key, known) for key in written if key not in known)
    if unknown:
        raise ContractError(unknown)
    values = {"root": found.root, "engine": found.engines[0], **written, "name": label}
    try:
        return Profile.model_validate(values)
    except ValidationError as error:
        raise ContractError(tuple(_unfit(label, error))) from None


def _written(found: Configuration, name: str) -> Mapping[str, object]:
    """The keys that a profile sets, as written."""
    if name in found.profiles:
        return found.profiles[name]
    if name == "development":
        return {}
    path = Path(name)
    if path.suffix in (".toml", ".json") and path.is_file():
        return _file(path)
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


def _file(path: Path) -> Mapping[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
        values = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        problem = Diagnostic("PMPLAN103", f"profile `{path.name}` cannot be read: {error}", help="correct the file")
        raise ContractError((problem,)) from None
    if not isinstance(values, dict):
        raise ContractError((Diagnostic("PMPLAN103", f"profile `{path.name}` is not an object of keys and values"),))
    return cast("dict[str, object]", values)


def _unknown_key(name: str, key: str, known: tuple[str, ...]) -> Diagnostic:
    near = nearest_name(key, known)
    return Diagnostic(
        "PMPLAN103",
        f"profile `{name}` has the unknown key `{key}`",
        expected=f"one of {codes(known)}",
        nearest=near,
        help=f"rename it to `{near}`" if near else "remove it",
    )


def _unfit(name: str, error: ValidationError) -> Iterator[Diagnostic]:
    for fault in error.errors(include_url=False, include_input=False):
        key = ".".join(str(part) for part in fault["loc"])
        expected = _EXPECTED.get(str(fault["loc"][0]) if fault["loc"] else "", "")
        message = f"the value of `{key}` in profile `{name}` does not fit"
        yield Diagnostic("PMPLAN103", message, expected=expected, help="correct the value, or remove the key")
