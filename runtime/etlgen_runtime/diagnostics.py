"""Findings at run time: facts for reports, and the exceptions that carry them. No value of a sensitive column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One finding about data, the plan or the execution of a run.

    Args:
        code: Stable code of family PMDATA, PMPLAN or PMEXEC (docs/diagnostics.md).
        message: One sentence without values of sensitive columns.
        severity: ``error``, ``warning`` or ``info``.
        node: Step or transformation in which it arose.
        field: Column concerned.
        rule: Rule concerned.
        count: Rows concerned, where rows are counted.
        help: The fix.
    """

    code: str
    message: str
    severity: Literal["error", "warning", "info"] = "error"
    node: str = ""
    field: str | None = None
    rule: str | None = None
    count: int | None = None
    help: str = ""


class EtlgenError(Exception):
    """Base of everything that the runtime raises on purpose."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        text = f"{diagnostic.code}: {diagnostic.message}"
        super().__init__(f"{text} ({diagnostic.help})" if diagnostic.help else text)


class PlanError(EtlgenError):
    """The run cannot be planned: unknown engine, asset or profile, missing extra. Raised before any row is read."""


class DataError(EtlgenError):
    """The input, a link or the target is not what the contract says."""


class ExecutionError(EtlgenError):
    """The engine or the file system failed while the run was executing; the target is as it was."""
