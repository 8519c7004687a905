"""Outcomes: an execution that is right passes, and each single fault makes it fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from etlgen.conformance.case import Assertions, Case, Expected, Loads, Stage
from etlgen.conformance.compare import RowSet
from etlgen.conformance.execution import Execution, Message, Stop
from etlgen.conformance.judge import is_unsupported, judge
from etlgen.conformance.rule_names import RuleNames

GOOD = RowSet(({"id": 1, "fare": 5},), ("id", "fare"))
BAD = RowSet(({"id": "2", "fare": "-1"},), ("id", "fare"))
RIGHT = Execution(
    declared=("id", "fare"),
    accepted=GOOD,
    quarantined=BAD,
    target=GOOD,
    rows_input=2,
    failed_rules={"fare_nonneg": 1},
    warned_rules={"soft": 1},
    dataset_rules_failed=("id_unique",),
    texts=("fare_nonneg: `fare` is below 0",),
)
REFUSED = Stop("build", (Message("PHS-001: check `total_cap` reads `total`", 31), Message("TYP-001: no", 5)))


@pytest.fixture
def case(tmp_path: Path) -> Case:
    (tmp_path / "accepted.jsonl").write_text('{"id": 1, "fare": 5}\n')
    (tmp_path / "quarantined.jsonl").write_text('{"id": 2, "fare": -1}\n')
    return Case(
        id="x",
        folder=tmp_path,
        display="x",
        contract=tmp_path / "contract.olc.yaml",
        level="core-runtime",
        feature="f",
        expected=Expected(
            accepted=tmp_path / "accepted.jsonl",
            quarantined=tmp_path / "quarantined.jsonl",
            target=tmp_path / "accepted.jsonl",
        ),
        assertions=Assertions(
            rows_input=2,
            rows_accepted=1,
            rows_quarantined=1,
            failed_rules={"fare_nonneg": 1, "id_required": 0},
            warned_rules={"soft": 1},
            dataset_rules_failed=("id_unique",),
            dataset_rules_passed=("row_count_between",),
            messages_must_contain=("BELOW 0",),
            messages_must_not_contain=("secret",),
            columns_accepted=("fare",),
        ),
    )


def test_the_right_outcome_passes(case: Case) -> None:
    assert judge(case, RIGHT) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(replace(RIGHT, accepted=RowSet(({"id": 1, "fare": 6},), ("id", "fare"))), id="wrong value"),
        pytest.param(replace(RIGHT, accepted=RowSet(GOOD.rows * 2, GOOD.columns)), id="extra accepted row"),
        pytest.param(replace(RIGHT, accepted=RowSet((), GOOD.columns)), id="missing accepted row"),
        pytest.param(replace(RIGHT, quarantined=RowSet(BAD.rows * 2, BAD.columns)), id="extra quarantined row"),
        pytest.param(replace(RIGHT, quarantined=RowSet((), BAD.columns)), id="missing quarantined row"),
        pytest.param(replace(RIGHT, target=RowSet((), GOOD.columns)), id="empty target"),
        pytest.param(replace(RIGHT, rows_input=3), id="wrong number of rows read"),
        pytest.param(replace(RIGHT, failed_rules={"fare_nonneg": 2}), id="wrong rule count"),
        pytest.param(replace(RIGHT, failed_rules={}), id="rule not reported"),
        pytest.param(replace(RIGHT, failed_rules={"fare_nonneg": 1, "id_required": 1}), id="rule that must not fail"),
        pytest.param(replace(RIGHT, warned_rules={}), id="warning not counted"),
        pytest.param(replace(RIGHT, dataset_rules_failed=()), id="dataset rule that must fail"),
        pytest.param(
            replace(RIGHT, dataset_rules_failed=("id_unique", "row_count_between")), id="dataset rule that must pass"
        ),
        pytest.param(replace(RIGHT, texts=()), id="message missing"),
        pytest.param(replace(RIGHT, texts=("below 0: SECRET",)), id="forbidden message"),
        pytest.param(replace(RIGHT, accepted=RowSet(({"id": 1},), ("id",))), id="column missing"),
        pytest.param(Execution(stop=REFUSED, texts=RIGHT.texts), id="stopped"),
    ],
)
def test_a_single_fault_fails(case: Case, wrong: Execution) -> None:
    assert judge(case, wrong) != ()


def test_an_empty_failed_rules_says_that_nothing_failed(case: Case) -> None:
    none = replace(case, assertions=Assertions(failed_rules={}))
    assert judge(none, replace(RIGHT, failed_rules={"fare_nonneg": 0})) == ()
    assert judge(none, RIGHT) == ("failed_rules: expected none, got {'fare_nonneg': 1}",)


def test_a_unique_rule_is_also_known_by_its_default_name(case: Case) -> None:
    named = replace(case, assertions=Assertions(dataset_rules_failed=("k_unique",), dataset_rules_passed=("other",)))
    assert judge(named, replace(RIGHT, dataset_rules_failed=("k_once",), default_names_failed=("k_unique",))) == ()
    assert judge(named, replace(RIGHT, dataset_rules_failed=("k_once",))) != ()


def test_a_unique_rule_that_must_pass_fails_under_its_default_name_too(case: Case) -> None:
    named = replace(case, assertions=Assertions(dataset_rules_passed=("k_unique",)))
    failed = replace(RIGHT, dataset_rules_failed=("k_once",), default_names_failed=("k_unique",))
    assert judge(named, failed) == ("dataset rule `k_unique` must not fail",)


KNOWN = replace(RIGHT, rules=RuleNames(frozenset(("fare_nonneg", "soft")), frozenset(("id_unique",))))


@pytest.mark.parametrize(
    ("assertions", "reason"),
    [
        (Assertions(failed_rules={"nosuch": 0}), "failed_rules: no such rule: `nosuch`"),
        (Assertions(warned_rules={"zzz": 0}), "warned_rules: no such rule: `zzz`"),
        (
            Assertions(failed_rules={"fare_noneg": 0}),
            "failed_rules: no such rule: `fare_noneg`; the nearest is `fare_nonneg`",
        ),
        (Assertions(failed_rules={"id_unique": 0}), "failed_rules: no such rule: `id_unique`"),  # of the dataset
        (Assertions(dataset_rules_passed=("nosuch",)), "dataset_rules_passed: no such rule: `nosuch`"),
    ],
)
def test_a_rule_that_the_contract_does_not_have_fails(case: Case, assertions: Assertions, reason: str) -> None:
    assert judge(replace(case, assertions=assertions), KNOWN) == (reason,)


def test_rules_that_the_contract_has_are_asserted(case: Case) -> None:
    wanted = Assertions(failed_rules={"fare_nonneg": 1, "soft": 0}, dataset_rules_failed=("id_unique",))
    assert judge(replace(case, assertions=wanted), KNOWN) == ()


def stopping(case: Case, *texts: str, line: int | None = None, stage: Stage | None = None) -> Case:
    expected = Expected(stops=True, error_contains=texts, line=line, stage=stage)
    return replace(case, expected=expected, assertions=Assertions())


def test_the_expected_error_passes(case: Case) -> None:
    stopped = Execution(stop=REFUSED)
    assert judge(stopping(case, "phs-001", "TOTAL", line=31, stage="build"), stopped) == ()
    assert judge(stopping(case, "PHS-001", stage="run"), stopped) == ()  # stopping earlier passes


@pytest.mark.parametrize(
    ("texts", "line", "stage"),
    [
        pytest.param(("PHS-002",), None, None, id="another message"),
        pytest.param(("PHS-001", "TYP-001"), None, None, id="the texts are spread over two messages"),
        pytest.param(("PHS-001",), 30, None, id="another line"),
        pytest.param(("PHS-001",), 5, None, id="the line of another message"),
        pytest.param(("PHS-001",), None, "validate", id="too late"),
    ],
)
def test_another_error_fails(case: Case, texts: tuple[str, ...], line: int | None, stage: Stage | None) -> None:
    assert judge(stopping(case, *texts, line=line, stage=stage), Execution(stop=REFUSED)) != ()


def test_no_error_at_all_fails(case: Case) -> None:
    assert judge(stopping(case, "PHS-001", stage="build"), RIGHT) == (
        "expected an error at build, but the run finished",
    )


def test_a_crash_is_no_refusal(case: Case) -> None:
    crash = Execution(stop=Stop("run", (Message("PHS-001 total"),), refused=False))
    assert judge(stopping(case, "PHS-001"), crash) != ()
    assert judge(replace(case, assertions=Assertions(refusal_conforms=True)), crash) != ()


GAP = Execution(stop=Stop("build", (Message("CTR-090: operation `pivot` is not supported"),), is_gap=True))


def test_a_gap_excuses_a_case_that_needs_a_run(case: Case) -> None:
    assert is_unsupported(case, GAP)
    assert is_unsupported(stopping(case, "PMDATA", stage="run"), GAP)  # its error shows only when rows are there
    assert not is_unsupported(case, Execution(stop=REFUSED))
    assert not is_unsupported(case, replace(RIGHT, accepted=BAD))


@pytest.mark.parametrize("stage", ["validate", "build", None])
def test_a_gap_excuses_no_case_that_must_be_refused_for_another_reason(case: Case, stage: Stage | None) -> None:
    refusing = stopping(case, "PHS-001", stage=stage)
    assert judge(refusing, GAP) != ()
    assert not is_unsupported(refusing, GAP)
    assert is_unsupported(replace(refusing, also_passes=(Expected(accepted=case.expected.accepted),)), GAP)


def test_a_gap_excuses_no_forbidden_text(case: Case) -> None:
    for silent in (Assertions(messages_must_not_contain=("PIVOT",)), Assertions(error_must_not_contain=("pivot",))):
        assert not is_unsupported(replace(case, assertions=silent), GAP)
    assert is_unsupported(replace(case, assertions=Assertions(messages_must_contain=("fare",))), GAP)


def test_the_target_after_an_error_is_compared(case: Case) -> None:
    expected = Expected(stops=True, target=case.expected.accepted)
    stops = replace(case, expected=expected, assertions=Assertions())
    assert judge(stops, Execution(declared=("id", "fare"), target=GOOD, stop=REFUSED)) == ()
    assert judge(stops, Execution(declared=("id", "fare"), stop=REFUSED)) != ()


def test_refusing_conforms_where_the_case_says_so(case: Case) -> None:
    allowed = replace(case, assertions=replace(case.assertions, refusal_conforms=True, messages_must_contain=()))
    assert judge(allowed, Execution(stop=REFUSED)) == ()
    assert judge(allowed, RIGHT) == ()
    silent = replace(allowed, assertions=replace(allowed.assertions, error_must_not_contain=("total_cap",)))
    assert judge(silent, Execution(stop=REFUSED)) == ("the error holds 'total_cap'",)


def test_a_second_outcome_may_pass_instead(case: Case) -> None:
    either = replace(stopping(case, "PHS-001"), also_passes=(Expected(accepted=case.expected.accepted),))
    assert judge(either, Execution(stop=REFUSED)) == ()
    assert judge(either, RIGHT) == ()
    assert judge(either, replace(RIGHT, accepted=BAD)) != ()


def test_a_second_load_must_not_change_the_target(case: Case) -> None:
    twice = replace(case, loads=Loads(idempotent=True))
    assert judge(twice, replace(RIGHT, target_repeated=GOOD)) == ()
    assert judge(twice, replace(RIGHT, target_repeated=RowSet(GOOD.rows * 2, GOOD.columns))) != ()
    assert judge(twice, RIGHT) == ("the input was not loaded a second time",)


def test_every_input_order_must_give_the_same_rows(case: Case) -> None:
    ordered = replace(case, assertions=replace(case.assertions, same_result_for_any_input_order=True))
    assert judge(ordered, replace(RIGHT, reordered=(GOOD, GOOD))) == ()
    assert judge(ordered, replace(RIGHT, reordered=(GOOD, BAD))) != ()
    assert judge(ordered, RIGHT) == ("the run was not repeated in another input order",)
