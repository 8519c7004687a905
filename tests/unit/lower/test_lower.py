"""Transformations, the table: what each operation becomes, and what it refuses at build."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.resolve.plans import (
    PARQUET,
    codes_of,
    countries,
    errors_of,
    notes_of,
    operations,
    plan_of,
    read,
    source_fields,
    text,
)

from etlgen.diagnostics.model import ContractError
from etlgen.expr import Call, Case, Cast, Column, Expr, Literal
from etlgen.plan import (
    Assign,
    CastColumns,
    DeduplicateRows,
    FilterRows,
    JoinLink,
    Keep,
    PlannedOperation,
    Relation,
    RenameColumns,
)
from etlgen.resolve import resolve
from etlgen_runtime.types import BOOLEAN, DATE, FLOAT64, INT64, STRING, TIMESTAMP, TIMESTAMP_TZ, LogicalType

AB = "name: a, type: string\nname: b, type: string"


def only(fields: str, entry: str, rest: str = "", *, source: str = PARQUET) -> tuple[PlannedOperation, Relation]:
    """The one operation of a contract and its one relation."""
    plan = plan_of(text(fields, operations(entry) + rest, source=source))
    (operation,) = (*plan.pre.operations, *plan.post.operations)
    (relation,) = operation.relations
    return operation, relation


def assigned(fields: str, entry: str, rest: str = "") -> Expr:
    _, relation = only(fields, entry, rest)
    assert isinstance(relation, Assign)
    ((_, expr),) = relation.columns
    return expr


def call(function: str, *args: Expr, type_: LogicalType = BOOLEAN) -> Call:
    return Call(function, args, type_)


A, B = Column("a", STRING), Column("b", STRING)


# --- columns ----------------------------------------------------------------------------------------------------------


def test_select_keeps_columns_in_its_order() -> None:
    operation, relation = only(AB, "select: {columns: [b, a]}")
    assert relation == Keep(("b", "a"))
    assert operation.after.names == ("b", "a")
    assert operation.after.open is False
    assert operation.title == "keep `b`, `a`"


def test_select_of_an_unknown_column_is_an_error() -> None:
    rest = operations("select: {columns: [a, total]}") + source_fields("name: a, type: string")
    assert codes_of(text("name: a, type: string", rest)) == ["SQL-001"]


def test_column_selected_twice_is_an_error() -> None:
    assert codes_of(text(AB, operations("select: {columns: [a, b, a]}"))) == ["CTR-092"]


def test_drop_removes_just_these() -> None:
    given = source_fields("name: a, type: string", "name: n, type: long")
    operation, relation = only("name: a, type: string", "drop: {columns: [n]}", given)
    assert relation == Keep(("a",), dropped=("n",))
    assert operation.drops == ("n",)


def test_drop_of_an_absent_column_is_a_note() -> None:
    plan = plan_of(text(AB, operations("drop: {columns: [internal_notes]}")))
    assert notes_of(plan) == ["CTR-099"]
    assert plan.output.names == ("a", "b")


def test_rename_is_one_step_and_swaps() -> None:
    operation, relation = only(AB, "rename: {mappings: {a: b, b: a}}")
    assert relation == RenameColumns((("a", "b"), ("b", "a")))
    assert operation.after.names == ("b", "a")


def test_rename_to_a_taken_name_is_an_error() -> None:
    given = source_fields("name: a, type: string", "name: b, type: string", "name: c, type: string")
    (found,) = errors_of(text(AB, operations("rename: {from: c, to: a}") + given))
    assert found.code == "CTR-088"


def test_two_renames_to_one_name_are_an_error() -> None:
    assert codes_of(text("name: x, type: string", operations("rename: {mappings: {first: x, last: x}}"))) == ["CTR-092"]


def test_new_name_that_differs_only_in_case_is_an_error() -> None:
    assert codes_of(text(AB, operations("derive: {field: A, sql: upper(b)}"))) == ["CTR-093"]


def test_reserved_names_are_refused() -> None:
    assert codes_of(text(AB, operations("derive: {field: __etlgen_raw, sql: upper(b)}"))) == ["CTR-094"]
    assert codes_of(text("name: _etlgen_errors, type: string")) == ["CTR-094"]


def test_source_field_and_model_field_do_not_differ_only_in_case() -> None:
    assert codes_of(text("name: id, type: long", source_fields("name: ID, type: long"))) == ["CTR-093"]


@pytest.mark.parametrize(("second", "code"), [("Id", "CTR-093"), ("id", "CTR-092")])
def test_declared_fields_have_distinct_names_whatever_the_reader(second: str, code: str) -> None:
    contract = read(text("name: id, type: long"))
    (field,) = contract.fields
    twin = replace(field, name=replace(field.name, value=second))
    with pytest.raises(ContractError) as caught:
        resolve(replace(contract, fields=(field, twin)))
    assert code in [found.code for found in caught.value.diagnostics]


def test_cast_remembers_types_before_and_after() -> None:
    operation, relation = only(
        "name: n, type: double",
        "cast: {columns: {n: integer}} | pre",
        source="source: {type: landing, path: x.csv, format: csv}\n",
    )
    assert relation == CastColumns((("n", STRING, INT64, ()),))
    assert operation.rewrites == ("n",)
    assert operation.title == "cast `n` to int64"


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "words"), [("both", "on both sides"), ("left", "on the left"), ("right", "on the right")]
)
def test_trim(side: str, words: str) -> None:
    operation, relation = only(AB, f"trim: {{fields: [a], side: {side}}}")
    assert relation == Assign((("a", call("trim_whitespace", A, Literal(side, STRING), type_=STRING)),))
    assert operation.title == f"trim `a` {words}"
    assert (operation.reads, operation.rewrites, operation.creates) == (frozenset({"a"}), ("a",), ())


def test_lower_and_upper_take_several_fields_at_once() -> None:
    _, relation = only(AB, "lower: {fields: [a, b]}")
    assert relation == Assign((("a", call("lower", A, type_=STRING)), ("b", call("lower", B, type_=STRING))))
    assert assigned(AB, "upper: {fields: [b]}") == call("upper", B, type_=STRING)


@pytest.mark.parametrize("kind", ["trim", "lower", "upper"])
def test_text_operations_refuse_other_types(kind: str) -> None:
    assert codes_of(text("name: n, type: long", operations(f"{kind}: {{fields: [n]}}"))) == ["TYP-050"]


# --- values -----------------------------------------------------------------------------------------------------------


def test_derive_infers_its_type() -> None:
    operation, relation = only("name: n, type: long\nname: twice, type: long", "derive: {field: twice, sql: n * 2}")
    assert isinstance(relation, Assign)
    assert relation.checked is True  # a product of integers may leave 64 bits
    assert relation.columns[0][1].type == INT64
    assert operation.title == "derive `twice` = `n * 2`"
    assert operation.creates == ("twice",)


def test_derive_of_a_double_needs_no_check() -> None:
    _, relation = only("name: n, type: double", "derive: {field: half, sql: n / 2}")
    assert isinstance(relation, Assign)
    assert relation.checked is False


def test_derive_of_null_takes_the_declared_type() -> None:
    assert assigned("name: n, type: long", "derive: {field: n, sql: 'NULL'}") == Literal(None, INT64)


def test_titles_are_one_line_and_quote_contract_text() -> None:
    rest = "transformations:\n  - derive:\n      field: b\n      sql: |\n        upper(\n          a)\n"
    plan = plan_of(text(AB, rest))
    assert plan.post.operations[0].title == "derive `b` = `upper( a)`"


def test_coalesce_takes_the_first_value_then_the_default() -> None:
    entry = "coalesce: {field: a, sources: [a, b], default: x}"
    operation, _ = only(AB, entry)
    assert assigned(AB, entry) == call("coalesce", A, B, Literal("x", STRING), type_=STRING)
    assert operation.title == "set `a` to the first value of `a`, `b`, else `x`"


def test_coalesce_without_sources_means_its_field() -> None:
    assert assigned(AB, "coalesce: {field: a, default: x, output: b}") == call(
        "coalesce", A, Literal("x", STRING), type_=STRING
    )


def test_coalesce_of_numbers_unifies_and_reads_its_default() -> None:
    fields = "name: n, type: long\nname: d, type: double"
    expr = assigned(fields, "coalesce: {field: d, sources: [n, d], default: 1}")
    assert isinstance(expr, Call)
    assert expr.type == FLOAT64
    assert expr.args[2] == Literal(1.0, FLOAT64)


def test_coalesce_of_kinds_that_do_not_unify_is_an_error() -> None:
    rest = operations("coalesce: {field: n, sources: [n, a]}")
    assert codes_of(text("name: n, type: long\nname: a, type: string", rest, source=PARQUET)) == ["TYP-050"]


def test_coalesce_default_of_another_type_is_an_error() -> None:
    rest = operations("coalesce: {field: n, sources: [n], default: many}")
    assert codes_of(text("name: n, type: long", rest, source=PARQUET)) == ["TYP-051"]


def test_map_values_without_default_falls_back_to_the_value() -> None:
    expr = assigned(AB, "map_values: {field: a, mapping: {x: y}}")
    assert expr == Case(((call("eq", A, Literal("x", STRING)), Literal("y", STRING)),), A, STRING)


def test_map_values_with_default_takes_the_type_of_its_values() -> None:
    expr = assigned(
        "name: a, type: string\nname: n, type: long", "map_values: {field: a, mapping: {x: 1}, default: 0, output: n}"
    )
    assert expr == Case(((call("eq", A, Literal("x", STRING)), Literal(1, INT64)),), Literal(0, INT64), INT64)


def test_map_values_with_a_null_default_forgets_the_value() -> None:
    expr = assigned(AB, "map_values: {field: a, mapping: {x: y}, default: null}")
    assert isinstance(expr, Case)
    assert expr.default == Literal(None, STRING)


def test_map_values_compares_numbers_by_their_text() -> None:
    expr = assigned("name: n, type: long", "map_values: {field: n, mapping: {1: 10}}")
    n = Column("n", INT64)
    assert expr == Case(((call("eq", Cast(n, STRING), Literal("1", STRING)), Literal(10, INT64)),), n, INT64)


def test_map_values_of_mixed_outcomes_is_text() -> None:
    """No default: a number without an entry stays itself, beside the text `low`."""
    expr = assigned(
        "name: n, type: long\nname: t, type: string", "map_values: {field: n, mapping: {1: low}, output: t}"
    )
    assert isinstance(expr, Case)
    assert (expr.type, expr.default) == (STRING, Cast(Column("n", INT64), STRING))


def test_bucket_is_a_case_whose_default_takes_null_too() -> None:
    entry = (
        "bucket: {field: band, source: n, bins: [{lt: 10, label: low}, {gte: 10, lt: 20, label: mid}], default: high}"
    )
    expr = assigned("name: n, type: long\nname: band, type: string", entry)
    n = Column("n", INT64)
    ten, twenty = Literal(10, INT64), Literal(20, INT64)
    assert expr == Case(
        (
            (call("lt", n, ten), Literal("low", STRING)),
            (call("and", call("lt", n, twenty), call("ge", n, ten)), Literal("mid", STRING)),
        ),
        Literal("high", STRING),
        STRING,
    )


def test_bucket_without_default_gives_null() -> None:
    expr = assigned(
        "name: n, type: long\nname: band, type: string", "bucket: {field: band, source: n, bins: [{lt: 1, label: l}]}"
    )
    assert isinstance(expr, Case)
    assert expr.default == Literal(None, STRING)


def test_bucket_of_text_is_an_error() -> None:
    rest = operations("bucket: {field: b, source: a, bins: [{lt: 1, label: l}]}")
    assert codes_of(text(AB, rest)) == ["TYP-050"]


def test_date_diff_counts_boundaries_between_dates() -> None:
    fields = "name: d, type: date\nname: e, type: date\nname: n, type: long"
    expr = assigned(fields, "date_diff: {field: n, from_col: d, to_col: e, unit: days}")
    assert expr == call("date_diff", Literal("day", STRING), Column("d", DATE), Column("e", DATE), type_=INT64)


def test_date_diff_reads_text_and_brings_both_sides_to_one_type() -> None:
    fields = "name: a, type: string\nname: d, type: date\nname: t, type: timestamp_tz\nname: n, type: long"
    expr = assigned(fields, "date_diff: {field: n, from_col: a, to_col: d, unit: hours}")
    read = call("read_date_text", A, type_=TIMESTAMP)
    assert expr == call("date_diff", Literal("hour", STRING), read, Cast(Column("d", DATE), TIMESTAMP), type_=INT64)
    mixed = assigned(fields, "date_diff: {field: n, from_col: d, to_col: t, unit: months}")
    assert isinstance(mixed, Call)
    assert mixed.args[2] == Column("t", TIMESTAMP_TZ)
    assert mixed.args[1].type.kind is TIMESTAMP_TZ.kind


def test_date_diff_of_an_unknown_unit_or_a_number_is_an_error() -> None:
    fields = "name: d, type: date\nname: x, type: long\nname: n, type: long"
    assert codes_of(text(fields, operations("date_diff: {field: n, from_col: d, to_col: x, unit: days}"))) == [
        "TYP-050"
    ]


# --- rows -------------------------------------------------------------------------------------------------------------


def test_filter_keeps_true_and_is_not_row_wise() -> None:
    operation, relation = only("name: n, type: long", "filter: {sql: n > 1}")
    assert isinstance(relation, FilterRows)
    assert isinstance(relation.predicate, Call)
    assert relation.predicate.function == "gt"
    assert operation.row_wise is False
    assert operation.title == "keep rows where `n > 1`"


def test_deduplicate_breaks_ties_by_the_other_columns_in_schema_order() -> None:
    fields = "name: id, type: long\nname: z, type: string\nname: v, type: long\nname: b, type: string"
    operation, relation = only(fields, "deduplicate: {'on': [id], sort_by: [v], order: desc}")
    assert relation == DeduplicateRows(("id",), (("v", True),), ("z", "b"))
    assert operation.title == "keep one row per `id`: the largest `v`"


def test_deduplicate_by_latest_is_deduplicate_with_blank_keys_kept() -> None:
    yaml = text(
        "name: id, type: long\nname: v, type: long",
        operations("deduplicate_by_latest: {key_columns: [id], timestamp_column: v}"),
    )
    plan = plan_of(yaml)
    assert plan.post.operations[0].relations == (DeduplicateRows(("id",), (("v", True),), ()),)
    assert plan.post_checks == ()


def test_pre_deduplicate_by_text_of_a_number_warns() -> None:
    rest = operations("deduplicate: {'on': [id], sort_by: [v], blank_keys: keep} | pre")
    assert notes_of(plan_of(text("name: id, type: long\nname: v, type: long", rest))) == ["TYP-053"]


# --- links ------------------------------------------------------------------------------------------------------------

CODED = "name: code, type: string"
LINK = countries("name: code, type: string", "name: area, type: long", "name: label, type: string")
LOOKUP = "lookup: {field: label, reference: countries, 'on': code, key: code, value: label, default_value: Unknown}"


def test_lookup_is_a_join_with_a_unique_key() -> None:
    operation, relation = only(CODED, LOOKUP, LINK)
    assert relation == JoinLink(
        "countries",
        "code",
        "code",
        (("label", "label", STRING, Literal("Unknown", STRING)),),
        unique_key=True,
        on_type=STRING,
        key_type=STRING,
    )
    assert operation.row_wise is True
    assert operation.links == ("countries",)
    assert operation.title == "look up `label` in `countries` by `code`, else `Unknown`"


def test_link_is_used_where_its_operation_runs_and_an_unused_one_gets_a_note() -> None:
    used = plan_of(text(CODED, operations(LOOKUP) + LINK))
    assert used.links[0].used_by == ("post",)
    assert notes_of(plan_of(text(CODED, LINK))) == ["CTR-096"]


def test_lookup_with_key_types_that_differ_is_an_error() -> None:
    lookup = "lookup: {field: label, reference: countries, 'on': code, key: area, value: label}"
    assert codes_of(text(CODED, operations(lookup) + LINK)) == ["TYP-052"]


def test_pre_lookup_of_csv_text_in_numbers_names_the_fix() -> None:
    lookup = "lookup: {field: label, reference: countries, 'on': n, key: area, value: label} | pre"
    (found,) = errors_of(text("name: n, type: long", operations(lookup) + LINK))
    assert found.code == "TYP-052"
    assert found.help == "cast `n` in phase pre before it, or let lookup #1 run in post"


def test_lookup_in_an_unknown_link_or_column_is_an_error() -> None:
    assert codes_of(text(CODED, operations(LOOKUP.replace("countries", "contries")) + LINK)) == ["CTR-095"]
    wrong = LOOKUP.replace("value: label", "value: lable")
    (found,) = errors_of(text(CODED, operations(wrong) + LINK))
    assert (found.code, found.nearest) == ("SQL-001", "label")


def test_link_without_declared_columns_is_unknown_and_noted() -> None:
    plan = plan_of(text(CODED, operations(LOOKUP) + countries()))
    (relation,) = plan.post.operations[0].relations
    assert isinstance(relation, JoinLink)
    assert str(relation.key_type) == "unknown"
    assert notes_of(plan) == ["CTR-097"]


def test_columns_of_a_csv_link_are_text() -> None:
    plan = plan_of(text(CODED, operations(LOOKUP) + countries(kind="csv")))
    (relation,) = plan.post.operations[0].relations
    assert isinstance(relation, JoinLink)
    assert relation.key_type == STRING


def test_default_of_a_lookup_is_of_the_type_of_its_value() -> None:
    lookup = "lookup: {field: area, reference: countries, 'on': code, key: code, value: area, default_value: none}"
    assert codes_of(text(CODED, operations(lookup) + LINK)) == ["TYP-051"]


def test_join_brings_its_fields_with_prefix_and_defaults() -> None:
    join = "join: {reference: countries, 'on': code, key: code, fields: [area, label], type: inner, prefix: c_, defaults: {area: 0}}"
    operation, relation = only(CODED, join, LINK)
    assert isinstance(relation, JoinLink)
    assert relation.fields == (("area", "c_area", INT64, Literal(0, INT64)), ("label", "c_label", STRING, None))
    assert (relation.how, relation.unique_key) == ("inner", False)
    assert operation.creates == ("c_area", "c_label")
    assert operation.row_wise is False


def test_join_name_clash_without_prefix_is_an_error() -> None:
    join = "join: {reference: countries, 'on': code, key: code, fields: [label]}"
    given = "\n".join((f"{CODED}", "name: tag, type: string"))
    rest = operations("coalesce: {field: label, sources: [tag]}", join) + LINK
    assert codes_of(text(given, rest)) == ["CTR-088"]


def test_link_filter_is_resolved_against_all_its_columns() -> None:
    link = LINK.replace("type: parquet }", "type: parquet, columns: [code, label], filter: area > 5 }")
    plan = plan_of(text(CODED, operations(LOOKUP) + link))
    (planned,) = plan.links
    assert planned.schema is not None
    assert planned.schema.names == ("code", "label")
    assert isinstance(planned.filter, Call)
    assert planned.filter.function == "gt"


# --- what is not executed ---------------------------------------------------------------------------------------------


def test_operation_that_is_not_supported_is_an_error_at_its_place() -> None:
    yaml = text(AB, operations("explode: {field: a}"))
    (found,) = errors_of(yaml)
    assert (found.code, found.message) == ("CTR-090", "operation `explode` is not supported by this version")
    assert found.at is not None
    assert "explode" in yaml.splitlines()[found.at.line - 1]


def test_all_errors_come_at_once() -> None:
    rest = operations("trim: {fields: [n]}", "explode: {field: n}", "derive: {field: x, sql: n +}")
    codes = codes_of(text("name: n, type: long\nname: x, type: long", rest))
    assert codes[:2] == ["TYP-050", "CTR-090"]
    assert len(codes) == 3
