"""rollup: groups, outputs, the schema after it, and what is refused at build (transformations)."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import codes_of, operations, plan_of, row_rules, source_fields, text

from etlgen.expr import Call, Column
from etlgen.plan import AggregateRows, CastColumns, Plan
from etlgen_runtime.types import INT64, INT128, STRING

SOURCE = source_fields("name: city, type: string", "name: fare, type: int", "name: secret, type: int, pii: true")
CITY = "name: city, type: string"


def rolled(aggregations: str, fields: str = CITY, group_by: str = "city") -> str:
    return text(fields, operations(f"rollup: {{group_by: [{group_by}], aggregations: {aggregations}}}") + SOURCE)


def after(plan: Plan) -> dict[str, str]:
    return {column.name: str(column.type) for column in plan.post.operations[0].after.columns}


def test_groups_and_outputs_are_the_columns_after_it() -> None:
    plan = plan_of(rolled('{trips: "COUNT(*)", total: SUM(fare)}', f"{CITY}\nname: total, type: long"))
    (operation,) = plan.post.operations
    total = Call("sum", (Column("fare", INT64),), INT128)
    assert operation.relations == (
        AggregateRows(("city",), (("trips", Call("count_star", (), INT64)), ("total", total))),
    )
    assert operation.after.open is False
    assert operation.after.names == ("city", "trips", "total")
    assert (operation.row_wise, operation.drops) == (False, ("fare", "secret"))
    assert operation.title == "one row per `city`: `trips` = `COUNT(*)`, `total` = `SUM(fare)`"


def test_an_undeclared_integer_sum_gets_64_bits() -> None:
    plan = plan_of(rolled("{total: SUM(fare)}"))
    assert plan.post.operations[0].relations[1] == CastColumns((("total", INT128, INT64, ()),))
    assert after(plan) == {"city": "string", "total": "int64"}


def test_a_declared_integer_sum_is_cast_from_128_bits() -> None:
    plan = plan_of(rolled("{total: SUM(fare)}", f'{CITY}\nname: total, type: "decimal(38,0)"'))
    assert after(plan)["total"] == "int128"
    assert [str(column.type) for column in plan.output.columns] == ["string", "decimal(38,0)"]


def test_an_output_may_take_the_name_of_what_it_aggregates() -> None:
    plan = plan_of(rolled("{fare: SUM(fare)}", f"{CITY}\nname: fare, type: int"))
    (operation,) = plan.post.operations
    assert (operation.creates, operation.rewrites) == ((), ("fare",))


def test_sensitivity_follows_the_aggregated_columns() -> None:
    plan = plan_of(rolled('{most: MAX(secret), trips: "COUNT(*)"}'))
    assert [column.sensitive for column in plan.post.operations[0].after.columns] == [False, True, False]


def test_without_group_by_there_is_one_row() -> None:
    yaml = text("name: n, type: long", operations('rollup: {aggregations: {n: "COUNT(*)"}}') + SOURCE)
    assert plan_of(yaml).post.operations[0].title == "one row for all: `n` = `COUNT(*)`"


def test_groups_alone_are_the_different_rows() -> None:
    plan = plan_of(text(CITY, operations("rollup: {group_by: [city]}") + SOURCE))
    assert plan.post.operations[0].relations == (AggregateRows(("city",), ()),)


def test_an_undeclared_column_of_an_open_source_is_taken() -> None:
    plan = plan_of(text(CITY, operations("rollup: {group_by: [city], aggregations: {streets: COUNT(street)}}")))
    (relation,) = plan.post.operations[0].relations
    assert relation == AggregateRows(("city",), (("streets", Call("count", (Column("street", STRING),), INT64)),))


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        (rolled("{total: SUM(fair)}"), ["SQL-001"]),
        (rolled("{total: SUM(fare)}", group_by="town"), ["PHS-005", "SQL-001"]),
        (rolled("{total: fare}"), ["SQL-018"]),
        (rolled("{city: MAX(fare)}"), ["CTR-092"]),
        (rolled("{total: SUM(fare), TOTAL: MAX(fare)}"), ["CTR-093"]),
        (rolled("{total: SUM(fare)}", group_by="city, city"), ["CTR-092"]),
        (rolled("{__etlgen_x: SUM(fare)}"), ["CTR-094"]),
        (rolled("{total: SUM(fare)}", f"{CITY}\nname: fare, type: int"), ["PHS-005"]),
        (rolled("{total: SUM(fare), worst: SUM(city)}"), ["TYP-004"]),
    ],
)
def test_refusals(yaml: str, expected: list[str]) -> None:
    assert sorted(set(codes_of(yaml))) == sorted(expected)


def test_a_post_check_of_a_column_that_it_dropped_is_refused() -> None:
    rest = operations("rollup: {group_by: [city]}") + SOURCE + row_rules("name: paid, sql: fare > 0, phase: post")
    assert codes_of(text(CITY, rest)) == ["PHS-003"]


def test_text_in_pre_is_told_to_be_cast_first() -> None:
    rest = operations("rollup: {group_by: [city], aggregations: {total: SUM(fare)}} | pre") + SOURCE
    assert codes_of(text(CITY, rest)) == ["TYP-004"]


@pytest.mark.parametrize(
    ("declared", "after_it"),
    [
        ("", "int8"),
        ("tinyint", "int8"),
        ("smallint", "int16"),
        ("long", "int64"),
        ("double", "int64"),
        ("string", "int64"),
    ],
)
def test_a_column_holds_the_exact_number_until_it_is_cast(declared: str, after_it: str) -> None:
    """The greatest of squares of 8 bits: undeclared it has their type, a declared type is not asked for less."""
    fields = CITY + (f"\nname: most, type: {declared}" if declared else "")
    source = source_fields("name: city, type: string", "name: n, type: tinyint")
    rollup = operations("rollup: {group_by: [city], aggregations: {most: MAX(n * n)}}")
    assert after(plan_of(text(fields, rollup + source)))["most"] == after_it
