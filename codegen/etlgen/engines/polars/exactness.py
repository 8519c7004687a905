"""Integer arithmetic inside a larger expression, exact in 128 bits for whatever takes it so (semantics, section 5).

In a rule, arithmetic that leaves the type of its operands is NULL. In a derived value or a filter it is the exact number: nodes
whose value may leave their type get the type of 128 bits, so that nothing narrows them on the way. A decimal made of such an
integer, to give branches or operands one type, has all 38 digits.
"""

from __future__ import annotations

from dataclasses import replace

from etlgen.engines.polars.expressions import emit_wide
from etlgen.engines.polars.fragments import Fragment
from etlgen.engines.polars.nodes import remembered
from etlgen.engines.polars.settling import narrowable
from etlgen.expr import Call, Case, Cast, Expr, walk
from etlgen.sql.result_types import MAX_PRECISION, decimal_digits
from etlgen_runtime.casts import always_fits
from etlgen_runtime.casts.numbers import LARGEST_EXACT
from etlgen_runtime.types import INT128, INTEGER_RANGES, Kind, LogicalType, decimal

ARITHMETIC = frozenset({"add", "sub", "mul", "intdiv", "mod", "neg", "abs", "round"})
"""Functions of integers and decimals whose value may need more digits than their arguments have."""

CHOICES = frozenset({"coalesce", "nullif", "greatest", "least"})
_TAKE_WIDE = (
    ARITHMETIC
    | CHOICES
    | {"eq", "ne", "lt", "le", "gt", "ge", "in", "distinct_from", "not_distinct_from"}
    | {"is_null", "is_not_null", "nearest", "sign"}
)


def exact(expr: Expr) -> Expr:
    """``expr`` with the type of 128 bits on every integer node whose value may leave its own, and decimals made of them wide."""
    for node in reversed(tuple(walk(expr))):  # parts first: a deep tree is no deep recursion
        _exact(node)
    return _exact(expr)


@remembered
def _exact(expr: Expr) -> Expr:
    match expr:
        case Cast():
            return _exact_cast(expr, _exact(expr.arg))
        case Case(branches=branches, default=default):
            made = tuple((_exact(condition), _exact(value)) for condition, value in branches)
            made_default = _exact(default)
            whole = replace(expr, branches=made, default=made_default)
            return _widened(whole, (*(value for _, value in made), made_default))
        case Call(args=args):
            wide = takes_wide(expr)
            made_args = tuple(_exact(arg) if wide else _typed(_exact(arg), arg.type) for arg in args)
            return _exact_call(replace(expr, args=made_args))
        case _:
            return expr


def is_widened(expr: Expr) -> bool:
    """Whether the value of ``exact(expr)`` has another type than ``expr``."""
    return exact(expr).type != expr.type


@remembered
def emit_exact(expr: Expr) -> Fragment:
    """The value of ``exact(expr)`` before it is narrowed."""
    return emit_wide(exact(expr))


def takes_wide(call: Call) -> bool:
    """Whether a function takes integers of any width; the others take values of the argument's type."""
    return call.function in _TAKE_WIDE


def holds(target: LogicalType, of: LogicalType) -> bool:
    """Whether every value of ``of``, an integer or decimal type, is one of ``target``: such a cast can fail for an overflow only."""
    if target.kind is Kind.DECIMAL:
        precision, scale = decimal_digits(of)
        return target.scale >= scale and target.precision - target.scale >= precision - scale
    if target.is_float:
        return of.kind is Kind.DECIMAL or INTEGER_RANGES[of.kind][1] <= LARGEST_EXACT[target.kind]
    return always_fits(of, target)


def _exact_cast(cast: Cast, arg: Expr) -> Expr:
    """A cast of an integer that may be beyond its type is as if that had none."""
    before, target = cast.arg.type, cast.type
    if arg.type == before:
        return arg if before == target else replace(cast, arg=arg)
    if target.is_float and before.is_integer and holds(target, before):
        return Call("nearest", (arg,), target)
    if cast.implicit and target.is_integer:
        return arg
    if cast.implicit and target.kind is Kind.DECIMAL:
        return Cast(arg, decimal(MAX_PRECISION, target.scale))
    return replace(cast, arg=arg)


def _exact_call(call: Call) -> Expr:
    if call.function in CHOICES:
        return _widened(call, call.args)
    if call.function in ARITHMETIC and call.type.is_integer and narrowable(emit_wide(call), call.type):
        return replace(call, type=INT128)
    return call


def _widened(chosen: Call | Case, values: tuple[Expr, ...]) -> Call | Case:
    if chosen.type.is_integer and any(value.type == INT128 for value in values):
        return replace(chosen, type=INT128)
    if chosen.type.kind is Kind.DECIMAL and any(value.type.precision > chosen.type.precision for value in values):
        return replace(chosen, type=decimal(MAX_PRECISION, chosen.type.scale))
    return chosen


def _typed(expr: Expr, of: LogicalType) -> Expr:
    """``expr`` with the type it had: what takes no wide integer gets NULL for one."""
    return expr if expr.type == of else replace(expr, type=of)
