"""CSV files in another encoding than UTF-8: a UTF-8 copy is read, since Polars reads UTF-8 only."""

from __future__ import annotations

import codecs
from pathlib import Path

from etlgen_runtime.diagnostics import Diagnostic, PlanError
from etlgen_runtime.text import is_text_encoding

CHUNK_BYTES = 1 << 20
LOSSY = "utf8-lossy"
"""UTF-8 in which bytes that are none become U+FFFD, on request."""


class UndecodableText(Exception):
    """A file holds bytes, in that line (from 1), that its encoding does not have."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


def plain_codec(encoding: str) -> str | None:
    """``utf-8`` or ``ascii`` where a file can be read as it is, else ``None``.

    Raises:
        PlanError: PMPLAN107, the encoding is unknown.
    """
    if encoding == LOSSY:
        return None
    if not is_text_encoding(encoding):
        raise PlanError(
            Diagnostic(
                code="PMPLAN107",
                message=f"unknown encoding `{encoding}`",
                node="source",
                help="use a Python codec name such as utf-8, latin-1, cp1252, utf-16",
            )
        )
    codec = codecs.lookup(encoding)
    if codec.name in ("utf-8", "utf-8-sig"):
        return "utf-8"
    return "ascii" if codec.name == "ascii" else None


def has_wide_units(encoding: str) -> bool:
    """A character takes two bytes or more, so that its bytes may look like anything."""
    return encoding != LOSSY and len("a".encode(encoding)) > 1


def copy_as_utf8(path: Path, encoding: str, copy: Path) -> None:
    """Write the text of ``path`` to ``copy`` in UTF-8; line ends stay as they are.

    Raises:
        UndecodableText: At the first bytes that are not in the encoding.
    """
    lossy = encoding == LOSSY
    decoder = codecs.getincrementaldecoder("utf-8" if lossy else encoding)("replace" if lossy else "strict")
    lines = 0
    with path.open("rb", buffering=0) as source, copy.open("wb") as target:
        while True:
            chunk = source.read(CHUNK_BYTES)
            state = decoder.getstate()
            try:
                encoded = decoder.decode(chunk, not chunk).encode("utf-8")
            except UnicodeDecodeError as error:
                decoder.setstate(state)
                good = decoder.decode(chunk[: max(error.start - len(state[0]), 0)])
                raise UndecodableText(lines + good.count("\n") + 1) from None
            except UnicodeError:
                raise UndecodableText(lines + 1) from None
            target.write(encoded)
            lines += encoded.count(b"\n")
            if not chunk:
                return
