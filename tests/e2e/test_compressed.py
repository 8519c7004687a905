"""Compressed input beyond single files: large ones, links, assets, cleanup; nothing unpacked is left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.malformed.archives import gz, zipped
from tests.e2e.packages import Builder, Pipeline, contract, files, rows
from tests.little_room import needs_limits, room_for

from etlgen_runtime.engines.polars.csv_source import WORTH_A_THREAD


def one_in_zip(content: bytes) -> bytes:
    return zipped(("in.csv", content))


PACKED: dict[str, Callable[[bytes], bytes]] = {"in.csv.gz": gz, "in.csv.zip": one_in_zip}
TEXT = "x" * 90
COUNT = WORTH_A_THREAD // 80
GOOD = b"id,code\n1,DE\n2,FR\n"
CODES = b"code\tname\nDE\tGermany\nFR\tFrance\n"


def large(*middle: str) -> bytes:
    half = [f"{number},{TEXT}\n" for number in range(COUNT)]
    content = "".join(["id,v\n", *half, *middle, *half]).encode()
    assert len(content) > WORTH_A_THREAD
    return content


@pytest.mark.parametrize("name", PACKED)
def test_a_large_file(build: Builder, tmp_path: Path, name: str) -> None:
    pipeline = build(contract(["id: long!", "v: string"], path=name))
    (tmp_path / name).write_bytes(PACKED[name](large("\n")))
    result = pipeline.run(tmp_path)
    assert (result.status, result.report.accounting.read) == ("succeeded", 2 * COUNT)
    assert result.report.sources == (name,)
    assert {path.split("/")[0] for path in files(tmp_path)} == {name, "out"}


@pytest.mark.parametrize("name", PACKED)
def test_a_malformed_line_of_a_large_file(build: Builder, tmp_path: Path, name: str) -> None:
    pipeline = build(contract(["id: long!", "v: string"], path=name))
    (tmp_path / name).write_bytes(PACKED[name](large("7\n")))
    (diagnostic,) = pipeline.fail(tmp_path).diagnostics
    assert diagnostic.message == f"`{name}`, line {COUNT + 2}: 1 field, expected 2"
    assert files(tmp_path) == {name}


def looking_up(build: Builder, link: str, **source: Any) -> Pipeline:
    lookup = {"field": "name", "reference": "countries", "on": "code", "key": "code", "value": "name"}
    return build(
        contract(
            ["id: long!", "code: string", "name: string"],
            path="in.csv.gz",
            source=source,
            links=[{"name": "countries", "path": link}],
            transformations=[{"lookup": lookup}],
            extensions={
                "etlgen.link_fields": {
                    "countries": [{"name": "code", "type": "string"}, {"name": "name", "type": "string"}]
                }
            },
        )
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [("codes.tsv.gz", gz(CODES)), ("codes.tsv.zip", zipped(("a/b.tsv", CODES))), ("codes.tsv", CODES)],
    ids=["gz", "zip", "plain"],
)
def test_a_link(build: Builder, tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / "in.csv.gz").write_bytes(gz(GOOD))
    (tmp_path / name).write_bytes(content)
    result = looking_up(build, name).run(tmp_path)
    assert rows(result.accepted, "id", "name") == [(1, "Germany"), (2, "France")]


def test_a_damaged_link(build: Builder, tmp_path: Path) -> None:
    (tmp_path / "in.csv.gz").write_bytes(gz(GOOD))
    (tmp_path / "codes.tsv.gz").write_bytes(gz(CODES)[:-3])
    (diagnostic,) = looking_up(build, "codes.tsv.gz").fail(tmp_path).diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "PMDATA105",
        "`codes.tsv.gz` is cut off: its gzip data have no end",
    )
    assert files(tmp_path) == {"in.csv.gz", "codes.tsv.gz"}


@needs_limits
@pytest.mark.parametrize(
    ("name", "options"), [("in.csv.gz", {}), ("in.csv", {"encoding": "latin-1"})], ids=["unpacked", "another encoding"]
)
def test_no_room_for_the_copy(build: Builder, tmp_path: Path, name: str, options: dict[str, str]) -> None:
    """The system says so: the file itself is sound."""
    source = {"format": "csv", "options": options} if options else {}
    pipeline = build(contract(["id: long!", "v: string"], path=name, source=source))
    (tmp_path / name).write_bytes(gz(large()) if name.endswith("gz") else large())
    with room_for(1 << 20):
        (diagnostic,) = pipeline.fail(tmp_path).diagnostics
    assert (diagnostic.code, diagnostic.message) == ("PMEXEC102", "a file cannot be read or written: File too large")
    assert files(tmp_path) == {name}


def test_a_file_that_a_profile_names(build: Builder, tmp_path: Path) -> None:
    """Its own suffixes tell what it is."""
    pipeline = build(contract(["id: long!", "code: string"], path="in.parquet"))
    (tmp_path / "other.jsonl.gz").write_bytes(gz(b'{"id": 1, "code": "DE"}\n'))
    result = pipeline.run(tmp_path, assets={"people": "other.jsonl.gz"})
    assert rows(result.accepted, "id", "code") == [(1, "DE")]


@pytest.mark.parametrize("name", ["other.csv.xz", "other.bz2", "other.ZST"])
def test_a_file_that_a_profile_names_and_that_is_packed_otherwise(build: Builder, tmp_path: Path, name: str) -> None:
    """Refused by its name, also where it is plain text: nobody could tell what it holds."""
    (tmp_path / name).write_text("id,v\n1,a\n")
    report = build(contract(["id: long!", "v: string"], source={"format": "csv"})).fail(
        tmp_path, assets={"people": name}
    )
    (diagnostic,) = report.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("PMDATA105", f"`{name}` is compressed in a way that is not read")


def test_the_packed_file_is_what_cleanup_moves(build: Builder, tmp_path: Path) -> None:
    cleanup = {"action": "archive", "archive_path": "done"}
    pipeline = build(contract(["id: long!", "code: string"], path="in.csv.gz", source={"post_ingestion": cleanup}))
    (tmp_path / "in.csv.gz").write_bytes(gz(GOOD))
    pipeline.run(tmp_path)
    assert (tmp_path / "done" / "in.csv.gz").read_bytes() == gz(GOOD)
    assert not (tmp_path / "in.csv.gz").exists()


def test_json_lines_called_json_in_a_folder(build: Builder, tmp_path: Path) -> None:
    source = {"format": "json", "options": {"multiline": False}}
    pipeline = build(contract(["id: long!"], path="in", source=source))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(b'{"id": 1}\n{"id": 2}\n')
    (tmp_path / "in" / "b.json.gz").write_bytes(gz(b'{"id": 3}\n{"id": 4}\n'))
    assert rows(pipeline.run(tmp_path).accepted, "id") == [(1,), (2,), (3,), (4,)]
