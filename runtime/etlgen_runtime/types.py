"""Logical types: what a column holds, independent of any engine.

A logical type is a small frozen value. The cast table (semantics, section 4) and the expression table (section 5)
are written against it; each engine maps it to its own physical type.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The families of the cast table, one member per width."""

    STRING = "string"
    BOOLEAN = "boolean"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    INT128 = "int128"
    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    UINT64 = "uint64"
    UINT128 = "uint128"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    DECIMAL = "decimal"
    DATE = "date"
    TIMESTAMP = "timestamp"  # naive; offsets in text are converted to UTC
    TIMESTAMP_TZ = "timestamp_tz"  # an instant, kept in UTC
    TIME = "time"
    UUID = "uuid"  # canonical lower-case text
    BINARY = "binary"
    JSON = "json"  # text that parses as JSON
    INTERVAL = "interval"  # only inside expressions
    NULL = "null"  # the type of a bare NULL, only inside expressions
    UNKNOWN = "unknown"  # a column of a link whose schema is not declared: checked before any row


@dataclass(frozen=True, slots=True)
class LogicalType:
    """A column type.

    Args:
        kind: Family and width.
        precision: Decimal digits in all, 1 to 38; 0 for every other kind.
        scale: Decimal digits after the point; 0 for every other kind.
        naive_offset_refused: For ``timestamp`` only: text with an offset does not fit (ODCS naive timestamps).
        formats_only: For dates, timestamps and times: the contract's formats stand in place of ISO 8601 instead of beside
            it (ODCS ``format``; odcs, 3.3).
        assumed_zone: For ``timestamp_tz`` only: IANA zone of text and values without one; empty: a zone is required
            (ODCS ``defaultTimezone``, else UTC; odcs, 3.3).
    """

    kind: Kind
    precision: int = 0
    scale: int = 0
    naive_offset_refused: bool = False
    formats_only: bool = False
    assumed_zone: str = ""

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})" if self.kind is Kind.DECIMAL else self.kind.value

    @property
    def is_integer(self) -> bool:
        return self.kind in INTEGER_RANGES

    @property
    def is_float(self) -> bool:
        return self.kind in (Kind.FLOAT32, Kind.FLOAT64)

    @property
    def is_numeric(self) -> bool:
        return self.is_integer or self.is_float or self.kind is Kind.DECIMAL

    @property
    def is_text(self) -> bool:
        """Physically text on every engine."""
        return self.kind in (Kind.STRING, Kind.UUID, Kind.JSON)

    @property
    def is_temporal(self) -> bool:
        return self.kind in (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ, Kind.TIME)


def decimal(precision: int = 38, scale: int = 9) -> LogicalType:
    """A decimal type; without arguments the bare ``decimal`` of the cast table, (38, 9)."""
    return LogicalType(Kind.DECIMAL, precision, scale)


_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


def type_named(name: str) -> LogicalType:
    """The type that ``str`` writes as ``name``: ``"int64"``, ``"decimal(10,2)"``."""
    match = _DECIMAL.fullmatch(name)
    return decimal(int(match[1]), int(match[2])) if match else LogicalType(Kind(name))


INTEGER_RANGES: dict[Kind, tuple[int, int]] = {
    Kind.INT8: (-(2**7), 2**7 - 1),
    Kind.INT16: (-(2**15), 2**15 - 1),
    Kind.INT32: (-(2**31), 2**31 - 1),
    Kind.INT64: (-(2**63), 2**63 - 1),
    Kind.INT128: (-(2**127), 2**127 - 1),
    Kind.UINT8: (0, 2**8 - 1),
    Kind.UINT16: (0, 2**16 - 1),
    Kind.UINT32: (0, 2**32 - 1),
    Kind.UINT64: (0, 2**64 - 1),
    Kind.UINT128: (0, 2**128 - 1),
}
"""Smallest and largest value of each integer kind."""

STRING = LogicalType(Kind.STRING)
BOOLEAN = LogicalType(Kind.BOOLEAN)
INT8 = LogicalType(Kind.INT8)
INT16 = LogicalType(Kind.INT16)
INT32 = LogicalType(Kind.INT32)
INT64 = LogicalType(Kind.INT64)
INT128 = LogicalType(Kind.INT128)
UINT8 = LogicalType(Kind.UINT8)
UINT16 = LogicalType(Kind.UINT16)
UINT32 = LogicalType(Kind.UINT32)
UINT64 = LogicalType(Kind.UINT64)
UINT128 = LogicalType(Kind.UINT128)
FLOAT32 = LogicalType(Kind.FLOAT32)
FLOAT64 = LogicalType(Kind.FLOAT64)
DATE = LogicalType(Kind.DATE)
TIMESTAMP = LogicalType(Kind.TIMESTAMP)
TIMESTAMP_TZ = LogicalType(Kind.TIMESTAMP_TZ)
TIME = LogicalType(Kind.TIME)
UUID = LogicalType(Kind.UUID)
BINARY = LogicalType(Kind.BINARY)
JSON = LogicalType(Kind.JSON)
INTERVAL = LogicalType(Kind.INTERVAL)
NULL = LogicalType(Kind.NULL)
UNKNOWN = LogicalType(Kind.UNKNOWN)
