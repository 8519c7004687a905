"""A derived value is exact, or its row is bad: no number is lost in silence (semantics, section 5)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from functools import reduce
from typing import cast

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.emit.hand_built_plans import field, small_plan
from tests.unit.engines.polars.test_integer_arithmetic import OPERATORS, TYPES, inside, leaves, row_values
from tests.unit.sql.expressions import text

from etlgen.engines.polars.expressions import emit_predicate
from etlgen.engines.polars.relations import emit_relation
from etlgen.engines.polars.types import dtype_source
from etlgen.expr import Call, Case, Expr, Literal
from etlgen.plan import AggregateRows, Assign, FilterRows, Relation, Schema, SchemaColumn
from etlgen.python_source.names import contract_names
from etlgen.sql import resolve_grouped, resolve_scalar
from etlgen.sql.result_types import widest_integer
from etlgen_runtime import types
from etlgen_runtime.engines.polars import drop_columns, fit, keep_columns, keep_rows, roll_up
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.engines.polars.frame import UNFIT
from etlgen_runtime.engines.polars.ledger import RowLedger
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT16, INT64, INT128, STRING, UINT128, LogicalType, decimal

BAD = "bad"
COLUMNS: Mapping[str, LogicalType] = {
    "a": INT64, "b": INT64, "c": INT64, "k": INT16, "h": INT128, "u": UINT128,
    "f": FLOAT64, "w": decimal(38, 9), "n": decimal(38, 0), "t": STRING,
}  # fmt: skip
SCHEMA = Schema(tuple(SchemaColumn(name, of) for name, of in COLUMNS.items()), open=False)
LARGE = 10**18
NINES = Decimal("9" * 29 + "." + "9" * 9)


def applied(relation: Relation, frame: pl.LazyFrame) -> pl.DataFrame:
    """What the emitted method calls make of ``frame``."""
    chain = "\n".join(
        emit_relation(relation, 1, contract_names(small_plan("rows", [field("id", INT64)]), "rows", frozenset()))
    )
    names = {
        "frame": frame, "pl": pl, "fn": fn, "dt": dt, "Decimal": Decimal, "fit": fit, "roll_up": roll_up, "keep_rows": keep_rows,
        "keep_columns": keep_columns, "drop_columns": drop_columns, "rows": RowLedger(None).section("post"),
        **{name: getattr(types, name) for name in types.__dict__ if name.isupper() or name == "decimal"},
    }  # fmt: skip
    made: pl.LazyFrame = eval(f"(frame\n{chain})", names)
    return made.collect()


def frame_of(rows: Mapping[str, list[object]], of: Mapping[str, LogicalType] = COLUMNS) -> pl.LazyFrame:
    return pl.LazyFrame(
        {name: pl.Series(values, dtype=eval(dtype_source(of[name]), {"pl": pl})) for name, values in rows.items()}
    )


def outcomes(made: pl.DataFrame, name: str = "x") -> list[object]:
    """The values of a column, :data:`BAD` where the row is bad for it."""
    marker = UNFIT + name
    unfit = made.get_column(marker).to_list() if marker in made.columns else [None] * made.height
    return [value if bad is None else BAD for value, bad in zip(made.get_column(name).to_list(), unfit, strict=True)]


def derived(sql: str, **row: object) -> object:
    """The outcome of deriving ``sql`` in one row."""
    resolved = resolve_scalar(text(sql), SCHEMA, context="derive")
    assert resolved.expr is not None, resolved.diagnostics
    made = applied(
        Assign((("x", resolved.expr),), checked=True), frame_of({name: [value] for name, value in row.items()})
    )
    return outcomes(made)[0]


CUBE = {"a": 10**13, "b": 10**13, "c": 10**13}
"""Their product, 10**39, is beyond 2**127."""


@pytest.mark.parametrize(
    ("sql", "row", "expected"),
    [
        ("a * b * c", CUBE, BAD),
        ("a * b * c", {"a": 10, "b": 10, "c": None}, None),
        ("a * b * c", {"a": -10, "b": 10, "c": 10}, -1000),
        ("a * b * c + NULL", CUBE, None),
        ("a * b * c + CAST(NULL AS BIGINT)", CUBE, None),
        ("a * b * c // c", CUBE, BAD),
        ("a * b // c", {"a": LARGE, "b": 100, "c": 1000}, 10**17),
        ("a * b * c // 0", {"a": 1, "b": 1, "c": 1}, None),
        ("a * b * c % 7", CUBE, BAD),
        ("-(a * b * c)", CUBE, BAD),
        ("abs(a * b * c)", CUBE, BAD),
        ("abs(h)", {"h": -(2**127)}, BAD),
        ("-h", {"h": -(2**127)}, BAD),
        ("h + 1", {"h": 2**127 - 1}, BAD),
        ("h + 1", {"h": -(2**127)}, -(2**127) + 1),
        ("h // -1", {"h": -(2**127)}, BAD),
        ("round(h, -38)", {"h": 16 * 10**37}, BAD),
        ("round(h, -38)", {"h": 6 * 10**37}, 10**38),
        ("u + 1", {"u": 2**128 - 1}, BAD),
    ],
)
def test_integers_beyond_128_bits_make_the_row_bad(sql: str, row: dict[str, object], expected: object) -> None:
    assert derived(sql, **row) == expected


@pytest.mark.parametrize(
    ("sql", "row", "expected"),
    [
        ("a * b / 2", {"a": LARGE, "b": 100}, 5e19),
        ("a * b * c / 2", CUBE, BAD),
        ("f * (a * b)", {"f": 0.5, "a": LARGE, "b": 100}, 5e19),
        ("sqrt(a * b)", {"a": LARGE, "b": LARGE}, 1e18),
        ("a * b + 0.5", {"a": LARGE, "b": 100}, Decimal("100000000000000000000.5")),
        ("a * b * c + 0.5", CUBE, BAD),
        ("CAST(a * b AS VARCHAR)", {"a": LARGE, "b": 100}, "1" + "0" * 20),
        ("t || a * b * c", {"t": "no. ", **CUBE}, BAD),
        ("CAST(a * b AS DECIMAL(38, 0))", {"a": LARGE, "b": 100}, Decimal(10**20)),
        ("CAST(a * b AS BIGINT)", {"a": LARGE, "b": 100}, BAD),
        ("CAST(a AS SMALLINT)", {"a": 40_000}, None),
        ("CASE WHEN a * b > 5 THEN 1 ELSE 0 END", {"a": LARGE, "b": 100}, 1),
        ("CASE WHEN a * b * c > 5 THEN 1 ELSE 0 END", CUBE, BAD),
        ("CASE WHEN a > 0 THEN 1 ELSE a * b * c END", CUBE, 1),
        ("CASE WHEN a < 0 THEN 1 ELSE a * b * c END", CUBE, BAD),
        ("CASE WHEN a > 0 THEN 1 WHEN a * b * c > 0 THEN 2 END", CUBE, 1),
        ("coalesce(a * b * c, 0)", CUBE, BAD),
        ("coalesce(a * b * c, 0)", {"a": None, "b": 1, "c": 1}, 0),
        ("coalesce(a, a * b * c)", CUBE, 10**13),
        ("nullif(a * b, 1)", {"a": LARGE, "b": 100}, BAD),
        ("greatest(a * b * c, 0)", CUBE, BAD),
        ("least(a * b, c)", {"a": LARGE, "b": 100, "c": 3}, 3),
        ("greatest(a * b, 0.5)", {"a": LARGE, "b": 100}, BAD),
        ("substring(t, a * b)", {"t": "text", "a": LARGE, "b": 100}, BAD),
        ("a * b IN (5, 100000000000000000000)", {"a": LARGE, "b": 100}, True),
        ("a * b * c IS NULL", CUBE, BAD),
        ("k * k * k * k / k", {"k": 30_000}, 2.7e13),
    ],
)
def test_no_consumer_of_an_integer_loses_it_in_silence(sql: str, row: dict[str, object], expected: object) -> None:
    assert derived(sql, **row) == expected


@pytest.mark.parametrize(
    ("sql", "row", "expected"),
    [
        ("w + w", {"w": NINES}, BAD),
        ("w + w - w", {"w": NINES}, BAD),
        ("CAST(w + w AS DOUBLE)", {"w": NINES}, BAD),
        ("coalesce(w + w, 0)", {"w": NINES}, BAD),
        ("greatest(w + w, w)", {"w": NINES}, BAD),
        ("least(w + w, 0)", {"w": NINES}, BAD),
        ("nullif(w + w, 0)", {"w": NINES}, BAD),
        ("CASE WHEN w + w > 0 THEN 1 ELSE 0 END", {"w": NINES}, BAD),
        ("CASE WHEN w < 0 THEN w + w ELSE w END", {"w": NINES}, NINES),
        ("round(w + w, 2)", {"w": NINES}, BAD),
        ("floor(w + w)", {"w": NINES}, BAD),
        ("round(n, -1)", {"n": Decimal("9" * 38)}, BAD),
        ("round(n, -1)", {"n": Decimal("15")}, Decimal("20")),
        ("w % 0.0", {"w": NINES}, None),
        ("w + h", {"w": Decimal(0), "h": 10**38}, BAD),
    ],
)
def test_decimals_beyond_38_digits_make_the_row_bad(sql: str, row: dict[str, object], expected: object) -> None:
    assert derived(sql, **row) == expected


@pytest.mark.parametrize(
    ("sql", "row", "expected"),
    [
        ("a * b * c * k", {**CUBE, "k": None}, None),
        ("a * b * c % k", {**CUBE, "k": None}, None),
        ("k % (a * b * c)", {**CUBE, "k": None}, None),
        ("k % (a * b * c)", {**CUBE, "k": 1}, BAD),
        ("k + a * b * c % 7", {**CUBE, "k": None}, None),
        ("a * b * c % k", {**CUBE, "k": 0}, None),
        ("a * b * c // k", {**CUBE, "k": 0}, None),
        ("a * b * c / k", {**CUBE, "k": 0}, None),
        ("a * b * c / k", {**CUBE, "k": 2}, BAD),
        ("k + CASE WHEN a > 0 THEN a * b * c END", {**CUBE, "k": None}, None),
        ("k + CASE WHEN a > 0 THEN a * b * c END", {**CUBE, "k": 1}, BAD),
        ("k > a * b * c", {**CUBE, "k": None}, None),
        ("k > a * b * c", {**CUBE, "k": 1}, BAD),
        ("left(t, a * b * c)", {**CUBE, "t": None}, None),
        ("left(t, a * b * c)", {**CUBE, "t": "text"}, BAD),
        ("t || a * b * c", {**CUBE, "t": None}, None),
        ("concat(t, a * b * c)", {**CUBE, "t": None}, BAD),
        ("greatest(k, a * b * c)", {**CUBE, "k": None}, BAD),
        ("nullif(k, a * b * c)", {**CUBE, "k": None}, None),
        ("nullif(k, a * b * c)", {**CUBE, "k": 1}, BAD),
        ("nullif(a * b * c, k)", {**CUBE, "k": None}, BAD),
        ("k IN (1, a * b * c)", {**CUBE, "k": None}, None),
        ("k IN (1, a * b * c)", {**CUBE, "k": 2}, BAD),
        ("k = 1 AND a * b * c > 0", {**CUBE, "k": 0}, BAD),
        ("(w + w) * k", {"w": NINES, "k": None}, None),
        ("(w + w) * k", {"w": NINES, "k": 0}, BAD),
        ("k % (w + w)", {"w": NINES, "k": None}, None),
        ("k % (w + w)", {"w": NINES, "k": 1}, BAD),
        ("(w + w) % k", {"w": NINES, "k": 0}, None),
        ("(w * w * w) % (a * a)", {"w": Decimal(1), "a": 2**62}, BAD),
        ("(w * w * w) % (a * a)", {"w": Decimal(1), "a": -(2**63)}, BAD),
        ("(w * w * w) % (a * a)", {"w": Decimal(1), "a": 0}, None),
        ("(w * w * w) % (a * a)", {"w": Decimal(1), "a": 2}, Decimal(1)),
    ],
)
def test_beside_null_nothing_is_lost(sql: str, row: dict[str, object], expected: object) -> None:
    """What is NULL whatever the number is, needs no number. 2**124 times 10**27 ends with 128 zero bits: that is not zero."""
    assert derived(sql, **row) == expected


def test_each_row_is_judged_by_itself() -> None:
    resolved = resolve_scalar(text("a * b * c"), SCHEMA, context="derive")
    assert resolved.expr is not None
    rows: dict[str, list[object]] = {"a": [1, 10**13, None, 10**13], "b": [2, 10**13, 1, 10], "c": [3, 10**13, 1, 10]}
    made = applied(Assign((("x", resolved.expr),), checked=True), frame_of(rows))
    assert outcomes(made) == [6, BAD, None, 10**15]


def test_a_rewritten_column_is_judged_by_its_old_value() -> None:
    resolved = resolve_scalar(text("a * a * a"), SCHEMA, context="derive")
    assert resolved.expr is not None
    made = applied(Assign((("a", resolved.expr),), checked=True), frame_of({"a": [10**13, 2, None]}))
    assert outcomes(made, "a") == [BAD, 8, None]


def test_a_row_that_was_bad_for_the_column_stays_bad() -> None:
    resolved = resolve_scalar(text("b * b * b"), SCHEMA, context="derive")
    assert resolved.expr is not None
    frame = frame_of({"b": [2, 10**13]}).with_columns(pl.Series(f"{UNFIT}x", ["early", None]))
    made = applied(Assign((("x", resolved.expr),), checked=True), frame)
    assert made.get_column(f"{UNFIT}x").to_list() == ["early", "out of range"]


@pytest.mark.parametrize(
    ("sql", "rows", "expected"),
    [
        ("sum(a * b)", {"a": [LARGE, LARGE], "b": [LARGE, -LARGE]}, 0),
        ("sum(a * b * c)", {"a": [10**13, 1], "b": [10**13, 1], "c": [10**13, 1]}, BAD),
        ("sum(h)", {"h": [2**127 - 1, 1]}, BAD),
        ("sum(h)", {"h": [2**127 - 1, None]}, 2**127 - 1),
        ("sum(u)", {"u": [2**128 - 1, 1]}, BAD),
        ("max(a * b)", {"a": [LARGE, 1], "b": [LARGE, 1]}, BAD),
        ("min(a * b)", {"a": [LARGE, 1], "b": [LARGE, 1]}, 1),
        ("max(a * b * c)", {"a": [10**13, 1], "b": [10**13, 1], "c": [10**13, 1]}, BAD),
        ("count(a * b)", {"a": [LARGE, None], "b": [LARGE, 1]}, 1),
        ("count(DISTINCT a * b * c)", {"a": [10**13, 1], "b": [10**13, 1], "c": [10**13, 1]}, BAD),
        ("avg(a * b)", {"a": [LARGE, LARGE], "b": [100, 300]}, 2e20),
        ("avg(a * b * c)", {"a": [10**13, 1], "b": [10**13, 1], "c": [10**13, 1]}, BAD),
        ("avg(w + w)", {"w": [NINES, Decimal(1)]}, BAD),
        ("max(w + w)", {"w": [NINES, Decimal(1)]}, BAD),
        ("sum(w + w)", {"w": [NINES, Decimal(1)]}, BAD),
        ("sum(CASE WHEN a < 9 THEN a * b * c END)", {"a": [10**13, 2], "b": [10**13, 2], "c": [10**13, 2]}, 8),
        ("sum(h) + sum(h)", {"h": [2**126, 0]}, BAD),
        ("coalesce(sum(h), 0) / 2", {"h": [2**127 - 1, 1]}, BAD),
    ],
)
def test_aggregates_lose_no_number(sql: str, rows: dict[str, list[object]], expected: object) -> None:
    resolved = resolve_grouped(text(sql), SCHEMA, ())
    assert resolved.expr is not None, resolved.diagnostics
    made = applied(AggregateRows((), (("x", resolved.expr),)), frame_of(rows))
    assert outcomes(made) == [expected]
    assert [name for name in made.columns if not name.startswith("__etlgen_unfit")] == ["x"]


def test_a_group_without_loss_is_not_bad_beside_one_with() -> None:
    schema = Schema((*SCHEMA.columns, SchemaColumn("g", STRING)), open=False)
    resolved = resolve_grouped(text("sum(a * b * c)"), schema, ("g",))
    assert resolved.expr is not None
    rows: dict[str, list[object]] = {
        "g": ["x", "y", "y"],
        "a": [10**13, 2, 3],
        "b": [10**13, 2, 3],
        "c": [10**13, 2, 3],
    }
    made = applied(AggregateRows(("g",), (("x", resolved.expr),)), frame_of(rows, {**COLUMNS, "g": STRING})).sort("g")
    assert outcomes(made) == [BAD, 35]


def test_a_filter_compares_the_exact_number() -> None:
    resolved = resolve_scalar(text("a * b > 5"), SCHEMA, context="filter")
    assert resolved.expr is not None
    rows: dict[str, list[object]] = {"a": [LARGE, -LARGE, 1], "b": [100, 100, 1]}
    assert applied(FilterRows(resolved.expr), frame_of(rows)).get_column("a").to_list() == [LARGE]


def test_a_rule_over_an_overflow_is_null() -> None:
    resolved = resolve_scalar(text("a * b * c > 5"), SCHEMA, context="filter")
    assert resolved.expr is not None
    predicate: pl.Expr = eval(emit_predicate(resolved.expr), {"pl": pl, "fn": fn})
    rows: dict[str, list[object]] = {"a": [10**13, 2], "b": [10**13, 2], "c": [10**13, 2]}
    assert frame_of(rows).select(predicate.alias("passes")).collect().get_column("passes").to_list() == [None, True]


@pytest.mark.parametrize(
    "sql",
    [
        "coalesce(a * b * c, 0) = 0",
        "greatest(a * b * c, 5) = 5",
        "coalesce(w + w, 0) = 0",
        "greatest(w + w, 5) = 5",
        "greatest(-(w + w), 5) = 5",
        "least(w + w, 5) = 5",
        "(w + w) * 0 IS NULL",
    ],
)
def test_a_number_that_was_lost_is_null_in_a_rule_whatever_its_kind_and_sign(sql: str) -> None:
    resolved = resolve_scalar(text(sql), SCHEMA, context="filter")
    assert resolved.expr is not None
    predicate: pl.Expr = eval(emit_predicate(resolved.expr), {"pl": pl, "fn": fn, "Decimal": Decimal})
    rows: dict[str, list[object]] = {"a": [10**13], "b": [10**13], "c": [10**13], "w": [NINES]}
    assert frame_of(rows).select(predicate.alias("passes")).collect().get_column("passes").to_list() == [True]


# --- any expression ---------------------------------------------------------------------------------------------------


class Lost(Exception):
    """The number needs more than 128 bits."""


def value_of(expr: Expr, row: Mapping[str, int | None]) -> int | bool | None:
    """What Python's integers give."""
    match expr:
        case Literal(value=int(value)):
            return value
        case Case(branches=((condition, value),), default=default):
            return value_of(value if value_of(condition, row) else default, row)
        case Call(function="coalesce", args=(first, second)):
            found = value_of(first, row)
            return found if found is not None else value_of(second, row)
        case Call(function=name, args=args):
            return _computed(name, [value_of(arg, row) for arg in args])
        case _:
            return row[cast("str", getattr(expr, "name"))]  # noqa: B009


def _computed(name: str, values: list[int | bool | None]) -> int | bool | None:
    known = [int(value) for value in values if value is not None]
    if name == "greatest":
        return max(known, default=None)
    if len(known) < len(values):
        return None
    if name == "gt":
        return known[0] > known[1]
    if name in ("neg", "abs"):
        found: int | None = -known[0] if name == "neg" else abs(known[0])
    else:
        found = OPERATORS[name](known[0], known[1])
    if found is not None and inside(found, INT128) is None:
        raise Lost
    return found


def grown(smaller: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    def call(name: str, *args: Expr) -> Expr:
        return Call(name, args, chosen(*args) if name in ("coalesce", "greatest") else INT64)

    def case(left: Expr, right: Expr, value: Expr, default: Expr) -> Expr:
        return Case(((Call("gt", (left, right), BOOLEAN), value),), default, chosen(value, default))

    def chosen(*values: Expr) -> LogicalType:
        return reduce(widest_integer, (value.type for value in values), INT64)

    names = st.sampled_from([*sorted(OPERATORS), "mul", "coalesce", "greatest"])
    unary = st.builds(call, st.sampled_from(["neg", "abs"]), smaller)
    return unary | st.builds(call, names, smaller, smaller) | st.builds(case, smaller, smaller, smaller, smaller)


@settings(max_examples=200, deadline=None)
@given(st.recursive(leaves, grown, max_leaves=8), st.lists(row_values, min_size=1, max_size=3))
def test_every_expression_is_exact_or_bad(expr: Expr, rows: list[dict[str, int | None]]) -> None:
    def expected(row: Mapping[str, int | None]) -> object:
        try:
            found = value_of(whole, row)
        except Lost:
            return BAD
        return BAD if found is not None and inside(found, INT64) is None else found

    whole = Call("add", (expr, Literal(0, INT64)), INT64)
    frame = frame_of({name: [row[name] for row in rows] for name in TYPES}, TYPES)
    assert outcomes(applied(Assign((("x", whole),), checked=True), frame)) == [expected(row) for row in rows]
