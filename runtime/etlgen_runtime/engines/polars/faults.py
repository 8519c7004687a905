"""What Polars raises, in words of ours: its messages may hold values of the data, so only their kind is told."""

from __future__ import annotations

import os
import re

import polars as pl

from etlgen_runtime.diagnostics import Diagnostic

_SIGNS_OF_MALFORMED_INPUT = ("CSV malformed", "found more fields", "invalid utf-8", "File out of specification")


def fault(error: BaseException, source_name: str | None) -> Diagnostic | None:
    """PMEXEC102, PMDATA105 or PMEXEC110; ``None`` where the exception is neither Polars' nor the system's.

    Args:
        source_name: The one file that is read, as people know it; ``None``: there are several.
    """
    is_panic = type(error).__name__ == "PanicException"
    if not is_panic and not isinstance(error, (pl.exceptions.PolarsError, OSError)):
        return None
    message = str(error)
    refused = _system_refusal(error, message)
    if refused is not None:
        return Diagnostic(
            code="PMEXEC102",
            message=f"a file cannot be read or written: {refused}",
            node="materialize",
            help="check permissions and free space; the target is unchanged",
        )
    if any(sign in message for sign in _SIGNS_OF_MALFORMED_INPUT):
        file = f"`{source_name}`" if source_name is not None else "an input file"
        return Diagnostic(
            code="PMDATA105",
            message=f"{file} is malformed, or changed while it was read",
            node="source",
            help="run again once the file is complete; the target is unchanged",
        )
    return Diagnostic(
        code="PMEXEC110",
        message=f"Polars stopped with {type(error).__name__}; its message may hold values and is not shown",
        node="materialize",
        help="the target is unchanged",
    )


def _system_refusal(error: BaseException, message: str) -> str | None:
    """The operating system's words, from ``OSError`` or from the number that Polars writes into its own exceptions."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    number = re.search(r"\(os error (\d+)\)", message)
    return os.strerror(int(number.group(1))) if number else None
