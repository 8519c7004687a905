"""Results remembered by node of an expression tree, for what asks again and again about the same parts of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from etlgen.expr import Expr

T = TypeVar("T")
_REMEMBERED = 4096


class _Node:
    """A node by identity: trees that are equal may differ, as 0.0 and -0.0 do."""

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr = expr

    def __hash__(self) -> int:
        return id(self.expr)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Node) and self.expr is other.expr


def remembered(compute: Callable[[Expr], T]) -> Callable[[Expr], T]:
    """``compute``, once for each of the nodes asked about last."""

    @lru_cache(maxsize=_REMEMBERED)
    def once(node: _Node) -> T:
        return compute(node.expr)

    return lambda expr: once(_Node(expr))
