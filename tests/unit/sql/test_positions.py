"""Errors point into the SQL: line and column of the token at fault, or the start of the value where that is unknown."""

from __future__ import annotations

import pytest
from tests.unit.sql.expressions import AT, CLOSED

from etlgen.contract import Text
from etlgen.diagnostics.model import Position
from etlgen.sql import resolve_dataset_sql, resolve_scalar

CASES = [
    ("i64 > 1 AND nope = 2", "nope"),
    ("lower(s) = 'x' OR lenght(s) > 2", "lenght"),
    ("i64 > 1 AND dt = '2024-02-30'", "'2024-02-30'"),
    ("b AND s > 3", "s > 3"),
    ("other.i64 > 1", "other.i64"),
    ("i64 + sum(i32) > 3", "sum"),
    ("regexp_matches(s, 'ab(?=c)')", "(?=c)"),
    ("date_trunc('mnth', dt) = ts", "'mnth'"),
    ("i64 > 1 garbage more", "more"),
    ("b AND \u00fcber = 1", "\u00fcber"),
]


@pytest.mark.parametrize(("sql", "token"), CASES, ids=[case[1] for case in CASES])
def test_position_of_the_token(sql: str, token: str) -> None:
    found = resolve_scalar(Text(sql, AT), CLOSED, context="filter").diagnostics[0]
    length = 1 if token == "(?=c)" else len(token)
    assert found.at == Position(AT.file, AT.line, AT.column + sql.index(token), length)


@pytest.mark.parametrize("text", [Text("b AND\n nope = 1", AT), Text("b AND nope = 1", AT, exact=False)])
def test_where_offsets_are_unknown_the_value_is_shown(text: Text) -> None:
    assert resolve_scalar(text, CLOSED, context="filter").diagnostics[0].at == AT


def test_the_placeholder_keeps_offsets() -> None:
    sql = "SELECT count(*) FROM {dataset} WHERE nope = 1"
    found = resolve_dataset_sql(Text(sql, AT), CLOSED, {}).diagnostics[0]
    assert found.at == Position(AT.file, AT.line, AT.column + sql.index("nope"), 4)
