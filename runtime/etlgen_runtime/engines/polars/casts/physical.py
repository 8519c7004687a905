"""Logical types and the Polars types that hold them (odcs, 3.2)."""

from __future__ import annotations

import polars as pl

from etlgen_runtime.types import Kind, LogicalType, decimal

_PHYSICAL: dict[Kind, pl.DataType] = {
    Kind.STRING: pl.String(),
    Kind.BOOLEAN: pl.Boolean(),
    Kind.INT8: pl.Int8(),
    Kind.INT16: pl.Int16(),
    Kind.INT32: pl.Int32(),
    Kind.INT64: pl.Int64(),
    Kind.INT128: pl.Int128(),
    Kind.UINT8: pl.UInt8(),
    Kind.UINT16: pl.UInt16(),
    Kind.UINT32: pl.UInt32(),
    Kind.UINT64: pl.UInt64(),
    Kind.UINT128: pl.UInt128(),
    Kind.FLOAT32: pl.Float32(),
    Kind.FLOAT64: pl.Float64(),
    Kind.DATE: pl.Date(),
    Kind.TIMESTAMP: pl.Datetime("us"),
    Kind.TIMESTAMP_TZ: pl.Datetime("us", "UTC"),
    Kind.TIME: pl.Time(),
    Kind.UUID: pl.String(),
    Kind.BINARY: pl.Binary(),
    Kind.JSON: pl.String(),
    Kind.INTERVAL: pl.Duration("us"),
    Kind.NULL: pl.Null(),
}

_LOGICAL: dict[type[pl.DataType], Kind] = {pl.Categorical: Kind.STRING, pl.Enum: Kind.STRING}
_LOGICAL.update(
    (type(physical), kind)
    for kind, physical in _PHYSICAL.items()
    if kind not in (Kind.UUID, Kind.JSON, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ)
)


def physical_type(logical: LogicalType) -> pl.DataType:
    """The Polars type of a column of ``logical``.

    Raises:
        TypeError: ``unknown`` has no physical type: it is replaced by the real one before any row is read.
    """
    if logical.kind is Kind.DECIMAL:
        return pl.Decimal(logical.precision, logical.scale)
    if logical.kind is Kind.UNKNOWN:
        raise TypeError("a column of unknown type has no physical type")
    return _PHYSICAL[logical.kind]


def logical_type(physical: pl.DataType) -> LogicalType:
    """What a column found in a typed source holds; ``unknown`` for lists, structs and whatever has no logical type."""
    if isinstance(physical, pl.Decimal):
        return decimal(physical.precision or 38, physical.scale)
    if isinstance(physical, pl.Datetime):
        return LogicalType(Kind.TIMESTAMP_TZ if physical.time_zone else Kind.TIMESTAMP)
    return LogicalType(_LOGICAL.get(type(physical), Kind.UNKNOWN))
