"""Which files a source or link names. Local paths only; nothing is opened here."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from etlgen_runtime.contract import Format
from etlgen_runtime.diagnostics import DataError, Diagnostic, PlanError
from etlgen_runtime.paths import AllowedFolders

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}

PACKED = (".gz", ".zip")
"""Suffixes of compressed files that are read; the suffix before it tells the format."""

PACKED_OTHERWISE = (
    ".7z",
    ".br",
    ".bz2",
    ".lz4",
    ".lzma",
    ".rar",
    ".snappy",
    ".sz",
    ".tar",
    ".tgz",
    ".xz",
    ".z",
    ".zst",
)
"""Suffixes of compressed files that are not."""


@dataclass(frozen=True, slots=True)
class InputFiles:
    """The files of one input, sorted by name, and their common format."""

    paths: tuple[Path, ...]
    format: Format


def find_files(
    root: Path,
    path: str,
    *,
    pattern: str | None,
    format: Format | None,
    node: str,
    allowed: AllowedFolders | None = None,
) -> InputFiles | None:
    """The files that ``path`` (a file, a folder, or a glob) names; ``None`` when a folder or pattern matches nothing.

    Args:
        allowed: Where they may lie; by default below ``root``.

    Raises:
        DataError: PMDATA103, the file or folder does not exist, or is neither; PMDATA105, a file is compressed in a way that is not
            read.
        PlanError: PMPLAN105, the format is neither given nor told by the suffix, or the files have several; PMPLAN120, what
            was found lies outside of ``allowed``; PMPLAN121, no such pattern can be.
    """
    root = root.absolute()  # a first part such as `~user` would be expanded by engines
    allowed = AllowedFolders(root) if allowed is None else allowed
    full = root / path
    if not glob.has_magic(path) or full.exists():
        allowed.require(full, node, path)
    if full.is_file():
        _refuse_packed_otherwise(full)
        return InputFiles((full,), format or _format_of((full,), node))
    try:
        found = _found(root, full, path, pattern, format)
    except (ValueError, NotImplementedError) as error:
        raise _no_pattern(pattern or path, node, error) from None
    if found is None:
        raise _absent(path, node, is_something=full.exists())
    allowed.require_all(found, node, path if full.is_dir() and pattern is None else pattern or path)
    if not found:
        return None
    for file in found:
        _refuse_packed_otherwise(file)
    return InputFiles(found, format or _format_of(found, node))


def _found(root: Path, full: Path, path: str, pattern: str | None, format: Format | None) -> tuple[Path, ...] | None:
    """Files of a folder or of a glob, by name; ``None`` where ``path`` is neither."""
    if full.is_dir():
        return tuple(sorted(p for p in full.glob(pattern or "*") if p.is_file() and (pattern or _is_data(p, format))))
    if glob.has_magic(path):
        names = glob.glob(path, root_dir=root, recursive=True)
        return tuple(sorted(p for name in names if (p := root / name).is_file()))
    return None


def _absent(path: str, node: str, *, is_something: bool) -> DataError:
    """PMDATA103. A device or a pipe cannot be read twice, as files are."""
    return DataError(
        Diagnostic(
            code="PMDATA103",
            message=f"`{path}` of {node} " + ("is neither a file nor a folder" if is_something else "does not exist"),
            node=node,
            help="copy it into a file" if is_something else "check the path; it is relative to the profile's root",
        )
    )


def _no_pattern(pattern: str, node: str, error: Exception) -> PlanError:
    reason = str(error).partition(":")[0].lower()
    return PlanError(
        Diagnostic(
            code="PMPLAN121",
            message=f"the pattern `{pattern}` of {node} cannot be used: {reason}",
            node=node,
            help="write a pattern relative to the folder, with `**` only as a whole part",
        )
    )


def shown_path(path: Path, root: Path) -> str:
    """A path for people: relative to the root where it lies below it."""
    base = root if path.is_relative_to(root) else root.absolute()
    return (path.relative_to(base) if path.is_relative_to(base) else path).as_posix()


def format_of_asset(path: str, declared: Format | None) -> Format | None:
    """The format of a file that a profile names in place of the contract's: what its suffix says, else what is declared.

    JSON Lines are often called ``.json``, so among these two the contract decides.
    """
    told = format_of_name(path)
    if told is None or {told, declared} == {"json", "jsonl"}:
        return declared
    return told


def is_packed(path: Path) -> bool:
    """The name says that the file is compressed, in a way that is read."""
    return path.suffix.lower() in PACKED


def unpacked_name(name: str) -> str:
    """A name or path without the suffix that says how the file is compressed: ``orders.csv`` of ``orders.csv.gz``."""
    return name[: name.rindex(".")] if is_packed(Path(name)) else name


def format_of_name(name: str) -> Format | None:
    """The format that a suffix tells; of a compressed file the one before: ``orders.csv.gz`` is csv."""
    return SUFFIXES.get(Path(unpacked_name(name)).suffix.lower())


def is_data_name(name: str, format: Format | None) -> bool:
    """Files that a folder without pattern means, and members of an archive: of the format by their suffix, not hidden.

    JSON Lines are often called ``.json``.
    """
    if name.startswith((".", "_")):
        return False
    known = SUFFIXES.get(Path(name).suffix.lower())
    return known is not None and (format is None or known == format or (known, format) == ("json", "jsonl"))


def _is_data(path: Path, format: Format | None) -> bool:
    """As :func:`is_data_name`, of a compressed file by the suffix before.

    Raises:
        DataError: PMDATA105, the file is compressed in a way that is not read: left out, its rows would be missing.
    """
    if is_data_name(path.stem, format):
        _refuse_packed_otherwise(path)
    return is_data_name(unpacked_name(path.name), format)


def _refuse_packed_otherwise(path: Path) -> None:
    if path.suffix.lower() in PACKED_OTHERWISE:
        raise DataError(
            Diagnostic(
                code="PMDATA105",
                message=f"`{path.name}` is compressed in a way that is not read",
                node="source",
                help=f"pack it as one of {', '.join(PACKED)}, unpack it, or leave it out by `pattern`",
            )
        )


def _format_of(paths: tuple[Path, ...], node: str) -> Format:
    formats: set[Format | None] = {format_of_name(path.name) for path in paths}
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
