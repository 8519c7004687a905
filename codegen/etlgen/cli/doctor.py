"""``etlgen doctor``."""

from __future__ import annotations

import typer

from etlgen.cli import options
from etlgen.cli.exit_codes import EXIT_FAILED
from etlgen.cli.terminal import result, result_json


def doctor(as_json: options.AsJson = False, project: options.Project = None) -> None:
    """Check the environment.

    Python, packages, engines, configuration, contracts, write access. Exit 1 if something needed is missing.
    """
    from etlgen.environment import examine

    findings = examine(project)
    if as_json:
        result_json([{"check": f.check, "ok": f.ok, "found": f.found, "help": f.help} for f in findings])
    else:
        width = max(len(f.check) for f in findings)
        for finding in findings:
            mark = "ok  " if finding.ok else "FAIL" if finding.needed else "note"
            hint = f"  ({finding.help})" if finding.help and not finding.ok else ""
            result(f"{mark} {finding.check:{width}}  {finding.found}{hint}")
    if any(not f.ok and f.needed for f in findings):
        raise typer.Exit(EXIT_FAILED)
