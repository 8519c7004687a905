"""Step 8: stage, audit, decide. Nothing is visible before everything that can refuse it has spoken."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.contract import Contract, Target
from etlgen_runtime.default_paths import default_target, quarantine_beside
from etlgen_runtime.destination import Destination, refuse_overlap
from etlgen_runtime.diagnostics import DataError, Diagnostic, EtlgenError, ExecutionError
from etlgen_runtime.durable import make_folders, remove_empty
from etlgen_runtime.engine import EngineRun, RunContext, Staged, StageRequest
from etlgen_runtime.models import schema_of
from etlgen_runtime.paths import AllowedFolders
from etlgen_runtime.profile import Profile
from etlgen_runtime.publication import Move, refusal, require_writable
from etlgen_runtime.report import Status

SUFFIX_OF = {"parquet": ".parquet", "csv": ".csv", "json": ".jsonl"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What step 8 has decided; nothing of it is done yet.

    Args:
        status: Of the report, once the moves are made.
        moves: Quarantine first, then target.
        accepted: Where the accepted rows of this run will be (staged ones in a dry run); ``None``: they are not published.
        quarantined: Likewise the bad ones; ``None``: there are none, or nobody keeps them.
        failure: What the run fails with after its moves: a quarantine may be published for a run that fails.
        publishes: The target gets the rows of this run.
    """

    staged: Staged
    status: Status
    moves: tuple[Move, ...] = ()
    accepted: Path | None = None
    quarantined: Path | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    failure: EtlgenError | None = None
    publishes: bool = False


class Materialization:
    """Step 8 of one run: its destinations, and the decision what may be published."""

    def __init__(self, context: RunContext, target: Target[Any]) -> None:
        self.context = context
        self.target = target
        self.destination, self.quarantine = destinations_of(context.contract, context.profile, target)
        self._made: tuple[Path, ...] = ()
        self._staging_folders: dict[str, Path] = {}

    def check_places(self) -> None:
        """Refuse destinations outside of the root that the profile does not allow.

        Raises:
            PlanError: PMPLAN120.
        """
        profile, quarantine = self.context.profile, self.target.quarantine
        of_contract = AllowedFolders.of(profile)
        beside = of_contract
        if profile.target is not None:
            beside = of_contract.named_by_profile(profile.target, with_neighbours=True)
        target, bad = self.destination.path, self.quarantine.path
        beside.require(target, "the target", profile.target or self.target.path or str(target))
        if quarantine.enabled:
            allowed = of_contract if quarantine.path else beside
            allowed.require(bad, "the quarantine", quarantine.path or str(bad))

    def check_destinations(self, inputs: Sequence[Path]) -> None:
        """Refuse impossible destinations before any row is read.

        Raises:
            DataError: PMDATA104.
            PlanError: PMPLAN120.
            ExecutionError: PMEXEC102, the target may not be written. Found now, it costs no work.
        """
        self.check_places()
        self.destination.check()
        if not self.context.profile.dry_run:
            self._require_writable()
        if self.target.quarantine.enabled:
            self.quarantine.check()
        quarantine = self.quarantine if self.target.quarantine.enabled else None
        refuse_overlap(self.destination, quarantine, inputs, self.context.profile.state)

    def stage(self, run: EngineRun, frame: object, rules: DatasetRules) -> Staged:
        """Execute the fused run into the staging folder and check the accounts.

        Raises:
            ExecutionError: PMEXEC103, an accounting identity does not hold.
        """
        request = self.request(rules)
        for destination, path in ((self.destination, request.accepted), (self.quarantine, request.quarantine)):
            if path is not None:
                self._make(destination, path.parent)
        request.audit.mkdir(parents=True, exist_ok=True)
        staged = run.stage(frame, request)
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

    def request(self, rules: DatasetRules) -> StageRequest:
        """What the engine is asked to stage."""
        target = self.target
        return StageRequest(
            accepted=self._staged(self.destination),
            accepted_format=target.format,
            audit=self.context.staging / "audit",
            quarantine=self._staged(self.quarantine) if target.quarantine.enabled else None,
            quarantine_format=target.quarantine.format,
            include_error_reason=target.quarantine.include_error_reason,
            columns=tuple(column.name for column in schema_of(target.published)),
            only_declared=target.only_declared,
            dataset_rules=rules.accepted,
            pre_dataset_rules=rules.good,
            run_id=self.context.run_id,
        )

    @property
    def foreign_staging(self) -> tuple[Path, ...]:
        """Folders outside of the state folder in which this run stages files."""
        found = (self.destination, self.quarantine) if self.target.quarantine.enabled else (self.destination,)
        folders = (self._staging_folder(destination) for destination in found)
        return tuple(dict.fromkeys(folder for folder in folders if folder != self.context.staging))

    def discard(self) -> None:
        """Remove what was staged outside of the state folder, and the folders that were made for it and are empty."""
        for folder in self.foreign_staging:
            shutil.rmtree(folder, ignore_errors=True)
        remove_empty(self._made)

    def decide(self, run: EngineRun, staged: Staged) -> Verdict:
        """What is published, and with which status. Reads the target, changes nothing.

        Raises:
            DataError: PMDATA201, there are bad rows and no quarantine; PMDATA107, PMDATA108, the target cannot be appended to.
        """
        self.check_places()  # once more: staging took its time, and a link may have changed
        accounting, quarantine = staged.accounting, self.target.quarantine
        if accounting.quarantined and not quarantine.enabled and not self.context.profile.drop_bad_rows:
            raise _bad_rows("PMDATA201", staged, "quarantine is disabled: a bad row fails the run")
        if self.target.strategy == "append":
            run.check_append(self.destination.existing_parts(), self.target.format, self._staged(self.destination))
        is_kept = self._keeps_bad_rows(accounting.quarantined)
        moves = (self._move(self.quarantine),) if is_kept and not self.context.profile.dry_run else ()
        quarantined = self._place(self.quarantine) if is_kept else None
        if accounting.quarantined and quarantine.fail_on_quarantine:
            failure = _bad_rows("PMDATA202", staged, "`fail_on_quarantine`: a bad row fails the run")
            return Verdict(staged=staged, status="failed", moves=moves, quarantined=quarantined, failure=failure)
        diagnostics = _failed_dataset_rules(staged)
        status = _status(staged)
        withheld = self._withheld(status, staged, diagnostics)
        publishes = not withheld and not self.context.profile.dry_run
        return Verdict(
            staged=staged,
            status=status,
            moves=(*moves, self._move(self.destination)) if publishes else moves,
            accepted=None if withheld else self._place(self.destination),
            quarantined=quarantined,
            diagnostics=tuple(diagnostics),
            publishes=publishes,
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

    def _keeps_bad_rows(self, rows: int) -> bool:
        """Whether the quarantine is written: an overwrite also where there is nothing to write, but not by a dry run."""
        quarantine, is_dry = self.target.quarantine, self.context.profile.dry_run
        return quarantine.enabled and (rows > 0 or (quarantine.write_mode == "overwrite" and not is_dry))

    def _staging_folder(self, destination: Destination) -> Path:
        """A dry run moves nothing, so it stages all in the state folder. Asked once: publication may change the answer."""
        if self.context.profile.dry_run:
            return self.context.staging
        if destination.name not in self._staging_folders:
            folder = destination.staging_folder(self.context.staging, self.context.run_id)
            self._staging_folders[destination.name] = folder
        return self._staging_folders[destination.name]

    def _staged(self, destination: Destination) -> Path:
        return destination.staged_path(self._staging_folder(destination), self.context.run_id)

    def _place(self, destination: Destination) -> Path:
        """Where the rows of this run are when it has ended."""
        if self.context.profile.dry_run:
            return self._staged(destination)
        return destination.published_path(self.context.run_id)

    def _move(self, destination: Destination) -> Move:
        return destination.move(self._staged(destination), self.context.run_id)

    def _make(self, destination: Destination, folder: Path) -> None:
        try:
            self._made = (*make_folders(folder), *self._made)
        except OSError as error:
            raise refusal(destination.name, destination.path, error) from None

    def _require_writable(self) -> None:
        path = self.destination.path
        try:
            require_writable(path if path.is_dir() and self.target.strategy == "append" else path.parent)
        except OSError as error:
            raise refusal(self.destination.name, path, error) from None


def destinations_of(contract: Contract, profile: Profile, target: Target[Any]) -> tuple[Destination, Destination]:
    """Target and quarantine of a run.

    Raises:
        DataError: PMDATA104, a symbolic link leads to itself.
    """
    path = profile.root / (profile.target or target.path or default_target(contract.layer, contract.name))
    accepted = Destination(_followed(path, "target"), SUFFIX_OF[target.format], target.strategy, "target")
    quarantine = target.quarantine
    beside = Path(quarantine_beside(path, is_file=accepted.is_file))
    bad = _followed(profile.root / quarantine.path if quarantine.path else beside, "quarantine")
    return accepted, Destination(bad, SUFFIX_OF[quarantine.format], quarantine.write_mode, "quarantine")


def _followed(path: Path, name: str) -> Path:
    """What a symbolic link means is replaced, not the link."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DataError(
                Diagnostic(
                    code="PMDATA104",
                    message=f"the {name} `{path}` is a symbolic link that leads to itself",
                    node="materialize",
                    help="remove the link, or choose another place",
                )
            ) from None
    return path.resolve() if path.is_symlink() else path


@dataclass(frozen=True, slots=True)
class DatasetRules:
    """Dataset rules by the rows they judge: the good ones after step 5, the accepted ones after step 7."""

    good: tuple[DatasetRule, ...] = ()
    accepted: tuple[DatasetRule, ...] = ()


def _status(staged: Staged) -> Status:
    accounting = staged.accounting
    if any(not result.passed and result.severity == "error" for result in staged.dataset_rules):
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
