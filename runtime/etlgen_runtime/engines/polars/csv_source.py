"""CSV files as text columns: the header is read and judged here, the rows by Polars, every option fixed."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError, Diagnostic, PlanError

MAX_HEADER_BYTES = 1 << 20
"""A first record longer than this is no header."""


def scan_csv_file(path: Path, options: CsvOptions, declared: Sequence[str], staging: Path) -> pl.LazyFrame:
    """One file, lazily: one row per record, every column text; an empty field is NULL, a quoted empty one ``""``.

    Args:
        declared: Declared columns; they name the columns of a file without header.
        staging: Folder for a UTF-8 copy of a file in another encoding.

    Raises:
        DataError: PMDATA105, the file is empty, not in its encoding, or its header is missing, empty or ambiguous.
        PlanError: PMPLAN107, the encoding is unknown.
    """
    path = _in_utf8(path, options, staging)
    names = _header(path, options) if options.has_header else list(declared)
    return pl.scan_csv(
        path,
        has_header=options.has_header,
        separator=options.delimiter,
        quote_char=options.quote_char,
        skip_lines=options.skip_rows,
        comment_prefix=options.comment_prefix,
        null_values=list(options.null_values) or None,
        infer_schema=False,
        glob=False,
        raise_if_empty=False,
        new_columns=None if options.has_header else names,
    )


def _in_utf8(path: Path, options: CsvOptions, staging: Path) -> Path:
    """The file itself, or its UTF-8 copy: Polars reads UTF-8 only."""
    try:
        codec = codecs.lookup(options.encoding)
    except LookupError:
        raise PlanError(
            Diagnostic(
                code="PMPLAN107",
                message=f"unknown encoding `{options.encoding}`",
                node="source",
                help="use a Python codec name such as utf-8, latin-1, cp1252, utf-16",
            )
        ) from None
    if codec.name in ("utf-8", "ascii", "utf-8-sig"):
        return path
    copy = staging / "utf8" / f"{abs(hash(path)):x}-{path.name}"
    copy.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            path.open(encoding=codec.name, newline="") as source,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            while chunk := source.read(1 << 20):
                target.write(chunk)
    except UnicodeError:
        raise _unreadable(
            path, f"is not in the encoding `{options.encoding}`", "write its encoding under `options`"
        ) from None
    return copy


def _header(path: Path, options: CsvOptions) -> list[str]:
    """The column names of the first record."""
    with path.open("rb") as file:
        head = file.read(MAX_HEADER_BYTES)
    if not head:
        raise _unreadable(
            path, "is empty (0 bytes), but a header is expected", "write `has_header: false`, or remove it"
        )
    record = _first_record(path, head, options)
    names = record or []
    if not names:
        raise _unreadable(path, "has no header", "write `has_header: false`, or check `skip_rows` and `comment_prefix`")
    _refuse_ambiguous(path, names)
    return names


def _first_record(path: Path, head: bytes, options: CsvOptions) -> list[str] | None:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        text = decoder.decode(head)
    except UnicodeDecodeError:
        raise _unreadable(path, "is not UTF-8", "write its encoding under `options`") from None
    lines = io.StringIO(text, newline="").readlines()[options.skip_rows :]
    prefix = options.comment_prefix
    kept = [line for line in lines if not (prefix and line.startswith(prefix))]
    quote = options.quote_char
    reader = csv.reader(
        kept,
        delimiter=options.delimiter,
        quotechar=quote,
        quoting=csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL,
    )
    try:
        return next((record for record in reader if record), None)
    except csv.Error as error:
        raise _unreadable(path, f"has an unreadable header ({error})", "check delimiter and quote_char") from None


def _refuse_ambiguous(path: Path, names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise _unreadable(path, f"has an empty column name (column {position})", "name every column")
        folded = name.lower() if name.isascii() else name
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
    return DataError(Diagnostic(code="PMDATA105", message=f"`{path.name}` {what}", node="source", help=fix))
