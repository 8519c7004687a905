"""The transformations of one phase, lowered one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from etlgen.contract import Contract, Phase
from etlgen.diagnostics.findings import Findings
from etlgen.lower import Lowered, Scope, lower
from etlgen.plan import PlannedLink, PlannedOperation, Schema, SchemaColumn, Section
from etlgen.resolve.after_refusal import NamesLeftOut, columns_unknown
from etlgen.resolve.flows import Flow
from etlgen.resolve.lineage import Lineage, is_closed
from etlgen.resolve.schemas import fields_by_name, is_text_source
from etlgen_runtime.types import UNKNOWN


def plan_section(
    contract: Contract,
    phase: Phase,
    flows: tuple[Flow, ...],
    lineage: Lineage,
    rows: Schema,
    links: Mapping[str, PlannedLink],
    findings: Findings,
) -> tuple[Section, Schema]:
    """Lower the operations of ``phase`` from ``rows`` on; the rows after the last one come with the section.

    An operation with errors leaves columns of unknown type behind, so that later ones are still looked at.
    """
    refused = phase == "post" and any(flow.phase == "pre" and flow.hides_columns for flow in flows)
    closed = lineage.closed["pre"] if phase == "post" else is_closed(contract)
    declared = fields_by_name(contract.fields)
    names = ("source", contract.name)
    planned: list[PlannedOperation] = []
    for flow in flows:
        if flow.phase != phase:
            continue
        told = NamesLeftOut(findings) if refused else findings
        text = is_text_source(contract) and not refused
        scope = Scope(flow.operation, phase, rows, closed, text, declared, links, told, names)
        lowered = None if flow.operation.number in lineage.failed else lower(scope)
        if flow.hides_columns:
            rows, closed, refused = columns_unknown(scope.schema), False, True
        elif lowered is None:
            rows = _after_failure(flow, scope.schema)
        else:
            planned.append(_operation(flow, scope.schema, lowered))
            rows = lowered.after
        closed = closed or flow.kept is not None
    return Section(phase, tuple(planned)), rows


def _operation(flow: Flow, before: Schema, lowered: Lowered) -> PlannedOperation:
    names = frozenset(before.names)
    return PlannedOperation(
        kind=flow.operation.kind,
        number=flow.operation.number,
        title=lowered.title,
        phase=flow.phase,
        reason=flow.reason,
        relations=lowered.relations,
        before=before,
        after=lowered.after,
        reads=lowered.reads,
        creates=tuple(name for name in lowered.after.names if name not in names),
        rewrites=tuple(name for name in lowered.writes if name in names),
        drops=tuple(name for name in before.names if lowered.after.get(name) is None),
        row_wise=lowered.row_wise,
        links=lowered.links,
        at=flow.operation.at,
    )


def _after_failure(flow: Flow, rows: Schema) -> Schema:
    columns = {column.name: column for column in rows.columns if column.name not in flow.removed}
    for output in flow.outputs:
        columns[output.value] = SchemaColumn(output.value, UNKNOWN)
    return replace(rows, columns=tuple(columns.values()))
