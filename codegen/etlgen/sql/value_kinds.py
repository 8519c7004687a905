"""What kind of value a dataset rule gives, as far as its text shows: bounds want a number, no bounds a boolean."""

from __future__ import annotations

from typing import Literal as OneOf

from sqlglot import exp

from etlgen.expr import Literal
from etlgen.plan import Schema
from etlgen.spelling import find_column
from etlgen.sql.aggregates import AGGREGATES, WINDOW_FUNCTIONS
from etlgen.sql.functions import BY_SPELLING
from etlgen.sql.sql_types import cast_target
from etlgen_runtime.types import BOOLEAN, INT64, STRING, LogicalType

ValueKind = OneOf["boolean", "numeric", "text", "moment", "unknown"]

_BOOLEAN_NODES = (
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.And,
    exp.Or,
    exp.Not,
    exp.Is,
    exp.In,
    exp.Between,
    exp.Like,
    exp.ILike,
    exp.Escape,
    exp.RegexpLike,
    exp.SimilarTo,
    exp.StartsWith,
    exp.Exists,
    exp.Boolean,
)
_NUMERIC_NODES = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Abs, exp.StrPosition, exp.Extract)
_TEXT_NODES = (exp.DPipe, exp.Trim, exp.Substring)
_BOOLEAN_AGGREGATES = frozenset({"bool_and", "bool_or"})
_TEXT_AGGREGATES = frozenset({"string_agg", "group_concat", "listagg"})
_ARGUMENT_FUNCTIONS = frozenset(
    {"min", "max", "lag", "lead", "first_value", "last_value", "nth_value", "quantile", "quantile_disc"}
    | {"coalesce", "ifnull", "nullif", "greatest", "least"}
)
"""Functions whose value is one of their arguments'."""


def value_kind(query: exp.Query, source: Schema) -> ValueKind:
    """The kind of the single column of ``query``."""
    selects = query.selects
    return kind_of(selects[0], source) if len(selects) == 1 else "unknown"


def kind_of(node: exp.Expr, source: Schema) -> ValueKind:
    """The kind of one expression.

    Args:
        source: Columns of known type.
    """
    match node:
        case exp.Alias() | exp.Paren() | exp.Filter() | exp.Window() | exp.Neg():
            return kind_of(node.this, source)
        case exp.Subquery():
            inner = node.unnest()
            return value_kind(inner, source) if isinstance(inner, exp.Query) else "unknown"
        case exp.Literal():
            return "text" if node.is_string else "numeric"
        case exp.Column():
            column = source.get(find_column(node.name, source.names) or "")
            return _of_type(column.type) if column is not None and node.find_ancestor(exp.CTE) is None else "unknown"
        case exp.Cast():
            target = cast_target(node.to)
            return _of_type(target) if target is not None else "unknown"
        case exp.Case():
            return _first_known(
                [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")], source
            )
        case exp.If():
            return _first_known([node.args["true"], node.args.get("false")], source)
        case exp.Add() | exp.Sub():
            return _sum(node, source)
        case exp.Anonymous():
            return _function(node, source)
        case exp.CurrentDate() | exp.CurrentTimestamp():
            return "moment"
        case _:
            return _of_node(node)


def _of_node(node: exp.Expr) -> ValueKind:
    if isinstance(node, _BOOLEAN_NODES):
        return "boolean"
    if isinstance(node, _NUMERIC_NODES):
        return "numeric"
    return "text" if isinstance(node, _TEXT_NODES) else "unknown"


def _sum(node: exp.Expr, source: Schema) -> ValueKind:
    if _moves_a_moment(node, source):
        return "moment"
    sides = {kind_of(node.this, source), kind_of(node.expression, source)}
    return "numeric" if sides == {"numeric"} else "unknown"


def _moves_a_moment(node: exp.Expr, source: Schema) -> bool:
    """Whether a sum is a date or timestamp and an interval, or a date and whole days."""
    sides = (node.this, node.expression)
    by = [side for side in sides if isinstance(side.unnest(), exp.Interval) or kind_of(side, source) == "numeric"]
    return len(by) == 1 and any(kind_of(side, source) == "moment" for side in sides if side is not by[0])


def _first_known(nodes: list[exp.Expr | None], source: Schema) -> ValueKind:
    for node in nodes:
        kind: ValueKind = "unknown" if node is None else kind_of(node, source)
        if kind != "unknown":
            return kind
    return "unknown"


def _function(node: exp.Anonymous, source: Schema) -> ValueKind:
    name = str(node.this).lower()
    arguments = list(node.expressions)
    if name in _ARGUMENT_FUNCTIONS:
        return _first_known(arguments[:1], source)
    if name in _BOOLEAN_AGGREGATES:
        return "boolean"
    if name in _TEXT_AGGREGATES:
        return "text"
    if name in ("median", "quantile_cont"):  # of dates a timestamp
        return "numeric" if _first_known(arguments[:1], source) == "numeric" else "unknown"
    if name in AGGREGATES | WINDOW_FUNCTIONS:
        return "numeric"
    function = BY_SPELLING.get(name)
    if function is None or name == "if":
        return "unknown"
    return _of_type(function.result(tuple(Literal(None, INT64) for _ in range(max(2, len(function.parameters))))))


def _of_type(type_: LogicalType) -> ValueKind:
    if type_ == BOOLEAN:
        return "boolean"
    if type_.is_numeric:
        return "numeric"
    if type_.is_temporal:
        return "moment"
    return "text" if type_ == STRING else "unknown"
