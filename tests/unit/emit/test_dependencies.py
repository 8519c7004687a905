"""Contracts come after those whose output they read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.emit.hand_built_plans import AT, FIELDS, small_plan, text

from etlgen.contract import Link, Materialization, Source, Text
from etlgen.diagnostics.model import ContractError, Position
from etlgen.emit.dependencies import dependencies, in_dependency_order, in_rings
from etlgen.plan import Plan


def contract(name: str, **values: object) -> Plan:
    return small_plan(name, FIELDS[:1], **values)


def with_link(plan: Plan, path: str) -> Plan:
    return replace(plan, contract=replace(plan.contract, links=(Link(text("other"), path, "parquet", AT),)))


def order(*plans: Plan) -> list[str]:
    return [plan.contract.name for plan in in_dependency_order(plans)]


def test_a_target_is_the_same_however_its_path_is_written() -> None:
    first = contract("b", materialization=Materialization(target_path="./out/x/"))
    assert order(with_link(contract("a"), "out//x"), first) == ["b", "a"]


def test_links_sources_and_upstream_come_first_whatever_the_order_given() -> None:
    products = contract("products", layer="silver")
    report = with_link(contract("a_report"), "data/silver/products")
    copy = contract("b_copy", source=Source("landing", AT, path="data/silver/products"))
    last = contract("a_last", upstream=(text("b_copy"),))
    expected = ["products", "a_report", "b_copy", "a_last"]
    assert order(products, report, copy, last) == expected
    assert order(last, copy, report, products) == expected


def test_contracts_that_read_nothing_of_each_other_go_by_name() -> None:
    assert order(contract("b"), contract("a"), contract("c")) == ["a", "b", "c"]


def test_reading_the_own_target_is_no_ring() -> None:
    assert order(with_link(contract("a", layer="x"), "data/x/a")) == ["a"]


def test_a_ring_is_an_error_that_names_it() -> None:
    with pytest.raises(ContractError) as caught:
        order(contract("a", upstream=(text("b"),)), contract("b", upstream=(text("a"),)))
    (problem,) = caught.value.diagnostics
    assert problem.code == "GEN-017"
    assert "`a`" in problem.message
    assert "`b`" in problem.message


def test_dependencies_reach_through_others_and_leave_the_rest_out() -> None:
    plans = [contract("a"), contract("b", upstream=(text("a"),)), contract("c", upstream=(text("b"),)), contract("d")]
    contracts = [plan.contract for plan in plans]
    assert dependencies(contracts, ["c"]) == {"a", "b"}
    assert dependencies(contracts, ["a", "d"]) == set()


def test_what_waits_for_a_ring_is_not_in_it() -> None:
    plans = [
        contract("a", upstream=(text("b"),)),
        contract("b", upstream=(text("a"),)),
        contract("c", upstream=(text("a"),)),
    ]
    contracts = [plan.contract for plan in plans]
    assert dependencies(contracts, ["c"]) == {"a", "b"}
    assert in_rings(contracts) == {"a", "b"}
    assert in_rings(contracts[1:]) == set()


def test_a_ring_is_shown_where_one_contract_says_that_it_needs_the_other() -> None:
    """The first two of the ring are `a` and `b`: what counts is why the second needs the first."""
    upstream, linked = Position("b.olc.yaml", 9, 12), Position("b.olc.yaml", 7, 5)
    waiting = contract("b", upstream=(Text("x", Position("b.olc.yaml", 9, 9)), Text("a", upstream)))
    first = contract("a", upstream=(Text("b", upstream),), layer="silver")
    assert place_of_ring(first, waiting) == upstream
    reader = contract("b", links=(Link(text("other"), "data/silver/a", "parquet", linked),))
    assert place_of_ring(first, reader) == linked


def place_of_ring(*plans: Plan) -> Position | None:
    with pytest.raises(ContractError) as caught:
        order(*plans)
    return caught.value.diagnostics[0].at
