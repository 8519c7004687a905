"""``etlgen build``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from etlgen.cli import options
from etlgen.cli.exit_codes import EXIT_DONE, EXIT_FAILED
from etlgen.cli.terminal import report, result, result_json, say

if TYPE_CHECKING:
    from etlgen.write import Outcome, Workspace
    from etlgen.write.output_files import Change


def build(
    contracts: Annotated[list[str] | None, typer.Argument(help="Contract files or folders; default: all.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 with a diff when output is stale.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Build everything; overwrite files edited by hand.")] = False,
    engine: options.Engines = None,
    output: Annotated[str | None, typer.Option("--output", help="Folder of the generated package.")] = None,
    package: Annotated[str | None, typer.Option("--package", help="Import name of the generated package.")] = None,
    as_json: options.AsJson = False,
    project: options.Project = None,
) -> None:
    """Generate the pipelines.

    Writes what changed, removes what is left over from contracts that are gone, and touches nothing else. If nothing has
    changed, nothing is read but bytes.
    """
    from etlgen.write import Workspace
    from etlgen.write.output_files import stale, unified_diff

    workspace = Workspace(options.overridden(options.configuration(project, engine), output, package))
    if check:
        pending = workspace.pending(contracts or ())
        found = stale(pending.changes)
        if as_json:
            result_json(_record(replace(pending, changes=found), workspace))
        elif found:
            result(unified_diff(found))
        raise typer.Exit(EXIT_FAILED if found else EXIT_DONE)
    outcome = workspace.build(contracts or (), force=force)
    if as_json:
        result_json(_record(outcome, workspace))
        return
    report(outcome.warnings)
    for change in outcome.changes:
        result(f"{change.kind:8} {_shown(change, workspace)}")
    say(_summary(outcome.contracts, len(outcome.changes), workspace.package))


def _shown(change: Change, workspace: Workspace) -> str:
    """The path of a file relative to the project."""
    from etlgen.project import display_path

    return display_path(workspace.output / change.path, workspace.configuration.root)


def _record(outcome: Outcome, workspace: Workspace) -> dict[str, object]:
    from etlgen.diagnostics.render import records

    return {
        "contracts": outcome.contracts,
        "changes": [{"kind": change.kind, "path": _shown(change, workspace)} for change in outcome.changes],
        "diagnostics": records(outcome.warnings),
    }


def _summary(contracts: int, changed: int, package: str) -> str:
    if not contracts:
        return f"no contract is left: {changed} file{'' if changed == 1 else 's'} of `{package}` removed"
    counted = f"{contracts} contract{'' if contracts == 1 else 's'}"
    if not changed:
        return f"{counted}: `{package}` is up to date"
    return f"{counted}: {changed} file{'' if changed == 1 else 's'} of `{package}` changed"
