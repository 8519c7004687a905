"""The DuckDB connection of dataset rules is locked: SQL that got past every check at build would still reach nothing."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from etlgen_runtime.diagnostics import ExecutionError
from etlgen_runtime.engines.duckdb.queries import run_queries

AS_OF = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    """The rows that may be read; beside them a file that may not."""
    pl.DataFrame({"id": [1, 2]}).write_parquet(tmp_path / "rows.parquet")
    (tmp_path / "secret.csv").write_text("password\nS3CR3T\n")
    return tmp_path / "rows.parquet"


def value(staged: Path, sql: str) -> object:
    return run_queries({"source": staged}, {"rule": sql.replace("{}", str(staged.parent))}, AS_OF)["rule"]


def test_the_rows_can_be_read(staged: Path) -> None:
    assert value(staged, "SELECT sum(id) FROM source") == 3


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM read_csv('{}/secret.csv')", "SELECT count(*) FROM '{}/secret.csv'", "SELECT content FROM read_text('{}/secret.csv')",
        "SELECT count(*) FROM glob('{}/*')", "SELECT count(*) FROM read_parquet('{}/*.parquet')", "SELECT count(*) FROM sniff_csv('{}/secret.csv')",
        "COPY (SELECT 1) TO '{}/made.csv'", "SELECT 1; COPY (SELECT 1) TO '{}/made.csv'", "EXPORT DATABASE '{}/made.csv'",
        "ATTACH '{}/made.csv' AS x", "SELECT 1; ATTACH '{}/made.csv' AS x; SELECT 2", "INSTALL httpfs", "LOAD httpfs", "LOAD '{}/x.duckdb_extension'",
        "SELECT count(*) FROM read_csv('https://localhost/x.csv')", "SELECT count(*) FROM 's3://bucket/x.parquet'",
        "SET enable_external_access = true", "SET lock_configuration = false", "RESET lock_configuration", "SET GLOBAL allowed_paths = ['{}']",
        "PRAGMA enable_external_access = true", "SET temp_directory = '{}/made.csv'", "SET home_directory = '{}'",
        "CREATE SECRET (TYPE s3, KEY_ID 'x', SECRET 'y')", "CREATE PERSISTENT SECRET (TYPE s3, KEY_ID 'x', SECRET 'y')",
        "SELECT count(*) FROM query('SELECT * FROM read_csv(''{}/secret.csv'')')", "SELECT getenv('HOME')", "IMPORT DATABASE '{}'",
    ],
)  # fmt: skip
def test_nothing_else_can(staged: Path, sql: str) -> None:
    before = sorted(staged.parent.iterdir())
    with pytest.raises(ExecutionError) as caught:
        value(staged, sql)
    assert caught.value.diagnostic.code == "PMEXEC107"
    assert "S3CR3T" not in str(caught.value)
    assert sorted(staged.parent.iterdir()) == before


def test_the_lock_is_on(staged: Path) -> None:
    """As the engine itself tells it; a name of DuckDB that changes must not open the door silently."""
    for name, expected in (("enable_external_access", "false"), ("lock_configuration", "true")):
        assert value(staged, f"SELECT value FROM duckdb_settings() WHERE name = '{name}'") == expected
