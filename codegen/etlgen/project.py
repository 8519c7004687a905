"""A project: its configuration, the contracts found, and the plans made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from os.path import relpath
from pathlib import Path

from etlgen.configuration import Configuration
from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.nearest import nearest_name
from etlgen.plan import Plan

SUFFIXES = (".olc.yaml", ".olc.yml", ".odcs.yaml", ".odcs.yml")
"""File names that are contracts when a folder is searched; a file named on its own may be called anything."""


@dataclass(frozen=True, slots=True, order=True)
class ContractFile:
    """A contract file: how it is shown (relative to the project, ``/`` between parts) and where it is."""

    display: str
    path: Path


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that static analysis knows: the plans of the contracts that are right, every finding of all contracts.

    ``contracts`` are all that could be read, those without a plan included; ``partly_read`` those with errors that leave no doubt
    about their names.
    """

    files: tuple[ContractFile, ...]
    plans: tuple[Plan, ...]
    diagnostics: tuple[Diagnostic, ...]
    contracts: tuple[Contract, ...] = ()
    partly_read: tuple[Contract, ...] = ()
    unbuildable: tuple[Diagnostic, ...] = ()
    """Errors of the build alone: valid documents of which nothing can be made."""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.is_error)

    @property
    def blocking(self) -> tuple[Diagnostic, ...]:
        """What keeps a contract from being built: its errors, and that it describes no table (odcs, section 1)."""
        return (*self.errors, *self.unbuildable)


def discover(configuration: Configuration, arguments: Sequence[str] = ()) -> tuple[ContractFile, ...]:
    """The contract files of a project, or those that ``arguments`` (files, folders) name; sorted by their name.

    Raises:
        ContractError: GEN-005, a named file or folder does not exist; GEN-001, nothing was found.
    """
    if arguments:
        found = _all(Path.cwd(), arguments)
    else:
        found = [
            path
            for path in _all(configuration.root, configuration.contracts)
            if not _is_excluded(display_path(path, configuration.root), configuration.exclude)
        ]
    files = tuple(sorted({ContractFile(display_path(path, configuration.root), _resolved(path)) for path in found}))
    if not files:
        raise ContractError((no_contract(configuration, arguments),))
    return files


def display_path(path: Path, root: Path) -> str:
    """A path as messages and generated files show it: relative to the project."""
    return Path(relpath(_resolved(path), root.resolve())).as_posix()


def _resolved(path: Path) -> Path:
    """Where a path leads; a link to nothing stands for itself."""
    return path.resolve() if path.exists() else path.parent.resolve() / path.name


def analyse(files: Iterable[ContractFile], configuration: Configuration) -> Analysis:
    """Read and resolve every contract. Raises nothing: the findings of all contracts are in the result."""
    from etlgen.read import NOTHING, PartlyRead, read_contract
    from etlgen.resolve import errors_of_the_rest, resolve, wiring_problems

    contracts: list[Contract] = []
    partly_read: list[Contract] = []
    diagnostics: list[Diagnostic] = []
    known, allowed, all_read = tuple(files), configuration.limits, True
    for file in known:
        try:
            contracts.extend(read_contract(file.path, display=file.display, limits=allowed))
        except ContractError as error:
            all_read = False
            diagnostics.extend(error.diagnostics)
            parts = error.parts if isinstance(error, PartlyRead) else ()
            partly_read.extend(part for part, _ in parts)
            diagnostics.extend(found for part, broken in parts for found in errors_of_the_rest(part, broken))
    diagnostics.extend(_same_names(contracts))
    plans: list[Plan] = []
    for contract in contracts:
        diagnostics.extend(contract.diagnostics)
        try:
            plan = resolve(contract)
        except ContractError as error:
            diagnostics.extend(error.diagnostics)
        else:
            plans.append(plan)
            diagnostics.extend(plan.diagnostics)
    diagnostics.extend(wiring_problems(contracts, configuration.root, configuration.open_folders, all_read=all_read))
    found = tuple(dict.fromkeys(diagnostics))
    nothing = tuple(d for d in found if d.code == NOTHING)
    others = tuple(d for d in found if d.code != NOTHING)
    return Analysis(known, tuple(plans), others, tuple(contracts), tuple(partly_read), nothing)


def contract_files(configuration: Configuration, argument: str) -> tuple[ContractFile, ...]:
    """The file that ``argument`` names if it is a path, else every contract of the project (it may be a name)."""
    return discover(configuration, [argument] if Path(argument).is_file() else ())


def plan_of(analysis: Analysis, argument: str, root: Path) -> Plan:
    """The plan that a command-line argument means: the path of a contract file, or the name of a contract.

    Raises:
        ContractError: The errors of that contract; GEN-010, no such contract; GEN-014, the file holds several.
    """
    display = file_of(analysis, argument, root)
    errors = tuple(d for d in analysis.blocking if d.at is not None and d.at.file == display)
    if errors:
        raise ContractError(errors)
    found = [plan for plan in analysis.plans if plan.contract.file == display]
    by_name = [plan for plan in found if plan.contract.name == argument and not Path(argument).is_file()]
    if len(found) > 1 and not by_name:
        names = ", ".join(plan.contract.name for plan in found)
        raise ContractError(
            (Diagnostic("GEN-014", f"`{argument}` holds several contracts", expected=f"one of {names}"),)
        )
    if not found:
        raise ContractError(analysis.blocking or (no_such_contract(argument, [c.name for c in analysis.contracts]),))
    return (by_name or found)[0]


def file_of(analysis: Analysis, argument: str, root: Path) -> str:
    """The file, as shown, that a command-line argument means: its path, or the name of a contract in it.

    Raises:
        ContractError: The errors of the files that might hold it, alone; where none might, GEN-010, no such contract, and the
            errors of the files that could not be read.
    """
    path = Path(argument)
    if path.is_file():
        return display_path(path, root)
    named = (*analysis.contracts, *analysis.partly_read)
    for contract in named:
        if contract.name == argument:
            return contract.file
    # a file of OLC holds one contract; of the objects in one of ODCS, some may have gone unread
    read = {*(c.file for c in analysis.contracts), *(c.file for c in analysis.partly_read if c.vocabulary == "olc")}
    unread = tuple(d for d in analysis.blocking if d.at is not None and d.at.file not in read)
    holders = {file.display for file in analysis.files if _may_hold(file, argument)}
    causes = tuple(d for d in unread if d.at is not None and d.at.file in holders)
    raise ContractError(causes or (no_such_contract(argument, [contract.name for contract in named]), *unread))


def _may_hold(file: ContractFile, name: str) -> bool:
    """Whether a file that could not be read may hold the contract ``name``: it says so somewhere, or it is called so."""
    try:
        return name in file.display or name.encode("utf-8", "surrogateescape") in file.path.read_bytes()
    except OSError:
        return True


def no_such_contract(argument: str, names: Sequence[str]) -> Diagnostic:
    """GEN-010, with the names there are."""
    return Diagnostic(
        "GEN-010",
        f"there is no contract `{argument}` in this project",
        expected=f"a contract file, or one of {', '.join(sorted(names))}" if names else "a contract file",
        nearest=nearest_name(argument, names),
    )


def _all(root: Path, entries: Sequence[str]) -> list[Path]:
    """Files of every entry: a file, a folder searched to the bottom, or a glob pattern."""
    found: list[Path] = []
    missing: list[Diagnostic] = []
    for entry in entries:
        path = root / entry
        if path.is_dir():
            found.extend(file for file in path.rglob("*") if file.name.lower().endswith(SUFFIXES) and _is_file(file))
        elif _is_file(path):
            found.append(path)
        elif any(c in entry for c in "*?[") and not Path(entry).is_absolute():
            found.extend(file for file in root.glob(entry) if _is_file(file))
        else:
            siblings = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
            missing.append(_missing(entry, nearest_name(path.name, siblings)))
    if missing:
        raise ContractError(tuple(missing))
    return found


def _is_file(path: Path) -> bool:
    """A file or a link to nothing: to pass over a contract whose link is broken would look like success."""
    return path.is_file() or (path.is_symlink() and not path.exists())


def _is_excluded(display: str, patterns: Sequence[str]) -> bool:
    parts = display.split("/")
    folders = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return any(fnmatchcase(folder, pattern.rstrip("/")) for pattern in patterns for folder in folders)


def _missing(entry: str, near: str) -> Diagnostic:
    message = f"`{entry}` does not exist"
    return Diagnostic("GEN-005", message, expected="a contract file or a folder of contracts", nearest=near)


def no_contract(configuration: Configuration, arguments: Sequence[str] = ()) -> Diagnostic:
    """GEN-001, with the places that were searched."""
    looked = ", ".join(f"`{entry}`" for entry in arguments or configuration.contracts)
    return Diagnostic(
        "GEN-001",
        f"no contract found in {looked}",
        expected="files named *.olc.yaml or *.odcs.yaml",
        help="set `contracts` in [tool.etlgen], or start with `etlgen init`",
    )


def _same_names(contracts: Sequence[Contract]) -> list[Diagnostic]:
    first: dict[str, Contract] = {}
    found: list[Diagnostic] = []
    for contract in contracts:
        other = first.setdefault(contract.name, contract)
        if other is not contract:
            found.append(
                Diagnostic(
                    "GEN-008",
                    f"contract `{contract.name}` has the name of another contract",
                    Position(contract.file, contract.at.line, contract.at.column, contract.at.length),
                    label=f"also the name of the contract at {other.at.file}:{other.at.line}",
                    help="give one of them another `info.table_name`, or leave it out with `exclude`",
                )
            )
    return found
