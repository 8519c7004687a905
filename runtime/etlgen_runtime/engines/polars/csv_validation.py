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
from etlgen_runtime.engines.polars.csv_tally import ByteTally, MeasuredRows


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


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A file that is being read: what Polars has read of it so far, and the verdict, or the number of bytes that proves it."""

    records: CsvRecords
    link: Path
    measured: MeasuredRows | None
    verdict: Future[Validated | int]

    def is_read_as_it_is(self, *, to_its_end: bool) -> bool:
        """Every record is whole, and Polars has read nothing else."""
        verdict = self.verdict.result()
        if isinstance(verdict, int):
            if to_its_end and self.measured is not None and self.measured.are_whole(verdict):
                return True
            verdict = self.records.validate()
        return not verdict.has_gaps


class LateValidations:
    """Files that are read before they are validated. What was read of them is not to be published before :meth:`settle`."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="csv-validation")
        self._stopped = Event()
        self._waiting: list[_Waiting] = []

    def begin(self, records: CsvRecords, link: Path, tally: ByteTally | None) -> MeasuredRows | None:
        """Validate the file while Polars reads it through the symbolic link ``link``.

        Args:
            tally: Counts the bytes, where that can replace a look at each record.

        Returns:
            What has to look at every batch that is read of the file, with all its columns; ``None`` without ``tally``.
        """
        measured = None if tally is None else MeasuredRows(tally.columns)
        self._waiting.append(_Waiting(records, link, measured, self._pool.submit(self._judge, records, tally)))
        return measured

    def _judge(self, records: CsvRecords, tally: ByteTally | None) -> Validated | int:
        found = None if tally is None else tally.count(records.file.path, records.preamble.offset, self._stopped)
        return records.validate(self._stopped) if found is None else found

    def restart(self) -> None:
        """The files are read from their begin."""
        for waiting in self._waiting:
            if waiting.measured is not None:
                waiting.measured.restart()

    def settle(self, *, to_their_end: bool) -> bool:
        """Wait for the verdicts: whether Polars has read what the files hold.

        Otherwise the links lead to copies without gaps from now on, and the files must be read again.

        Args:
            to_their_end: It has read all of them, and has not given up.

        Raises:
            DataError: PMDATA105, a file is malformed.
            OSError: A file cannot be read any more, or its copy cannot be written.
        """
        waiting, self._waiting = self._waiting, []
        gapped = [each for each in waiting if not each.is_read_as_it_is(to_its_end=to_their_end)]
        for each in gapped:
            copy = each.link.with_name(f"{each.link.name}.copy")
            each.records.copy_without_gaps(copy)
            os.replace(copy, each.link)
        return not gapped

    def stop(self) -> None:
        """Give up what is still being validated."""
        self._stopped.set()
        self._pool.shutdown(cancel_futures=True)
