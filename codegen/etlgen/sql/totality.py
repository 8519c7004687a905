"""Gives a dataset query the meaning that row expressions have, where DuckDB's own is another (semantics, section 5).

No value raises or leaves the finite numbers: it is NULL. Casts follow the cast table, the clock becomes the run's. The
rewritten text is what runs; the functions ``etlgen_...`` in it are those of ``etlgen_runtime.engines.duckdb.functions``.
"""

from __future__ import annotations

from sqlglot import exp

from etlgen.expr import Literal
from etlgen.plan import Schema
from etlgen.spelling import find_column
from etlgen.sql.conversion import converted_literal
from etlgen.sql.row_parts import is_row_wise
from etlgen.sql.sql_types import cast_target
from etlgen.sql.value_kinds import kind_of
from etlgen_runtime.casts import always_fits, to_text
from etlgen_runtime.types import FLOAT64, STRING, Kind, LogicalType

CLOCK_VARIABLE = "as_of"
"""The DuckDB variable that holds the run's start, an instant."""

_DOUBLES = frozenset({"sqrt", "ln", "log", "log10", "log2", "exp", "power", "pow"})
_RAISING = frozenset({"make_date", "make_timestamp", "repeat", "lpad", "rpad"})
_CLOCKS = frozenset({"now", "get_current_timestamp", "transaction_timestamp", "current_timestamp"})
_DATES = frozenset({"today", "current_date"})
_CASES = {"upper": "etlgen_upper", "ucase": "etlgen_upper", "lower": "etlgen_lower", "lcase": "etlgen_lower"}
_JOINING = frozenset({"string_agg", "group_concat", "listagg"})
_MAKING = frozenset({"make_date", "make_timestamp"})
_COUNTED = frozenset({"left", "right", "substring", "substr"})
_NARROW_COUNT = frozenset({"lpad", "rpad"})
_PASSING = frozenset({"try", "abs", "coalesce", "ifnull", "nullif", "greatest", "least"})
"""Functions whose result is one of their arguments, or its magnitude."""
_WIDE: dict[exp.DType, exp.DType] = {exp.DType.INT: exp.DType.BIGINT, exp.DType.FLOAT: exp.DType.DOUBLE}
_EXACT = (exp.Add, exp.Sub, exp.Mul)
_KIND = "kind"
"""Key of a node's metadata: the kind of its value before it was rewritten."""


def totalized(query: exp.Query, source: Schema) -> exp.Query:
    """A copy of ``query`` that means in DuckDB what its expressions mean on every engine.

    One difference is left: with several tables or queries, where types are not known, double functions and arithmetic of NaN or
    infinity are NULL too.
    """
    done = query.copy()
    rewriter = _Rewriter(source if _reads_source_alone(done) else Schema((), open=True))
    nodes = list(done.walk())
    for node in nodes:
        node.meta[_KIND] = kind_of(node, rewriter.source)
    for node in reversed(nodes):  # children before parents
        total = rewriter.total(node)
        if total is not node:
            total.meta[_KIND] = node.meta[_KIND]
            node.replace(total)
    return done


def _reads_source_alone(query: exp.Query) -> bool:
    """One SELECT over one table: only there a name surely means the column of the source."""
    return sum(1 for _ in query.find_all(exp.Query)) == 1 and sum(1 for _ in query.find_all(exp.Table)) == 1


class _Rewriter:
    """What each node becomes.

    Args:
        source: Columns of known type; without any where names may mean something else.
    """

    def __init__(self, source: Schema) -> None:
        self.source = source

    def total(self, node: exp.Expr) -> exp.Expr:
        """``node`` itself, changed in place, or another one instead."""
        match node:
            case exp.Div():
                node.set("expression", _nonzero(node.expression))
                return self._finite(node) if self._may_be_double(node) else node
            case exp.IntDiv():
                return self._whole_division(node)
            case exp.Mod():
                node.set("expression", _nonzero(node.expression))
                return node
            case exp.TryCast() | exp.Cast():
                return self._table_cast(node)
            case exp.CurrentTimestamp():
                return _clock()
            case exp.CurrentDate():
                return _clock_date()
            case exp.Pow():
                return self._finite(node)
            case exp.DPipe():
                node.set("this", _text(node.this))
                node.set("expression", _text(node.expression))
                return node
            case exp.Anonymous():
                return self._function(node)
            case exp.Substring():
                for part in ("start", "length"):
                    node.set(part, self._count(node.args.get(part)))
                return node
            case exp.Neg() | exp.Abs() if not isinstance(node.this, exp.Literal) and self._may_overflow(node):
                return _try(node)
            case exp.Add() | exp.Sub() if node.meta[_KIND] == "moment":
                return _call("etlgen_moved", _try(node) if is_row_wise(node) else node)
            case exp.Add() | exp.Sub() | exp.Mul() if not isinstance(_around(node), _EXACT):
                return self._sum(node)
            case _:
                return node

    def _sum(self, node: exp.Expr) -> exp.Expr:
        self._widen_decimals(node)
        if self._is_double(node):
            return self._finite(node)
        total = _try(node) if self._may_overflow(node) else node
        unknown = None in self._types(node) and node.find(exp.Interval) is None
        return _call("etlgen_finite_of_any", total) if unknown else total

    def _widen_decimals(self, node: exp.Expr) -> None:
        """DuckDB keeps sums and products of decimals below 19 digits where their operands are; they have 38."""
        for column in list(node.find_all(exp.Column)):
            of = self._type(column)
            if of is not None and of.kind is Kind.DECIMAL and _is_operand(column, node):
                to = exp.DataType.build(f"DECIMAL(38, {of.scale})")
                column.replace(exp.Cast(this=column.copy(), to=to))

    def _function(self, node: exp.Anonymous) -> exp.Expr:
        name, arguments = str(node.this).lower(), list(node.expressions)
        if name in _CLOCKS:
            return _clock()
        if name in _DATES:
            return _clock_date()
        if name in _DOUBLES:
            return self._finite(node)
        if name in ("mod", "divide") and len(arguments) == 2:
            return _call(name, arguments[0], _nonzero(arguments[1]))
        if name in _COUNTED:
            return _call(name, arguments[0], *(self._count(argument) or argument for argument in arguments[1:]))
        if name == "abs":
            return _try(node) if self._may_overflow(node) else node
        return _renamed(node, name, arguments)

    def _count(self, count: exp.Expr | None) -> exp.Expr | None:
        """A number of characters that DuckDB takes: it raises beyond 32 bits."""
        of = None if count is None else self._type(count)
        is_narrow = of is not None and of.kind in (Kind.INT8, Kind.INT16, Kind.INT32)
        if count is None or is_narrow or isinstance(count.this if isinstance(count, exp.Neg) else count, exp.Literal):
            return count
        return _call("etlgen_count", count)

    def _finite(self, node: exp.Expr) -> exp.Expr:
        """NULL for a NaN or infinity, unless a known operand of the row is one."""
        names = dict.fromkeys(column for column in node.find_all(exp.Column) if self._is_float(column))
        if not names or not is_row_wise(node):
            return _call("etlgen_finite", node)
        return _call("etlgen_finite", node, exp.and_(*(_call("isfinite", name) for name in names)))

    def _is_float(self, column: exp.Column) -> bool:
        of = self._type(column)
        return of is not None and of.is_float

    def _whole_division(self, node: exp.IntDiv) -> exp.Expr:
        """DuckDB divides doubles and decimals without truncation; ``trunc`` leaves integers as they are."""
        plain = isinstance(node.expression, exp.Literal)  # the smallest integer by -1 is beyond its type
        node.set("expression", _nonzero(node.expression))
        total: exp.Expr = node if self._is_integer(node) else _call("trunc", node)
        if self._may_be_double(node):
            total = self._finite(total)
        return total if plain or not is_row_wise(node) else _try(total)

    def _table_cast(self, node: exp.Cast) -> exp.Expr:
        """By the cast table: the text of what fits, read by DuckDB; literals now, columns that always fit plainly."""
        target = cast_target(node.to)
        assert target is not None, "casts to other types are refused (etlgen.sql.allowlist)"
        value, to = node.this, _wide_type(node.to, target)
        if isinstance(value, exp.Literal) and value.is_string:
            text = _literal_text(str(value.this), target)
            value = exp.Null() if text is None else exp.Literal.string(text)
            return _of_text(value, to, target)
        before = self._type(value)
        if before is not None and always_fits(before, target):
            return _text(value) if target == STRING else _plain_cast(value, to)
        if target == STRING:
            return _text(value)
        return _of_text(_call("etlgen_cast", value, exp.Literal.string(str(target))), to, target)

    # --- types --------------------------------------------------------------------------------------------------------

    def _type(self, node: exp.Expr) -> LogicalType | None:
        if not isinstance(node, exp.Column):
            return None
        column = self.source.get(find_column(node.name, self.source.names) or "")
        return column.type if column is not None else None

    def _types(self, node: exp.Expr) -> list[LogicalType | None]:
        return [self._type(column) for column in node.find_all(exp.Column)]

    def _is_integer(self, node: exp.Expr) -> bool:
        """Whether every operand is a known integer column or a whole literal."""
        numbers = all("." not in part.name and "e" not in part.name.lower() for part in node.find_all(exp.Literal))
        simple = node.find(exp.Div, exp.Cast, exp.Anonymous, exp.Case, exp.If) is None
        return numbers and simple and all(of is not None and of.is_integer for of in self._types(node))

    def _is_double(self, node: exp.Expr) -> bool:
        """Whether a double is among the operands for sure, and no moment."""
        types = self._types(node)
        if any(of is not None and of.is_temporal for of in types) or node.find(exp.Interval) is not None:
            return False
        cast = any(cast_target(part.to) == FLOAT64 for part in node.find_all(exp.Cast))
        return cast or any(of is not None and of.is_float for of in types) or _has_exponent(node)

    def _may_be_double(self, node: exp.Expr) -> bool:
        return self._is_double(node) or any(of is None for of in self._types(node))

    def _may_overflow(self, node: exp.Expr) -> bool:
        """Integer or decimal arithmetic on columns, in one row: TRY takes no aggregates, whose sums are wide."""
        types = self._types(node)
        if not types or not is_row_wise(node) or node.find(exp.Interval, exp.Div) is not None:
            return False
        return not any(of is not None and (of.is_float or of.is_temporal) for of in types)


def _around(node: exp.Expr) -> exp.Expr | None:
    """The nearest node around ``node`` that is no parenthesis."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return parent


def _is_operand(part: exp.Expr, arithmetic: exp.Expr) -> bool:
    """Whether a value of ``part`` may be one that ``arithmetic`` adds or multiplies, as it is or with another sign."""
    around = part.parent
    while around is not arithmetic and _passes_on(around):
        around = around.parent if around is not None else None
    return around is arithmetic


def _passes_on(node: exp.Expr | None) -> bool:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in _PASSING
    return isinstance(node, exp.Paren | exp.Neg | exp.Add | exp.Sub | exp.Mul | exp.Case | exp.If)


def _has_exponent(node: exp.Expr) -> bool:
    return any(not part.is_string and "e" in part.name.lower() for part in node.find_all(exp.Literal))


def _renamed(node: exp.Anonymous, name: str, arguments: list[exp.Expr]) -> exp.Expr:
    """Another function, or the same one with arguments or a result made fit."""
    if name == "strptime":
        return _call("try_strptime", *arguments)
    if name in _CASES and len(arguments) == 1:
        return _call(_CASES[name], *arguments)
    if name == "concat":
        return _call(name, *map(_text, arguments))
    if name in _JOINING and arguments:
        _join_texts(node)
    if name in _NARROW_COUNT and len(arguments) == 3 and not isinstance(arguments[1], exp.Literal):
        arguments[1].replace(_plain_cast(arguments[1], exp.DataType(this=exp.DType.INT)))
    raises = name in _RAISING or (name == "round" and not _keeps_digits(arguments))
    total = _try(node) if raises and is_row_wise(node) else node
    return _call("etlgen_in_years", total, arguments[0]) if name in _MAKING and len(arguments) > 1 else total


def _keeps_digits(arguments: list[exp.Expr]) -> bool:
    """``round`` of an integer overflows only where it rounds tens, hundreds and so on."""
    return len(arguments) < 2 or isinstance(arguments[1], exp.Literal)


def _join_texts(node: exp.Anonymous) -> None:
    """``string_agg(x ORDER BY y, ',')``: its first argument as text."""
    first = node.expressions[0]
    value = first.this if isinstance(first, exp.Order) else first
    if isinstance(value, exp.Expr):
        value.replace(_text(value))


def _call(name: str, *arguments: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[argument.copy() for argument in arguments])


def _text(value: exp.Expr) -> exp.Expr:
    """``value`` as the cast table writes it; what is text already stays."""
    return value.copy() if value.meta.get(_KIND) == "text" else _call("etlgen_text", value)


def _nonzero(divisor: exp.Expr) -> exp.Expr:
    if isinstance(divisor, exp.Literal) and not divisor.is_string and float(divisor.this) != 0:
        return divisor.copy()
    return _call("nullif", divisor, exp.Literal.number(0))


def _literal_text(text: str, target: LogicalType) -> str | None:
    """The canonical text of a literal read by the cast table; ``None`` when it does not fit."""
    found = converted_literal(Literal(text, STRING), target)
    return None if found is None else to_text(found.value, target)


def _wide_type(written: exp.DataType, target: LogicalType) -> exp.DataType:
    """The type that the cast table means: `INT` has 64 bits, a bare DECIMAL is (38, 9)."""
    if target.kind is Kind.DECIMAL:
        return exp.DataType.build(f"DECIMAL({target.precision}, {target.scale})")
    return exp.DataType(this=_WIDE[written.this]) if written.this in _WIDE else written.copy()


def _plain_cast(value: exp.Expr, to: exp.DataType) -> exp.Expr:
    return exp.TryCast(this=value.copy(), to=to.copy(), safe=True)


def _of_text(text: exp.Expr, to: exp.DataType, target: LogicalType) -> exp.Expr:
    """A value out of its canonical text."""
    return _call("from_base64", text) if target.kind is Kind.BINARY else _plain_cast(text, to)


def _clock() -> exp.Expr:
    return _call("getvariable", exp.Literal.string(CLOCK_VARIABLE))


def _clock_date() -> exp.Expr:
    return exp.Cast(this=_clock(), to=exp.DataType(this=exp.DType.DATE))


def _try(node: exp.Expr) -> exp.Expr:
    return _call("try", node)
