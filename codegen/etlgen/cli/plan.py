"""``etlgen plan``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from etlgen.cli import options, profiles
from etlgen.cli.terminal import report, result, result_json


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def plan(
    contract: Annotated[str, typer.Argument(help="A contract file, or the name of a contract of the project.")],
    output_format: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
    as_json: options.FormatJson = False,
    profile: options.ProfileName = None,
    engine: options.Engines = None,
    project: options.Project = None,
) -> None:
    """Print the nine steps of a contract.

    What could surprise comes first; then per step the operations and checks with their phases and reasons, the columns,
    and the boundaries.
    """
    from etlgen.cli.plan_record import plan_record
    from etlgen.cli.plan_text import plan_text
    from etlgen.project import analyse, contract_files, plan_of

    configuration = options.configuration(project, engine)
    analysis = analyse(contract_files(configuration, contract), configuration)
    found = plan_of(analysis, contract, configuration.root)
    risks = profiles.profile(configuration, profile).risks()
    if as_json or output_format is Format.JSON:
        result_json(plan_record(found, configuration.engines, risks))
        return
    result(plan_text(found, configuration.engines, risks))
    report(found.diagnostics)
