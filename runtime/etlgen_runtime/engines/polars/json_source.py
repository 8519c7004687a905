"""JSON and JSONL files: declared columns as they are spelled, others in the type of all their values (materialization, Sources).

A file is read once, in blocks. What was read is kept in columns; they go to the staging folder a part at a time, so that memory
grows neither with the file nor with its rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TextIO

import polars as pl

from etlgen_runtime.engines.polars.csv_validation import unreadable
from etlgen_runtime.engines.polars.json_columns import Kinds, as_types, kept_column
from etlgen_runtime.engines.polars.json_objects import object_batches
from etlgen_runtime.engines.polars.json_spelled import SPELLED, spelled_column
from etlgen_runtime.engines.polars.json_text import (
    BLOCK_CHARS,
    MalformedJson,
    TextWindow,
    line_that_is_not_utf8,
    open_text,
)
from etlgen_runtime.engines.polars.reading import Reading, refuse_packed, refuse_wide, refused_by_system

_FIX = "fix or remove the file"
PART_BYTES = 1 << 24
"""Rows of a file that is smaller stay in memory."""


def scan_json_file(
    path: Path,
    content: Path,
    reading: Reading,
    *,
    lines: bool,
    declared: Collection[str] = (),
    block_chars: int = BLOCK_CHARS,
    part_bytes: int = PART_BYTES,
) -> pl.LazyFrame | None:
    """One file, lazily: one row per object; a key that a row lacks is NULL. ``None`` where there are no rows, and so no columns.

    Columns stand in the order in which their names first appear. Declared ones are :data:`SPELLED`, to be read as their types. Of
    the others, integers, floats, booleans and text keep their kind, integers beyond 64 bits as ``Int128``; a column of mixed
    kinds, of numbers that neither integers nor doubles hold, or of NULL alone is text, nested values are JSON text.

    Args:
        path: The file as messages name it.
        content: The file, or what it holds unpacked.
        reading: Its staging folder takes the rows of a file that is larger than a part.
        declared: Columns whose types are known.
        lines: One object per line; else an array of objects, or one object.
        block_chars: How much text is read and held as Python values at once.
        part_bytes: How many bytes of columns are held in memory.

    Raises:
        DataError: PMDATA105, the file cannot be opened, is not UTF-8, not JSON, or not objects, or is too large; names file and line.
    """
    table = _Table(reading, part_bytes, frozenset(declared))
    try:
        with _open(path, content) as file:
            window = TextWindow(file, reading.limits.record_bytes, block_chars)
            for batch in object_batches(window, lines=lines, batch_chars=block_chars):
                table.add(batch)
                refuse_wide(path, table.width, reading.limits)
    except UnicodeDecodeError:
        raise unreadable(path, f"is not UTF-8 (line {line_that_is_not_utf8(content)})", _FIX) from None
    except MalformedJson as fault:
        raise unreadable(path, fault.what, fault.fix) from None
    reading.discard(path, content)
    return table.frame()


def _open(path: Path, content: Path) -> TextIO:
    try:
        with content.open("rb") as file:
            head = file.read(4)
        refuse_packed(path, head)
        return open_text(content)
    except OSError as error:
        raise refused_by_system(path, error) from None


class _Table:
    """Rows that came so far: whole parts in files, the rest in memory.

    Args:
        reading: Makes the files.
        part_bytes: What is in memory goes to a file when it has that size.
        declared: Columns that are kept as they are spelled.
    """

    def __init__(self, reading: Reading, part_bytes: int, declared: frozenset[str]) -> None:
        self._reading = reading
        self._part_bytes = part_bytes
        self._declared = declared
        self._kinds: dict[str, Kinds] = {}
        self._kept: dict[str, pl.DataType] = {}
        self._in_memory: list[pl.DataFrame] = []
        self._bytes = 0
        self._files: list[tuple[dict[str, pl.DataType], list[Path]]] = []

    def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Keep a batch of rows.

        Raises:
            MalformedJson: A value is nested too deeply.
        """
        frame = self._frame_of(rows)
        kept = {name: self._spelled(name) or kinds.kept_type for name, kinds in self._kinds.items()}
        if kept != self._kept:
            self._in_memory = [as_types(held, self._kept, kept) for held in self._in_memory]
            self._bytes = sum(map(_size_bytes, self._in_memory))
            self._kept = kept
        self._in_memory.append(frame)
        self._bytes += _size_bytes(frame)
        if self._bytes >= self._part_bytes:
            self._write()

    @property
    def width(self) -> int:
        """How many columns there are so far."""
        return len(self._kinds)

    def frame(self) -> pl.LazyFrame | None:
        """All rows, every column in its type; ``None`` without rows."""
        types = {name: self._spelled(name) or kinds.type for name, kinds in self._kinds.items()}
        frames = [
            as_types(pl.scan_ipc(files, glob=False, hive_partitioning=False), kept, types)
            for kept, files in self._files
        ]
        if self._in_memory:
            frames.append(as_types(pl.concat(self._in_memory), self._kept, types).lazy())
        return pl.concat(frames) if frames else None

    def _spelled(self, name: str) -> pl.DataType | None:
        return SPELLED if name in self._declared else None

    def _frame_of(self, rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
        for row in rows:
            if not row.keys() <= self._kinds.keys():
                self._kinds |= {name: Kinds(0) for name in row if name not in self._kinds}
        made: dict[str, pl.Series] = {}
        for name in self._kinds:
            values = [row.get(name) for row in rows]
            try:
                made[name] = self._column(name, values)
            except RecursionError:
                raise MalformedJson(f"is not JSON that can be read: `{name}` is nested too deeply") from None
        return pl.DataFrame(made) if made else pl.DataFrame(height=len(rows))

    def _column(self, name: str, values: Sequence[object]) -> pl.Series:
        if name in self._declared:
            return spelled_column(name, values)
        self._kinds[name] |= Kinds.of(values)
        return kept_column(name, values, self._kinds[name])

    def _write(self) -> None:
        file = self._reading.new_file(Path("rows.arrow"))
        pl.concat(self._in_memory).write_ipc(file, compression="lz4")
        self._in_memory, self._bytes = [], 0
        if not self._files or self._files[-1][0] != self._kept:
            self._files.append((self._kept, []))
        self._files[-1][1].append(file)


def _size_bytes(frame: pl.DataFrame) -> int:
    return int(frame.estimated_size())
