"""rollup: one row per group."""

from __future__ import annotations

from dataclasses import replace

from etlgen import problems
from etlgen.contract import Rollup, Text
from etlgen.expr import Expr, Literal
from etlgen.lower.expressions import held_exactly, resolve_aggregation
from etlgen.lower.scope import Lowered, Scope, once, with_columns
from etlgen.plan import AggregateRows, CastColumns, Relation, Schema, SchemaColumn
from etlgen.spelling import code, codes
from etlgen_runtime.types import INT64, STRING, Kind, LogicalType

Aggregation = tuple[str, Expr, frozenset[str]]
"""Output, value, columns it is computed from."""


def lower_rollup(scope: Scope, body: Rollup) -> Lowered | None:
    """The columns of ``group_by``, then one column per aggregation; the schema is closed after it."""
    keys = scope.columns(once(scope, body.group_by))
    if keys is None:
        return None
    names = tuple(column.name for column in keys)
    aggregations = [_aggregation(scope, name, sql, names) for name, sql in body.aggregations]
    outputs = (*body.group_by, *(name for name, _ in body.aggregations))
    known = [one for one in aggregations if one is not None]
    if len(known) < len(aggregations) or len(once(scope, outputs)) < len(outputs):
        return None
    types = {name: _column_type(scope, name, expr) for name, expr, _ in known}
    relations: list[Relation] = [AggregateRows(names, tuple((name, expr) for name, expr, _ in known))]
    casts = tuple((name, expr.type, types[name], ()) for name, expr, _ in known if expr.type != types[name])
    if casts:
        relations.append(CastColumns(casts))
    reads = frozenset(names).union(*(sources for _, _, sources in known))
    return Lowered(
        tuple(relations),
        _title(names, body),
        _after(scope, names, [(name, types[name], sources) for name, _, sources in known]),
        reads,
        tuple(name for name, _, _ in known),
        row_wise=False,
    )


def _aggregation(scope: Scope, name: Text, sql: Text, group_by: tuple[str, ...]) -> Aggregation | None:
    resolved = resolve_aggregation(scope, sql, group_by)
    if resolved is None:
        return None
    expr, reads = resolved
    if expr.type.kind is Kind.INTERVAL:
        subject, fix = f"the value of {code(name.value)}", "aggregate a number (`date_diff`) or a date"
        scope.findings.add(problems.wrong_type(subject, "an interval", "a type of columns", sql.at, fix))
        return None
    if expr.type.kind is Kind.NULL:
        expr = Literal(None, STRING)
    return name.value, held_exactly(scope, name.value, expr), reads


def _column_type(scope: Scope, name: str, expr: Expr) -> LogicalType:
    """Integer sums are exact in 128 bits, which no published column has: 64 bits, where no declared type follows."""
    wide = expr.type.kind in (Kind.INT128, Kind.UINT128)
    return INT64 if wide and name not in scope.declared else expr.type


def _after(scope: Scope, group_by: tuple[str, ...], written: list[tuple[str, LogicalType, frozenset[str]]]) -> Schema:
    made = {column.name: column for column in with_columns(scope, tuple(written)).columns}
    kept: list[SchemaColumn] = [made[name] for name in group_by]
    kept += [replace(made[name], origin=scope.name) for name, _, _ in written]
    return replace(scope.schema, columns=tuple(kept), open=False)


def _title(group_by: tuple[str, ...], body: Rollup) -> str:
    values = ", ".join(f"{code(name.value)} = {code(sql.value)}" for name, sql in body.aggregations)
    rows = f"one row per {codes(group_by)}" if group_by else "one row for all"
    return f"{rows}: {values}" if values else rows
