"""Names within one generated package never meet."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.emit.hand_built_plans import FIELDS, orders_plan, small_plan

from etlgen.engines import reserved_names
from etlgen.plan import PlannedLink
from etlgen.python_source.names import contract_names, output_aliases, output_class, package_names

WORDS = st.one_of(
    st.sampled_from(
        [
            "p_1",
            "p1",
            "P1",
            "l",
            "L",
            "e1",
            "A1",
            "1",
            "order",
            "orders",
            "class",
            "Run",
            "Link",
            "SOURCE",
            "rows",
            "a_link",
        ]
    ),
    st.text(st.sampled_from("aAlL1_ -é数"), min_size=1, max_size=4),
)

ENGINE_NAMES = frozenset({"rows", "roll_up", "MERGED"})
"""What the steps modules of some engine use."""


def with_links(*names: str) -> list[tuple[str, str, str]]:
    """(parameter, constant, model) of each link of the contract ``orders``."""
    links = tuple(PlannedLink(name, "x.parquet", "parquet", (), None, None, "", ("post",)) for name in names)
    found = contract_names(replace(orders_plan(), links=links), "orders", ENGINE_NAMES)
    return [(link.attribute, link.constant, link.model) for link in found.links]


def test_the_usual_names() -> None:
    names = contract_names(orders_plan(), "orders", frozenset())
    assert (names.parameter, names.prepare_function, names.enrich_function) == (
        "orders",
        "prepare_orders",
        "enrich_orders",
    )
    assert (names.prepare_class, names.enrich_class) == ("PrepareOrders", "EnrichOrders")
    assert (names.source, names.prepared, names.typed) == ("OrderSource", "OrderPrepared", "OrderTyped")
    assert (names.enriched, names.output, names.published) == ("OrderEnriched", "Order", "OrderPublished")
    assert with_links("countries") == [("countries", "COUNTRIES", "Countries")]


@pytest.mark.parametrize(
    ("link", "names"),
    [
        ("orders", ("orders_2", "ORDERS_2", "Orders")),
        ("order", ("order", "ORDER", "OrderLink")),
        ("source", ("source", "SOURCE_2", "SourceLink")),
        ("rows", ("rows_2", "ROWS_2", "Rows")),
        ("merged", ("merged", "MERGED_2", "Merged")),
        ("from", ("from_", "FROM", "From")),
        ("l", ("l", "L", "LLink")),
        ("E1", ("e1", "E1", "E1Link")),
        ("1st place", ("link_1st_place", "LINK_1ST_PLACE", "Link1stPlace")),
    ],
)
def test_a_link_gives_way_to_what_is_there(link: str, names: tuple[str, str, str]) -> None:
    assert with_links(link) == [names]


def test_links_that_differ_only_as_identifiers_are_numbered() -> None:
    assert with_links("a b", "a-b") == [("a_b", "A_B", "AB"), ("a_b_2", "A_B_2", "AB2")]
    assert with_links("a1", "a 1") == [("a1", "A1", "A1Link"), ("a_1", "A_1", "A1Link2")]


def test_the_link_whose_name_needs_no_change_keeps_it() -> None:
    assert with_links("a b", "a_b") == [("a_b_2", "A_B_2", "AB2"), ("a_b", "A_B", "AB")]


@pytest.mark.parametrize(
    ("table", "parameter", "output"),
    [
        ("result", "result_", "Result"),
        ("roll_up", "roll_up_", "RollUp"),
        ("texts", "texts", "TextRow"),
        ("contracts", "contracts", "ContractRow"),
    ],
)
def test_a_table_named_like_something_in_use(table: str, parameter: str, output: str) -> None:
    names = contract_names(small_plan(table, FIELDS[:1]), table, ENGINE_NAMES)
    assert (names.parameter, names.output, names.typed) == (parameter, output, f"{output}Typed")


def test_every_engine_says_what_its_modules_use() -> None:
    names = reserved_names()
    assert {"polars", "pl", "rows", "cast_columns", "WHITESPACE", "STEPS"} <= names
    assert contract_names(small_plan("pl", FIELDS[:1]), "pl", names).parameter == "pl_"
    assert contract_names(small_plan("pl", FIELDS[:1]), "pl", frozenset()).parameter == "pl"
    assert output_class("polars_steps", frozenset({"PolarsStep"})) == "PolarsStepRow"


def test_the_name_that_needs_no_change_keeps_its_package() -> None:
    plans = [small_plan(name, FIELDS[:1]) for name in ("A b", "a-b", "a_b", "pipeline")]
    assert package_names(plans) == {"a_b": "a_b", "A b": "a_b_2", "a-b": "a_b_3", "pipeline": "pipeline_2"}


@given(table=WORDS, links=st.lists(WORDS, max_size=6, unique=True))
def test_no_two_names_of_a_package_are_alike(table: str, links: list[str]) -> None:
    """Whatever table and links are called; and none is a name that the modules import."""
    plan = small_plan(table, FIELDS[:1])
    planned = tuple(PlannedLink(name, "x.parquet", "parquet", (), None, None, "", ("post",)) for name in links)
    package = package_names([plan])[table]
    names = contract_names(replace(plan, links=planned), package, reserved_names())
    given_names = [
        *(names.parameter, names.source, names.prepared, names.typed, names.enriched, names.output, names.published),
        *(names.prepare_class, names.enrich_class, names.prepare_function, names.enrich_function),
        *(name for link in names.links for name in (link.attribute, link.constant, link.model)),
    ]
    assert len(set(given_names)) == len(given_names)
    assert reserved_names().isdisjoint(given_names)
    assert all(name.isidentifier() for name in given_names)


def test_a_link_takes_no_name_of_the_contracts_models() -> None:
    """Link `p1` of table `p_1`: `P1` is the model of the table in every module that imports it."""
    link = PlannedLink("p1", "x.parquet", "parquet", (), None, None, "", ("post",))
    names = contract_names(replace(small_plan("p_1", FIELDS[:1]), links=(link,)), "p_1", frozenset())
    assert names.output == "P1"
    assert (names.links[0].constant, names.links[0].model) == ("P1_2", "P1Link")


def test_outputs_of_one_name_are_told_apart() -> None:
    """`country` and `countries` are both `Country`; `country_row` is `CountryRow` by its own right."""
    outputs = [
        ("countries", "Country"),
        ("country", "Country"),
        ("country_row", "CountryRow"),
        ("resultses", "Results"),
    ]
    assert output_aliases(outputs, frozenset()) == {
        "countries": "CountriesRow",
        "country": "CountryRow2",
        "country_row": "CountryRow",
        "resultses": "Results2",
    }


def test_a_package_takes_no_name_of_the_projects_own_modules() -> None:
    """`from . import require_runtime` would be the function that the project imports."""
    assert package_names([small_plan("require_runtime", FIELDS[:1])]) == {"require_runtime": "require_runtime_2"}
