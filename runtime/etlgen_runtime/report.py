"""What a run says about itself: one JSON-serializable report per run."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic_core import to_json

from etlgen_runtime.diagnostics import Diagnostic
from etlgen_runtime.durable import sync_file, sync_folders

Status = Literal[
    "succeeded", "succeeded_with_quarantine", "all_quarantined", "failed_checks", "skipped", "failed"
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCount:
    """Rows that one operation removed from or added to its frame."""

    phase: Literal["pre", "post"]
    operation: str
    removed: int = 0
    added: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """Outcome of one row rule: rows that failed it."""

    rule: str
    phase: Literal["pre", "post"]
    severity: str
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRuleResult:
    """Outcome of one dataset rule; ``value`` is its single value as text, ``None`` when it was NULL."""

    rule: str
    severity: str
    passed: bool
    value: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """Rows counted at each boundary; each number has a counter of its own.

    Identities (semantics, section 6): ``read - removed_pre + added_pre = bad_pre + good`` and
    ``good - removed_post + added_post = bad_post + accepted``; what was written equals what was counted. Written rows are counted
    in the staged files, and accepted ones there as well where the target is Parquet.
    """

    read: int = 0
    prepared: int = 0
    bad_pre: int = 0
    good: int = 0
    enriched: int = 0
    bad_post: int = 0
    accepted: int = 0
    operations: tuple[OperationCount, ...] = ()
    written: int | None = None
    quarantine_written: int | None = None

    @property
    def quarantined(self) -> int:
        return self.bad_pre + self.bad_post

    def removed(self, phase: Literal["pre", "post"]) -> int:
        return sum(count.removed for count in self.operations if count.phase == phase)

    def added(self, phase: Literal["pre", "post"]) -> int:
        return sum(count.added for count in self.operations if count.phase == phase)

    def broken_identities(self) -> tuple[str, ...]:
        """The identities that do not hold, as text with both sides; empty when the accounts add up."""
        prepared = self.read - self.removed("pre") + self.added("pre")
        enriched = self.good - self.removed("post") + self.added("post")
        sides = (
            ("read - removed_pre + added_pre = rows after step 2", prepared, self.prepared),
            ("rows after step 2 = bad_pre + good", self.prepared, self.bad_pre + self.good),
            ("good - removed_post + added_post = rows after step 6", enriched, self.enriched),
            ("rows after step 6 = bad_post + accepted", self.enriched, self.bad_post + self.accepted),
            ("accepted = rows staged", self.accepted, self.accepted if self.written is None else self.written),
            (
                "bad_pre + bad_post = quarantine rows staged",
                self.quarantined,
                self.quarantined if self.quarantine_written is None else self.quarantine_written,
            ),
        )
        return tuple(f"{name}: {left} is not {right}" for name, left, right in sides if left != right)


STEP_NAMES = (
    "source", "pre-transforms", "schema", "pre-quality", "good / bad", "post-transforms", "post-quality", "materialize",
    "cleanup",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """One of the nine steps. On lazy engines steps 1 to 8 execute together: ``fused_with`` says with which, and there is no
    duration of its own (validation, Fused runs).
    """

    step: int
    name: str
    fused_with: int | None = None
    duration_s: float | None = None
    note: str = ""


def step_reports(*, dry_run: bool) -> tuple[StepReport, ...]:
    """The nine steps of a run that was executed."""
    fused = tuple(StepReport(step=n, name=STEP_NAMES[n - 1], fused_with=8) for n in range(1, 8))
    note = "not run: dry run" if dry_run else ""
    return fused + tuple(StepReport(step=n, name=STEP_NAMES[n - 1], note=note) for n in (8, 9))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryReport:
    """One validation boundary (validation, Reports)."""

    boundary: Literal["source_output", "transformation_input", "transformation_output", "sink_input"]
    node: str
    mode: str
    checked: int | None
    valid: int | None
    invalid: int | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One run of one contract.

    Paths are relative to the profile's root where they lie below it. Times are UTC. ``published``: the target holds the rows of
    this run, also where the run failed after that.
    """

    run_id: str
    contract: str
    contract_version: str
    pipeline: str
    profile: str
    engine: str
    engine_version: str
    status: Status
    as_of: dt.datetime
    started_at: dt.datetime
    duration_s: float
    dry_run: bool
    accounting: Accounting
    steps: tuple[StepReport, ...] = ()
    boundaries: tuple[BoundaryReport, ...] = ()
    failed_rules: tuple[RuleResult, ...] = ()
    warned_rules: tuple[RuleResult, ...] = ()
    dataset_rules: tuple[DatasetRuleResult, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    fallbacks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    target: str | None = None
    quarantine: str | None = None
    report_path: str | None = None
    cleaned: tuple[str, ...] = field(default=())
    published: bool = False

    @property
    def dataset_rules_failed(self) -> tuple[str, ...]:
        """Names of the failed dataset rules of severity error."""
        return tuple(r.rule for r in self.dataset_rules if not r.passed and r.severity == "error")

    def write(self, path: Path, *, is_final: bool = True) -> None:
        """Write the report, whole or not at all. The final one survives a power cut.

        Raises:
            OSError: The folder or the file cannot be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        try:
            temporary.write_text(self.to_json(), encoding="utf-8")
            if is_final:
                sync_file(temporary)
            os.replace(temporary, path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        if is_final:
            sync_folders((path.parent,))

    def to_json(self) -> str:
        """The report as indented JSON."""
        return to_json(self, indent=2).decode() + "\n"
