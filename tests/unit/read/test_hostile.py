"""Broken, mutated and hostile files: diagnostics with places, in bounded time, never a traceback."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen.diagnostics.model import ContractError
from etlgen.read import read_text

OLC = b"""\
version: 1.0.0
info: {title: "Orders", table_name: orders}
model:
  fields:
    - {name: id, type: long, required: true}
    - name: day
      type: date
      accepted_values: [2024-01-01]
source: {type: landing, path: in, format: csv, options: {delimiter: ";", date_formats: {day: dd/MM/yyyy}}}
links: [{name: l, path: l.csv}]
quality:
  row_rules:
    - not_null: [id, {field: day}]
    - {name: r, sql: "id > 0", must_be_between: [0, 1]}
transformations:
  - deduplicate: {on: [id], sort_by: [day], order: [asc]}
    phase: pre
  - bucket: {field: b, source: id, bins: [{lt: 5, label: low}], default: &d hi}
extensions:
  etlgen.fields: {day: {minimum: 2024-01-01}}
"""
ODCS = b"""\
apiVersion: v3.0.2
kind: DataContract
id: abc
version: "1"
status: active
schema:
- name: t
  customProperties: [{property: etlgen, value: {source: {type: landing, path: p}}}]
  properties:
  - {name: id, logicalType: integer, primaryKey: true, primaryKeyPosition: 1}
  - {name: at, logicalType: date, logicalTypeOptions: {format: "yyyy-MM-dd HH:mm", minimum: "2024-01-01 00:00"}}
  - {name: n, logicalType: number, physicalType: "decimal(8,2)", logicalTypeOptions: {minimum: 1, exclusiveMinimum: true}}
"""
FRAGMENTS = (
    b"\t", b"\n", b": ", b"- ", b"[", b"]", b"{", b"}", b'"', b"'", b"|", b"&a ", b"*d", b"!x ", b"%", b"null", b"1e999",
    b"\xff", b"\xe2\x80\xa8", b"? ", b"<<", b"---\n", b"-1", b"[]", b"{}", b"\r", b"dd", b"true",
)  # fmt: skip


def places(data: bytes, name: str) -> list[tuple[int, int]]:
    """Line and column of each error; anything but a ContractError fails the test."""
    try:
        read_text(data, name)
    except ContractError as error:
        return [(found.at.line, found.at.column) if found.at else (0, 0) for found in error.diagnostics]
    return []


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.sampled_from([(OLC, "x.olc.yaml"), (ODCS, "x.odcs.yaml")]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from(FRAGMENTS)), min_size=1, max_size=3),
)
def test_a_mutated_contract_ends_in_a_contract_or_in_places(
    contract: tuple[bytes, str], edits: list[tuple[int, int, bytes]]
) -> None:
    data, name = contract
    for position, removed, fragment in edits:
        at = position % len(data)
        data = data[:at] + fragment + data[at + removed :]
    assert all(line >= 1 and column >= 1 for line, column in places(data, name))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_any_bytes_end_in_places(data: bytes) -> None:
    assert all(line >= 1 and column >= 1 for line, column in places(data, "x.yaml"))


HEAD = "version: 1.0.0\ninfo: {title: T}\nmodel: {fields: [{name: a, type: string}]}\n"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{number}: 1\n" for number in range(60_000)),
        "quality:\n  row_rules:\n" + "".join(f"  - {{not_null: a, severity: x{number}}}\n" for number in range(15_000)),
        "extensions:\n  etlgen.fields:\n" + "".join(f"    g{number}: {{min_length: 1}}\n" for number in range(20_000)),
        "transformations:\n"
        + "".join(f"  - {{cast: {{columns: {{a: strin{number}}}}}}}\n" for number in range(15_000)),
        "tier: " + "a" * 900_000 + "\n",
        "primary_key: [" + "[]," * 90_000 + "]\n",
    ],
    ids=["unknown keys", "bad severities", "unknown extensions", "unknown types", "long text", "empty lists"],
)
def test_a_large_broken_file_is_judged_in_bounded_time(text: str) -> None:
    start = time.monotonic()
    found = places((HEAD + text).encode(), "x.olc.yaml")
    assert time.monotonic() - start < 30  # two seconds on an idle machine
    assert len(found) <= 500


def test_a_hundred_contracts_read_quickly() -> None:
    read_text(OLC, "x.olc.yaml")
    start = time.monotonic()
    for _ in range(100):
        read_text(OLC, "x.olc.yaml")
    assert time.monotonic() - start < 5  # a quarter of a second on an idle machine


def test_the_examples_of_the_repository_are_contracts() -> None:
    folder = Path(__file__).parents[3] / "contracts"
    files = sorted(path for path in folder.rglob("*.yaml") if path.name.endswith((".olc.yaml", ".odcs.yaml")))
    assert files
    assert [path.name for path in files if not read_text(path.read_bytes(), path.name)] == []
