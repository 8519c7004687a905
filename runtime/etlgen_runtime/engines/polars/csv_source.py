"""CSV files as text columns: each file is validated, then read by Polars with every option fixed (materialization, Sources)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.csv_encoding import UndecodableText, copy_as_utf8, plain_codec
from etlgen_runtime.engines.polars.csv_grammar import CsvGrammar, MalformedCsv
from etlgen_runtime.engines.polars.csv_scan import CsvFile, Preamble
from etlgen_runtime.engines.polars.csv_validation import CsvRecords, LateValidations, unreadable
from etlgen_runtime.text import fold_case

WORTH_A_THREAD = 1 << 23
"""Bytes of a file from which on reading and validating it at once pays."""
GZIP = b"\x1f\x8b"


def scan_csv_file(
    path: Path, options: CsvOptions, declared: Sequence[str], staging: Path, late: LateValidations | None = None
) -> pl.LazyFrame:
    """One file, lazily: one row per record, every column text; an empty field is NULL, a quoted empty one ``""``.

    The whole file is validated: before it is read, or meanwhile if it is large and ``late`` is given. A blank line is skipped
    where there are several columns, and a row of NULL where there is one.

    Args:
        declared: Declared columns; they name the columns of a file without header.
        staging: Folder for a UTF-8 copy of a file in another encoding, and for a copy without blank lines and comments.
        late: Takes validations that are to be settled before anything is published.

    Raises:
        DataError: PMDATA105, the file cannot be opened, is empty, or is malformed; with file and line.
        PlanError: PMPLAN107, the encoding is unknown; PMPLAN108, the dialect is not one of single ASCII characters.
    """
    codec = plain_codec(options.encoding)
    grammar = CsvGrammar(options, codec or "utf-8")
    try:
        _refuse_unreadable(path, options)
        readable = path if codec is not None else _utf8_copy(path, options, staging)
        records, names = _records(path, CsvFile(readable, grammar), options, declared)
        if late is not None and _may_wait(readable, records, options):
            link = _new_link(staging, readable)
            if link is not None:
                late.begin(records, link)
                return _scan(link, options, names, records.preamble)
        found = records.validate()
        if found.is_empty:
            return pl.LazyFrame(schema=dict.fromkeys(names, pl.String))
        if found.has_gaps:
            readable = _new_file(staging, path)
            records.copy_without_gaps(readable)
        return _scan(readable, options, names, records.preamble)
    except OSError as error:
        raise unreadable(path, f"cannot be read: {error.strerror}", "check the file and its permissions") from None


def scan_written_csv(path: Path) -> pl.LazyFrame:
    """A CSV file that Polars wrote, as text; Polars itself would read a name with quotes in the header as it is written there.

    Raises:
        DataError: PMDATA105, it has no header, or a malformed one.
    """
    options = CsvOptions()
    file = CsvFile(path, CsvGrammar(options, "utf-8"))
    try:
        preamble = file.preamble(options.skip_rows, has_header=True, blank_is_row=False)
    except MalformedCsv as fault:
        raise _malformed(path, file, fault) from None
    if preamble.header is None:
        raise unreadable(path, "has no header", "repair or remove it")
    return _scan(path, options, preamble.header, preamble)


def _refuse_unreadable(path: Path, options: CsvOptions) -> None:
    with path.open("rb") as file:
        head = file.read(len(GZIP))
    if not head and options.has_header:
        raise unreadable(
            path, "is empty (0 bytes), but a header is expected", "write `has_header: false`, or remove it"
        )
    if head == GZIP:
        raise unreadable(path, "is compressed with gzip", "unpack it")


def _utf8_copy(path: Path, options: CsvOptions, staging: Path) -> Path:
    copy = _new_file(staging, path)
    try:
        copy_as_utf8(path, options.encoding, copy)
    except UndecodableText as fault:
        raise unreadable(
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


def _new_link(staging: Path, path: Path) -> Path | None:
    """A symbolic link to the file, which can be turned to a copy of it while a plan names the link; ``None``: not on this system."""
    link = _new_file(staging, path)
    link.unlink()
    try:
        link.symlink_to(path.resolve())
    except OSError:
        return None
    return link


def _records(
    path: Path, file: CsvFile, options: CsvOptions, declared: Sequence[str]
) -> tuple[CsvRecords, tuple[str, ...]]:
    """The records behind header and preamble, and the names of their fields."""
    try:
        preamble = file.preamble(options.skip_rows, has_header=options.has_header, blank_is_row=len(declared) == 1)
    except MalformedCsv as fault:
        raise _malformed(path, file, fault) from None
    names = _names(path, preamble, options, declared)
    return CsvRecords(path, file, preamble, len(names)), names


def _malformed(path: Path, file: CsvFile, fault: MalformedCsv) -> DataError:
    return unreadable(path, f"line {file.line_of(fault.offset)}: {fault.what}", fault.fix)


def _may_wait(path: Path, records: CsvRecords, options: CsvOptions) -> bool:
    """Validation of this file is worth a thread, and it will hardly find gaps, for which the file would be read again."""
    if options.comment_prefix or path.stat().st_size < WORTH_A_THREAD:
        return False
    return records.file.begins_regular(records.preamble.offset, records.columns) and not records.file.ends_blank()


def _scan(path: Path, options: CsvOptions, names: Sequence[str], preamble: Preamble) -> pl.LazyFrame:
    """Records only: header, comments and blank lines are not left to Polars."""
    return pl.scan_csv(
        path,
        has_header=False,
        separator=options.delimiter,
        quote_char=options.quote_char,
        skip_lines=preamble.lines,
        null_values=list(options.null_values) or None,
        schema=dict.fromkeys(names, pl.String),
        glob=False,
    )


def _names(path: Path, start: Preamble, options: CsvOptions, declared: Sequence[str]) -> tuple[str, ...]:
    if not options.has_header:
        if not declared:
            raise unreadable(
                path, "has no header, and no columns are declared", "declare them in `etlgen.source_fields`"
            )
        return tuple(declared)
    if start.header is None:
        raise unreadable(path, "has no header", "write `has_header: false`, or check `skip_rows` and `comment_prefix`")
    _refuse_ambiguous(path, start.header)
    return start.header


def _refuse_ambiguous(path: Path, names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise unreadable(path, f"has an empty column name (column {position})", "name every column")
        folded = fold_case(name)
        if folded in seen:
            other = seen[folded]
            what = (
                f"has two columns `{name}`"
                if other == name
                else f"has columns `{other}` and `{name}`, equal but for case"
            )
            raise unreadable(path, what, "rename one of them")
        seen[folded] = name
