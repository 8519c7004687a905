"""SQL text of a contract against the columns of one point of the plan: typed trees, or diagnostics.

``functions`` is the one table of what is supported; sqlglot only parses. The rest reads: ``scalar`` (an expression of one
row), ``grouped`` (one value of a group of rows), ``dataset`` (a rule over many rows), ``page`` (docs/sql.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from etlgen.sql.dataset import ResolvedDataset, resolve_dataset_sql
    from etlgen.sql.grouped import resolve_grouped
    from etlgen.sql.scalar import Resolved, resolve_scalar

__all__ = ["Resolved", "ResolvedDataset", "resolve_dataset_sql", "resolve_grouped", "resolve_scalar"]

_HOMES = {
    "Resolved": "scalar",
    "resolve_scalar": "scalar",
    "resolve_grouped": "grouped",
    "ResolvedDataset": "dataset",
    "resolve_dataset_sql": "dataset",
}


def __getattr__(name: str) -> object:
    """Import the SQL parser when it is first needed: the function table is read without it."""
    if name not in _HOMES:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
