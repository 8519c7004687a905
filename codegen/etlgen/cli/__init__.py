"""The command line: one module per command, thin over ``project``, ``write`` and the runtime.

Results go to stdout, everything else to stderr. Whatever a command needs it imports when it runs, so that ``etlgen --help``
stays quick and loads no engine.
"""

from __future__ import annotations

import sys


def main() -> None:
    """The ``etlgen`` program. Every problem that a user can cause ends here as a diagnostic and an exit code."""
    from etlgen.cli.exit_codes import EXIT_FAILED, EXIT_INTERRUPTED
    from etlgen.cli.terminal import discard, say

    try:
        sys.exit(_run())
    except BrokenPipeError:
        discard(sys.stdout)  # the reader of our output is gone (`etlgen plan ... | head`)
        sys.exit(EXIT_FAILED)
    except OSError as error:
        discard(sys.stdout)
        where = f"`{error.filename}`: " if error.filename else ""
        say(f"etlgen: the system refused: {where}{(error.strerror or str(error)).lower()}")
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


def _run() -> int:
    """One command; typer exits by itself unless it failed."""
    from etlgen.cli.app import app
    from etlgen.cli.terminal import report_errors
    from etlgen.diagnostics.model import ContractError

    try:
        app()
    except ContractError as error:
        return report_errors(error.diagnostics, as_json=_is_json_wanted(sys.argv))
    return 0


def _is_json_wanted(arguments: list[str]) -> bool:
    """Whether JSON was asked for; looked up in the arguments because an error may precede their reading."""
    following = arguments.index("--format") + 1 if "--format" in arguments else len(arguments)
    return "--json" in arguments or "--format=json" in arguments or arguments[following : following + 1] == ["json"]
