"""A file with errors, and what could be read of it."""

from __future__ import annotations

from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.read.breakage import Breakage


class PartlyRead(ContractError):
    """All errors of a file. ``parts``: its contracts with what is broken in each, where other parts can be judged without it.

    A contract in which nothing is broken has no errors of its own.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], parts: tuple[tuple[Contract, Breakage], ...]) -> None:
        super().__init__(diagnostics)
        self.parts = parts
