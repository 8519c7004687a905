"""The report of a run while the run is under way."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from etlgen_runtime.contract import Contract
from etlgen_runtime.diagnostics import Diagnostic
from etlgen_runtime.engine import Staged
from etlgen_runtime.files import shown_path
from etlgen_runtime.materialize import Verdict
from etlgen_runtime.profile import Profile
from etlgen_runtime.report import Accounting, BoundaryReport, RunReport, Status, step_reports


@dataclass(slots=True, kw_only=True)
class ReportDraft:
    """What is known so far; :meth:`report` makes a report of it at any time.

    Args:
        sources: The files that are read.
        target: Where the accepted rows go; ``quarantined``: where the bad ones of this run are.
        is_published: The target holds the rows of this run.
    """

    contract: Contract
    profile: Profile
    run_id: str
    started_at: dt.datetime
    as_of: dt.datetime
    engine_version: str = ""
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    boundaries: list[BoundaryReport] = field(default_factory=list[BoundaryReport])
    sources: tuple[Path, ...] = ()
    staged: Staged | None = None
    target: Path | None = None
    quarantined: Path | None = None
    cleaned: tuple[str, ...] = ()
    is_published: bool = False
    _start: float = field(default_factory=time.perf_counter)

    @property
    def path(self) -> Path:
        """Where the report is written."""
        return self.profile.state / "runs" / f"{self.run_id}.json"

    def shown(self, path: Path) -> str:
        """A path for people."""
        return shown_path(path, self.profile.root)

    def boundary(
        self,
        boundary: Literal["source_output", "transformation_input", "transformation_output", "sink_input"],
        node: str,
        mode: str,
        note: str,
        checked: int | None = None,
    ) -> None:
        """Note a validation boundary; ``checked`` rows were all valid."""
        invalid = 0 if checked is not None else None
        self.boundaries.append(
            BoundaryReport(
                boundary=boundary, node=node, mode=mode, checked=checked, valid=checked, invalid=invalid, note=note
            )
        )

    def report(self, status: Status) -> RunReport:
        """The report as of now."""
        staged, is_dry = self.staged, self.profile.dry_run
        return RunReport(
            run_id=self.run_id,
            contract=self.contract.name,
            contract_version=self.contract.version,
            pipeline=self.contract.package,
            profile=self.profile.name,
            engine=self.profile.engine,
            engine_version=self.engine_version,
            status=status,
            as_of=self.as_of,
            started_at=self.started_at,
            duration_s=round(time.perf_counter() - self._start, 6),
            dry_run=is_dry,
            accounting=staged.accounting if staged else Accounting(),
            steps=step_reports(dry_run=is_dry) if staged else (),
            boundaries=tuple(self.boundaries),
            failed_rules=staged.failed_rules if staged else (),
            warned_rules=staged.warned_rules if staged else (),
            dataset_rules=staged.dataset_rules if staged else (),
            diagnostics=tuple(self.diagnostics),
            fallbacks=staged.fallbacks if staged else (),
            sources=tuple(self.shown(path) for path in self.sources),
            target=self.shown(self.target) if self.target else None,
            quarantine=self.shown(self.quarantined) if self.quarantined else None,
            report_path=self.shown(self.path),
            cleaned=self.cleaned,
            published=self.is_published,
        )

    def foretold(self, verdict: Verdict) -> RunReport:
        """The report as it will be once the verdict is carried out."""
        report = self.report(verdict.status)
        failure = (verdict.failure.diagnostic,) if verdict.failure else ()
        return replace(
            report,
            diagnostics=(*report.diagnostics, *failure),
            quarantine=self.shown(verdict.quarantined) if verdict.quarantined else None,
            published=verdict.publishes,
        )
