"""``etlgen run``."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from etlgen.cli import options, profiles
from etlgen.cli.exit_codes import EXIT_DONE, EXIT_FAILED, EXIT_STRICT, EXIT_WRONG
from etlgen.cli.terminal import report, result, result_json, say
from etlgen.diagnostics.model import ContractError, Diagnostic

if TYPE_CHECKING:
    from etlgen_runtime.report import RunReport

_CONTRACT = "A contract file, the name of a contract, or `all`; a contract named `all` is run by its file."


def run(
    contract: Annotated[str, typer.Argument(help=_CONTRACT)],
    profile: options.ProfileName = None,
    engine: Annotated[str | None, typer.Option("--engine", "-e", help="Engine to run on.")] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="File or folder to read instead of the source.")
    ] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Time of the run as contracts see it, ISO 8601.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but publish and clean up.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 3 if rows were quarantined or checks failed.")] = False,
    as_json: options.AsJson = False,
    project: options.Project = None,
) -> None:
    """Build if stale, run, report.

    `all` runs each contract after those whose output it reads, and stops after the first failure.

    Exit codes: 0 done (rows may be quarantined), 1 the run failed, or published nothing because a dataset rule failed,
    2 the contract, configuration or usage is wrong, 3 with `--strict`: finished, but rows were quarantined or checks
    failed.
    """
    from etlgen.cli.interrupts import interruptible
    from etlgen.cli.progress import watched
    from etlgen.cli.run_text import failure, is_failure, run_text
    from etlgen.pipelines import EVERYTHING, check_assets, chosen, load, run_pipeline
    from etlgen.write import Workspace

    configuration = options.configuration(project)
    settings = profiles.profile(configuration, profile)
    flags = _flags(engine, as_of, dry_run)
    allowed = {"root": str(settings.root), "allowed_folders": list(settings.allowed_folders)}
    workspace = Workspace(configuration.with_profile(settings.name, allowed))
    outcome = workspace.build() if contract == EVERYTHING else workspace.build_for(contract)
    report(outcome.warnings)
    if outcome.changes:
        say(f"built `{configuration.package}`: {len(outcome.changes)} files changed")
    pipelines = chosen(workspace, contract)
    check_assets(workspace, settings)
    if source is not None:
        _require_one(pipelines, "`--source`", "leave out `--source`: each contract then reads its own source")
        flags["assets"] = {**settings.assets, pipelines[0][0]: str(Path(source).absolute())}
    if settings.target is not None:
        fix = "remove `target` from the profile: each contract then writes to its own target"
        _require_one(pipelines, f"`target` of profile `{settings.name}`", fix)
    settings = settings.model_copy(update=flags)
    reports: list[RunReport] = []
    for name, package in pipelines:
        module = load(workspace, package)
        with watched(name) as shown, interruptible(shown) as callbacks:
            try:
                reports.append(run_pipeline(module, settings, callbacks))
            except KeyboardInterrupt:
                say(f"interrupted while `{name}` ran: `{settings.state / 'runs'}` has its report, if it had begun")
                raise
        if is_failure(reports[-1]):
            break
    left = [name for name, _ in pipelines[len(reports) :]]
    if left:
        say(f"not run after the failure of `{reports[-1].contract}`: {', '.join(left)}")
    if as_json:
        result_json([json.loads(one.to_json()) for one in reports])
    else:
        result(run_text(reports))
        report([problem for one in reports for problem in failure(one)])
    raise typer.Exit(_exit_code(reports, strict))


def _flags(engine: str | None, as_of: str | None, dry_run: bool) -> dict[str, object]:
    """The options that override the profile."""
    found: dict[str, object] = {}
    if engine is not None:
        options.check_engines([engine])
        found["engine"] = engine
    if as_of is not None:
        found["as_of"] = _time(as_of)
    if dry_run:
        found["dry_run"] = True
    return found


def _time(text: str) -> dt.datetime:
    try:
        found = dt.datetime.fromisoformat(text)
        return found.replace(tzinfo=dt.UTC) if found.tzinfo is None else found.astimezone(dt.UTC)
    except (ValueError, OverflowError):  # no time, or none between the years 1 and 9999 in UTC
        problem = f"`{text}` is no time"
        raise ContractError(
            (Diagnostic("GEN-014", problem, expected="ISO 8601, such as 2024-03-01 or 2024-03-01T12:00:00Z"),)
        ) from None


def _require_one(pipelines: Sequence[tuple[str, str]], setting: str, fix: str) -> None:
    """Refuse a path that several contracts would share: each would take the place of the one before."""
    if len(pipelines) > 1:
        names = ", ".join(name for name, _ in pipelines)
        problem = f"{setting} means one contract, and {len(pipelines)} would run"
        raise ContractError((Diagnostic("GEN-014", problem, expected=f"one of {names}", help=fix),))


def _exit_code(reports: Sequence[RunReport], strict: bool) -> int:
    from etlgen.cli.run_text import is_failure

    failed = [one for one in reports if is_failure(one)]
    if failed:
        codes = [d.code for one in failed for d in one.diagnostics if d.severity == "error"]
        return EXIT_WRONG if codes and all(code.startswith("PMPLAN") for code in codes) else EXIT_FAILED
    unclean = any(one.status not in ("succeeded", "skipped") for one in reports)
    return EXIT_STRICT if strict and unclean else EXIT_DONE
