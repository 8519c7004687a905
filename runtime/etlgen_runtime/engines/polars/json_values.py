"""One value of JSON: numbers keep their spelling, and what has no certain meaning is refused."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import cast

_LONGEST_CUT = 16
"""No token but a string is longer where the end of a window cuts it (``-Infinity``, a pair of ``\\uXXXX``)."""
_CONSTANTS = frozenset({"NaN", "Infinity", "-Infinity"})
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]|[^\s{}\[\],:"]++')
_COLON = re.compile(r"\s*+:")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class ValueFault(Exception):
    """A value that is not accepted.

    Args:
        what: The rest of a sentence that begins with the file's name; a line may follow.
        offset: Its place in the text.
    """

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(what)
        self.what = what
        self.offset = offset


class TextEnds(Exception):
    """The value may go on beyond the end of the text."""


def decode_value(text: str, start: int, *, whole: bool) -> tuple[object, int]:
    """The value that begins at ``start``, and where it ends.

    Numbers are ``bytes``, which are their spelling and tell them from text; objects are ``dict``, arrays ``list``.

    Args:
        whole: The text is all there is; else a value may go on beyond it, and of a number only the digits here are seen.

    Raises:
        ValueFault: Not JSON; a key twice in an object, ``NaN`` or an infinity, half of a surrogate pair, nested too deeply.
        TextEnds: The text is not whole, and the value may go on.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
        is_text = text.find("\\u", start, end) < 0 or _SURROGATE.search(text, start, end) is None or _is_text(value)
    except json.JSONDecodeError as error:
        if not whole and _may_be_cut(error):
            raise TextEnds from None
        raise ValueFault("is not JSON", error.pos) from None
    except RecursionError:
        raise ValueFault("is not JSON that can be read: it is nested too deeply", start) from None
    except ValueError:
        raise _first_fault(text, start) from None
    if not is_text:
        raise _first_fault(text, start)
    return value, end


def _may_be_cut(error: json.JSONDecodeError) -> bool:
    """The fault may be no more than the end of the text: it is there, or in a string without end."""
    return error.pos > len(error.doc) - _LONGEST_CUT or error.msg.startswith("Unterminated string")


def _first_fault(text: str, start: int) -> ValueFault:
    """What the decoder refused without telling the place: the text is JSON up to there."""
    open_keys: list[set[str] | None] = []
    for match in _TOKEN.finditer(text, start):
        token = match.group()
        what: str | None = None
        if token in "{[":
            open_keys.append(set() if token == "{" else None)
        elif token in "}]":
            open_keys.pop()
        elif token.startswith('"'):
            is_key = bool(open_keys) and _COLON.match(text, match.end()) is not None
            what = _fault_of_text(json.loads(token), open_keys[-1] if is_key else None)
        elif token in _CONSTANTS:
            what = "is not JSON"
        if what is not None:
            return ValueFault(what, match.start())
    return ValueFault("is not JSON", start)


def _fault_of_text(text: str, keys: set[str] | None) -> str | None:
    if not _is_text(text):
        return "holds half of a surrogate pair, which is no text,"
    if keys is None:
        return None
    if text in keys:
        return f"has the key `{text}` twice in one object"
    keys.add(text)
    return None


def _is_text(value: object) -> bool:
    """No half of a surrogate pair is in it."""
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse_constant(word: str) -> object:
    raise ValueError(word)


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Which of two values of one key counts is anybody's guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


_DECODER = json.JSONDecoder(
    parse_int=str.encode, parse_float=str.encode, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys
)


def spelling(value: object) -> str | None:
    """A decoded value as text: text itself, numbers as they are spelled, ``true``/``false``, arrays and objects as JSON.

    Raises:
        RecursionError: It is nested too deeply.
    """
    if value is None or isinstance(value, str):
        return value
    return _json(value)


def _json(value: object) -> str:
    """JSON with sorted keys and no blanks, in which every number has the digits of the file."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case bytes():
            return value.decode("ascii")
        case dict():
            members = sorted(cast("dict[str, object]", value).items())
            return "{" + ",".join(f"{encode_basestring(key)}:{_json(item)}" for key, item in members) + "}"
        case list():
            return "[" + ",".join(_json(item) for item in cast("list[object]", value)) + "]"
        case _:
            return encode_basestring(cast("str", value))
