"""A plan as plain JSON values, and what both printers say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from etlgen.diagnostics.model import Severity
from etlgen.diagnostics.render import as_record
from etlgen.plan import JoinLink, Plan, PlannedDatasetCheck, PlannedLink, PlannedOperation, PlannedRowCheck, Schema


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where validity is checked (validation, Boundaries): its name, the step at which it stands, its mode."""

    name: str
    step: int
    mode: str


def boundaries(plan: Plan) -> tuple[Boundary, ...]:
    """The boundaries of a contract with their default modes."""
    found = [Boundary("source_output", 1, "schema")]
    for number, section in ((2, plan.pre), (6, plan.post)):
        if section.operations:
            found.append(Boundary("transformation_input", number, "schema"))
            found.append(Boundary("transformation_output", number, "schema; rows are judged by steps 4 and 7"))
    return (*found, Boundary("sink_input", 8, "full, established by step 7"))


def risks_of(plan: Plan) -> tuple[str, ...]:
    """What a reader of the plan should know before anything else."""
    contract = plan.contract
    found: list[str] = []
    if not contract.quarantine.enabled:
        found.append("quarantine is disabled: one bad row fails the run")
    if not contract.quality.enforce_required:
        found.append("required fields are not enforced (quality.enforce_required: false)")
    if contract.source is not None and contract.source.post_ingestion == "delete":
        found.append("the input is deleted after publication (post_ingestion: delete)")
    found += [
        f"link `{link.name}` has no declared columns: checked against the data"
        for link in plan.links
        if link.schema is None
    ]
    for operation in (*plan.pre.operations, *plan.post.operations):
        if any(isinstance(r, JoinLink) and not r.unique_key for r in operation.relations):
            found.append(
                f"{operation.kind} #{operation.number} may multiply rows: a key may occur several times in the link"
            )
    if any(check.kind == "sql" for check in (*plan.pre_dataset_checks, *plan.dataset_checks)):
        found.append("dataset rules in SQL run through DuckDB (extra `duckdb`)")
    found += [d.message for d in plan.diagnostics if d.severity is Severity.WARNING]
    return tuple(found)


def plan_record(plan: Plan, engines: Sequence[str], profile_risks: Sequence[str] = ()) -> dict[str, object]:
    """Everything ``etlgen plan`` knows, for programs."""
    contract = plan.contract
    return {
        "contract": {
            "name": contract.name,
            "version": contract.version,
            "file": contract.file,
            "vocabulary": contract.vocabulary,
            "digest": contract.digest,
        },
        "engines": list(engines),
        "risks": [*profile_risks, *risks_of(plan)],
        "steps": [
            {
                "number": step.number,
                "key": step.key,
                "title": step.title,
                "details": list(step.details),
                "columns_in": list(step.columns_in),
                "columns_out": list(step.columns_out),
            }
            for step in plan.steps
        ],
        "operations": [_operation(op) for op in (*plan.pre.operations, *plan.post.operations)],
        "row_checks": [_row_check(check) for check in (*plan.pre_checks, *plan.post_checks)],
        "dataset_checks": [_dataset_check(check) for check in (*plan.pre_dataset_checks, *plan.dataset_checks)],
        "links": [_link(link) for link in plan.links],
        "schemas": {
            "source": _schema(plan.source),
            "prepared": _schema(plan.prepared),
            "typed": _schema(plan.typed),
            "enriched": _schema(plan.enriched),
            "output": _schema(plan.output),
            "published": _schema(plan.published),
        },
        "boundaries": [{"name": b.name, "step": b.step, "mode": b.mode} for b in boundaries(plan)],
        "diagnostics": [as_record(d) for d in plan.diagnostics],
    }


def _operation(operation: PlannedOperation) -> dict[str, object]:
    return {
        "number": operation.number,
        "kind": operation.kind,
        "title": operation.title,
        "phase": operation.phase,
        "reason": operation.reason,
        "reads": sorted(operation.reads),
        "creates": list(operation.creates),
        "rewrites": list(operation.rewrites),
        "drops": list(operation.drops),
        "row_wise": operation.row_wise,
        "links": list(operation.links),
        "native": True,
        "line": operation.at.line,
    }


def _row_check(check: PlannedRowCheck) -> dict[str, object]:
    return {
        "name": check.name,
        "kind": check.kind,
        "phase": check.phase,
        "reason": check.reason,
        "severity": check.severity,
        "columns": list(check.columns),
        "sql": check.sql,
        "code": check.code,
        "native": True,
        "line": check.at.line,
    }


def _dataset_check(check: PlannedDatasetCheck) -> dict[str, object]:
    return {
        "name": check.name,
        "kind": check.kind,
        "phase": check.phase,
        "reason": check.reason,
        "severity": check.severity,
        "columns": list(check.columns),
        "sql": check.sql,
        "native": check.kind != "sql",
        "line": check.at.line,
    }


def _link(link: PlannedLink) -> dict[str, object]:
    return {
        "name": link.name,
        "path": link.path,
        "format": link.format,
        "filter": link.filter_sql,
        "used_by": list(link.used_by),
        "schema": None if link.schema is None else _schema(link.schema),
    }


def _schema(schema: Schema) -> dict[str, object]:
    return {
        "open": schema.open,
        "columns": [
            {
                "name": column.name,
                "type": str(column.type),
                "nullable": column.nullable,
                "origin": column.origin,
                "sensitive": column.sensitive,
            }
            for column in schema.columns
        ],
    }
