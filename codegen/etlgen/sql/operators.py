"""What sqlglot's operator nodes mean: names, literals, comparison, logic, arithmetic, CASE, CAST."""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from etlgen.expr import Call, Case, Cast, Expr, Literal
from etlgen.sql import problems
from etlgen.sql.conversion import converted, converted_literal, is_flexible, is_text_literal
from etlgen.sql.functions import BY_NAME
from etlgen.sql.moments import is_moment, moment_arithmetic
from etlgen.sql.operands import Agreement, agreed, numbers
from etlgen.sql.resolver import Handler, Resolver
from etlgen.sql.result_types import MAX_PRECISION, literal_number_type, unified
from etlgen.sql.sql_types import cast_target
from etlgen_runtime.casts import is_castable
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT128, INTEGER_RANGES, NULL, STRING, Kind

_INEXACT = frozenset({"exp", "ln", "power", "log", "log2"})


def call(resolver: Resolver, node: exp.Expr, name: str, args: tuple[Expr, ...]) -> Expr:
    """``name`` on converted arguments, with the type of the table; TYP-008 when a product has too many decimals."""
    result = BY_NAME[name].result(args)
    if result.kind is Kind.DECIMAL and result.scale > MAX_PRECISION:
        resolver.reject(problems.too_many_decimals(result.scale, resolver.at(node)))
    return Call(name, args, result)


# --- names and literals -----------------------------------------------------------------------------------------------


def _column(resolver: Resolver, node: exp.Expr) -> Expr:
    name, table = node.this, node.args.get("table")
    if not isinstance(name, exp.Identifier):
        resolver.reject(problems.unsupported_syntax("`*`", resolver.at(node), help="name one column"))
    written = str(table.name) if table is not None else ""
    if node.args.get("db") is not None or (written and not resolver.is_source(written)):
        known = resolver.schema.get(written) is not None
        help_ = "a column holds one value here: its parts cannot be named" if known else ""
        if known:
            resolver.reject(problems.unsupported_syntax(f"a part of `{written}`", resolver.at(node), help=help_))
        resolver.reject(problems.unknown_table(written, ("source",), resolver.at(node)))
    return resolver.column(name.name, resolver.at(name), quoted=bool(name.args.get("quoted")))


def _literal(resolver: Resolver, node: exp.Expr) -> Expr:
    text = str(node.this)
    if node.args.get("is_string"):
        return Literal(text, STRING)
    if "e" in text.lower():
        return _double(resolver, node, text)
    if "." in text:
        number = Decimal(text)
        type_ = literal_number_type(number)
        return Literal(number, type_) if type_.precision <= MAX_PRECISION else _double(resolver, node, text)
    whole = int(text)
    if whole > INTEGER_RANGES[INT128.kind][1]:
        return _double(resolver, node, text)
    return Literal(whole, literal_number_type(whole))


def _double(resolver: Resolver, node: exp.Expr, text: str) -> Expr:
    value = float(text)
    if value == float("inf"):
        resolver.reject(problems.unfit_literal(text, str(FLOAT64), resolver.at(node)))
    return Literal(value, FLOAT64)


def _text(resolver: Resolver, node: exp.Expr) -> Expr:
    return Literal(str(node.this), STRING)


def _boolean_literal(resolver: Resolver, node: exp.Expr) -> Expr:
    return Literal(bool(node.this), BOOLEAN)


def _null(resolver: Resolver, node: exp.Expr) -> Expr:
    return Literal(None, NULL)


def _parentheses(resolver: Resolver, node: exp.Expr) -> Expr:
    return resolver.expr(node.this)


# --- comparison -------------------------------------------------------------------------------------------------------

_COMPARISONS: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("eq", "="),
    exp.NEQ: ("ne", "<>"),
    exp.LT: ("lt", "<"),
    exp.LTE: ("le", "<="),
    exp.GT: ("gt", ">"),
    exp.GTE: ("ge", ">="),
    exp.NullSafeEQ: ("not_distinct_from", "IS NOT DISTINCT FROM"),
    exp.NullSafeNEQ: ("distinct_from", "IS DISTINCT FROM"),
}


def _comparison(resolver: Resolver, node: exp.Expr) -> Expr:
    name, sign = _COMPARISONS[type(node)]
    nodes = (node.this, node.expression)
    exprs = resolver.all(nodes)
    if name not in ("not_distinct_from", "distinct_from"):
        _warn_of_null(resolver, node, sign)
    if name in ("eq", "ne"):
        for expr in exprs:
            if isinstance(expr, Call) and expr.function in _INEXACT:
                resolver.warn(problems.inexact_equality(expr.function, resolver.at(node)))
    args = agreed(resolver, tuple(zip(nodes, exprs, strict=True)), Agreement(sign, comparing=True))
    return Call(name, args, BOOLEAN)


def _warn_of_null(resolver: Resolver, node: exp.Expr, sign: str) -> None:
    """SQL-020 where one side is the word NULL."""
    left, right = node.this, node.expression
    for side, other in ((left, right), (right, left)):
        if isinstance(side.unnest(), exp.Null) and not isinstance(other.unnest(), exp.Null):
            resolver.warn(problems.comparison_with_null(sign, other.sql("duckdb"), resolver.at(node)))


def _between(resolver: Resolver, node: exp.Expr) -> Expr:
    if node.args.get("symmetric"):
        resolver.reject(problems.unsupported_syntax("BETWEEN SYMMETRIC", resolver.at(node)))
    nodes = (node.this, node.args["low"], node.args["high"])
    value, low, high = resolver.all(nodes)
    for bound in nodes[1:]:
        if isinstance(bound.unnest(), exp.Null):
            resolver.warn(problems.comparison_with_null("BETWEEN", node.this.sql("duckdb"), resolver.at(node)))
    agreement = Agreement("BETWEEN", comparing=True)
    above = agreed(resolver, ((nodes[0], value), (nodes[1], low)), agreement)
    below = agreed(resolver, ((nodes[0], value), (nodes[2], high)), agreement)
    return Call("and", (Call("ge", above, BOOLEAN), Call("le", below, BOOLEAN)), BOOLEAN)


def _in(resolver: Resolver, node: exp.Expr) -> Expr:
    if node.args.get("query") is not None:
        resolver.reject(problems.subquery(resolver.at(node)))
    items = node.expressions
    if not items:
        resolver.reject(problems.unsupported_syntax("IN without a list", resolver.at(node), help="write `x IN (a, b)`"))
    nodes = (node.this, *items)
    if any(isinstance(item.unnest(), exp.Null) for item in items):
        negated = isinstance(node.parent, exp.Not)
        resolver.warn(problems.null_in_list(node.this.sql("duckdb"), negated, resolver.at(node)))
    operands = tuple(zip(nodes, resolver.all(nodes), strict=True))
    return Call("in", agreed(resolver, operands, Agreement("IN", comparing=True)), BOOLEAN)


def _is(resolver: Resolver, node: exp.Expr) -> Expr:
    asked = node.expression
    value = resolver.expr(node.this)
    if isinstance(asked, exp.Null):
        return Call("is_null", (value,), BOOLEAN)
    if isinstance(asked, exp.Boolean):
        value = resolver.boolean(node.this, value, "the value before IS")
        return Call("is_true" if asked.this else "is_false", (value,), BOOLEAN)
    return resolver.reject(problems.unsupported_syntax("this form of IS", resolver.at(node)))


# --- logic ------------------------------------------------------------------------------------------------------------


def _connector(resolver: Resolver, node: exp.Expr) -> Expr:
    name, sign = ("and", "AND") if isinstance(node, exp.And) else ("or", "OR")
    nodes = list(node.flatten())
    exprs = resolver.all(nodes)
    what = f"an operand of {sign}"
    args = (resolver.boolean(part, expr, what) for part, expr in zip(nodes, exprs, strict=True))
    return Call(name, tuple(args), BOOLEAN)


def _not(resolver: Resolver, node: exp.Expr) -> Expr:
    value = resolver.boolean(node.this, resolver.expr(node.this), "the operand of NOT")
    if isinstance(value, Call) and value.function == "is_null":
        return Call("is_not_null", value.args, BOOLEAN)
    return Call("not", (value,), BOOLEAN)


# --- arithmetic -------------------------------------------------------------------------------------------------------

_ARITHMETIC: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Add: ("add", "+"),
    exp.Sub: ("sub", "-"),
    exp.Mul: ("mul", "*"),
    exp.Div: ("div", "/"),
    exp.IntDiv: ("intdiv", "//"),
    exp.Mod: ("mod", "%"),
}


def _arithmetic(resolver: Resolver, node: exp.Expr) -> Expr:
    name, sign = _ARITHMETIC[type(node)]
    nodes = (node.this, node.expression)
    return arithmetic(resolver, node, name, sign, nodes, tuple(resolver.all(nodes)))


def arithmetic(
    resolver: Resolver, node: exp.Expr, name: str, sign: str, nodes: tuple[exp.Expr, ...], exprs: tuple[Expr, ...]
) -> Expr:
    """Arithmetic on numbers, or on dates and intervals."""
    operands = tuple(zip(nodes, exprs, strict=True))
    if any(is_moment(expr) for expr in exprs):
        return moment_arithmetic(resolver, node, sign, operands)
    exact = all(not expr.type.is_float for expr in exprs)
    as_double = name == "div" or (name == "intdiv" and exact and any(expr.type.kind is Kind.DECIMAL for expr in exprs))
    return call(resolver, node, name, numbers(resolver, operands, sign, as_double=as_double))


def _negation(resolver: Resolver, node: exp.Expr) -> Expr:
    value = resolver.expr(node.this)
    if isinstance(value, Literal) and is_flexible(value) and isinstance(value.value, int | float | Decimal):
        negated = -value.value
        type_ = value.type if isinstance(negated, float | Decimal) else literal_number_type(negated)
        return Literal(negated, type_)
    args = numbers(resolver, ((node.this, value),), "-")
    return call(resolver, node, "neg", args)


# --- choice and conversion --------------------------------------------------------------------------------------------


def _case(resolver: Resolver, node: exp.Expr) -> Expr:
    """CASE and IF: the branches get one type; `CASE x WHEN v` compares."""
    subject = node.this if isinstance(node, exp.Case) else None
    branches = node.args["ifs"] if isinstance(node, exp.Case) else [node]
    default = node.args.get("default") if isinstance(node, exp.Case) else node.args.get("false")
    whens = [
        exp.EQ(this=subject, expression=branch.this) if subject is not None else branch.this for branch in branches
    ]
    thens = [branch.args["true"] for branch in branches] + ([default] if default is not None else [])
    exprs = resolver.all((*whens, *thens))
    conditions = [
        resolver.boolean(when, expr, "the condition of WHEN")
        for when, expr in zip(whens, exprs[: len(whens)], strict=True)
    ]
    operands = tuple(zip(thens, exprs[len(whens) :], strict=True))
    values = agreed(resolver, operands, Agreement("CASE", comparing=False))
    type_ = unified(values)
    fallback = values[-1] if default is not None else Literal(None, type_)
    return Case(tuple(zip(conditions, values, strict=False)), fallback, type_)


def _cast(resolver: Resolver, node: exp.Expr) -> Expr:
    value = resolver.expr(node.this)
    written = node.args["to"]
    target = cast_target(written)
    if target is None:
        name = written.sql("duckdb")
        resolver.reject(problems.unsupported_syntax(f"a cast to `{name}`", resolver.at(node)))
    if value.type == target and not (target.is_integer and isinstance(value, Call | Case)):
        return value  # an integer may be beyond its type on the way: there the cast says something
    if isinstance(value, Literal):
        literal = _cast_literal(value, node, resolver)
        if literal is not None:
            return literal
    if value.type.kind not in (Kind.NULL, Kind.UNKNOWN):
        _check_cast(resolver, node, value)
    return Cast(value, target)


def _cast_literal(value: Literal, node: exp.Expr, resolver: Resolver) -> Expr | None:
    """A text or NULL literal read now (`DATE '2024-01-01'`); numbers stay a cast, so that they keep the type asked for."""
    target = cast_target(node.args["to"])
    assert target is not None
    if value.value is None:
        return Cast(value, target)
    if not is_text_literal(value):
        return None
    literal = converted_literal(value, target)
    if literal is None:
        resolver.warn(problems.unfit_cast(str(value.value), str(target), resolver.at(node)))
        return Cast(value, target)
    return Cast(value, target) if target.is_numeric or target == STRING else literal


def _check_cast(resolver: Resolver, node: exp.Expr, value: Expr) -> None:
    target = cast_target(node.args["to"])
    assert target is not None
    if not is_castable(value.type, target):
        fixes = {
            Kind.BOOLEAN: "write `CASE WHEN x THEN 1 ELSE 0 END`",
            Kind.DATE: "use `date_diff` or `date_part` for a number",
            Kind.TIMESTAMP: "use `date_diff` or `date_part` for a number; an instant needs a zone in the data",
        }
        help_ = fixes.get(value.type.kind, "")
        resolver.reject(problems.hopeless_cast(str(value.type), str(target), resolver.at(node), help_))
    truncated = isinstance(value, Call) and value.function == "date_trunc"
    if target.kind is Kind.DATE and value.type.kind in (Kind.TIMESTAMP, Kind.TIMESTAMP_TZ) and not truncated:
        resolver.warn(problems.lossy_date_cast(str(value.type), resolver.at(node)))


def _query(resolver: Resolver, node: exp.Expr) -> Expr:
    resolver.reject(problems.subquery(resolver.at(node)))


def _concatenation(resolver: Resolver, node: exp.Expr) -> Expr:
    left, right = resolver.all((node.this, node.expression))
    return Call("concat_op", (converted(left, STRING), converted(right, STRING)), STRING)


def _alias(resolver: Resolver, node: exp.Expr) -> Expr:
    fix = "remove the name: the output column is named beside the SQL"
    resolver.reject(problems.unsupported_syntax("a name for the result (AS)", resolver.at(node), help=fix))


HANDLERS: dict[type[exp.Expr], Handler] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.RawString: _text,
    exp.Boolean: _boolean_literal,
    exp.Null: _null,
    exp.Paren: _parentheses,
    **dict.fromkeys(_COMPARISONS, _comparison),
    exp.Between: _between,
    exp.In: _in,
    exp.Is: _is,
    exp.And: _connector,
    exp.Or: _connector,
    exp.Not: _not,
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    exp.Neg: _negation,
    exp.Case: _case,
    exp.If: _case,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.DPipe: _concatenation,
    exp.Query: _query,
    exp.Exists: _query,
    exp.Alias: _alias,
}
