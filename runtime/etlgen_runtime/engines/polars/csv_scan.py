"""The validating scan: every byte of a CSV file is judged before a row of it is published.

Polars fills short rows with NULL and accepts stray quotes in some places; a malformed file would give shifted or missing
values without a word (materialization, Sources). So the bytes are read once more, in blocks, in bounded memory. Most blocks
are settled by :class:`~etlgen_runtime.engines.polars.csv_regular.RegularRecords` in a few passes of C code; any other goes to
:class:`~etlgen_runtime.engines.polars.csv_grammar.CsvGrammar`, record by record, which finds the fault or sees that there is
none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path

from etlgen_runtime.engines.polars.csv_grammar import LF, CsvGrammar, MalformedCsv, Record
from etlgen_runtime.engines.polars.csv_regular import RegularRecords
from etlgen_runtime.limits import setting

BLOCK_BYTES = 1 << 18
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Preamble:
    """What stands before the records.

    Args:
        header: The fields of the header; ``None`` without one.
        offset: Byte at which the first record begins.
        lines: Line feeds before that byte.
    """

    header: tuple[str, ...] | None
    offset: int
    lines: int


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole records.

    Args:
        data: Their bytes, without blank lines that are skipped and without comments.
        has_gaps: There were such lines.
    """

    data: memoryview | bytes
    has_gaps: bool


class CsvFile:
    """One CSV file in UTF-8 or ASCII.

    Args:
        path: The file.
        grammar: Its dialect.
        record_bytes: The longest record, its line end included; a longer one is taken for a quote that is never closed.
        block_bytes: How much is read at once; more only for a longer record.
    """

    def __init__(self, path: Path, grammar: CsvGrammar, record_bytes: int, block_bytes: int = BLOCK_BYTES) -> None:
        self.path = path
        self._grammar = grammar
        self._record_bytes = record_bytes
        self._block_bytes = min(block_bytes, record_bytes + 1)

    def preamble(self, skip_rows: int, *, has_header: bool, blank_is_row: bool) -> Preamble:
        """Skip lines, blank lines and comments, and read the header. What is skipped behind it may end with the first block.

        Args:
            skip_rows: Lines at the top of the file that are no part of it; quotes have no meaning there.
            has_header: The first record holds the column names.
            blank_is_row: Without header, a blank line is a record: the file has one column.

        Raises:
            MalformedCsv: The lines that are skipped, or the header, are malformed.
        """
        before = _BeforeRecords(self._grammar, self._record_bytes, skip_rows, has_header, blank_is_row)
        rest, offset, lines = b"", 0, 0
        with self.path.open("rb", buffering=0) as file:
            while True:
                chunk = _read(file, max(self._block_bytes, len(rest), len(BOM)))
                rest += chunk
                try:
                    begin = len(BOM) if offset == 0 and rest.startswith(BOM) else 0
                    taken = before.take(rest, begin, at_end=not chunk)
                except MalformedCsv as fault:
                    raise fault.moved(offset) from None
                offset += taken
                lines += rest.count(LF, 0, taken)
                rest = rest[taken:]
                if before.is_done() or not chunk:
                    return Preamble(before.header, offset, lines)

    def blocks(self, offset: int, columns: int) -> Iterator[Block]:
        """All records from ``offset`` on, each with ``columns`` fields.

        Raises:
            MalformedCsv: At the first malformed record; its offset is that of the file.
        """
        regular = RegularRecords(self._grammar, columns)
        exact = _ExactRecords(self._grammar, regular, columns)
        rest = b""
        with self.path.open("rb", buffering=0) as file:
            file.seek(offset)
            while chunk := _read(file, min(max(self._block_bytes, len(rest)), self._record_bytes + 1 - len(rest))):
                rest += chunk
                if (taken := regular.length(rest)) > 0:
                    yield Block(memoryview(rest)[:taken], has_gaps=False)
                else:
                    taken, block = exact.take(rest, offset, at_end=False)
                    yield block
                if taken > self._record_bytes:  # then it may be one record, else there are several, or none
                    self._refuse_first(rest, offset)
                offset += taken
                rest = rest[taken:]
                if len(rest) > self._record_bytes:
                    raise _too_long(offset, self._record_bytes)
        if rest:
            yield exact.take(rest, offset, at_end=True)[1]

    def _refuse_first(self, buffer: bytes, offset: int) -> None:
        """The first record of the buffer, which begins at ``offset`` of the file, may not be too long."""
        record = self._grammar.next(buffer, 0, at_end=True)
        if record is not None and record.end > self._record_bytes:
            raise _too_long(offset, self._record_bytes)

    def begins_regular(self, offset: int, columns: int) -> bool:
        """What begins at ``offset`` is a record, and not a gap."""
        with self.path.open("rb", buffering=0) as file:
            file.seek(offset)
            return RegularRecords(self._grammar, columns).length(file.read(self._block_bytes)) > 0

    def ends_blank(self) -> bool:
        """The last line is blank."""
        with self.path.open("rb", buffering=0) as file:
            file.seek(-min(4, file.seek(0, os.SEEK_END)), os.SEEK_END)
            return file.read().endswith((b"\n\n", b"\n\r\n"))

    def head(self, size: int) -> bytes:
        """The first bytes."""
        with self.path.open("rb") as file:
            return file.read(size)

    def line_of(self, offset: int) -> int:
        """The line, from 1, that holds the byte at ``offset``."""
        lines = 1
        with self.path.open("rb", buffering=0) as file:
            while offset > 0 and (chunk := file.read(min(BLOCK_BYTES, offset))):
                lines += chunk.count(LF)
                offset -= len(chunk)
        return lines


class _BeforeRecords:
    """Lines that are skipped, blank lines, comments, and the header: taken as they come, so that none of them is kept."""

    def __init__(
        self, grammar: CsvGrammar, record_bytes: int, skip_rows: int, has_header: bool, blank_is_row: bool
    ) -> None:
        self._grammar = grammar
        self._record_bytes = record_bytes
        self._to_skip = skip_rows
        self._blank_is_row = blank_is_row
        self._in_body = not has_header
        self.header: tuple[str, ...] | None = None
        self._is_done = False

    def is_done(self) -> bool:
        """The first record was seen, or may come with the next bytes."""
        return self._is_done

    def take(self, buffer: bytes, position: int, *, at_end: bool) -> int:
        """How much of the buffer, from ``position`` on, stands before the records.

        Raises:
            MalformedCsv: The header is malformed, or something is too long.
        """
        while position < len(buffer):
            end = self._skipped(buffer, position, at_end) if self._to_skip else self._passed(buffer, position, at_end)
            if self.is_done():
                break
            self._refuse_long(position, len(buffer) if end is None else end)
            if end is None:
                return position
            position = end
        self._is_done = self._is_done or (self._in_body and not self._to_skip)
        return position

    def _skipped(self, buffer: bytes, position: int, at_end: bool) -> int | None:
        end = buffer.find(LF, position) + 1
        if not end and not at_end:
            return None
        self._to_skip -= 1
        return end or len(buffer)

    def _passed(self, buffer: bytes, position: int, at_end: bool) -> int | None:
        record = self._grammar.next(buffer, position, at_end=at_end)
        if self._in_body and (
            record is None or record.kind == "data" or (record.kind == "blank" and self._blank_is_row)
        ):
            self._is_done = True
            return None
        if record is None:
            return None
        if record.kind == "data":
            self.header = tuple(self._grammar.value(field) for field in record.fields)
            self._in_body, self._blank_is_row = True, len(self.header) == 1
        return record.end

    def _refuse_long(self, start: int, end: int) -> None:
        if end - start > self._record_bytes:
            raise _too_long(start, self._record_bytes)


class _ExactRecords:
    """Blocks that are not regular as a whole: regular runs between gaps, everything else record by record."""

    def __init__(self, grammar: CsvGrammar, regular: RegularRecords, columns: int) -> None:
        self._grammar = grammar
        self._regular = regular
        self._columns = columns
        gaps = [rb"\r?\n"] if columns != 1 else []
        if grammar.comment is not None:
            gaps.append(re.escape(grammar.comment))
        self._gap = re.compile(rb"\n(?=%b)" % b"|".join(gaps)) if gaps else None

    def take(self, buffer: bytes, offset: int, *, at_end: bool) -> tuple[int, Block]:
        """The whole records of the buffer, which begins at ``offset`` of the file, and how many bytes they take."""
        kept: list[bytes] = []
        has_gaps = False
        position = 0
        while position < len(buffer):
            match = self._gap.search(buffer, position) if self._gap else None
            gap = len(buffer) if match is None else match.end()
            run = self._regular.length(buffer[position:gap])
            kept.append(buffer[position : position + run])
            position += run
            while position <= gap and position < len(buffer):
                record = self._record(buffer, position, offset, at_end)
                if record is None:
                    return position, Block(b"".join(kept), has_gaps)
                if self._is_row(record):
                    kept.append(buffer[record.start : record.end])
                else:
                    has_gaps = True
                position = record.end
        return position, Block(b"".join(kept), has_gaps)

    def _is_row(self, record: Record) -> bool:
        return record.kind == "data" or (record.kind == "blank" and self._columns == 1)

    def _record(self, buffer: bytes, position: int, offset: int, at_end: bool) -> Record | None:
        try:
            record = self._grammar.next(buffer, position, at_end=at_end)
            if record is not None and self._is_row(record):
                _check_width(record, self._columns)
        except MalformedCsv as fault:
            raise fault.moved(offset) from None
        return record


def _read(file: RawIOBase, size: int) -> bytes:
    return file.read(size) or b""


def _check_width(record: Record, columns: int) -> None:
    found = len(record.fields) or 1
    if found != columns:
        what = f"{found} field{'s' if found != 1 else ''}, expected {columns}"
        raise MalformedCsv(record.start, what, "check the line, `delimiter` and `quote_char`")


def _too_long(offset: int, record_bytes: int) -> MalformedCsv:
    what = f"a record longer than {record_bytes} bytes, as if a quote were never closed"
    return MalformedCsv(offset, what, f"close the quote, or set `quote_char`; or raise {setting('record_bytes')}")
