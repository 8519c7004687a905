"""CSV files as text columns: each file is validated, then read by Polars with every option fixed (materialization, Sources)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.csv_encoding import UndecodableText, copy_as_utf8, plain_codec
from etlgen_runtime.engines.polars.csv_grammar import CsvGrammar, MalformedCsv
from etlgen_runtime.engines.polars.csv_scan import CsvFile, Preamble
from etlgen_runtime.text import fold_case

GZIP = b"\x1f\x8b"


def scan_csv_file(path: Path, options: CsvOptions, declared: Sequence[str], staging: Path) -> pl.LazyFrame:
    """One file, lazily: one row per record, every column text; an empty field is NULL, a quoted empty one ``""``.

    The whole file is validated first. A blank line is skipped where there are several columns, and a row of NULL where there is
    one.

    Args:
        declared: Declared columns; they name the columns of a file without header.
        staging: Folder for a UTF-8 copy of a file in another encoding, and for a copy without blank lines and comments.

    Raises:
        DataError: PMDATA105, the file cannot be opened, is empty, or is malformed; with file and line.
        PlanError: PMPLAN107, the encoding is unknown; PMPLAN108, the dialect is not one of single ASCII characters.
    """
    codec = plain_codec(options.encoding)
    grammar = CsvGrammar(options, codec or "utf-8")
    try:
        _refuse_unreadable(path, options)
        readable = path if codec is not None else _utf8_copy(path, options, staging)
        return _validated(path, CsvFile(readable, grammar), readable, options, declared, staging)
    except OSError as error:
        raise _unreadable(path, f"cannot be read: {error.strerror}", "check the file and its permissions") from None


def _refuse_unreadable(path: Path, options: CsvOptions) -> None:
    with path.open("rb") as file:
        head = file.read(len(GZIP))
    if not head and options.has_header:
        raise _unreadable(
            path, "is empty (0 bytes), but a header is expected", "write `has_header: false`, or remove it"
        )
    if head == GZIP:
        raise _unreadable(path, "is compressed with gzip", "unpack it")


def _utf8_copy(path: Path, options: CsvOptions, staging: Path) -> Path:
    copy = _new_file(staging, path)
    try:
        copy_as_utf8(path, options.encoding, copy)
    except UndecodableText as fault:
        raise _unreadable(
            path,
            f"line {fault.line}: bytes that are not in the encoding `{options.encoding}`",
            "write its encoding under `options`",
        ) from None
    return copy


def _new_file(staging: Path, path: Path) -> Path:
    """An empty file of its own: the same input may be read as source and as link."""
    folder = staging / "csv"
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, suffix=f"-{path.name}")
    os.close(handle)
    return Path(name)


def _validated(
    path: Path, file: CsvFile, readable: Path, options: CsvOptions, declared: Sequence[str], staging: Path
) -> pl.LazyFrame:
    try:
        start = file.preamble(options.skip_rows, has_header=options.has_header, blank_is_row=len(declared) == 1)
        names = _names(path, start, options, declared)
        is_empty, has_gaps = True, False
        for block in file.blocks(start.offset, len(names)):
            is_empty = is_empty and not block.data
            has_gaps = has_gaps or block.has_gaps
    except MalformedCsv as fault:
        raise _unreadable(path, f"line {file.line_of(fault.offset)}: {fault.what}", fault.fix) from None
    if is_empty:
        return pl.LazyFrame(schema=dict.fromkeys(names, pl.String))
    if has_gaps:
        copy = _new_file(staging, path)
        with copy.open("wb") as target:
            target.writelines(block.data for block in file.blocks(start.offset, len(names)))
        return _scan(copy, options, names, skip_lines=0)
    return _scan(readable, options, names, skip_lines=start.lines)


def _scan(path: Path, options: CsvOptions, names: Sequence[str], skip_lines: int) -> pl.LazyFrame:
    """Records only: header, comments and blank lines are not left to Polars."""
    return pl.scan_csv(
        path,
        has_header=False,
        separator=options.delimiter,
        quote_char=options.quote_char,
        skip_lines=skip_lines,
        null_values=list(options.null_values) or None,
        schema=dict.fromkeys(names, pl.String),
        glob=False,
    )


def _names(path: Path, start: Preamble, options: CsvOptions, declared: Sequence[str]) -> tuple[str, ...]:
    if not options.has_header:
        if not declared:
            raise _unreadable(
                path, "has no header, and no columns are declared", "declare them in `etlgen.source_fields`"
            )
        return tuple(declared)
    if start.header is None:
        raise _unreadable(path, "has no header", "write `has_header: false`, or check `skip_rows` and `comment_prefix`")
    _refuse_ambiguous(path, start.header)
    return start.header


def _refuse_ambiguous(path: Path, names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise _unreadable(path, f"has an empty column name (column {position})", "name every column")
        folded = fold_case(name)
        if folded in seen:
            other = seen[folded]
            what = (
                f"has two columns `{name}`"
                if other == name
                else f"has columns `{other}` and `{name}`, equal but for case"
            )
            raise _unreadable(path, what, "rename one of them")
        seen[folded] = name


def _unreadable(path: Path, what: str, fix: str) -> DataError:
    separator = ", " if what.startswith("line ") else " "
    return DataError(Diagnostic(code="PMDATA105", message=f"`{path.name}`{separator}{what}", node="source", help=fix))
