"""When an expected value and an actual one are the same value."""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import cast


def same_value(expected: object, actual: object, tolerance: float) -> bool:
    """Compare a value of an ``expected`` file with one that an engine returned.

    Numbers are equal within ``tolerance`` (0: exactly); text is never a number, and a boolean is neither. Dates, times,
    binary and decimals may be written as text: ISO 8601, base64, digits. JSON text equals the nested value it holds.
    """
    if expected is None or actual is None:
        return expected is actual
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(actual, (int, float, Decimal)):
        return _same_number(expected, actual, tolerance)
    if isinstance(expected, (list, dict)):
        return _same_nested(cast("object", expected), actual, tolerance)
    if isinstance(actual, (dt.date, dt.time)):
        return isinstance(expected, str) and _same_moment(expected, actual)
    if isinstance(actual, bytes):
        return expected == base64.b64encode(actual).decode("ascii")
    return type(expected) is type(actual) and expected == actual


def same_quarantined(expected: object, actual: object, tolerance: float) -> bool:
    """As :func:`same_value`, for columns that quarantine keeps as text: ``"10"`` is also the number 10, ``"true"`` also
    the boolean, JSON text also the nested value.
    """
    if same_value(expected, actual, tolerance):
        return True
    if not isinstance(actual, str):
        return False
    if isinstance(expected, bool):
        return actual.lower() == str(expected).lower()
    if isinstance(expected, (int, Decimal)):
        number = _number(actual)
        return number is not None and _same_number(expected, number, tolerance)
    return False


def same_text(expected: object, actual: object) -> bool:
    """Compare the characters: of a text as they are, of any other expected value as JSON writes it."""
    if expected is None or actual is None:
        return expected is actual
    return text_of(expected) == text_of(actual)


def text_of(value: object) -> str:
    """A value as it is shown in messages: text without quotes, numbers in plain digits, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False, default=text_of)


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _same_number(expected: object, actual: int | float | Decimal, tolerance: float) -> bool:
    if isinstance(expected, str) and (isinstance(actual, Decimal) or not math.isfinite(actual)):
        wanted = _number(expected)
    elif isinstance(expected, (int, float, Decimal)):
        wanted = Decimal(repr(expected)) if isinstance(expected, float) else Decimal(expected)
    else:
        wanted = None
    if wanted is None:
        return False
    if isinstance(actual, float) and not math.isfinite(actual):
        return str(float(wanted)) == str(actual)
    if isinstance(actual, float) and float(wanted) == actual:
        return True
    found = Decimal(repr(actual)) if isinstance(actual, float) else Decimal(actual)
    return wanted == found or abs(wanted - found) <= Decimal(repr(tolerance))


def _same_nested(expected: object, actual: object, tolerance: float) -> bool:
    if isinstance(actual, str):
        try:
            actual = json.loads(actual, parse_float=Decimal)
        except json.JSONDecodeError:
            return False
    if isinstance(expected, list) and isinstance(actual, (list, tuple)):
        wanted_items, items = cast("list[object]", expected), cast("Sequence[object]", actual)
        return len(wanted_items) == len(items) and all(
            same_value(one, other, tolerance) for one, other in zip(wanted_items, items, strict=True)
        )
    if isinstance(expected, dict) and isinstance(actual, Mapping):
        wanted, found = cast("dict[str, object]", expected), cast("Mapping[str, object]", actual)
        return wanted.keys() == found.keys() and all(same_value(wanted[key], found[key], tolerance) for key in wanted)
    return False


def _same_moment(expected: str, actual: dt.date | dt.time) -> bool:
    """ISO text against a date, time or timestamp. A bare date equals a timestamp at midnight; an aware timestamp is
    compared as an instant, and text without a zone never equals it.
    """
    try:
        if isinstance(actual, dt.datetime):
            return dt.datetime.fromisoformat(expected) == actual
        if isinstance(actual, dt.date):
            return dt.date.fromisoformat(expected) == actual
        return dt.time.fromisoformat(expected) == actual
    except ValueError:
        return False
