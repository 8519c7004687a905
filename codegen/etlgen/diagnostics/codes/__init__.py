"""Documentation of every diagnostic code: one module per family, each with ``CODES: dict[str, CodeInfo]``.

``etlgen explain CODE`` prints one entry; ``docs/diagnostics.md`` holds them all, an anchor each.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("ctr", "CTR", "Reading OLC contracts"),
    ("odcs", "ODCS", "Reading ODCS contracts"),
    ("phs", "PHS", "Phases"),
    ("sql", "SQL", "SQL in contracts"),
    ("typ", "TYP", "Types"),
    ("wir", "WIR", "Wiring between contracts"),
    ("sec", "SEC", "Security"),
    ("gen", "GEN", "Generated files and the project"),
    ("pmplan", "PMPLAN", "Planning a run"),
    ("pmdata", "PMDATA", "Data"),
    ("pmexec", "PMEXEC", "Execution"),
    ("cnf", "CNF", "Conformance cases"),
)
"""Module name, prefix of its codes, title: in the order of the documentation."""


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What is written about a code.

    Args:
        code: ``PHS-001``, ``PMDATA101``.
        title: The finding in a few words.
        cause: When it appears and why it matters.
        example: What leads to it: YAML, a command, or data.
        fix: What to do about it.
    """

    code: str
    title: str
    cause: str
    example: str
    fix: str


def family(module: str) -> Mapping[str, CodeInfo]:
    """The codes of one module of this package."""
    codes = import_module(f"{__name__}.{module}").CODES
    return MappingProxyType(cast("dict[str, CodeInfo]", codes))


def all_codes() -> Mapping[str, CodeInfo]:
    """Every code, family by family."""
    return MappingProxyType({code: info for module, _, _ in FAMILIES for code, info in family(module).items()})
