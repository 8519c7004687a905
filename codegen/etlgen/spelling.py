"""Names as they are compared and shown: case folding, quoting, lists, one-line Markdown."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable

_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_PLAIN_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_SHOWN = 40
_WORD = re.compile(r"[^\W\d]\w*")


def folded(name: str) -> str:
    """``name`` without regard to ASCII case: how SQL finds columns."""
    return name.translate(_ASCII_LOWER)


def find_column(name: str, available: Iterable[str]) -> str | None:
    """The spelling in ``available`` that an SQL reference ``name`` means: the exact one, else by folded case."""
    names = tuple(available)
    if name in names:
        return name
    wanted = folded(name)
    return next((candidate for candidate in names if folded(candidate) == wanted), None)


def words_in(text: str) -> list[str]:
    """All that may be a name in ``text``, in the order in which it stands there."""
    return _WORD.findall(text)


def quoted(name: str) -> str:
    """``name`` as an SQL identifier, quoted where it must be."""
    return name if _PLAIN_IDENTIFIER.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def sql_text(value: str) -> str:
    """``value`` as an SQL string literal."""
    return "'" + value.replace("'", "''") + "'"


def one_line(text: str, limit: int = 200) -> str:
    """Contract text for titles and messages: one line, invisible characters spelled out, cut at ``limit``."""
    visible = "".join(_visible(char) for char in " ".join(text.split()))
    return visible if len(visible) <= limit else visible[: limit - 1] + "…"


def code(text: str) -> str:
    """``text`` as Markdown code on one line, whatever it holds."""
    line = one_line(text)
    runs = [len(run) for run in re.findall(r"`+", line)]
    if not runs:
        return f"`{line}`"
    fence = "`" * (max(runs) + 1)
    return f"{fence} {line} {fence}"


def codes(names: Iterable[str]) -> str:
    """Names as Markdown code, with commas."""
    return ", ".join(code(name) for name in names)


def one_of(names: Iterable[str]) -> str:
    """``one of `a`, `b```: each name once; a long list is cut, an empty one is the empty string."""
    known = list(dict.fromkeys(names))
    more = f" and {len(known) - _MOST_SHOWN} more" if len(known) > _MOST_SHOWN else ""
    return f"one of {codes(known[:_MOST_SHOWN])}{more}" if known else ""


def with_article(noun: str) -> str:
    """``a decimal``, ``an int32``, as it is spoken: ``a uint8``, ``an unknown``."""
    return f"{'an' if noun.lower().startswith(('a', 'e', 'i', 'o', 'un')) else 'a'} {noun}"


def _visible(char: str) -> str:
    return f"<U+{ord(char):04X}>" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
