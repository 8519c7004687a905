"""Reading case folders: the whole vocabulary, and every mistake with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from etlgen.conformance.case import Case, load_case
from etlgen.diagnostics.model import ContractError

FULL = """\
id: OLC-X-001
spec_version: 1.0.0
level: materialization
feature: quality.row.sql
description: every key once
input: input.jsonl
expected:
  accepted: expected/accepted.jsonl
  quarantined: expected/quarantined.jsonl
  target: expected/target.jsonl
also_passes:
  error_contains: [PHS-001, total]
  line: 12
  stage: generate
assertions:
  rows_input: 3
  rows_accepted: 2
  rows_quarantined: 1
  failed_rules: {fare: 1}
  warned_rules: {soft: 2}
  dataset_rules_failed: [one]
  dataset_rules_passed: [two]
  refusal_conforms: true
  messages_must_contain: [fare]
  messages_must_not_contain: secret
  error_must_not_contain: [secret]
  columns_accepted: [id]
  same_result_for_any_input_order: true
comparison:
  sort_by: [id]
  columns: all
  quarantined_columns: [id]
  quarantined_compare: text
  exact: [fare]
  numeric_tolerance: 1e-3
  ignore_fields: [run_id]
materialization:
  format: csv
  seed: seed.jsonl
  idempotent: true
  more_loads: [second.jsonl]
env: {REGION: "on"}
reasoning: because
confidence: high
source: semantics, section 3
"""


def folder_with(tmp_path: Path, manifest: str) -> Path:
    """A case folder that has every file FULL names."""
    for name in ("input", "seed", "second", "expected/accepted", "expected/quarantined", "expected/target"):
        path = tmp_path / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}\n")
    (tmp_path / "contract.olc.yaml").write_text("version: 1.0.0\n")
    (tmp_path / "case.yaml").write_text(manifest)
    return tmp_path


def load(tmp_path: Path, manifest: str) -> Case:
    return load_case(folder_with(tmp_path, manifest), "cases/x")


def problems(tmp_path: Path, manifest: str) -> list[tuple[str, int]]:
    with pytest.raises(ContractError) as caught:
        load(tmp_path, manifest)
    return [(d.code, d.at.line if d.at else 0) for d in caught.value.diagnostics]


def test_every_key_is_read(tmp_path: Path) -> None:
    case = load(tmp_path, FULL)
    assert (case.id, case.level, case.feature) == ("OLC-X-001", "materialization", "quality.row.sql")
    assert case.input == tmp_path / "input.jsonl"
    assert case.expected.accepted == tmp_path / "expected" / "accepted.jsonl"
    assert not case.expected.stops
    assert case.also_passes[0].error_contains == ("PHS-001", "total")
    assert (case.also_passes[0].line, case.also_passes[0].stage, case.also_passes[0].stops) == (12, "build", True)
    assert case.assertions.failed_rules == {"fare": 1}
    assert case.assertions.warned_rules == {"soft": 2}
    assert case.assertions.messages_must_not_contain == ("secret",)
    assert case.assertions.same_result_for_any_input_order
    assert case.comparison.columns == "all"
    assert case.comparison.quarantined_columns == ("id",)
    assert case.comparison.quarantined_as_text
    assert case.comparison.numeric_tolerance == 0.001
    assert case.loads is not None
    assert case.loads.seed == tmp_path / "seed.jsonl"
    assert case.loads.more_loads == (tmp_path / "second.jsonl",)
    assert case.loads.idempotent
    assert case.env == {"REGION": "on"}


def test_input_defaults_to_the_file_that_is_there(tmp_path: Path) -> None:
    case = load(tmp_path, "id: a\nlevel: core-runtime\nassertions: {rows_input: 1}\n")
    assert case.input == tmp_path / "input.jsonl"


def test_expects_error_of_the_public_layout_means_stopping_anywhere(tmp_path: Path) -> None:
    case = load(tmp_path, "id: a\nlevel: core-runtime\nassertions: {expects_error: true}\n")
    assert case.expected.stops
    assert case.expected.stage is None


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        pytest.param("id: a\nlevel: core\n", [("CNF-003", 2)], id="a level outside its words"),
        pytest.param("level: document\n", [("CNF-003", 1)], id="no id"),
        pytest.param("id: a\nlevel: document\nexpect: {}\n", [("CNF-002", 3)], id="an unknown key"),
        pytest.param(
            "id: a\nlevel: document\nassertions:\n  rows_acepted: 1\n  rows_input: -1\n",
            [("CNF-002", 4), ("CNF-003", 5)],
            id="two mistakes at once",
        ),
        pytest.param(
            "id: a\nlevel: document\nassertions: {rows_input: true}\n", [("CNF-003", 3)], id="a boolean count"
        ),
        pytest.param("id: a\nlevel: document\nassertions: [1]\n", [("CNF-003", 3)], id="a list for a mapping"),
        pytest.param("id: a\nlevel: document\nexpected: {accepted: no.jsonl}\n", [("CNF-004", 3)], id="a missing file"),
        pytest.param("id: a\nlevel: document\ninput: ../x.jsonl\n", [("CNF-004", 3)], id="a file outside the folder"),
        pytest.param("id: a\nid: b\nlevel: document\n", [("CNF-001", 2)], id="a duplicate key"),
        pytest.param("id: [a\n", [("CNF-001", 2)], id="broken YAML"),
        pytest.param("", [("CNF-001", 1)], id="an empty file"),
        pytest.param("- a\n", [("CNF-001", 1)], id="a list"),
        pytest.param(
            "id: a\nlevel: document\ncomparison: {columns: some}\n",
            [("CNF-003", 3)],
            id="columns neither all nor a list",
        ),
        pytest.param(
            "id: a\nlevel: document\nassertions: {failed_rules: {r: many}}\n", [("CNF-003", 3)], id="a count in words"
        ),
        pytest.param(
            "id: a\nlevel: document\nassertions: {messages_must_contain: [x, '']}\n",
            [("CNF-003", 3)],
            id="a text that every message holds",
        ),
        pytest.param(
            "id: a\nlevel: document\nexpected: {error_contains: ' '}\n", [("CNF-003", 3)], id="an error of blanks"
        ),
        pytest.param(
            "id: a\nlevel: document\nexpected: {stage: run}\ncomparison: {columns: []}\n",
            [("CNF-003", 4)],
            id="no column to compare",
        ),
    ],
)
def test_a_mistake_is_reported_with_code_and_line(
    tmp_path: Path, manifest: str, expected: list[tuple[str, int]]
) -> None:
    assert problems(tmp_path, manifest) == expected


def test_a_misspelt_key_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as caught:
        load(tmp_path, "id: a\nlevel: document\nasertions: {}\n")
    assert caught.value.diagnostics[0].nearest == "assertions"


def test_a_folder_without_contract_is_reported(tmp_path: Path) -> None:
    (tmp_path / "case.yaml").write_text("id: a\nlevel: document\n")
    with pytest.raises(ContractError, match="CNF-004"):
        load_case(tmp_path, "x")


def test_bytes_that_are_not_utf8_are_reported(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "id: a\n")
    (folder / "case.yaml").write_bytes(b"id: \xff\n")
    with pytest.raises(ContractError, match="CNF-001"):
        load_case(folder, "x")


NOTHING = [
    "",
    "expected: {}\n",
    "assertions: {}\n",
    "assertions: {refusal_conforms: true}\n",
    "comparison: {columns: all}\n",
    "assertions: {error_must_not_contain: secret}\n",
]
EMPTY_ALTERNATIVE = "assertions: {rows_accepted: 5}\nalso_passes: [{stage: run}, {}]\n"
LEAST = [
    "expected: {accepted: expected/accepted.jsonl}\n",
    "expected: {stage: run}\n",
    "assertions: {failed_rules: {}}\n",
    "assertions: {messages_must_not_contain: secret}\n",
    "materialization: {idempotent: true}\n",
]


@pytest.mark.parametrize("rest", [*NOTHING, EMPTY_ALTERNATIVE])
def test_a_case_that_no_run_could_fail_is_a_mistake(tmp_path: Path, rest: str) -> None:
    """What is absent is not compared, so such a case would pass whatever came out."""
    assert problems(tmp_path, f"id: a\nlevel: core-runtime\n{rest}") == [("CNF-007", 1)]


@pytest.mark.parametrize("rest", LEAST)
def test_one_assertion_makes_a_case(tmp_path: Path, rest: str) -> None:
    assert not load(tmp_path, f"id: a\nlevel: core-runtime\n{rest}").asserts_nothing
