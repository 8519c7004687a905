"""Programs that must not type-check: each line below is refused by mypy --strict and by pyright strict.

Both checkers report an ignore that is no longer needed, so a wrong program that passes fails the build.
"""

from __future__ import annotations

from tests.golden.orders.with_returns.expected.pipelines.orders.checks import POST_RULES, PRE_RULES
from tests.golden.orders.with_returns.expected.pipelines.orders.contract import COUNTRIES, OUTPUT, SOURCE, TARGET, TYPED
from tests.golden.orders.with_returns.expected.pipelines.orders.models import (
    Countries,
    Order,
    OrderEnriched,
    OrderPrepared,
    OrderPublished,
    OrderSource,
    OrderTyped,
)
from tests.golden.orders.with_returns.expected.pipelines.orders.transformations import EnrichOrders, PrepareOrders
from tests.golden.orders.with_returns.expected.pipelines.returns.models import Return, ReturnSource

from etlgen_runtime import Accepted, Checked, Dataset, Post, Pre, Run, Typed


def skip_step_2(steps: Run, raw: Dataset[OrderSource]) -> None:
    steps.enforce_schema(raw, TYPED)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]


def skip_step_3(steps: Run, prepared: Dataset[OrderPrepared]) -> None:
    steps.check(prepared, PRE_RULES)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def skip_step_4(steps: Run, typed: Typed[OrderTyped]) -> None:
    steps.split(typed)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def skip_step_5(checked: Checked[OrderTyped, Pre], countries: Dataset[Countries]) -> None:
    EnrichOrders(orders=checked, countries=countries)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def skip_step_6(steps: Run, good: Dataset[OrderTyped]) -> None:
    steps.enforce_schema(good, OUTPUT)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]


def skip_output_types(steps: Run, enriched: Dataset[OrderEnriched]) -> None:
    steps.check(enriched, POST_RULES)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def skip_step_7(steps: Run, output: Typed[Order]) -> None:
    steps.materialize(output, TARGET)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def publish_unaccepted(steps: Run, checked: Checked[Order, Post]) -> None:
    steps.materialize(checked, TARGET)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def publish_a_dataset(steps: Run, rows: Dataset[Order]) -> None:
    steps.materialize(rows, TARGET)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def post_rules_in_step_4(steps: Run, typed: Typed[OrderTyped]) -> None:
    steps.check(typed, POST_RULES)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]


def pre_rules_in_step_7(steps: Run, output: Typed[Order]) -> None:
    steps.check(output, PRE_RULES)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]


def accept_after_pre_rules(steps: Run, checked: Checked[OrderTyped, Pre]) -> None:
    steps.accept(checked)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def split_after_post_rules(steps: Run, checked: Checked[Order, Post]) -> None:
    steps.split(checked)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def wrong_model_into_transform(rows: Dataset[ReturnSource]) -> None:
    PrepareOrders(orders=rows)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def wrong_model_into_target(steps: Run, rows: Accepted[OrderPublished]) -> None:
    steps.materialize(rows, TARGET)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]


def wrong_model_into_link(good: Dataset[OrderTyped]) -> None:
    EnrichOrders(orders=good, countries=good)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def source_as_link(steps: Run) -> None:
    steps.link(SOURCE)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def link_as_source(steps: Run) -> None:
    steps.read(COUNTRIES)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def output_into_constructor(raw: Dataset[OrderSource], prepared: Dataset[OrderPrepared]) -> None:
    PrepareOrders(orders=raw, result=prepared)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def link_missing(good: Dataset[OrderTyped]) -> None:
    EnrichOrders(orders=good)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def wrong_field_name(row: Order) -> object:
    return row.emial  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]


def wrong_field_type(row: Order) -> str:
    return row.order_id  # type: ignore[return-value]  # pyright: ignore[reportReturnType]


def publish_another_contract(steps: Run, rows: Accepted[Return]) -> None:
    steps.materialize(rows, TARGET)  # type: ignore[misc]  # pyright: ignore[reportArgumentType]
