"""Whether an execution is what a case asks for. Pure: reads expected files, runs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from etlgen.conformance.case import STAGES, Case, Expected
from etlgen.conformance.compare import RowSet, compare_rows
from etlgen.conformance.execution import Execution, Stop
from etlgen.conformance.rows import Row, read_rows
from etlgen.nearest import nearest_name


def judge(case: Case, execution: Execution) -> tuple[str, ...]:
    """Reasons why the execution does not conform; empty when it does.

    ``expected`` and the assertions must hold together; failing that, one of ``also_passes`` must hold, to which the
    counts do not apply. What messages may and must not say holds in every case.

    Raises:
        ContractError: An expected file is unreadable.
    """
    messages = _judge_messages(case, execution)
    if case.assertions.refusal_conforms and execution.stop is not None and execution.stop.refused:
        return messages
    reasons = _judge_expected(case, case.expected, execution)
    if execution.stop is None:
        reasons += _judge_assertions(case, execution)
    if reasons and any(not _judge_expected(case, other, execution) for other in case.also_passes):
        reasons = ()
    return reasons + messages


def is_unsupported(case: Case, execution: Execution) -> bool:
    """Whether a declared gap keeps the case from a run that it needs.

    No gap excuses a case that must be refused before it runs (another refusal than the expected one is a fault), nor a message
    that holds what none may hold.
    """
    if execution.stop is None or not execution.stop.is_gap or _forbidden_texts(case, execution):
        return False
    return any(not outcome.stops or outcome.stage == "run" for outcome in (case.expected, *case.also_passes))


def _judge_expected(case: Case, expected: Expected, execution: Execution) -> tuple[str, ...]:
    if expected.stops:
        reasons = _judge_stop(expected, execution.stop)
        return reasons + _compare(case, "target", expected.target, execution.target, execution)
    if execution.stop is not None:
        return (f"stopped at {execution.stop.stage}: {execution.stop.text}",)
    found = {"accepted": execution.accepted, "quarantined": execution.quarantined, "target": execution.target}
    files = {"accepted": expected.accepted, "quarantined": expected.quarantined, "target": expected.target}
    return tuple(
        reason for name, path in files.items() for reason in _compare(case, name, path, found[name], execution)
    )


def _judge_stop(expected: Expected, stop: Stop | None) -> tuple[str, ...]:
    wanted = ", ".join(repr(text) for text in expected.error_contains)
    if stop is None:
        return (f"expected an error at {expected.stage or 'any stage'}, but the run finished",)
    if not stop.refused:
        return (f"crashed at {stop.stage} instead of refusing with a diagnostic: {stop.text}",)
    reasons: list[str] = []
    if expected.stage is not None and STAGES.index(stop.stage) > STAGES.index(expected.stage):
        reasons.append(f"expected to stop at {expected.stage} or earlier, stopped at {stop.stage}")
    holding = [
        message
        for message in stop.messages
        if all(text.casefold() in message.text.casefold() for text in expected.error_contains)
    ]
    if not holding:
        reasons.append(f"no message holds {wanted}; got: {stop.text}")
    elif expected.line is not None and all(message.line != expected.line for message in holding):
        lines = ", ".join(str(message.line) for message in holding)
        reasons.append(f"expected the error at line {expected.line} of the contract, got line {lines}")
    return tuple(reasons)


def _compare(case: Case, name: str, path: Path | None, actual: RowSet, execution: Execution) -> tuple[str, ...]:
    if path is None:
        return ()
    rows = read_rows(path, f"{case.display}/{path.relative_to(case.folder).as_posix()}")
    return compare_rows(name, rows, actual, execution.declared, case.comparison)


def _judge_assertions(case: Case, execution: Execution) -> tuple[str, ...]:
    wanted = case.assertions
    reasons: list[str] = []
    counts = (
        ("rows_input", wanted.rows_input, execution.rows_input),
        ("rows_accepted", wanted.rows_accepted, _counted(execution.rows_accepted, execution.accepted)),
        ("rows_quarantined", wanted.rows_quarantined, _counted(execution.rows_quarantined, execution.quarantined)),
    )
    reasons += [f"{name}: expected {count}, got {found}" for name, count, found in counts if count not in (None, found)]
    reasons += _unknown_rules(case, execution)
    reasons += _judge_rules("failed_rules", wanted.failed_rules, execution.failed_rules)
    reasons += _judge_rules("warned_rules", wanted.warned_rules, execution.warned_rules)
    failed = execution.dataset_rules_failed
    named, failed_names = ", ".join(failed) or "none", (*failed, *execution.default_names_failed)
    reasons += [
        f"dataset rule `{rule}` must fail, failed are: {named}"
        for rule in wanted.dataset_rules_failed
        if rule not in failed_names
    ]
    reasons += [f"dataset rule `{rule}` must not fail" for rule in wanted.dataset_rules_passed if rule in failed_names]
    reasons += [
        f"accepted: column `{column}` is missing"
        for column in wanted.columns_accepted
        if column not in execution.accepted.columns
    ]
    reasons += _judge_repeats(case, execution)
    return tuple(reasons)


def _counted(counted: int | None, rows: RowSet) -> int:
    return len(rows.rows) if counted is None else counted


def _unknown_rules(case: Case, execution: Execution) -> list[str]:
    """An assertion about a rule that the contract does not have would hold whatever the run did."""
    known, wanted = execution.rules, case.assertions
    if known is None:
        return []
    asserted: tuple[tuple[str, Iterable[str], frozenset[str]], ...] = (
        ("failed_rules", wanted.failed_rules or (), known.rows),
        ("warned_rules", wanted.warned_rules or (), known.rows),
        ("dataset_rules_failed", wanted.dataset_rules_failed, known.datasets),
        ("dataset_rules_passed", wanted.dataset_rules_passed, known.datasets),
    )
    return [_no_such_rule(key, rule, names) for key, rules, names in asserted for rule in rules if rule not in names]


def _no_such_rule(key: str, rule: str, known: Iterable[str]) -> str:
    nearest = nearest_name(rule, sorted(known))
    return f"{key}: no such rule: `{rule}`" + (f"; the nearest is `{nearest}`" if nearest else "")


def _judge_rules(name: str, wanted: Mapping[str, int] | None, found: Mapping[str, int]) -> list[str]:
    if wanted is None:
        return []
    failing = {rule: count for rule, count in found.items() if count}
    if not wanted and failing:
        return [f"{name}: expected none, got {dict(sorted(failing.items()))}"]
    return [
        f"{name}: expected {count} for `{rule}`, got {found.get(rule, 0)} (all: {dict(sorted(failing.items()))})"
        for rule, count in wanted.items()
        if found.get(rule, 0) != count
    ]


def _judge_repeats(case: Case, execution: Execution) -> list[str]:
    reasons: list[str] = []
    if case.loads is not None and case.loads.idempotent:
        again = execution.target_repeated
        if again is None:
            reasons.append("the input was not loaded a second time")
        else:
            reasons += _same_rows("target after the second load", execution.target.rows, again, case)
    if case.assertions.same_result_for_any_input_order:
        if not execution.reordered:
            reasons.append("the run was not repeated in another input order")
        for other in execution.reordered:
            reasons += _same_rows("accepted in another input order", execution.accepted.rows, other, case)
    return reasons


def _same_rows(name: str, first: Iterable[Row], second: RowSet, case: Case) -> list[str]:
    """Two results of the same engine, compared over every column but bookkeeping ones, value by value."""
    ignored = case.comparison.ignore_fields

    def key(row: Row) -> str:
        return repr(sorted((k, repr(v)) for k, v in row.items() if not k.startswith("_") and k not in ignored))

    before, after = sorted(map(key, first)), sorted(map(key, second.rows))
    return [] if before == after else [f"{name}: not the same rows ({len(before)} before, {len(after)} after)"]


def _judge_messages(case: Case, execution: Execution) -> tuple[str, ...]:
    everything = _everything_said(execution)
    missing = (text for text in case.assertions.messages_must_contain if text.casefold() not in everything)
    return (*(f"no message holds {text!r}" for text in missing), *_forbidden_texts(case, execution))


def _forbidden_texts(case: Case, execution: Execution) -> tuple[str, ...]:
    everything, error = _everything_said(execution), _error(execution)
    wanted = case.assertions
    said = (text for text in wanted.messages_must_not_contain if text.casefold() in everything)
    raised = (text for text in wanted.error_must_not_contain if text.casefold() in error)
    return (*(f"a message holds {text!r}" for text in said), *(f"the error holds {text!r}" for text in raised))


def _everything_said(execution: Execution) -> str:
    return "\n".join((*execution.texts, _error(execution))).casefold()


def _error(execution: Execution) -> str:
    return "" if execution.stop is None else execution.stop.text.casefold()
