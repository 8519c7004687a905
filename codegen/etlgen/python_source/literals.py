"""How contract text enters generated code: as a value, never by pasting (architecture, "From contract to code").

Literals are ASCII; comments and docstrings keep visible characters and spell out all others, so no text of a contract can
change how a line of code is displayed or read.
"""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import cast

from etlgen_runtime.types import Kind, LogicalType

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that reorder, break or hide text: controls, formats (direction marks), surrogates, unassigned."""


def python_literal(value: object) -> str:
    """A Python expression equal to ``value``, in ASCII.

    Args:
        value: ``None``, a scalar, a date or time, a ``Decimal``, or tuples, lists and mappings of these.

    Raises:
        TypeError: Another type; nothing else is a constant.
    """
    match value:
        case None | bool() | int() | str() | bytes():
            return ascii(value)
        case float():
            return repr(value) if value - value == 0 else f"float({str(value)!r})"
        case Decimal():
            return f'Decimal("{value}")'
        case dt.datetime() | dt.date() | dt.time() | dt.timedelta():
            return repr(value).replace("datetime.timezone.utc", "datetime.UTC")
        case tuple() | list():
            return _sequence(tuple(cast("Sequence[object]", value)), is_tuple=isinstance(value, tuple))
        case Mapping():
            pairs = cast("Mapping[object, object]", value).items()
            return "{" + ", ".join(f"{python_literal(key)}: {python_literal(each)}" for key, each in pairs) + "}"
        case _:
            raise TypeError(f"{type(value).__name__} is no constant")


def _sequence(values: tuple[object, ...], *, is_tuple: bool) -> str:
    parts = ", ".join(python_literal(value) for value in values)
    if is_tuple:
        return f"({parts},)" if len(values) == 1 else f"({parts})"
    return f"[{parts}]"


def one_line(text: str) -> str:
    """``text`` on one line for a comment: white space collapsed, characters that cannot be seen spelled ``U+202E``."""
    collapsed = " ".join("".join(" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text).split())
    return "".join(_visible(char) for char in collapsed)


def docstring_text(text: str) -> str:
    """``text`` on one line for the inside of a docstring: as :func:`one_line`; it can neither end nor escape it."""
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def _visible(char: str) -> str:
    """The character itself when it shows as what it is, else its code point."""
    if char.isascii() or unicodedata.category(char) not in _INVISIBLE:
        return char
    return f"U+{ord(char):04X}"


def type_name(type_: LogicalType) -> str:
    """The constant or call of ``etlgen_runtime.types`` for a logical type, as generated code spells it."""
    if type_.kind is Kind.DECIMAL:
        return f"decimal({type_.precision}, {type_.scale})"
    plain = LogicalType(type_.kind)
    if type_ == plain:
        return type_.kind.name
    extras = (
        f"{name}={python_literal(getattr(type_, name))}"
        for name in type_.__slots__
        if getattr(type_, name) != getattr(plain, name)
    )
    return f"replace({type_.kind.name}, {', '.join(extras)})"
