"""Semantics, section 3: what row checks ask, and how they are called."""

from __future__ import annotations

import math

import pytest
from tests.unit.resolve.plans import (
    codes_of,
    countries,
    errors_of,
    names,
    notes_of,
    operations,
    plan_of,
    row_check,
    row_rules,
    text,
)

from etlgen.diagnostics.model import Severity
from etlgen.expr import Call, Cast, Column, Expr, Interval, Literal
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT64, INTERVAL, STRING, TIMESTAMP, TIMESTAMP_TZ, Kind

QTY = Column("qty", INT64)


def call(function: str, *args: Expr) -> Call:
    return Call(function, args, BOOLEAN)


def test_required_is_a_check_unless_it_is_switched_off() -> None:
    plan = plan_of(text("name: id, type: long, required: true"))
    check = row_check(plan, "id_required")
    assert check.predicate == call("is_not_null", Column("id", INT64))
    assert (check.kind, check.nulls_pass, check.code, check.field) == ("required", False, "PMDATA110", "id")
    off = plan_of(text("name: id, type: long, required: true", "quality: {enforce_required: false}"))
    assert off.pre_checks == ()


def test_field_constraints_let_null_pass_and_row_rules_do_not() -> None:
    plan = plan_of(text("name: qty, type: long, min: 1", row_rules("range: {field: qty, min: 1}")))
    constraint, rule = plan.pre_checks
    assert constraint.predicate == rule.predicate == call("ge", QTY, Literal(1, INT64))
    assert (constraint.nulls_pass, rule.nulls_pass) == (True, False)
    assert (constraint.name, rule.name) == ("qty_range", "qty_range_2")


def test_min_and_max_are_one_rule() -> None:
    plan = plan_of(text("name: qty, type: long, min: 1, max: 9"))
    (check,) = plan.pre_checks
    assert check.predicate == call("and", call("ge", QTY, Literal(1, INT64)), call("le", QTY, Literal(9, INT64)))
    assert check.sql == "qty >= 1 AND qty <= 9"


def test_fractional_bound_of_an_integer_is_compared_exactly() -> None:
    """Qty >= 0.5 holds for the same integers as qty >= 1, and qty <= 2.5 as qty <= 2."""
    (check,) = plan_of(text("name: qty, type: long, min: 0.5, max: 2.5")).pre_checks
    assert check.predicate == call("and", call("ge", QTY, Literal(1, INT64)), call("le", QTY, Literal(2, INT64)))


def test_exclusive_range_rounds_the_other_way() -> None:
    """Qty > 0.5 as qty > 0; qty < 2.5 as qty < 3."""
    rules = row_rules("range: {field: qty, min: 0.5, max: 2.5, inclusive: false}")
    (check,) = plan_of(text("name: qty, type: long", rules)).pre_checks
    assert check.predicate == call("and", call("gt", QTY, Literal(0, INT64)), call("lt", QTY, Literal(3, INT64)))


def test_nan_is_outside_a_range_without_upper_bound() -> None:
    """NaN is above every number, so `>= 0` alone would take it; nothing finite or infinite is above infinity."""
    price = Column("price", FLOAT64)
    (check,) = plan_of(text("name: price, type: double, min: 0")).pre_checks
    assert check.predicate == call(
        "and", call("ge", price, Literal(0.0, FLOAT64)), call("le", price, Literal(math.inf, FLOAT64))
    )
    (bounded,) = plan_of(text("name: price, type: double, max: 5")).pre_checks
    assert bounded.predicate == call("le", price, Literal(5.0, FLOAT64))


def test_nan_fails_every_bound_of_a_rule() -> None:
    """`must_be_greater_than: 0` alone would take NaN, which is above every number."""
    price = Column("price", FLOAT64)
    finite = call("le", price, Literal(math.inf, FLOAT64))
    rules = row_rules("name: r, sql: price, must_be_greater_than: 0", "name: s, sql: price, must_be_less_than: 5")
    above, below = plan_of(text("name: price, type: double", rules)).pre_checks
    assert above.predicate == call("and", call("gt", price, Literal(0.0, FLOAT64)), finite)
    assert below.predicate == call("lt", price, Literal(5.0, FLOAT64))


def test_accepted_values_are_of_the_type_of_the_field() -> None:
    (check,) = plan_of(text("name: qty, type: long, accepted_values: [1, 2]")).pre_checks
    assert check.predicate == call("in", QTY, Literal(1, INT64), Literal(2, INT64))
    assert (check.name, check.code) == ("qty_accepted_values", "PMDATA112")


def test_accepted_value_of_another_type_is_an_error() -> None:
    (found,) = errors_of(text("name: qty, type: long, accepted_values: [1, two]"))
    assert found.code == "TYP-051"
    assert "`two`" in found.message


def test_max_length_counts_characters() -> None:
    (check,) = plan_of(text("name: code, type: string, max_length: 3")).pre_checks
    length = Call("length", (Column("code", STRING),), INT64)
    assert check.predicate == call("le", length, Literal(3, INT64))
    assert check.name == "code_max_length"


@pytest.mark.parametrize(
    "field",
    ["name: qty, type: long, max_length: 3", "name: code, type: string, min: 3", "name: ok, type: boolean, max: 3"],
)
def test_constraint_foreign_to_the_type_is_an_error(field: str) -> None:
    assert codes_of(text(field)) == ["TYP-050"]


def test_pattern_and_format_come_from_the_extension() -> None:
    rest = "extensions:\n  etlgen.fields:\n    code: {pattern: '^[A-Z]+$', min_length: 2}\n    mail: {format: email}\n"
    plan = plan_of(text("name: code, type: string\nname: mail, type: string", rest))
    assert names(plan.pre_checks) == ["code_min_length", "code_pattern", "mail_format"]
    assert row_check(plan, "code_pattern").code == "PMDATA102"
    assert row_check(plan, "mail_format").message == "value of `mail` does not satisfy the declared email constraint"


def test_multiple_of_an_integer_is_an_exact_remainder() -> None:
    rest = "extensions:\n  etlgen.fields:\n    qty: {multiple_of: 5}\n"
    (check,) = plan_of(text("name: qty, type: long", rest)).pre_checks
    assert check.predicate == call("eq", Call("mod", (QTY, Literal(5, INT64)), INT64), Literal(0, INT64))


def test_regex_match_searches_and_a_bad_pattern_is_an_error() -> None:
    plan = plan_of(text("name: code, type: string", row_rules('regex_match: {field: code, pattern: "^a"}')))
    assert names(plan.pre_checks) == ["code_regex_match"]
    assert isinstance(plan.pre_checks[0].predicate, Call)
    assert plan.pre_checks[0].predicate.function == "regexp_matches"
    assert codes_of(text("name: code, type: string", row_rules('regex_match: {field: code, pattern: "(?=a)"}'))) == [
        "SQL-009"
    ]


def test_must_be_bounds_bound_the_value_of_the_sql() -> None:
    rules = row_rules(
        "name: cap, sql: qty * 2, must_be_between: [0, 10]", "name: low, sql: qty, must_be_greater_than: 3"
    )
    plan = plan_of(text("name: qty, type: long", rules))
    low = row_check(plan, "low")
    assert low.predicate == call("gt", QTY, Literal(3, INT64))
    cap = row_check(plan, "cap").predicate
    assert isinstance(cap, Call)
    assert [arg.function for arg in cap.args if isinstance(arg, Call)] == ["ge", "le"]
    assert row_check(plan, "cap").sql == "(qty * 2) >= 0 AND (qty * 2) <= 10"


def test_bounds_of_a_boolean_are_a_type_error() -> None:
    (found,) = errors_of(text("name: qty, type: long", row_rules("name: cap, sql: qty > 2, must_be_less_than: 10")))
    assert found.code.startswith("TYP-")


def test_row_rule_that_is_no_condition_is_a_type_error() -> None:
    (found,) = errors_of(text("name: qty, type: long", row_rules("name: cap, sql: qty + 2")))
    assert found.code.startswith("TYP-")


def test_aggregate_in_a_row_rule_is_an_error() -> None:
    (found,) = errors_of(text("name: qty, type: long", row_rules("name: cap, sql: sum(qty) > 2")))
    assert found.code.startswith("SQL-")


def test_severity_is_kept() -> None:
    plan = plan_of(text("name: qty, type: long", row_rules("not_null: {field: qty, severity: warning}")))
    assert plan.pre_checks[0].severity == "warning"


def test_not_null_of_several_fields_is_one_rule_each() -> None:
    plan = plan_of(text("name: a, type: long\nname: b, type: long", row_rules("not_null: {fields: [a, b]}")))
    assert names(plan.pre_checks) == ["a_not_null", "b_not_null"]


# --- links and windows ------------------------------------------------------------------------------------------------


def test_referential_integrity_names_link_and_key() -> None:
    rest = row_rules("referential_integrity: {field: code, reference: countries, key: code}")
    plan = plan_of(text("name: code, type: string", rest + countries("name: code, type: string")))
    check = row_check(plan, "code_referential_integrity")
    assert (check.predicate, check.link, check.nulls_pass) == (None, ("countries", "code"), False)
    assert plan.links[0].used_by == ("pre_checks",)


def test_referential_integrity_of_another_type_or_key_or_link_is_an_error() -> None:
    rule = "referential_integrity: {field: code, reference: countries, key: code}"
    link = countries("name: code, type: long")
    assert codes_of(text("name: code, type: string", row_rules(rule) + link)) == ["TYP-052"]
    assert codes_of(text("name: code, type: string", row_rules(rule) + countries("name: kode, type: string"))) == [
        "SQL-001"
    ]
    (found,) = errors_of(text("name: code, type: string", row_rules(rule.replace("countries", "contries")) + link))
    assert (found.code, found.nearest) == ("CTR-095", "countries")


@pytest.mark.parametrize(
    ("window", "back"),
    [
        ("30d", Interval(days=-30)),
        ("12h", Interval(microseconds=-12 * 3_600_000_000)),
        ("2w", Interval(days=-14)),
        ("3mo", Interval(months=-3)),
    ],
)
def test_lifecycle_window_reaches_back_from_the_start_of_the_run(window: str, back: Interval) -> None:
    rules = row_rules(f"lifecycle_window: {{field: seen, window: {window}}}")
    (check,) = plan_of(text("name: seen, type: timestamp", rules)).pre_checks
    now = Call("current_timestamp", (), TIMESTAMP_TZ)
    start = Call("date_add", (now, Literal(back, INTERVAL)), TIMESTAMP_TZ)
    assert check.name == "seen_lifecycle_window"
    assert check.predicate == call("ge", Column("seen", TIMESTAMP), Cast(start, TIMESTAMP))


def test_window_that_is_no_window_or_no_date_is_an_error() -> None:
    assert codes_of(text("name: seen, type: date", row_rules("lifecycle_window: {field: seen, window: soon}"))) == [
        "CTR-087"
    ]
    assert codes_of(text("name: seen, type: long", row_rules("lifecycle_window: {field: seen, window: 30d}"))) == [
        "TYP-050"
    ]


# --- names ------------------------------------------------------------------------------------------------------------


def test_written_name_wins_over_the_default_one() -> None:
    plan = plan_of(text("name: a, type: long", row_rules("name: a_is_there, not_null: a")))
    assert names(plan.pre_checks) == ["a_is_there"]


def test_two_rules_of_one_name_and_definition_are_one() -> None:
    rules = row_rules("name: here, sql: a IS NOT NULL", "name: here, sql: a is not null")
    plan = plan_of(text("name: a, type: long", rules))
    assert names(plan.pre_checks) == ["here"]
    assert notes_of(plan) == []


def test_two_rules_of_one_name_and_different_definitions_are_numbered_with_a_warning() -> None:
    rules = row_rules("name: here, sql: a > 1", "name: here, sql: a > 2", "name: here, sql: a > 3")
    plan = plan_of(text("name: a, type: long", rules))
    assert names(plan.pre_checks) == ["here", "here_2", "here_3"]
    assert notes_of(plan) == ["CTR-098", "CTR-098"]


def test_written_name_keeps_itself_when_a_default_one_collides() -> None:
    plan = plan_of(text("name: a, type: long, required: true", row_rules("name: a_required, sql: a > 1")))
    assert sorted(names(plan.pre_checks)) == ["a_required", "a_required_2"]
    assert row_check(plan, "a_required").kind == "sql"


def test_rule_of_another_severity_is_another_rule() -> None:
    rules = row_rules("name: here, sql: a > 1", "name: here, sql: a > 1, severity: warning")
    assert names(plan_of(text("name: a, type: long", rules)).pre_checks) == ["here", "here_2"]


def test_field_rules_travel_with_the_field() -> None:
    plan = plan_of(
        text('name: s, type: string, rules: [{name: s_lower, sql: "s = lower(s)"}]', row_rules("not_null: s"))
    )
    assert names(plan.pre_checks) == ["s_lower", "s_not_null"]


# --- blank keys -------------------------------------------------------------------------------------------------------

DEDUP = "deduplicate: {'on': [a, b], sort_by: [v], order: desc}"
KEYED = "name: a, type: long\nname: b, type: long\nname: v, type: long"


def test_blank_keys_are_checked_in_the_phase_of_the_operation() -> None:
    plan = plan_of(text(KEYED, operations(DEDUP)))
    (check,) = plan.post_checks
    assert (check.name, check.kind, check.code) == ("a__b_required_for_dedup", "required_for_dedup", "PMDATA123")
    a, b = Column("a", INT64), Column("b", INT64)
    assert check.predicate == call("and", call("is_not_null", a), call("is_not_null", b))
    early = plan_of(text(KEYED, operations(f"{DEDUP} | pre")))
    assert names(early.pre_checks) == ["a__b_required_for_dedup"]


def test_blank_keys_kept_need_no_check() -> None:
    kept = "deduplicate: {'on': [a], sort_by: [v], order: desc, blank_keys: keep}"
    assert plan_of(text(KEYED, operations(kept))).post_checks == ()


def test_not_null_rules_on_every_key_column_make_the_check_superfluous() -> None:
    required = KEYED.replace("name: a, type: long", "name: a, type: long, required: true")
    rules = row_rules("name: b_there, sql: b IS NOT NULL")
    plan = plan_of(text(required, operations(DEDUP) + rules))
    assert names(plan.pre_checks) == ["a_required", "b_there"]
    assert plan.post_checks == ()
    partly = plan_of(text(required, operations(DEDUP)))
    assert names(partly.post_checks) == ["a__b_required_for_dedup"]


def test_warning_does_not_cover_a_blank_key() -> None:
    rules = row_rules("not_null: {field: a, severity: warning}", "not_null: b")
    plan = plan_of(text(KEYED, operations(DEDUP) + rules))
    assert names(plan.post_checks) == ["a__b_required_for_dedup"]


def test_key_that_is_renamed_afterwards_is_followed() -> None:
    rest = operations("deduplicate: {'on': [order], sort_by: [v]} | pre", "rename: {from: order, to: a} | pre")
    (check,) = plan_of(text("name: a, type: string\nname: v, type: string", rest)).pre_checks
    assert (check.name, check.columns) == ("order_required_for_dedup", ("a",))


def test_key_that_is_dropped_afterwards_cannot_be_checked() -> None:
    rest = operations("deduplicate: {'on': [order], sort_by: [v]} | pre", "drop: {columns: [order]} | pre")
    assert codes_of(text("name: v, type: string", rest)) == ["PHS-003"]


@pytest.mark.parametrize(
    ("fields", "rule", "name"),
    [
        ("name: qty, type: long, accepted_values: [1, null]", "", "qty_accepted_values"),
        ("name: qty, type: long", "accepted_values: {field: qty, values: [null, 1]}", "qty_accepted_values"),
    ],
)
def test_null_is_no_member_of_a_list(fields: str, rule: str, name: str) -> None:
    """With NULL in the list of IN a value that is not listed gives NULL, which a constraint lets pass: 2 must give FALSE."""
    check = row_check(plan_of(text(fields, row_rules(rule) if rule else "")), name)
    assert isinstance(check.predicate, Call)
    column, *listed = check.predicate.args
    assert (check.predicate.function, column) == ("in", Column("qty", INT64))
    assert listed == [Literal(1, INT64)]
    assert check.sql == "qty IN (1)"


def test_null_listed_in_a_row_rule_is_a_warning_as_null_fails_it() -> None:
    plan = plan_of(text("name: qty, type: long", row_rules("accepted_values: {field: qty, values: [1, null]}")))
    (found,) = [one for one in plan.diagnostics if one.code == "CTR-086"]
    assert (found.severity, found.at and found.at.line, "qty_accepted_values" in found.message) == (
        Severity.WARNING, 9, True,
    )  # fmt: skip
    assert "CTR-086" not in notes_of(plan_of(text("name: qty, type: long, accepted_values: [1, null]")))


@pytest.mark.parametrize(
    "yaml",
    [
        text("name: qty, type: long, accepted_values: [null]"),
        text("name: qty, type: long", row_rules("accepted_values: {field: qty, values: [null]}")),
    ],
)
def test_a_list_of_nothing_but_null_accepts_nothing(yaml: str) -> None:
    assert codes_of(yaml) == ["CTR-084"]


def test_plan_knows_the_kind_of_number_a_decimal_bound_is() -> None:
    """A decimal(10,2) is compared at its own scale: 1.005 is between 1.00 and 1.01, so `>= 1.005` is `>= 1.01`."""
    (check,) = plan_of(text('name: amount, type: "decimal(10,2)", min: 1.005')).pre_checks
    assert isinstance(check.predicate, Call)
    bound = check.predicate.args[1]
    assert isinstance(bound, Literal)
    assert str(bound.value) == "1.01"
    assert (bound.type.kind, bound.type.scale) == (Kind.DECIMAL, 2)


def test_keys_of_a_link_without_types_name_the_fix() -> None:
    """Columns of a CSV link are text as long as ``etlgen.link_fields`` says nothing (transformations, "links")."""
    rule = row_rules("referential_integrity: { field: n, reference: countries, key: code }")
    (found,) = errors_of(text("name: n, type: long", countries(kind="csv") + rule))
    assert found.code == "TYP-052"
    assert "etlgen.link_fields" in found.help
    joined = operations("join: { reference: countries, on: n, key: code, fields: [name] }")
    (found,) = errors_of(text("name: n, type: long", countries(kind="csv") + joined))
    assert found.code == "TYP-052"
    assert "etlgen.link_fields" in found.help
