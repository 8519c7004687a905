"""Dataset rules: which rows they judge, and what they say of no rows (semantics, section 3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.e2e.packages import Builder, contract

from etlgen_runtime import RunResult

FIELDS = ["id: long!", {"name": "qty", "type": "long", "min": 1}, "code: string"]
FILTER = [{"filter": {"sql": "id < 3"}}]
ROWS = "id,qty,code\n1,5,a\n2,5,\n3,7,a\n4,0,b\n"
"""Three good rows; the filter after step 5 leaves two of them."""


def judged(build: Builder, root: Path, rules: list[dict[str, Any]], rows: str = ROWS) -> RunResult[Any]:
    (root / "in.csv").write_text(rows, encoding="utf-8")
    named = [{"name": f"r{number}", **rule} for number, rule in enumerate(rules)]
    return build(contract(FIELDS, transformations=FILTER, quality={"dataset_rules": named})).run(root)


def outcomes(result: RunResult[Any]) -> dict[str, tuple[bool, str | None]]:
    return {one.rule: (one.passed, one.value) for one in result.report.dataset_rules}


@pytest.mark.parametrize("sql", ["count(*)", "SELECT count(*) FROM source", "count(id)"])
def test_only_a_written_pre_moves_a_rule_before_the_operations(build: Builder, tmp_path: Path, sql: str) -> None:
    rules: list[dict[str, Any]] = [
        {"sql": sql, "must_be_between": [3, 3], "phase": "pre"},
        {"sql": sql, "must_be_between": [2, 2], "phase": "post"},
        {"sql": sql, "must_be_between": [2, 2]},
        {"sql": sql, "must_be_between": [2, 2], "phase": "pre"},
        {"sql": sql, "must_be_between": [3, 3]},
    ]
    found = outcomes(judged(build, tmp_path, rules))
    assert found == {"r0": (True, "3"), "r1": (True, "2"), "r2": (True, "2"), "r3": (False, "3"), "r4": (False, "2")}


def test_native_rules_of_both_phases(build: Builder, tmp_path: Path) -> None:
    """Of the good rows the quantity 5 recurs, as does the code a; of the accepted ones the quantity alone does."""
    rules: list[dict[str, Any]] = [
        {"unique": "code", "phase": "pre"},
        {"unique": "code"},
        {"unique": ["qty", "code"]},
        {"null_ratio": {"field": "code", "max": 0.4}, "phase": "pre"},
        {"null_ratio": {"field": "code", "max": 0.4}},
        {"row_count_between": {"min": 3, "max": 3}, "phase": "pre"},
        {"row_count_between": {"min": 3, "max": 3}},
    ]
    found = {name: passed for name, (passed, _) in outcomes(judged(build, tmp_path, rules)).items()}
    assert found == {"r0": False, "r1": True, "r2": True, "r3": True, "r4": False, "r5": True, "r6": False}


def test_of_no_rows_all_are_unique_and_none_is_null(build: Builder, tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"unique": "code"},
        {"null_ratio": {"field": "code", "max": 0}},
        {"unique": "code", "phase": "pre"},
        {"null_ratio": {"field": "code", "max": 0}, "phase": "pre"},
        {"sql": "sum(qty) > 0"},
        {"row_count_between": {"min": 1, "max": 9}},
    ]
    result = judged(build, tmp_path, rules, "id,qty,code\n")
    found = {one.rule: (one.passed, one.reason) for one in result.report.dataset_rules}
    assert {name: passed for name, (passed, _) in found.items()} == {
        "r0": True,
        "r1": True,
        "r2": True,
        "r3": True,
        "r4": False,
        "r5": False,
    }
    assert found["r4"][1] == "returned NULL"


@pytest.mark.parametrize(
    ("bounds", "passed"),
    [
        ({"must_be_greater_than": 12}, False),
        ({"must_be_greater_than": 11.9}, True),
        ({"must_be_less_than": 12}, False),
        ({"must_be_less_than": 12.1}, True),
        ({"must_be_between": [12, 12]}, True),
        ({"must_be_between": [12.1, 13]}, False),
    ],
)
def test_bounds_of_a_value(build: Builder, tmp_path: Path, bounds: dict[str, Any], passed: bool) -> None:
    """The quantities 5 and 7 of rows 1 and 2."""
    rows = "id,qty,code\n1,5,a\n2,7,b\n3,9,c\n"
    assert outcomes(judged(build, tmp_path, [{"sql": "sum(qty)", **bounds}], rows)) == {"r0": (passed, "12")}
