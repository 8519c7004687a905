"""Semantics, sections 1 and 4: columns and types at every step."""

from __future__ import annotations

from tests.unit.resolve.plans import (
    PARQUET,
    codes_of,
    countries,
    errors_of,
    notes_of,
    operations,
    plan_of,
    row_rules,
    source_fields,
    text,
)

from etlgen.plan import Schema
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT64, INT128, STRING, UNKNOWN, LogicalType


def types(schema: Schema) -> dict[str, LogicalType]:
    return {column.name: column.type for column in schema.columns}


def test_csv_is_text_until_step_3() -> None:
    plan = plan_of(text("name: id, type: long\nname: price, type: double"))
    assert types(plan.source) == types(plan.prepared) == {"id": STRING, "price": STRING}
    assert types(plan.typed) == {"id": INT64, "price": FLOAT64}


def test_typed_source_has_the_declared_types_from_the_start() -> None:
    plan = plan_of(text("name: id, type: long", source=PARQUET))
    assert types(plan.source) == {"id": INT64}


def test_source_fields_give_types_to_columns_that_the_model_does_not_have() -> None:
    given = source_fields("name: id, type: long", "name: cents, type: long")
    rest = operations("derive: {field: price, sql: cents / 100}") + given
    plan = plan_of(text("name: id, type: long\nname: price, type: double", rest))
    assert types(plan.source) == {"id": STRING, "cents": STRING}
    assert types(plan.typed) == {"id": INT64, "cents": INT64}
    assert plan.output.names == ("id", "cents", "price")


def test_source_only_column_keeps_the_type_that_pre_gave_it() -> None:
    given = source_fields("name: id, type: long", "name: raw, type: string")
    plan = plan_of(text("name: id, type: long", operations("cast: {columns: {raw: long}} | pre") + given))
    assert types(plan.typed)["raw"] == INT64


def test_declared_types_have_the_last_word() -> None:
    rest = operations("derive: {field: total, sql: id * 2}")
    plan = plan_of(text("name: id, type: long\nname: total, type: double", rest))
    assert types(plan.enriched)["total"] == INT128  # twice an integer of 64 bits, exact until it is cast
    assert types(plan.output)["total"] == FLOAT64


def test_closed_source_refuses_unknown_names_and_suggests_the_nearest() -> None:
    given = source_fields("name: id, type: long", "name: unit_price, type: double")
    rest = operations("derive: {field: price, sql: unit_prise * 2}") + given
    (found,) = errors_of(text("name: id, type: long\nname: price, type: double", rest))
    assert (found.code, found.nearest) == ("SQL-001", "unit_price")


def test_open_source_takes_unknown_names_with_a_warning_and_lists_them() -> None:
    rest = operations("derive: {field: label, sql: upper(remark)}")
    plan = plan_of(text("name: id, type: long\nname: label, type: string", rest))
    assert notes_of(plan) == ["SQL-010"]
    assert plan.source.names == ("id", "remark")
    assert plan.source.columns[1].origin == "undeclared"
    assert "undeclared columns that are read: `remark`" in plan.steps[0].details


def test_open_source_refuses_a_likely_misspelling() -> None:
    rest = operations("derive: {field: label, sql: upper(staus)}")
    (found,) = errors_of(text("name: status, type: string\nname: label, type: string", rest))
    assert (found.code, found.nearest) == ("SQL-001", "status")


def test_select_closes_the_schema() -> None:
    rest = operations("select: {columns: [id]}", "derive: {field: label, sql: upper(remark)}")
    assert codes_of(text("name: id, type: long\nname: label, type: string", rest)) == ["SQL-001"]


def test_strict_evolution_closes_the_schema() -> None:
    rest = "schema_policy: {evolution: strict}\n" + row_rules("name: r, sql: remark > 'a'")
    assert codes_of(text("name: id, type: long", rest)) == ["SQL-001"]
    assert plan_of(text("name: id, type: long", "schema_policy: {evolution: strict}\n")).source.open is False


def test_undeclared_text_used_as_a_number_is_an_error_that_names_the_fix() -> None:
    rest = operations("derive: {field: double, sql: amount * 2}")
    (found,) = errors_of(text("name: id, type: long\nname: double, type: long", rest))
    assert found.code.startswith("TYP-")
    assert "source_fields" in found.help


def test_undeclared_column_of_a_typed_source_keeps_a_type_unknown_at_build() -> None:
    rest = operations("derive: {field: twice, sql: amount * 2}")
    plan = plan_of(text("name: id, type: long\nname: twice, type: long", rest, source=PARQUET))
    assert types(plan.source) == {"id": INT64, "amount": UNKNOWN}


def test_undeclared_column_that_only_a_check_reads_is_a_source_column() -> None:
    plan = plan_of(text("name: id, type: long", row_rules("name: r, sql: remark > 'a'", "not_null: region")))
    assert plan.source.names == ("id", "remark", "region")
    assert notes_of(plan) == ["SQL-010", "SQL-010"]


def test_pre_operation_on_csv_text_that_needs_a_number_names_the_fix() -> None:
    bucket = "bucket: {field: band, source: qty, bins: [{lt: 10, label: low}]} | pre"
    (found,) = errors_of(text("name: qty, type: long\nname: band, type: string", operations(bucket)))
    assert found.code == "TYP-050"
    assert found.help == "cast `qty` in phase pre before it, or let bucket #1 run in post"


def test_map_values_in_post_leaves_the_column_as_found_when_its_keys_are_of_another_type() -> None:
    mapped = operations("map_values: {field: active, mapping: {A: true, I: false}, default: false}")
    plan = plan_of(text("name: active, type: boolean", mapped))
    assert types(plan.typed) == {"active": STRING}
    assert types(plan.enriched) == {"active": BOOLEAN}
    assert types(plan.output) == {"active": BOOLEAN}
    parquet = plan_of(text("name: active, type: boolean", mapped, source=PARQUET))
    assert types(parquet.source) == {"active": STRING}


def test_map_values_whose_keys_fit_the_declared_type_gets_it() -> None:
    mapped = operations("map_values: {field: level, mapping: {1: 10, 2: 20}}")
    plan = plan_of(text("name: level, type: long", mapped))
    assert types(plan.typed) == types(plan.enriched) == {"level": INT64}


def test_new_columns_come_last_and_undeclared_ones_pass_through() -> None:
    rest = operations("derive: {field: a, sql: b + 1}", "trim: {fields: [note]}")
    plan = plan_of(text("name: a, type: long\nname: b, type: long", rest))
    assert plan.source.names == ("b", "note")
    assert plan.output.names == ("b", "note", "a")
    assert plan.output.open is True


def test_unknown_fields_drop_writes_declared_and_produced_columns_only() -> None:
    rest = "schema_policy: {unknown_fields: drop}\n" + operations(
        "derive: {field: twice, sql: id * 2}", "trim: {fields: [note]}"
    )
    plan = plan_of(text("name: id, type: long", rest))
    assert plan.output.names == ("id", "note", "twice")
    assert plan.published.names == ("id", "twice")
    assert plan.published.open is False


def test_unknown_fields_quarantine_allows_what_is_read() -> None:
    rest = (
        "schema_policy: {unknown_fields: quarantine}\n"
        + operations("trim: {fields: [note]}")
        + row_rules("not_null: region")
    )
    plan = plan_of(text("name: id, type: long", rest))
    assert plan.unread_undeclared_are_bad == ("note", "region")
    assert plan_of(text("name: id, type: long")).unread_undeclared_are_bad is None


def test_required_columns_hold_no_null_after_their_check() -> None:
    fields = "name: id, type: long, required: true\nname: note, type: string, required: true"
    plan = plan_of(text(fields, operations("trim: {fields: [note]}")))
    assert [column.nullable for column in plan.source.columns] == [True, True]
    assert [column.nullable for column in plan.typed.columns] == [False, False]
    assert [column.nullable for column in plan.output.columns] == [False, True]


def test_outer_join_makes_the_columns_of_the_rows_nullable() -> None:
    join = "join: {reference: countries, 'on': code, key: code, fields: [area], type: full}"
    link = countries("name: code, type: string", "name: area, type: long")
    plan = plan_of(text("name: code, type: string, required: true", operations(join) + link))
    assert plan.typed.columns[0].nullable is False
    assert plan.output.columns[0].nullable is True


def test_sensitivity_follows_lineage_unless_declared_otherwise() -> None:
    rest = operations(
        "derive: {field: domain, sql: \"split_part(email, '@', 2)\"}",
        "derive: {field: size, sql: length(email)}",
        "derive: {field: twice, sql: id * 2}",
        "rename: {from: email, to: mail}",
    )
    fields = (
        "name: id, type: long\nname: domain, type: string\nname: size, type: long, pii: false\nname: mail, type: string"
    )
    given = source_fields("name: id, type: long", "name: email, type: string, pii: true")
    plan = plan_of(text(fields, rest + given))
    flags = {column.name: column.sensitive for column in plan.output.columns}
    assert flags == {"id": False, "mail": True, "domain": True, "size": False, "twice": False}


def test_raw_rows_are_those_of_step_1_unless_pre_combines_or_removes_rows() -> None:
    assert plan_of(text("name: id, type: long", operations("trim: {fields: [id]} | pre"))).raw_step == 1
    assert plan_of(text("name: id, type: long", operations("filter: {sql: \"id <> ''\"} | pre"))).raw_step == 3


def test_raw_rows_are_lost_in_post_when_a_join_may_multiply() -> None:
    link = countries("name: code, type: string", "name: area, type: long")
    lookup = "lookup: {field: area, reference: countries, 'on': code, key: code, value: area}"
    assert plan_of(text("name: code, type: string", operations(lookup) + link)).raw_kept_in_post is True
    join = "join: {reference: countries, 'on': code, key: code, fields: [area]}"
    assert plan_of(text("name: code, type: string", operations(join) + link)).raw_kept_in_post is False


def test_nine_steps_carry_columns_and_reasons() -> None:
    rest = operations("trim: {fields: [code]} | pre", "derive: {field: n, sql: length(code)}")
    plan = plan_of(text("name: code, type: string, required: true", rest))
    assert [step.number for step in plan.steps] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert plan.steps[1].details == ("1. trim `code` on both sides (written)",)
    assert plan.steps[5].columns_out == ("code", "n")
    assert plan.steps[3].details == (
        "`code_required` (error): `code IS NOT NULL` (default: a check without phase runs in pre)",
    )


def test_pattern_in_a_folder_says_that_the_source_is_text() -> None:
    folder = "source: {type: landing, path: data/in, pattern: '*.csv'}\n"
    assert types(plan_of(text("name: id, type: smallint", source=folder)).source) == {"id": STRING}


def test_an_unknown_column_of_a_link_is_declared_with_the_link() -> None:
    rest = row_rules("referential_integrity: {field: code, reference: countries, key: idd}")
    (found,) = errors_of(text("name: code, type: string", rest + countries("name: id, type: string")))
    assert (found.code, found.nearest) == ("SQL-001", "id")
    assert "`etlgen.link_fields`" in found.help
    assert "source_fields" not in found.help
