"""docs/cli.md, from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeGuard, get_args, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from etlgen.cli.app import app

Function = Callable[..., object]

EXIT_CODES = """\
## Exit codes

| code | meaning |
|---|---|
| 0 | done; rows may have been quarantined and non-fatal checks may have failed, the summary says so |
| 1 | the run failed, or `build --check` or `lint` found something |
| 2 | the contract, the configuration or the usage is wrong |
| 3 | only with `run --strict`: finished, but rows were quarantined or checks failed |
"""

STREAMS = """\
## Streams

Results go to stdout, everything else, what a failed run has to say included, to stderr. With `--json` the result is JSON,
and so are errors: an object with the list `diagnostics`, on stdout. Colour and progress appear on a terminal only; `NO_COLOR` is respected.
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument or option of a command function."""

    name: str
    info: ArgumentInfo | OptionInfo
    type: object
    default: object

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def spelling(self) -> str:
        """As it stands in the table: the argument, or the option with its short form and choices."""
        if isinstance(self.info, ArgumentInfo):
            return f"`{self.argument}`"
        # Inside ``Annotated`` typer keeps the first spelling in ``default``.
        written = [text for text in (self.info.default, *(self.info.param_decls or ())) if isinstance(text, str)]
        spellings = written or [f"--{self.name.replace('_', '-')}"]
        choices = [str(choice.value) for choice in self.type] if _is_enum(self.type) else []
        value = "" if self.type is bool else " " + "\\|".join(choices or ["…"])
        return ", ".join(f"`{text}`" for text in spellings) + value

    @property
    def argument(self) -> str:
        name = self.name.upper() + ("..." if "list" in str(self.type) else "")
        return name if self.is_required else f"[{name}]"

    @property
    def meaning(self) -> str:
        shown = self.default.value if isinstance(self.default, Enum) else self.default
        default = "" if self.is_required or shown in (None, False) else f" Default: `{shown}`."
        return (self.info.help or "").replace("|", "\\|") + default


def cli_page() -> str:
    """Every command with its arguments and options."""
    commands = list(_commands(app, "etlgen"))
    out = [
        "# Command line",
        "",
        "<!-- This page is generated from codegen/etlgen/cli by `make docs`. -->",
        "",
        "| command | |",
        "|---|---|",
        *(f"| [`{path}`](#{path.replace(' ', '-')}) | {_paragraphs(function)[0]} |" for path, function in commands),
        "",
        EXIT_CODES,
        STREAMS.rstrip(),
    ]
    for path, function in commands:
        out += ["", *_section(path, function)]
    return "\n".join(out) + "\n"


def _commands(group: typer.Typer, path: str) -> Iterator[tuple[str, Function]]:
    for command in group.registered_commands:
        if command.callback is not None:
            yield f"{path} {command.name}", command.callback
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            yield from _commands(inner.typer_instance, f"{path} {inner.name}")


def _section(path: str, function: Function) -> list[str]:
    parameters = list(_parameters(function))
    arguments = [p.argument for p in parameters if isinstance(p.info, ArgumentInfo)]
    usage = " ".join([path, *arguments, "[OPTIONS]"])
    out = [f"## {path}", "", *"\n\n".join(_paragraphs(function)).splitlines(), "", "```text", usage, "```"]
    if parameters:
        out += ["", "| argument or option | meaning |", "|---|---|"]
        out += [f"| {p.spelling} | {p.meaning} |" for p in parameters]
    return out


def _parameters(function: Function) -> Iterator[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        for info in getattr(hints[name], "__metadata__", ()):
            if isinstance(info, ArgumentInfo | OptionInfo):
                yield Parameter(name, info, get_args(hints[name])[0], parameter.default)


def _is_enum(kind: object) -> TypeGuard[type[Enum]]:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _paragraphs(function: Function) -> list[str]:
    return [" ".join(part.split()) for part in (inspect.getdoc(function) or "").split("\n\n")]
