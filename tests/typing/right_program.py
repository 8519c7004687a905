"""A program in the right order: no diagnostic, no ignore."""

from __future__ import annotations

from tests.golden.orders.with_returns.expected.pipelines import pipeline
from tests.golden.orders.with_returns.expected.pipelines.orders import (
    EnrichOrders,
    Order,
    OrderSource,
    PrepareOrders,
    run,
)
from tests.golden.orders.with_returns.expected.pipelines.orders.checks import POST_RULES, PRE_RULES
from tests.golden.orders.with_returns.expected.pipelines.orders.contract import (
    CONTRACT,
    COUNTRIES,
    OUTPUT,
    SOURCE,
    TARGET,
    TYPED,
)

from etlgen_runtime import Dataset, Profile, Run, RunResult


def by_hand(rows: Dataset[OrderSource], profile: Profile) -> RunResult[Order]:
    """The nine steps as generated."""
    with Run(CONTRACT, profile) as steps:
        raw = steps.given(rows, SOURCE)
        prepared = steps.transform(PrepareOrders(orders=raw)).result
        good = steps.split(steps.check(steps.enforce_schema(prepared, TYPED), PRE_RULES))
        enriched = steps.transform(EnrichOrders(orders=good, countries=steps.link(COUNTRIES))).result
        accepted = steps.accept(steps.check(steps.enforce_schema(enriched, OUTPUT), POST_RULES))
        steps.materialize(accepted, TARGET)
        steps.clean_up(SOURCE)
        return steps.result(accepted)


def amount(row: Order) -> float | None:
    """Fields have their Python types."""
    return row.unit_price if row.status == "paid" else None


def everything(profile: Profile) -> Dataset[Order]:
    """Results of a project run are typed by contract."""
    results = pipeline.run(profile)
    assert results.returns.status == "succeeded"
    return run(profile).accepted if results.orders.report.accounting.accepted == 0 else results.orders.accepted
