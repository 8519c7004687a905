"""What ``run()`` returns, and what it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from etlgen_runtime.datasets import Dataset
from etlgen_runtime.report import RunReport, Status

M = TypeVar("M")


class QuarantinedRow:
    """Marker model of the quarantine table: data columns as text plus the ``_etlgen_`` columns (semantics, section 6)."""


class RunResult(Generic[M]):
    """Outcome of a run, for every status but ``failed``.

    ``accepted`` and ``quarantined`` are this run's rows; ``accepted`` is what was published, or in a dry run would have been.
    """

    def __init__(
        self,
        report: RunReport,
        accepted: Callable[[], Dataset[M]],
        quarantined: Callable[[], Dataset[QuarantinedRow]],
    ) -> None:
        self.report = report
        self._accepted = accepted
        self._quarantined = quarantined

    @property
    def status(self) -> Status:
        return self.report.status

    @property
    def accepted(self) -> Dataset[M]:
        return self._accepted()

    @property
    def quarantined(self) -> Dataset[QuarantinedRow]:
        return self._quarantined()

    def __repr__(self) -> str:
        counts = self.report.accounting
        return f"RunResult({self.status}, accepted={counts.accepted}, quarantined={counts.quarantined})"


class RunFailed(Exception):
    """The run failed; nothing but quarantine and report was published, unless ``report.published`` says that the data were.

    Carries the report.
    """

    def __init__(self, report: RunReport) -> None:
        self.report = report
        first = next((d for d in report.diagnostics if d.severity == "error"), None)
        reason = f"{first.code}: {first.message}" if first else report.status
        if first and first.help:
            reason += f" ({first.help})"
        super().__init__(f"run of `{report.contract}` failed: {reason}")
