"""The emitted source reads like hand-written Polars, and no text of a contract leaves its literal."""

from __future__ import annotations

import ast
import datetime as dt
from decimal import Decimal

import polars as pl
import pytest
from tests.unit.emit.hand_built_plans import field, small_plan

from etlgen.engines.polars.assignments import Assignment, emit_assignment
from etlgen.engines.polars.capabilities import refusals
from etlgen.engines.polars.expressions import emit, emit_predicate, names_used
from etlgen.engines.polars.generator import GENERATOR
from etlgen.engines.polars.steps import IMPORTS
from etlgen.expr import Call, Case, Cast, Column, Expr, Literal, LiteralValue
from etlgen.python_source.names import contract_names
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    STRING,
    TIMESTAMP_TZ,
    UNKNOWN,
    LogicalType,
    decimal,
)

QTY, SMALL = Column("qty", INT64), Column("small", INT8)
PRICE, AMOUNT = Column("unit_price", FLOAT64), Column("amount", decimal(10, 2))
STATUS, DAY, PAID = Column("status", STRING), Column("day", DATE), Column("paid", BOOLEAN)
HOSTILE = (
    "'", '"', "'\"", "\n", "\\", "{x}", "{{ x }}", "{% raw %}", '"""', "\u202e", "\x00", '") or pl.lit("', "#", "\ud83d\ude00",
)  # fmt: skip


def call(function: str, of: LogicalType, *args: Expr) -> Call:
    return Call(function, args, of)


def lit(value: LiteralValue, of: LogicalType) -> Literal:
    return Literal(value, of)


def boolean(function: str, *args: Expr) -> Call:
    return call(function, BOOLEAN, *args)


def whole(value: int) -> Literal:
    return lit(value, INT64)


def text(value: str) -> Literal:
    return lit(value, STRING)


@pytest.mark.parametrize(
    ("expr", "source"),
    [
        (boolean("in", STATUS, text("new"), text("paid")), 'fn.one_of(pl.col("status"), "new", "paid")'),
        (boolean("is_not_null", STATUS), 'pl.col("status").is_not_null()'),
        (boolean("not", boolean("is_null", STATUS)), 'pl.col("status").is_not_null()'),
        (
            boolean("and", boolean("ge", QTY, whole(0)), boolean("le", QTY, whole(100))),
            'pl.col("qty").is_between(0, 100)',
        ),
        (
            boolean("and", boolean("gt", QTY, whole(0)), boolean("lt", QTY, whole(100))),
            '(pl.col("qty") > 0) & (pl.col("qty") < 100)',
        ),
        (boolean("lt", whole(0), QTY), 'pl.col("qty") > 0'),
        (boolean("eq", PAID, lit(True, BOOLEAN)), 'pl.col("paid")'),
        (boolean("not", boolean("or", PAID, boolean("is_null", PAID))), '~(pl.col("paid") | pl.col("paid").is_null())'),
        (boolean("gt", AMOUNT, lit(Decimal("1.50"), decimal(10, 2))), 'pl.col("amount") > Decimal("1.50")'),
        (boolean("gt", AMOUNT, lit(Decimal("0"), decimal(10, 2))), 'pl.col("amount") > 0'),
        (boolean("ge", DAY, lit(dt.date(2020, 1, 5), DATE)), 'pl.col("day") >= dt.date(2020, 1, 5)'),
        (boolean("like", STATUS, text("a%"), text("")), 'pl.col("status").str.starts_with("a")'),
        (boolean("like", STATUS, text("%a%"), text("")), 'pl.col("status").str.contains("a", literal=True)'),
        (
            call("mul", FLOAT64, call("nearest", FLOAT64, QTY), PRICE),
            'fn.finite(pl.col("qty") * pl.col("unit_price"), "unit_price")',
        ),
        (call("add", FLOAT64, PRICE, lit(1.0, FLOAT64)), 'pl.col("unit_price") + 1.0'),
        (call("add", decimal(38, 2), AMOUNT, AMOUNT), 'pl.col("amount") + pl.col("amount")'),
        (
            call("sub", FLOAT64, PRICE, call("sub", FLOAT64, PRICE, lit(1.0, FLOAT64))),
            'fn.finite(pl.col("unit_price") - (pl.col("unit_price") - 1.0), "unit_price")',
        ),
        (
            Case(((boolean("gt", PRICE, lit(10.0, FLOAT64)), text("dear")),), text("cheap"), STRING),
            'pl.when(pl.col("unit_price") > 10.0).then(pl.lit("dear")).otherwise(pl.lit("cheap"))',
        ),
        (call("coalesce", STRING, STATUS, text("none")), 'pl.col("status").fill_null("none")'),
        (call("substring", STRING, STATUS, whole(2), whole(3)), 'pl.col("status").str.slice(1, 3)'),
        (Cast(STATUS, INT64), 'fn.cast(pl.col("status"), "string", "int64")'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_source_reads_like_polars(expr: Expr, source: str) -> None:
    assert emit(expr) == source


def test_arithmetic_widens_only_where_a_value_may_leave_its_width() -> None:
    product = call("mul", INT8, SMALL, lit(2, INT8))
    assert emit_predicate(boolean("gt", product, lit(5, INT8))) == (
        '(pl.col("small").cast(pl.Int64) * 2).cast(pl.Int8, strict=False) > 5'
    )
    rest = call("mod", INT64, QTY, whole(7))
    assert emit(rest) == 'fn.remainder(pl.col("qty"), 7)'


def test_checked_assignment_stays_wide_and_asks_for_a_fit() -> None:
    total = call("add", INT64, QTY, whole(1))
    assert emit_assignment("total", total, True) == Assignment('pl.col("qty").cast(pl.Int128) + 1', INT64)
    unchecked = '(pl.col("qty").cast(pl.Int128) + 1).cast(pl.Int64, strict=False).alias("total")'
    assert emit_assignment("total", total, False) == Assignment(unchecked)


def test_what_may_leave_128_bits_names_its_operands() -> None:
    square = call("mul", INT64, QTY, QTY)
    cube = call("mul", INT64, square, QTY)
    wide = 'fn.wide_multiply(pl.col("qty").cast(pl.Int128) * pl.col("qty"), pl.col("qty").cast(pl.Int128))'
    assert emit_assignment("cube", cube, True) == Assignment(wide, INT64, operands=('pl.col("qty")',))
    half = call("div", FLOAT64, call("nearest", FLOAT64, cube), lit(2.0, FLOAT64))
    lost = f'fn.lost({wide}, pl.col("qty"))'
    assert emit_assignment("half", half, True) == Assignment(f"{wide}.cast(pl.Float64) / 2.0", FLOAT64, lost=lost)


def test_what_stays_in_128_bits_has_no_guard() -> None:
    square = call("mul", INT64, QTY, QTY)
    half = call("div", FLOAT64, call("nearest", FLOAT64, square), lit(2.0, FLOAT64))
    source = '((pl.col("qty").cast(pl.Int128) * pl.col("qty")).cast(pl.Float64) / 2.0).alias("half")'
    assert emit_assignment("half", half, True) == Assignment(source)


def test_assignment_without_overflow_is_named() -> None:
    upper = Assignment('pl.col("status").str.to_uppercase()')
    assert emit_assignment("status", call("upper", STRING, STATUS), True) == upper
    ratio = call("div", FLOAT64, PRICE, lit(4.0, FLOAT64))
    assert emit_assignment("quarter", ratio, True) == Assignment('(pl.col("unit_price") / 4.0).alias("quarter")')


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_stays_inside_its_literal(value: str) -> None:
    source = emit_predicate(boolean("eq", Column(value, STRING), text(value)))
    assert source.isascii()
    assert source.isprintable()
    assert {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)} == {value}


@pytest.mark.parametrize("name", ["*", "^a.*$", "a b", "\u00fcber", "class", "'", ""])
def test_columns_are_found_by_their_exact_name(name: str) -> None:
    frame = pl.DataFrame({name: [1.0, 1e308], "ab": [2.0, 3.0], "abc": [3.0, 4.0]})
    double = call("mul", FLOAT64, Column(name, FLOAT64), Column(name, FLOAT64))
    value = eval(emit(double), {"pl": pl, "fn": fn})
    assert frame.select(value.alias("value")).to_series().to_list() == [1.0, None]


def test_names_used_are_the_imports_a_module_needs() -> None:
    assert names_used(emit(boolean("gt", AMOUNT, lit(Decimal("1.5"), decimal(10, 2))))) == {"pl", "Decimal"}
    assert names_used(emit(boolean("gt", DAY, lit(dt.date(2020, 1, 1), DATE)))) == {"pl", "dt"}
    assert names_used(emit(call("current_timestamp", TIMESTAMP_TZ))) == {"fn"}


def test_numbers_of_an_undeclared_link_use_plain_operators() -> None:
    rate = Column("rate", UNKNOWN)
    assert emit(call("mul", UNKNOWN, rate, lit(2, INT32))) == 'pl.col("rate") * 2'


@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        (
            Cast(Column("rate", UNKNOWN), INT64),
            "a value whose type is not declared cannot be cast to int64 on Polars: declare the link's columns",
        ),
        (call("soundex", STRING, STATUS), "function `soundex` is not supported on Polars"),
        (call("round", FLOAT64, PRICE, QTY), "argument 2 of `round` must be a constant on Polars"),
        (call("strptime", TIMESTAMP_TZ, STATUS, text("%Y %U")), "`strptime` on Polars does not read `%U`"),
        (call("strptime", TIMESTAMP_TZ, STATUS, text("%Y %Y")), "`strptime` on Polars reads `%Y` once only"),
    ],
)
def test_what_polars_cannot_say_is_refused_with_a_reason(expr: Expr, reason: str) -> None:
    assert [refusal.reason for refusal in refusals(expr)] == [reason]


def test_what_polars_can_say_is_not_refused() -> None:
    assert list(refusals(call("strptime", TIMESTAMP_TZ, STATUS, text("%Y-%m-%d %%")))) == []


def test_expressions_are_emitted_up_to_the_greatest_depth_and_refused_beyond() -> None:
    expr: Expr = STATUS
    for _ in range(199):
        expr = call("concat_op", STRING, expr, STATUS)
    assert list(refusals(expr)) == []
    assert emit(expr).count("+") == 199
    deeper = call("upper", STRING, expr)
    (refusal,) = refusals(deeper)
    assert refusal.part is deeper
    assert refusal.reason == "an expression of more than 200 levels is not supported on Polars"


@pytest.mark.parametrize("name", [name for name in IMPORTS if name.islower()])
def test_no_parameter_hides_what_a_steps_module_imports(name: str) -> None:
    plan = small_plan(name, [field("id", INT64)])
    assert contract_names(plan, name, GENERATOR.reserved_names).parameter == f"{name}_"
