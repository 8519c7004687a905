"""Runs that are killed at a chosen change of a file, and what they leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e.packages import Pipeline
from tests.kill.prison import Server

from etlgen_runtime.report import RunReport

FIRST_MOVE = r"os\.rename .*/staging/.*"
"""Everything is decided, nothing is moved."""

TARGET_MOVE = r"os\.rename .*/target.* "

FIRST_REPORT = r"open .*/runs/"
"""Everything is moved, the report is not written, the input is in place."""


def kill(server: Server, pipeline: Pipeline, root: Path, at: str, **profile: Any) -> None:
    """Kill a run before the first change of a file that ``at`` fits."""
    answer = server.ask(package=pipeline.package, profile={"root": str(root), **profile}, at=at)
    assert answer["is_killed"], answer


def journals(root: Path) -> list[str]:
    """The journals that are left."""
    return sorted(path.name for path in (root / ".etlgen" / "journal").glob("*"))


def codes(report: RunReport) -> list[str]:
    """The codes of the diagnostics of a report."""
    return [diagnostic.code for diagnostic in report.diagnostics]
