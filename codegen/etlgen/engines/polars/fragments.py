"""Pieces of emitted Polars source: text, how tightly it binds, and what is known of its value.

What is known decides which guards are written: integer bounds choose the width of arithmetic, a float's limit says whether it
can overflow, decimal digits whether 38 are enough.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import IntEnum

from etlgen_runtime.types import INTEGER_RANGES, Kind, LogicalType

MAX_FLOAT = sys.float_info.max
MAX_FLOAT32 = 3.4028234663852886e38


class Binding(IntEnum):
    """Precedence of Python operators, loosest first."""

    COMPARISON = 1
    OR = 2
    AND = 3
    SUM = 4
    PRODUCT = 5
    UNARY = 6
    ATOM = 7


@dataclass(frozen=True, slots=True)
class Fragment:
    """Source text of one Polars expression.

    Args:
        text: Python source.
        binding: Of the outermost operator.
        type: What Polars holds, which may be wider than the expression's own type until a consumer narrows it.
        low: Smallest possible integer value.
        high: Greatest possible integer value.
        limit: Greatest possible magnitude of a float that is finite.
        digits: Decimal digits the value can need.
        unscaled: A decimal that Polars holds as its unscaled 128-bit integer, which may be ``functions.decimals.BEYOND``.
        partial: Its outermost operator gives NULL for what Polars cannot hold: beyond 128 bits.
        inputs: Float columns it reads, whose NaN and infinities may pass through.
        unguarded: A NaN or infinity may come of finite inputs; ``fn.finite`` is due.
        bare: A Python constant, no Polars expression.
    """

    text: str
    binding: Binding
    type: LogicalType
    low: int = 0
    high: int = 0
    limit: float = 0.0
    digits: int = 0
    unscaled: bool = False
    partial: bool = False
    inputs: tuple[str, ...] = ()
    unguarded: bool = False
    bare: bool = False

    def at(self, binding: Binding) -> str:
        """The text as an operand of an operator that binds as ``binding``."""
        return self.text if self.binding >= binding else f"({self.text})"

    def above(self, binding: Binding) -> str:
        """The text as an operand that must bind more tightly than ``binding``: right of `-`, beside a comparison."""
        return self.text if self.binding > binding else f"({self.text})"

    @property
    def receiver(self) -> str:
        """The text before a method call."""
        return self.at(Binding.ATOM)

    def method(self, call: str, of: LogicalType) -> Fragment:
        """``<self>.<call>``, with what is known of any value of type ``of``."""
        return typed(f"{self.receiver}.{call}", of, inputs=self.inputs)


def typed(text: str, of: LogicalType, *, binding: Binding = Binding.ATOM, inputs: tuple[str, ...] = ()) -> Fragment:
    """A fragment of which nothing but its type is known."""
    low, high = INTEGER_RANGES.get(of.kind, (0, 0))
    limit = {Kind.FLOAT64: MAX_FLOAT, Kind.FLOAT32: MAX_FLOAT32}.get(of.kind, 0.0)
    kept = inputs if of.is_float else ()
    return Fragment(text, binding, of, low, high, limit, of.precision, inputs=kept)


def guarded(fragment: Fragment) -> Fragment:
    """With the guard that is due against NaN and infinities out of finite inputs."""
    if not fragment.unguarded:
        return fragment
    arguments = ", ".join((fragment.text, *map(quoted, fragment.inputs)))
    return replace(fragment, text=f"fn.finite({arguments})", binding=Binding.ATOM, unguarded=False)


def quoted(text: str) -> str:
    """A Python string literal in plain ASCII, in double quotes where that needs no more escapes."""
    literal = ascii(text)
    if literal.startswith("'") and '"' not in literal:
        return f'"{literal[1:-1]}"'
    return literal


def merged(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Both without repetition, in order."""
    return tuple(dict.fromkeys((*first, *second)))


def column_source(name: str) -> str:
    """``pl.col("name")``, or the runtime's spelling for the names that Polars would read as patterns."""
    is_pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
    return f"{'fn.column' if is_pattern else 'pl.col'}({quoted(name)})"
