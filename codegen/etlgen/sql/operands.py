"""Operands that must agree: one common type for comparisons and branches, one kind of number for arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from sqlglot import exp

from etlgen.expr import Call, Column, Expr, Literal
from etlgen.spelling import with_article
from etlgen.sql import problems
from etlgen.sql.conversion import converted, converted_literal, is_flexible, is_text_literal
from etlgen.sql.resolver import Resolver
from etlgen.sql.result_types import decimal_digits, unify
from etlgen_runtime.types import BINARY, FLOAT32, FLOAT64, INT64, NULL, STRING, TIMESTAMP, Kind, LogicalType, decimal

Operand = tuple[exp.Expr, Expr]
"""A node and its typed tree."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Who must agree.

    Args:
        what: For people: ```=```, ``CASE``.
        comparing: Comparison (a number literal is fitted to the column) instead of branches (types as DuckDB unifies them).
    """

    what: str
    comparing: bool


def agreed(resolver: Resolver, operands: Sequence[Operand], agreement: Agreement) -> tuple[Expr, ...]:
    """All operands converted to their common type.

    Raises:
        Rejected: TYP-001 or TYP-005, no common type; TYP-002, a text literal that does not read as the type; TYP-006.
    """
    target = _fixed_type(resolver, operands, agreement)
    for node, expr in operands:
        if is_flexible(expr) and expr.type.is_numeric:
            target = _with_number(resolver, operands, (node, expr), target, agreement)
    if agreement.comparing and target.kind is Kind.TIMESTAMP_TZ and _has_naive(operands):
        target = TIMESTAMP  # both clocks are UTC; an instant becomes a timestamp exactly
    return tuple(_fitted(resolver, operand, target, agreement, operands) for operand in operands)


def _has_naive(operands: Sequence[Operand]) -> bool:
    return any(expr.type.kind in (Kind.DATE, Kind.TIMESTAMP) for _, expr in operands)


def _fixed_type(resolver: Resolver, operands: Sequence[Operand], agreement: Agreement) -> LogicalType:
    """The common type of what is no literal; of number literals, then of texts, when there is nothing else."""
    fixed = [operand for operand in operands if not is_flexible(operand[1])]
    target = NULL
    for _, expr in fixed:
        wider = unify(target, expr.type)
        if wider is None:
            _refuse(resolver, operands, agreement)
        target = wider
    return target


def _with_number(
    resolver: Resolver, operands: Sequence[Operand], literal: Operand, target: LogicalType, agreement: Agreement
) -> LogicalType:
    """The target, widened where the number literal does not fit it."""
    expr = literal[1]
    assert isinstance(expr, Literal)
    if target.kind is Kind.BOOLEAN and agreement.comparing and converted_literal(expr, target) is not None:
        return target
    beside_value = not all(is_flexible(other) for _, other in operands)
    if beside_value and _keeps(target, expr, agreement) and converted_literal(expr, target) is not None:
        return target
    wider = unify(target, expr.type)
    if wider is None:
        _refuse(resolver, operands, agreement)
    return wider


def _keeps(target: LogicalType, literal: Literal, agreement: Agreement) -> bool:
    """Whether the literal, if it is a value of ``target``, leaves it as it is: when comparing, else as DuckDB unifies."""
    if target.is_float:
        return literal.type != FLOAT64 or target == FLOAT64
    if agreement.comparing:
        return target.is_numeric
    return target.is_integer and literal.type.is_integer


def _fitted(
    resolver: Resolver, operand: Operand, target: LogicalType, agreement: Agreement, operands: Sequence[Operand]
) -> Expr:
    node, expr = operand
    if not is_text_literal(expr):
        return converted(expr, target)
    if target.kind in (Kind.STRING, Kind.NULL, Kind.UNKNOWN):
        return expr
    if target == BINARY:
        _refuse(resolver, operands, agreement)
    return read_literal(resolver, node, expr, target)


def read_literal(resolver: Resolver, node: exp.Expr, expr: Expr, target: LogicalType) -> Expr:
    """A text literal as a value of ``target``; TYP-002 when it is none."""
    assert isinstance(expr, Literal)
    literal = converted_literal(expr, target)
    if literal is None:
        resolver.reject(problems.unfit_literal(str(expr.value), str(target), resolver.at(node)))
    return literal


def _refuse(resolver: Resolver, operands: Sequence[Operand], agreement: Agreement) -> NoReturn:
    others = [expr for _, expr in operands if not expr.type.is_text and expr.type.kind is not Kind.NULL]
    for node, expr in operands:
        if others and expr.type == STRING:
            resolver.refuse_undeclared_text(node, expr, with_article(str(others[0].type)))
    types = tuple(dict.fromkeys(str(expr.type) for _, expr in operands if expr.type.kind is not Kind.NULL))
    at = resolver.source.span([node for node, _ in operands])
    if agreement.comparing:
        resolver.reject(problems.operand_types(f"`{agreement.what}`", types, at, _cast_hint(resolver, operands)))
    resolver.reject(problems.no_common_type(agreement.what, types, at))


def _cast_hint(resolver: Resolver, operands: Sequence[Operand]) -> str:
    """The fix of a text column beside something typed."""
    link = _untyped_link(resolver, operands)
    if link:
        return problems.declare_link_types(link)
    text = next((node for node, expr in operands if expr.type == STRING), None)
    other = next((expr.type for _, expr in operands if expr.type.kind not in (Kind.STRING, Kind.NULL)), None)
    if text is None or other is None:
        return "cast one of them"
    if is_text_literal(next(expr for node, expr in operands if node is text)):
        return "write a literal of the other type"
    return f"cast the text: `CAST({text.sql('duckdb')} AS {sql_name(other)})`"


def _untyped_link(resolver: Resolver, operands: Sequence[Operand]) -> str:
    """The link without declared types that a text operand comes from."""
    texts = (expr.name for _, expr in operands if isinstance(expr, Column) and expr.type == STRING)
    columns = (resolver.schema.get(name) for name in texts)
    return next((column.untyped_link for column in columns if column is not None and column.untyped_link), "")


def sql_name(of: LogicalType) -> str:
    """The type as CAST names it."""
    names = {
        Kind.INT64: "BIGINT",
        Kind.FLOAT64: "DOUBLE",
        Kind.STRING: "VARCHAR",
        Kind.TIMESTAMP_TZ: "TIMESTAMPTZ",
    }
    if of.kind in (Kind.INT8, Kind.INT16, Kind.INT32):
        return "BIGINT"
    return names.get(of.kind, str(of).upper())


# --- numbers ----------------------------------------------------------------------------------------------------------


def numbers(resolver: Resolver, operands: Sequence[Operand], what: str, *, as_double: bool = False) -> tuple[Expr, ...]:
    """Operands of arithmetic: all doubles (or floats) when one is, else integers of own width or decimals of own scale."""
    for node, expr in operands:
        if not (expr.type.is_numeric or expr.type.kind in (Kind.NULL, Kind.UNKNOWN) or is_text_literal(expr)):
            resolver.refuse_undeclared_text(node, expr, "a number")
            _refuse_operand(resolver, operands, what)
    types = [expr.type for _, expr in operands if expr.type.is_numeric]
    if any(is_text_literal(expr) for _, expr in operands):
        known = next((expr.type for _, expr in operands if expr.type.is_numeric and not is_flexible(expr)), None)
        if known is None:
            _refuse_operand(resolver, operands, what)
        operands = [
            (node, read_literal(resolver, node, expr, known) if is_text_literal(expr) else expr)
            for node, expr in operands
        ]
    if as_double:
        return tuple(converted(expr, FLOAT64) for _, expr in operands)
    if any(type_.is_float for type_ in types):
        target = FLOAT64 if FLOAT64 in types else FLOAT32
        return tuple(converted(expr, target) for _, expr in operands)
    if any(type_.kind is Kind.DECIMAL for type_ in types):
        return tuple(_as_decimal(expr, types) for _, expr in operands)
    return _integers([expr for _, expr in operands])


def _as_decimal(expr: Expr, types: Sequence[LogicalType]) -> Expr:
    if expr.type.kind is Kind.NULL:
        return converted(expr, next(type_ for type_ in types if type_.kind is Kind.DECIMAL))
    if not expr.type.is_integer or isinstance(expr, Call):  # a sum may leave its type, and is exact all the same
        return expr
    return converted(expr, decimal(*decimal_digits(expr.type)))


def _integers(exprs: Sequence[Expr]) -> tuple[Expr, ...]:
    """An integer literal takes the type of the other operand when it fits, as DuckDB's do."""
    fixed = next((expr.type for expr in exprs if expr.type.is_integer and not is_flexible(expr)), None)
    if fixed is None:
        natural = next((expr.type for expr in exprs if expr.type.is_integer), INT64)
        return tuple(converted(expr, natural) if expr.type.kind is Kind.NULL else expr for expr in exprs)
    return tuple(
        (converted_literal(expr, fixed) or expr) if isinstance(expr, Literal) and is_flexible(expr) else expr
        for expr in exprs
    )


def _refuse_operand(resolver: Resolver, operands: Sequence[Operand], what: str) -> NoReturn:
    types = tuple(dict.fromkeys(str(expr.type) for _, expr in operands))
    at = resolver.source.span([node for node, _ in operands])
    text = next((node for node, expr in operands if expr.type == STRING), None)
    link = _untyped_link(resolver, operands)
    fix = f"cast the text: `CAST({text.sql('duckdb')} AS DOUBLE)`" if text is not None else "use numbers"
    fix = problems.declare_link_types(link) if link else fix
    resolver.reject(problems.operand_types(f"`{what}`", types, at, fix))
