"""derive, coalesce, map_values: a column computed from others."""

from __future__ import annotations

from collections.abc import Sequence

from etlgen import problems
from etlgen.contract import Coalesce, Derive, MapValues, Scalar
from etlgen.diagnostics.model import Position
from etlgen.expr import Call, Case, Cast, Expr, Literal
from etlgen.lower.expressions import held_exactly, may_overflow, resolve_expression
from etlgen.lower.literals import UnfitValue, natural, page_text, typed
from etlgen.lower.scope import Lowered, Scope, reference, with_columns
from etlgen.plan import Assign, SchemaColumn
from etlgen.spelling import code, codes
from etlgen.sql.result_types import unify
from etlgen_runtime.types import BOOLEAN, STRING, Kind, LogicalType


def lower_derive(scope: Scope, body: Derive) -> Lowered | None:
    """Field = expression; its type is inferred."""
    sql = body.sql
    resolved = resolve_expression(scope, sql, "derive")
    if resolved is None:
        return None
    expr, reads = resolved
    if expr.type.kind is Kind.NULL:
        declared = scope.declared.get(body.field.value)
        expr = Literal(None, declared.type if declared is not None else STRING)
    if expr.type.kind is Kind.INTERVAL:
        subject = f"the value of {code(body.field.value)}"
        fix = "derive a number (`date_diff`) or a date"
        scope.findings.add(problems.wrong_type(subject, "an interval", "a type of columns", sql.at, fix))
        return None
    title = f"derive {code(body.field.value)} = {code(sql.value)}"
    if not may_overflow(expr):
        return assigned(scope, body.field.value, expr, reads, title)
    return assigned(scope, body.field.value, held_exactly(scope, body.field.value, expr), reads, title, checked=True)


def assigned(
    scope: Scope, name: str, expr: Expr, reads: frozenset[str], title: str, *, checked: bool = False
) -> Lowered:
    """One column set to ``expr``."""
    after = with_columns(scope, ((name, expr.type, reads),))
    return Lowered((Assign(((name, expr),), checked),), title, after, reads, (name,))


def lower_coalesce(scope: Scope, body: Coalesce) -> Lowered | None:
    """First non-NULL of the sources, then the default."""
    names = body.sources or (body.field,)
    columns = scope.columns(names)
    if columns is None:
        return None
    type_ = _common_type(columns)
    if type_ is None:
        types = ", ".join(f"{code(column.name)} {column.type}" for column in columns)
        subject = f"the type of {scope.name}"
        fix = "cast the sources to one type first"
        scope.findings.add(problems.wrong_type(subject, f"undecided ({types})", "one common type", names[0].at, fix))
        return None
    parts = [_as(reference(column), type_) for column in columns]
    title = f"set {code(body.output.value)} to the first value of {codes(column.name for column in columns)}"
    if body.has_default and body.default is not None:
        default = _literal(scope, body.default, type_, code(body.output.value), body.default_at)
        if default is None:
            return None
        parts.append(default)
        title += f", else {code(page_text(body.default))}"
    expr: Expr = parts[0] if len(parts) == 1 else Call("coalesce", tuple(parts), type_)
    return assigned(scope, body.output.value, expr, frozenset(column.name for column in columns), title)


def _common_type(columns: Sequence[SchemaColumn]) -> LogicalType | None:
    type_: LogicalType | None = columns[0].type
    for column in columns[1:]:
        type_ = unify(type_, column.type) if type_ is not None else None
    return type_


def _as(expr: Expr, type_: LogicalType) -> Expr:
    return expr if expr.type == type_ or type_.kind is Kind.UNKNOWN else Cast(expr, type_)


def _literal(scope: Scope, value: Scalar, type_: LogicalType, subject: str, at: Position | None) -> Literal | None:
    try:
        return typed(value, type_)
    except UnfitValue as unfit:
        scope.findings.add(problems.unfit_value(unfit.value, str(type_), subject, at or scope.operation.at))
        return None


def lower_map_values(scope: Scope, body: MapValues) -> Lowered | None:
    """The value's entry in the mapping; no match (NULL included): the default if given, else the value itself."""
    column = scope.column(body.field)
    if column is None:
        return None
    value = reference(column)
    text = value if column.type == STRING else Cast(value, STRING)
    type_ = _mapped_type(body, column.type)
    branches = tuple(
        (Call("eq", (text, Literal(key, STRING)), BOOLEAN), typed(mapped, type_)) for key, mapped in body.mapping
    )
    otherwise = typed(body.default, type_) if body.has_default else _as(value, type_)
    expr: Expr = Case(branches, otherwise, type_) if branches else otherwise
    into = "" if body.output.value == body.field.value else f" into {code(body.output.value)}"
    title = f"map the values of {code(body.field.value)}{into}"
    return assigned(scope, body.output.value, expr, frozenset({column.name}), title)


def _mapped_type(body: MapValues, found: LogicalType) -> LogicalType:
    """The type that holds every outcome: with a default, the one of the mapped values; without, the column's own when
    all mapped values fit it; else text.
    """
    outcomes = [value for _, value in body.mapping if value is not None]
    if body.has_default:
        outcomes += [] if body.default is None else [body.default]
        types = {natural(value).type for value in outcomes}
        if len(types) == 1:
            return types.pop()
        return LogicalType(Kind.FLOAT64) if types and all(type_.is_numeric for type_ in types) else STRING
    if found.kind is Kind.UNKNOWN:
        return STRING
    try:
        for value in outcomes:
            typed(value, found)
    except UnfitValue:
        return STRING
    return found
