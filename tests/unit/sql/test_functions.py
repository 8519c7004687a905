"""Calls: the allow-list, argument counts and types, literals of closed forms (semantics, section 5)."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.unit.sql.expressions import codes, resolve, shown

from etlgen.sql.functions import BY_SPELLING, FUNCTIONS


@pytest.mark.parametrize(
    ("sql", "tree"),
    [
        ("LENGTH(s)", "length(s)"),
        ("strpos(s, 'a')", "position(s, a:string)"),
        ("position('a' IN s)", "position(s, a:string)"),
        ("trim(BOTH 'x' FROM s)", "trim(s, x:string)"),
        ("trim(TRAILING FROM s)", "rtrim(s)"),
        ("substring(s FROM 2 FOR 3)", "substring(s, 2:int32, 3:int32)"),
        ("year(dt)", "date_part(year:string, dt)"),
        ("extract(dow FROM ts)", "date_part(dow:string, ts)"),
        ("weekday(ts)", "date_part(dow:string, ts)"),
        ("date_trunc('months', dt)", "date_trunc(month:string, dt)"),
        ("datediff('D', dt, ts)", "date_diff(day:string, (dt->timestamp), ts)"),
        ("date_diff('day', '2024-01-31', dt)", "date_diff(day:string, 2024-01-31:date, dt)"),
        ("log10(i64)", "log(nearest(i64))"),
        ("log(2, f64)", "log(2.0:float64, f64)"),
        ("floor(i8)", "floor((i8->float64))"),
        ("floor(d)", "floor(d)"),
        ("mod(i64, 3)", "mod(i64, 3:int64)"),
        ("i64 ^ 2", "power(nearest(i64), 2.0:float64)"),
        ("today()", "current_date()"),
        ("upper(NULL)", "upper(None:string)"),
        ("greatest(i64, NULL, 3)", "greatest(i64, None:int64, 3:int64)"),
        ("regexp_matches(s, '^\\d+$')", "regexp_matches(s, ^[0-9]+\\z:string)"),
        ("regexp_matches(s, 'a.', 's')", "regexp_matches(s, a(?s:.):string)"),
        ("regexp_matches(s, 'a', 'ic')", "regexp_matches(s, a:string)"),
        ("s ~ 'a|b'", "regexp_matches(s, a|b:string)"),
        ("s !~ 'a'", "not(regexp_matches(s, a:string))"),
        ("s SIMILAR TO 'a|b'", "regexp_matches(s, ^(?:a|b)\\z:string)"),
        ("regexp_full_match(s, 'a|b')", "regexp_matches(s, ^(?:a|b)\\z:string)"),
        (
            "regexp_replace(s, '(a)b', '\\1\\\\', 'gi')",
            "regexp_replace(s, ([Aa])[Bb]:string, \\1\\\\:string, g:string)",
        ),
        ("regexp_extract(s, '(a)(b)', 2)", "regexp_extract(s, (a)(b):string, 2:int32)"),
    ],
)
def test_calls_become_the_canonical_functions(sql: str, tree: str) -> None:
    assert shown(sql) == tree


@pytest.mark.parametrize(
    "sql", ["md5(s)", "list_value(1)", "s.upper()", "no_such(1)", "struct_pack(a := 1)", "unnest(s)"]
)
def test_other_functions_are_not_supported(sql: str) -> None:
    found = codes(sql)
    assert found
    assert set(found) <= {"SQL-003", "SQL-006"}


def test_the_message_names_the_function_and_the_nearest() -> None:
    (found,) = resolve("lenght(s)").diagnostics
    assert found.message == "function `lenght` is not supported"
    assert found.nearest == "length"


@pytest.mark.parametrize(
    "name",
    ["read_csv", "read_parquet", "READ_TEXT", "glob", "getenv", "current_setting", "query", "query_table",
     "pragma_table_info", "duckdb_secrets", "getvariable", "nextval", "parquet_metadata"],
)  # fmt: skip
def test_functions_that_reach_out_are_refused(name: str) -> None:
    (found,) = resolve(f"{name}('x') = 'y'").diagnostics
    assert found.code == "SEC-001"
    assert f"`{name}`" in found.message


@pytest.mark.parametrize(
    "sql", ["random()", "uuid()", "gen_random_uuid()", "any_value(s)", "hash(s)", "current_localtime()"]
)
def test_functions_without_a_fixed_result_are_refused(sql: str) -> None:
    assert codes(sql) == ["SQL-012"]


@pytest.mark.parametrize("sql", ["sum(i64) > 1", "count(*)", "row_number() OVER ()", "max(i64) OVER (ORDER BY dt) > 1",
                                 "sum(i64) FILTER (WHERE b)", "first(s)", "lag(i64)"])  # fmt: skip
def test_aggregates_and_windows_have_no_place_in_a_row(sql: str) -> None:
    assert codes(sql) == ["SQL-004"]


@pytest.mark.parametrize("sql", ["(SELECT 1)", "EXISTS (SELECT 1)", "i64 IN (SELECT 1)", "SELECT 1"])
def test_queries_in_expressions_come_later(sql: str) -> None:
    assert codes(sql) == ["SQL-005"]


@pytest.mark.parametrize(
    "sql", ["lpad(s, 3)", "lower()", "lower(s, s)", "nullif(s)", "log(1, 2, 3)", "current_date(1)", "year()"]
)
def test_argument_counts(sql: str) -> None:
    assert codes(sql) == ["SQL-007"]


@pytest.mark.parametrize("sql", ["length(i64)", "lower(dt)", "i64 LIKE '1'", "abs(s)", "sqrt(b)", "left(s, d)", "year(s)",
                                 "make_date(f64, 1, 1)", "date_diff('day', s, dt)", "upper(uu)"])  # fmt: skip
def test_argument_types(sql: str) -> None:
    assert codes(sql) == ["TYP-004"]


@pytest.mark.parametrize(
    "sql",
    ["date_trunc('mnth', dt)", "date_trunc(s, dt)", "date_diff('dow', dt, dt)", "strftime(dt, '%Q')", "strptime(s, s)",
     "strftime(dt, '%')", "regexp_matches(s, s)", "regexp_matches(s, 'a', 'm')", "regexp_extract(s, '(a)', 2)",
     "regexp_replace(s, 'a', '\\1')", "regexp_replace(s, 'a', s)", "s LIKE 'a' ESCAPE 'ab'", "INTERVAL (i64) DAY + dt",
     "dt + INTERVAL '1.5 days'", "dt + INTERVAL '1 fortnight'", "round(d, i8)"],
)  # fmt: skip
def test_literals_of_closed_forms(sql: str) -> None:
    assert codes(sql) == ["SQL-008"]


def test_an_unknown_unit_is_shown_its_nearest() -> None:
    (found,) = resolve("date_trunc('mnth', dt)").diagnostics
    assert found.nearest == "month"


@pytest.mark.parametrize(
    "sql", ["i64 & 1", "s GLOB 'a'", "s[1]", "[1, 2]", "{'a': 1}", "s COLLATE nocase", "ts AT TIME ZONE 'UTC'", "s -> 'a'",
            "*", "source.*", "i64 AS x", "?", "$1", "s LIKE ANY ('a', 'b')", "i64 BETWEEN SYMMETRIC 1 AND 2", "lower(DISTINCT s)",
            "(1, 2)", "s.part", "current_user"],
)  # fmt: skip
def test_other_syntax_is_not_supported(sql: str) -> None:
    assert codes(sql) == ["SQL-006"]


@pytest.mark.parametrize(
    "sql", ["", "  ", "-- nothing", "i64 =", "i64 = 1 garbage more", "(i64", "'open", "i64 i64 i64"]
)
def test_text_that_is_no_expression(sql: str) -> None:
    assert codes(sql) == ["SQL-002"]


@pytest.mark.parametrize("sql", ["b; DROP TABLE x", "DROP TABLE source", "COPY source TO 'x'", "ATTACH 'x'", "PRAGMA x", "SET x = 1",
                                 "INSERT INTO source SELECT 1", "CREATE TABLE x AS SELECT 1", "INSTALL httpfs", "LOAD httpfs",
                                 "CALL x()", "EXPORT DATABASE 'x'", "DELETE FROM source"])  # fmt: skip
def test_statements_are_refused(sql: str) -> None:
    assert codes(sql) == ["SEC-001"]


@pytest.mark.parametrize(
    "sql", ["(" * 5000 + "1" + ")" * 5000, "NOT " * 5000 + "b", "-" + " -" * 5000 + "1", " + ".join(["i64"] * 5000)]
)
def test_deep_expressions_are_a_diagnostic(sql: str) -> None:
    assert codes(sql) in (["SQL-002"], [])


def test_the_table_needs_no_parser() -> None:
    program = "import sys, etlgen.sql.functions, etlgen.expr; sys.exit('sqlglot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_names_and_spellings_are_unique() -> None:
    names = [function.name for function in FUNCTIONS]
    assert len(names) == len(set(names))
    spellings = [spelling for function in FUNCTIONS for spelling in function.spellings if spelling.endswith("()")]
    assert len(spellings) == len(set(spellings)) == len(BY_SPELLING)
