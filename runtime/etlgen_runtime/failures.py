"""What a run says when it fails."""

from __future__ import annotations

from etlgen_runtime.diagnostics import Diagnostic, EtlgenError, ExecutionError

UNEXPECTED = "PMEXEC101"
"""Neither the engine's nor foreseen: a fault of code, which needs its traceback."""

INTERRUPTS = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Somebody stops the run: these go on after its report is written."""


def diagnosed(error: BaseException, described: Diagnostic | None, *, is_decided: bool) -> Diagnostic:
    """Any failure as a diagnostic.

    Args:
        described: What the engine says of it, where it is an error of the engine.
        is_decided: The next run finishes what this one has decided.
    """
    found = error.diagnostic if isinstance(error, EtlgenError) else described
    if found is not None:
        return found
    return Diagnostic(
        code=UNEXPECTED,
        message=f"the run stopped with {type(error).__name__}",
        node="run",
        help="see the cause" + ("; the next run finishes what this one had decided" if is_decided else ""),
    )


def interrupted(error: BaseException) -> Diagnostic:
    """PMEXEC114: a run that was stopped before its decision."""
    return Diagnostic(
        code="PMEXEC114",
        message=f"the run was interrupted ({type(error).__name__})",
        node="run",
        help="nothing was published; run again",
    )


def shown_cause(error: BaseException, diagnostic: Diagnostic, *, shows_values: bool) -> BaseException | None:
    """What a traceback may show: messages of the engine and of callbacks may hold values of the data."""
    if diagnostic.code != UNEXPECTED and not shows_values:
        return None
    return error.__cause__ if isinstance(error, EtlgenError) else error


def report_refused(error: OSError, *, is_published: bool) -> ExecutionError:
    """PMEXEC106."""
    return ExecutionError(
        Diagnostic(
            code="PMEXEC106",
            message=f"the report cannot be written: {error.strerror}",
            node="report",
            help="the data are published; the next run writes it" if is_published else "",
        )
    )
