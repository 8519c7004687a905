"""Dataset SQL: what is allowed, which names it reads, what runs (semantics, sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from tests.unit.sql.expressions import text

from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import ResolvedDataset, resolve_dataset_sql
from etlgen_runtime.engines.duckdb.functions import define
from etlgen_runtime.types import DATE, FLOAT64, INT64, STRING

ORDERS = Schema(
    (
        SchemaColumn("id", INT64),
        SchemaColumn("country", STRING),
        SchemaColumn("Amount", FLOAT64),
        SchemaColumn("qty", INT64),
        SchemaColumn("day", DATE),
    ),
    open=False,
)
OPEN_ORDERS = Schema(ORDERS.columns, open=True)
COUNTRIES = Schema((SchemaColumn("code", STRING), SchemaColumn("name", STRING)), open=False)
LINKS: dict[str, Schema | None] = {"countries": COUNTRIES, "unknown link": None}


def resolve(sql: str, source: Schema = ORDERS) -> ResolvedDataset:
    return resolve_dataset_sql(text(sql), source, LINKS, ("orders",))


def codes(sql: str, source: Schema = ORDERS) -> list[str]:
    return [found.code for found in resolve(sql, source).diagnostics]


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        opened.execute("SET TimeZone = 'UTC'")
        define(opened)
        opened.execute("SET VARIABLE as_of = TIMESTAMPTZ '2024-03-01 12:00:00+00'")
        opened.execute('CREATE TABLE source (id BIGINT, country VARCHAR, "Amount" DOUBLE, qty BIGINT, day DATE)')
        opened.execute(
            "INSERT INTO source VALUES (1, 'DE', 10.0, 2, DATE '2024-02-29'), (2, 'FR', -4.0, 0, DATE '2024-03-01'),"
            " (3, 'XX', NULL, 9223372036854775807, NULL)"
        )
        opened.execute(
            "CREATE TABLE countries AS SELECT * FROM (VALUES ('DE', 'Germany'), ('FR', 'France')) v(code, name)"
        )
        yield opened


VALUES = [
    ("count(*)", 3),
    ("count(*) > 2", True),
    ("bool_and(id > 0)", True),
    ("SELECT count(*) FROM orders WHERE amount < 0", 1),
    ("SELECT count(*) FROM ORDERS AS o WHERE o.AMOUNT < 0", 1),
    ("SELECT count(*) FROM {dataset} WHERE country = '{dataset}'", 0),
    ("SELECT count(*) FROM Countries", 2),
    ("SELECT count(*) FROM source s LEFT JOIN countries c ON s.country = c.code WHERE c.name IS NULL", 1),
    ("SELECT count(*) FROM source WHERE country NOT IN (SELECT code FROM countries)", 1),
    ("SELECT max(n) FROM (SELECT country, count(*) AS n FROM source GROUP BY country)", 1),
    ("WITH late AS (SELECT * FROM source WHERE day >= DATE '2024-03-01') SELECT count(*) FROM late", 1),
    ("SELECT count(*) FROM (SELECT id FROM source QUALIFY row_number() OVER (ORDER BY id) = 1)", 1),
    ("SELECT (SELECT count(*) FROM countries) < (SELECT count(*) FROM source)", True),
    ("sum(CASE WHEN country = 'DE' THEN 1 ELSE 0 END) * 1.0 / count(*) < 0.5", True),
    # total: NULL where DuckDB raises or leaves the finite numbers
    ("sum(qty) / (count(*) - 3)", None),
    ("count(id // qty)", 2),
    ("count(id % qty)", 2),
    ("count(mod(id, qty))", 2),
    ("count(qty * 2)", 2),
    ("count(CAST(country AS INT))", 0),
    ("sqrt(min(amount))", None),
    ("ln(min(qty))", None),
    ("count(make_date(2024, 2, 28 + id))", 1),
    ("count(strptime(country, '%Y'))", 0),
    # the clock is the run's: 2024-03-01 12:00 UTC
    ("max(day) = current_date", True),
    ("max(day) < now()", True),
    ("SELECT count(*) FROM source WHERE day < today()", 1),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "value"), VALUES, ids=[case[0] for case in VALUES])
def test_what_runs_gives_the_value(connection: duckdb.DuckDBPyConnection, sql: str, value: object) -> None:
    resolved = resolve(sql)
    assert [found.message for found in resolved.diagnostics] == []
    assert connection.execute(resolved.sql).fetchall() == [(value,)]


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "columns", "links"),
    [
        ("sum(AMOUNT)", {"Amount"}, set()),
        ("count(*)", set(), set()),
        (
            "SELECT count(*) FROM source s JOIN countries c ON s.country = c.code WHERE name = 'x'",
            {"country"},
            {"countries"},
        ),
        ("SELECT count(*) FROM (SELECT * FROM source)", {"id", "country", "Amount", "qty", "day"}, set()),
        ("SELECT count(total) FROM (SELECT qty * 2 AS total FROM source)", {"qty"}, set()),
        (
            "SELECT count(*) FROM source WHERE EXISTS (SELECT 1 FROM countries WHERE code = country)",
            {"country"},
            {"countries"},
        ),
        ('SELECT count(whatever) FROM "unknown link"', set(), {"unknown link"}),
        (
            "SELECT count(*) FROM source JOIN (SELECT code AS country FROM countries) USING (country)",
            {"country"},
            {"countries"},
        ),
    ],
)
def test_what_it_reads(sql: str, columns: set[str], links: set[str]) -> None:
    resolved = resolve(sql)
    assert (resolved.columns, resolved.links) == (columns, links)


def test_unknown_names() -> None:
    assert codes("sum(amuont)") == ["SQL-001"]
    assert codes("SELECT count(nmae) FROM countries") == ["SQL-001"]
    assert codes("SELECT count(c.id) FROM source s JOIN countries c ON s.country = c.code") == ["SQL-001"]
    assert codes("SELECT count(x.id) FROM source") == ["SQL-013"]
    assert codes("SELECT count(*) FROM contries") == ["SQL-013"]
    assert codes("SELECT count(region) FROM source, countries", OPEN_ORDERS) == ["SQL-014"]
    assert codes("SELECT count(*) FROM source JOIN countries USING (code)") == ["SQL-001"]
    assert codes("WITH c AS (SELECT nope FROM source) SELECT count(*) FROM c") == ["SQL-001"]


def test_an_open_source_takes_undeclared_columns() -> None:
    resolved = resolve("count(region)", OPEN_ORDERS)
    assert resolved.undeclared == resolved.columns == {"region"}
    assert [found.code for found in resolved.diagnostics] == ["SQL-010"]
    assert codes("sum(amuont)", OPEN_ORDERS) == ["SQL-001"]
    assert codes("count(__etlgen_raw)", OPEN_ORDERS) == ["SQL-001"]


# --- kinds of value ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("count(*) > 0", "boolean"),
        ("bool_or(id > 1)", "boolean"),
        ("SELECT NOT EXISTS (SELECT 1 FROM source)", "boolean"),
        ("count(*)", "numeric"),
        ("max(amount) - min(amount)", "numeric"),
        ("SELECT (SELECT count(*) FROM source)", "numeric"),
        ("CASE WHEN count(*) > 0 THEN 1 ELSE 0 END", "numeric"),
        ("max(country)", "text"),
        ("max(day)", "moment"),
    ],
)
def test_kind_of_value(sql: str, value: str) -> None:
    assert resolve(sql).value == value


@pytest.mark.parametrize(
    "sql", ["SELECT id FROM source", "SELECT id, qty FROM source", "SELECT * FROM source", "qty > 0", "FROM source"]
)
def test_a_rule_gives_one_value(sql: str) -> None:
    assert codes(sql) == ["SQL-015"]


def test_types_of_row_parts_are_checked() -> None:
    assert codes("SELECT count(*) FROM source WHERE day = '2024-02-30'") == ["TYP-002"]
    assert codes("SELECT count(*) FROM source s WHERE s.country > 3") == ["TYP-001"]
    assert codes("sum(length(qty))") == ["TYP-004"]
    assert codes("bool_and(CASE WHEN qty THEN TRUE END)") == ["TYP-003"]


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; DROP TABLE source", "DROP TABLE source", "DELETE FROM source", "INSERT INTO source SELECT 1",
        "UPDATE source SET id = 1", "CREATE TABLE x AS SELECT 1", "COPY source TO 'x.csv'", "ATTACH 'x.db'", "DETACH x",
        "PRAGMA database_list", "SET memory_limit = '1TB'", "RESET memory_limit", "INSTALL httpfs", "LOAD httpfs",
        "CALL pragma_version()", "EXPORT DATABASE 'x'", "IMPORT DATABASE 'x'", "VACUUM", "EXPLAIN SELECT 1", "USE x",
        "PREPARE p AS SELECT 1", "EXECUTE p", "BEGIN", "SHOW TABLES", "SUMMARIZE source", "DESCRIBE source",
        "SELECT count(*) FROM read_csv('/etc/passwd')", "SELECT count(*) FROM READ_PARQUET('x')", "SELECT count(*) FROM glob('*')",
        "SELECT count(*) FROM '/etc/passwd'", 'SELECT count(*) FROM "data.parquet"', "SELECT count(*) FROM range(3)",
        "SELECT count(*) FROM query('SELECT 1')", "SELECT count(*) FROM information_schema.tables",
        "SELECT count(*) FROM main.source", "SELECT count(*) FROM source WHERE getenv('HOME') = 'x'",
        "SELECT current_setting('x') = 'y'", "SELECT count(*) FROM (SELECT * FROM read_text('x'))",
        "WITH x AS (SELECT * FROM duckdb_settings()) SELECT count(*) FROM x",
        "SELECT count(*) FROM source WHERE country IN (SELECT content FROM read_text('/etc/passwd'))",
    ],
)  # fmt: skip
def test_what_reaches_beyond_the_tables_is_refused(sql: str) -> None:
    resolved = resolve(sql)
    assert "SEC-001" in [found.code for found in resolved.diagnostics]
    assert resolved.sql == ""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM source TABLESAMPLE 10%", "SELECT count(*) FROM source USING SAMPLE 5", "PIVOT source ON country",
        "SELECT count(*) FROM (VALUES (1)) t(a)", "SELECT count(*) FROM source, LATERAL (SELECT 1)", "SELECT unnest([1])",
        "SELECT count(*) FROM source NATURAL JOIN countries", "SELECT count(*) FROM source POSITIONAL JOIN countries",
        "SELECT count(*) INTO x FROM source", "SELECT count(*) FROM source FOR UPDATE", "SELECT count(COLUMNS('x')) FROM source",
        "WITH RECURSIVE c AS (SELECT 1 UNION ALL SELECT 2) SELECT count(*) FROM c", "SELECT max([id]) FROM source",
        "SELECT max(id)::INTEGER[] FROM source", "SELECT list(id) FROM source", "SELECT max(id) COLLATE nocase FROM source",
        "SELECT count(*) FROM source AT (VERSION => 1)", "SELECT {'a': max(id)} FROM source", "SELECT ? FROM source",
    ],
)  # fmt: skip
def test_other_forms_are_not_supported(sql: str) -> None:
    resolved = resolve(sql)
    found = {one.code for one in resolved.diagnostics if one.is_error}
    assert found
    assert found <= {"SQL-003", "SQL-006"}
    assert resolved.sql == ""


@pytest.mark.parametrize(
    "sql",
    ["random() < 0.5", "any_value(id) = 1", "string_agg(country, ',') = 'a'", "SELECT max(id) FROM (SELECT id FROM source LIMIT 1)",
     "SELECT max(n) FROM (SELECT row_number() OVER () AS n FROM source)"],
)  # fmt: skip
def test_what_the_order_of_rows_decides_is_refused(sql: str) -> None:
    assert codes(sql) == ["SQL-012"]


def test_patterns_are_portable_here_too() -> None:
    assert codes("SELECT count(*) FROM source WHERE regexp_matches(country, 'a(?=b)')") == ["SQL-009"]


@pytest.mark.parametrize("sql", ["", "SELECT count(* FROM source", "SELECT count(*) FROM source s, countries s"])
def test_unreadable(sql: str) -> None:
    assert codes(sql) == ["SQL-002"]


def test_deep_queries_are_a_diagnostic() -> None:
    assert codes("SELECT count(*) FROM source WHERE " + "(" * 5000 + "TRUE" + ")" * 5000) == ["SQL-002"]


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ('SELECT count(*) FROM source WHERE country IN (SELECT k FROM "unknown link")', []),
        ('SELECT count(*) FROM source WHERE EXISTS (SELECT 1 FROM "unknown link" WHERE k = country)', []),
        ('SELECT count(*) FROM source, "unknown link" WHERE k = country', ["SQL-014"]),
        ("SELECT count(*) FROM source WHERE country IN (SELECT k FROM countries)", ["SQL-001"]),
    ],
)
def test_an_unknown_name_belongs_to_the_one_table_of_its_select(sql: str, found: list[str]) -> None:
    """Only with several tables in a SELECT must it be qualified (semantics, section 4)."""
    assert codes(sql) == found


def test_a_comparison_with_null_is_warned_about() -> None:
    (found,) = resolve("SELECT count(*) = 0 FROM source WHERE qty = NULL").diagnostics
    assert (found.code, found.help) == ("SQL-020", "write `qty IS NULL`")
