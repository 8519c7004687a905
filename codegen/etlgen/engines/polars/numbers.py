"""Numbers: which of the arithmetics (integers, decimals, doubles) a function is, and its operands made ready for it."""

from __future__ import annotations

from etlgen.engines.polars import decimals, floats, integers
from etlgen.engines.polars.casts import folded_cast
from etlgen.engines.polars.choice import coalesce
from etlgen.engines.polars.fragments import Binding, Fragment, guarded, typed
from etlgen.engines.polars.literals import expression, is_null, null_fragment
from etlgen.engines.polars.settling import settled
from etlgen.engines.polars.text import literal_integer
from etlgen.expr import Call, Literal
from etlgen_runtime.types import FLOAT64, INT8, INT128, Kind, LogicalType

Integers = tuple[Fragment | None, ...]

_ARITHMETIC = frozenset({"add", "sub", "mul", "intdiv", "mod", "neg", "abs"})
_WHOLE = frozenset({"floor", "ceil"})
MATHS = frozenset({"sqrt", "power", "ln", "log", "log2", "exp"})
WIDE = _ARITHMETIC | _WHOLE | MATHS | {"div", "nearest", "round", "coalesce"}
"""Functions that take their arguments unsettled: wide integers, unguarded doubles."""

_PLAIN = {
    "add": ("+", Binding.SUM),
    "sub": ("-", Binding.SUM),
    "mul": ("*", Binding.PRODUCT),
    "mod": ("%", Binding.PRODUCT),
    "intdiv": ("//", Binding.PRODUCT),
    "div": ("/", Binding.PRODUCT),
}


def _of_unknown_type(call: Call, args: tuple[Fragment, ...]) -> Fragment:
    """A number of a link whose schema is not declared: Polars' own arithmetic on whatever it is."""
    if call.function == "coalesce":
        return typed(f"pl.coalesce({', '.join(expression(arg).text for arg in args)})", call.type)
    if call.function in _PLAIN and len(args) == 2:
        symbol, binding = _PLAIN[call.function]
        left, right = expression(args[0]), args[1]
        return typed(f"{left.at(binding)} {symbol} {right.above(binding)}", call.type, binding=binding)
    name = {"nearest": "cast(pl.Float64)", "ln": "log()"}.get(call.function, f"{call.function}()")
    return typed(f"{expression(args[0]).receiver}.{name}", call.type)


def number_call(call: Call, args: tuple[Fragment, ...], integers_of: Integers) -> Fragment:
    """A function of :data:`WIDE`; ``integers_of`` gives the operands that are integers made doubles."""
    name, of = call.function, call.type
    if Kind.UNKNOWN in {of.kind, *(arg.type.kind for arg in args)}:
        return _of_unknown_type(call, args)
    if name == "round" and any(map(is_null, call.args[1:])):
        return null_fragment(of)
    if any(arg.type.kind is Kind.NULL for arg in args) and name != "coalesce":
        return null_fragment(of)
    if name == "coalesce":
        return coalesce(tuple(guarded(arg) for arg in args), of)
    if name == "nearest":
        folded = folded_cast(call.args[0], of) if isinstance(call.args[0], Literal) else None
        return folded if folded is not None else floats.nearest(settled(args[0], call.args[0].type), of)
    if name in MATHS:
        return floats.maths_call(name, args)
    if name in _WHOLE or name == "round":
        return _rounded(call, args[0])
    if of.is_float:
        return floats.float_call(name, _float_operands(call, args, integers_of), of)
    if of.kind is Kind.DECIMAL:
        return decimals.decimal_call(name, args)
    return integers.integer_call(name, args)


def _float_operands(call: Call, args: tuple[Fragment, ...], integers_of: Integers) -> tuple[Fragment, ...]:
    """Operands of float arithmetic; integers beside a double column stand without a cast, decimals are made doubles."""
    if call.function == "div":
        pairs = zip(args, integers_of, strict=True)
        args = tuple(arg if integer is None else _counted(integer) for arg, integer in pairs)
        return tuple(arg if arg.type.is_float or arg.type.is_integer else _as_double(arg, FLOAT64) for arg in args)
    if call.function in ("add", "sub", "mul") and call.type == FLOAT64:
        left, right = integers_of
        if left is not None and right is None and args[1].type == FLOAT64 and not args[1].bare:
            return _counted(left), args[1]
        if right is not None and left is None and args[0].type == FLOAT64 and not args[0].bare:
            return args[0], _counted(right)
    return tuple(arg if arg.type.is_float else _as_double(arg, call.type) for arg in args)


def _as_double(value: Fragment, of: LogicalType) -> Fragment:
    return floats.nearest(decimals.scaled(value), of)


def _counted(integer: Fragment) -> Fragment:
    """An integer as an operand of doubles, with its magnitude."""
    return Fragment(integer.text, integer.binding, integer.type, limit=floats.magnitude(integer))


def _rounded(call: Call, value: Fragment) -> Fragment:
    name = call.function
    digits = (literal_integer(call, 1) or 0) if name == "round" else 0
    if call.type.kind is Kind.DECIMAL:
        value = decimals.scaled(value)
        return decimals.round_call(value, digits) if name == "round" else decimals.whole_call(name, value)
    if value.type.is_integer:
        return value if digits >= 0 else _rounded_integer(value, digits)
    if name == "round":
        return floats.round_call(value, digits)
    return floats.float_call(name, (value,), call.type)


def _rounded_integer(value: Fragment, digits: int) -> Fragment:
    unit = 10 ** min(-digits, 39)
    text = f"fn.round_integer({expression(value).text}, {digits})"
    low, high = value.low - unit, value.high + unit
    rounded = integers.typed_integer(text, INT128, (low, high))
    return rounded if integers.fits(rounded, INT128) else integers.partial_integer(text)


def sign_call(value: Fragment) -> Fragment:
    """``sign``: -1, 0 or 1; of NaN 0."""
    sign = f"{expression(value).receiver}.sign()"
    if value.type.is_float:
        sign += ".fill_nan(0)"
    return integers.typed_integer(f"{sign}.cast(pl.Int8)", INT8, (-1, 1))
