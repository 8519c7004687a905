"""The command line: one module per command, thin over ``project``, ``build`` and the runtime.

Results go to stdout, everything else to stderr. Whatever a command needs it imports when it runs, so that ``etlgen --help``
stays quick and loads no engine.
"""

from __future__ import annotations

import os
import sys

EXIT_DONE, EXIT_FAILED, EXIT_WRONG, EXIT_STRICT = 0, 1, 2, 3


def main() -> None:
    """The ``etlgen`` program. Every problem that a user can cause ends here as a diagnostic and an exit code."""
    from etlgen.cli.terminal import report_errors
    from etlgen.diagnostics.model import ContractError

    try:
        from etlgen.cli.app import app

        app()
    except ContractError as error:
        sys.exit(report_errors(error.diagnostics, as_json=_is_json_wanted(sys.argv)))
    except BrokenPipeError:
        # The reader of our output is gone (`etlgen plan ... | head`); Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_FAILED)
    except KeyboardInterrupt:
        sys.exit(130)


def _is_json_wanted(arguments: list[str]) -> bool:
    """Whether JSON was asked for; looked up in the arguments because an error may precede their reading."""
    following = arguments.index("--format") + 1 if "--format" in arguments else len(arguments)
    return "--json" in arguments or "--format=json" in arguments or arguments[following : following + 1] == ["json"]
