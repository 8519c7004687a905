"""Queries over Parquet files; implements :class:`etlgen_runtime.crossing.QueryModule`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import duckdb

from etlgen_runtime.crossing import NOT_ONE_VALUE
from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.engines.duckdb.functions import define


def run_queries(tables: Mapping[str, Path], queries: Mapping[str, str], as_of: datetime) -> dict[str, object]:
    """The value of each query by its name. DuckDB reads the files of ``tables`` and nothing else.

    Source: semantics, section 3, Dataset rules.
    """
    with tempfile.TemporaryDirectory(prefix="etlgen-") as folder:
        links = {name: _link(path, Path(folder) / f"{n}.parquet") for n, (name, path) in enumerate(tables.items())}
        return _answers(links, queries, as_of)


def _link(path: Path, link: Path) -> Path:
    """The file under a plain name: DuckDB takes ``[`` and ``*`` in a path for a pattern."""
    link.symlink_to(path.resolve())
    return link


def _answers(tables: Mapping[str, Path], queries: Mapping[str, str], as_of: datetime) -> dict[str, object]:
    connection = duckdb.connect(":memory:")
    try:
        files = ", ".join(_quoted(str(path)) for path in tables.values())
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET allowed_paths = [{files}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        define(connection)
        connection.execute("SET VARIABLE as_of = CAST(? AS TIMESTAMPTZ)", [as_of.isoformat()])
        for name, path in tables.items():
            view = '"' + name.replace('"', '""') + '"'
            connection.execute(f"CREATE VIEW {view} AS SELECT * FROM read_parquet({_quoted(str(path))})")
        return {name: _single_value(connection, name, sql) for name, sql in queries.items()}
    finally:
        connection.close()


def _single_value(connection: duckdb.DuckDBPyConnection, name: str, sql: str) -> object:
    try:
        rows = connection.execute(sql).fetchmany(2)
    except duckdb.Error as error:
        raise ExecutionError(
            Diagnostic(
                code="PMEXEC107",
                message=f"dataset rule `{name}` could not be computed ({type(error).__name__})",
                node="dataset rules",
                rule=name,
                help="run the query by hand on the staged data; messages of the engine may hold values and are not shown",
            )
        ) from None
    if len(rows) == 1 and len(rows[0]) == 1:
        value: object = rows[0][0]
        return value
    return NOT_ONE_VALUE


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
