"""The boolean, uuid, binary and json rows of the cast table (semantics, section 4)."""

from __future__ import annotations

import base64
import binascii
import re
from decimal import Decimal

from pydantic_core import from_json

from etlgen_runtime.casts.unfit import Unfit

TRUE_WORDS = ("true", "t", "yes", "y", "1")
FALSE_WORDS = ("false", "f", "no", "n", "0")
UUID_PATTERN = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_UUID = re.compile(UUID_PATTERN)


def boolean_from_text(text: str) -> bool:
    """true/false, t/f, yes/no, y/n, 1/0 in any case."""
    word = text.lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise Unfit("not a word for true or false")


def boolean_from_number(value: float | Decimal) -> bool:
    """The numbers 0 and 1."""
    if value in (0, 1):
        return value == 1
    raise Unfit("a number other than 0 and 1")


def uuid_from_text(text: str) -> str:
    """Canonical text, lower-cased."""
    if _UUID.fullmatch(text) is None:
        raise Unfit("not a canonical uuid")
    return text.lower()


def binary_from_text(text: str) -> bytes:
    """Base64: the standard alphabet with its padding, no stray bits, no line breaks."""
    try:
        value = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise Unfit("not base64") from None
    if base64.b64encode(value).decode("ascii") != text:
        raise Unfit("base64 with stray bits")
    return value


def json_from_text(text: str) -> str:
    """``text`` itself if it parses as JSON; the words NaN and Infinity do not."""
    try:
        from_json(text, allow_inf_nan=False)
    except ValueError:
        raise Unfit("does not parse as JSON") from None
    return text
