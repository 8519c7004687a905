"""Archives are unpacked whole, in bounded memory, or refused; their names lead nowhere."""

from __future__ import annotations

import gzip
import io
import os
import random
import re
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from tests.e2e.malformed.archives import encrypted, gz, zipped
from tests.little_room import needs_limits, room_for

from etlgen_runtime.contract import Format
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.limits import Limits
from etlgen_runtime.unpacking import BLOCK_BYTES, unpack

NOISE = random.Random(7).randbytes(3 * BLOCK_BYTES)


def unpacked(folder: Path, name: str, packed: bytes, format: Format = "csv", limits: Limits | None = None) -> bytes:
    (folder / name).write_bytes(packed)
    unpack(folder / name, folder / "plain", format, limits or Limits())
    return (folder / "plain").read_bytes()


def refusal(folder: Path, name: str, packed: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(DataError) as caught:
        unpacked(folder, name, packed, limits=limits)
    assert caught.value.diagnostic.code == "PMDATA105"
    assert caught.value.diagnostic.help
    return caught.value.diagnostic.message.removeprefix(f"`{name}` ")


@pytest.mark.parametrize("content", [b"", b"x", b"0" * 5_000_000, NOISE], ids=["empty", "short", "dense", "noise"])
@pytest.mark.parametrize("name", ["f.csv.gz", "F.CSV.GZ", "f.csv.zip"])
def test_what_was_packed_comes_out(tmp_path: Path, name: str, content: bytes) -> None:
    packed = zipped(("f.csv", content)) if name.endswith("zip") else gz(content)
    assert unpacked(tmp_path, name, packed) == content


@pytest.mark.parametrize("parts", [1, 7, 5000])
def test_gzip_members_one_behind_the_other(tmp_path: Path, parts: int) -> None:
    step = len(NOISE) // parts
    members = [NOISE[at : at + step] for at in range(0, step * parts, step)]
    assert unpacked(tmp_path, "f.gz", b"".join(map(gz, members))) == b"".join(members)


def test_many_short_members_take_no_longer_than_their_bytes(tmp_path: Path) -> None:
    """A rest that was copied for each of them would make it hundreds of gigabytes."""
    packed = gz(b"") * 400_000
    begin = time.process_time()
    assert unpacked(tmp_path, "f.gz", packed) == b""
    assert time.process_time() - begin < 20


def test_a_gzip_file_cut_anywhere_is_refused(tmp_path: Path) -> None:
    packed = gz(b"id\n1\n") + gz(b"2\n")
    ends = {len(gz(b"id\n1\n")), len(packed)}
    for end in set(range(1, len(packed))) - ends:
        said = refusal(tmp_path, "f.gz", packed[:end])
        assert said in ("is cut off: its gzip data have no end", "is not a gzip file, as its name says"), end


def test_a_gzip_file_with_any_byte_changed_behind_its_header_is_refused(tmp_path: Path) -> None:
    """The header holds a time, flags and a name; what follows is covered by checksum and length."""
    packed = gz(b"id\n1\n2\n3\n")
    for at in range(10, len(packed)):
        changed = bytearray(packed)
        changed[at] ^= 0x41
        refusal(tmp_path, "f.gz", bytes(changed))


def test_the_name_within_a_gzip_file_is_not_looked_at(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with gzip.GzipFile("../../evil.csv", "wb", fileobj=packed) as file:
        file.write(b"id\n")
    assert unpacked(tmp_path, "f.csv.gz", packed.getvalue()) == b"id\n"
    assert sorted(os.listdir(tmp_path)) == ["f.csv.gz", "plain"]


@pytest.mark.parametrize("size", [1, BLOCK_BYTES, BLOCK_BYTES + 1])
@pytest.mark.parametrize("name", ["f.csv.gz", "f.csv.zip"])
def test_the_limit_is_exact(tmp_path: Path, name: str, size: int) -> None:
    content = b"0" * size
    packed = zipped(("f.csv", content)) if name.endswith("zip") else gz(content)
    assert unpacked(tmp_path, name, packed, limits=Limits(unpacked_bytes=size)) == content
    if size > 1:
        said = refusal(tmp_path, name, packed, limits=Limits(unpacked_bytes=size - 1))
        assert said == f"holds more than {size - 1} bytes"
        assert (tmp_path / "plain").stat().st_size < size


def test_a_size_that_the_directory_of_a_zip_archive_makes_up_is_not_believed(tmp_path: Path) -> None:
    packed = zipped(("f.csv", b"0" * 1000))
    lie = packed.replace((1000).to_bytes(4, "little"), (5).to_bytes(4, "little"))
    assert lie != packed
    assert refusal(tmp_path, "f.zip", lie) == "is damaged: its zip data do not agree with themselves"


def test_a_zip_archive_cut_anywhere_is_refused(tmp_path: Path) -> None:
    packed = zipped(("f.csv", b"id\n1\n"))
    for end in range(len(packed)):
        refusal(tmp_path, "f.zip", packed[:end])


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (zipped(("a.csv", b"x"), ("a.csv", b"y")), "holds 2 csv files (by suffix), expected one"),
        (zipped(("a.txt", b"x")), "holds no csv file (by suffix), expected one"),
        (zipped(("a.csv/", b"")), "holds no csv file (by suffix), expected one"),
        (zipped(("a.csv.gz", gz(b"x"))), "holds no csv file (by suffix), expected one"),
        (zipped(("a.parquet", b"x")), "holds no csv file (by suffix), expected one"),
        (encrypted(zipped(("a.csv", b"x"))), "is encrypted"),
        (zipped(("a.csv", b"x"), method=zipfile.ZIP_LZMA), "is packed by another method than deflate"),
        (b"x" + zipped(("a.csv", b"x")), "has something before its first member"),
        (zipped(*((f"{number}.csv", b"") for number in range(25_000))), "has too many members: one is expected"),
        (b"PK\x05\x06" + b"\0" * 18, "holds no csv file (by suffix), expected one"),
        (b"", "is cut off, or not a zip archive, as its name says"),
    ],
)
def test_a_zip_archive_that_is_not_one_file_is_refused(tmp_path: Path, packed: bytes, said: str) -> None:
    assert refusal(tmp_path, "f.zip", packed) == said


def test_a_zip_archive_with_a_comment(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", b"id\n")
        archive.comment = b"made by hand"
    assert unpacked(tmp_path, "f.zip", packed.getvalue()) == b"id\n"


def test_a_comment_that_looks_like_the_end_of_an_archive_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", b"id\n")
        archive.comment = b"PK\x05\x06" + b"\0" * 18
    assert refusal(tmp_path, "f.zip", packed.getvalue()) == "holds no csv file (by suffix), expected one"


def test_a_zip_archive_of_the_large_kind(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, archive.open("a.csv", "w", force_zip64=True) as member:
        member.write(b"id\n")
    assert unpacked(tmp_path, "f.zip", packed.getvalue()) == b"id\n"


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"`gone\.csv\.gz` cannot be read: No such file"):
        unpack(tmp_path / "gone.csv.gz", tmp_path / "plain", "csv", Limits())


STATUS = Path("/proc/self/status")
PROGRAM = """
import re, sys
from pathlib import Path
from etlgen_runtime.limits import Limits
from etlgen_runtime.unpacking import unpack

def peak():  # of this program alone; getrusage also counts the process that started it
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text()).group(1)) * 1024

before = peak()
unpack(Path(sys.argv[1]), Path(sys.argv[2]), "csv", Limits())
print(peak() - before)
"""


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not tell the peak of memory of one program")
@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_memory_does_not_grow_with_the_content(tmp_path: Path, kind: str) -> None:
    """300 MB out of 300 kB."""
    size = 300_000_000
    path = tmp_path / f"f.csv.{kind}"
    if kind == "gz":
        packer = zlib.compressobj(wbits=31)
        path.write_bytes(b"".join(packer.compress(b"0" * 1_000_000) for _ in range(300)) + packer.flush())
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("f.csv", "w") as member:
            for _ in range(300):
                member.write(b"0" * 1_000_000)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(tmp_path / "plain")], capture_output=True, text=True, check=True
    )
    assert (tmp_path / "plain").stat().st_size == size
    assert int(done.stdout) < 20_000_000


@needs_limits
@pytest.mark.parametrize("room", [BLOCK_BYTES, len(NOISE) - 1])
def test_a_full_disk_is_no_fault_of_the_file(tmp_path: Path, room: int) -> None:
    """The copy stops where the system allows no longer file, if only the last byte is missing; the error is the system's own."""
    (tmp_path / "f.csv.gz").write_bytes(gz(NOISE))
    with room_for(room), pytest.raises(OSError, match="File too large"):
        unpack(tmp_path / "f.csv.gz", tmp_path / "plain", "csv", Limits())


BOUNDLESS = Path("/proc/self/mem")
"""Opens, and then cannot be read."""


@pytest.mark.skipif(not BOUNDLESS.exists(), reason="the system has no file that opens and cannot be read")
@pytest.mark.parametrize("name", ["f.csv.gz", "f.csv.zip"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(BOUNDLESS)
    with pytest.raises(DataError, match=rf"`{re.escape(name)}` cannot be read: I"):
        unpack(tmp_path / name, tmp_path / "plain", "csv", Limits())


def with_zip64_end(archive: bytes, directory_bytes: int | None = None) -> bytes:
    """The archive with the second end that large ones have; it is what counts where it stands."""
    at = archive.rindex(b"PK\x05\x06")
    *_, members, size, offset, _ = struct.unpack("<4s4H2LH", archive[at:])
    size = size if directory_bytes is None else directory_bytes
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, members, members, size, offset)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at, 1)
    return archive[:at] + end + locator + archive[at:]


def test_the_directory_of_a_large_archive(tmp_path: Path) -> None:
    archive = zipped(("f.csv", b"id\n"))
    assert unpacked(tmp_path, "f.zip", with_zip64_end(archive)) == b"id\n"
    assert refusal(tmp_path, "f.zip", with_zip64_end(archive, 1 << 40)) == "has too many members: one is expected"
