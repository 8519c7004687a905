"""Comparisons with bounds of a contract keep every digit, whatever the type of the column."""

from __future__ import annotations

from decimal import Decimal

import pytest

from etlgen.contract import Number, Scalar
from etlgen.expr import Call, Cast, Column, Literal
from etlgen.lower.literals import Comparison, UnfitValue, comparison, natural, page_text, typed
from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, INT8, INT64, INT128, STRING, decimal


def bound_of(function: Comparison, column: Column, bound: Scalar) -> object:
    found = comparison(function, column, bound)
    assert isinstance(found, Call)
    literal = found.args[1]
    assert isinstance(literal, Literal)
    return literal.value


@pytest.mark.parametrize(
    ("function", "bound", "same_as"),
    [
        ("ge", Number("0.5"), 1),
        ("gt", Number("0.5"), 0),
        ("le", Number("2.5"), 2),
        ("lt", Number("2.5"), 3),
        ("ge", Number("-0.5"), 0),
        ("le", Number("-0.5"), -1),
        ("ge", Number("1e-70"), 1),  # however small: 0 is below it
        ("ge", 7, 7),
        ("lt", Number("7.0"), 7),
    ],
)
def test_fractions_round_to_the_side_that_changes_nothing(function: Comparison, bound: Scalar, same_as: int) -> None:
    assert bound_of(function, Column("n", INT64), bound) == same_as


def test_fraction_equals_no_integer() -> None:
    assert comparison("eq", Column("n", INT64), Number("0.5")) == Literal(False, BOOLEAN)


def test_bound_beyond_the_type_widens_the_column_instead_of_wrapping() -> None:
    found = comparison("le", Column("n", INT8), 1000)
    assert found == Call("le", (Cast(Column("n", INT8), INT128), Literal(1000, INT128)), BOOLEAN)


def test_decimal_bound_keeps_its_digits() -> None:
    """Seventeen digits: a double would end in ...14."""
    wide = Column("d", decimal(18, 2))
    assert bound_of("ge", wide, Number("123456789012345.13")) == Decimal("123456789012345.13")
    narrow = comparison("ge", Column("d", decimal(4, 2)), 1000)
    assert narrow == Call(
        "ge", (Cast(Column("d", decimal(4, 2)), decimal(38, 2)), Literal(Decimal("1000.00"), decimal(38, 2))), BOOLEAN
    )


@pytest.mark.parametrize("bound", [True, "many", Number("nan"), Number("inf"), 10**40])
def test_bounds_that_are_no_number_of_the_type_are_refused(bound: Scalar) -> None:
    with pytest.raises(UnfitValue):
        comparison("ge", Column("n", INT64), bound)


def test_dates_are_read_by_the_cast_table() -> None:
    with pytest.raises(UnfitValue):
        comparison("ge", Column("d", DATE), "2024-02-30")


def test_values_for_text_are_the_characters_on_the_page() -> None:
    assert typed(Number("1.10"), STRING).value == "1.10"
    assert typed(True, STRING).value == "true"
    assert page_text(None) == "null"


def test_boolean_is_no_number() -> None:
    with pytest.raises(UnfitValue):
        typed(True, INT64)


def test_blank_text_is_no_value_of_another_type() -> None:
    with pytest.raises(UnfitValue):
        typed("", INT64)
    assert typed("", STRING) == Literal("", STRING)


def test_natural_types() -> None:
    assert [natural(value).type for value in (True, 1, 2**70, Number("1.5"), "x")] == [
        BOOLEAN,
        INT64,
        INT128,
        FLOAT64,
        STRING,
    ]
