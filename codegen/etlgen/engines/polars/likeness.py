"""LIKE and ILIKE: the simple patterns as plain text functions, the others as one regular expression."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache

from etlgen.engines.polars.comparisons import predicate
from etlgen.engines.polars.fragments import Binding, Fragment, quoted
from etlgen.engines.polars.literals import expression, null_fragment
from etlgen_runtime.types import BOOLEAN

_ANY, _ONE = "%", "_"
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")


def like_call(value: Fragment, pattern: Fragment, constant: str | None, escape: str, *, ignore_case: bool) -> Fragment:
    """``value LIKE pattern``; ``constant`` is the pattern's text when it is known at build."""
    subject = expression(value)
    if constant is None:
        name = "fn.ilike" if ignore_case else "fn.like"
        tail = f", {quoted(escape)}" if escape else ""
        return predicate(f"{name}({subject.text}, {expression(pattern).text}{tail})")
    tokens = _tokens(constant, escape)
    if tokens is None:
        return null_fragment(BOOLEAN)
    if ignore_case and any(letter.lower() != letter.upper() for letter in constant):
        return predicate(f"{subject.receiver}.str.contains({quoted(_expression(tokens, _any_case))})")
    return _plain(subject, tokens)


def _plain(subject: Fragment, tokens: list[str]) -> Fragment:
    """Equality, begins with, ends with, contains, or a regular expression."""
    words = [token for token in tokens if len(token) > 1]
    text = "".join(word[1] for word in words)
    shape = "".join("x" if len(token) > 1 else token for token in tokens)
    shape = re.sub("x+", "x", re.sub("%+", "%", shape))
    if shape in ("x", ""):
        return predicate(f"{subject.above(Binding.COMPARISON)} == {quoted(text)}", Binding.COMPARISON)
    calls = {"x%": f"starts_with({quoted(text)})", "%x": f"ends_with({quoted(text)})"}
    calls["%x%"] = f"contains({quoted(text)}, literal=True)"
    call = calls.get(shape, f"contains({quoted(_expression(tokens, _escaped))})")
    return predicate(f"{subject.receiver}.str.{call}")


def _tokens(pattern: str, escape: str) -> list[str] | None:
    """``%``, ``_``, and every literal character behind a backslash; ``None`` when it ends in the escape character."""
    found: list[str] = []
    letters = iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            following = next(letters, None)
            if following is None:
                return None
            found.append("\\" + following)
        else:
            found.append(letter if letter in (_ANY, _ONE) else "\\" + letter)
    return found


def _expression(tokens: list[str], spell: Callable[[str], str]) -> str:
    body = "".join({_ANY: ".*", _ONE: "."}.get(token) or spell(token[1]) for token in tokens)
    return rf"(?s)\A{body}\z"


def _escaped(letter: str) -> str:
    return _SPECIAL.sub(lambda match: "\\" + match[0], letter)


def _any_case(letter: str) -> str:
    """All characters with the same simple lower case, as a class; DuckDB compares lower cases."""
    same = _same_lower_case().get(_simple_lower(letter), letter)
    return _escaped(letter) if len(same) == 1 else f"[{same}]"


@cache
def _same_lower_case() -> dict[str, str]:
    groups: dict[str, list[str]] = {}
    for letter in _cased_letters():
        groups.setdefault(_simple_lower(letter), []).append(letter)
    return {lower: "".join(letters) for lower, letters in groups.items()}


def _cased_letters() -> Iterator[str]:
    letters = map(chr, range(sys.maxunicode + 1))
    return (letter for letter in letters if letter.lower() != letter or letter.upper() != letter)


def _simple_lower(letter: str) -> str:
    return letter.lower()[:1]
