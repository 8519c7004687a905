"""The phase of every check, and why (semantics, section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from etlgen import problems
from etlgen.contract import Coalesce, Derive, Lower, MapValues, Operation, Phase, Text, Trim, Upper
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Position
from etlgen.nearest import near_miss
from etlgen.resolve.drafts import Draft
from etlgen.resolve.lineage import Lineage
from etlgen.resolve.sql_names import names_in
from etlgen.spelling import code, find_column, folded
from etlgen.sql import problems as sql_problems

DEFAULT_REASON = "default: a check without phase runs in pre"


@dataclass(frozen=True, slots=True)
class Phased:
    """A draft with its phase. ``undeclared`` are source columns that only this check speaks of; ``sound`` is false when
    its columns are not there, which was reported.
    """

    draft: Draft
    phase: Phase
    reason: str
    undeclared: tuple[str, ...] = ()
    sound: bool = True


def place_checks(drafts: Sequence[Draft], lineage: Lineage, findings: Findings) -> tuple[Phased, ...]:
    """Give every check its phase, and report PHS-001, PHS-003, PHS-101."""
    placed: list[Phased] = []
    for draft in drafts:
        phase, reason = phase_of(draft, lineage)
        at = draft.phase_at or draft.at
        undeclared = missing_columns(draft.reads, draft.from_sql, phase, lineage, draft.name, findings, at)
        sound = undeclared is not None
        placed.append(Phased(draft, phase, reason, undeclared or (), sound))
        if phase == "pre" and sound:
            _warn_of_rewrites(draft, lineage, findings)
    return tuple(placed)


def phase_of(draft: Draft, lineage: Lineage) -> tuple[Phase, str]:
    """As written; else post if it reads a column that only a post operation creates; else pre."""
    if draft.phase is not None:
        return draft.phase, "written"
    for read in draft.reads:
        name = find_column(read.value, lineage.created) if draft.from_sql else read.value
        if name is not None and name in lineage.created:
            return "post", f"reads {code(name)}, created by {problems.describe(lineage.created[name])}"
    return "pre", DEFAULT_REASON


def missing_columns(
    reads: Sequence[Text],
    from_sql: bool,
    phase: Phase,
    lineage: Lineage,
    check: str,
    findings: Findings,
    at: Position,
) -> tuple[str, ...] | None:
    """Undeclared source columns among ``reads``; ``None`` when a column is not there in ``phase`` (PHS-001, PHS-003).

    Names that are unknown where the schema is closed, or nearly a known one, are left to the SQL stage.
    """
    available = lineage.columns(phase)
    undeclared: dict[str, None] = {}
    sound = True
    for read in reads:
        name = find_column(read.value, available) if from_sql else read.value
        if name is not None and name in available:
            continue
        created = find_column(read.value, lineage.created) if from_sql else read.value
        if phase == "pre" and created is not None and created in lineage.created:
            findings.add(problems.check_before_column(check, created, lineage.created[created], at))
            sound = False
            continue
        dropper = _dropper(read, lineage.dropped[phase], from_sql)
        if dropper is not None:
            findings.add(problems.read_after_drop(f"check {code(check)}", read.value, dropper, read.at))
            sound = False
        elif not lineage.closed[phase] and not near_miss(read.value, available):
            findings.add(sql_problems.undeclared_column(read.value, read.at))
            undeclared[read.value] = None
    return tuple(undeclared) if sound else None


def _dropper(read: Text, dropped: dict[str, Operation], from_sql: bool) -> Operation | None:
    name = find_column(read.value, dropped) if from_sql else read.value
    return dropped.get(name) if name is not None else None


def _warn_of_rewrites(draft: Draft, lineage: Lineage, findings: Findings) -> None:
    """PHS-101: a normalizer without phase rewrites, in post, what this pre check reads."""
    for read in draft.reads:
        for column, operation in lineage.rewrites:
            same = folded(column) == folded(read.value) if draft.from_sql else column == read.value
            if same and operation.phase is None and _normalizes(operation, column):
                findings.add(problems.check_before_rewrite(draft.name, column, operation, draft.at))


def _normalizes(operation: Operation, column: str) -> bool:
    match operation.body:
        case Trim() | Lower() | Upper() | MapValues() | Coalesce():
            return True
        case Derive(sql=sql):
            return any(folded(name.value) == folded(column) for name in names_in(sql))
        case _:
            return False
