"""Semantics, section 3: dataset rules, their names, bounds and the rows they judge."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import (
    codes_of,
    countries,
    dataset_check,
    dataset_rules,
    notes_of,
    operations,
    plan_of,
    source_fields,
    text,
)

FIELDS = "name: id, type: long\nname: qty, type: long\nname: code, type: string"
OVERWRITE = "materialization: {strategy: overwrite, format: parquet, target_path: out}\n"


def test_default_names() -> None:
    rules = dataset_rules(
        "unique: [id, qty]", "null_ratio: {field: qty, max: 0.2}", "row_count_between: {min: 1, max: 9}"
    )
    plan = plan_of(text(FIELDS, rules + OVERWRITE))
    assert [check.name for check in plan.dataset_checks] == ["id_qty_unique", "qty_null_ratio", "row_count_between"]
    ratio = dataset_check(plan, "qty_null_ratio")
    assert (ratio.columns, ratio.maximum) == (("qty",), 0.2)
    count = dataset_check(plan, "row_count_between")
    assert (count.minimum, count.maximum) == (1, 9)


def test_without_phase_they_judge_the_accepted_rows_and_only_written_pre_moves_them() -> None:
    rules = dataset_rules(
        "unique: id", "name: early, sql: count(*) > 0, phase: pre", "name: late, sql: count(*) > 0, phase: post"
    )
    plan = plan_of(text(FIELDS, rules + OVERWRITE))
    assert [(check.name, check.phase) for check in plan.pre_dataset_checks] == [("early", "pre")]
    assert [(check.name, check.phase) for check in plan.dataset_checks] == [("id_unique", None), ("late", None)]


def test_dataset_rule_reads_columns_of_the_output() -> None:
    rest = operations("derive: {field: total, sql: qty * 2}") + dataset_rules(
        "unique: total", "name: sum, sql: sum(total) > 0"
    )
    plan = plan_of(text(FIELDS, rest + OVERWRITE))
    assert dataset_check(plan, "sum").columns == ("total",)
    assert dataset_check(plan, "total_unique").columns == ("total",)


def test_written_pre_over_a_post_column_is_refused() -> None:
    rest = operations("derive: {field: total, sql: qty * 2}")
    native = dataset_rules("name: u, unique: total, phase: pre")
    sql = dataset_rules("name: s, sql: sum(total) > 0, phase: pre")
    assert codes_of(text(FIELDS, rest + native)) == ["PHS-001"]
    assert codes_of(text(FIELDS, rest + sql)) == ["PHS-001"]


def test_dropped_column_cannot_be_judged() -> None:
    rest = operations("drop: {columns: [note]}") + source_fields("name: id, type: long", "name: note, type: string")
    assert codes_of(text("name: id, type: long", rest + dataset_rules("unique: note"))) == ["PHS-003"]
    open_rest = operations("trim: {fields: [note]}", "drop: {columns: [note]}")
    assert codes_of(text("name: id, type: long", open_rest + dataset_rules("name: s, sql: count(note) > 0"))) == [
        "PHS-003"
    ]


def test_primary_key_implies_uniqueness_once() -> None:
    key = "primary_key: [id, qty]\n"
    implied = plan_of(text(FIELDS, key + OVERWRITE))
    (check,) = implied.dataset_checks
    assert (check.name, check.kind, check.columns) == ("id_qty_unique", "unique", ("id", "qty"))
    assert check.reason.startswith("implied by primary_key")
    written = plan_of(
        text(FIELDS, key + OVERWRITE + dataset_rules("name: key_unique, unique: [qty, id], severity: warning"))
    )
    assert [(check.name, check.severity) for check in written.dataset_checks] == [("key_unique", "warning")]
    partial = plan_of(text(FIELDS, key + OVERWRITE + dataset_rules("unique: id")))
    assert [check.name for check in partial.dataset_checks] == ["id_unique", "id_qty_unique"]


def test_primary_key_does_not_make_its_columns_required_for_overwrite() -> None:
    assert plan_of(text(FIELDS, "primary_key: [id]\n" + OVERWRITE)).pre_checks == ()


def test_unknown_key_column_is_an_error_in_a_closed_schema() -> None:
    rest = source_fields("name: id, type: long", "name: qty, type: long", "name: code, type: string")
    assert codes_of(text(FIELDS, "primary_key: [nr]\n" + rest)) == ["SQL-001"]


def test_unique_beside_append_gets_a_note() -> None:
    appended = "materialization: {strategy: append, format: parquet, target_path: out}\n"
    assert notes_of(plan_of(text(FIELDS, dataset_rules("unique: id") + appended))) == ["CTR-085"]
    assert notes_of(plan_of(text(FIELDS, dataset_rules("unique: id") + OVERWRITE))) == []


def test_bounds_are_for_numbers_and_conditions_are_boolean() -> None:
    rules = dataset_rules("name: share, sql: avg(qty), must_be_between: [0, 1.5]")
    check = dataset_check(plan_of(text(FIELDS, rules)), "share")
    assert (check.minimum, check.maximum, check.greater_than, check.less_than) == (0, 1.5, None, None)
    assert codes_of(text(FIELDS, dataset_rules("name: share, sql: count(*)"))) == ["TYP-050"]
    assert codes_of(text(FIELDS, dataset_rules("name: share, sql: count(*) > 1, must_be_less_than: 3"))) == ["TYP-050"]


def test_links_are_joinable_by_name() -> None:
    sql = "SELECT count(*) FILTER (WHERE c.code IS NULL) FROM source s LEFT JOIN countries c ON s.code = c.code"
    rest = f'quality:\n  dataset_rules:\n    - {{ name: orphans, sql: "{sql}", must_be_less_than: 1 }}\n'
    plan = plan_of(text(FIELDS, rest + countries("name: code, type: string")))
    assert dataset_check(plan, "orphans").links == ("countries",)
    assert plan.links[0].used_by == ("dataset_checks",)


def test_contract_name_means_the_rows_too() -> None:
    rules = dataset_rules("name: some, sql: SELECT count(*) > 0 FROM orders")
    assert "source" in dataset_check(plan_of(text(FIELDS, rules)), "some").sql


@pytest.mark.parametrize("sql", ["DELETE FROM source", "SELECT * FROM read_csv('x')", "COPY source TO 'x'"])
def test_dangerous_sql_is_refused(sql: str) -> None:
    rest = f'quality:\n  dataset_rules:\n    - {{ name: bad, sql: "{sql}" }}\n'
    assert "SEC-001" in codes_of(text(FIELDS, rest))


def test_undeclared_column_in_dataset_sql_runs_through_every_step() -> None:
    rest = operations("trim: {fields: [code]}") + dataset_rules("name: regions, sql: count(DISTINCT region) > 1")
    plan = plan_of(text(FIELDS, rest))
    for schema in (plan.source, plan.prepared, plan.typed, plan.enriched, plan.output, plan.post.operations[0].after):
        assert schema.names == ("id", "qty", "code", "region")
    assert notes_of(plan) == ["SQL-010"]
