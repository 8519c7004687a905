"""The header of a generated file: where it came from, and a hash by which an edit by hand is noticed."""

from __future__ import annotations

import hashlib
import re

from etlgen.python_source.literals import one_line
from etlgen.version import HEADER, VERSION

_COOKIE = re.compile(r"coding[:=]")
"""By these characters in a comment of the first two lines Python takes an encoding for the whole file (PEP 263)."""

_HEADER = re.compile(rf"{HEADER} \S+ from .*; do not edit\. sha256: ([0-9a-f]{{64}})\n")


def sealed(text: str, origin: str = "the contracts of the project") -> str:
    """``text`` under a header that names its origin and the SHA-256 of what follows the header.

    Neither the origin nor the first line of ``text`` (of a template of the user's own) can tell Python another encoding.

    Args:
        text: The whole module; it ends with a line feed.
        origin: The contract's file, relative to the project.
    """
    shown = _COOKIE.sub(lambda found: f"codingU+{ord(found[0][-1]):04X}", one_line(origin))
    body = f"\n{text}" if _COOKIE.search(text.partition("\n")[0]) else text
    return f"{HEADER} {VERSION} from {shown}; do not edit. sha256: {_digest(body)}\n{body}"


def is_untouched(text: str) -> bool:
    """Whether the text carries a header whose hash is that of what follows; line ends of the checkout do not count."""
    normal = text.replace("\r\n", "\n")
    match = _HEADER.match(normal)
    return match is not None and match[1] == _digest(normal[match.end() :])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
