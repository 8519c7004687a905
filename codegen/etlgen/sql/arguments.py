"""Arguments of functions: each parameter's kind checked and converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sqlglot import exp

from etlgen.expr import Expr, Interval, Literal
from etlgen.nearest import nearest_name
from etlgen.sql import problems
from etlgen.sql.conversion import converted, converted_literal, is_text_literal
from etlgen.sql.functions import Accepts, Function, Parameter
from etlgen.sql.operands import Agreement, Operand, agreed, sql_name
from etlgen.sql.resolver import Rejected, Resolver
from etlgen.sql.result_types import unified
from etlgen.sql.units import CALENDAR_UNITS, PART_UNITS, UNIT_NAMES
from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, INT64, STRING, TIMESTAMP, TIMESTAMP_TZ, Kind, LogicalType

_MOMENTS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ)


def arguments(resolver: Resolver, function: Function, written: str, nodes: Sequence[exp.Expr]) -> tuple[Expr, ...]:
    """The arguments as the table wants them.

    Raises:
        Rejected: TYP-004 and SQL-008 for single arguments; TYP-002, TYP-005 for those of one type.
    """
    exprs = _visited(resolver, function, written, nodes)
    found: list[Expr] = []
    rejected = False
    for index, operand in enumerate(zip(nodes, exprs, strict=True)):
        try:
            found.append(_argument(resolver, function.parameter(index), written, operand))
        except Rejected:
            rejected = True
    if rejected:
        raise Rejected
    return _one_type(resolver, function, written, nodes, found)


def _visited(resolver: Resolver, function: Function, written: str, nodes: Sequence[exp.Expr]) -> list[Expr]:
    """Units are words, not expressions (`extract(year FROM x)`); the rest is visited."""
    units = [function.parameter(index).accepts is Accepts.UNIT for index in range(len(nodes))]
    visited = iter(resolver.all(node for node, unit in zip(nodes, units, strict=True) if not unit))
    return [
        _unit(resolver, function, written, node) if unit else next(visited)
        for node, unit in zip(nodes, units, strict=True)
    ]


def _unit(resolver: Resolver, function: Function, written: str, node: exp.Expr) -> Literal:
    word = node.name if isinstance(node, exp.Var) or (isinstance(node, exp.Literal) and node.is_string) else None
    allowed = PART_UNITS if function.name == "date_part" else CALENDAR_UNITS
    unit = UNIT_NAMES.get(word.lower()) if word is not None else None
    if unit not in allowed:
        found = f"`{word}`" if word is not None else "not a literal"
        resolver.reject(
            problems.wrong_literal(
                f"the unit of `{written}`",
                found,
                f"one of {', '.join(allowed)}",
                resolver.at(node),
                nearest=nearest_name(word or "", allowed),
            )
        )
    return Literal(unit, STRING)


def _one_type(
    resolver: Resolver, function: Function, written: str, nodes: Sequence[exp.Expr], found: Sequence[Expr]
) -> tuple[Expr, ...]:
    """Parameters marked ``same`` converted to their common type."""
    same = [index for index in range(len(found)) if function.parameter(index).same]
    if not same:
        return tuple(found)
    operands = tuple((nodes[index], found[index]) for index in same)
    converted_ = iter(agreed(resolver, operands, Agreement(f"`{written}`", comparing=function.result is not unified)))
    return tuple(next(converted_) if index in same else expr for index, expr in enumerate(found))


def _argument(resolver: Resolver, parameter: Parameter, written: str, operand: Operand) -> Expr:
    node, expr = operand
    accepts = parameter.accepts
    if accepts in (Accepts.ANY, Accepts.UNIT) or expr.type.kind is Kind.UNKNOWN:
        return expr
    if accepts is Accepts.AS_TEXT:
        return converted(expr, STRING)
    if accepts is Accepts.BOOLEAN:
        return resolver.boolean(node, expr, f"argument `{parameter.name}` of `{written}`")
    if accepts in _LITERALS:
        return _literal(resolver, parameter, written, operand)
    if expr.type.kind is Kind.NULL:
        return Literal(None, _NULL_TYPES[accepts])
    taken = _taken(accepts, expr)
    if taken is not None:
        return taken
    return _refuse(resolver, parameter, written, operand)


_NULL_TYPES: dict[Accepts, LogicalType] = {
    Accepts.TEXT: STRING,
    Accepts.NUMBER: INT64,
    Accepts.DOUBLE: FLOAT64,
    Accepts.INTEGER: INT64,
    Accepts.BOOLEAN: BOOLEAN,
    Accepts.MOMENT: TIMESTAMP,
}
"""The type of a NULL argument."""


def _taken(accepts: Accepts, expr: Expr) -> Expr | None:
    """``expr`` converted where the parameter takes its type."""
    match accepts:
        case Accepts.TEXT if expr.type.kind in (Kind.STRING, Kind.JSON):
            return converted(expr, STRING)
        case Accepts.NUMBER if expr.type.is_numeric:
            return expr
        case Accepts.DOUBLE if expr.type.is_numeric:
            return converted(expr, FLOAT64)
        case Accepts.INTEGER if expr.type.is_integer:
            return expr
        case Accepts.MOMENT if expr.type.kind in _MOMENTS:
            return expr
        case Accepts.MOMENT if is_text_literal(expr) and isinstance(expr, Literal):
            return next(
                filter(None, (converted_literal(expr, type_) for type_ in (DATE, TIMESTAMP, TIMESTAMP_TZ))), None
            )
        case _:
            return None


_LITERALS: dict[Accepts, tuple[type, str]] = {
    Accepts.TEXT_LITERAL: (str, "a text literal"),
    Accepts.PATTERN: (str, "a text literal"),
    Accepts.INTEGER_LITERAL: (int, "a whole number literal"),
    Accepts.INTERVAL: (Interval, "an interval literal"),
}
"""What a parameter that takes only literals holds, and its name for people."""


def _literal(resolver: Resolver, parameter: Parameter, written: str, operand: Operand) -> Expr:
    node, expr = operand
    wanted, words = _LITERALS[parameter.accepts]
    if isinstance(expr, Literal) and isinstance(expr.value, wanted) and not isinstance(expr.value, bool):
        return expr
    what = f"argument `{parameter.name}` of `{written}`"
    found = "not a literal" if not isinstance(expr, Literal) else f"`{node.sql('duckdb')}`"
    return resolver.reject(problems.wrong_literal(what, found, words, resolver.at(node)))


def _refuse(resolver: Resolver, parameter: Parameter, written: str, operand: Operand) -> NoReturn:
    node, expr = operand
    expected = {Accepts.DOUBLE: "a number", Accepts.NUMBER: "a number", Accepts.INTEGER: "an integer"}.get(
        parameter.accepts, parameter.accepts.value
    )
    if parameter.accepts is not Accepts.TEXT:
        resolver.refuse_undeclared_text(node, expr, expected)
    if is_text_literal(expr):
        resolver.reject(problems.unfit_literal(str(node.this), expected, resolver.at(node)))
    wanted = {Accepts.TEXT: STRING, Accepts.MOMENT: TIMESTAMP, Accepts.INTEGER: INT64}.get(parameter.accepts, FLOAT64)
    fix = f"cast it: `CAST({node.sql('duckdb')} AS {sql_name(wanted)})`"
    resolver.reject(problems.argument_type(written, parameter.name, str(expr.type), expected, resolver.at(node), fix))
