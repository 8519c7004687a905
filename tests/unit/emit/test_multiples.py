"""``multiple_of`` means the same for a record and for a batch (validation, two paths; odcs, 3.4)."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.emit.test_models import accepts, models
from tests.unit.resolve.plans import plan_of, row_check, text

from etlgen.engines.polars.expressions import emit_predicate
from etlgen.plan import Plan
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.engines.polars.casts import physical_type
from etlgen_runtime.models import ContractModel, schema_of


@cache
def _plan(kind: str, step: str) -> tuple[Plan, type[ContractModel]]:
    rest = f"extensions:\n  etlgen.fields:\n    n: {{ multiple_of: {step} }}\n"
    plan = plan_of(text(f'name: n, type: "{kind}"', rest))
    return plan, models(plan)["OrderTyped"]


def judged(kind: str, step: str, *values: object) -> tuple[list[bool], list[bool]]:
    """Whether each value passes, as a record and in a batch."""
    plan, model = _plan(kind, step)
    predicate = row_check(plan, "n_multiple_of").predicate
    assert predicate is not None
    emitted = eval(emit_predicate(predicate), {"pl": pl, "fn": fn, "Decimal": Decimal})
    (column,) = schema_of(model)
    frame = pl.DataFrame({"n": pl.Series(values, dtype=physical_type(column.type), strict=True)})
    batch = frame.select(emitted.alias("n").fill_null(True))["n"].to_list()
    return [accepts(model, n=value) for value in values], batch


@pytest.mark.parametrize(
    ("kind", "step", "value", "passes"),
    [
        ("double", "0.1", 0.3, True),  # 0.3 / 0.1 is 2.9999999999999996
        ("double", "0.1", 0.1 + 0.2, True),  # 0.30000000000000004
        ("double", "0.1", 0.35, False),
        ("double", "0.1", -0.7, True),
        ("double", "0.1", 0.0, True),
        ("double", "3", 1e300, True),  # so far out every double is whole
        ("double", "0.1", 1e308, True),  # the quotient is no finite number: NULL, which passes
        ("double", "0.1", math.inf, False),
        ("double", "0.1", math.nan, False),
        ("double", "0.1", None, True),
        ("long", "5", 15, True),
        ("long", "5", -15, True),
        ("long", "5", 16, False),
        ("long", "5", 0, True),
        ("decimal(6,2)", "0.05", Decimal("1.15"), True),
        ("decimal(6,2)", "0.05", Decimal("1.16"), False),
        ("decimal(6,2)", "0.05", Decimal("-0.05"), True),
    ],
)
def test_multiple(kind: str, step: str, value: object, passes: bool) -> None:
    assert judged(kind, step, value) == ([passes], [passes])


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["0.1", "0.01", "3", "0.25", "1e-9"]),
    st.lists(st.integers(-1000, 1000).map(lambda n: n * 0.1) | st.floats(), min_size=1, max_size=8),
)
def test_doubles_are_judged_alike(step: str, values: list[float]) -> None:
    record, batch = judged("double", step, *values)
    assert record == batch
