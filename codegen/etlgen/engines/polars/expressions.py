"""Typed expressions as Python source of native Polars expressions.

``emit`` for values, ``emit_predicate`` for filters and rules; ``assignments`` for a new or rewritten column. The text names
``pl`` (polars), ``fn`` (etlgen_runtime.engines.polars.functions), ``dt`` (datetime) and ``Decimal`` only; ``names_used`` says
which. Meaning: semantics, section 5. Arithmetic is emitted wide and narrowed by what consumes it.
"""

from __future__ import annotations

import ast
from itertools import filterfalse

from etlgen.engines.polars import floats
from etlgen.engines.polars.casts import cast_fragment, folded_cast
from etlgen.engines.polars.choice import case, extreme, null_if
from etlgen.engines.polars.comparisons import (
    COMPARISONS,
    between,
    comparable,
    comparison,
    connective,
    membership,
    missing_comparison,
    negation,
    nullness,
    truth,
)
from etlgen.engines.polars.dates import DATES, date_call, days_later
from etlgen.engines.polars.fragments import Fragment, column_source, guarded, typed
from etlgen.engines.polars.literals import expression, is_null, literal_fragment, null_fragment
from etlgen.engines.polars.lowered import LOWERED, lowered_call
from etlgen.engines.polars.numbers import WIDE, number_call, sign_call
from etlgen.engines.polars.settling import aligned, settled
from etlgen.engines.polars.text import text_call
from etlgen.expr import Call, Case, Cast, Column, Expr, Literal
from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, Kind

NAMES = ("Decimal", "dt", "fn", "pl")


def emit(expr: Expr) -> str:
    """A Polars expression that holds exactly ``expr.type``; what does not fit is NULL."""
    return aligned(_emit(expr), expr.type).text


def emit_wide(expr: Expr) -> Fragment:
    """The value before it is narrowed to ``expr.type``: wide integers, unscaled decimals; never a bare constant."""
    return expression(guarded(_emit(expr)))


def emit_predicate(expr: Expr) -> str:
    """A boolean Polars expression, three-valued."""
    return expression(_settled(expr)).text


def names_used(source: str) -> frozenset[str]:
    """Which of :data:`NAMES` a module with this emitted source must import."""
    tree = ast.parse(source, mode="eval")
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) & frozenset(NAMES)


def _settled(expr: Expr) -> Fragment:
    return settled(_emit(expr), expr.type)


def _emit(expr: Expr) -> Fragment:
    match expr:
        case Column(name=name, type=of):
            return typed(column_source(name), of, inputs=(name,) if of.is_float else ())
        case Literal():
            return literal_fragment(expr)
        case Cast():
            return _cast(expr)
        case Case():
            return _case(expr)
        case Call():
            return _call(expr)


def _cast(expr: Cast) -> Fragment:
    source, target = expr.arg, expr.type
    if isinstance(source, Literal):
        folded = folded_cast(source, target)
        if folded is not None:
            return folded
    if target == DATE and isinstance(source, Call) and source.function == "date_add":
        moved = days_later(source, _settled(source.args[0]))
        if moved is not None:
            return moved
    return cast_fragment(_settled(source), source.type, target)


def _case(expr: Case) -> Fragment:
    branches = tuple((_settled(condition), _branch(value)) for condition, value in expr.branches)
    no_default = is_null(expr.default)
    default = None if no_default else _branch(expr.default)
    if all(is_null(value) for _, value in expr.branches) and no_default:
        return null_fragment(expr.type)
    return case(branches, default, expr.type)


def _branch(expr: Expr) -> Fragment:
    return guarded(_emit(expr))


def _call(call: Call) -> Fragment:
    name = call.function
    if name in ("and", "or"):
        return _connective(call)
    step = _emit if name in WIDE else _settled
    args = tuple(map(step, filterfalse(_is_interval, call.args)))
    if name in COMPARISONS:
        return comparison(name, *_bare_sides(call, args))
    if name in WIDE:
        return number_call(call, args, tuple(_plain_integer(arg) for arg in call.args))
    if name in _CHOICES or name in _LOGIC:
        return _logic(call, args)
    if name in DATES:
        return date_call(call, args)
    if name == "sign":
        return sign_call(args[0])
    if name in LOWERED:
        return lowered_call(call, args)
    return text_call(call, args)


_CHOICES = frozenset({"nullif", "greatest", "least"})
_LOGIC = frozenset({"distinct_from", "not_distinct_from", "in", "not", "is_true", "is_false", "is_null", "is_not_null"})


def _is_interval(expr: Expr) -> bool:
    return expr.type.kind is Kind.INTERVAL


def _logic(call: Call, args: tuple[Fragment, ...]) -> Fragment:
    match call.function:
        case "distinct_from" | "not_distinct_from":
            return missing_comparison(call.function, *args)
        case "in":
            return _membership(call, args)
        case "not":
            return _negation(call.args[0], args[0])
        case "is_true" | "is_false":
            return truth(call.function, args[0])
        case "is_null" | "is_not_null":
            return nullness(call.function, args[0])
        case "nullif":
            return null_if(args[0], args[1], call.type)
        case _:
            return extreme(call.function, args, call.type)


def _negation(of: Expr, value: Fragment) -> Fragment:
    if isinstance(of, Call) and of.function == "eq":
        return _call(Call("ne", of.args, of.type))
    return negation(value)


def _membership(call: Call, args: tuple[Fragment, ...]) -> Fragment:
    """With a NULL among the items, no match is NULL instead of FALSE."""
    items = tuple(fragment for fragment, item in zip(args[1:], call.args[1:], strict=True) if not is_null(item))
    if len(items) == len(args) - 1 and not is_null(call.args[0]):
        return membership(args[0], items)
    unknown = null_fragment(BOOLEAN)
    if not items or is_null(call.args[0]):
        return unknown
    return connective("or", (membership(args[0], items), unknown))


def _connective(call: Call) -> Fragment:
    parts = call.args
    if call.function == "and" and len(parts) == 2:
        found = _between(*parts)
        if found is not None:
            return found
    return connective(call.function, tuple(_settled(part) for part in parts))


def _between(low: Expr, high: Expr) -> Fragment | None:
    """``x >= a AND x <= b`` with constants, as BETWEEN is written in the tree."""
    match low, high:
        case Call(function="ge", args=(value, Literal() as least)), Call(function="le", args=(same, Literal() as most)):
            constant = value == same and None not in (least.value, most.value) and comparable(least.type)
            subject = _settled(value)
            if constant and not subject.bare:
                return between(subject, literal_fragment(least), literal_fragment(most))
        case _:
            pass
    return None


def _bare_sides(call: Call, args: tuple[Fragment, ...]) -> tuple[Fragment, Fragment]:
    """Integers beside a double need no cast of their own: Polars compares both as doubles."""
    left, right = (_plain_integer(expr) for expr in call.args)
    if left is not None and not args[1].bare and args[1].type == FLOAT64 and right is None:
        return left, args[1]
    if right is not None and not args[0].bare and args[0].type == FLOAT64 and left is None:
        return args[0], right
    return args[0], args[1]


def _plain_integer(expr: Expr) -> Fragment | None:
    """The integer of at most 64 bits that ``expr`` makes a double, or ``None``."""
    match expr:
        case Call(function="nearest", args=(inner,)) | Cast(arg=inner) if expr.type == FLOAT64:
            fragment = settled(_emit(inner), inner.type) if inner.type.is_integer else None
            if fragment is None or fragment.bare or fragment.type.kind in (Kind.INT128, Kind.UINT128):
                return None
            exact = isinstance(expr, Call) or floats.magnitude(fragment) <= 2**53
            return fragment if exact else None
        case _:
            return None
