"""Constraints of source fields that no check would ever look at (semantics, sections 2 and 8).

Step 4 judges the fields of the model, and of ``etlgen.source_fields`` those columns that the model does not have and that are
still there after step 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from etlgen import problems
from etlgen.contract import Contract, Field, Operation
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Position

_NO_CHECK = ("date_formats",)


def refuse_unchecked(
    contract: Contract, checked: Iterable[Field], dropped: dict[str, Operation], findings: Findings
) -> None:
    """CTR-089 for every constraint of ``etlgen.source_fields`` that is in no field of ``checked``.

    Args:
        checked: The fields of the model, and the source fields that step 4 judges.
        dropped: Columns that are gone after step 2, with the operation that dropped them.
    """
    judged = tuple(checked)
    executed = {at for one in judged for _, at in _constraints(one)}
    declared = {one.name.value for one in contract.fields}
    alone = {one.name.value for one in judged} - declared
    for one in contract.source_fields or ():
        name = one.name.value
        unchecked: Sequence[tuple[str, Position]] = tuple(_constraints(one)) if name not in alone else ()
        told: set[Position] = set()
        for key, at in (*unchecked, *_uniqueness(one, declared)):
            if at not in executed and at not in told:
                told.add(at)
                findings.add(problems.unchecked_constraint(key, name, at, name in declared, dropped.get(name)))


def _constraints(of: Field) -> Iterator[tuple[str, Position]]:
    """What step 4 would judge, but for ``required``, which step 1 judges too."""
    yield from ((key, at) for key, at in of.constraint_at.items() if key not in _NO_CHECK)
    yield from (("rules", rule.at) for rule in of.rules)


def _uniqueness(of: Field, declared: Iterable[str]) -> Iterator[tuple[str, Position]]:
    """``unique`` is a dataset rule of the model's fields alone."""
    if of.unique and of.name.value not in declared:
        yield "unique", of.name.at
