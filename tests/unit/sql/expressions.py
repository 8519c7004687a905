"""Expressions over one set of columns, one column of each type, resolved for the tests."""

from __future__ import annotations

from dataclasses import replace

from etlgen.contract import Text
from etlgen.diagnostics.model import Position
from etlgen.expr import Call, Case, Cast, Column, Expr, Literal
from etlgen.plan import Schema, SchemaColumn
from etlgen.sql import Resolved, resolve_scalar
from etlgen.sql.scalar import Context
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    INT128,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UUID,
    LogicalType,
    decimal,
)

COLUMNS: dict[str, tuple[LogicalType, str]] = {
    "b": (BOOLEAN, "BOOLEAN"),
    "i8": (INT8, "TINYINT"),
    "i16": (INT16, "SMALLINT"),
    "i32": (INT32, "INTEGER"),
    "i64": (INT64, "BIGINT"),
    "i128": (INT128, "HUGEINT"),
    "u8": (UINT8, "UTINYINT"),
    "u16": (UINT16, "USMALLINT"),
    "u32": (UINT32, "UINTEGER"),
    "u64": (UINT64, "UBIGINT"),
    "f32": (FLOAT32, "FLOAT"),
    "f64": (FLOAT64, "DOUBLE"),
    "d": (decimal(10, 2), "DECIMAL(10,2)"),
    "d2": (decimal(38, 9), "DECIMAL(38,9)"),
    "s": (STRING, "VARCHAR"),
    "dt": (DATE, "DATE"),
    "ts": (TIMESTAMP, "TIMESTAMP"),
    "tz": (TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE"),
    "tm": (TIME, "TIME"),
    "uu": (UUID, "UUID"),
    "bl": (BINARY, "BLOB"),
}
"""Logical type and DuckDB type of each column."""

CLOSED = Schema(tuple(SchemaColumn(name, types[0]) for name, types in COLUMNS.items()), open=False)
OPEN = replace(CLOSED, open=True)
AT = Position("contracts/c.yaml", 7, 12)


def text(sql: str, *, exact: bool = True) -> Text:
    """SQL as it would stand in a contract, at line 7, column 12."""
    return Text(sql, AT, exact)


def resolve(
    sql: str, schema: Schema = CLOSED, context: Context = "derive", undeclared_type: LogicalType | None = STRING
) -> Resolved:
    return resolve_scalar(text(sql), schema, context=context, undeclared_type=undeclared_type)


def shown(sql: str, schema: Schema = CLOSED) -> str:
    """The tree of ``sql`` in short: calls as written in the table, casts as ``value->type``, literals as ``value:type``."""
    resolved = resolve(sql, schema)
    assert resolved.expr is not None, resolved.diagnostics
    return show(resolved.expr)


def show(expr: Expr) -> str:
    match expr:
        case Column(name=name):
            return name
        case Literal(value=value, type=type_):
            return f"{value}:{type_}"
        case Cast(arg=arg, type=type_):
            return f"({show(arg)}->{type_})"
        case Call(function=function, args=args):
            return f"{function}({', '.join(map(show, args))})"
        case Case(branches=branches, default=default):
            whens = "".join(f"{show(when)} ? {show(then)} ; " for when, then in branches)
            return f"case({whens}{show(default)})"


def codes(sql: str, schema: Schema = CLOSED, context: Context = "derive") -> list[str]:
    return [found.code for found in resolve(sql, schema, context).diagnostics]
