"""``etlgen explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from etlgen.cli.terminal import result
from etlgen.diagnostics.model import ContractError, Diagnostic


def explain(code: Annotated[str, typer.Argument(help="A diagnostic code, such as PHS-001.")]) -> None:
    """Explain a diagnostic code: cause, example, fix."""
    from etlgen.diagnostics.pages import explanation

    text = explanation(code)
    if text is None:
        raise ContractError((unknown_code(code),))
    result(text)


def unknown_code(code: str) -> Diagnostic:
    """GEN-011, with codes that look alike."""
    from etlgen.diagnostics.pages import nearest_codes

    near = nearest_codes(code)
    return Diagnostic(
        "GEN-011",
        f"there is no diagnostic code `{code}`",
        expected=f"a code such as {', '.join(near)}" if near else "a code of docs/diagnostics.md, such as PHS-001",
    )
