"""Bounds of an integer expression hold every value it can have, and pick the width that a column needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engines.polars.test_integer_arithmetic import OPERATORS
from tests.unit.sql.expressions import text

from etlgen.expr import Expr
from etlgen.plan import Schema, SchemaColumn
from etlgen.ranges import bounds_of, value_bounds, wide_enough
from etlgen.sql import resolve_scalar
from etlgen_runtime.types import INT8, INT16, INT64, INT128, LogicalType

SCHEMA = Schema((SchemaColumn("t", INT8), SchemaColumn("s", INT16), SchemaColumn("a", INT64)), open=False)
SMALL = st.integers(-12, 12)
FUNCTIONS: dict[str, Callable[[int, int], int | None]] = {
    **OPERATORS,
    "neg": lambda value, _: -value,
    "abs": lambda value, _: abs(value),
}


def resolved(sql: str) -> Expr:
    found = resolve_scalar(text(sql), SCHEMA, context="derive")
    assert found.expr is not None, found.diagnostics
    return found.expr


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(FUNCTIONS)), SMALL, SMALL, SMALL, SMALL)
def test_no_pair_of_operands_leaves_the_bounds(name: str, one: int, other: int, third: int, fourth: int) -> None:
    left, right = (min(one, other), max(one, other)), (min(third, fourth), max(third, fourth))
    low, high = bounds_of(name, left, right)
    values = (FUNCTIONS[name](x, y) for x in range(left[0], left[1] + 1) for y in range(right[0], right[1] + 1))
    assert all(low <= value <= high for value in values if value is not None)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["add", "sub", "mul", "neg", "abs"]), SMALL, SMALL, SMALL, SMALL)
def test_bounds_are_reached(name: str, one: int, other: int, third: int, fourth: int) -> None:
    """A column is no wider than its values need."""
    left, right = (min(one, other), max(one, other)), (min(third, fourth), max(third, fourth))
    found = [FUNCTIONS[name](x, y) for x in range(left[0], left[1] + 1) for y in range(right[0], right[1] + 1)]
    values = [value for value in found if value is not None]
    assert bounds_of(name, left, right) == (min(values), max(values))


@pytest.mark.parametrize(
    ("sql", "bounds"),
    [
        ("t * t", (-128 * 127, 128 * 128)),
        ("abs(t) + 1", (1, 129)),
        ("-t", (-127, 128)),
        ("2000000000 + 2000000000", (4 * 10**9, 4 * 10**9)),
        ("CASE WHEN t > 0 THEN t * 2 ELSE 500 END", (-256, 500)),
        ("CASE WHEN t > 0 THEN t END", (-128, 127)),
        ("coalesce(t, 1000)", (-128, 1000)),
        ("greatest(t, s)", (-(2**15), 2**15 - 1)),
        ("nullif(t, 5)", (-128, 127)),
        ("round(t, -1)", (-138, 137)),
        ("CAST(a AS TINYINT)", (-128, 127)),
        ("length('x')", (-(2**63), 2**63 - 1)),
    ],
)
def test_bounds_of_sql(sql: str, bounds: tuple[int, int]) -> None:
    assert value_bounds(resolved(sql)) == bounds


@pytest.mark.parametrize(
    ("sql", "of"),
    [
        ("t + 0", INT8),
        ("t % 5", INT8),
        ("t * t", INT64),
        ("s * s * s", INT64),
        ("a + 1", INT128),
        ("a * a * a", INT128),
    ],
)
def test_the_width_that_a_column_needs(sql: str, of: LogicalType) -> None:
    assert wide_enough(resolved(sql)) == of
