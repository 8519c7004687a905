"""Where one engine's rows are judged by another: files go in, single values come out; no engine imports the other."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol, cast

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.diagnostics import Diagnostic, PlanError

NOT_ONE_VALUE: Final[object] = object()
"""The outcome of a query that gave anything but one row of one column."""

_MODULE = "etlgen_runtime.engines.duckdb.queries"
_LIBRARIES = ("duckdb", "numpy")  # DuckDB calls functions of Python through NumPy


class QueryModule(Protocol):
    """The module that runs SQL of contracts, in whose dialect it is written."""

    def run_queries(self, tables: Mapping[str, Path], queries: Mapping[str, str], as_of: datetime) -> dict[str, object]:
        """See :func:`run_queries`."""
        ...


def require_queries(rules: Sequence[DatasetRule]) -> None:
    """Refuse SQL dataset rules where DuckDB is not installed, before any row is read.

    Raises:
        PlanError: PMPLAN102, naming the install.
    """
    sql = next((rule for rule in rules if rule.kind == "sql"), None)
    if sql is not None and None in map(importlib.util.find_spec, _LIBRARIES):
        raise PlanError(
            Diagnostic(
                code="PMPLAN102",
                message=f"dataset rule `{sql.name}` is SQL, which runs through DuckDB",
                node="dataset rules",
                rule=sql.name,
                help="pip install 'etlgen-runtime[duckdb]'",
            )
        )


def run_queries(tables: Mapping[str, Path], queries: Mapping[str, str], as_of: datetime) -> dict[str, object]:
    """The single value of each query.

    Args:
        tables: Parquet file of each table that the queries name; nothing else can be read.
        queries: SQL in the DuckDB dialect by the name of its rule; ``getvariable('as_of')`` is the clock of the run, and the
            functions ``etlgen_...`` are those of ``engines/duckdb/functions.py``.
        as_of: The clock of the run, aware.

    Returns:
        A Python value for each name, :data:`NOT_ONE_VALUE` where there is none or are several.

    Raises:
        ExecutionError: PMEXEC107, a query failed; without the engine's message, which may hold values.
    """
    module = cast("QueryModule", importlib.import_module(_MODULE))
    return module.run_queries(tables, queries, as_of)
