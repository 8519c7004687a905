"""Columns by their exact name."""

from __future__ import annotations

import polars as pl
import polars.selectors as cs


def column(name: str) -> pl.Expr:
    """The column called exactly ``name``, also where ``pl.col`` would read a pattern: ``*`` and ``^...$``."""
    is_pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return cs.by_name(name).as_expr() if is_pattern else pl.col(name)
