"""How contract text enters generated code: as a value, never by pasting (architecture, "From contract to code").

Literals are ASCII; comments and docstrings keep visible characters and spell out all others, so no text of a contract can
change how a line of code is displayed or read.
"""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal

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
        case tuple():
            parts = [python_literal(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        case list():
            return f"[{', '.join(python_literal(part) for part in value)}]"  # pyright: ignore[reportUnknownVariableType]
        case Mapping():
            pairs = (f"{python_literal(k)}: {python_literal(v)}" for k, v in value.items())  # pyright: ignore[reportUnknownVariableType]
            return "{" + ", ".join(pairs) + "}"
        case _:
            raise TypeError(f"{type(value).__name__} is no constant")


def call_literal(name: str, value: object) -> str:
    """A call of the constructor ``name`` with the fields of a dataclass that differ from their defaults.

    >>> from etlgen.contract import CsvOptions
    >>> call_literal("CsvOptions", CsvOptions(delimiter=";"))
    "CsvOptions(delimiter=';')"
    """
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} is no dataclass")
    given = [(field.name, getattr(value, field.name)) for field in fields(value) if getattr(value, field.name) != field.default]
    return f"{name}({', '.join(f'{key}={python_literal(each)}' for key, each in given)})"


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
    extras = (f"{name}={python_literal(getattr(type_, name))}" for name in type_.__slots__ if getattr(type_, name) != getattr(plain, name))
    return f"replace({type_.kind.name}, {', '.join(extras)})"
