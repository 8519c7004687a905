"""Exit codes of every command, as docs/cli.md gives them."""

from __future__ import annotations

EXIT_DONE, EXIT_FAILED, EXIT_WRONG, EXIT_STRICT = 0, 1, 2, 3
EXIT_INTERRUPTED = 130
"""As shells report Ctrl-C: 128 and the number of the signal."""
