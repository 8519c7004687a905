"""Which values of a case equal which of an engine, and what a case may not say (conformance, comparison)."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest
from tests.unit.conformance.test_conformance_execute import CASE, CONTRACT, run

from etlgen.conformance.case import load_case
from etlgen.conformance.report import Outcome
from etlgen.conformance.values import same_quarantined, same_text, text_of
from etlgen.diagnostics.model import ContractError


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        (10, "10", True),
        (10, "10.0", True),
        (10, "x10", False),
        (Decimal("1.5"), "1.50", True),
        (True, "true", True),
        (True, "TRUE", True),
        (False, "true", False),
        (True, "1", False),
        ("10", "10", True),
        ("10", "10.0", False),
        ({"a": [1]}, '{"a": [1]}', True),
        ({"a": [1]}, '{"a": [2]}', False),
        ({"a": 1}, "[1]", False),
        ([1], "no json", False),
        ([1], 1, False),
        (None, None, True),
        (None, "", False),
        ("2024-05-01", dt.date(2024, 5, 1), True),
    ],
)
def test_value_that_quarantine_keeps_as_text(expected: object, actual: object, same: bool) -> None:
    assert same_quarantined(expected, actual, 0.0) is same


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("10", "10", True),
        (10, "10", True),
        (10, "10.0", False),
        (True, "true", True),
        (True, "TRUE", False),
        (None, None, True),
        (None, "", False),
        ("", None, False),
        ({"a": "é"}, '{"a": "é"}', True),
    ],
)
def test_values_compared_by_their_text(expected: object, actual: object, same: bool) -> None:
    assert same_text(expected, actual) is same


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (dt.datetime(2024, 5, 1, 2, 3, 4), "2024-05-01T02:03:04"),
        (dt.date(2024, 5, 1), "2024-05-01"),
        (dt.time(1, 2), "01:02:00"),
        (b"\x00\xff", "AP8="),
        (Decimal("1E+3"), "1000"),
        ([Decimal("1.50"), None, True], '["1.50", null, true]'),
    ],
)
def test_text_of_a_value(value: object, text: str) -> None:
    assert text_of(value) == text


def test_case_that_compares_quarantine_by_its_characters(tmp_path: Path) -> None:
    """The source has the number 0, written `0`; expected is another spelling of it."""
    by_text = CASE + "comparison: {quarantined_compare: text}\n"
    spelled = tmp_path / "spelled"
    spelled.mkdir()
    assert run(spelled, manifest=by_text, quarantined='{"id": 2, "qty": "0"}\n').outcome is Outcome.PASS
    other = tmp_path / "other"
    other.mkdir()
    assert run(other, manifest=by_text, quarantined='{"id": 2, "qty": "0.0"}\n').outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("also_passes: [PHS-001]", "CNF-003"),
        ("materialization: {more_loads: [none.jsonl]}", "CNF-004"),
        ("comparison: {numeric_tolerance: much}", "CNF-003"),
        ("comparison: {quarantined_compare: bytes}", "CNF-003"),
        ("assertions: {rows_input: -1}", "CNF-003"),
        ("assertions: {refusal_conforms: maybe}", "CNF-003"),
        ("assertions: {messages_must_contain: ['']}", "CNF-003"),
        ("assertions: {messages_must_contain: {a: b}}", "CNF-003"),
        ("feature: [a]", "CNF-003"),
        ("featur: a", "CNF-002"),
        ("feature: 'a", "CNF-001"),
        ('feature: "\x07"', "CNF-001"),
        ("level: other", "CNF-003"),
    ],
)
def test_mistake_of_a_case_file(tmp_path: Path, line: str, code: str) -> None:
    (tmp_path / "contract.olc.yaml").write_text(CONTRACT, encoding="utf-8")
    level = "" if line.startswith("level") else "level: document\n"
    (tmp_path / "case.yaml").write_text(f"id: X\n{level}expected: {{error_contains: a}}\n{line}\n", encoding="utf-8")
    with pytest.raises(ContractError) as refused:
        load_case(tmp_path, "cases/x")
    (found,) = refused.value.diagnostics
    assert found.code == code
    assert found.at is not None
    assert found.at.file.startswith("cases/x")


def test_file_that_is_a_folder_or_no_text(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_bytes(b"id: \xff\n")
    with pytest.raises(ContractError, match=r"CNF-001.*is not UTF-8"):
        load_case(tmp_path, "x")
    (tmp_path / "case.yaml").write_text("- a\n", encoding="utf-8")
    with pytest.raises(ContractError, match=r"CNF-001.*holds no mapping"):
        load_case(tmp_path, "x")
    (tmp_path / "case.yaml").write_text("[" * 5000, encoding="utf-8")
    with pytest.raises(ContractError, match=r"CNF-001.*nested too deeply"):
        load_case(tmp_path, "x")
