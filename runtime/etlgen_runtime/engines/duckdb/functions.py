"""Functions of rewritten dataset SQL where DuckDB's own have another meaning than semantics, sections 4 and 5.

The generator writes them by name (``etlgen.sql.totality``); authors of contracts cannot, because they are on no list of
allowed functions. All are macros, so that aggregates may be their arguments. The usual values stay inside DuckDB; the rest
goes through the cast table and Python's Unicode.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import duckdb
from duckdb.func import DEFAULT, SPECIAL, FunctionNullHandling

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.casts.spelling import to_text
from etlgen_runtime.types import (
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    LogicalType,
    decimal,
    type_named,
)

_FINITE: Final = "nullif(nullif(nullif(x, 'NaN'::DOUBLE), 'Infinity'::DOUBLE), '-Infinity'::DOUBLE)"
_FINITE_OF_ANY: Final = """
    CASE WHEN typeof(x) IN ('DOUBLE', 'FLOAT') AND CAST(x AS VARCHAR) IN ('nan', 'inf', '-inf') THEN NULL ELSE x END
"""
_ISO: Final = """
    CASE WHEN contains(t, '.') THEN rpad(replace(t, ' ', 'T'), size, '0') ELSE replace(t, ' ', 'T') END
"""
_TEXT: Final = """
    CASE typeof(x)
        WHEN 'FLOAT' THEN CAST(TRY_CAST(CAST(x AS VARCHAR) AS DOUBLE) AS VARCHAR)
        WHEN 'TIMESTAMP' THEN etlgen_iso(CAST(x AS VARCHAR), 26)
        WHEN 'TIMESTAMP WITH TIME ZONE' THEN etlgen_iso(replace(CAST(x AS VARCHAR), '+00', ''), 26) || 'Z'
        WHEN 'TIME' THEN etlgen_iso(CAST(x AS VARCHAR), 15)
        WHEN 'BLOB' THEN base64(CAST(CAST(x AS VARCHAR) AS BLOB))
        ELSE CAST(x AS VARCHAR)
    END
"""
_USUAL: Final = r"""
    CASE
        WHEN target = 'int64' THEN '-?[0-9]{1,18}(\.0)?'
        WHEN target = 'float64' THEN '-?[0-9]{1,15}(\.[0-9]{1,9})?'
        WHEN target = 'boolean' THEN 'true|false'
        WHEN target = 'date' THEN '[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}'
        WHEN target = 'timestamp'
            THEN '[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?'
        WHEN target LIKE 'decimal(%,0)' THEN '-?[0-9]{1,' || regexp_extract(target, '[0-9]+') || '}'
        WHEN target LIKE 'decimal(%'
            THEN '-?[0-9]{1,18}(\.[0-9]{1,' || regexp_extract(target, '([0-9]+)\)', 1) || '})?'
        ELSE '\b\B'
    END
"""
_CAST: Final = """
    CASE
        WHEN regexp_full_match(CAST(x AS VARCHAR), etlgen_usual(target)) THEN CAST(x AS VARCHAR)
        ELSE etlgen_by_table(etlgen_text(x), typeof(x), target)
    END
"""
MACROS: Final[tuple[tuple[str, str], ...]] = (
    ("etlgen_finite", f"(x) AS {_FINITE}, (x, inputs) AS CASE WHEN inputs IS FALSE THEN x ELSE {_FINITE} END"),
    ("etlgen_finite_of_any", f"(x) AS {_FINITE_OF_ANY}"),
    (
        "etlgen_count",
        "(n) AS CASE WHEN n > 4294967295 THEN 4294967295 WHEN n < -4294967295 THEN -4294967295 ELSE n END",
    ),
    ("etlgen_in_years", "(x, year) AS CASE WHEN year BETWEEN 1 AND 9999 THEN x END"),
    ("etlgen_moved", "(x) AS CASE WHEN year(x) BETWEEN 1 AND 9999 THEN x END"),
    ("etlgen_iso", f"(t, size) AS {_ISO}"),
    ("etlgen_text", f"(x) AS {_TEXT}"),
    ("etlgen_usual", f"(target) AS {_USUAL}"),
    ("etlgen_cast", f"(x, target) AS {_CAST}"),
    ("etlgen_upper", "(x) AS CASE WHEN strlen(x) = length(x) THEN upper(x) ELSE etlgen_upper_unicode(x) END"),
    ("etlgen_lower", "(x) AS CASE WHEN strlen(x) = length(x) THEN lower(x) ELSE etlgen_lower_unicode(x) END"),
)
"""Name, arguments and meaning.

- ``etlgen_finite``: a number, NULL for NaN and infinities unless one of the inputs is not finite;
- ``etlgen_finite_of_any``: a value of any type, NULL for NaN and infinities;
- ``etlgen_count``: a number of characters within DuckDB's range;
- ``etlgen_in_years``: a moment if its year is one of 1 to 9999;
- ``etlgen_moved``: the same where the year is that of the moment itself;
- ``etlgen_text``: the text of a value, by the cast table;
- ``etlgen_cast``: the text of a cast value, or NULL; text of the ``etlgen_usual`` look means the same to DuckDB;
- ``etlgen_upper``, ``etlgen_lower``: full case mappings.
"""

_BEFORE: Final[dict[str, tuple[LogicalType, Callable[[str], object]]]] = {
    "BOOLEAN": (BOOLEAN, lambda text: text == "true"),
    "DOUBLE": (FLOAT64, float),
    "FLOAT": (FLOAT32, float),
    "DATE": (DATE, dt.date.fromisoformat),
    "TIMESTAMP": (TIMESTAMP, dt.datetime.fromisoformat),
    "TIMESTAMP WITH TIME ZONE": (TIMESTAMP_TZ, dt.datetime.fromisoformat),
    "TIME": (TIME, dt.time.fromisoformat),
}


def define(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the functions known to ``connection``."""
    _create(connection, "etlgen_upper_unicode", str.upper, 1)
    _create(connection, "etlgen_lower_unicode", str.lower, 1)
    _create(connection, "etlgen_by_table", cast_text, 3, null_handling=SPECIAL)
    for name, meaning in MACROS:
        connection.execute(f"CREATE MACRO {name}{meaning}")


def _create(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    call: Callable[..., str | None],
    arguments: int,
    null_handling: FunctionNullHandling = DEFAULT,
) -> None:
    """A function of texts that gives a text."""
    parameters: list[Any] = ["VARCHAR"] * arguments  # the library's own name for these types is private
    connection.create_function(name, call, parameters, "VARCHAR", null_handling=null_handling)  # pyright: ignore[reportUnknownMemberType]


def cast_text(text: str | None, before: str, target: str) -> str | None:
    """The text of a value cast by the cast table; ``None`` when it does not fit, and for NULL.

    Args:
        text: The value as ``etlgen_text`` writes it.
        before: Its DuckDB type.
        target: The name of a logical type.

    >>> cast_text("1.50", "DECIMAL(9,2)", "int64"), cast_text("2.0", "DOUBLE", "int64")
    (None, '2')
    """
    if text is None:
        return None
    try:
        of, value = _value(text, before)
        found = cast_value(value, type_named(target), before=of)
    except (Unfit, ValueError):  # years that Python has no date for
        return None
    return to_text(found, type_named(target))


def _value(text: str, before: str) -> tuple[LogicalType, object]:
    if before in _BEFORE:
        of, read = _BEFORE[before]
        return of, read(text)
    if before.startswith("DECIMAL"):
        _, _, scale = before.rstrip(")").partition(",")
        return decimal(38, int(scale)), Decimal(text)
    return (INT64, int(text)) if before.endswith("INT") or before == "INTEGER" else (STRING, text)
