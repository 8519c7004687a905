"""Collects the findings of one contract, so that all of them are reported at once."""

from __future__ import annotations

from collections.abc import Iterable

from etlgen.diagnostics.model import Diagnostic


class Findings:
    """Diagnostics in the order found; one found twice is kept once."""

    __slots__ = ("_found",)

    def __init__(self, found: Iterable[Diagnostic] = ()) -> None:
        self._found: dict[Diagnostic, None] = dict.fromkeys(found)

    def add(self, *diagnostics: Diagnostic) -> None:
        self._found.update(dict.fromkeys(diagnostics))

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        return tuple(self._found)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self._found if found.is_error)
