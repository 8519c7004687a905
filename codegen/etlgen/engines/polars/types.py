"""How Polars holds each logical type, as the source text of a Polars data type."""

from __future__ import annotations

from etlgen_runtime.types import Kind, LogicalType

_NAMES: dict[Kind, str] = {
    Kind.STRING: "pl.String",
    Kind.BOOLEAN: "pl.Boolean",
    Kind.INT8: "pl.Int8",
    Kind.INT16: "pl.Int16",
    Kind.INT32: "pl.Int32",
    Kind.INT64: "pl.Int64",
    Kind.INT128: "pl.Int128",
    Kind.UINT8: "pl.UInt8",
    Kind.UINT16: "pl.UInt16",
    Kind.UINT32: "pl.UInt32",
    Kind.UINT64: "pl.UInt64",
    Kind.UINT128: "pl.UInt128",
    Kind.FLOAT32: "pl.Float32",
    Kind.FLOAT64: "pl.Float64",
    Kind.DATE: "pl.Date",
    Kind.TIMESTAMP: 'pl.Datetime("us")',
    Kind.TIMESTAMP_TZ: 'pl.Datetime("us", "UTC")',
    Kind.TIME: "pl.Time",
    Kind.UUID: "pl.String",
    Kind.BINARY: "pl.Binary",
    Kind.JSON: "pl.String",
    Kind.NULL: "pl.Null",
}


def dtype_source(of: LogicalType) -> str:
    """``pl.Int64`` for int64, ``pl.Decimal(10, 2)`` for decimal(10,2).

    Raises:
        KeyError: ``of`` is no type of a column (an interval, or not known).
    """
    if of.kind is Kind.DECIMAL:
        return f"pl.Decimal({of.precision}, {of.scale})"
    return _NAMES[of.kind]
