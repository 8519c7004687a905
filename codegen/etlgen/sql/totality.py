"""Makes a dataset query total: where DuckDB would raise or give NaN or infinity, the value is NULL (semantics, section 5).

The rewritten text is what runs. Types of CAST become the cast table's, the clock becomes the run's.
"""

from __future__ import annotations

from sqlglot import exp

from etlgen.plan import Schema
from etlgen.spelling import find_column
from etlgen.sql.row_parts import is_row_wise

CLOCK_VARIABLE = "as_of"
"""The DuckDB variable that holds the run's start, an instant."""

_DOUBLES = frozenset({"sqrt", "ln", "log", "log10", "log2", "exp", "power", "pow"})
_RAISING = frozenset({"make_date", "make_timestamp", "repeat", "lpad", "rpad"})
_CLOCKS = frozenset({"now", "get_current_timestamp", "transaction_timestamp", "current_timestamp"})
_DATES = frozenset({"today", "current_date"})
_WIDE: dict[exp.DType, exp.DType] = {exp.DType.INT: exp.DType.BIGINT, exp.DType.FLOAT: exp.DType.DOUBLE}
_EXACT = (exp.Add, exp.Sub, exp.Mul)
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def totalized(query: exp.Query, source: Schema) -> exp.Query:
    """A copy of ``query`` in which no value raises.

    Double functions of NaN or infinity are NULL too here; elsewhere only those of finite arguments are.
    """
    done = query.copy()
    for node in reversed(list(done.walk())):  # children before parents
        total = _total(node, source)
        if total is not node:
            node.replace(total)
    return done


def _total(node: exp.Expr, source: Schema) -> exp.Expr:
    match node:
        case exp.Div() | exp.IntDiv() | exp.Mod():
            node.set("expression", _nonzero(node.expression))
            return node
        case exp.TryCast() | exp.Cast():
            return _table_cast(node)
        case exp.CurrentTimestamp():
            return _clock()
        case exp.CurrentDate():
            return _clock_date()
        case exp.Pow():
            return _finite(node)
        case exp.Anonymous():
            return _function(node)
        case exp.Add() | exp.Sub() | exp.Mul() if not isinstance(node.parent, _EXACT) and _may_overflow(node, source):
            return _try(node)
        case _:
            return node


def _function(node: exp.Anonymous) -> exp.Expr:
    name = str(node.this).lower()
    if name in _CLOCKS:
        return _clock()
    if name in _DATES:
        return _clock_date()
    if name == "strptime":
        return _call("try_strptime", *node.expressions)
    if name in ("mod", "divide") and len(node.expressions) == 2:
        return _call(name, node.expressions[0], _nonzero(node.expressions[1]))
    if name in _DOUBLES:
        return _finite(node)
    return _try(node) if name in _RAISING and is_row_wise(node) else node


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def _nonzero(divisor: exp.Expr) -> exp.Expr:
    if isinstance(divisor, exp.Literal) and not divisor.is_string and float(divisor.this) != 0:
        return divisor.copy()
    return _call("nullif", divisor, exp.Literal.number(0))


def _table_cast(node: exp.Cast) -> exp.Expr:
    """TRY_CAST to the type that the cast table means: `INT` has 64 bits, a bare DECIMAL is (38, 9)."""
    to = node.to
    if to.this is exp.DType.DECIMAL and not to.expressions:
        to = exp.DataType.build("DECIMAL(38, 9)")
    elif to.this in _WIDE:
        to = exp.DataType(this=_WIDE[to.this])
    return exp.TryCast(this=node.this.copy(), to=to.copy(), safe=True)


def _clock() -> exp.Expr:
    return _call("getvariable", exp.Literal.string(CLOCK_VARIABLE))


def _clock_date() -> exp.Expr:
    return exp.Cast(this=_clock(), to=exp.DataType(this=exp.DType.DATE))


def _finite(node: exp.Expr) -> exp.Expr:
    found = node.copy()
    for word in _NOT_FINITE:
        limit = exp.Cast(this=exp.Literal.string(word), to=exp.DataType(this=exp.DType.DOUBLE))
        found = _call("nullif", found, limit)
    return found


def _try(node: exp.Expr) -> exp.Expr:
    return _call("try", node)


def _may_overflow(node: exp.Expr, source: Schema) -> bool:
    """Integer or decimal arithmetic on columns, in one row: TRY takes no aggregates, whose sums are wide."""
    columns = [part for part in node.walk() if isinstance(part, exp.Column)]
    if not columns or not is_row_wise(node) or node.find(exp.Interval, exp.Div) is not None:
        return False
    return not any(_is_double_or_moment(column.name, source) for column in columns)


def _is_double_or_moment(name: str, source: Schema) -> bool:
    column = source.get(find_column(name, source.names) or "")
    return column is not None and (column.type.is_float or column.type.is_temporal)
