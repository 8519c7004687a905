"""Calls with a regular expression: the pattern becomes the portable one, its options are folded into it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from etlgen.expr import Call, Expr, Literal
from etlgen.patterns import Pattern, PatternError, parse_pattern, to_rust, whole_text
from etlgen.sql import problems
from etlgen.sql.arguments import arguments
from etlgen.sql.functions import BY_NAME, Function
from etlgen.sql.resolver import Resolver
from etlgen_runtime.types import STRING

_GROUP = re.compile(r"\\(.?)", re.DOTALL)


def regexp_call(
    resolver: Resolver,
    function: Function,
    written: str,
    nodes: Sequence[exp.Expr],
    args: tuple[Expr, ...],
    *,
    whole: bool = False,
) -> Expr:
    """``regexp_*`` with converted arguments.

    Raises:
        Rejected: SQL-009 pattern; SQL-008 options, group number or replacement.
    """
    options_at = {"regexp_matches": 2, "regexp_replace": 3}.get(function.name, len(args))
    options = _options(resolver, function, written, nodes, args, options_at)
    pattern = _pattern(resolver, nodes[1], args[1], "".join(flag for flag in "is" if flag in options))
    text = Literal(to_rust(whole_text(pattern) if whole else pattern), STRING)
    rest = args[2:options_at]
    for argument, node in zip(rest, nodes[2:], strict=False):
        check = _check_group if function.name == "regexp_extract" else _check_replacement
        check(resolver, node, argument, pattern)
    if "g" in options:
        rest = (*rest, Literal("g", STRING))
    return Call(function.name, (args[0], text, *rest), function.result(args))


def whole_text_match(resolver: Resolver, node: exp.Expr) -> Expr:
    """SIMILAR TO: as DuckDB, a regular expression that must match the whole text."""
    nodes = (node.this, node.expression)
    function = BY_NAME["regexp_matches"]
    args = arguments(resolver, function, "SIMILAR TO", nodes)
    return regexp_call(resolver, function, "SIMILAR TO", nodes, args, whole=True)


def _pattern(resolver: Resolver, node: exp.Expr, expr: Expr, flags: str) -> Pattern:
    text = str(expr.value) if isinstance(expr, Literal) else ""
    try:
        return parse_pattern(text, flags)
    except PatternError as error:
        resolver.reject(problems.refused_pattern(text, error, resolver.source.inside_literal(node, error.position)))


def _options(
    resolver: Resolver, function: Function, written: str, nodes: Sequence[exp.Expr], args: tuple[Expr, ...], at: int
) -> str:
    """DuckDB's option letters: `c` and `i` for case, `s` for `.` and line breaks, `g` for all occurrences."""
    if len(args) <= at:
        return ""
    option = args[at]
    letters = str(option.value) if isinstance(option, Literal) else ""
    allowed = "cisg" if function.name == "regexp_replace" else "cis"
    wrong = next((letter for letter in letters if letter not in allowed), None)
    if wrong is not None:
        what, expected = f"the options of `{written}`", f"letters out of {', '.join(allowed)}"
        if wrong == "m":
            expected += "; for line anchors write `(?m)` into the pattern"
        resolver.reject(problems.wrong_literal(what, f"with `{wrong}`", expected, resolver.at(nodes[at])))
    return letters.replace("i", "") if letters.rfind("c") > letters.rfind("i") else letters


def _check_group(resolver: Resolver, node: exp.Expr, expr: Expr, pattern: Pattern) -> None:
    group = expr.value if isinstance(expr, Literal) else 0
    if not isinstance(group, int) or not 0 <= group <= pattern.groups:
        found = f"{node.name}, and the pattern has {pattern.groups}"
        resolver.reject(problems.wrong_literal("the group number", found, "the number of a group", resolver.at(node)))


def _check_replacement(resolver: Resolver, node: exp.Expr, expr: Expr, pattern: Pattern) -> None:
    text = str(expr.value) if isinstance(expr, Literal) else ""
    for found in _GROUP.finditer(text):
        letter = found[1]
        if letter == "\\" or (letter.isascii() and letter.isdigit() and int(letter) <= pattern.groups):
            continue
        expected = r"text with `\0` (the match), `\1` to `\9` (groups that exist) or `\\`"
        what = f"with `{found[0]}`"
        resolver.reject(problems.wrong_literal("the replacement", what, expected, resolver.at(node)))
