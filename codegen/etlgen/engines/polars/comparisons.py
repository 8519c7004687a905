"""Comparison and boolean logic. Polars agrees with DuckDB here: NaN equals NaN and is greatest, text by code point."""

from __future__ import annotations

from dataclasses import replace

from etlgen.engines.polars.fragments import Binding, Fragment, typed
from etlgen.engines.polars.literals import expression
from etlgen_runtime.types import BOOLEAN, INTEGER_RANGES, Kind, LogicalType

COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_CONNECTIVES = {"and": ("&", Binding.AND), "or": ("|", Binding.OR)}
_FEW_TEXTS = 8
_BARE_KINDS = frozenset(
    {Kind.STRING, Kind.UUID, Kind.JSON, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ, Kind.FLOAT64}
) | frozenset(INTEGER_RANGES)


def predicate(text: str, binding: Binding = Binding.ATOM) -> Fragment:
    """A boolean fragment."""
    return typed(text, BOOLEAN, binding=binding)


def operand(fragment: Fragment) -> Fragment:
    """A constant stays bare beside a column where Polars cannot take it for another type."""
    return fragment if not fragment.bare or fragment.type.kind in _BARE_KINDS else expression(fragment)


def comparison(function: str, left: Fragment, right: Fragment) -> Fragment:
    """``a < b`` and its kind; a constant stands on the right."""
    if left.bare and not right.bare:
        function, left, right = _MIRRORED[function], right, left
    if left.type.kind is Kind.BOOLEAN and right.bare and function in ("eq", "ne"):
        wanted = (right.text == "True") == (function == "eq")
        return left if wanted else negation(left)
    left, right = expression(left), operand(right)
    text = f"{left.above(Binding.AND)} {COMPARISONS[function]} {right.above(Binding.AND)}"
    return predicate(text, Binding.COMPARISON)


def missing_comparison(function: str, left: Fragment, right: Fragment) -> Fragment:
    """IS [NOT] DISTINCT FROM."""
    if left.bare and not right.bare:
        left, right = right, left
    name = "ne_missing" if function == "distinct_from" else "eq_missing"
    return predicate(f"{expression(left).receiver}.{name}({operand(right).text})")


def membership(value: Fragment, items: tuple[Fragment, ...]) -> Fragment:
    """``a IN (...)``: ``one_of`` for few texts, ``is_in`` for other constants that Polars takes as the column's type, else a
    chain of ``==``.
    """
    constants = [item for item in items if item.bare and _is_listable(item, value)]
    if len(constants) == len(items):
        listed = ", ".join(item.text for item in constants)
        if len(items) <= _FEW_TEXTS and all(part.type.kind is Kind.STRING for part in (value, *items)):
            return predicate(f"fn.one_of({expression(value).text}, {listed})")
        return predicate(f"{expression(value).receiver}.is_in([{listed}])")
    tests = [comparison("eq", value, item) for item in items]
    return connective("or", tuple(tests)) if len(tests) > 1 else tests[0]


def _is_listable(item: Fragment, value: Fragment) -> bool:
    if value.bare or item.type.kind not in _BARE_KINDS:
        return False
    if value.type.is_integer:
        low, high = INTEGER_RANGES[value.type.kind]
        return low <= item.low <= high and abs(item.low) < 2**63
    return item.type.kind is not Kind.DECIMAL and "nan" not in item.text if item.type.is_numeric else True


def between(value: Fragment, low: Fragment, high: Fragment) -> Fragment:
    """``a BETWEEN constant AND constant``; ``is_between`` would take bare text for the name of a column."""
    least, most = (expression(bound) if bound.type.is_text else operand(bound) for bound in (low, high))
    return predicate(f"{value.receiver}.is_between({least.text}, {most.text})")


def connective(function: str, args: tuple[Fragment, ...]) -> Fragment:
    """AND, OR: three-valued, as Polars'."""
    symbol, binding = _CONNECTIVES[function]
    return predicate(f" {symbol} ".join(expression(arg).at(binding) for arg in args), binding)


def negation(value: Fragment) -> Fragment:
    """NOT, folded into what has its own negation."""
    value = expression(value)
    if value.text.startswith("~") and value.binding is Binding.UNARY:
        return predicate(value.text[1:])
    if value.text.endswith(".is_null()") and value.binding is Binding.ATOM:
        return replace(value, text=f"{value.text.removesuffix('.is_null()')}.is_not_null()")
    return predicate(f"~{value.at(Binding.UNARY)}", Binding.UNARY)


def truth(function: str, value: Fragment) -> Fragment:
    """IS TRUE, IS FALSE."""
    value = expression(value)
    tested = value if function == "is_true" else negation(value)
    return predicate(f"{tested.receiver}.fill_null(False)")


def nullness(function: str, value: Fragment) -> Fragment:
    """IS NULL, IS NOT NULL."""
    return predicate(f"{expression(value).receiver}.{function}()")


def comparable(of: LogicalType) -> bool:
    """Whether constants of this type may stand bare in a list or range."""
    return of.kind in _BARE_KINDS
