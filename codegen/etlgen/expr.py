"""Typed scalar expressions: what the SQL stage hands to every engine's expression emitter.

The SQL stage (``etlgen.sql``) parses DuckDB SQL with sqlglot, resolves names, gives types and rewrites the many
spellings of sqlglot into this small tree. Implicit conversions are explicit ``Cast`` nodes here. An engine emitter
knows these five node kinds and the function names of ``etlgen.sql.functions``, and nothing of sqlglot.

Every expression is total (semantics, section 5): where an engine would raise, its value is NULL.

A node remembers the SQL that it was made of (``at``), for diagnostics; those that no SQL says have ``None``. Nodes that differ
in nothing else are equal.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from etlgen.diagnostics.model import Position
from etlgen_runtime.types import LogicalType

LiteralValue = None | bool | int | float | Decimal | str | bytes | dt.date | dt.datetime | dt.time | dt.timedelta


@dataclass(frozen=True, slots=True)
class Interval:
    """A calendar interval: months and days are kept apart, as in SQL."""

    months: int = 0
    days: int = 0
    microseconds: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the current frame, in its declared spelling."""

    name: str
    type: LogicalType
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant. ``value`` is a Python value of ``type``; ``None`` is a typed NULL."""

    value: LiteralValue | Interval
    type: LogicalType
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator of ``etlgen.sql.functions``, by its canonical name.

    In a rollup also an aggregate of ``etlgen.sql.aggregates.GROUP_FUNCTIONS``.
    """

    function: str
    args: tuple[Expr, ...]
    type: LogicalType
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion by the cast table; a value that does not fit is NULL.

    ``implicit``: nobody wrote it. It gives operands and branches one type, and nothing is lost in it: an integer that is exact
    beyond the type of ``arg`` stays so.
    """

    arg: Expr
    type: LogicalType
    implicit: bool = field(default=False, compare=False, repr=False)
    at: Position | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Case:
    """Searched CASE: the value of the first branch whose condition is TRUE, else ``default``."""

    branches: tuple[tuple[Expr, Expr], ...]
    default: Expr
    type: LogicalType
    at: Position | None = field(default=None, compare=False, repr=False)


Expr = Column | Literal | Call | Cast | Case


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct operands of ``expr``, left to right."""
    match expr:
        case Call(args=args):
            return args
        case Cast(arg=arg):
            return (arg,)
        case Case(branches=branches, default=default):
            return (*(part for branch in branches for part in branch), default)
        case _:
            return ()


def replaced(expr: Expr, by: Callable[[Expr], Expr | None]) -> Expr:
    """``expr`` with every outermost part for which ``by`` gives another one."""
    other = by(expr)
    if other is not None:
        return other
    match expr:
        case Call(args=args):
            return replace(expr, args=tuple(replaced(arg, by) for arg in args))
        case Cast(arg=arg):
            return replace(expr, arg=replaced(arg, by))
        case Case(branches=branches, default=default):
            made = tuple((replaced(condition, by), replaced(value, by)) for condition, value in branches)
            return replace(expr, branches=made, default=replaced(default, by))
        case _:
            return expr


def walk(expr: Expr) -> Iterator[Expr]:
    """``expr`` and everything below it, parents first."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def place_of(part: Expr, whole: Expr) -> Position | None:
    """The SQL that the node ``part`` of ``whole`` was made of, else that of the nearest node above it that knows."""
    if part is whole:
        return whole.at
    for child in children(whole):
        if any(node is part for node in walk(child)):
            return place_of(part, child) or whole.at
    return None


def columns_read(expr: Expr) -> frozenset[str]:
    """Names of the columns whose value ``expr`` depends on."""
    return frozenset(node.name for node in walk(expr) if isinstance(node, Column))
