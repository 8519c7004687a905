"""GEN-018 points at the part of the SQL that the engine cannot say."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import plan_of

from etlgen.diagnostics.model import Position
from etlgen.emit.engine_support import unsupported
from etlgen.engines import load_generator
from etlgen.expr import Call, Cast, Column, place_of
from etlgen_runtime.types import BOOLEAN, STRING

FIELDS = """\
version: 1.0.0
info: {title: T, table_name: t}
model:
  fields:
    - {name: day, type: date}
    - {name: text, type: string}
    - {name: other, type: string}
    - {name: n, type: int}
"""


def shown(yaml: str) -> list[tuple[int, str, str]]:
    """Line, the characters that the caret marks, and the reason of every GEN-018 of the contract."""
    lines = (FIELDS + yaml).splitlines()
    found = unsupported(plan_of(FIELDS + yaml), load_generator("polars"))
    places = [(problem, problem.at) for problem in found]
    assert all(problem.code == "GEN-018" and problem.help for problem, _ in places)
    return [
        (at.line, lines[at.line - 1][at.column - 1 : at.column - 1 + at.length], problem.message.split(": ")[-1])
        for problem, at in places
        if at is not None
    ]


@pytest.mark.parametrize(
    ("yaml", "line", "marked", "reason"),
    [
        pytest.param(
            "transformations:\n  - filter: {sql: \"strptime(text, '%U %Y') IS NOT NULL AND n > 1\"}\n",
            10,
            "'%U %Y'",
            "`strptime` on Polars does not read `%U`",
            id="an operation",
        ),
        pytest.param(
            "quality:\n  row_rules:\n    - name: past\n      sql: n = 1 OR strptime(text, '%w') < current_timestamp\n",
            12,
            "'%w'",
            "`strptime` on Polars does not read `%w`",
            id="a rule",
        ),
        pytest.param(
            "quality:\n  row_rules:\n    - name: early\n      sql: year(strptime(text, '%u'))\n      must_be_less_than: 2\n",
            12,
            "'%u'",
            "`strptime` on Polars does not read `%u`",
            id="below what bounds add",
        ),
        pytest.param(
            "transformations:\n  - derive:\n      field: n\n      sql: |\n        n +\n        length(strptime(text, '%V')::text)\n",
            14,
            "'%V'",
            "`strptime` on Polars does not read `%V`",
            id="SQL of several lines",
        ),
        pytest.param(
            "links:\n  - {name: prices, path: p.parquet, filter: \"CAST(until AS DATE) > DATE '2024-01-01'\"}\n"
            "transformations:\n  - lookup: {field: other, reference: prices, on: text, key: id, value: code}\n",
            10,
            "until",
            "declare the link's columns",
            id="the filter of a link",
        ),
    ],
)
def test_the_part_is_marked(yaml: str, line: int, marked: str, reason: str) -> None:
    assert shown(yaml) == [(line, marked, reason)]


def test_each_part_is_marked_where_it_stands() -> None:
    first, second = "strptime(text, '%U')::text", "strptime(other, '%W')::text"
    found = shown(f'transformations:\n  - derive: {{field: n, sql: "length({first} || {second})"}}\n')
    assert [(marked, reason[-4:]) for _, marked, reason in found] == [("'%U'", "`%U`"), ("'%W'", "`%W`")]


def test_a_part_that_no_sql_says_is_placed_by_what_it_is_in() -> None:
    at = Position("c.yaml", 3, 5, 9)
    column = Column("a", STRING)
    inner = Call("upper", (Cast(column, STRING),), STRING, at)
    whole = Call("not", (inner,), BOOLEAN, Position("c.yaml", 3))
    assert place_of(column, whole) == at
    assert place_of(whole, whole) == Position("c.yaml", 3)
    assert place_of(column, Call("lower", (column,), STRING)) is None
    assert inner == Call("upper", (Cast(column, STRING),), STRING)  # places make no difference
