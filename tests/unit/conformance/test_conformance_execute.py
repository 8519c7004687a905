"""Whole cases, built and run for real: right ones pass, and each planted mistake fails."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from etlgen.conformance.execute import execute
from etlgen.conformance.report import Outcome, Result
from etlgen.conformance.runner import run_case
from etlgen.conformance.shuffle import reordered

CONTRACT = """\
version: 1.0.0
info: {title: Orders, table_name: orders}
model:
  fields:
    - {name: id, type: int, required: true}
    - {name: qty, type: int, min: 1}
    - {name: total, type: int}
transformations:
  - derive: {field: total, sql: "qty * 10"}
"""
CASE = """\
id: T-001
level: core-runtime
expected: {accepted: expected/accepted.jsonl, quarantined: expected/quarantined.jsonl}
assertions: {rows_input: 2, rows_accepted: 1, rows_quarantined: 1, failed_rules: {qty_range: 1}}
"""
ACCEPTED = '{"id": 1, "qty": 2, "total": 20}\n'
QUARANTINED = '{"id": 2, "qty": 0}\n'
INPUT = '{"id": 1, "qty": 2}\n{"id": 2, "qty": 0}\n'


def run(
    folder: Path,
    *,
    contract: str = CONTRACT,
    manifest: str = CASE,
    accepted: str = ACCEPTED,
    quarantined: str = QUARANTINED,
    **files: str,
) -> Result:
    """Write the case, with ``name=text`` as further JSON Lines files, and run it."""
    (folder / "expected").mkdir()
    (folder / "contract.olc.yaml").write_text(contract)
    (folder / "case.yaml").write_text(manifest)
    (folder / "expected" / "accepted.jsonl").write_text(accepted)
    (folder / "expected" / "quarantined.jsonl").write_text(quarantined)
    for name, text in {"input": INPUT, **files}.items():
        (folder / f"{name}.jsonl").write_text(text)
    return run_case(folder, folder.parent, "polars", execute)


def test_a_right_case_passes_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = set(sys.path), {name for name in sys.modules if name.startswith("conformance_")}
    result = run(tmp_path)
    assert (result.outcome, result.reasons) == (Outcome.PASS, ())
    assert (set(sys.path), {name for name in sys.modules if name.startswith("conformance_")}) == before
    assert {path.name for path in tmp_path.iterdir()} == {"case.yaml", "contract.olc.yaml", "expected", "input.jsonl"}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"accepted": '{"id": 1, "qty": 2, "total": 21}\n'}, "`total` expected 21, got 20", id="value"),
        pytest.param({"accepted": ACCEPTED * 2}, "expected 2 rows, got 1", id="row"),
        pytest.param({"quarantined": ""}, "quarantined: expected 0 rows, got 1", id="quarantined row"),
        pytest.param({"manifest": CASE.replace("qty_range: 1", "qty_range: 2")}, "`qty_range`, got 1", id="rule count"),
        pytest.param(
            {"manifest": CASE.replace("rows_input: 2", "rows_input: 3")}, "rows_input: expected 3", id="count"
        ),
        pytest.param({"contract": CONTRACT.replace("min: 1", "min: 0")}, "rows_accepted: expected 1, got 2", id="rule"),
        pytest.param({"contract": CONTRACT.replace("qty * 10", "qtty * 10")}, "stopped at build", id="broken contract"),
        pytest.param(
            {"contract": CONTRACT.replace("type: int", "type: nit")}, "stopped at validate", id="unknown type"
        ),
    ],
)
def test_a_planted_mistake_fails(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    result = run(tmp_path, **changes)
    assert result.outcome is Outcome.FAIL
    assert reason in "\n".join(result.reasons)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"manifest": CASE.replace("qty_range: 1", "qty_range: 1, qty_rang: 0")},
            "no such rule: `qty_rang`; the nearest",
        ),
        (
            {"manifest": CASE.replace("failed_rules", "dataset_rules_passed: [once], failed_rules")},
            "no such rule: `once`",
        ),
        ({"manifest": CASE + "comparison: {columns: [nosuch]}\n"}, "accepted: no such column: `nosuch`"),
        ({"manifest": CASE + "comparison: {ignore_fields: [id, qty, total]}\n"}, "accepted: no column is compared"),
        ({"accepted": '{"idd": 7}\n'}, "accepted: no such column: `idd`"),
        ({"quarantined": '{"idd": 7}\n'}, "quarantined: no such column: `idd`"),
        ({"accepted": "{}\n"}, "accepted: no column is compared"),
    ],
)
def test_what_would_hold_whatever_came_out_fails(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    result = run(tmp_path, **changes)
    assert result.outcome is Outcome.FAIL
    assert reason in "\n".join(result.reasons)


def test_rules_are_known_by_every_name_that_a_run_reports(tmp_path: Path) -> None:
    """A range, casts of declared columns, an undeclared column, a unique rule by its written and its default name."""
    contract = (
        CONTRACT
        + "quality:\n  dataset_rules:\n    - unique: {columns: [id], name: once}\nschema_policy: {unknown_fields: quarantine}\n"
    )
    manifest = CASE.replace(
        "failed_rules: {qty_range: 1}",
        "failed_rules: {qty_range: 1, id_type: 0, unknown_field: 0}, dataset_rules_passed: [once, id_unique]",
    )
    result = run(tmp_path, contract=contract, manifest=manifest)
    assert (result.outcome, result.reasons) == (Outcome.PASS, ())


ERROR_CASE = "id: T-002\nlevel: core-runtime\nexpected: {{error_contains: [PHS-001], line: {line}, stage: build}}\n"
WRITTEN_PRE = CONTRACT + 'quality:\n  row_rules:\n    - {name: cap, sql: "total < 5", phase: pre}\n'


def test_an_expected_error_passes_at_its_line_only(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.mkdir()
    wrong.mkdir()
    assert run(right, contract=WRITTEN_PRE, manifest=ERROR_CASE.format(line=12)).outcome is Outcome.PASS
    result = run(wrong, contract=WRITTEN_PRE, manifest=ERROR_CASE.format(line=11))
    assert result.outcome is Outcome.FAIL
    assert "expected the error at line 11 of the contract, got line 12" in result.reasons[0]


def test_an_error_that_does_not_come_is_a_fail(tmp_path: Path) -> None:
    result = run(tmp_path, manifest=ERROR_CASE.format(line=12))
    assert result.outcome is Outcome.FAIL
    assert "expected an error at build, but the run finished" in result.reasons


def test_a_gap_is_unsupported_with_its_reason(tmp_path: Path) -> None:
    merging = CONTRACT + "primary_key: [id]\nmaterialization: {strategy: merge, format: parquet}\n"
    result = run(tmp_path, contract=merging)
    assert result.outcome is Outcome.UNSUPPORTED
    assert "merge" in result.reasons[0]


def test_an_expression_that_the_engine_lacks_is_a_gap(tmp_path: Path) -> None:
    week = CONTRACT.replace("qty * 10", "date_part('day', strptime(CAST(qty AS VARCHAR), '%U'))")  # GEN-018
    result = run(tmp_path, contract=week)
    assert result.outcome is Outcome.UNSUPPORTED
    assert "`strptime` on Polars does not read `%U`" in result.reasons[0]


def test_a_gap_in_place_of_the_expected_error_is_a_fail(tmp_path: Path) -> None:
    merging = WRITTEN_PRE + "primary_key: [id]\nmaterialization: {strategy: merge, format: parquet}\n"
    result = run(tmp_path, contract=merging, manifest=ERROR_CASE.format(line=12))
    assert result.outcome is Outcome.FAIL
    assert "no message holds 'PHS-001'" in result.reasons[0]


LOADS = """\
id: T-003
level: materialization
expected: {{target: expected/accepted.jsonl}}
materialization: {{seed: seed.jsonl, more_loads: [more.jsonl], idempotent: {idempotent}, format: {format}}}
"""
ONE, TWO, THREE = ('{"id": 1, "qty": 1}\n', '{"id": 2, "qty": 2}\n', '{"id": 3, "qty": 3}\n')
DONE_ONE, DONE_TWO, DONE_THREE = (f'{{"id": {n}, "qty": {n}, "total": {n}0}}\n' for n in (1, 2, 3))


@pytest.mark.parametrize("format_", ["parquet", "csv"])
def test_seed_and_further_loads_come_before_the_input(tmp_path: Path, format_: str) -> None:
    manifest = LOADS.format(idempotent="false", format=format_)
    expected = DONE_ONE + DONE_TWO + DONE_THREE
    result = run(tmp_path, manifest=manifest, accepted=expected, seed=ONE, more=TWO, input=THREE)
    assert (result.outcome, result.reasons) == (Outcome.PASS, ())


def test_an_append_is_not_idempotent_and_an_overwrite_is(tmp_path: Path) -> None:
    manifest = LOADS.format(idempotent="true", format="parquet")
    append, overwrite = tmp_path / "append", tmp_path / "overwrite"
    append.mkdir()
    overwrite.mkdir()
    result = run(append, manifest=manifest, accepted=DONE_ONE + DONE_TWO + DONE_THREE, seed=ONE, more=TWO, input=THREE)
    assert result.outcome is Outcome.FAIL
    assert "target after the second load: not the same rows (3 before, 4 after)" in result.reasons
    replacing = CONTRACT + "materialization: {strategy: overwrite}\n"
    result = run(overwrite, contract=replacing, manifest=manifest, accepted=DONE_THREE, seed=ONE, more=TWO, input=THREE)
    assert (result.outcome, result.reasons) == (Outcome.PASS, ())


def test_a_format_that_is_not_written_is_unsupported(tmp_path: Path) -> None:
    manifest = LOADS.format(idempotent="false", format="delta")
    assert run(tmp_path, manifest=manifest, seed=ONE, more=TWO).outcome is Outcome.UNSUPPORTED


def test_the_input_is_run_again_in_other_orders(tmp_path: Path) -> None:
    manifest = CASE.replace("assertions: {", "assertions: {same_result_for_any_input_order: true, ")
    assert run(tmp_path, manifest=manifest).outcome is Outcome.PASS


def test_environment_variables_last_for_the_run_only(tmp_path: Path) -> None:
    assert "ETLGEN_CASE" not in os.environ
    assert run(tmp_path, manifest=CASE + "env: {ETLGEN_CASE: here}\n").outcome is Outcome.PASS
    assert "ETLGEN_CASE" not in os.environ


def test_reordering_keeps_header_and_records_whole() -> None:
    text = 'a,b\n1,"x\ny"\n2,z\n3,w\n'
    assert reordered(text, "reversed", csv=True) == 'a,b\n3,w\n2,z\n1,"x\ny"\n'
    shuffled = reordered(text, "shuffled", csv=True)
    assert shuffled.startswith("a,b\n")
    assert sorted(shuffled) == sorted(text)
    assert '1,"x\ny"\n' in shuffled
    assert reordered('{"a": 1}\n{"a": 2}\n', "reversed", csv=False) == '{"a": 2}\n{"a": 1}\n'
