"""What only shows when all contracts of a project are seen together: who writes where, who would lose what.

Paths are compared in Unicode form NFC and without case: two that differ in nothing else are one on some systems.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path, PurePath

from etlgen.contract import Contract
from etlgen.diagnostics.model import Diagnostic, Position, Severity
from etlgen.nearest import nearest_name
from etlgen.places import Place, inputs, outputs
from etlgen.resolve.path_rules import path_problems
from etlgen.spelling import code, one_of


def wiring_problems(
    contracts: Sequence[Contract], root: Path, folders: Sequence[Path] = (), *, all_read: bool = True
) -> tuple[Diagnostic, ...]:
    """WIR-001 outputs that are one place, WIR-002 outputs over own inputs, SEC-002 paths that lead out of the project, WIR-003
    outputs outside of it, WIR-004 upstream contracts that are not there, GEN-017 contracts that are their own upstream.

    Args:
        contracts: All contracts of the project, also those that do not resolve.
        root: The folder that relative paths start from.
        folders: Where else contracts may read and write.
        all_read: No file failed to be read, so that there are no other contracts.
    """
    written = [place for contract in contracts for place in outputs(contract)]
    return (
        *_shared_outputs(written, root),
        *(found for contract in contracts for found in _overwritten_inputs(contract, root)),
        *path_problems(contracts, root, (root, *folders)),
        *_upstream(contracts, all_read),
    )


def _upstream(contracts: Sequence[Contract], all_read: bool) -> Iterator[Diagnostic]:
    names = {contract.name for contract in contracts}
    for contract in contracts:
        for upstream in contract.upstream:
            name, at = upstream.value, upstream.at
            if name == contract.name:
                yield Diagnostic(
                    "GEN-017",
                    f"contract {code(name)} names itself as upstream",
                    at,
                    label="this contract",
                    expected="another contract of the project",
                    help="remove the entry",
                )
            elif name not in names and all_read:
                yield _absent_upstream(name, sorted(names - {contract.name}), at)


def _absent_upstream(name: str, names: Sequence[str], at: Position) -> Diagnostic:
    """WIR-004. OLC also names contracts by their coordinates, ``domain.system.name``."""
    last = name.rpartition(".")[2]
    nearest = last if last in names else nearest_name(name, names)
    return Diagnostic(
        "WIR-004",
        f"upstream {code(name)} is no contract of this project, so it decides no order",
        at,
        Severity.WARNING if nearest else Severity.NOTE,
        label="not found",
        expected=one_of(names),
        nearest=nearest,
        help=f"write {code(nearest)}, as the contract is called here"
        if nearest
        else "add the contract, if it belongs here",
    )


def _shared_outputs(places: Sequence[Place], root: Path) -> Iterator[Diagnostic]:
    """WIR-001. Archives may share a folder: their files have names of their own. Of two contracts of one name one goes
    anyway (GEN-008).
    """
    compared = [(place, _comparable(place.path, root)) for place in places]
    for (first, one), (second, other) in combinations(compared, 2):
        same_name = first.contract is not second.contract and first.contract.name == second.contract.name
        archives = "archive" in (first.role, second.role) and "target" not in (first.role, second.role)
        if same_name or archives or not _touch(one, other):
            continue
        relation = "is also" if one == other else "lies inside" if one in other.parents else "holds"
        whose = "" if first.contract is second.contract else f" of `{first.contract.name}`"
        yield Diagnostic(
            "WIR-001",
            f"{second.what} of `{second.contract.name}`, `{second.path}`, {relation} {first.what}{whose}",
            second.at,
            label=f"the other one, `{first.path}`, is at {first.at.file}:{first.at.line}",
            expected="every output in a place of its own",
            help="give one of them another path",
        )


def _overwritten_inputs(contract: Contract, root: Path) -> Iterator[Diagnostic]:
    """WIR-002: what a contract writes would be its own input, or replace it."""
    for place in outputs(contract):
        out = _comparable(place.path, root)
        for read in inputs(contract):
            source = _comparable(read.path, root)
            if source == out or out in source.parents or _is_read(out, source, place.suffix):
                relation = "is" if source == out else "holds" if out in source.parents else "is among"
                yield Diagnostic(
                    "WIR-002",
                    f"{place.what} of `{contract.name}`, `{place.path}`, {relation} its own input: {read.what}",
                    place.at,
                    label=f"`{read.path}` is read at {read.at.file}:{read.at.line}",
                    expected="input and output in different places",
                    help="write to another path",
                )


def _is_read(out: PurePath, source: PurePath, suffix: str) -> bool:
    """An output that is one file lies in the folder, or among the files of the pattern, that ``source`` means; one that is a
    folder of part files is found by a pattern that looks into folders.
    """
    if not out.suffix:
        return "**" in source.parts and fnmatchcase(str(out / f"part{suffix}"), str(source).replace("**/", "*"))
    return out.match(str(source)) or (out.parent == source and not source.suffix)


def _touch(one: PurePath, other: PurePath) -> bool:
    """One place, or one inside the other."""
    return one == other or one in other.parents or other in one.parents


def _absolute(path: str, root: Path) -> PurePath:
    return PurePath(os.path.abspath(root / path))


def _comparable(path: str, root: Path) -> PurePath:
    return PurePath(unicodedata.normalize("NFC", str(_absolute(path, root))).casefold())
