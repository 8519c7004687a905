"""Which files a source or link names. Local paths only; nothing is opened here."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from etlgen_runtime.contract import Format
from etlgen_runtime.diagnostics import DataError, Diagnostic, PlanError

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@dataclass(frozen=True, slots=True)
class InputFiles:
    """The files of one input, sorted by name, and their common format."""

    paths: tuple[Path, ...]
    format: Format


def find_files(root: Path, path: str, *, pattern: str | None, format: Format | None, node: str) -> InputFiles | None:
    """The files that ``path`` (a file, a folder, or a glob) names; ``None`` when a folder or pattern matches nothing.

    Raises:
        DataError: PMDATA103, the file or folder does not exist.
        PlanError: PMPLAN105, the format is neither given nor told by the suffix, or the files have several.
    """
    full = root / path
    if full.is_file():
        return InputFiles((full,), format or _format_of((full,), node))
    if full.is_dir():
        found = sorted(p for p in full.glob(pattern or "*") if p.is_file() and (pattern or _is_data(p, format)))
    elif glob.has_magic(path):
        found = sorted(p for name in glob.glob(path, root_dir=root, recursive=True) if (p := root / name).is_file())
    else:
        raise DataError(
            Diagnostic(
                code="PMDATA103",
                message=f"`{path}` of {node} does not exist",
                node=node,
                help="check the path; it is relative to the profile's root",
            )
        )
    if not found:
        return None
    return InputFiles(tuple(found), format or _format_of(tuple(found), node))


def shown_path(path: Path, root: Path) -> str:
    """A path for people: relative to the root where it lies below it."""
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def format_of_asset(path: str, declared: Format | None) -> Format | None:
    """The format of a file that a profile names in place of the contract's: what its suffix says, else what is declared.

    JSON Lines are often called ``.json``, so among these two the contract decides.
    """
    told = SUFFIXES.get(Path(path).suffix.lower())
    if told is None or {told, declared} == {"json", "jsonl"}:
        return declared
    return told


def _is_data(path: Path, format: Format | None) -> bool:
    """Files that a folder without pattern means: of the format, not hidden."""
    if path.name.startswith((".", "_")):
        return False
    known = SUFFIXES.get(path.suffix.lower())
    return known is not None and (format is None or known == format)


def _format_of(paths: tuple[Path, ...], node: str) -> Format:
    formats: set[Format | None] = {SUFFIXES.get(path.suffix.lower()) for path in paths}
    only = formats.pop()
    if only is not None and not formats:
        return only
    raise PlanError(
        Diagnostic(
            code="PMPLAN105",
            message=f"the format of {node} is not told by the names of its files",
            node=node,
            help="write `format:`, one of " + ", ".join(cast("tuple[str, ...]", get_args(Format))),
        )
    )
