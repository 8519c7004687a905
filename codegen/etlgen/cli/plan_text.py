"""A plan as text: what could surprise first, then the nine steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etlgen.cli.plan_record import boundaries, risks_of
from etlgen.diagnostics.render import printable
from etlgen.plan import Plan, PlannedDatasetCheck, PlannedOperation, PlannedRowCheck, Schema, Step


def plan_text(plan: Plan, engines: Sequence[str], profile_risks: Sequence[str] = ()) -> str:
    """The whole plan; every text of the contract made safe for a terminal."""
    contract = plan.contract
    lines = [
        f"{contract.name} {contract.version}  ({contract.file}, {contract.vocabulary.upper()})",
        f"engines: {', '.join(engines)}",
    ]
    risks = [*profile_risks, *risks_of(plan)]
    if risks:
        lines += ["", "risks", *(f"  ! {risk}" for risk in risks)]
    for step in plan.steps:
        lines += ["", f"{step.number} · {step.title}", *(f"    {line}" for line in _step_lines(plan, step))]
    return "\n".join(printable(line) for line in lines) + "\n"


def _step_lines(plan: Plan, step: Step) -> Iterator[str]:
    if step.number in (2, 6):
        section = plan.pre if step.number == 2 else plan.post
        for operation in section.operations:
            yield from _operation(operation)
        if not section.operations:
            yield "no operation"
    elif step.number in (4, 7):
        yield from _checks(plan, step.number)
    else:
        yield from step.details
    yield from _columns(plan, step)
    for boundary in boundaries(plan):
        if boundary.step == step.number:
            yield f"boundary {boundary.name}: {boundary.mode}"


def _operation(operation: PlannedOperation) -> Iterator[str]:
    yield f"{operation.number}. {operation.title}  [{operation.kind}]"
    yield f"   phase {operation.phase}: {operation.reason}"
    if operation.links:
        yield f"   links: {', '.join(operation.links)}"
    if not operation.row_wise:
        yield "   rows: may be removed or added; counted before and after"


def _checks(plan: Plan, number: int) -> Iterator[str]:
    rows = plan.pre_checks if number == 4 else plan.post_checks
    datasets = plan.pre_dataset_checks if number == 4 else plan.dataset_checks
    for check in rows:
        yield from _row_check(check)
    for dataset_check in datasets:
        yield from _dataset_check(dataset_check)
    if not rows and not datasets:
        yield "no check but the casts"


def _row_check(check: PlannedRowCheck) -> Iterator[str]:
    action = "quarantine" if check.severity == "error" else f"count as {check.severity}"
    yield f"{check.name}: {check.sql}  -> {action}"
    yield f"   phase {check.phase}: {check.reason}"


def _dataset_check(check: PlannedDatasetCheck) -> Iterator[str]:
    how = "through DuckDB" if check.kind == "sql" else "native"
    yield f"{check.name}: {check.sql}{_bounds(check)}  [dataset, {check.severity}, {how}]"
    yield f"   {check.reason}"


def _bounds(check: PlannedDatasetCheck) -> str:
    """The bounds of the value of a SQL rule; native rules have theirs in the SQL."""
    if check.kind != "sql":
        return ""
    bounds = ((">=", check.minimum), ("<=", check.maximum), (">", check.greater_than), ("<", check.less_than))
    said = " and ".join(f"{sign} {bound}" for sign, bound in bounds if bound is not None)
    return f"  must be {said}" if said else ""


def _columns(plan: Plan, step: Step) -> Iterator[str]:
    """What the step adds, drops or retypes; all columns after step 1."""
    before, after = _schemas(plan, step.number)
    if before is None or after is None:
        return
    if step.number == 1:
        yield "columns: " + _listed(after)
        return
    old = {column.name: str(column.type) for column in before.columns}
    new = {column.name: str(column.type) for column in after.columns}
    changed = [f"+{name} {kind}" for name, kind in new.items() if name not in old]
    changed += [f"-{name}" for name in old if name not in new]
    changed += [f"{name} {old[name]} -> {kind}" for name, kind in new.items() if name in old and old[name] != kind]
    yield f"columns: {len(old)} in, {len(new)} out" + (f" ({', '.join(changed)})" if changed else "")


def _listed(schema: Schema) -> str:
    named = ", ".join(f"{column.name} {column.type}" for column in schema.columns)
    return f"{named}, and undeclared ones" if schema.open else named


def _schemas(plan: Plan, number: int) -> tuple[Schema | None, Schema | None]:
    """The schemas before and after a step that has them."""
    return {
        1: (plan.source, plan.source),
        2: (plan.source, plan.prepared),
        3: (plan.prepared, plan.typed),
        6: (plan.typed, plan.output),
        8: (plan.output, plan.published),
    }.get(number, (None, None))
