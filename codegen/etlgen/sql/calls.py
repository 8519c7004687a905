"""Function calls: the allow-list, and the few functions that are written in terms of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from etlgen.expr import Call, Case, Expr, Literal
from etlgen.sql import problems
from etlgen.sql.aggregates import AGGREGATES, OTHER_AGGREGATES, WINDOW_FUNCTIONS
from etlgen.sql.arguments import arguments
from etlgen.sql.functions import BY_NAME, BY_SPELLING, Function
from etlgen.sql.moments import interval_literal
from etlgen.sql.operands import Agreement, agreed
from etlgen.sql.operators import arithmetic, call
from etlgen.sql.refusals import NON_DETERMINISTIC, UNSAFE
from etlgen.sql.regular_expressions import regexp_call, whole_text_match
from etlgen.sql.resolver import Handler, Resolver
from etlgen.sql.units import PART_FUNCTIONS, unknown_letter
from etlgen_runtime.types import BOOLEAN, Kind

KNOWN_FUNCTIONS = frozenset({*BY_SPELLING, "if"})
"""Lower-case names of every function that may be written."""


def _anonymous(resolver: Resolver, node: exp.Expr) -> Expr:
    written = str(node.this)
    name = written.lower()
    _check_allowed(resolver, node, written, name)
    nodes = list(node.expressions)
    for argument in nodes:
        _check_plain(resolver, argument)
    if name in PART_FUNCTIONS:
        nodes.insert(0, exp.Literal.string(PART_FUNCTIONS[name]))
        return function_call(resolver, node, BY_NAME["date_part"], written, nodes, implied=1)
    return function_call(resolver, node, BY_SPELLING[name], written, nodes)


def _check_allowed(resolver: Resolver, node: exp.Expr, written: str, name: str) -> None:
    at = resolver.source.name_of(node, written)
    if name in UNSAFE:
        reason = "it reaches files, settings or the catalog, or runs SQL made at run time"
        resolver.reject(problems.refused(f"function `{written}`", reason, at))
    if name in NON_DETERMINISTIC:
        resolver.reject(problems.not_deterministic(written, NON_DETERMINISTIC[name], at))
    if name in AGGREGATES | OTHER_AGGREGATES | WINDOW_FUNCTIONS:
        resolver.reject(problems.many_rows_function(written, at))
    if name not in KNOWN_FUNCTIONS:
        resolver.reject(problems.unsupported_function(written, sorted(KNOWN_FUNCTIONS), at))


def _check_plain(resolver: Resolver, argument: exp.Expr) -> None:
    """Arguments are values: no DISTINCT, ORDER BY, `*`, names (`a := 1`) or lambdas."""
    if isinstance(argument, exp.Distinct | exp.Order | exp.Star | exp.PropertyEQ | exp.Kwarg | exp.Lambda):
        what = f"`{argument.sql('duckdb')}` as an argument"
        resolver.reject(problems.unsupported_syntax(what, resolver.at(argument)))


def function_call(
    resolver: Resolver,
    node: exp.Expr,
    function: Function,
    written: str,
    nodes: Sequence[exp.Expr],
    *,
    implied: int = 0,
) -> Expr:
    """One call of the table, its arguments counted, converted and typed. ``implied`` leading ones were not written."""
    most = function.most_arguments
    if len(nodes) < function.least_arguments or (most is not None and len(nodes) > most):
        at = resolver.source.name_of(node, written)
        resolver.reject(problems.wrong_argument_count(function, written, len(nodes) - implied, at))
    special = _SPECIAL.get(function.name)
    if special is not None:
        return special(resolver, node, function, written, nodes)
    return call(resolver, node, function.name, arguments(resolver, function, written, nodes))


# --- functions with a rule of their own -------------------------------------------------------------------------------


def _number_operator(sign: str) -> Special:
    def resolve(
        resolver: Resolver, node: exp.Expr, function: Function, written: str, nodes: Sequence[exp.Expr]
    ) -> Expr:
        return arithmetic(resolver, node, function.name, sign, tuple(nodes), tuple(resolver.all(nodes)))

    return resolve


def _nullif(resolver: Resolver, node: exp.Expr, function: Function, written: str, nodes: Sequence[exp.Expr]) -> Expr:
    """Keeps the first argument's type; where the comparison needs another type, a CASE says so."""
    value, other = resolver.all(nodes)
    operands = tuple(zip(nodes, (value, other), strict=True))
    left, right = agreed(resolver, operands, Agreement("nullif", comparing=True))
    if left.type == value.type or isinstance(value, Literal):
        return Call("nullif", (left, right), left.type)
    return Case(((Call("eq", (left, right), BOOLEAN), Literal(None, value.type)),), value, value.type)


def _round(resolver: Resolver, node: exp.Expr, function: Function, written: str, nodes: Sequence[exp.Expr]) -> Expr:
    args = arguments(resolver, function, written, nodes)
    if args[0].type.kind is Kind.DECIMAL and len(args) > 1 and not isinstance(args[1], Literal):
        what = f"argument `digits` of `{written}`"
        expected = "a whole number literal, as it decides the type"
        resolver.reject(problems.wrong_literal(what, "not a literal", expected, resolver.at(nodes[1])))
    return call(resolver, node, "round", args)


def _whole_number(
    resolver: Resolver, node: exp.Expr, function: Function, written: str, nodes: Sequence[exp.Expr]
) -> Expr:
    """floor, ceil: of integers doubles, as DuckDB."""
    args = arguments(resolver, function, written, nodes)
    if args[0].type.is_integer:
        args = arguments(resolver, BY_NAME["sqrt"], written, nodes)
    return call(resolver, node, function.name, args)


def _with_format(
    resolver: Resolver, node: exp.Expr, function: Function, written: str, nodes: Sequence[exp.Expr]
) -> Expr:
    args = arguments(resolver, function, written, nodes)
    form = args[1]
    letter = unknown_letter(str(form.value)) if isinstance(form, Literal) else None
    if letter is not None:
        what = f"the format of `{written}`"
        expected = "a format of the letters listed in docs/sql.md"
        resolver.reject(problems.wrong_literal(what, f"with `{letter}`", expected, resolver.at(nodes[1])))
    return call(resolver, node, function.name, args)


def _regexp(resolver: Resolver, node: exp.Expr, function: Function, written: str, nodes: Sequence[exp.Expr]) -> Expr:
    args = arguments(resolver, function, written, nodes)
    return regexp_call(resolver, function, written, nodes, args, whole=written.lower() == "regexp_full_match")


Special = Callable[[Resolver, exp.Expr, Function, str, Sequence[exp.Expr]], Expr]

_SPECIAL: dict[str, Special] = {
    "mod": _number_operator("%"),
    "div": _number_operator("/"),
    "nullif": _nullif,
    "round": _round,
    "floor": _whole_number,
    "ceil": _whole_number,
    "strftime": _with_format,
    "strptime": _with_format,
    "regexp_matches": _regexp,
    "regexp_extract": _regexp,
    "regexp_replace": _regexp,
}


# --- calls that the grammar reads as nodes of their own ---------------------------------------------------------------


def _node_call(name: str, *keys: str) -> Handler:
    """A node whose operands ``keys``, as far as present, are the arguments of ``name``."""

    def resolve(resolver: Resolver, node: exp.Expr) -> Expr:
        nodes = [node.args[key] for key in keys if node.args.get(key) is not None]
        return function_call(resolver, node, BY_NAME[name], name, nodes)

    return resolve


def _trim(resolver: Resolver, node: exp.Expr) -> Expr:
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    return _node_call(name, "this", "expression")(resolver, node)


def _like(resolver: Resolver, node: exp.Expr) -> Expr:
    """LIKE and ILIKE, negated or not, with or without ESCAPE."""
    escape: exp.Expr = exp.Literal.string("")
    if isinstance(node, exp.Escape):
        node, escape = node.this, node.expression
    if not isinstance(node, exp.Like | exp.ILike):
        resolver.reject(problems.unsupported_syntax("ESCAPE here", resolver.at(node)))
    name = "ilike" if isinstance(node, exp.ILike) else "like"
    found = function_call(resolver, node, BY_NAME[name], name.upper(), (node.this, node.expression, escape))
    assert isinstance(found, Call)
    if len(str(getattr(found.args[2], "value", ""))) > 1:
        at = resolver.at(escape)
        resolver.reject(problems.wrong_literal("the ESCAPE", f"`{escape.name}`", "one character or none", at))
    return Call("not", (found,), BOOLEAN) if node.args.get("negate") else found


def _many_rows(resolver: Resolver, node: exp.Expr) -> Expr:
    function = node
    while isinstance(function, exp.Window | exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        function = function.this
    resolver.reject(problems.many_rows_function(function.name or function.sql("duckdb"), resolver.at(function)))


HANDLERS: dict[type[exp.Expr], Handler] = {
    exp.Anonymous: _anonymous,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _like,
    exp.Pow: _node_call("power", "this", "expression"),
    exp.Abs: _node_call("abs", "this"),
    exp.StartsWith: _node_call("starts_with", "this", "expression"),
    exp.Substring: _node_call("substring", "this", "start", "length"),
    exp.StrPosition: _node_call("position", "this", "substr"),
    exp.Extract: _node_call("date_part", "this", "expression"),
    exp.Trim: _trim,
    exp.RegexpLike: _node_call("regexp_matches", "this", "expression"),
    exp.SimilarTo: whole_text_match,
    exp.CurrentDate: _node_call("current_date"),
    exp.CurrentTimestamp: _node_call("current_timestamp"),
    exp.Window: _many_rows,
    exp.Filter: _many_rows,
    exp.WithinGroup: _many_rows,
    exp.Interval: interval_literal,
}
