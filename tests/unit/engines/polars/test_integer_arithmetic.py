"""Integer arithmetic of any shape equals Python's, to 128 bits, then fits its type or is NULL (semantics, section 5)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen.engines.polars.expressions import emit, emit_predicate
from etlgen.expr import Call, Column, Expr, Literal
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.types import BOOLEAN, INT8, INT32, INT64, INT128, INTEGER_RANGES, UINT64, LogicalType

TYPES: Mapping[str, LogicalType] = {"a": INT8, "b": INT32, "c": INT64, "d": UINT64}
DTYPES = {"a": pl.Int8, "b": pl.Int32, "c": pl.Int64, "d": pl.UInt64}


def truncated(left: int, right: int) -> int | None:
    if right == 0:
        return None
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def remainder(left: int, right: int) -> int | None:
    quotient = truncated(left, right)
    return None if quotient is None else left - quotient * right


OPERATORS: Mapping[str, Callable[[int, int], int | None]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "intdiv": truncated,
    "mod": remainder,
}


def inside(value: int | None, of: LogicalType) -> int | None:
    low, high = INTEGER_RANGES[of.kind]
    return value if value is not None and low <= value <= high else None


def expected(expr: Expr, row: Mapping[str, int | None]) -> int | None:
    """What Python's integers give; beyond 128 bits there is no value."""
    match expr:
        case Column(name=name):
            return row[name]
        case Literal(value=int(value)):
            return value
        case Call(function=("neg" | "abs") as name, args=(arg,)):
            operand = expected(arg, row)
            return None if operand is None else inside(-operand if name == "neg" else abs(operand), INT128)
        case Call(function=name, args=(left, right)):
            one, other = expected(left, row), expected(right, row)
            return None if one is None or other is None else inside(OPERATORS[name](one, other), INT128)
        case _:
            raise AssertionError(expr)


leaves = st.one_of(
    st.sampled_from([Column(name, of) for name, of in TYPES.items()]),
    st.sampled_from([0, 1, -1, 2, 7, -10, 127, 2**31 - 1, 2**63 - 1, -(2**63)]).map(
        lambda value: Literal(value, INT64)
    ),
)


def grown(smaller: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    unary = st.builds(lambda name, arg: Call(name, (arg,), INT64), st.sampled_from(["neg", "abs"]), smaller)
    names = st.sampled_from(sorted(OPERATORS))
    return unary | st.builds(lambda name, left, right: Call(name, (left, right), INT64), names, smaller, smaller)


expressions: st.SearchStrategy[Expr] = st.recursive(leaves, grown, max_leaves=6)
row_values = st.fixed_dictionaries(
    {
        name: st.one_of(
            st.none(),
            st.sampled_from(INTEGER_RANGES[of.kind]),
            st.integers(*INTEGER_RANGES[of.kind]),
            st.integers(0, 3),
        )
        for name, of in TYPES.items()
    }
)


@settings(max_examples=150, deadline=None)
@given(expressions, st.lists(row_values, min_size=1, max_size=4))
def test_arithmetic_is_exact(expr: Expr, rows: list[dict[str, int | None]]) -> None:
    frame = pl.DataFrame(
        {name: pl.Series(name, [row[name] for row in rows], dtype=dtype) for name, dtype in DTYPES.items()}
    )
    result = Call("add", (expr, Literal(0, INT64)), INT64)
    value = eval(emit(result), {"pl": pl, "fn": fn})
    found = frame.select(pl.col("a").alias("row"), value.alias("value")).get_column("value")
    assert found.dtype == pl.Int64
    assert found.to_list() == [inside(expected(result, row), INT64) for row in rows]


@settings(max_examples=60, deadline=None)
@given(expressions, row_values)
def test_a_predicate_over_overflow_is_null(expr: Expr, row: dict[str, int | None]) -> None:
    frame = pl.DataFrame({name: pl.Series(name, [row[name]], dtype=dtype) for name, dtype in DTYPES.items()})
    result = Call("add", (expr, Literal(0, INT64)), INT64)
    source = emit_predicate(Call("gt", (result, Literal(5, INT64)), BOOLEAN))
    value = eval(source, {"pl": pl, "fn": fn})
    wanted = inside(expected(result, row), INT64)
    assert frame.select(pl.col("a").alias("row"), value.alias("value")).item(0, "value") == (
        None if wanted is None else wanted > 5
    )
