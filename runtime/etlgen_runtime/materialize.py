"""Step 8: stage, audit, decide, publish. Nothing is visible before everything that can refuse it has spoken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.contract import Target
from etlgen_runtime.default_paths import default_target, quarantine_beside
from etlgen_runtime.diagnostics import DataError, Diagnostic, EtlgenError, ExecutionError
from etlgen_runtime.engine import EngineRun, RunContext, Staged, StageRequest
from etlgen_runtime.models import schema_of
from etlgen_runtime.publication import Destination, refuse_overlap
from etlgen_runtime.report import Status

SUFFIX_OF = {"parquet": ".parquet", "csv": ".csv", "json": ".jsonl"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What step 8 did. The paths hold this run's rows (staged ones in a dry run); ``None``: none were written."""

    staged: Staged
    status: Status
    accepted_path: Path | None
    quarantine_path: Path | None
    diagnostics: tuple[Diagnostic, ...]
    published: bool


class Materialization:
    """Step 8 of one run: its destinations, and the decision what may be published.

    ``quarantine_path`` holds this run's bad rows as soon as they are published, also when the run fails after that.
    """

    def __init__(self, context: RunContext, target: Target[Any]) -> None:
        profile, contract = context.profile, context.contract
        self.context = context
        self.target = target
        self.quarantine_path: Path | None = None
        written = profile.target or target.path or default_target(contract.layer, contract.name)
        path = profile.root / written
        self.destination = Destination(_followed(path), SUFFIX_OF[target.format], target.strategy, "target")
        quarantine = target.quarantine
        beside = Path(quarantine_beside(path, is_file=self.destination.is_file))
        self.quarantine = Destination(
            _followed(profile.root / quarantine.path if quarantine.path else beside),
            SUFFIX_OF[quarantine.format],
            quarantine.write_mode,
            "quarantine",
        )

    def check_destinations(self, inputs: Sequence[Path]) -> None:
        """Refuse impossible destinations before any row is read.

        Raises:
            DataError: PMDATA104.
        """
        self.destination.check()
        if self.target.quarantine.enabled:
            self.quarantine.check()
        refuse_overlap(self.destination, self.quarantine if self.target.quarantine.enabled else None, inputs)

    def stage(self, run: EngineRun, frame: object, rules: DatasetRules) -> Staged:
        """Execute the fused run into the staging folder and check the accounts.

        Raises:
            ExecutionError: PMEXEC103, an accounting identity does not hold.
        """
        context = self.context
        accepted = self.destination.staged_path(context.staging, context.run_id)
        quarantine = self.quarantine.staged_path(context.staging, context.run_id)
        audit = context.staging / "audit"
        for path in (accepted, quarantine, audit / "rows"):
            path.parent.mkdir(parents=True, exist_ok=True)
        staged = run.stage(
            frame,
            StageRequest(
                accepted=accepted,
                accepted_format=self.target.format,
                audit=audit,
                quarantine=quarantine if self.target.quarantine.enabled else None,
                quarantine_format=self.target.quarantine.format,
                include_error_reason=self.target.quarantine.include_error_reason,
                columns=tuple(column.name for column in schema_of(self.target.published)),
                only_declared=self.target.only_declared,
                dataset_rules=rules.accepted,
                pre_dataset_rules=rules.good,
            ),
        )
        broken = staged.accounting.broken_identities()
        if broken:
            raise ExecutionError(
                Diagnostic(
                    code="PMEXEC103",
                    message="the row accounts do not add up: " + "; ".join(broken),
                    node="materialize",
                    help="nothing was published; an operation lost or invented rows",
                )
            )
        return staged

    def publish(self, run: EngineRun, staged: Staged) -> Publication:
        """Decide the status and move what may be published into place, quarantine first.

        Raises:
            EtlgenError: The run fails; the quarantine is published where the contract declares one.
        """
        accounting, quarantine = staged.accounting, self.target.quarantine
        if accounting.quarantined and not quarantine.enabled and not self.context.profile.drop_bad_rows:
            raise _bad_rows("PMDATA201", staged, "quarantine is disabled: a bad row fails the run")
        if self.target.strategy == "append":
            appended = self.destination.staged_path(self.context.staging, self.context.run_id)
            run.check_append(self.destination.existing_parts(), self.target.format, appended)
        self.quarantine_path = self._publish_quarantine(accounting.quarantined)
        if accounting.quarantined and quarantine.fail_on_quarantine:
            raise _bad_rows("PMDATA202", staged, "`fail_on_quarantine`: a bad row fails the run")
        failed = [r for r in staged.dataset_rules if not r.passed and r.severity == "error"]
        status = _status(staged, bool(failed))
        diagnostics = _failed_dataset_rules(staged)
        withheld = self._withheld(status, staged, diagnostics)
        accepted_path: Path | None = self.destination.staged_path(self.context.staging, self.context.run_id)
        published = not withheld and not self.context.profile.dry_run
        if published:
            accepted_path = self._publish_target()
        elif withheld:
            accepted_path = None
        return Publication(
            staged=staged,
            status=status,
            accepted_path=accepted_path,
            quarantine_path=self.quarantine_path,
            diagnostics=tuple(diagnostics),
            published=published,
        )

    def _withheld(self, status: Status, staged: Staged, diagnostics: list[Diagnostic]) -> bool:
        """Whether the accepted rows stay unpublished, with the reason as a diagnostic."""
        if status == "failed_checks" and self.context.contract.fail_on_dataset_error:
            diagnostics.append(
                Diagnostic(
                    code="PMDATA203",
                    message="nothing was published: a dataset rule failed (`fail_pipeline_on_dataset_error`)",
                    severity="warning",
                    node="materialize",
                )
            )
            return True
        replaces = self.target.strategy == "overwrite" and bool(self.destination.existing_parts())
        all_bad = staged.accounting.accepted == 0 and staged.accounting.quarantined > 0
        if all_bad and replaces and not self.context.profile.allow_empty_overwrite:
            diagnostics.append(
                Diagnostic(
                    code="PMDATA204",
                    message="every row was quarantined: the published data were not replaced by an empty table",
                    severity="warning",
                    node="materialize",
                    help="allow it with `allow_empty_overwrite = true` in the profile",
                )
            )
            return True
        return False

    def _publish_quarantine(self, rows: int) -> Path | None:
        staged = self.quarantine.staged_path(self.context.staging, self.context.run_id)
        if not self.target.quarantine.enabled:
            return None
        replaces = self.target.quarantine.write_mode == "overwrite"
        if self.context.profile.dry_run:
            return staged if rows else None
        if not rows and not replaces:
            return None
        self.quarantine.publish(staged, self.context.run_id)
        return self.quarantine.published_path(self.context.run_id)

    def _publish_target(self) -> Path:
        staged = self.destination.staged_path(self.context.staging, self.context.run_id)
        self.destination.publish(staged, self.context.run_id)
        return self.destination.published_path(self.context.run_id)


def _followed(path: Path) -> Path:
    """What a symbolic link means is replaced, not the link."""
    return path.resolve() if path.is_symlink() else path


@dataclass(frozen=True, slots=True)
class DatasetRules:
    """Dataset rules by the rows they judge: the good ones after step 5, the accepted ones after step 7."""

    good: tuple[DatasetRule, ...] = ()
    accepted: tuple[DatasetRule, ...] = ()


def _status(staged: Staged, checks_failed: bool) -> Literal[
    "succeeded", "succeeded_with_quarantine", "all_quarantined", "failed_checks"
]:  # fmt: skip
    accounting = staged.accounting
    if checks_failed:
        return "failed_checks"
    if not accounting.quarantined:
        return "succeeded"
    return "succeeded_with_quarantine" if accounting.accepted else "all_quarantined"


def _bad_rows(code: str, staged: Staged, reason: str) -> EtlgenError:
    rules = ", ".join(f"`{result.rule}` ({result.failed})" for result in staged.failed_rules)
    bad = staged.accounting.quarantined
    return DataError(
        Diagnostic(
            code=code,
            message=f"{bad} bad {'row' if bad == 1 else 'rows'} ({reason}); rows by rule: {rules}",
            node="materialize",
            count=bad,
        )
    )


def _failed_dataset_rules(staged: Staged) -> list[Diagnostic]:
    return [
        Diagnostic(
            code="PMDATA130",
            message=f"dataset rule `{result.rule}` failed: {result.reason}",
            severity="error" if result.severity == "error" else "warning" if result.severity == "warning" else "info",
            node="dataset rules",
            rule=result.rule,
        )
        for result in staged.dataset_rules
        if not result.passed
    ]
