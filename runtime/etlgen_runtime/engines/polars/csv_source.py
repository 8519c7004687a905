"""CSV files as text columns: each file is validated, then read by Polars with every option fixed (materialization, Sources)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.csv_encoding import UndecodableText, copy_as_utf8, has_wide_units, plain_codec
from etlgen_runtime.engines.polars.csv_grammar import CsvGrammar, MalformedCsv
from etlgen_runtime.engines.polars.csv_scan import CsvFile, Preamble
from etlgen_runtime.engines.polars.csv_tally import LONGEST_LINE_BYTES, ByteTally
from etlgen_runtime.engines.polars.csv_validation import CsvRecords, unreadable
from etlgen_runtime.engines.polars.functions.columns import column
from etlgen_runtime.engines.polars.ledger import watch
from etlgen_runtime.engines.polars.reading import Reading, refuse_packed, refuse_wide, refused_by_system
from etlgen_runtime.limits import DEFAULT_LIMITS
from etlgen_runtime.text import fold_case

WORTH_A_THREAD = 1 << 23
"""Bytes of a file from which on reading and validating it at once pays."""


def scan_csv_file(
    path: Path, content: Path, options: CsvOptions, declared: Sequence[str], reading: Reading
) -> pl.LazyFrame:
    """One file, lazily: one row per record, every column text; an empty field is NULL, a quoted empty one ``""``.

    The whole file is validated: before it is read, or meanwhile if it is large and ``reading.late`` is given. A blank line is
    skipped where there are several columns, and a row of NULL where there is one.

    Args:
        path: The file as messages name it.
        content: The file, or what it holds unpacked.
        declared: Declared columns; they name the columns of a file without header.
        reading: Its staging folder takes a UTF-8 copy of a file in another encoding, and a copy without blank lines and comments.

    Raises:
        DataError: PMDATA105, the file cannot be opened, is empty, too large, or malformed; with file and line.
        PlanError: PMPLAN107, the encoding is unknown; PMPLAN108, the dialect is not one of single ASCII characters.
    """
    codec = plain_codec(options.encoding)
    grammar = CsvGrammar(options, codec or "utf-8")
    try:
        _refuse_unreadable(path, content, options)
        readable = content if codec is not None else _utf8_copy(path, content, options, reading)
        records, names = _records(path, CsvFile(readable, grammar, reading.limits.record_bytes), options, declared)
        refuse_wide(path, len(names) if options.has_header else 0, reading.limits)
        if reading.late is not None and _may_wait(readable, records, options):
            link = _new_link(reading, readable)
            if link is not None:
                measured = reading.late.begin(records, link, _tally(grammar, records, options, reading))
                frame = _scan(link, options, names, records.preamble)
                return frame if measured is None else watch(frame, measured.measure, every_column=True)
        found = records.validate()
        if found.is_empty:
            return pl.LazyFrame(schema=dict.fromkeys(names, pl.String))
        if found.has_gaps:
            readable = reading.new_file(readable)
            records.copy_without_gaps(readable)
        return _scan(readable, options, names, records.preamble)
    except OSError as error:
        raise refused_by_system(path, error) from None


def scan_written_csv(path: Path) -> pl.LazyFrame:
    """A CSV file that Polars wrote, as text; Polars itself would read a name with quotes in the header as it is written there.

    Raises:
        DataError: PMDATA105, it has no header, or a malformed one.
    """
    options = CsvOptions()
    file = CsvFile(path, CsvGrammar(options, "utf-8"), DEFAULT_LIMITS.record_bytes)
    try:
        preamble = file.preamble(options.skip_rows, has_header=True, blank_is_row=False)
    except MalformedCsv as fault:
        raise _malformed(path, file, fault) from None
    if preamble.header is None:
        raise unreadable(path, "has no header", "repair or remove it")
    return _scan(path, options, preamble.header, preamble)


def _refuse_unreadable(path: Path, content: Path, options: CsvOptions) -> None:
    with content.open("rb") as file:
        head = file.read(4)
    if not head and options.has_header:
        raise unreadable(
            path, "is empty (0 bytes), but a header is expected", "write `has_header: false`, or remove it"
        )
    if not has_wide_units(options.encoding):
        refuse_packed(path, head)


def _utf8_copy(path: Path, content: Path, options: CsvOptions, reading: Reading) -> Path:
    copy = reading.new_file(content)
    try:
        copy_as_utf8(content, options.encoding, copy)
    except UndecodableText as fault:
        raise unreadable(
            path,
            f"line {fault.line}: bytes that are not in the encoding `{options.encoding}`",
            "write its encoding under `options`",
        ) from None
    reading.discard(path, content)
    return copy


def _new_link(reading: Reading, path: Path) -> Path | None:
    """A symbolic link to the file, which can be turned to a copy of it while a plan names the link; ``None``: not on this system."""
    link = reading.new_file(path)
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


def _tally(grammar: CsvGrammar, records: CsvRecords, options: CsvOptions, reading: Reading) -> ByteTally | None:
    """``None``: texts that become NULL have no bytes any more, and a tally refuses no record that it can count."""
    countable = not options.null_values and reading.limits.record_bytes >= LONGEST_LINE_BYTES
    return ByteTally(grammar, records.columns) if countable else None


def _scan(path: Path, options: CsvOptions, names: Sequence[str], preamble: Preamble) -> pl.LazyFrame:
    """Records only: header, comments and blank lines are not left to Polars.

    Polars compares ``null_values`` with a field before it takes double quotes out of it, so those that hold a quote are ours.
    """
    quote = options.quote_char
    with_quotes = [value for value in options.null_values if quote and quote in value]
    records = pl.scan_csv(
        path,
        has_header=False,
        separator=options.delimiter,
        quote_char=quote,
        skip_lines=preamble.lines,
        null_values=[value for value in options.null_values if value not in with_quotes] or None,
        schema=dict.fromkeys(names, pl.String),
        glob=False,
    )
    if not with_quotes:
        return records
    return records.with_columns(pl.when(~column(name).is_in(with_quotes)).then(column(name)) for name in names)


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
