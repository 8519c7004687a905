"""What expressions Polars can say exactly; the build refuses the others with the reason given here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from etlgen.engines.polars.dates import DATES
from etlgen.engines.polars.grouping import AGGREGATES
from etlgen.engines.polars.lowered import LOWERED
from etlgen.engines.protocol import Refusal
from etlgen.expr import Call, Cast, Expr, Literal, children, walk
from etlgen_runtime.types import Kind

SUPPORTED: frozenset[str] = DATES | frozenset(
    [
        "add",
        "sub",
        "mul",
        "div",
        "intdiv",
        "mod",
        "neg",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "distinct_from",
        "not_distinct_from",
        "in",
        "and",
        "or",
        "not",
        "is_true",
        "is_false",
        "is_null",
        "is_not_null",
        "coalesce",
        "nullif",
        "greatest",
        "least",
        "length",
        "lower",
        "upper",
        "trim",
        "ltrim",
        "rtrim",
        "substring",
        "replace",
        "concat",
        "concat_op",
        "split_part",
        "starts_with",
        "ends_with",
        "contains",
        "left",
        "right",
        "lpad",
        "rpad",
        "reverse",
        "position",
        "repeat",
        "like",
        "ilike",
        "regexp_matches",
        "regexp_extract",
        "regexp_replace",
        "abs",
        "round",
        "floor",
        "ceil",
        "sqrt",
        "power",
        "ln",
        "log",
        "log2",
        "exp",
        "sign",
        "nearest",
    ]
)
"""Canonical names of ``etlgen.sql.functions`` that the emitter knows."""

STRPTIME_LETTERS = "YymdHIMSjfgbBaApz%"
"""Letters that ``strptime`` reads; weeks and days of the week (``U V W u w``), zone names and nanoseconds are not read."""

MAX_DEPTH = 200
"""Levels of one expression; Python's parser and Polars' planner recurse over each."""

_CONSTANT_ARGUMENTS = {"round": 1, "regexp_extract": 2, "regexp_replace": 2, "date_add": 1}


def refusals(expr: Expr) -> Iterator[Refusal]:
    """The parts of ``expr`` that Polars cannot say exactly; nothing when it can say all."""
    if _depth(expr) > MAX_DEPTH:
        yield Refusal(expr, f"an expression of more than {MAX_DEPTH} levels is not supported on Polars")
        return
    for node in walk(expr):
        if isinstance(node, Cast) and node.arg.type.kind is Kind.UNKNOWN and node.type.kind is not Kind.UNKNOWN:
            reason = f"a value whose type is not declared cannot be cast to {node.type} on Polars"
            yield Refusal(node.arg, f"{reason}: declare the link's columns")
        if isinstance(node, Call):
            yield from _of_call(node)


def _of_call(node: Call) -> Iterator[Refusal]:
    if node.function not in SUPPORTED | LOWERED | AGGREGATES:
        yield Refusal(node, f"function `{node.function}` is not supported on Polars")
    position = _CONSTANT_ARGUMENTS.get(node.function, len(node.args))
    if position < len(node.args) and not isinstance(node.args[position], Literal):
        reason = f"argument {position + 1} of `{node.function}` must be a constant on Polars"
        yield Refusal(node.args[position], reason)
    if node.function == "strptime":
        yield from (Refusal(node.args[1], reason) for reason in _unread_letters(node.args[1]))


def _depth(expr: Expr) -> int:
    depth = 0
    level: list[Expr] = [expr]
    while level:
        depth, level = depth + 1, [child for node in level for child in children(node)]
    return depth


def _unread_letters(form: Expr) -> Iterator[str]:
    text = form.value if isinstance(form, Literal) and isinstance(form.value, str) else ""
    letters: list[str] = re.findall(r"%-?(.)", text, re.DOTALL)
    for letter in sorted(set(letters) - set(STRPTIME_LETTERS)):
        yield f"`strptime` on Polars does not read `%{letter}`"
    for letter in sorted(letter for letter in set(letters) - {"%"} if letters.count(letter) > 1):
        yield f"`strptime` on Polars reads `%{letter}` once only"
