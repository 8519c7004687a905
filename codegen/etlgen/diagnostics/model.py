"""What a diagnostic is: facts, not text. ``render`` turns it into text, JSON or other formats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a contract file: path as given, line and column from 1, length in characters (at least 1)."""

    file: str
    line: int = 1
    column: int = 1
    length: int = 1


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Args:
        code: Stable code, documented in docs/diagnostics.md (``PHS-001``).
        message: One sentence with its subject; names in backquotes.
        at: Where; ``None`` when no file is involved.
        severity: Errors stop the build.
        label: Short text beside the caret: what was found there.
        expected: What would be right.
        nearest: The nearest valid name, if there is one close enough.
        help: The fix.
        key_path: Path of keys in the contract (``quality.row_rules[2].sql``).
        line_shown: The line of the file may be printed; not where it holds a secret.
    """

    code: str
    message: str
    at: Position | None = None
    severity: Severity = Severity.ERROR
    label: str = ""
    expected: str = ""
    nearest: str = ""
    help: str = ""
    key_path: str = ""
    line_shown: bool = True

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def reworded(self, change: Callable[[str], str]) -> Diagnostic:
        """The same finding, each of its texts changed."""
        return replace(
            self,
            message=change(self.message),
            label=change(self.label),
            expected=change(self.expected),
            nearest=change(self.nearest),
            help=change(self.help),
            key_path=change(self.key_path),
        )


class ContractError(Exception):
    """One or more errors in contracts or configuration; carries all of them."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        self.diagnostics = diagnostics
        super().__init__("\n".join(f"{d.code}: {d.message}" for d in diagnostics))
