"""The journal of a run: what it decided, so that the next run can finish what a killed one began.

``<state_dir>/journal/<run_id>.jsonl`` has one line per state. A line that the end of its process cut off was never written; anything
else that is no journal is an error (docs/design/publication.md).
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import os
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import TypeAdapter

from etlgen_runtime.cleanup import Cleanup
from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.durable import make_folders, sync_file, sync_folders
from etlgen_runtime.places import Place, Places
from etlgen_runtime.publication import Move
from etlgen_runtime.read_files import ReadFile
from etlgen_runtime.report import RunReport

V = TypeVar("V")

FORMAT = 2
"""Of the lines; a journal of another format is left to the version that wrote it."""

State = Literal["begin", "staged", "aborted", "published", "cleaned"]

_AFTER: Mapping[str | None, tuple[str, ...]] = {
    None: ("begin",),
    "begin": ("staged",),
    "staged": ("aborted", "published", "cleaned"),
    "published": ("cleaned",),
}
"""Which states follow which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """What a run is about to do.

    Args:
        code: Fingerprint of the generated package.
        as_of: ``as_of`` of its profile, if that says any.
        asset: The source by its profile, which stands in place of the contract's.
        quarantine: ``None``: the contract has none.
        staging: Folders outside of the state folder in which it stages files.
        inputs: The files that it reads; ``None``: its rows were handed to it.
    """

    run_id: str
    contract: str
    package: str
    code: str
    as_of: dt.datetime | None
    asset: str | None
    target: Place
    quarantine: Place | None
    staging: tuple[Place, ...]
    inputs: tuple[ReadFile, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a run has decided; everything after it can be done from here.

    Args:
        moves: In their order, the quarantine first.
        cleanup: What follows publication; ``None``: the input stays.
        accepted: Where the published rows of the run are, if they are published; ``quarantined``: likewise.
        report: As it reads once the moves are made.
    """

    moves: tuple[Move, ...]
    cleanup: Cleanup | None
    accepted: Place | None
    quarantined: Place | None
    report: RunReport

    def has_moved(self, name: str) -> bool:
        """Whether the rows of ``target`` or ``quarantine`` are known to be where readers look."""
        return any(move.name == name and move.has_succeeded() for move in self.moves)

    def stands(self) -> bool:
        """Whether what it was about is published: the target, or the quarantine where nothing else was to be.

        Raises:
            ExecutionError: PMEXEC102, the place may not be looked at.
        """
        if not self.moves:
            return True
        main = self.moves[-1]
        with main.refusals():
            return main.is_done()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A journal as it was read.

    Args:
        root: Of its run; what relative paths in it start from.
        report: The one that came with the last state, if any did.
    """

    root: Path
    begin: Begin
    decision: Decision | None
    state: State
    report: RunReport | None

    @property
    def reported_run(self) -> str:
        """The run of the reports in it, which name files."""
        found = {report.run_id for report in (self.report, self.decision.report if self.decision else None) if report}
        return found.pop() if len(found) == 1 else "" if found else self.begin.run_id


class Journal:
    """The journal of one run, its own or that of a run that died.

    Args:
        folder: The journal folder of the state folder.
        places: What its paths are relative to.
    """

    def __init__(self, folder: Path, run_id: str, places: Places) -> None:
        self.path = folder / f"{run_id}.jsonl"
        self._places = places
        self.is_decided = False

    def begin(self, begin: Begin) -> None:
        """Nothing of the run is visible yet.

        Raises:
            OSError: The state folder cannot be written.
        """
        made = make_folders(self.path.parent)
        sync_folders(folder.parent for folder in made)
        self._write("begin", format=FORMAT, root=self._places.written_root(), begin=begin)

    def staged(self, decision: Decision) -> None:
        """The decision. It is on the disk before the first effect; from here on the run is finished, by whomever.

        Raises:
            OSError: It cannot be written; the journal is gone, so nothing is decided.
        """
        try:
            self._write("staged", decision=decision)
            sync_file(self.path)
            sync_folders((self.path.parent,))
        except OSError:
            self.remove()
            raise
        self.is_decided = True

    def published(self) -> None:
        """The moves are made, the report is written. A hint: without it, the next run finds the same out."""
        with suppress(OSError):
            self._write("published")

    def cleaned(self, report: RunReport) -> None:
        """All is done by another run; its own outcome waits for the next run over the same input.

        Raises:
            OSError: The state folder cannot be written.
        """
        self._write("cleaned", report=report)

    def aborted(self, report: RunReport) -> None:
        """A move was refused: what is decided must not be done later, as if it had been accepted."""
        self.is_decided = False
        try:
            self._write("aborted", report=report)
            sync_file(self.path)
        except OSError:
            self.remove()

    def remove(self) -> None:
        """Nothing is left to do."""
        self.is_decided = False
        with suppress(OSError):  # left behind, the record of a run that ended is found done
            self.path.unlink()

    def cut(self) -> None:
        """Remove what follows the last whole line, before another one is written.

        Raises:
            OSError: The state folder cannot be written.
        """
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(self.path, whole)

    def _write(self, state: State, **parts: object) -> None:
        line = json.dumps({"state": state, **parts}, default=self._json_value) + "\n"
        if state != "begin":
            self.cut()  # a line before it may have found the disk full
        with self.path.open("ab") as file:
            file.write(line.encode())

    def _json_value(self, value: object) -> object:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        if isinstance(value, Path):
            return self._places.written(value)
        if isinstance(value, dt.datetime):
            return value.isoformat()
        raise TypeError(f"{type(value).__name__} has no place in a journal")


class _OtherFormatError(ValueError):
    """The journal of another version."""


def read_record(path: Path, places: Places) -> Record | None:
    """What a journal says; ``None``: its run died before the first line, or ended and removed it.

    Raises:
        ExecutionError: PMEXEC112, the file is no journal, or cannot be read.
    """
    try:
        *lines, _ = path.read_bytes().split(b"\n")  # what follows the last line end was cut off, or is nothing
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _damaged(path, error.strerror or type(error).__name__) from None
    record: Record | None = None
    for number, line in enumerate(lines, start=1):
        try:
            record, places = _advanced(record, line, places)
        except _OtherFormatError:
            raise _of_another_version(path) from None
        except (ValueError, KeyError, RecursionError):  # no JSON, no UTF-8, other fields or types, another order
            raise _damaged(path, f"line {number} is no state of a run") from None
    if record is not None and {record.begin.run_id, record.reported_run} != {path.stem}:
        raise _damaged(path, "it is of another run than its name says")
    return record


def _advanced(record: Record | None, line: bytes, places: Places) -> tuple[Record, Places]:
    """The record after one more line.

    Raises:
        ValueError, KeyError: The line does not fit.
    """
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("no object")
    found = cast("dict[str, Any]", value)  # JSON: judged part by part below
    state = found["state"]
    if state not in _AFTER.get(record.state if record else None, ()):
        raise ValueError("no such state here")
    if record is None:
        if found.get("format") != FORMAT:
            raise _OtherFormatError
        places = places.at(str(found["root"]))
        begin = _valid(Begin, found["begin"], places)
        return Record(root=places.root, begin=begin, decision=None, state="begin", report=None), places
    decision = _valid(Decision, found["decision"], places) if state == "staged" else record.decision
    report = _valid(RunReport, found["report"], places) if "report" in found else record.report
    return dataclasses.replace(record, decision=decision, state=state, report=report), places


def _valid(kind: type[V], value: object, places: Places) -> V:
    """A part of a line as the value that it was.

    Raises:
        ValidationError: It is none (a ``ValueError``).
    """
    adapter: TypeAdapter[V] = _adapter(cast("Hashable", kind))
    return adapter.validate_python(value, context=places)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    """Built when the first journal is read: an ordinary run reads none. ``Any``: one table for several types."""
    return TypeAdapter(kind)


def _of_another_version(path: Path) -> ExecutionError:
    return ExecutionError(
        Diagnostic(
            code="PMEXEC112",
            message=f"the journal `{path}` is of another version of the runtime, which writes them in another format",
            node="run",
            help="run its contract once with that version, which finishes it; or compare target, quarantine and input of that "
            "run by hand, then remove the file",
        )
    )


def _damaged(path: Path, reason: str) -> ExecutionError:
    return ExecutionError(
        Diagnostic(
            code="PMEXEC112",
            message=f"the journal `{path}` is damaged: {reason}",
            node="run",
            help="compare target, quarantine and input of that run by hand, then remove the file",
        )
    )
