"""Dates and times in operators: intervals, `date + 7`, `date - date`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from sqlglot import exp

from etlgen.expr import Call, Cast, Expr, Interval, Literal
from etlgen.sql import problems
from etlgen.sql.conversion import is_text_literal
from etlgen.sql.functions import BY_NAME
from etlgen.sql.operands import Agreement, Operand, agreed, read_literal
from etlgen.sql.resolver import Handler, Resolver
from etlgen.sql.units import INTERVAL_DAYS, INTERVAL_MICROSECONDS, INTERVAL_MONTHS, UNIT_NAMES
from etlgen_runtime.types import DATE, INT64, INTERVAL, STRING, Kind

_MOMENTS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ)
_PART = re.compile(r"\s*([+-]?\d+)\s*([A-Za-z]+)\s*")
_LARGEST = 2**31 - 1
_LARGEST_MICROSECONDS = 2**63 - 1


def is_moment(expr: Expr) -> bool:
    """Whether arithmetic on it is the calendar's."""
    return expr.type.is_temporal or expr.type.kind is Kind.INTERVAL


def interval_literal(resolver: Resolver, node: exp.Expr) -> Expr:
    """INTERVAL '3' DAY, INTERVAL 3 DAYS, INTERVAL '1 day 2 hours'."""
    unit, value = node.args.get("unit"), node.this
    while isinstance(value, exp.Paren):
        value = value.this
    negative = isinstance(value, exp.Neg)
    if negative:
        value = value.this
    if not isinstance(value, exp.Literal):
        fix = "for a number of days in a column, compare with `date_diff`"
        resolver.reject(problems.wrong_literal("the interval", "not a literal", f"a literal; {fix}", resolver.at(node)))
    text = str(value.this) if unit is None else f"{value.this} {unit.name}"
    interval = _read_interval(text, -1 if negative else 1)
    if interval is None:
        expected = "whole numbers with units (`INTERVAL 3 DAY`)"
        resolver.reject(problems.wrong_literal("the interval", f"`{text}`", expected, resolver.at(node)))
    return Literal(interval, INTERVAL)


def _read_interval(text: str, sign: int) -> Interval | None:
    months = days = microseconds = position = 0
    while position < len(text):
        part = _PART.match(text, position)
        unit = UNIT_NAMES.get(part[2].lower()) if part else None
        if part is None or unit is None:
            return None
        count = sign * int(part[1])
        months += count * INTERVAL_MONTHS.get(unit, 0)
        days += count * INTERVAL_DAYS.get(unit, 0)
        microseconds += count * INTERVAL_MICROSECONDS.get(unit, 0)
        if not {unit} & {*INTERVAL_MONTHS, *INTERVAL_DAYS, *INTERVAL_MICROSECONDS}:
            return None
        position = part.end()
    fits = max(abs(months), abs(days)) <= _LARGEST and abs(microseconds) <= _LARGEST_MICROSECONDS
    return Interval(months, days, microseconds) if text.strip() and fits else None


def moment_arithmetic(resolver: Resolver, node: exp.Expr, sign: str, operands: Sequence[Operand]) -> Expr:
    """`+` and `-` where an operand is a date, timestamp or interval."""
    (left_node, left), (right_node, right) = operands
    if sign == "+" and left.type.kind not in _MOMENTS:
        (left_node, left), (right_node, right) = operands[1], operands[0]
    if sign == "-" and is_text_literal(left) and right.type.kind in _MOMENTS:
        left = read_literal(resolver, left_node, left, right.type)
    if sign not in ("+", "-") or left.type.kind not in _MOMENTS:
        _refuse(resolver, sign, operands)
    if isinstance(right, Literal) and isinstance(right.value, Interval):
        return moved(left, _signed(right.value, sign))
    if (
        left.type.kind is Kind.DATE
        and isinstance(right, Literal)
        and isinstance(right.value, int)
        and right.type.is_integer
    ):
        days = right.value if sign == "+" else -right.value
        return Cast(moved(left, Interval(days=days)), DATE)
    if sign == "-" and left.type.kind is Kind.DATE and (right.type.kind is Kind.DATE or is_text_literal(right)):
        start, end = agreed(resolver, ((right_node, right), (left_node, left)), Agreement("-", comparing=True))
        return Call("date_diff", (Literal("day", STRING), start, end), INT64)
    return _refuse(resolver, sign, operands)


def moved(moment: Expr, by: Interval) -> Expr:
    """``moment`` moved by ``by``."""
    args = (moment, Literal(by, INTERVAL))
    return Call("date_add", args, BY_NAME["date_add"].result(args))


def _signed(interval: Interval, sign: str) -> Interval:
    if sign == "+":
        return interval
    return Interval(-interval.months, -interval.days, -interval.microseconds)


def _refuse(resolver: Resolver, sign: str, operands: Sequence[Operand]) -> NoReturn:
    for node, expr in operands:
        resolver.refuse_undeclared_text(node, expr, "a date or timestamp")
    types = tuple(str(expr.type) for _, expr in operands)
    fix = "between two moments use `date_diff('day', start, end)`; move one with `x + INTERVAL 3 DAY`"
    at = resolver.source.span([node for node, _ in operands])
    resolver.reject(problems.operand_types(f"`{sign}`", types, at, fix))


HANDLERS: dict[type[exp.Expr], Handler] = {exp.Interval: interval_literal}
