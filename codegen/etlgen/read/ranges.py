"""Ranges that no value satisfies: bounds written in a contract, compared exactly."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, InvalidOperation, localcontext
from typing import Literal

from etlgen.contract import Number, Scalar
from etlgen.lower.literals import page_text
from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.types import TIMESTAMP, Kind, LogicalType

Sign = Literal["ge", "gt", "le", "lt", "eq"]
_WORDS: dict[Sign, str] = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below", "eq": "equal to"}
_DIGITS = 800
_EPOCH = dt.datetime(1, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)


def is_empty(
    bounds: Iterable[tuple[Sign, Scalar]], type_: LogicalType | None = None, date_formats: tuple[str, ...] = ()
) -> bool:
    """Whether no value satisfies all of ``bounds``.

    Args:
        bounds: Pairs of sign and value; a value of ``None`` is no bound.
        type_: The type of the values, when it is known: no integer lies above 1 and below 2.
        date_formats: Formats in which a date may be written.

    Bounds that do not read as the type are reported elsewhere and taken for no bound here.

    >>> is_empty((("ge", 5), ("le", 1))), is_empty((("ge", 1), ("le", 1)))
    (True, False)
    """
    step = _step(type_)
    low: Decimal | None = None
    high: Decimal | None = None
    low_open = high_open = False
    for sign, value in bounds:
        number = None if value is None else _number(value, type_, date_formats)
        if number is None:
            continue
        if sign in ("ge", "gt", "eq"):
            bound, is_open = _from_below(number, sign == "gt", step)
            if low is None or (bound, is_open) > (low, low_open):
                low, low_open = bound, is_open
        if sign in ("le", "lt", "eq"):
            bound, is_open = _from_above(number, sign == "lt", step)
            if high is None or (bound, not is_open) < (high, not high_open):
                high, high_open = bound, is_open
    if low is None or high is None:
        return False
    return low > high or (low == high and (low_open or high_open))


def in_words(bounds: Iterable[tuple[Sign, Scalar]]) -> str:
    """``at least 5 and at most 1``."""
    return " and ".join(f"{_WORDS[sign]} {page_text(value)}" for sign, value in bounds if value is not None)


def _step(type_: LogicalType | None) -> Decimal | None:
    """The distance of neighbouring values, in the unit of :func:`_number`; ``None`` where there is none."""
    if type_ is None or type_.is_float:
        return None
    return Decimal(1).scaleb(-type_.scale) if type_.kind is Kind.DECIMAL else Decimal(1)


def _from_below(number: Decimal, is_open: bool, step: Decimal | None) -> tuple[Decimal, bool]:
    """The smallest value from ``number`` on, and whether it is itself outside."""
    if step is None:
        return number, is_open
    with localcontext(prec=_DIGITS) as context:
        context.clear_traps()
        first = (number / step).to_integral_value(ROUND_CEILING)
        return (first + 1 if is_open and first * step == number else first) * step, False


def _from_above(number: Decimal, is_open: bool, step: Decimal | None) -> tuple[Decimal, bool]:
    if step is None:
        return number, is_open
    with localcontext(prec=_DIGITS) as context:
        context.clear_traps()
        last = (number / step).to_integral_value(ROUND_FLOOR)
        return (last - 1 if is_open and last * step == number else last) * step, False


def _number(value: Scalar, type_: LogicalType | None, date_formats: tuple[str, ...]) -> Decimal | None:
    """The value on a line: numbers as they are, days from 0001-01-01, microseconds."""
    if type_ is not None and type_.is_temporal:
        return _moment(page_text(value), type_, date_formats)
    if isinstance(value, bool):
        return None
    if type_ is None and isinstance(value, str):
        plain = _plain(value)
        return _moment(value, TIMESTAMP, ()) if plain is None else plain
    return _plain(value.text if isinstance(value, Number) else page_text(value))


def _plain(text: str) -> Decimal | None:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < _DIGITS // 2 else None


def _moment(text: str, type_: LogicalType, date_formats: tuple[str, ...]) -> Decimal | None:
    try:
        found = cast_value(text, type_, date_formats)
    except Unfit:
        return None
    match found:
        case dt.datetime():
            return Decimal((found.replace(tzinfo=None) - _EPOCH) // _MICROSECOND)
        case dt.date():
            return Decimal(found.toordinal())
        case dt.time():
            return Decimal((dt.datetime.combine(_EPOCH.date(), found) - _EPOCH) // _MICROSECOND)
        case _:
            return None
