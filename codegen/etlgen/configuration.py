"""``[tool.etlgen]`` of pyproject.toml, or etlgen.toml: read, checked key by key, frozen."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import cast

from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.nearest import nearest_name
from etlgen.settings_file import SettingsFile, read_settings_file
from etlgen.version import HEADER

KEYS = ("contracts", "output", "package", "engines", "profiles", "templates", "exclude", "max_contract_bytes")
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
        max_contract_bytes: Largest contract file that is read; ``None``: the limit of the reader.
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
    max_contract_bytes: int | None = None


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
            max_contract_bytes=self._size("max_contract_bytes"),
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

    def _size(self, key: str) -> int | None:
        value = self.table.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
            return value
        self._unfit(key, f"a number of bytes: {key} = 5_000_000")
        return None

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

    def _unknown(self, key: str) -> None:
        near = nearest_name(key, KEYS)
        self.problems.append(
            Diagnostic(
                "GEN-003",
                f"unknown key `{key}` in the configuration",
                self._position(key),
                expected=f"one of {', '.join(KEYS)}",
                nearest=near,
                help=f"write `{near}`" if near else "remove it",
                key_path=self._dotted(key),
            )
        )

    def _unfit(self, key: str, expected: str) -> None:
        message = f"the value of `{key}` in the configuration does not fit"
        at = self._position(key)
        self.problems.append(Diagnostic("GEN-004", message, at, expected=expected, key_path=self._dotted(key)))

    def _dotted(self, key: str) -> str:
        return f"{self.section}.{key}" if self.section else key

    def _position(self, key: str) -> Position:
        return self.file.place_of(key, self.section)
