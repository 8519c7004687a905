"""Queries of dataset rules over staged files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from etlgen_runtime.crossing import NOT_ONE_VALUE, run_queries
from etlgen_runtime.diagnostics import ExecutionError

AS_OF = dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)


def tables(folder: Path) -> dict[str, Path]:
    """``source`` with four rows, and a link whose name and folder hold quotes."""
    (folder / "it's").mkdir()
    paths = {"source": folder / "it's" / "rows.parquet", 'odd "link"': folder / "link.parquet"}
    pl.DataFrame({"id": [1, 2, 3, None], "region": ["a", "b", "a", "c"]}).write_parquet(paths["source"])
    pl.DataFrame({"region": ["a", "b"]}).write_parquet(paths['odd "link"'])
    return paths


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT count(id) FROM source", 3),
        ("SELECT max(id) > 2 FROM source", True),
        ("SELECT max(id) FROM source WHERE id > 9", None),
        ('SELECT count(*) FROM source ANTI JOIN "odd ""link""" USING (region)', 1),
        ("SELECT getvariable('as_of') = TIMESTAMPTZ '2024-03-01 12:00:00+00'", True),
        ("SELECT TIMESTAMP '2024-03-01 12:00:00' = getvariable('as_of')", True),  # naive timestamps are UTC
        ("SELECT id FROM source", NOT_ONE_VALUE),
        ("SELECT id FROM source WHERE id > 9", NOT_ONE_VALUE),
        ("SELECT 1, 2", NOT_ONE_VALUE),
    ],
)
def test_a_query_gives_its_single_value(tmp_path: Path, sql: str, value: object) -> None:
    assert run_queries(tables(tmp_path), {"rule": sql}, AS_OF) == {"rule": value}


def test_each_query_has_its_own_value(tmp_path: Path) -> None:
    queries = {"rows": "SELECT count(*) FROM source", "regions": "SELECT count(DISTINCT region) FROM source"}
    assert run_queries(tables(tmp_path), queries, AS_OF) == {"rows": 4, "regions": 3}


def test_a_query_that_fails_is_reported_without_values(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError) as caught:
        run_queries(tables(tmp_path), {"numbers": "SELECT sum(CAST(region AS INTEGER)) FROM source"}, AS_OF)
    found = caught.value.diagnostic
    assert (found.code, found.rule) == ("PMEXEC107", "numbers")
    assert found.message == "dataset rule `numbers` could not be computed (ConversionException)"
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("reading", ["read_parquet('{}')", "read_text('{}')", "'{}'"])
def test_other_files_cannot_be_read(tmp_path: Path, reading: str) -> None:
    paths = tables(tmp_path)
    secret = tmp_path / "it's" / "secret.parquet"  # beside a file that may be read
    pl.DataFrame({"a": [1]}).write_parquet(secret)
    sql = f"SELECT count(*) FROM {reading.format(str(secret).replace(chr(39), chr(39) * 2))}"
    with pytest.raises(ExecutionError) as caught:
        run_queries(paths, {"spy": sql}, AS_OF)
    assert caught.value.diagnostic.code == "PMEXEC107"


def test_a_query_cannot_open_the_lock(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError):
        run_queries(tables(tmp_path), {"spy": "SET enable_external_access = true"}, AS_OF)
