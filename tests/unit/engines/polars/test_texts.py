"""Functions of text, row by row: what they give is what DuckDB gives (semantics, section 5)."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest
from tests.unit.engines.polars.evaluation import evaluate_sql

from etlgen_runtime.types import INT64, STRING

TEXTS = ["", "a", "abc", "ab\r\nc", "\r\n", "e\u0301x", "ß", "\U0001f468\u200d\U0001f469\u200d\U0001f467!", "a b", None]
COUNTS = [-1, 0, 1, 2, 5, None]


@pytest.mark.parametrize(
    "sql",
    [
        "reverse(s)",
        "rpad(s, n, 'xy')",
        "lpad(s, n, 'xy')",
        "rpad(s, n, t)",
        "rpad(s, n, '')",
        "left(s, n)",
        "right(s, n)",
    ],
)
def test_text_and_count(sql: str) -> None:
    rows = [(text, count, fill) for text in TEXTS for count in COUNTS for fill in ("-", "é\r\n", None)]
    frame = pl.DataFrame(rows, schema={"s": pl.String, "n": pl.Int64, "t": pl.String}, orient="row")
    columns = {name: frame[name].to_list() for name in frame.columns}
    found = evaluate_sql(sql, {"s": STRING, "n": INT64, "t": STRING}, columns)
    with duckdb.connect() as connection:
        values = ", ".join("(?, ?, ?, ?)" for _ in rows)
        given = [part for number, row in enumerate(rows) for part in (number, *row)]
        query = sql.replace("(s, n", "(s, n::INTEGER")
        wrapped = f"SELECT try({query}) FROM (VALUES {values}) v(i, s, n, t) ORDER BY i"
        expected = [value for (value,) in connection.execute(wrapped, given).fetchall()]
    assert found == expected


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a!%b", "a%b", True),
        ("a!%b", "axb", False),
        ("a!!b", "a!b", True),
        ("a!_b", "a_b", True),
        ("a!_b", "axb", False),
    ],
)
def test_escaped_sign_of_a_pattern_means_itself(pattern: str, text: str, found: bool) -> None:
    """Also where the pattern comes from a column."""
    rows = {"s": [text], "p": [pattern]}
    types = {"s": STRING, "p": STRING}
    assert evaluate_sql("s LIKE p ESCAPE '!'", types, rows) == [found]
    assert evaluate_sql(f"s LIKE '{pattern}' ESCAPE '!'", types, rows) == [found]
