"""Errors point into the SQL: line and column of the token at fault, or the start of the value where that is unknown."""

from __future__ import annotations

import pytest
from tests.unit.sql.expressions import AT, CLOSED

from etlgen.contract import Text
from etlgen.diagnostics.model import Position
from etlgen.read.nodes import ScalarNode
from etlgen.read.yaml_source import read_tree
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


SEVERAL_LINES = [
    ("|\n", "  ", ""),
    ("|-\n", "    ", ""),
    (">\n", "  ", ""),
    (">-\n", "  ", ""),
    (">+\n", "  ", ""),
    ("", "  ", ""),
    ("", "  ", "'"),
    ("", "  ", '"'),
]
"""What stands between key and text, before each line below the key, and around the text."""

FAULTS = [
    ("i64 > 1\nAND i32 > 2\nAND nope > 3", 3, "nope"),
    ("i64 > 1\nAND i32 > 2\ngarbage more", 3, "more"),
    ("i64 > 1\nAND i32 >\n= 3", 2, ">"),
    ("i64 > 1\nAND lenght(s)\n> 3", 2, "lenght"),
]


AFTER = ["", "materialization: {format: parquet}\n", "\n# why\n\nb: 1\n"]
"""What stands below the text."""


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize(("head", "indent", "quote"), SEVERAL_LINES)
@pytest.mark.parametrize(("sql", "line", "token"), FAULTS, ids=[case[2] for case in FAULTS])
def test_a_fault_is_shown_in_its_line_of_the_file(
    head: str, indent: str, quote: str, after: str, sql: str, line: int, token: str
) -> None:
    """The SQL begins in the line of the key, or below the header of a block; each of its lines is one of the file."""
    written = f"{head}{quote}{sql}{quote}\n".replace("\n", f"\n{indent}").rstrip(" ")
    node = read_tree(f"a: {written}{after}".encode(), AT.file).entries["a"].value
    assert isinstance(node, ScalarNode)
    found = resolve_scalar(node.as_text(), CLOSED, context="filter").diagnostics[0]
    number = line + head.count("\n")
    before = len(indent) if number > 1 else len("a: " + quote)
    assert found.at is not None
    assert (found.at.line, found.at.column) == (number, before + sql.split("\n")[line - 1].index(token) + 1)


def test_a_quote_that_is_not_closed_is_shown() -> None:
    node = read_tree(b"a: |\n  s = 'x' -- don't\n  AND s = 'y\n  AND b\n", AT.file).entries["a"].value
    assert isinstance(node, ScalarNode)
    found = resolve_scalar(node.as_text(), CLOSED, context="filter").diagnostics[0]
    assert found.at == Position(AT.file, 3, 11, 2)


def test_a_quote_in_a_comment_hides_no_placeholder() -> None:
    sql = "SELECT count(*) > 1 -- don't\nFROM {dataset} WHERE s = 'x'"
    assert not resolve_dataset_sql(Text(sql, AT), CLOSED, {}).diagnostics
