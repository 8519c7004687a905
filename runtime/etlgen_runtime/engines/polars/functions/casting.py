"""CAST inside an expression, with types by name so that generated code reads (semantics, section 4)."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from etlgen_runtime.engines.polars.casts import cast_expr
from etlgen_runtime.types import type_named


def cast(value: pl.Expr, before: str, target: str, assumed_zone: str = "") -> pl.Expr:
    """``value`` of type ``before`` (``"string"``, ``"decimal(10,2)"``) as ``target``; NULL when it does not fit.

    Args:
        assumed_zone: Of what has no zone, when ``target`` is ``"timestamp_tz"``; empty: it does not fit.
    """
    return cast_expr(value, type_named(before), replace(type_named(target), assumed_zone=assumed_zone))
