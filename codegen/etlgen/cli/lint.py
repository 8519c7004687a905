"""``etlgen lint``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from etlgen.cli import options
from etlgen.cli.exit_codes import EXIT_FAILED
from etlgen.cli.explain import unknown_code
from etlgen.cli.terminal import report, report_json, say
from etlgen.diagnostics.model import ContractError, Diagnostic, Severity


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"


class FailOn(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NONE = "none"


Codes = Annotated[list[str] | None, typer.Option(help="Codes or their beginnings (PHS), may be repeated.")]


def lint(
    contracts: Annotated[list[str] | None, typer.Argument(help="Contract files or folders; default: all.")] = None,
    output_format: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TEXT,
    as_json: options.FormatJson = False,
    select: Codes = None,
    ignore: Codes = None,
    fail_on: Annotated[FailOn, typer.Option(help="From which severity to exit 1.")] = FailOn.ERROR,
    engine: options.Engines = None,
    project: options.Project = None,
) -> None:
    """Check all contracts, write nothing.

    Every finding of every contract comes at once. No contract found is an error.
    """
    from etlgen.diagnostics.render import summary
    from etlgen.write import Workspace

    configuration = options.configuration(project, engine)
    selected, ignored = _codes(select or ()), _codes(ignore or ())
    analysis = Workspace(configuration).examine(contracts or ())
    found = [
        d
        for d in analysis.diagnostics
        if (not selected or d.code.startswith(selected)) and not (ignored and d.code.startswith(ignored))
    ]
    if as_json or output_format is Format.JSON:
        report_json(found)
    else:
        report(found, as_result=True)
        count = len(analysis.files)
        say(f"{count} contract file{'' if count == 1 else 's'}: {summary(found)}")
    if _fails(found, fail_on):
        raise typer.Exit(EXIT_FAILED)


def _fails(found: Sequence[Diagnostic], fail_on: FailOn) -> bool:
    severe = {
        FailOn.ERROR: (Severity.ERROR,),
        FailOn.WARNING: (Severity.ERROR, Severity.WARNING),
        FailOn.NONE: (),
    }[fail_on]
    return any(d.severity in severe for d in found)


def _codes(written: Sequence[str]) -> tuple[str, ...]:
    """Codes given one by one or with commas between; a misspelt one would hide or show nothing, so it is refused."""
    from etlgen.diagnostics.codes import all_codes

    codes = tuple(part.strip().upper() for entry in written for part in entry.split(",") if part.strip())
    unknown = [code for code in codes if not any(known.startswith(code) for known in all_codes())]
    if unknown:
        raise ContractError(tuple(unknown_code(code) for code in unknown))
    return codes
