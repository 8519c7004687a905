"""The cast table on Polars, vectorized (semantics, section 4). It agrees with ``etlgen_runtime.casts`` value for value.

Every cast first tries Polars' own, which is as fast as it gets; text that it leaves over is looked at more closely, and
what it takes too lightly (rounded decimals, ``inf``, second 60, blanks inside dates) is taken back.
"""

from __future__ import annotations

from etlgen_runtime.engines.polars.casts.column_cast import ColumnCast
from etlgen_runtime.engines.polars.casts.physical import logical_type, physical_type
from etlgen_runtime.engines.polars.casts.spelling import text_expr
from etlgen_runtime.engines.polars.casts.table import cast_expr, cast_series, nulls, unfit_expr, unfit_series

__all__ = [
    "ColumnCast",
    "cast_expr",
    "cast_series",
    "logical_type",
    "nulls",
    "physical_type",
    "text_expr",
    "unfit_expr",
    "unfit_series",
]
