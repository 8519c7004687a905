"""SQL of one row to values: resolved, emitted and computed on Polars."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal

import polars as pl
from tests.unit.sql.expressions import text

from etlgen.engines.polars.expressions import emit
from etlgen.engines.polars.types import dtype_source
from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import resolve_scalar
from etlgen_runtime.engines.polars import functions as fn
from etlgen_runtime.types import LogicalType


def evaluate_sql(sql: str, columns: Mapping[str, LogicalType], rows: Mapping[str, Sequence[object]]) -> list[object]:
    """The values of ``sql``, one for each row, computed beside all columns."""
    schema = Schema(tuple(SchemaColumn(name, of) for name, of in columns.items()), open=False)
    resolved = resolve_scalar(text(sql), schema, context="derive")
    assert resolved.expr is not None, resolved.diagnostics
    value: pl.Expr = eval(emit(resolved.expr), {"pl": pl, "fn": fn, "dt": dt, "Decimal": Decimal})
    frame = pl.DataFrame(
        {name: pl.Series(name, rows[name], dtype=eval(dtype_source(of), {"pl": pl})) for name, of in columns.items()}
    )
    return frame.lazy().with_columns(value.alias("value")).collect(engine="streaming")["value"].to_list()
