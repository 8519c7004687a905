"""``[tool.etlgen]`` of pyproject.toml, or etlgen.toml: read, checked key by key, frozen."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import cast

from etlgen.contract_limits import DEFAULT_LIMITS, LIMIT_KEYS, Limits
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.nearest import nearest_name
from etlgen.settings_file import SettingsFile, read_settings_file
from etlgen.version import HEADER

KEYS = ("contracts", "output", "package", "engines", "profiles", "templates", "exclude", "limits")
FILES = ("etlgen.toml", "pyproject.toml")
DEFAULT_ENGINES = ("polars",)
"""Those of a project that names none."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """Settings of a project. Paths are as written, relative to ``root``.

    Args:
        root: Folder of the configuration file; the working folder without one.
        file: The configuration file, if there is one.
        section: The table that holds the settings; ``""``: the whole file.
        contracts: Files, folders (searched to the bottom) and glob patterns.
        output: Folder into which the package is written.
        package: Import name of the generated package.
        engines: Engines for which steps are generated.
        profiles: Raw tables of ``[tool.etlgen.profiles.<name>]``; the runtime reads them.
        templates: Folder whose templates take the place of the built-in ones.
        exclude: Glob patterns of contracts to leave out.
        limits: What one contract file may cost.
    """

    root: Path
    file: Path | None = None
    section: str = ""
    contracts: tuple[str, ...] = ("contracts",)
    output: str = "."
    package: str = "pipelines"
    engines: tuple[str, ...] = DEFAULT_ENGINES
    profiles: Mapping[str, Mapping[str, object]] = field(default_factory=lambda: MappingProxyType({}))
    templates: str | None = None
    exclude: tuple[str, ...] = ()
    limits: Limits = DEFAULT_LIMITS

    @property
    def open_folders(self) -> tuple[Path, ...]:
        """Where contracts may read and write: below ``root``, and what any profile says (``root``, ``allowed_folders``).

        A relative ``root`` of a profile is relative to the working folder. A value that does not fit is no folder here; the
        profile is refused when it is used.
        """
        found: dict[Path, None] = {self.root: None}
        for profile in self.profiles.values():
            written = profile.get("root")
            root = Path(written).absolute() if isinstance(written, str) else self.root
            allowed = profile.get("allowed_folders")
            folders = cast("list[object]", allowed) if isinstance(allowed, list) else []
            found |= dict.fromkeys((root, *(root / folder for folder in folders if isinstance(folder, str) and folder)))
        return tuple(found)

    def with_profile(self, name: str, values: Mapping[str, object]) -> Configuration:
        """The project with one more profile: that of a run, which may stand in a file of its own."""
        return replace(self, profiles=MappingProxyType({**self.profiles, name: values}))


def find_configuration(start: Path) -> Configuration:
    """The nearest configuration at or above ``start``; defaults when there is none.

    Raises:
        ContractError: GEN-002 to GEN-004, with all problems of the file.
    """
    for folder in (start, *start.parents):
        for name in FILES:
            path = folder / name
            if path.is_file():
                found = read_configuration(path)
                if found is not None:
                    return found
    return Configuration(root=start)


def is_package_name(name: str) -> bool:
    """A name that can be imported everywhere."""
    return name.isidentifier() and name.isascii() and not keyword.iskeyword(name)


def is_taken(name: str, output: Path) -> bool:
    """Whether importing ``name`` means the standard library or an installed package instead of ``output / name``.

    What etlgen generated is no other package, wherever a copy of it is installed.
    """
    if name in sys.stdlib_module_names or name == "__main__":
        return True
    try:
        found = find_spec(name)
    except (ImportError, ValueError):
        return False
    finally:
        invalidate_caches()  # the package is about to be written: a listing of its folder would hide it
    if found is None or found.origin is None or not found.has_location:
        return False  # nothing, or a folder without `__init__.py`, which any real package comes before
    module = Path(found.origin)
    place = module.parent if found.submodule_search_locations else module
    return place.parent.resolve() != output.resolve() and not _is_generated(module)


def _is_generated(module: Path) -> bool:
    try:
        with module.open("rb") as file:
            return file.read(len(HEADER)) == HEADER.encode()
    except OSError:
        return False


def read_configuration(path: Path) -> Configuration | None:
    """The configuration in one file; ``None`` for a pyproject.toml without ``[tool.etlgen]``.

    Raises:
        ContractError: GEN-002 to GEN-004, GEN-009.
    """
    file = read_settings_file(path, path.name)
    if path.name == "etlgen.toml":
        return _Reader(file.values, file, path, section="").configuration()
    tool = file.values.get("tool")
    table = cast("dict[str, object]", tool).get("etlgen") if isinstance(tool, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        found = Diagnostic(
            "GEN-004", "`tool.etlgen` is not a table", file.place_of("etlgen", "tool"), help="write `[tool.etlgen]`"
        )
        raise ContractError((found,))
    return _Reader(cast("dict[str, object]", table), file, path, section="tool.etlgen").configuration()


def taken(name: str, at: Position | None = None, key_path: str = "") -> Diagnostic:
    """GEN-004: the name of the package is the name of another one."""
    return Diagnostic(
        "GEN-004",
        f"`{name}` cannot be the generated package: Python has a package of that name",
        at,
        expected="a name that nothing else has, such as `pipelines`",
        help="choose another `package`",
        key_path=key_path,
    )


class _Reader:
    """Checks one table; collects every problem before it raises."""

    def __init__(self, table: Mapping[str, object], file: SettingsFile, path: Path, section: str) -> None:
        self.table, self.file, self.path, self.section = table, file, path, section
        self.problems: list[Diagnostic] = []

    def configuration(self) -> Configuration:
        for key in self.table:
            if key not in KEYS:
                self._unknown(key)
        output = self._text("output", ".")
        package = self._package(self._text("package", "pipelines"), self.path.parent / output)
        result = Configuration(
            root=self.path.parent,
            file=self.path,
            section=self.section,
            contracts=self._some("contracts", ("contracts",)),
            output=output,
            package=package,
            engines=self._some("engines", DEFAULT_ENGINES),
            profiles=self._profiles(),
            templates=self._text("templates", "") or None,
            exclude=self._texts("exclude", ()),
            limits=self._limits(),
        )
        if self.problems:
            raise ContractError(tuple(self.problems))
        return result

    def _text(self, key: str, default: str) -> str:
        value = self.table.get(key, default)
        if isinstance(value, str) and "\0" not in value:  # which no path holds
            return value
        self._unfit(key, "text in quotes")
        return default

    def _some(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        found = self._texts(key, default)
        if not found:
            self._unfit(key, f'at least one: {key} = ["{default[0]}"]')
        return found

    def _texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.table.get(key, default)
        entries = cast("list[object]", [value] if isinstance(value, str) else value)
        if isinstance(value, str | list | tuple) and all(isinstance(entry, str) and entry for entry in entries):
            return tuple(str(entry) for entry in entries)
        self._unfit(key, f'a list of texts: {key} = ["..."]')
        return default

    def _limits(self) -> Limits:
        value = self.table.get("limits", {})
        if not isinstance(value, dict):
            self._unfit("limits", f"a table: [{self._dotted('limits')}]")
            return DEFAULT_LIMITS
        found: dict[str, int] = {}
        for key, number in cast("dict[str, object]", value).items():
            if key not in LIMIT_KEYS:
                self._unknown(key, LIMIT_KEYS, "limits")
            elif isinstance(number, int) and not isinstance(number, bool) and number > 0:
                found[key] = number
            else:
                self._unfit(key, f"a whole number above zero: {key} = 100_000", "limits")
        return Limits(**found)

    def _package(self, name: str, output: Path) -> str:
        if not is_package_name(name):
            self._unfit("package", "a Python identifier in ASCII, such as `pipelines`")
        elif is_taken(name, output):
            self.problems.append(taken(name, self._position("package"), self._dotted("package")))
        return name

    def _profiles(self) -> Mapping[str, Mapping[str, object]]:
        value = self.table.get("profiles", {})
        if isinstance(value, dict):
            tables = cast("dict[str, object]", value)
            if all(isinstance(entry, dict) for entry in tables.values()):
                return MappingProxyType({name: cast("dict[str, object]", entry) for name, entry in tables.items()})
        self._unfit("profiles", f"one table per profile: [{self._dotted('profiles')}.production]")
        return MappingProxyType({})

    def _unknown(self, key: str, known: tuple[str, ...] = KEYS, table: str = "") -> None:
        near = nearest_name(key, known)
        self.problems.append(
            Diagnostic(
                "GEN-003",
                f"unknown key `{key}` in the configuration",
                self._position(key, table),
                expected=f"one of {', '.join(known)}",
                nearest=near,
                help=f"write `{near}`" if near else "remove it",
                key_path=self._dotted(key, table),
            )
        )

    def _unfit(self, key: str, expected: str, table: str = "") -> None:
        message = f"the value of `{key}` in the configuration does not fit"
        at, path = self._position(key, table), self._dotted(key, table)
        self.problems.append(Diagnostic("GEN-004", message, at, expected=expected, key_path=path))

    def _dotted(self, key: str, table: str = "") -> str:
        return ".".join(part for part in (self.section, table, key) if part)

    def _position(self, key: str, table: str = "") -> Position:
        """Where a key stands; a table written inline stands where its name does."""
        if not table:
            return self.file.place_of(key, self.section)
        within = self.file.place_of(key, self._dotted(table))
        return within if within != Position(self.file.display) else self.file.place_of(table, self.section)
