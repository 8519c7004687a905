"""Functions that SQL has no word for: what lowering makes of ``trim`` and ``date_diff`` (transformations)."""

from __future__ import annotations

from etlgen.engines.polars.fragments import Fragment, typed
from etlgen.engines.polars.literals import expression
from etlgen.expr import Call, Literal
from etlgen_runtime.types import INT128, STRING, TIMESTAMP

LOWERED = frozenset({"trim_whitespace", "read_date_text", "unscaled_sum", "wide_integer", "wide_decimal"})

BEYOND_38_DIGITS = 39
"""Digits of a decimal sum, which may not fit the type."""

_SIDES = {"both": "strip_chars", "left": "strip_chars_start", "right": "strip_chars_end"}


def lowered_call(call: Call, args: tuple[Fragment, ...]) -> Fragment:
    """``trim_whitespace(text, side)``; ``read_date_text(text)``: ISO or compact ``YYYYMMDD`` text as a timestamp;
    ``unscaled_sum(column)``: a decimal sum as ``fn.total_unscaled`` left it; ``wide_integer(column)``: an integer of 128 bits
    that may be beyond its type; ``wide_decimal(column)``: a decimal of 38 digits that may be beyond its type.

    Source: semantics, section 5 (the ``trim`` operation); transformations, ``date_diff``.
    """
    value = expression(args[0])
    if call.function == "unscaled_sum":
        return Fragment(value.text, value.binding, call.type, digits=BEYOND_38_DIGITS, unscaled=True)
    if call.function == "wide_integer":
        return typed(value.text, INT128)
    if call.function == "wide_decimal":
        return value
    if call.function == "read_date_text":
        return typed(f"fn.read_date_text({value.text})", TIMESTAMP)
    side = call.args[1].value if isinstance(call.args[1], Literal) else "both"
    return typed(f"{value.receiver}.str.{_SIDES[str(side)]}(WHITESPACE)", STRING)
