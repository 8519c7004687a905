"""Hooks of a run: plain functions that the caller passes to ``run()``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.report import RunReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Callbacks:
    """Functions that a run calls.

    Args:
        on_step_start: Called with number and name before each of the nine steps. On lazy engines steps 1 to 7 only plan; the
            work happens in step 8.
        on_rows: Called with the number of source rows read so far; from the engine's threads, so it must be quick and
            thread-safe.
        on_run_finish: Called once with the report, also when the run failed.

    A callback that raises fails the run with the callback named (PMEXEC104). What it says may hold values of the data: it is the
    cause of :class:`RunFailed` only where the profile says ``sensitive: keep``.
    """

    on_step_start: Callable[[int, str], None] | None = None
    on_rows: Callable[[int], None] | None = None
    on_run_finish: Callable[[RunReport], None] | None = None


def callback_failed(hook: object, error: Exception, *, published: bool = False) -> ExecutionError:
    """PMEXEC104, naming the callback and the type of what it raised."""
    name = getattr(hook, "__qualname__", type(hook).__name__)
    return ExecutionError(
        Diagnostic(
            code="PMEXEC104",
            message=f"callback `{name}` raised {type(error).__name__}",
            node="callback",
            help=("the data are published; " if published else "")
            + "correct the callback; `sensitive: keep` in the profile shows its traceback",
        )
    )
