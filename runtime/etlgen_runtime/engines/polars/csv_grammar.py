"""What a record of a CSV file is, byte by byte: the exact reading behind the fast scan of :mod:`csv_scan`.

A record is a line, or several where a quoted field holds line breaks. A line ends with LF or CRLF. A field is either free of
quotes, or it begins and ends with one and doubles every quote inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import Diagnostic, PlanError

LF, CR, NUL = b"\n", b"\r", b"\0"


class MalformedCsv(Exception):
    """A fault of the file: what is wrong with the record that begins at ``offset``, and the fix."""

    def __init__(self, offset: int, what: str, fix: str) -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what
        self.fix = fix

    def moved(self, by: int) -> MalformedCsv:
        """The same fault, its offset counted from an earlier byte."""
        return MalformedCsv(self.offset + by, self.what, self.fix)


@dataclass(frozen=True, slots=True)
class Record:
    """One record, blank line or comment line: ``buffer[start:end]``, its line end included."""

    kind: Literal["data", "blank", "comment"]
    start: int
    end: int
    fields: tuple[bytes, ...] = ()
    """Fields as written, quotes included; empty for a blank line and a comment."""


class CsvGrammar:
    """Records of one dialect.

    Args:
        options: The dialect.
        codec: ``utf-8`` or ``ascii``, what the bytes must be.

    Raises:
        PlanError: PMPLAN108, delimiter or quote is no single ASCII character, or they are the same.
    """

    def __init__(self, options: CsvOptions, codec: str) -> None:
        self.delimiter = _one_byte("delimiter", options.delimiter)
        self.quote = None if options.quote_char is None else _one_byte("quote_char", options.quote_char)
        if self.delimiter == self.quote:
            raise _unfit("`delimiter` and `quote_char` are the same character")
        self.comment = options.comment_prefix.encode() if options.comment_prefix else None
        self.codec = codec
        delimiter, quote = re.escape(self.delimiter), re.escape(self.quote or b"")
        self._plain = re.compile(rb"[^%b\n]*+" % delimiter)
        self._quoted = re.compile(rb"%b[^%b]*+(?:%b%b[^%b]*+)*+%b" % ((quote,) * 6)) if self.quote else None

    def next(self, buffer: bytes, start: int, *, at_end: bool) -> Record | None:
        """The record that begins at ``start``; ``None`` where the buffer ends before it does.

        Args:
            buffer: Bytes of the file, ``start`` being the begin of a line outside of quotes.
            at_end: The file ends with the buffer.

        Raises:
            MalformedCsv: The record is none; its offset is ``start``.
        """
        end = buffer.find(LF, start)
        if end < 0 and not at_end:
            return None
        stop = len(buffer) if end < 0 else end + 1
        if self.comment is not None and buffer.startswith(self.comment, start):
            self._check_text(buffer, start, stop)
            return Record("comment", start, stop)
        if buffer[start:stop] in (LF, b"\r\n"):
            return Record("blank", start, stop)
        return self._data(buffer, start, at_end)

    def _data(self, buffer: bytes, start: int, at_end: bool) -> Record | None:
        fields: list[bytes] = []
        position = start
        while True:
            found = self._field(buffer, position, start, at_end)
            if found is None:
                return None
            fields.append(buffer[position:found])
            if buffer.startswith(self.delimiter, found):
                position = found + 1
                continue
            stop = found if found == len(buffer) else buffer.index(LF, found) + 1
            self._check_text(buffer, start, stop)
            return Record("data", start, stop, tuple(fields))

    def _field(self, buffer: bytes, position: int, start: int, at_end: bool) -> int | None:
        """Where the field that begins at ``position`` ends; ``None`` where the buffer ends before it is certain."""
        if self._quoted is not None and self.quote is not None and buffer.startswith(self.quote, position):
            return self._quoted_field(self._quoted, buffer, position, start, at_end)
        match = self._plain.match(buffer, position)
        end = position if match is None else match.end()
        if end == len(buffer) and not at_end:
            return None
        if buffer.startswith(LF, end) and buffer.endswith(CR, position, end):
            end -= 1
        if self.quote is not None and buffer.find(self.quote, position, end) >= 0:
            what = f"a quote inside field {self._number(buffer, start, position)}, which does not begin with one"
            raise MalformedCsv(start, what, "quote the whole field and double the quotes inside, or set `quote_char`")
        if buffer.find(CR, position, end) >= 0:
            what = "a carriage return without line feed"
            raise MalformedCsv(start, what, "end lines with LF or CRLF, and quote fields that hold line breaks")
        return end

    def _quoted_field(
        self, quoted: re.Pattern[bytes], buffer: bytes, position: int, start: int, at_end: bool
    ) -> int | None:
        match = quoted.match(buffer, position)
        end = len(buffer) if match is None else match.end()
        if end + 1 >= len(buffer) and not at_end:
            return None  # a second quote, or the line feed of CRLF, may come with the next bytes
        if match is None:
            what = f"the quote that opens field {self._number(buffer, start, position)} is never closed"
            raise MalformedCsv(start, what, "close it, or set `quote_char`")
        if end == len(buffer) or buffer.startswith((self.delimiter, LF, b"\r\n"), end):
            return end
        what = f"text after the closing quote of field {self._number(buffer, start, position)}"
        raise MalformedCsv(start, what, "double the quotes inside of a quoted field, or set `quote_char`")

    def _number(self, buffer: bytes, start: int, position: int) -> int:
        """Which field of the record begins at ``position``, from 1."""
        before = buffer[start:position]
        if self._quoted is not None:
            before = self._quoted.sub(b"", before)
        return before.count(self.delimiter) + 1

    def _check_text(self, buffer: bytes, start: int, stop: int) -> None:
        text = buffer[start:stop]
        if NUL in text:
            raise MalformedCsv(start, "a NUL byte", "check `encoding`, and whether the file is complete")
        try:
            text.decode(self.codec)
        except UnicodeDecodeError:
            name = "UTF-8" if self.codec == "utf-8" else self.codec
            raise MalformedCsv(start, f"bytes that are not {name}", "write the encoding under `options`") from None

    def value(self, field: bytes) -> str:
        """The text of a field: without its quotes, doubled quotes as one."""
        quote = self.quote
        if quote is not None and field.startswith(quote):
            field = field[1:-1].replace(quote * 2, quote)
        return field.decode(self.codec)


def _one_byte(option: str, character: str) -> bytes:
    if len(character) != 1 or not character.isascii() or character in "\r\n\0":
        raise _unfit(f"`{option}` is not one ASCII character")
    return character.encode("ascii")


def _unfit(what: str) -> PlanError:
    return PlanError(
        Diagnostic(
            code="PMPLAN108",
            message=f"the CSV dialect cannot be read: {what}",
            node="source",
            help="use single ASCII characters, such as `,` `;` `|` or a tab, and another one as quote",
        )
    )
