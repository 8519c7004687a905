"""The process that is killed. One server imports everything once and forks a child for each run.

A request is a line of JSON on stdin, its outcome one on stdout. Polars begins its threads at the first query, so a child that is
forked before one has all of its own.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

PATIENCE_S = 60.0

CHANGES = (
    "os.rename", "os.link", "os.symlink", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.utime", "os.chmod", "shutil.",
    "ctypes.dlsym", "fcntl.flock",
)  # fmt: skip
"""Audit events before which a process can be killed, apart from opening a file to write. ``ctypes`` is the exchange of folders."""


class Executioner:
    """Counts the changes of files that a run is about to make, and kills it before one of them.

    Args:
        at: Number of the change, from 1, or a pattern that its first occurrence fits; ``None``: none.
        rows: Kill from the engine's threads once so many rows are read.
    """

    def __init__(self, at: int | str | None, rows: int | None) -> None:
        self._at = at
        self._rows = rows
        self.changes: list[str] = []
        self.is_watching = False

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """An audit hook."""
        if not self.is_watching or not _is_change(event, arguments):
            return
        change = " ".join([event, *(str(one) for one in arguments[: 2 if event in ("os.rename", "os.link") else 1])])
        self.changes.append(change)
        if len(self.changes) == self._at or (isinstance(self._at, str) and re.search(self._at, change)):
            os.kill(os.getpid(), signal.SIGKILL)

    def seen(self, rows: int) -> None:
        """A callback of the run."""
        if self._rows is not None and rows >= self._rows:
            os.kill(os.getpid(), signal.SIGKILL)


def _is_change(event: str, arguments: tuple[Any, ...]) -> bool:
    if event == "open":
        _, mode, flags = arguments
        writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
        return writes or (mode is None and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)))
    return event.startswith(CHANGES)


def run(request: dict[str, Any]) -> dict[str, Any]:
    """One run, in this process."""
    from etlgen_runtime import Callbacks, Profile, RunFailed

    executioner = Executioner(request.get("at"), request.get("rows"))
    sys.addaudithook(executioner.hear)
    importlib.invalidate_caches()
    module = importlib.import_module(request["package"])
    profile = Profile(**request["profile"])
    executioner.is_watching = True
    try:
        result = module.run(profile, callbacks=Callbacks(on_rows=executioner.seen))
    except RunFailed as failed:
        executioner.is_watching = False
        report, rows = failed.report, None
    else:
        executioner.is_watching = False
        report = result.report
        rows = sorted(result.accepted.native.collect().rows())
        result.quarantined.native.collect()
    return {
        "changes": executioner.changes,
        "run_id": report.run_id,
        "status": report.status,
        "accepted": report.accounting.accepted,
        "quarantined": report.accounting.quarantined,
        "published": report.published,
        "codes": [diagnostic.code for diagnostic in report.diagnostics],
        "rows": rows if rows is None else [len(rows), rows[:10]],
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Fork, run, and wait; after ``delay_s`` the child is killed from here."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(run(request)).encode())
        except BaseException as error:
            os.write(writer, json.dumps({"error": repr(error)}).encode())
        finally:
            os._exit(0)
    os.close(writer)
    delay = request.get("delay_s")
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    text, is_hung = b"", False
    while select.select([reader], [], [], PATIENCE_S)[0] or not (is_hung := True):
        block = os.read(reader, 1 << 16)
        if not block:
            break
        text += block
    if is_hung:
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    is_killed = os.WIFSIGNALED(status)
    outcome = {"error": "the run hangs"} if is_hung else {} if is_killed else json.loads(text)
    return {**outcome, "is_killed": is_killed}


def serve() -> None:
    """Answer until stdin ends."""
    import polars
    import pydantic

    import etlgen_runtime.engines.polars

    del polars, pydantic, etlgen_runtime
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    sys.path[:0] = [str(Path(folder)) for folder in sys.argv[1:]]
    serve()
