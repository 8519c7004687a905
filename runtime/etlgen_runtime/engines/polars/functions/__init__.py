"""Functions that generated expressions call where Polars' own expression is not the specified meaning.

Imported by generated code as ``fn``. Every function takes and gives Polars expressions, stays lazy and is total: where an
engine would raise, the value is NULL (semantics, section 5).
"""

from __future__ import annotations

from etlgen_runtime.engines.polars.functions.casting import cast
from etlgen_runtime.engines.polars.functions.columns import column
from etlgen_runtime.engines.polars.functions.dates import (
    add_days,
    current_date,
    current_timestamp,
    date_add,
    date_diff,
    date_part,
    make_date,
    make_timestamp,
)
from etlgen_runtime.engines.polars.functions.decimals import (
    ceil_decimal,
    checked_add,
    checked_multiply,
    checked_remainder,
    checked_subtract,
    decimal_product,
    decimal_text,
    floor_decimal,
    round_decimal,
    within_38_digits,
)
from etlgen_runtime.engines.polars.functions.likeness import ilike, like
from etlgen_runtime.engines.polars.functions.numbers import (
    divide,
    finite,
    float_remainder,
    greatest,
    log,
    remainder,
    round_float,
    round_integer,
    truncated_divide,
    wide_add,
    wide_multiply,
    wide_subtract,
    wide_truncated_divide,
)
from etlgen_runtime.engines.polars.functions.strptime import strptime
from etlgen_runtime.engines.polars.functions.text import (
    SPACES,
    left,
    lpad,
    ltrim,
    position,
    regexp_extract,
    repeat,
    replace,
    reverse,
    right,
    rpad,
    rtrim,
    split_part,
    substring,
    trim,
)
from etlgen_runtime.engines.polars.functions.written_dates import read_date_text

__all__ = [
    "SPACES",
    "add_days",
    "cast",
    "ceil_decimal",
    "checked_add",
    "checked_multiply",
    "checked_remainder",
    "checked_subtract",
    "column",
    "current_date",
    "current_timestamp",
    "date_add",
    "date_diff",
    "date_part",
    "decimal_product",
    "decimal_text",
    "divide",
    "finite",
    "float_remainder",
    "floor_decimal",
    "greatest",
    "ilike",
    "left",
    "like",
    "log",
    "lpad",
    "ltrim",
    "make_date",
    "make_timestamp",
    "position",
    "read_date_text",
    "regexp_extract",
    "remainder",
    "repeat",
    "replace",
    "reverse",
    "right",
    "round_decimal",
    "round_float",
    "round_integer",
    "rpad",
    "rtrim",
    "split_part",
    "strptime",
    "substring",
    "trim",
    "truncated_divide",
    "wide_add",
    "wide_multiply",
    "wide_subtract",
    "wide_truncated_divide",
    "within_38_digits",
]
