"""Functions of contract SQL are an allow-list: every function of the installed DuckDB is tried in every place of SQL.

Whatever is not on our list is refused, whether anybody has thought of it or not (semantics, section 5).
"""

from __future__ import annotations

import re
from collections.abc import Callable

import duckdb
import pytest
from tests.unit.sql.expressions import COLUMNS

from etlgen.contract import Text
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import resolve_dataset_sql, resolve_grouped, resolve_scalar
from etlgen.sql.allowlist import ALLOWED_FUNCTIONS
from etlgen.sql.calls import KNOWN_FUNCTIONS
from etlgen.sql.refusals import UNSAFE
from etlgen.sql.scalar import Context

Outcome = tuple[object, tuple[Diagnostic, ...]]
"""What becomes of an expression, ``None`` if it is refused; and what is said of it."""

ROWS = Schema(
    tuple(SchemaColumn(name, type_, nullable=True, origin="declared") for name, (type_, _) in COLUMNS.items()),
    open=False,  # in an open one a bare word such as CHECKPOINT is a column that nobody has declared
)


def text(sql: str) -> Text:
    return Text(sql, Position("c.olc.yaml"))


def scalar(context: Context) -> Callable[[str], Outcome]:
    def resolved(sql: str) -> Outcome:
        found = resolve_scalar(text(sql), ROWS, context=context)
        return found.expr, found.diagnostics

    return resolved


def rollup(sql: str) -> Outcome:
    found = resolve_grouped(text(sql), ROWS, ["s"])
    return found.expr, found.diagnostics


def dataset(template: str) -> Callable[[str], Outcome]:
    def resolved(sql: str) -> Outcome:
        found = resolve_dataset_sql(text(template.format(sql)), ROWS, {"ref": ROWS})
        return found.sql or None, found.diagnostics

    return resolved


PLACES: dict[str, tuple[frozenset[str], Callable[[str], Outcome]]] = {
    "derive": (KNOWN_FUNCTIONS, scalar("derive")),
    "filter": (KNOWN_FUNCTIONS, scalar("filter")),
    "row rule": (KNOWN_FUNCTIONS, scalar("row_rule")),
    "value of a row rule": (KNOWN_FUNCTIONS, scalar("rule_value")),
    "rollup": (ALLOWED_FUNCTIONS, rollup),
    "dataset rule": (ALLOWED_FUNCTIONS, dataset("SELECT count(*) FROM source WHERE {} IS NULL")),
    "value of a dataset rule": (ALLOWED_FUNCTIONS, dataset("SELECT max({}) FROM source")),
    "window of a dataset rule": (
        ALLOWED_FUNCTIONS,
        dataset("SELECT count(*) FROM (SELECT {} OVER () AS n FROM source)"),
    ),
    "order of a dataset rule": (ALLOWED_FUNCTIONS, dataset("SELECT max(s) FROM source GROUP BY s ORDER BY {} LIMIT 1")),
    "join of a dataset rule": (ALLOWED_FUNCTIONS, dataset("SELECT count(*) FROM source JOIN ref ON {} = ref.s")),
    "table of a dataset rule": (frozenset(), dataset("SELECT count(*) FROM {}")),
    "table in a dataset rule": (frozenset(), dataset("WITH t AS (SELECT * FROM {} AS x) SELECT count(*) FROM t")),
    "lateral table of a dataset rule": (frozenset(), dataset("SELECT count(*) FROM source, {}")),
}
"""Name of a place -> the functions it allows, and what becomes of an expression there."""


def functions() -> list[tuple[str, str]]:
    """Name and kind of everything that the installed DuckDB can call, also what extensions that come with it add."""
    with duckdb.connect() as connection:
        rows = connection.execute("SELECT DISTINCT function_name, function_type FROM duckdb_functions() ORDER BY ALL")
        return [(str(name), str(kind)) for name, kind in rows.fetchall()]


FUNCTIONS = functions()
NAMES = sorted({name for name, _ in FUNCTIONS})
HAS_SYNTAX = frozenset({"position"})
"""On the list too: `position(a IN b)`, for which the grammar takes `"position"(a, b)`."""


def calls(name: str, *, all_ways: bool) -> list[str]:
    """Ways to call a function; one that is no word (an operator) can only be called in double quotes."""
    quoted = '"' + name.upper().replace('"', '""') + '"'
    if not re.fullmatch(r"[a-z_]\w*", name):
        return [f"{quoted}(i64, i64)"]
    return [f"{name}(s)", f"{quoted}('x', s)"] if all_ways else [f"{name}(s)"]


ALL_WAYS = ("derive", "dataset rule", "table of a dataset rule")
"""Places in which each function is called in more than one way; the others are read by the same code."""


def test_there_is_something_to_walk() -> None:
    """A DuckDB that hides its functions would make this module pass for nothing."""
    assert len(NAMES) > 700
    assert {"read_csv", "glob", "current_setting", "length", "sum", "query"} <= set(NAMES)
    assert {kind for _, kind in FUNCTIONS} >= {"scalar", "aggregate", "table", "macro", "pragma"}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_not_on_the_list_is_refused(place: str) -> None:
    allowed, resolved = PLACES[place]
    for name in NAMES:
        if name in allowed | HAS_SYNTAX:
            continue
        for call in calls(name, all_ways=place in ALL_WAYS):
            found, diagnostics = resolved(call)
            assert found is None, f"{call} is taken in {place}"
            assert any(each.is_error for each in diagnostics), f"{call} is dropped in {place} without a word"


@pytest.mark.parametrize("place", [name for name in PLACES if "table" in name])
def test_table_functions_are_a_matter_of_security(place: str) -> None:
    """Also those on the list of scalar functions, and those without any reach."""
    _, resolved = PLACES[place]
    for name in [name for name, kind in FUNCTIONS if kind in ("table", "table_macro")]:
        _, diagnostics = resolved(f"{name}('x')")
        assert "SEC-001" in [each.code for each in diagnostics], name


@pytest.mark.parametrize("place", [name for name in PLACES if "table" not in name])
def test_functions_with_reach_say_so(place: str) -> None:
    _, resolved = PLACES[place]
    for name in UNSAFE:
        _, diagnostics = resolved(f"{name}('x')")
        assert "SEC-001" in [each.code for each in diagnostics], name


STATEMENTS = [
    "s; DROP TABLE source", "s = 'x'; SELECT 1", "COPY source TO 'x'", "COPY (SELECT 1) TO 'x'", "ATTACH 'x' AS y", "PRAGMA version",
    "SET threads = 1", "RESET threads", "CREATE TABLE t AS SELECT 1", "CREATE MACRO f() AS 1", "INSERT INTO source VALUES (1)",
    "DELETE FROM source", "UPDATE source SET s = 'x'", "DROP TABLE source", "ALTER TABLE source ADD c INT", "TRUNCATE source",
    "INSTALL httpfs", "LOAD httpfs", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'", "CALL pragma_version()", "VACUUM", "CHECKPOINT",
    "PREPARE p AS SELECT 1", "EXECUTE p", "BEGIN", "DETACH x", "USE x", "EXPLAIN SELECT 1", "DESCRIBE source", "SUMMARIZE source",
    "FROM 'x.csv'", "FROM source", "TABLE source", "VALUES (1)", "PIVOT source ON s", "UNPIVOT source ON s", "MERGE INTO source USING source ON true",
]  # fmt: skip
EXPRESSIONS = [
    "COLUMNS(*)", "COLUMNS('s')", "COLUMNS(c -> c LIKE 's%')", "*COLUMNS(*)", "(SELECT s FROM 'x.csv')", "(SELECT content FROM read_text('x'))",
    "EXISTS (SELECT 1 FROM 'x.csv')", "s IN (SELECT content FROM read_text('x'))", "s IN (FROM 'x.csv')", "(FROM read_text('x'))",
    "[x FOR x IN [1, 2]]", "list_transform([1], x -> x)", "s::regclass", "CAST(s AS regclass)", "s.read_text()", "'x'.getenv()", "source.s.getenv()",
    "$1", "?", "$name", "@@version", "getvariable('as_of')", "etlgen_cast(s)", "system.main.getenv('HOME')", "main.getenv('x')", "pg_catalog.version()",
    "s COLLATE nocase", "CAST(s AS STRUCT(a INT))", "s::JSON->'$.a'", "{'a': s}", "MAP {'a': s}", "ROW(s)", "s ->> '$.a'",
]  # fmt: skip


@pytest.mark.parametrize("place", [name for name in PLACES if "table" not in name])
@pytest.mark.parametrize("sql", [*STATEMENTS, *EXPRESSIONS])
def test_whatever_is_more_than_an_expression_is_refused(place: str, sql: str) -> None:
    found, diagnostics = PLACES[place][1](sql)
    assert found is None
    assert any(each.is_error for each in diagnostics)


@pytest.mark.parametrize(
    "comment",
    ["s -- ; DROP TABLE source", "s /* ; ATTACH 'x' */", "/* read_text('x') */ s", "s --\r\n", "s /* /* */ */"],
)
def test_a_comment_changes_nothing(comment: str) -> None:
    """It is read, and left out of what is run."""
    found, diagnostics = PLACES["derive"][1](comment)
    if found is None:
        assert any(each.is_error for each in diagnostics)
    else:
        assert str(found) == str(PLACES["derive"][1]("s")[0])
    query = resolve_dataset_sql(
        text(f"SELECT count(*) FROM source WHERE s IS NULL {comment.removeprefix('s')}"), ROWS, {}
    )
    assert "DROP" not in query.sql
    assert "--" not in query.sql
    assert "/*" not in query.sql


@pytest.mark.parametrize(
    "name",
    [
        "x.csv",
        "./source",
        "/etc/passwd",
        "s3://b/x.parquet",
        "source.csv",
        "*",
        "http://h/x",
        "x.parquet.",
        "glob*",
        "C:\\x",
    ],
)
@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_file_is_no_table(name: str, quote: str) -> None:
    for template in (
        "SELECT count(*) FROM {}",
        "SELECT count(*) FROM source JOIN {} ON true",
        "(SELECT count(*) FROM {}) = 1",
    ):
        found = resolve_dataset_sql(text(template.format(f"{quote}{name}{quote}")), ROWS, {})
        assert found.sql == ""
        assert any(each.code == "SEC-001" for each in found.diagnostics), template
