"""Row checks of both phases, with predicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from etlgen import problems
from etlgen.contract import Deduplicate, Phase, Rename
from etlgen.diagnostics.findings import Findings
from etlgen.expr import Call, Column
from etlgen.lower.literals import both, is_not_null
from etlgen.plan import PlannedRowCheck
from etlgen.resolve.constraints import constraint_predicate
from etlgen.resolve.drafts import Draft
from etlgen.resolve.flows import Flow
from etlgen.resolve.judged import Judged, Predicate
from etlgen.resolve.lineage import Lineage
from etlgen.resolve.naming import Nameable
from etlgen.resolve.phases import Phased
from etlgen.resolve.rule_predicates import rule_predicate
from etlgen.spelling import code, codes, quoted

CHECK_CODES: Mapping[str, str] = {
    "pattern": "PMDATA102",
    "format": "PMDATA102",
    "required": "PMDATA110",
    "accepted_values": "PMDATA112",
    "range": "PMDATA113",
    "max_length": "PMDATA114",
    "min_length": "PMDATA114",
    "multiple_of": "PMDATA116",
    "referential_integrity": "PMDATA121",
    "lifecycle_window": "PMDATA122",
    "required_for_dedup": "PMDATA123",
}
"""Code of the failures of a kind of check; every other row rule has :data:`RULE_CODE`."""

RULE_CODE = "PMDATA120"


@dataclass(frozen=True, slots=True)
class Built:
    """A check in its phase with its predicate, before it has a name."""

    phased: Phased
    predicate: Predicate

    @property
    def nameable(self) -> Nameable:
        draft, found = self.phased.draft, self.predicate
        definition = (found.expr, found.nulls_pass, found.link, draft.severity, self.phased.phase, found.columns)
        return Nameable(draft.written_name, draft.default_name, definition, draft.name_at)


def build_checks(placed: Sequence[Phased], rows: Mapping[Phase, Judged]) -> tuple[Built, ...]:
    """The predicate of every sound check against the rows of its phase; errors go to the findings."""
    built: list[Built] = []
    for phased in placed:
        if not phased.sound:
            continue
        judged = rows[phased.phase]
        make = rule_predicate if phased.draft.kind == "rule" else constraint_predicate
        predicate = make(phased.draft, judged)
        if predicate is not None:
            built.append(Built(phased, predicate))
    return tuple(built)


def dedup_checks(
    flows: Sequence[Flow], built: Iterable[Built], lineage: Lineage, rows: Mapping[Phase, Judged], findings: Findings
) -> tuple[Built, ...]:
    """``<key>_required_for_dedup`` for every deduplicate that quarantines blank keys (semantics, section 7).

    Left out where a not-null rule of severity error covers every key column. A key that is renamed later in its phase
    is followed; one that is dropped there cannot be checked (PHS-003).
    """
    covered = {name for check in built for name in _required_column(check)}
    found: list[Built] = []
    for position, flow in enumerate(flows):
        body = flow.operation.body
        if not isinstance(body, Deduplicate) or body.blank_keys == "keep" or not body.on:
            continue
        written = tuple(dict.fromkeys(key.value for key in body.on))
        keys = tuple(_name_at_end(key, flows[position + 1 :], flow.phase) for key in written)
        if covered.issuperset(keys):
            continue
        lost = [key for key in keys if rows[flow.phase].rows.get(key) is None]
        for key in lost:
            dropper = lineage.dropped[flow.phase].get(key)
            if dropper is not None:
                check = f"the blank-key check of {problems.describe(flow.operation)}"
                findings.add(problems.read_after_drop(check, key, dropper, flow.operation.at))
        if not lost:
            found.append(_dedup_check(flow, written, keys, rows[flow.phase]))
    return tuple(found)


def _required_column(check: Built) -> tuple[str, ...]:
    """The column that an error check requires to be there, if that is what it does."""
    expr = check.predicate.expr
    if check.phased.draft.severity == "error" and isinstance(expr, Call) and expr.function == "is_not_null":
        return tuple(arg.name for arg in expr.args if isinstance(arg, Column))
    return ()


def _name_at_end(name: str, later: Sequence[Flow], phase: Phase) -> str:
    for flow in later:
        body = flow.operation.body
        if flow.phase == phase and isinstance(body, Rename):
            name = {old.value: new.value for old, new in body.mappings}.get(name, name)
    return name


def _dedup_check(flow: Flow, written: tuple[str, ...], keys: tuple[str, ...], judged: Judged) -> Built:
    columns = tuple(column for key in keys if (column := judged.rows.get(key)) is not None)
    draft = Draft(
        "required_for_dedup",
        "__".join(written) + "_required_for_dedup",
        flow.operation.at,
        (),
        description="dedup key must not be blank",
    )
    predicate = Predicate(
        "required_for_dedup",
        both(tuple(is_not_null(Column(column.name, column.type)) for column in columns)),
        False,
        keys,
        " AND ".join(f"{quoted(key)} IS NOT NULL" for key in keys),
        f"key {codes(keys)} of {problems.describe(flow.operation)} is blank",
    )
    reason = f"runs after {problems.describe(flow.operation)}, which needs the key"
    return Built(Phased(draft, flow.phase, reason), predicate)


def planned_check(built: Built, name: str) -> PlannedRowCheck:
    """The check of the plan."""
    draft, phased, found = built.phased.draft, built.phased, built.predicate
    message = found.message
    if found.kind == "sql" and not draft.description:
        message = f"rule {code(name)} does not hold"
    return PlannedRowCheck(
        name=name,
        kind=found.kind,
        phase=phased.phase,
        reason=phased.reason,
        severity=draft.severity,
        predicate=found.expr,
        nulls_pass=found.nulls_pass,
        columns=found.columns,
        field=draft.field,
        code=CHECK_CODES.get(found.kind, RULE_CODE),
        message=message,
        sql=found.sql,
        description=draft.description,
        at=draft.at,
        link=found.link,
    )
