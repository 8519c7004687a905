"""ODCS, sections 0 and 4: names of checks and what keys imply."""

from __future__ import annotations

from textwrap import dedent

from tests.unit.resolve.plans import dataset_check, names

from etlgen.plan import Plan
from etlgen.read import read_text
from etlgen.resolve import resolve

HEAD = "apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: active\n"


def plan_of(schema: str) -> Plan:
    (contract,) = read_text((HEAD + dedent(schema)).encode(), "orders.odcs.yaml")
    return resolve(contract)


def test_checks_are_named_by_the_property_and_read_its_column() -> None:
    plan = plan_of(
        """\
        schema:
          - name: orders
            properties:
              - {name: order total, physicalName: tot, logicalType: integer, required: true, unique: true}
        """
    )
    (check,) = plan.pre_checks
    assert (check.name, check.columns) == ("order_total_required", ("tot",))
    assert dataset_check(plan, "order_total_unique").columns == ("tot",)


def test_primary_key_columns_are_required_and_unique_together() -> None:
    plan = plan_of(
        """\
        schema:
          - name: orders
            properties:
              - {name: line, logicalType: integer, primaryKey: true, primaryKeyPosition: 2}
              - {name: id, logicalType: integer, primaryKey: true, primaryKeyPosition: 1}
              - {name: note, logicalType: string}
        """
    )
    assert names(plan.pre_checks) == ["line_required", "id_required"]
    assert [check.name for check in plan.dataset_checks] == ["id_line_unique"]


def test_all_bounds_of_a_property_are_one_rule() -> None:
    plan = plan_of(
        """\
        schema:
          - name: orders
            properties:
              - {name: qty, logicalType: integer, logicalTypeOptions: {minimum: 1, exclusiveMaximum: 10}}
              - {name: code, logicalType: string, logicalTypeOptions: {minLength: 2, maxLength: 3, pattern: "^[A-Z]+$"}}
        """
    )
    assert names(plan.pre_checks) == ["qty_range", "code_max_length", "code_min_length", "code_pattern"]
    assert plan.pre_checks[0].sql == "qty >= 1 AND qty < 10"
