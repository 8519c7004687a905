"""Where a derived value lost a number on the way: arithmetic beyond 128 bits or 38 digits, whose value is NULL (semantics, section 5).

A row in which that happened is bad, whatever the expression made of the NULL. Nothing is written for an expression that cannot
lose a number, which nearly all cannot. A branch that is not taken loses nothing, and beside a NULL nothing is lost: the result is
NULL whatever the number is. A moment that is moved out of the years 1 to 9999 is lost in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

from etlgen.engines.polars import decimals, integers
from etlgen.engines.polars.dates import days_later
from etlgen.engines.polars.exactness import ARITHMETIC, emit_exact, exact, holds, is_widened, takes_wide
from etlgen.engines.polars.fragments import Binding, Fragment
from etlgen.engines.polars.literals import expression
from etlgen.engines.polars.settling import aligned, narrowable
from etlgen.expr import Call, Case, Cast, Expr, Interval, Literal
from etlgen_runtime.types import DATE, Kind, LogicalType

_BY_ZERO = frozenset({"div", "intdiv", "mod"})
_SKIP_NULLS = frozenset({"and", "or", "greatest", "least", "concat", "distinct_from", "not_distinct_from"})
"""Functions that may have a value although an argument is NULL: they need all of their arguments."""
_NULL_FIRST = frozenset({"in", "nullif"})
"""Functions that are NULL when the first argument is, and need all others when it is not."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What tells that a value lost a number.

    Args:
        operands: Of what may leave the numbers or moments that Polars can hold: the values whose presence says that a NULL
            result is a loss.
        inside: TRUE where a number was lost inside the expression, beside these; ``None``: nowhere.
    """

    operands: tuple[str, ...]
    inside: str | None


def losses_of(expr: Expr) -> Losses:
    """What tells that ``expr``, the value of a column, lost a number."""
    moment = _moved(expr)
    if moment is not None:
        return Losses((emit_exact(moment).text,), lost(moment, carried=False))
    if not _is_arithmetic(expr) or _divides(expr):
        return Losses((), lost(expr, carried=True))
    constants = ("pl.lit(True)",)  # they are always there
    operands = (_leaf_texts(expr) or constants) if _may_be_lost(expr, carried=True) else ()
    return Losses(operands, _lost_in_leaves(expr, carried=True))


def lost(expr: Expr, carried: bool) -> str | None:
    """TRUE where a number was lost in computing ``expr``, ``None`` where none can be; its value is taken as wide as it is.

    ``carried``: a decimal beyond 38 digits stays known as such, and is found by who takes the value.
    """
    match expr:
        case Case(branches=branches, default=default):
            return _lost_in_case(branches, default, carried)
        case Call() | Cast() if (moment := _moved(expr)) is not None:
            return _any_of((_call(emit_exact(expr), (emit_exact(moment).text,)), lost(moment, carried=False)))
        case Cast():
            return _lost_in_cast(expr)
        case Call(function="coalesce", args=args):
            return _lost_in_first(args)
        case Call() if _is_arithmetic(expr):
            return _lost_in_arithmetic(expr, carried)
        case Call(function="round", args=args) if expr.type.kind is Kind.DECIMAL:
            own = _call(_settled(expr), (_settled(args[0]).text,))
            is_lost = emit_exact(expr).unscaled and not carried
            return _any_of((own if is_lost else None, lost(args[0], carried=False)))
        case Call():
            return _lost_in_call(expr)
        case _:
            return None


def _lost_in_case(branches: tuple[tuple[Expr, Expr], ...], default: Expr, carried: bool) -> str | None:
    """Of the conditions up to the one that is TRUE, and of its value."""
    rest = lost(default, carried)
    for condition, value in reversed(branches):
        before, chosen = lost(condition, carried=False), lost(value, carried)
        chosen = None if chosen == before else chosen
        if chosen or rest:
            test = emit_exact(condition).text
            rest = f"pl.when({test}).then({chosen or 'False'}).otherwise({rest or 'False'})"
        rest = _any_of((before, rest))
    return rest


def _lost_in_first(args: tuple[Expr, ...]) -> str | None:
    """Of the arguments up to the first that is not NULL."""
    rest: str | None = None
    for arg in reversed(args):
        if rest:
            rest = f"({emit_exact(arg).receiver}.is_null() & ({rest}))"
        rest = _any_of((lost(arg, carried=False), rest))
    return rest


def _lost_in_cast(cast: Cast) -> str | None:
    """A cast that does not fit is NULL by right, unless its target holds every value that the argument should have had."""
    inner, found = cast.arg, lost(cast.arg, carried=False)
    is_beyond = inner.type.is_integer or (inner.type.kind is Kind.DECIMAL and is_widened(inner))
    if not is_beyond or not holds(cast.type, inner.type):
        return found
    value, result = emit_exact(inner), emit_exact(cast)
    if value.text == result.text or _surely_fits(value, exact(cast).type):
        return found
    return _any_of((found, _call(result, (value.text,))))


def _surely_fits(value: Fragment, target: LogicalType) -> bool:
    if value.type.kind is Kind.DECIMAL:
        return target.is_text or target.is_float or (target.kind is Kind.DECIMAL and decimals.fits(value, target))
    if target.kind is Kind.DECIMAL:
        whole_digits = target.precision - target.scale
        return len(str(_size(value))) <= whole_digits
    return target.is_text or target.is_float or integers.fits(value, target)


def _lost_in_call(call: Call) -> str | None:
    """Of the arguments, as far as the function looks at them."""
    losses = {number: _lost_argument(call, arg) for number, arg in enumerate(call.args)}
    if call.function in _SKIP_NULLS:
        return _any_of(losses.values())
    if call.function in _NULL_FIRST:
        first = losses.pop(0)
        return _any_of((first, _beside(_any_of(losses.values()), (_presence(call.args[0], None),))))
    return _unless_null(call.args, tuple(losses.values()), _nonzero(call, losses.get(1)))


def _lost_in_arithmetic(call: Call, carried: bool) -> str | None:
    inside = _lost_in_leaves(call, carried)
    if not _may_be_lost(call, carried):
        return inside
    own = _call(_settled(call), _leaf_texts(call))
    return _any_of((_beside(own, (_nonzero(call, None),)), inside))


def _lost_in_leaves(call: Call, carried: bool) -> str | None:
    leaves = tuple(_leaves(call))
    losses = tuple(lost(leaf, carried) for leaf in leaves)
    return _unless_null(leaves, losses, _nonzero(call, losses[-1] if losses else None))


def _lost_argument(consumer: Call, arg: Expr) -> str | None:
    """What was lost in an argument, or is beyond its type where the function takes nothing else."""
    return _any_of((lost(arg, carried=False), _narrowed(consumer, arg)))


def _unless_null(parts: tuple[Expr, ...], losses: tuple[str | None, ...], *further: str | None) -> str | None:
    """TRUE where a part was lost and none is NULL by right: beside NULL the result is NULL, whatever was lost."""
    found = _any_of(losses)
    if found is None or any(isinstance(part, Literal) and part.value is None for part in parts):
        return None
    is_only_one = sum(loss is not None for loss in losses) == 1
    others = (
        _presence(part, loss) for part, loss in zip(parts, losses, strict=True) if loss is None or not is_only_one
    )
    return _beside(found, (*others, *further))


def _presence(part: Expr, loss: str | None) -> str | None:
    """TRUE where a part is not NULL by right; ``None``: it never is."""
    if isinstance(part, Literal):
        return None
    there = f"{emit_exact(part).receiver}.is_not_null()"
    return there if loss is None else f"({there} | {loss})"


def _nonzero(call: Call, loss: str | None) -> str | None:
    """TRUE where a division is not by zero, which is NULL by right; ``None``: it never is, or is no division."""
    if not _divides(call):
        return None
    divisor = call.args[1]
    if isinstance(divisor, Literal) and divisor.value:
        return None
    other = f"({emit_exact(divisor).above(Binding.COMPARISON)} != 0)"
    return other if loss is None else f"({other} | {loss})"


def _beside(found: str | None, conditions: Iterable[str | None]) -> str | None:
    """``found`` where all of ``conditions`` hold."""
    needed = tuple(dict.fromkeys(condition for condition in conditions if condition))
    if found is None or not needed:
        return found
    alone = f"({found})" if " | " in found else found
    return f"({' & '.join((alone, *needed))})"


def _narrowed(consumer: Call, arg: Expr) -> str | None:
    """A number beyond the type of an argument that must be of its type."""
    if takes_wide(consumer) or not (arg.type.is_integer or is_widened(arg)):
        return None
    wide = emit_exact(arg)
    return _call(aligned(wide, arg.type), (wide.text,)) if narrowable(wide, arg.type) else None


def _moved(expr: Expr) -> Expr | None:
    """The moment that ``moment + INTERVAL`` or ``date + n`` moves; ``None`` where nothing is moved.

    Moved out of the years 1 to 9999 it is NULL, as a number beyond its type is.
    """
    match expr:
        case Call(function="date_add", args=(moment, Literal(value=Interval() as by))) if by != Interval():
            return moment
        case Cast(arg=Call(function="date_add", args=(moment, _)) as inner, type=target) if target == DATE:
            return moment if days_later(inner, emit_exact(moment)) is not None else None
        case _:
            return None


def _is_arithmetic(expr: Expr) -> TypeGuard[Call]:
    if not isinstance(expr, Call) or expr.function not in ARITHMETIC:
        return False
    return expr.type.is_integer or (expr.type.kind is Kind.DECIMAL and expr.function != "round")


def _divides(expr: Expr) -> TypeGuard[Call]:
    """Division by zero is NULL by right."""
    return isinstance(expr, Call) and expr.function in _BY_ZERO


def _leaves(expr: Call) -> Iterator[Expr]:
    """What a sum of products is computed from, without constants: they are always there."""
    for arg in expr.args:
        if _is_arithmetic(arg) and not _divides(arg) and not _divides(expr):
            yield from _leaves(arg)
        elif not isinstance(arg, Literal) or arg.value is None:
            yield arg


def _leaf_texts(expr: Call) -> tuple[str, ...]:
    return tuple(dict.fromkeys(emit_exact(leaf).text for leaf in _leaves(expr)))


def _may_be_lost(expr: Expr, carried: bool) -> bool:
    """Whether one of the operators that make up ``expr`` may give a number that Polars cannot hold."""
    if not _is_arithmetic(expr):
        return False
    value = emit_exact(expr)
    by_itself = value.partial and not (carried and value.unscaled)
    below = () if _divides(expr) else expr.args
    return by_itself or _has_cut_operand(expr) or any(_may_be_lost(arg, carried) for arg in below if not _divides(arg))


def _has_cut_operand(call: Call) -> bool:
    """An integer of 128 bits that is no decimal of 38 digits."""
    if call.type.kind is not Kind.DECIMAL:
        return False
    wide = (emit_exact(arg) for arg in call.args if arg.type.is_integer)
    return any(len(str(_size(value))) > decimals.MAX_DIGITS for value in wide)


def _size(value: Fragment) -> int:
    """Greatest magnitude of an integer."""
    return max(abs(value.low), abs(value.high))


def _settled(expr: Expr) -> Fragment:
    """The value as its consumers see it: NULL where it was lost."""
    return expression(decimals.scaled(emit_exact(expr)))


def _call(value: Fragment, leaves: Iterable[str]) -> str:
    return f"fn.lost({', '.join((value.text, *leaves))})"


def _any_of(parts: Iterable[str | None]) -> str | None:
    found = tuple(dict.fromkeys(part for part in parts if part))
    return " | ".join(found) or None
