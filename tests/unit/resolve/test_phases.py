"""Semantics, section 2: the phase of every operation and check, and why."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import (
    codes_of,
    errors_of,
    names,
    notes_of,
    operations,
    plan_of,
    row_check,
    row_rules,
    source_fields,
    text,
)

ORDER = """
name: id, type: long
name: qty, type: integer
name: price, type: double
"""
TOTAL_PRE = operations(
    "cast: {columns: {qty: integer, price: double}} | pre", "derive: {field: total, sql: qty * price} | pre"
)
TOTAL = operations("derive: {field: total, sql: qty * price}")


def test_column_derived_in_pre_feeds_a_pre_rule() -> None:
    """OLC-EO-001."""
    plan = plan_of(text(ORDER, TOTAL_PRE + row_rules("name: positive, sql: total > 0")))
    assert row_check(plan, "positive").phase == "pre"
    assert [operation.phase for operation in plan.pre.operations] == ["pre", "pre"]
    assert "total" not in plan.source.names
    assert "total" in plan.prepared.names


def test_rule_written_post_checks_a_column_derived_in_post() -> None:
    """OLC-EO-002."""
    plan = plan_of(text(ORDER, TOTAL + row_rules("name: positive, sql: total > 0, phase: post")))
    check = row_check(plan, "positive")
    assert (check.phase, check.reason) == ("post", "written")


def test_rule_written_pre_sees_the_source_value_of_a_column_that_post_rewrites() -> None:
    """OLC-EO-003."""
    rest = operations("derive: {field: qty, sql: qty + 1} | post") + row_rules("name: cap, sql: qty < 5, phase: pre")
    plan = plan_of(text(ORDER, rest))
    assert names(plan.pre_checks) == ["cap"]
    assert plan.post.operations[0].rewrites == ("qty",)
    assert plan.post.operations[0].creates == ()
    assert "qty" in plan.source.names


def test_required_field_that_only_post_creates_is_checked_after_it() -> None:
    """OLC-EO-004."""
    plan = plan_of(text(ORDER + "name: total, type: double, required: true", TOTAL))
    check = row_check(plan, "total_required")
    assert check.phase == "post"
    assert check.reason == "reads `total`, created by derive #1"
    assert "total" not in plan.source.names
    assert "total" not in plan.typed.names
    assert plan.output.names == ("id", "qty", "price", "total")


def test_pre_rule_comes_before_a_post_operation_over_several_rows() -> None:
    """OLC-EO-005: the failing row is out before rows are combined."""
    source = source_fields("name: id, type: int", "name: qty, type: int")
    rest = operations("rollup: {group_by: [id], aggregations: {total: SUM(qty)}}") + source
    plan = plan_of(text("name: id, type: int\nname: total, type: int", rest + row_rules("name: cap, sql: qty < 5")))
    assert "cap" in names(plan.pre_checks)
    assert (plan.post.operations[0].kind, plan.post.operations[0].phase) == ("rollup", "post")
    assert plan.raw_kept_in_post is False


def test_transformation_without_phase_runs_in_post_so_its_check_sees_the_source_value() -> None:
    rest = operations("trim: {fields: [email]}") + row_rules("name: short, sql: length(email) < 5")
    plan = plan_of(text("name: email, type: string", rest))
    assert plan.post.operations[0].reason == "default: a transformation without phase runs in post"
    check = row_check(plan, "short")
    assert (check.phase, check.reason) == ("pre", "default: a check without phase runs in pre")


def test_row_rule_without_phase_that_reads_a_post_column_runs_in_post() -> None:
    plan = plan_of(text(ORDER, TOTAL + row_rules("name: positive, sql: id > 0 AND total > 0")))
    assert row_check(plan, "positive").phase == "post"
    assert row_check(plan, "positive").reason == "reads `total`, created by derive #1"


def test_sql_reads_columns_without_regard_to_case() -> None:
    plan = plan_of(text(ORDER, TOTAL + row_rules("name: positive, sql: TOTAL > 0")))
    assert row_check(plan, "positive").phase == "post"
    assert row_check(plan, "positive").columns == ("total",)


def test_same_rule_written_pre_is_refused_at_its_phase() -> None:
    yaml = text(ORDER, TOTAL + "quality:\n  row_rules:\n    - name: positive\n      sql: total > 0\n      phase: pre\n")
    (found,) = errors_of(yaml)
    assert found.code == "PHS-001"
    assert found.at is not None
    assert yaml.splitlines()[found.at.line - 1].strip() == "phase: pre"
    assert "derive #1 (line 10)" in found.label
    assert yaml.splitlines()[9].strip().startswith("- derive")
    assert found.help == "remove `phase: pre`"


@pytest.mark.parametrize(
    ("constraint", "name"),
    [
        ("required: true", "total_required"),
        ("min: 0", "total_range"),
        ("accepted_values: [1, 2]", "total_accepted_values"),
    ],
)
def test_constraints_of_a_post_column_run_in_post(constraint: str, name: str) -> None:
    plan = plan_of(text(ORDER + f"name: total, type: double, {constraint}", TOTAL))
    assert names(plan.post_checks) == [name]


def test_length_of_a_text_created_in_post_is_checked_in_post() -> None:
    rest = operations("coalesce: {field: label, sources: [a, b]}")
    plan = plan_of(text("name: a, type: string\nname: b, type: string\nname: label, type: string, max_length: 3", rest))
    assert names(plan.post_checks) == ["label_max_length"]


def test_pre_rule_shorthands_on_a_post_column_are_refused() -> None:
    rules = row_rules("not_null: total, phase: pre", "range: {field: total, min: 0, phase: pre}")
    assert codes_of(text(ORDER, TOTAL + rules)) == ["PHS-001", "PHS-001"]


def test_pre_operation_that_reads_a_post_column_is_refused() -> None:
    rest = operations("derive: {field: total, sql: qty * price}", 'filter: {sql: "total > 0"} | pre')
    (found,) = errors_of(text(ORDER + "name: total, type: double", rest))
    assert found.code == "PHS-002"
    assert "derive #1" in found.label


def test_pre_operation_that_reads_an_undeclared_post_column_is_refused_too() -> None:
    rest = operations('filter: {sql: "total > 0"} | pre', "derive: {field: total, sql: qty * price}")
    assert codes_of(text(ORDER, rest)) == ["PHS-002"]


def test_declared_field_read_before_it_is_created_in_the_same_phase_is_an_error() -> None:
    rest = operations('filter: {sql: "total > 0"}', "derive: {field: total, sql: qty * price}")
    yaml = text(ORDER + "name: total, type: double", rest)
    assert codes_of(yaml) == ["PHS-004"]


def test_source_fields_say_that_the_source_has_a_column_of_that_name() -> None:
    rest = operations('filter: {sql: "total > 0"}', "derive: {field: total, sql: qty * price}")
    given = source_fields(
        "name: id, type: long", "name: qty, type: integer", "name: price, type: double", "name: total, type: double"
    )
    plan = plan_of(text(ORDER + "name: total, type: double", rest + given))
    assert plan.source.names == ("id", "qty", "price", "total")
    assert plan.post.operations[1].rewrites == ("total",)


def test_undeclared_name_read_earlier_in_its_phase_is_a_source_column_that_is_rewritten() -> None:
    rest = operations("trim: {fields: [note]}", "derive: {field: note, sql: \"upper('x')\"}")
    plan = plan_of(text(ORDER, rest))
    assert "note" in plan.source.names
    assert plan.post.operations[1].rewrites == ("note",)


@pytest.mark.parametrize(
    "drop",
    ["drop: {columns: [note]}", "select: {columns: [id]}", "rename: {from: note, to: remark}"],
)
def test_operation_that_reads_a_dropped_column_is_refused(drop: str) -> None:
    given = source_fields("name: id, type: long", "name: note, type: string")
    yaml = text("name: id, type: long", operations(drop, "upper: {fields: [note]}") + given)
    (found,) = errors_of(yaml)
    assert found.code == "PHS-003"


def test_check_that_reads_a_column_dropped_before_it_is_refused() -> None:
    given = source_fields("name: id, type: long", "name: note, type: string")
    dropped = operations("drop: {columns: [note]} | pre")
    assert codes_of(text("name: id, type: long", dropped + row_rules("not_null: note") + given)) == ["PHS-003"]


def test_pre_check_of_a_column_dropped_in_post_runs_before_it() -> None:
    given = source_fields("name: id, type: long", "name: note, type: string")
    dropped = operations("drop: {columns: [note]}")
    plan = plan_of(text("name: id, type: long", dropped + row_rules("not_null: note") + given))
    assert names(plan.pre_checks) == ["note_not_null"]
    assert plan.output.names == ("id",)


def test_declared_field_that_does_not_survive_is_an_error() -> None:
    yaml = text("name: id, type: long\nname: note, type: string", operations("drop: {columns: [note]}"))
    (found,) = errors_of(yaml)
    assert found.code == "PHS-005"
    assert "drop #1" in found.message
    assert "source_fields" in found.help


@pytest.mark.parametrize(
    "rewrite",
    [
        "trim: {fields: [email]}",
        "lower: {fields: [email]}",
        "upper: {fields: [email]}",
        "map_values: {field: email, mapping: {a: b}}",
        "coalesce: {field: email, sources: [email], default: x}",
        "derive: {field: email, sql: lower(email)}",
    ],
)
def test_pre_check_of_a_column_that_an_unphased_normalizer_rewrites_warns(rewrite: str) -> None:
    plan = plan_of(text("name: email, type: string, required: true", operations(rewrite)))
    assert notes_of(plan) == ["PHS-101"]
    assert "write `phase: pre` on the transformation" in plan.diagnostics[0].help


def test_normalizer_with_a_written_phase_does_not_warn() -> None:
    written = operations("trim: {fields: [email]} | post")
    assert notes_of(plan_of(text("name: email, type: string, required: true", written))) == []
    early = operations("trim: {fields: [email]} | pre")
    assert notes_of(plan_of(text("name: email, type: string, required: true", early))) == []


def test_checks_are_no_evidence_of_a_source_column() -> None:
    plan = plan_of(text(ORDER, TOTAL + row_rules("name: seen, sql: total IS NOT NULL")))
    assert row_check(plan, "seen").phase == "post"
    assert "total" not in plan.source.names


def test_rename_in_post_creates_its_target() -> None:
    plan = plan_of(text("name: id, type: long, required: true", operations("rename: {from: order_id, to: id}")))
    assert plan.source.names == ("order_id",)
    assert names(plan.post_checks) == ["id_required"]
    assert plan.post.operations[0].creates == ("id",)
    assert plan.post.operations[0].drops == ("order_id",)


def test_swap_creates_nothing() -> None:
    rest = operations("rename: {mappings: {a: b, b: a}}")
    plan = plan_of(text("name: a, type: string, required: true\nname: b, type: string", rest))
    assert plan.source.names == ("a", "b")
    assert names(plan.pre_checks) == ["a_required"]
    assert plan.post.operations[0].creates == ()


def test_lookup_creates_its_field() -> None:
    rest = operations("lookup: {field: country, reference: countries, 'on': code, key: code, value: name}")
    links = "links:\n  - {name: countries, path: c.parquet, type: parquet}\n"
    plan = plan_of(text("name: code, type: string\nname: country, type: string, required: true", rest + links))
    assert plan.source.names == ("code",)
    assert names(plan.post_checks) == ["country_required"]


def test_all_pre_operations_come_first_and_keep_their_order() -> None:
    rest = operations("upper: {fields: [a]}", "trim: {fields: [a]} | pre", "lower: {fields: [a]} | pre")
    plan = plan_of(text("name: a, type: string", rest))
    assert [operation.number for operation in plan.pre.operations] == [2, 3]
    assert [operation.number for operation in plan.post.operations] == [1]
