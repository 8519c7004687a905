"""Character sets the specification names: blanks of the cast table and the white space of the ``trim`` operation."""

from __future__ import annotations

import codecs

BLANKS = " \t\r\n"
"""What is ignored around text read as another type (semantics, section 4). NBSP and other spaces are not blanks."""

WHITESPACE = (
    "\t\n\v\f\r \u0085\u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
    "\ufeff"
)
"""What the ``trim`` operation removes: the 25 Unicode White_Space code points and U+FEFF (semantics, section 5)."""


def fold_case(name: str) -> str:
    """A column name with its ASCII letters in lower case: names that are equal so are not told apart (semantics, section 4)."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def is_text_encoding(name: str) -> bool:
    """A codec of Python that turns the bytes of a file into text, a block at a time.

    Others turn bytes into bytes (``base64``), or a single name into text (``idna``, ``punycode``).
    """
    try:
        codec = codecs.lookup(name)
        "".encode(name)
    except (LookupError, ValueError):
        return False
    return codec.name not in ("idna", "punycode")


def is_blank(text: str) -> bool:
    """Text without a single character other than blanks: NULL for every target but string."""
    return not text.strip(BLANKS)
