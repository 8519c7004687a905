"""Whether an engine can compute what a plan needs, before anything is generated for it."""

from __future__ import annotations

from collections.abc import Iterator

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.engines import EngineGenerator
from etlgen.expr import Expr
from etlgen.plan import AggregateRows, Assign, FilterRows, JoinLink, Plan, Relation


def unsupported(plan: Plan, engine: EngineGenerator) -> Iterator[Diagnostic]:
    """GEN-018 for every expression of the plan that the engine cannot say exactly."""
    for subject, expr, at in _expressions(plan):
        for reason in engine.refusals(expr):
            message = f"{subject} of `{plan.contract.name}` cannot run on engine `{engine.name}`: {reason}"
            yield Diagnostic("GEN-018", message, at)


def _expressions(plan: Plan) -> Iterator[tuple[str, Expr, Position]]:
    for section in (plan.pre, plan.post):
        for operation in section.operations:
            subject = f"{operation.kind} #{operation.number}"
            for relation in operation.relations:
                yield from ((subject, expr, operation.at) for expr in _of(relation))
    for check in (*plan.pre_checks, *plan.post_checks):
        if check.predicate is not None:
            yield f"rule `{check.name}`", check.predicate, check.at
    for link in plan.links:
        if link.filter is not None:
            yield f"the filter of link `{link.name}`", link.filter, plan.contract.at


def _of(relation: Relation) -> Iterator[Expr]:
    match relation:
        case Assign(columns=columns):
            yield from (expr for _, expr in columns)
        case AggregateRows(aggregations=aggregations):
            yield from (expr for _, expr in aggregations)
        case FilterRows(predicate=predicate):
            yield predicate
        case JoinLink(fields=fields):
            yield from (default for _, _, _, default in fields if default is not None)
        case _:
            return
