"""The program: its commands in the order of the documentation."""

from __future__ import annotations

from typing import Annotated

import typer

from etlgen.cli import build, conformance, doctor, engines, explain, init, lint, plan, run
from etlgen.version import VERSION

app = typer.Typer(
    name="etlgen",
    help="From data contracts (OLC, ODCS) to typed Python pipelines.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"etlgen {VERSION}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """From data contracts (OLC, ODCS) to typed Python pipelines."""


app.command("init")(init.init)
app.command("build")(build.build)
app.command("lint")(lint.lint)
app.command("plan")(plan.plan)
app.command("run")(run.run)
app.command("explain")(explain.explain)
app.command("engines")(engines.engines)
app.command("doctor")(doctor.doctor)
app.add_typer(conformance.app, name="conformance")
