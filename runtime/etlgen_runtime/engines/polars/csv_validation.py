"""Validating a CSV file: at once, or in a thread while Polars reads the file already."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.engines.polars.csv_grammar import MalformedCsv
from etlgen_runtime.engines.polars.csv_scan import CsvFile, Preamble


def unreadable(path: Path, what: str, fix: str) -> DataError:
    """PMDATA105 for a file, named without its folder."""
    separator = ", " if what.startswith("line ") else " "
    return DataError(Diagnostic(code="PMDATA105", message=f"`{path.name}`{separator}{what}", node="source", help=fix))


@dataclass(frozen=True, slots=True)
class Validated:
    """What the bytes of a well-formed file are.

    Args:
        is_empty: There is no record.
        has_gaps: Between the records stand blank lines or comments, which Polars would take for records.
    """

    is_empty: bool
    has_gaps: bool


@dataclass(frozen=True, slots=True)
class CsvRecords:
    """The records of one file.

    Args:
        path: The file as messages name it.
        file: What is read: the file, or its copy in UTF-8.
        preamble: What stands before the records.
        columns: Fields of each record.
    """

    path: Path
    file: CsvFile
    preamble: Preamble
    columns: int

    def validate(self, stopped: Event | None = None) -> Validated:
        """Judge every byte, until ``stopped``.

        Raises:
            DataError: PMDATA105, the first malformed record, by its line.
        """
        is_empty, has_gaps = True, False
        try:
            for block in self.file.blocks(self.preamble.offset, self.columns):
                is_empty = is_empty and not block.data
                has_gaps = has_gaps or block.has_gaps
                if stopped is not None and stopped.is_set():
                    break
        except MalformedCsv as fault:
            raise unreadable(self.path, f"line {self.file.line_of(fault.offset)}: {fault.what}", fault.fix) from None
        return Validated(is_empty, has_gaps)

    def copy_without_gaps(self, target: Path) -> None:
        """The same preamble and records, and nothing between them."""
        with target.open("wb") as copy:
            copy.write(self.file.head(self.preamble.offset))
            copy.writelines(block.data for block in self.file.blocks(self.preamble.offset, self.columns))


class LateValidations:
    """Files that are read before they are validated. What was read of them is not to be published before :meth:`settle`."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="csv-validation")
        self._stopped = Event()
        self._waiting: list[tuple[CsvRecords, Path, Future[Validated]]] = []

    def begin(self, records: CsvRecords, link: Path) -> None:
        """Validate the file while Polars reads it through the symbolic link ``link``."""
        self._waiting.append((records, link, self._pool.submit(records.validate, self._stopped)))

    def settle(self) -> bool:
        """Wait for the verdicts: whether Polars has read what the files hold.

        Otherwise the links lead to copies without gaps from now on, and the files must be read again.

        Raises:
            DataError: PMDATA105, a file is malformed.
            OSError: A file cannot be read any more, or its copy cannot be written.
        """
        waiting, self._waiting = self._waiting, []
        gapped = [(records, link) for records, link, validated in waiting if validated.result().has_gaps]
        for records, link in gapped:
            copy = link.with_name(f"{link.name}.copy")
            records.copy_without_gaps(copy)
            os.replace(copy, link)
        return not gapped

    def stop(self) -> None:
        """Give up what is still being validated."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)
