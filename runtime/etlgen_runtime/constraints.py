"""Constraints that Pydantic's own keywords cannot say exactly, checked by value.

A bound of a decimal column written ``0.1`` is the decimal 0.1 and not the nearest double; dates have bounds; a multiple
of 0.01 is exact. They stand in a field's ``json_schema_extra`` as text and are read by the cast table (semantics,
section 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from operator import ge, gt, le, lt
from typing import Any, Self, cast

from etlgen_runtime.casts import cast_value
from etlgen_runtime.types import LogicalType

_BOUNDS: tuple[tuple[str, Callable[[Any, Any], bool], str], ...] = (
    ("minimum", ge, "is below the minimum"),
    ("maximum", le, "is above the maximum"),
    ("exclusive_minimum", gt, "is not above the exclusive minimum"),
    ("exclusive_maximum", lt, "is not below the exclusive maximum"),
)

_NEAR = 1e-9
"""Distance from a whole number that is the doing of binary fractions (odcs, 3.4)."""


@dataclass(frozen=True, slots=True)
class ColumnConstraints:
    """Bounds, enumeration and step of one column. NULL passes all of them: it is ``required``'s business."""

    accepted: tuple[object, ...] | None = None
    bounds: tuple[tuple[Callable[[Any, Any], bool], object, str], ...] = ()
    step: Decimal | None = None

    @classmethod
    def read(cls, type_: LogicalType, extras: Mapping[str, object]) -> Self | None:
        """The constraints written in ``extras``, or ``None`` when there is none.

        Raises:
            Unfit: A text does not fit the column's type.
        """
        accepted: tuple[object, ...] | None = None
        if "accepted_values" in extras:
            texts = cast("list[object]", extras["accepted_values"])
            accepted = tuple(_comparable(type_, text) for text in texts)
        bounds = tuple(
            (holds, _comparable(type_, extras[name]), problem) for name, holds, problem in _BOUNDS if name in extras
        )
        step = Decimal(str(extras["step"])) if "step" in extras else None
        return cls(accepted, bounds, step) if accepted is not None or bounds or step is not None else None

    def violation(self, value: object) -> str:
        """What is wrong with ``value``, in words without the value; empty when nothing is."""
        if value is None:
            return ""
        if self.accepted is not None and not any(_same(value, each) for each in self.accepted):
            return "is not one of the accepted values"
        for holds, bound, problem in self.bounds:
            if not holds(value, bound):
                return problem
        return "" if self.step is None or _is_multiple(value, self.step) else "is no multiple of the step"


def _comparable(type_: LogicalType, written: object) -> object:
    """A written constant as a Python value that compares exactly with values of ``type_``."""
    if type_.is_integer or type_.kind.value == "decimal":
        return Decimal(str(written))
    return cast_value(str(written), type_)


def _same(value: object, other: object) -> bool:
    """Equal; NaN, which equals itself in the engines, is in no list of accepted values."""
    return value == other


def _is_multiple(value: object, step: Decimal) -> bool:
    if isinstance(value, float):
        return _is_near_multiple(value, float(step))
    if not isinstance(value, int | Decimal):
        return False
    with localcontext() as context:
        context.prec = 800  # as many digits as a bound in a contract may have: the remainder is exact
        return Decimal(value) % step == 0


def _is_near_multiple(value: float, step: float) -> bool:
    """As batches are judged: the quotient of two doubles, which is rarely exact, is within 1e-9 of a whole number.

    A quotient that is no finite number (of finite ones) is NULL there, and NULL passes (semantics, section 5).
    """
    if not math.isfinite(value):
        return False
    quotient = math.inf if step == 0 else value / step
    return math.isinf(quotient) or abs(quotient - round(quotient)) <= _NEAR
