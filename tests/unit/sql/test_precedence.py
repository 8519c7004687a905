"""Operators bind as in DuckDB: a text without parentheses has the value of its tree with all of them."""

from __future__ import annotations

import duckdb
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from etlgen.sql.grammar import ContractSql

CONNECTION = duckdb.connect()
OPERATORS = st.sampled_from(["+", "-", "*", "%", "//", "/", "^", "**", "||"])
NUMBERS = st.sampled_from(["1", "2", "3", "5", "7", "-2", "(0)"])
TAILS = st.sampled_from(
    ["", " = 2", " < 4 + 1", " BETWEEN 1 AND 2 + 3", " NOT BETWEEN 1 AND 3 OR TRUE", " IN (1, 2)", " IS NULL", " IS NOT NULL",
     " IS DISTINCT FROM 4", " + 1 > 2 AND 3 < 2 OR 1 = 1", " = 2 IS NULL", " = 2 AND NOT 1 = 2", " >= 1 = TRUE"],
)  # fmt: skip
TEXTS = st.builds(
    lambda start, first, rest, tail: start + first + "".join(f" {sign} {number}" for sign, number in rest) + tail,
    st.sampled_from(["", "", "- "]),
    NUMBERS,
    st.lists(st.tuples(OPERATORS, NUMBERS), min_size=1, max_size=4),
    TAILS,
)


def with_parentheses(sql: str) -> str:
    statements = ContractSql().parse(sql)
    root = statements[0]
    assert root is not None
    for node in reversed(list(root.walk())):
        operator = isinstance(node, exp.Binary | exp.Unary | exp.Between | exp.In | exp.Is)
        if operator and not isinstance(node, exp.Paren) and node.parent is not None:
            node.replace(exp.Paren(this=node.copy()))
    return root.sql("duckdb")


def value(sql: str) -> object:
    try:
        row = CONNECTION.execute(f"SELECT {sql}").fetchone()
    except duckdb.Error:
        return None
    return None if row is None else str(row[0])


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_values_with_and_without_parentheses(sql: str) -> None:
    plain = value(sql)
    assume(plain is not None)
    assert value(with_parentheses(sql)) == plain
