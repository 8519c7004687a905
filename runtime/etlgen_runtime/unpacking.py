"""Compressed input: ``.gz`` and ``.zip`` to a plain file, in blocks; whole, or refused.

A name says how a file is compressed; nothing is sniffed. What an archive holds besides the rows (names, times, comments) is never
used: the name of a member is looked at for its suffix alone and is no path of anything (materialization, Sources).
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from etlgen_runtime.contract import Format
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.files import is_data_name
from etlgen_runtime.limits import Limits, setting

BLOCK_BYTES = 1 << 20
_PACKED_BYTES = 1 << 14
"""Read at once: what stands behind a member is copied, and members may be short."""
_DIRECTORY_BYTES = 1 << 20
"""A directory of a zip archive is read as a whole. A longer one has many more members than the one that is expected."""

_END = struct.Struct("<4s4H2LH")
_END_MARK = b"PK\x05\x06"
_END_64 = struct.Struct("<4sQ2H2L4Q4s16x")
"""The end of a zip64 directory and the locator behind it, which stand before the end."""
_LOCATOR_MARK = b"PK\x06\x07"
_LONGEST_COMMENT = 0xFFFF
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ANOTHER = "pack the file again, or unpack it"


class _Damage(Exception):
    """An archive that cannot be unpacked: the rest of a sentence that begins with its name, and the fix."""

    def __init__(self, what: str, fix: str = "transfer or pack the file again") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


def unpack(path: Path, target: Path, format: Format, limits: Limits) -> None:
    """Write what a ``.gz`` or ``.zip`` file holds to ``target``. Memory does not grow with either of them.

    Args:
        format: Which members of a zip archive are data: those whose suffix is one of it, as in a folder. There must be one.

    Raises:
        DataError: PMDATA105, the file cannot be opened, is not what its suffix says, is cut off or damaged, goes on behind its end,
            is encrypted, has no or several members that are data, or holds more than ``limits.unpacked_bytes``.
        OSError: ``target`` cannot be written.
    """
    try:
        source = path.open("rb", buffering=BLOCK_BYTES)
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror}", "check the file and its permissions") from None
    with source, target.open("wb") as plain:
        left = limits.unpacked_bytes
        try:
            for block in _unzipped(source, format) if path.suffix.lower() == ".zip" else _gunzipped(source):
                left -= len(block)
                if left < 0:
                    raise _Damage(
                        f"holds more than {limits.unpacked_bytes} bytes",
                        f"raise {setting('unpacked_bytes')}, or split it",
                    )
                plain.write(block)
        except _Damage as damage:
            raise _refusal(path, damage.what, damage.fix) from None


def _refusal(path: Path, what: str, fix: str) -> DataError:
    return DataError(Diagnostic(code="PMDATA105", message=f"`{path.name}` {what}", node="source", help=fix))


def _read(source: BinaryIO) -> bytes:
    try:
        return source.read(_PACKED_BYTES)
    except OSError as error:
        raise _Damage(f"cannot be read: {error.strerror}", "check the file and its permissions") from None


def _gunzipped(source: BinaryIO) -> Iterator[bytes]:
    """The members of a gzip file, one behind the other: each whole, with its checksum, and nothing but members.

    Zeros behind the last one, which the gzip program ignores, may as well stand where a transfer did not get to.
    """
    packed = _read(source)
    if not packed.startswith(b"\x1f\x8b"):
        raise _Damage("is not a gzip file, as its name says", "correct its name, or transfer it again")
    while packed:
        member = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        while not member.eof:
            try:
                block = member.decompress(packed, BLOCK_BYTES)
            except zlib.error:
                raise _Damage("is damaged: its gzip data do not agree with themselves") from None
            if block:
                yield block
            packed = member.unconsumed_tail or (b"" if member.eof else _read(source))
            if not packed and not block and not member.eof:
                raise _Damage("is cut off: its gzip data have no end")
        packed = member.unused_data or _read(source)
        if packed and not packed.startswith(b"\x1f\x8b"[: len(packed)]):
            raise _Damage("goes on behind its gzip data")


def _unzipped(source: BinaryIO, format: Format) -> Iterator[bytes]:
    """The one member of a zip archive that is data."""
    try:
        _require_whole(source)
        with zipfile.ZipFile(source) as archive:
            member = _only_data(archive.infolist(), format)
            with archive.open(member) as file:
                while block := file.read(BLOCK_BYTES):
                    yield block
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError):
        raise _Damage("is damaged: its zip data do not agree with themselves") from None
    except OSError as error:
        raise _Damage(f"cannot be read: {error.strerror}", "check the file and its permissions") from None


def _require_whole(source: BinaryIO) -> None:
    """The archive ends where the file ends, and its directory is short.

    Of two archives, one behind the other, :mod:`zipfile` would read the last.
    """
    size = source.seek(0, os.SEEK_END)
    source.seek(max(size - _END_64.size - _END.size - _LONGEST_COMMENT, 0))
    tail = source.read()
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END.size:
        raise _Damage("is cut off, or not a zip archive, as its name says", "correct its name, or transfer it again")
    *_, directory_bytes, _, comment_bytes = _END.unpack_from(tail, at)
    if at + _END.size + comment_bytes != len(tail):
        raise _Damage("goes on behind its zip data, or is cut off")
    if at >= _END_64.size and tail.startswith(_LOCATOR_MARK, at - 20):
        *_, directory_bytes, _, _ = _END_64.unpack_from(tail, at - _END_64.size)
    if directory_bytes > _DIRECTORY_BYTES:
        raise _Damage("has too many members: one is expected", _ANOTHER)


def _only_data(members: list[zipfile.ZipInfo], format: Format) -> zipfile.ZipInfo:
    found = [one for one in members if not one.is_dir() and is_data_name(one.filename.rpartition("/")[2], format)]
    if len(found) != 1:
        number = f"{len(found)} {format} files" if found else f"no {format} file"
        raise _Damage(f"holds {number} (by suffix), expected one", "pack each file by itself")
    (member,) = found
    if min(one.header_offset for one in members) != 0:
        raise _Damage("has something before its first member", _ANOTHER)
    if member.flag_bits & _ENCRYPTED:
        raise _Damage("is encrypted", "unpack it before")
    if member.compress_type not in _METHODS:
        raise _Damage("is packed by another method than deflate", _ANOTHER)
    return member
