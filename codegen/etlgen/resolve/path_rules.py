"""Paths of contracts that lead out of the project: refused, unless a profile of the configuration allows their folder.

What symbolic links do shows only when a run resolves them; it applies the same rules (``etlgen_runtime.paths``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from etlgen.contract import Contract
from etlgen.diagnostics.model import Diagnostic, Severity
from etlgen.places import Place, inputs, outputs
from etlgen.spelling import code
from etlgen_runtime.paths import leaves, unfit_path


def path_problems(contracts: Iterable[Contract], root: Path, folders: Sequence[Path]) -> Iterator[Diagnostic]:
    """SEC-002 for paths that may not be, WIR-003 for those to write to that mean another place on every machine.

    Args:
        root: The folder that relative paths start from.
        folders: Where contracts may read and write.
    """
    for contract in contracts:
        for place in (*outputs(contract), *inputs(contract), *_patterns(contract)):
            yield from _judged(place, root, folders) if place.written else ()


def _patterns(contract: Contract) -> Iterator[Place]:
    """The files that the source's pattern finds below its path."""
    source = contract.source
    if source is not None and source.pattern:
        if leaves(source.pattern) and not source.pattern.startswith(("/", "\\")):
            pattern = f"{source.path or '.'}/{source.pattern}"
        else:
            pattern = source.pattern
        yield Place(contract, "source", "the pattern of the source", pattern, source.at)


def _judged(place: Place, root: Path, folders: Sequence[Path]) -> Iterator[Diagnostic]:
    subject = f"{place.what} of `{place.contract.name}`, {code(place.path)},"
    fault = unfit_path(place.path)
    if fault:
        yield Diagnostic(
            "SEC-002",
            f"{subject} {fault}",
            place.at,
            expected="a path below the project's folder",
            help="write a relative path; set another place in `assets` or `target` of a profile",
        )
    elif place.role in ("target", "quarantine", "archive") and os.path.normpath(place.path) in (".", "/"):
        yield Diagnostic(
            "SEC-002",
            f"{subject} is the folder of the whole project"
            if os.path.normpath(place.path) == "."
            else f"{subject} is all there is",
            place.at,
            expected="a folder of its own",
            help="write the path of a folder below the project's, such as `data/orders`",
        )
    elif leaves(place.path) and not _is_below(place.path, root, folders):
        yield Diagnostic(
            "SEC-002",
            f"{subject} leads out of the project",
            place.at,
            expected="a path below the project's folder, or below one of `allowed_folders` of a profile",
            help="write a relative path; set another place in `assets` or `target` of a profile, or allow its folder there",
        )
    elif place.role in ("target", "quarantine", "archive") and leaves(place.path):
        yield Diagnostic(
            "WIR-003",
            f"{subject} "
            + ("is an absolute path" if PurePath(place.path).is_absolute() else "lies outside the project"),
            place.at,
            Severity.WARNING,
            expected="a path below the project's folder",
            help="write a relative path, and name another place in the profile",
        )


def _is_below(path: str, root: Path, folders: Sequence[Path]) -> bool:
    words = path.replace("\\", "/")
    full = PurePath(os.path.abspath(root / words))
    return any(full.is_relative_to(os.path.abspath(folder)) for folder in folders)
