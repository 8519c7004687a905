"""Where a derived value lost a number on the way: arithmetic beyond 128 bits or 38 digits, whose value is NULL (semantics, section 5).

A row in which that happened is bad, whatever the expression made of the NULL. Nothing is written for an expression that cannot
lose a number, which nearly all cannot. A branch that is not taken loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from etlgen.engines.polars import decimals, integers
from etlgen.engines.polars.exactness import ARITHMETIC, emit_exact, holds, takes_wide
from etlgen.engines.polars.fragments import Fragment
from etlgen.engines.polars.literals import expression
from etlgen.engines.polars.settling import narrowable, settled
from etlgen.expr import Call, Case, Cast, Expr, Literal
from etlgen_runtime.types import Kind, LogicalType

_BY_ZERO = frozenset({"intdiv", "mod"})


def operands(expr: Expr) -> tuple[str, ...]:
    """Of arithmetic that may leave what Polars can hold: the values whose presence says that a NULL result is a loss."""
    if not _is_arithmetic(expr) or _divides(expr):
        return ()
    if not _may_be_lost(expr, carried=True):
        return ()
    return _leaf_texts(expr) or ("pl.lit(True)",)  # constants are always there


def lost_inside(expr: Expr) -> str | None:
    """TRUE where a number was lost inside ``expr``, beside the losses that :func:`operands` tell of; ``None``: nowhere."""
    if _is_arithmetic(expr) and not _divides(expr):
        return _any_of(lost(leaf, carried=True) for leaf in _leaves(expr))
    return lost(expr, carried=True)


def lost(expr: Expr, carried: bool) -> str | None:
    """TRUE where a number was lost in computing ``expr``, ``None`` where none can be; its value is taken as wide as it is.

    ``carried``: a decimal beyond 38 digits stays known as such, and is found by who takes the value.
    """
    match expr:
        case Case(branches=branches, default=default):
            return _lost_in_case(branches, default, carried)
        case Cast():
            return _lost_in_cast(expr)
        case Call(function="coalesce", args=args):
            return _lost_in_first(args, carried)
        case Call() if _is_arithmetic(expr):
            return _lost_in_arithmetic(expr, carried)
        case Call(function="round", args=args) if expr.type.kind is Kind.DECIMAL:
            own = _call(_settled(expr), (_settled(args[0]).text,))
            is_lost = emit_exact(expr).unscaled and not carried
            return _any_of((own if is_lost else None, lost(args[0], carried=False)))
        case Call(args=args):
            return _any_of(part for arg in args for part in (lost(arg, carried=False), _narrowed(expr, arg)))
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


def _lost_in_first(args: tuple[Expr, ...], carried: bool) -> str | None:
    """Of the arguments up to the first that is not NULL."""
    rest: str | None = None
    for arg in reversed(args):
        if rest:
            rest = f"({emit_exact(arg).receiver}.is_null() & ({rest}))"
        rest = _any_of((lost(arg, carried), rest))
    return rest


def _lost_in_cast(cast: Cast) -> str | None:
    """A cast that does not fit is NULL by right, unless its target holds every value that the argument should have had."""
    inner, found = cast.arg, lost(cast.arg, carried=False)
    if not inner.type.is_integer or not holds(cast.type, inner.type):
        return found
    value, result = emit_exact(inner), emit_exact(cast)
    if value.text == result.text or _surely_fits(value, cast.type):
        return found
    return _any_of((found, _call(result, (value.text,))))


def _surely_fits(value: Fragment, target: LogicalType) -> bool:
    if target.kind is Kind.DECIMAL:
        whole_digits = target.precision - target.scale
        return len(str(_size(value))) <= whole_digits
    return target.is_text or target.is_float or integers.fits(value, target)


def _lost_in_arithmetic(call: Call, carried: bool) -> str | None:
    inside = [lost(leaf, carried) for leaf in _leaves(call)]
    if not _may_be_lost(call, carried):
        return _any_of(inside)
    own = _call(_settled(call), _leaf_texts(call))
    if _divides(call):
        own = f"({own} & ({emit_exact(call.args[1]).receiver} != 0))"
    return _any_of((own, *inside))


def _narrowed(consumer: Call, arg: Expr) -> str | None:
    """An integer beyond the type of an argument that must be of its type."""
    if takes_wide(consumer) or not arg.type.is_integer:
        return None
    wide = emit_exact(arg)
    return _call(settled(wide, arg.type), (wide.text,)) if narrowable(wide, arg.type) else None


def _is_arithmetic(expr: Expr) -> bool:
    if not isinstance(expr, Call) or expr.function not in ARITHMETIC:
        return False
    return expr.type.is_integer or (expr.type.kind is Kind.DECIMAL and expr.function != "round")


def _divides(expr: Expr) -> bool:
    """Division by zero is NULL by right."""
    return isinstance(expr, Call) and expr.function in _BY_ZERO


def _leaves(expr: Expr) -> Iterator[Expr]:
    """What a sum of products is computed from, without constants: they are always there."""
    assert isinstance(expr, Call)
    for arg in expr.args:
        if _is_arithmetic(arg) and not _divides(arg) and not _divides(expr):
            yield from _leaves(arg)
        elif not isinstance(arg, Literal) or arg.value is None:
            yield arg


def _leaf_texts(expr: Expr) -> tuple[str, ...]:
    return tuple(dict.fromkeys(emit_exact(leaf).text for leaf in _leaves(expr)))


def _may_be_lost(expr: Expr, carried: bool) -> bool:
    """Whether one of the operators that make up ``expr`` may give a number that Polars cannot hold."""
    if not _is_arithmetic(expr):
        return False
    assert isinstance(expr, Call)
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
