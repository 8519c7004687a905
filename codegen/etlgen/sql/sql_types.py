"""The types that CAST names. They are the cast table's: `INT` has 64 bits, a bare `DECIMAL` is (38, 9)."""

from __future__ import annotations

from sqlglot import exp

from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT64,
    INT8,
    INT16,
    INT64,
    INT128,
    JSON,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UINT128,
    UUID,
    LogicalType,
    decimal,
)

_TYPES: dict[exp.DType, LogicalType] = {
    exp.DType.TINYINT: INT8,
    exp.DType.SMALLINT: INT16,
    exp.DType.INT: INT64,
    exp.DType.BIGINT: INT64,
    exp.DType.INT128: INT128,
    exp.DType.UTINYINT: UINT8,
    exp.DType.USMALLINT: UINT16,
    exp.DType.UINT: UINT32,
    exp.DType.UBIGINT: UINT64,
    exp.DType.UINT128: UINT128,
    exp.DType.FLOAT: FLOAT64,
    exp.DType.DOUBLE: FLOAT64,
    exp.DType.TEXT: STRING,
    exp.DType.VARCHAR: STRING,
    exp.DType.CHAR: STRING,
    exp.DType.BOOLEAN: BOOLEAN,
    exp.DType.DATE: DATE,
    exp.DType.TIMESTAMP: TIMESTAMP,
    exp.DType.TIMESTAMPNTZ: TIMESTAMP,
    exp.DType.TIMESTAMPTZ: TIMESTAMP_TZ,
    exp.DType.TIME: TIME,
    exp.DType.UUID: UUID,
    exp.DType.VARBINARY: BINARY,
    exp.DType.JSON: JSON,
}


def cast_target(written: exp.DataType) -> LogicalType | None:
    """The type of a CAST; ``None`` when it is none of ours (nested types, INTERVAL, unknown names, bad digits)."""
    if written.this is not exp.DType.DECIMAL:
        return _TYPES.get(written.this)
    digits = [parameter.this for parameter in written.expressions]
    if not digits:
        return decimal()
    precision, *rest = (int(digit.this) for digit in digits)
    scale = rest[0] if rest else 0
    return decimal(precision, scale) if 1 <= precision <= 38 and 0 <= scale <= precision else None
