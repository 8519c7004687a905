"""``logicalTypeOptions`` to field constraints (odcs, 3.4)."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from zoneinfo import ZoneInfo

from etlgen.contract import Scalar, Text
from etlgen.diagnostics.model import Position
from etlgen.patterns import PatternError, parse_pattern
from etlgen.read.date_format import strptime_format
from etlgen.read.nodes import ScalarNode
from etlgen.read.odcs.types import OdcsType
from etlgen.read.olc.fields import FORMATS
from etlgen.read.ranges import Sign, in_words, is_empty
from etlgen.read.view import View
from etlgen.spelling import one_of, with_article

_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format")
_MOMENTS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format", "timezone", "defaultTimezone")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength", "pattern", "format"),
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "boolean": (),
    "date": _MOMENTS,
    "timestamp": _MOMENTS,
    "time": _MOMENTS,
}
"""The options of each family; any other known option there is E203."""

_ISO_SAMPLE = "YYYY-MM-DDTHH:mm:ss.SSSZ"


@dataclass(frozen=True, slots=True)
class Constraints:
    """The constraints of one property, as in :class:`etlgen.contract.Field`."""

    minimum: Scalar = None
    maximum: Scalar = None
    exclusive_minimum: Scalar = None
    exclusive_maximum: Scalar = None
    multiple_of: Scalar = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: Text | None = None
    format: str | None = None
    date_formats: tuple[str, ...] = ()


_POSITIONS = {
    "minimum": "min",
    "maximum": "max",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "pattern": "pattern",
    "format": "format",
}


def value_positions(options: View) -> dict[str, Position]:
    """Where the value of each constraint stands, under the names of :class:`etlgen.contract.Field`."""
    return {name: options.value_at(key) for key, name in _POSITIONS.items() if options.has(key)}


def constraint_positions(options: View) -> dict[str, Position]:
    """Where each constraint was written, under the names of :class:`etlgen.contract.Field`."""
    return {name: options.key_at(key) for key, name in _POSITIONS.items() if options.has(key)}


def read_constraints(options: View, kind: OdcsType, minor: int) -> Constraints:
    """The constraints under ``logicalTypeOptions``.

    Args:
        options: The mapping.
        kind: The type they belong to.
        minor: Minor version of the document: v3.0.x takes boolean exclusive bounds.
    """
    _check_foreign(options, kind.family)
    formats = _date_formats(options) if kind.type.is_temporal else ()
    _check_zone(options)
    low, exclusive_low = _bounds(options, kind, formats, minor, "minimum", "exclusiveMinimum")
    high, exclusive_high = _bounds(options, kind, formats, minor, "maximum", "exclusiveMaximum")
    bounds: tuple[tuple[Sign, Scalar], ...] = (
        ("ge", low),
        ("gt", exclusive_low),
        ("le", high),
        ("lt", exclusive_high),
    )
    _check_order(options, bounds, kind, formats)
    lengths = [n for n in (_length(options, "maxLength"), kind.max_length) if n is not None]
    minimum_length = _length(options, "minLength")
    if minimum_length is not None and lengths and minimum_length > min(lengths):
        _error(
            options, "ODCS-E204", "minLength", f"no text is {minimum_length} or more and {min(lengths)} or less long"
        )
    return Constraints(
        minimum=low,
        maximum=high,
        exclusive_minimum=exclusive_low,
        exclusive_maximum=exclusive_high,
        multiple_of=_multiple(options),
        min_length=minimum_length,
        max_length=min(lengths) if lengths else None,
        pattern=_pattern(options) if kind.family == "string" else None,
        format=_text_format(options) if kind.family == "string" else None,
        date_formats=formats,
    )


def _error(options: View, code: str, key: str, message: str, expected: str = "", fix: str = "") -> None:
    path = options.child_path(key)
    options.findings.error(code, message, options.value_at(key), path=path, expected=expected, fix=fix)


def _check_foreign(options: View, family: str) -> None:
    valid = OPTIONS.get(family)
    if valid is None:
        return
    known = {key for keys in OPTIONS.values() for key in keys}
    nested = {"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required"}
    for entry in options.values():
        key = entry.key.text
        if key in known | nested and key not in valid and options.has(key):
            path = options.child_path(key)
            message = f"`{key}` is no option of the logicalType `{family}`"
            expected = one_of(valid)
            options.findings.error("ODCS-E203", message, entry.key.at, path=path, expected=expected, fix="remove it")


def _date_formats(options: View) -> tuple[str, ...]:
    node = options.scalar_node("format")
    if node is None or node.text == _ISO_SAMPLE:
        return ()
    written = strptime_format(node.text)
    if written is None or "%" in node.text:
        expected = "letters of y u M d H h a m s S X Z x, other text in quotes; for instance `yyyy-MM-dd HH:mm:ss`"
        _error(options, "ODCS-E209", "format", f"`{node.text}` is not a date format", expected)
        return ()
    return (written,)


def _check_zone(options: View) -> None:
    zone = options.optional_string("defaultTimezone")
    if zone is None or zone == "UTC":
        return
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        _error(
            options, "ODCS-E204", "defaultTimezone", f"`{zone}` is no IANA time zone", "a name such as `Europe/Paris`"
        )


def _bounds(
    options: View, kind: OdcsType, formats: tuple[str, ...], minor: int, plain: str, exclusive: str
) -> tuple[Scalar, Scalar]:
    """The inclusive and the exclusive bound; a boolean exclusive bound (v3.0.x) turns the first into the second."""
    if plain not in OPTIONS.get(kind.family, ()):
        return None, None
    node = options.scalar_node(exclusive)
    flag = node.boolean() if node else None
    bound = _bound(options, kind, formats, plain)
    if flag is None:
        return bound, _bound(options, kind, formats, exclusive)
    if minor > 0:
        _error(
            options, "ODCS-E204", exclusive, f"`{exclusive}` is a bound since v3.1", "a number", "write the bound here"
        )
    elif flag and bound is None:
        _error(options, "ODCS-E204", exclusive, f"`{exclusive}: true` needs `{plain}`", fix=f"add `{plain}:`")
    return (None, bound) if flag else (bound, None)


def _bound(options: View, kind: OdcsType, formats: tuple[str, ...], key: str) -> Scalar:
    if not options.has(key):
        return None
    node = options.scalar_node(key)
    if node is None:
        _error(options, "ODCS-E210", key, f"`{key}` must be a single value")
        return None
    if kind.type.is_temporal:
        if not _is_moment(node, kind, formats):
            _error(
                options,
                "ODCS-E210",
                key,
                f"`{node.text}` is no {kind.family}",
                f"{with_article(kind.family)} as in the data",
            )
        return node.text
    number = node.exact_number()
    if number is None:
        _error(options, "ODCS-E210", key, f"`{node.text}` is no number", "a number", "remove the quotes")
    elif kind.type.is_integer and not isinstance(number, int) and not _is_whole(node.text):
        _error(options, "ODCS-E210", key, f"`{node.text}` is no integer", "a whole number")
    return number


def _is_whole(text: str) -> bool:
    number = Decimal(text)
    return number == number.to_integral_value()


def _is_moment(node: ScalarNode, kind: OdcsType, formats: tuple[str, ...]) -> bool:
    if any(_matches(node.text, pattern) for pattern in formats):
        return True
    if formats:
        return False
    parse = {"date": dt.date.fromisoformat, "time": dt.time.fromisoformat}.get(kind.family, dt.datetime.fromisoformat)
    try:
        parse(node.text.strip())
    except ValueError:
        return False
    return True


def _matches(text: str, pattern: str) -> bool:
    try:
        dt.datetime.strptime(text, pattern)  # only the form is asked for
    except ValueError:
        return False
    return True


def _check_order(
    options: View, bounds: Sequence[tuple[Sign, Scalar]], kind: OdcsType, formats: tuple[str, ...]
) -> None:
    """E204: bounds that no value of the type satisfies."""
    if is_empty(bounds, kind.type, formats):
        key = "minimum" if options.has("minimum") else "exclusiveMinimum"
        fix = "swap the bounds, or correct them"
        _error(options, "ODCS-E204", key, f"no {kind.family} is {in_words(bounds)}", fix=fix)


def _pattern(options: View) -> Text | None:
    """The pattern; E208 when it is no expression at all. What is one, and not portable, is refused with the engines."""
    pattern = options.optional_text("pattern")
    if pattern is None:
        return None
    try:
        parse_pattern(pattern.value)
    except PatternError as error:
        if _is_expression(pattern.value):
            return pattern
        message = f"`{pattern.value}` is no regular expression: {error.what}"
        at = pattern.span(error.position, 1)
        path = options.child_path("pattern")
        options.findings.error("ODCS-E208", message, at, path=path, fix=error.fix or "correct the expression")
    return pattern


def _is_expression(text: str) -> bool:
    """Whether ``text`` is a valid expression where look-behind of any length and names in the style of ECMAScript are."""
    spelled = re.sub(r"\(\?<[=!]", "(?:", text)
    spelled = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", spelled)
    spelled = re.sub(r"\\k<[A-Za-z_][A-Za-z_0-9]*>|\\[pP]\{[^}]*\}|\\c[A-Za-z]", "x", spelled)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's hints about sets are none of the author's business
        try:
            re.compile(spelled)
        except (re.error, OverflowError, RecursionError):
            return False
    return True


def _length(options: View, key: str) -> int | None:
    node = options.scalar_node(key)
    number = node.number() if node else None
    if number is None:
        return None
    if number < 0 or number != int(number):
        _error(options, "ODCS-E204", key, f"`{key}` is {number}", "a whole number, 0 or more")
        return None
    return int(number)


def _multiple(options: View) -> Scalar:
    node = options.scalar_node("multipleOf")
    number = node.exact_number() if node else None
    if node is not None and isinstance(number, (int, float)) and number <= 0:
        _error(options, "ODCS-E204", "multipleOf", f"`multipleOf` is {node.text}", "a number above 0")
    return number


def _text_format(options: View) -> str | None:
    node = options.scalar_node("format")
    if node is None:
        return None
    if node.text in FORMATS:
        return node.text
    path = options.child_path("format")
    message = f"the text format `{node.text}` is not checked"
    expected = one_of(FORMATS) + " is checked"
    options.findings.warning("ODCS-W106", message, node.at, path=path, expected=expected)
    return None
