"""After an operation that this version does not execute nothing is known of the columns, so nothing is said of their names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Diagnostic
from etlgen.plan import Schema
from etlgen.resolve.flows import Flow
from etlgen_runtime.types import UNKNOWN

_ABOUT_NAMES = frozenset(
    {
        "SQL-001",
        "SQL-010",
        "SQL-014",
        "PHS-001",
        "PHS-002",
        "PHS-003",
        "PHS-004",
        "PHS-005",
        "PHS-101",
        "CTR-088",
        "CTR-093",
        "CTR-099",
    }
)
"""What is wrong only if the column is not there, or is."""


class NamesLeftOut(Findings):
    """Findings of what comes after a refused operation; what is wrong but for the columns goes on to ``found``."""

    __slots__ = ("_whole",)

    def __init__(self, found: Findings) -> None:
        super().__init__()
        self._whole = found

    def add(self, *diagnostics: Diagnostic) -> None:
        self._whole.add(*(one for one in diagnostics if one.code not in _ABOUT_NAMES))

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        return self._whole.all

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return self._whole.errors


def findings_of_checks(flows: Iterable[Flow], findings: Findings) -> Findings:
    """Where findings of checks go: a check may read what a refused operation would have made, in either phase."""
    return NamesLeftOut(findings) if any(flow.hides_columns for flow in flows) else findings


def columns_unknown(rows: Schema) -> Schema:
    """``rows`` after a refused operation: any column may be another one, or there may be more."""
    return replace(rows, columns=tuple(replace(column, type=UNKNOWN) for column in rows.columns), open=True)
