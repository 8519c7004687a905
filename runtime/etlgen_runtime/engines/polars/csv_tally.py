"""Proof that no record of a CSV file is short, without a look at each of them.

What Polars makes of a file without gaps has ``columns`` fields in every row, the missing ones of a short record as NULL, and it
refuses a long one, but for one more delimiter at the very end of the file, which is therefore looked at. So a row whose last field
is not NULL is whole, and where all are, nothing more is to be shown. Otherwise the bytes are counted. Every byte of the file is text, a delimiter, a line end, or a quote that is taken away; if all records are whole

    bytes of the file  =  bytes of text + columns x rows + carriage returns + quotes taken away

and each field that a record lacks leaves the left side one byte short. The thread that looks at the bytes needs only searches that
run at the speed of memory; the text is measured where Polars has it already.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import polars as pl
import polars.selectors as cs

from etlgen_runtime.engines.polars.csv_grammar import CR, LF, NUL, CsvGrammar
from etlgen_runtime.engines.polars.csv_regular import SAMPLE_BYTES, SPARSE_QUOTES, record_pattern

LONGEST_LINE_BYTES = 1 << 17
"""What is read at once; a longer line is not counted."""
_CRLF = b"\r\n"
_TEXT_BYTES = cs.string().as_expr().str.len_bytes().cast(pl.UInt64).sum()


class MeasuredRows:
    """What Polars has read of one file: looked at batch by batch, from any of the engine's threads."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._lock = threading.Lock()
        self.restart()

    def restart(self) -> None:
        """Forget what was read so far: it is read again."""
        self._bytes: int | None = None
        self._is_first = True
        self._last_fields_missing = 0

    def measure(self, batch: pl.DataFrame) -> None:
        """Add a batch, with all its columns. The first one decides whether bytes are counted."""
        missing = batch.to_series(-1).null_count()
        with self._lock:
            if self._is_first and missing:
                self._bytes = 0
            self._is_first = False
            self._last_fields_missing += missing
        if self._bytes is not None:
            text = batch.select(pl.sum_horizontal(_TEXT_BYTES)).item()
            with self._lock:
                self._bytes += text + self._columns * batch.height

    def are_whole(self, bytes_of_file: int) -> bool:
        """Every record has all its fields; ``False`` also where that is not known.

        Args:
            bytes_of_file: Those of text, delimiters and line feeds.
        """
        return self._bytes == bytes_of_file if self._bytes is not None else not self._last_fields_missing


@dataclass(frozen=True, slots=True)
class ByteTally:
    """The bytes of a file that are text, delimiters or line feeds.

    Args:
        grammar: The dialect; one with comments cannot be tallied.
        columns: Fields of each record.
    """

    grammar: CsvGrammar
    columns: int

    def count(self, path: Path, offset: int, stopped: Event) -> int | None:
        """Those from ``offset`` on; ``None`` where only a look at each record tells whether it is well-formed.

        Raises:
            OSError: The file cannot be read.
        """
        total = 0
        quoted = _Quoted(self.grammar, self.columns)
        for lines, size in _pieces(path, offset, self.grammar.delimiter):
            taken = quoted.taken_away(lines, size) if self._is_text(lines, size) else None
            if taken is None:
                return None
            total += size - taken
            if stopped.is_set():
                break
        return total

    def _is_text(self, lines: bytes, size: int) -> bool:
        """Without a NUL, in the encoding of the file."""
        if NUL in lines:
            return False
        if lines.isascii():
            return True
        try:
            str(memoryview(lines)[:size], self.grammar.codec)
        except UnicodeDecodeError:
            return False
        return True


def _pieces(path: Path, offset: int, delimiter: bytes) -> Iterator[tuple[bytes, int]]:
    """Blocks that begin with a line, and how many of their bytes are whole lines; the last line is ended if it is not.

    NUL stands for what is no matter of counting: a line that fills a block of its own, and a last one that ends in what Polars drops
    there, a delimiter or a carriage return.
    """
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        while block := file.read(LONGEST_LINE_BYTES):
            size = block.rfind(LF) + 1
            if size:
                yield block, size
                offset = file.seek(offset + size)
            elif len(block) == LONGEST_LINE_BYTES or block.endswith((CR, delimiter)):
                yield NUL, 1
            else:
                yield block + LF, len(block) + 1
                return


class _Quoted:
    """Quotes and carriage returns that reading takes away."""

    def __init__(self, grammar: CsvGrammar, columns: int) -> None:
        self._quote = grammar.quote
        if grammar.quote is not None:
            delimiter, quote = re.escape(grammar.delimiter), re.escape(grammar.quote)
            self._empty = grammar.delimiter + grammar.quote * 2 + grammar.delimiter
            self._record = re.compile(record_pattern(delimiter, quote, columns))
            self._field = re.compile(rb"(?:^|%b)%b(?:[^%b]|%b%b)*+%b" % (delimiter, quote, quote, quote, quote, quote))

    def taken_away(self, lines: bytes, size: int) -> int | None:
        """How many; ``None`` where the lines are not plain, or hold more than a few quotes."""
        returns = lines.count(CR, 0, size) if CR in lines else 0
        if returns and returns != lines.count(_CRLF, 0, size):
            return None
        if self._quote is None or self._quote not in lines:
            return returns
        quotes = self._quotes(lines, self._quote, size)
        return None if quotes is None else returns + quotes

    def _quotes(self, lines: bytes, quote: bytes, size: int) -> int | None:
        """Of quoted empty fields, and of other records that are well-formed, each looked at by itself."""
        if lines.count(quote, 0, SAMPLE_BYTES) > SPARSE_QUOTES:
            return None
        taken = end = done = 0
        while (found := lines.find(quote, end, size)) >= 0:
            if lines[found - 1 : found + 3] == self._empty:
                taken, end = taken + 2, found + 2
                continue
            begin = lines.rfind(LF, done, found) + 1 or done
            match = self._record.match(lines, begin, size)
            if match is None:
                return None
            end = done = match.end()
            both, known = lines.count(quote, begin, end), lines.count(quote, begin, found)
            fields = 1 if both == 2 else len(self._field.findall(lines[begin:end]))
            taken += fields + both // 2 - known  # two around each field, and one of each pair inside it
        return taken
