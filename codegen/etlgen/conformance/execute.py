"""Builds and runs one case: the only module here that calls the generator and the runtime."""

from __future__ import annotations

from pathlib import Path

from etlgen.conformance.case import Case
from etlgen.conformance.execution import Execution


def execute(case: Case, engine: str, workdir: Path) -> Execution:
    """Run the case with the engine, working in the empty folder ``workdir``."""
    raise NotImplementedError
