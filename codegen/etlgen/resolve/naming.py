"""Names of checks: written ones win, equal ones are merged or numbered (semantics, section 3)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from etlgen import problems
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Position


@dataclass(frozen=True, slots=True)
class Nameable:
    """A check that needs a name. Two of one name and one ``definition`` are one check."""

    written: str | None
    default: str
    definition: Hashable
    at: Position


def assign_names(checks: Sequence[Nameable], findings: Findings) -> tuple[str | None, ...]:
    """A name for each check; ``None`` for one that is the same as another.

    Written names are given first, in order; then the default ones. A second definition under a name gets ``_2``, ``_3``
    and a warning (CTR-098).
    """
    definitions: dict[str, Hashable] = {}
    homonyms: dict[str, list[Hashable]] = {}
    names: list[str | None] = [None] * len(checks)
    written = [index for index, check in enumerate(checks) if check.written is not None]
    implied = [index for index, check in enumerate(checks) if check.written is None]
    taken = {check.written for check in checks if check.written is not None}
    for index in (*written, *implied):
        check = checks[index]
        wanted = check.written if check.written is not None else check.default
        same_name = homonyms.setdefault(wanted, [])
        if check.definition in same_name:
            continue
        same_name.append(check.definition)
        name = wanted
        if name in definitions:
            name = _numbered(wanted, definitions.keys() | taken)
            findings.add(problems.renamed_check(wanted, name, check.at))
        definitions[name] = check.definition
        names[index] = name
    return tuple(names)


def _numbered(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
