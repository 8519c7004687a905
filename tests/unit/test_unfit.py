"""Which columns may hold a value that did not fit, and how the emitted code names them (semantics, section 1)."""

from __future__ import annotations

import re

import pytest
from tests.unit.resolve.plans import CSV, PARQUET, operations, plan_of, source_fields, text

from etlgen.engines.polars.steps import steps_module
from etlgen.plan import Plan
from etlgen.python_source.names import contract_names
from etlgen.unfit import UnfitValues

JSON = "source: {type: landing, path: data/orders.jsonl}\n"
FIELDS = "name: id, type: long\nname: n, type: smallint\nname: ts, type: timestamp\nname: t, type: string"


def kept(plan: Plan) -> list[str]:
    """The ``unfit`` argument of each call that removes rows, empty where it has none."""
    module = steps_module(plan, contract_names(plan, "orders", frozenset()))
    calls = re.findall(r"\.pipe\((?:keep_rows|deduplicate|join_link),.*", module)
    return [found[1] if (found := re.search(r"unfit=\[(.*?)\]", call)) else "" for call in calls]


@pytest.mark.parametrize(
    ("source", "judged"),
    [(CSV, ()), (PARQUET, ("ts",)), (JSON, ("id", "n", "ts")), ("", ("id", "n", "ts"))],
    ids=["text", "Parquet", "JSON", "known at run time only"],
)
def test_values_of_a_typed_source_are_judged_as_they_are_read(source: str, judged: tuple[str, ...]) -> None:
    """Good rows enter step 6: nothing is unfit there."""
    plan = plan_of(text(FIELDS, source=source))
    assert UnfitValues(plan, plan.pre).behind(("id", "n", "ts", "t")) == judged
    assert UnfitValues(plan, plan.post).behind(("id", "n", "ts", "t")) == ()


@pytest.mark.parametrize(
    ("steps", "arguments"),
    [
        (['filter: {sql: "n > 1"}'], [""]),
        (['derive: {field: x, sql: "t || t"}', "filter: {sql: \"x > 'a'\"}"], [""]),
        (["derive: {field: x, sql: n * n}", 'filter: {sql: "x > 1 AND n > 1"}'], ["'x'"]),
        (["derive: {field: x, sql: n * n}", "derive: {field: y, sql: x / 2}", 'filter: {sql: "y > 1"}'], ["'x'"]),
        (["derive: {field: x, sql: n * n}", 'filter: {sql: "n > 1"}', 'filter: {sql: "x > 1"}'], ["", "'x'"]),
        (["derive: {field: x, sql: n * n}", "rename: {from: x, to: y}", 'filter: {sql: "y > 1"}'], ["'y'"]),
        (["cast: {columns: {t: long}}", 'filter: {sql: "t > 1"}'], ["'t'"]),
        (["derive: {field: x, sql: n * n}", "deduplicate: {on: [x], sort_by: [ts]}"], ["'x'"]),
        (["derive: {field: x, sql: n * n}", "deduplicate: {on: [ts], sort_by: [x]}"], ["'x'"]),
        (["derive: {field: x, sql: n * n}", "deduplicate: {on: [id], sort_by: [ts]}"], [""]),
        (
            ["rollup: {group_by: [id], aggregations: {x: sum(n), y: max(ts)}}", 'filter: {sql: "x > 1 AND id > 1"}'],
            ["'x'"],
        ),
    ],
)
def test_what_removes_rows_names_what_it_depends_on(steps: list[str], arguments: list[str]) -> None:
    extra = source_fields(
        "name: id, type: long", "name: n, type: smallint", "name: ts, type: timestamp", "name: t, type: string"
    )
    plan = plan_of(text("name: id, type: long", operations(*steps) + extra))
    assert kept(plan) == arguments
