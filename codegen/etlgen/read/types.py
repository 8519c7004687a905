"""Type texts of OLC to logical types (semantics, section 4)."""

from __future__ import annotations

import re

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.nearest import nearest_name
from etlgen.spelling import one_of
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT64,
    JSON,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UUID,
    LogicalType,
    decimal,
)

NAMES: dict[str, LogicalType] = {
    "string": STRING,
    "int": INT64,
    "integer": INT64,
    "long": INT64,
    "bigint": INT64,
    "smallint": INT16,
    "tinyint": INT8,
    "float": FLOAT64,
    "double": FLOAT64,
    "number": FLOAT64,
    "decimal": decimal(),
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamp_tz": TIMESTAMP_TZ,
    "time": TIME,
    "uuid": UUID,
    "binary": BINARY,
    "json": JSON,
}
"""The names of the cast table."""

ALIASES: dict[str, LogicalType] = {
    "str": STRING,
    "text": STRING,
    "varchar": STRING,
    "int64": INT64,
    "int16": INT16,
    "int8": INT8,
    "float64": FLOAT64,
    "double precision": FLOAT64,
    "float32": FLOAT32,
    "bool": BOOLEAN,
    "numeric": decimal(),
    "datetime": TIMESTAMP,
    "timestamptz": TIMESTAMP_TZ,
    "timestamp with time zone": TIMESTAMP_TZ,
    "timestamp without time zone": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP,
    "bytes": BINARY,
    "blob": BINARY,
}
"""Other words with one obvious meaning; ``varchar(n)`` is refused, because n would be a silent constraint."""

_NESTED = re.compile(r"(array|list|map|struct|row|object|record|dict)\b|.*\[\]\Z", re.IGNORECASE)
_DECIMAL = re.compile(r"(decimal|numeric|dec)\s*\(\s*([0-9]+)\s*(?:,\s*([0-9]+)\s*)?\)\Z", re.IGNORECASE)
_SIZED_TEXT = re.compile(r"(var)?char(acter)?\s*\(\s*([0-9]+)\s*\)\Z|string\s*\(.*\)\Z", re.IGNORECASE)


def parse_type(text: str, at: Position, key_path: str = "") -> LogicalType | Diagnostic:
    """The logical type that ``text`` names, or what is wrong with it (TYP-070 to TYP-072)."""
    words = " ".join(text.lower().split())
    known = NAMES.get(words) or ALIASES.get(words)
    if known is not None:
        return known
    match = _DECIMAL.match(words)
    if match:
        return _decimal(text, int(match[2][:4]), int((match[3] or "0")[:4]), at, key_path)
    if _NESTED.match(words):
        message = f"the nested type `{text}` is not supported by this version"
        fix = "declare the field as `json` (text that parses as JSON) or `string`"
        return Diagnostic("TYP-071", message, at, expected="a scalar type", help=fix, key_path=key_path)
    expected = one_of(NAMES)
    if _SIZED_TEXT.match(words):
        fix = "write `type: string` and `max_length:`"
        return Diagnostic(
            "TYP-070", f"unknown type `{text}`", at, expected=expected, nearest="string", help=fix, key_path=key_path
        )
    near = nearest_name(words, (*NAMES, *ALIASES))
    return Diagnostic(
        "TYP-070",
        f"unknown type `{text}`",
        at,
        expected=expected,
        nearest=near,
        help=f"write `{near}`" if near else "choose one of these types",
        key_path=key_path,
    )


def _decimal(text: str, precision: int, scale: int, at: Position, key_path: str) -> LogicalType | Diagnostic:
    if 1 <= precision <= 38 and scale <= precision:
        return decimal(precision, scale)
    message = f"`{text}` is no decimal type"
    expected = "precision from 1 to 38, scale from 0 to the precision"
    return Diagnostic(
        "TYP-072", message, at, expected=expected, help="write for instance `decimal(18,2)`", key_path=key_path
    )
