"""Parts of a dataset query that look at one row at a time."""

from __future__ import annotations

from sqlglot import exp

from etlgen.sql.aggregates import AGGREGATES, WINDOW_FUNCTIONS

_MANY_ROWS = AGGREGATES | WINDOW_FUNCTIONS


def is_row_wise(node: exp.Expr) -> bool:
    """Whether ``node`` holds no query, window or aggregate."""
    return not any(
        isinstance(part, exp.Query | exp.Window)
        or (isinstance(part, exp.Anonymous) and str(part.this).lower() in _MANY_ROWS)
        for part in node.walk()
    )
