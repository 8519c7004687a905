"""Names of the rules that a run can report: an assertion about any other is about nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from etlgen.contract import Contract
from etlgen.plan import Plan


@dataclass(frozen=True, slots=True)
class RuleNames:
    """``rows``: row rules, casts (``<column>_type``) included; ``datasets``: dataset rules, also by their default names."""

    rows: frozenset[str]
    datasets: frozenset[str]


def rule_names(plan: Plan) -> RuleNames:
    """The rules that a plan runs. Any cast of a column bears the name of that column."""
    contract = plan.contract
    renamed = dict(plan.type_rules)
    schemas = (plan.source, plan.prepared, plan.typed, plan.enriched, plan.output)
    columns = {name for schema in schemas for name in schema.names}
    rows = {check.name for check in (*plan.pre_checks, *plan.post_checks)}
    rows |= {renamed.get(column, f"{column}_type") for column in columns}
    if contract.unknown_fields == "quarantine":
        rows.add("unknown_field")
    datasets = tuple(check.name for check in (*plan.pre_dataset_checks, *plan.dataset_checks))
    return RuleNames(frozenset(rows), frozenset((*datasets, *default_names(contract, datasets))))


def default_names(contract: Contract, rules: Sequence[str]) -> tuple[str, ...]:
    """What those of ``rules`` that are ``unique`` rules with a written name would be called without it."""
    return tuple(
        "_".join(column.value for column in rule.columns) + "_unique"
        for rule in contract.quality.dataset_rules
        if rule.kind == "unique" and rule.name in rules
    )
