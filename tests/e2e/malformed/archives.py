"""Archives for the cases, sound ones and others."""

from __future__ import annotations

import gzip
import io
import warnings
import zipfile

LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def gz(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these members."""
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w", method) as archive:
        warnings.simplefilter("ignore")  # names that occur twice
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return packed.getvalue()


def encrypted(archive: bytes) -> bytes:
    """The archive with its members marked as encrypted."""
    changed = bytearray(archive)
    for mark, flags in ((LOCAL, 6), (CENTRAL, 8)):
        at = archive.find(mark)
        while at >= 0:
            changed[at + flags] |= 1
            at = archive.find(mark, at + 4)
    return bytes(changed)
