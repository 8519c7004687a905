"""Runs of well-formed records, told without looking at them one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from etlgen_runtime.engines.polars.csv_grammar import CR, LF, NUL, CsvGrammar

SAMPLE_BYTES = 4096
SPARSE_QUOTES = 32
"""With more quotes than this in the sample, one expression over the whole run is faster than a search for each quote."""


class RegularRecords:
    """Tells how much of a buffer is nothing but well-formed records.

    Never wrong about what it counts; what it does not count may still be well-formed. Records without quotes are told together:
    what remains of them without their text must be the delimiters and the line feed of one record, repeated. Records with
    quotes match an expression, whose possessive repeats have one reading only.

    Args:
        grammar: The dialect.
        columns: Fields of each record.
    """

    def __init__(self, grammar: CsvGrammar, columns: int) -> None:
        self._codec = grammar.codec
        self._skeleton = grammar.delimiter * (columns - 1) + LF
        self._text = bytes(set(range(256)) - set(grammar.delimiter + LF))
        self._comment = grammar.comment
        self._quote = grammar.quote
        if grammar.quote is not None:
            record = record_pattern(re.escape(grammar.delimiter), re.escape(grammar.quote), columns)
            self._record = re.compile(record)
            self._records = re.compile(rb"(?:%b)*+" % record)

    def length(self, buffer: bytes) -> int:
        """Bytes at the begin of the buffer, itself the begin of a line, that are whole, well-formed records."""
        if self._may_have_comment(buffer) or NUL in buffer:
            return 0
        quote = self._quote
        if quote is None or quote not in buffer:
            end = buffer.rfind(LF) + 1
            end = end if self._is_plain([memoryview(buffer)[:end]]) else 0
        elif buffer.count(quote, 0, SAMPLE_BYTES) > SPARSE_QUOTES:
            match = self._records.match(buffer)
            end = 0 if match is None else match.end()
        else:
            end = self._sparsely_quoted(buffer, quote)
        return end if self._is_text(buffer, end) else 0

    def _may_have_comment(self, buffer: bytes) -> bool:
        comment = self._comment
        return comment is not None and (buffer.startswith(comment) or LF + comment in buffer)

    def _sparsely_quoted(self, buffer: bytes, quote: bytes) -> int:
        """As :meth:`length`: the records with quotes one by one, the others together."""
        view = memoryview(buffer)
        plain: list[memoryview] = []
        done = 0
        end = buffer.rfind(LF) + 1
        while (found := buffer.find(quote, done)) >= 0:
            begin = buffer.rfind(LF, done, found) + 1 or done
            match = self._record.match(buffer, begin)
            if match is None:
                end = begin
                break
            plain.append(view[done:begin])
            done = match.end()
        plain.append(view[done : max(end, done)])
        return max(end, done) if self._is_plain(plain) else 0

    def _is_plain(self, parts: Sequence[memoryview]) -> bool:
        """The parts, which hold no quote, are regular records."""
        run = b"".join(parts)
        if CR in run and run.count(CR) != run.count(b"\r\n"):
            return False
        skeleton = run.translate(None, self._text)
        return skeleton == self._skeleton * (len(skeleton) // len(self._skeleton))

    def _is_text(self, buffer: bytes, end: int) -> bool:
        if buffer.isascii():
            return True
        try:
            str(memoryview(buffer)[:end], self._codec)
        except UnicodeDecodeError:
            return False
        return True


def record_pattern(delimiter: bytes, quote: bytes, columns: int) -> bytes:
    """Exactly one well-formed record with its line end."""
    inside = rb"[^%b]*+" % quote
    quoted = rb"%b%b(?:%b%b%b)*+%b" % (quote, inside, quote, quote, inside, quote)
    field = rb"(?:%b|[^%b%b\r\n]*+)" % (quoted, quote, delimiter)
    return rb"%b(?:%b%b){%d}\r?\n" % (field, delimiter, field, columns - 1)
