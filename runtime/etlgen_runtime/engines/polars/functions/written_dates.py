"""Dates as people write them in text columns."""

from __future__ import annotations

import polars as pl

from etlgen_runtime.engines.polars.casts import cast_expr
from etlgen_runtime.types import STRING, TIMESTAMP


def read_date_text(text: pl.Expr) -> pl.Expr:
    """Text in ISO form or compact ``YYYYMMDD`` as a timestamp; NULL where it is neither (transformations, ``date_diff``)."""
    compact = pl.when(text.str.contains(r"^[0-9]{8}\z")).then(text)
    return pl.coalesce(
        cast_expr(text, STRING, TIMESTAMP),
        compact.str.to_date("%Y%m%d", strict=False).cast(pl.Datetime("us")),
    )
