"""Whether an engine can compute what a plan needs, before anything is generated for it."""

from __future__ import annotations

from collections.abc import Iterator

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.engines import EngineGenerator
from etlgen.expr import Expr, place_of
from etlgen.plan import AggregateRows, Assign, FilterRows, JoinLink, Plan, Relation


def unsupported(plan: Plan, engine: EngineGenerator) -> Iterator[Diagnostic]:
    """GEN-018 for every part of an expression of the plan that the engine cannot say exactly, at the part itself."""
    for subject, expr, at in _expressions(plan):
        for refusal in engine.refusals(expr):
            yield Diagnostic(
                "GEN-018",
                f"{subject} of `{plan.contract.name}` cannot run on engine `{engine.name}`: {refusal.reason}",
                place_of(refusal.part, expr) or at,
                help="write it with what the engine has, or leave the engine out of `engines`",
            )


def _expressions(plan: Plan) -> Iterator[tuple[str, Expr, Position]]:
    """What it belongs to, the expression, and the place of its owner, for parts that no SQL says."""
    for section in (plan.pre, plan.post):
        for operation in section.operations:
            subject = f"{operation.kind} #{operation.number}"
            for relation in operation.relations:
                yield from ((subject, expr, operation.at) for expr in _of(relation))
    for check in (*plan.pre_checks, *plan.post_checks):
        if check.predicate is not None:
            yield f"rule `{check.name}`", check.predicate, check.at
    places = {link.name.value: link.at for link in plan.contract.links}
    for link in plan.links:
        if link.filter is not None:
            yield f"the filter of link `{link.name}`", link.filter, places.get(link.name, plan.contract.at)


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
