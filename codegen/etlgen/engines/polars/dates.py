"""Date and time functions; years outside 1 to 9999 become NULL in the runtime's functions."""

from __future__ import annotations

import re

from etlgen.engines.polars.fragments import Fragment, quoted, typed
from etlgen.engines.polars.integers import typed_integer
from etlgen.engines.polars.literals import expression, null_fragment
from etlgen.engines.polars.text import literal_text
from etlgen.expr import Call, Interval, Literal
from etlgen_runtime.types import (
    DATE,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Kind,
    LogicalType,
)

DATES = frozenset(
    [
        "current_date",
        "current_timestamp",
        "date_trunc",
        "date_diff",
        "date_part",
        "date_add",
        "strftime",
        "strptime",
        "make_date",
        "make_timestamp",
    ]
)
"""Functions that :func:`date_call` knows."""

_EVERY = {
    "year": "1y",
    "quarter": "1q",
    "month": "1mo",
    "week": "1w",
    "day": "1d",
    "hour": "1h",
    "minute": "1m",
    "second": "1s",
    "millisecond": "1ms",
    "microsecond": "1us",
}
_DATE_PARTS: dict[str, tuple[str, LogicalType, tuple[int, int]]] = {
    "year": ("year", INT32, (-300_000, 300_000)),
    "quarter": ("quarter", INT8, (1, 4)),
    "month": ("month", INT8, (1, 12)),
    "week": ("week", INT8, (1, 53)),
    "day": ("day", INT8, (1, 31)),
    "doy": ("ordinal_day", INT16, (1, 366)),
    "isodow": ("weekday", INT8, (1, 7)),
    "isoyear": ("iso_year", INT32, (-300_000, 300_000)),
}
_TIME_PARTS: dict[str, tuple[str, LogicalType, tuple[int, int]]] = {
    "hour": ("hour", INT8, (0, 23)),
    "minute": ("minute", INT8, (0, 59)),
    "second": ("second", INT8, (0, 59)),
}
_DIRECTIVE = re.compile(r"%(-?.)", re.DOTALL)
_RESPELLED = {"f": "%6f", "g": "%3f", "n": "%9f", "-f": "%6f"}
_OF_TIME = re.compile(r"%-?[fgHIMnpSzZ0-9]")


def date_call(call: Call, args: tuple[Fragment, ...]) -> Fragment:
    """A date or time function by its canonical name."""
    match call.function:
        case "current_date" | "current_timestamp":
            return typed(f"fn.{call.function}()", call.type)
        case "date_trunc":
            moment = as_timestamp(expression(args[1]))
            return typed(f"{moment.receiver}.dt.truncate({quoted(_EVERY[_word(call, 0)])})", moment.type)
        case "date_diff":
            text = f"fn.date_diff({quoted(_word(call, 0))}, {expression(args[1]).text}, {expression(args[2]).text})"
            return typed_integer(text, INT64, (-(2**62), 2**62))
        case "date_part":
            return _part(_word(call, 0), expression(args[1]))
        case "date_add":
            return _moved(call, expression(args[0]))
        case "strftime":
            return _formatted(expression(args[0]), _word(call, 1))
        case "strptime":
            return typed(f"fn.strptime({expression(args[0]).text}, {quoted(_word(call, 1))})", call.type)
        case _:
            return typed(f"fn.{call.function}({', '.join(arg.text for arg in args)})", call.type)


def _word(call: Call, index: int) -> str:
    word = literal_text(call, index)
    assert word is not None, f"{call.function} takes a constant here (etlgen.sql.functions)"
    return word


def as_timestamp(moment: Fragment) -> Fragment:
    """A date as its midnight; timestamps stay as they are."""
    if moment.type.kind is not Kind.DATE:
        return moment
    return typed(f'{moment.receiver}.cast(pl.Datetime("us"))', TIMESTAMP)


def _part(unit: str, moment: Fragment) -> Fragment:
    part = _DATE_PARTS.get(unit)
    if part is None and unit in _TIME_PARTS:
        moment, part = as_timestamp(moment), _TIME_PARTS[unit]
    if part is not None:
        method, of, bounds = part
        return typed_integer(f"{moment.receiver}.dt.{method}()", of, bounds)
    text = f"fn.date_part({quoted(unit)}, {moment.text})"
    return typed(text, FLOAT64) if unit in ("epoch", "julian") else typed_integer(text, INT64, (-(2**62), 2**62))


def _interval(call: Call) -> Interval | None:
    by = call.args[1]
    return by.value if isinstance(by, Literal) and isinstance(by.value, Interval) else None


def _moved(call: Call, moment: Fragment) -> Fragment:
    by = _interval(call)
    if by is None:  # a NULL interval
        return null_fragment(call.type)
    parts = {"months": by.months, "days": by.days, "microseconds": by.microseconds}
    arguments = ", ".join(f"{name}={size}" for name, size in parts.items() if size)
    moment = as_timestamp(moment)
    return typed(f"fn.date_add({moment.text}, {arguments})", moment.type) if arguments else moment


def days_later(call: Call, date: Fragment) -> Fragment | None:
    """``date + n``, which the tree holds as a date_add cast back to date; ``None`` when it is something else."""
    by = _interval(call)
    if by is None or by.months or by.microseconds or date.type.kind is not Kind.DATE:
        return None
    return typed(f"fn.add_days({expression(date).text}, {by.days})", DATE)


def _formatted(moment: Fragment, form: str) -> Fragment:
    """DuckDB's letters as chrono's; a format without letters is a constant."""
    if "%" not in form:
        return typed(f"pl.when({moment.receiver}.is_not_null()).then(pl.lit({quoted(form)}))", STRING)
    if _OF_TIME.search(form):
        moment = as_timestamp(moment)
    if moment.type.kind is Kind.TIMESTAMP_TZ:
        moment = typed(f'{moment.receiver}.cast(pl.Datetime("us"))', TIMESTAMP)
        form = re.sub(r"%(%|z|Z)", lambda match: {"z": "+00", "Z": "UTC", "%": "%%"}[match[1]], form)
    else:
        form = re.sub(r"%(%|z|Z)", lambda match: {"z": "+00", "Z": "", "%": "%%"}[match[1]], form)
    spelled = _DIRECTIVE.sub(lambda match: _RESPELLED.get(match[1], match[0]), form)
    return typed(f"{moment.receiver}.dt.strftime({quoted(spelled)})", STRING)
