"""``etlgen conformance``."""

from __future__ import annotations

import io
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from etlgen.cli import options
from etlgen.cli.terminal import result
from etlgen.diagnostics.model import ContractError, Diagnostic

app = typer.Typer(help="Run language-neutral cases.", no_args_is_help=True, rich_markup_mode=None)


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"
    JUNIT = "junit"


@app.callback()
def conformance() -> None:
    """Run language-neutral cases: contract, input, expected rows."""


@app.command("run")
def run(
    directory: Annotated[Path, typer.Argument(help="Folder with case folders, searched to the bottom.")],
    engine: options.Engines = None,
    output_format: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.TABLE,
    as_json: options.FormatJson = False,
    require: Annotated[bool, typer.Option("--require", help="Exit 1 also when a core case is unsupported.")] = False,
) -> None:
    """Run every case; exit 1 when one fails."""
    from etlgen.conformance import run_conformance
    from etlgen_runtime.engine import ENGINES

    if not directory.is_dir():
        raise ContractError((Diagnostic("GEN-005", f"`{directory}` is not a folder", expected="a folder of cases"),))
    engines = tuple(engine) if engine else ENGINES
    options.check_engines(engines)
    chosen = Format.JSON if as_json else output_format
    printed = io.StringIO()
    code = run_conformance(directory, engines, chosen.value, require, printed)
    result(printed.getvalue())
    raise typer.Exit(code)
