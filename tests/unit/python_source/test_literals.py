"""Contract text enters code as a value: literals evaluate to it, comments and docstrings stay on their line."""

from __future__ import annotations

import ast
import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etlgen.python_source.literals import docstring_text, one_line, python_literal, type_name
from etlgen_runtime.types import INT64, Kind, LogicalType, decimal

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.binary()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(VALUES)
def test_a_literal_evaluates_to_its_value_and_is_ascii(value: object) -> None:
    written = python_literal(value)
    assert written.isascii()
    assert "\n" not in written
    assert ast.literal_eval(written) == value


@pytest.mark.parametrize(
    "value",
    [Decimal("1.50"), dt.date(2024, 2, 29), dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC), dt.time(1, 2, 3), float("inf")],
)
def test_literals_of_other_scalars(value: object) -> None:
    assert eval(python_literal(value), {"datetime": dt, "Decimal": Decimal}) == value


def test_what_is_no_constant_is_refused() -> None:
    with pytest.raises(TypeError, match="object is no constant"):
        python_literal(object())


@given(st.text())
def test_a_comment_stays_one_line(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert compile(f"# {line}\nx = 1\n", "comment", "exec")


@given(st.text())
def test_a_docstring_holds_its_text_and_nothing_more(text: str) -> None:
    tree = ast.parse(f'"""{docstring_text(text)}."""\n')
    assert len(tree.body) == 1
    assert ast.get_docstring(tree, clean=False) == f"{one_line(text)}."


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u2069", "\u200b", "\ufeff", "\x00"])
def test_invisible_characters_are_spelled_out_or_dropped(mark: str) -> None:
    assert mark not in one_line(f"a{mark}b")
    assert mark not in python_literal(f"a{mark}b")


def test_visible_characters_of_any_script_stay() -> None:
    assert one_line("Größe  der\n数量") == "Größe der 数量"


def test_types_are_written_as_their_constants() -> None:
    assert type_name(INT64) == "INT64"
    assert type_name(decimal(10, 2)) == "decimal(10, 2)"
    naive = LogicalType(Kind.TIMESTAMP, naive_offset_refused=True)
    assert type_name(naive) == "replace(TIMESTAMP, naive_offset_refused=True)"
