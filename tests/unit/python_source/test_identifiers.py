"""Every name has one defined outcome (docs/naming.md)."""

from __future__ import annotations

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from etlgen.python_source.identifiers import (
    attribute_names,
    attribute_slug,
    class_name,
    is_attribute,
    module_slug,
    number_names,
    singular,
)


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("order_id", "order_id"),
        ("OrderID", "OrderID"),
        ("é", "é"),
        ("数量", "数量"),
        ("class", "class_"),
        ("None", "None_"),
        ("Group By", "group_by"),
        ("group-by!", "group_by"),
        ("2fast", "field_2fast"),
        ("_private", "private"),
        ("__etl", "etl"),
        ("_", "field"),
        ("", "field"),
        ("💶", "field"),
        ("copy", "copy_"),
        ("model_fields", "model_fields_"),
        ("Field", "Field_"),
        ("a'b\"c\\d", "a_b_c_d"),
        ("x\ny", "x_y"),
        ("ﬁne", "fine"),
        ("e\u0301", "é"),
    ],
)
def test_attribute_of_a_single_column(name: str, attribute: str) -> None:
    assert attribute_names([name]) == {name: attribute}


def test_a_column_that_is_an_identifier_keeps_its_name_and_the_slug_gives_way() -> None:
    assert attribute_names(["Group By", "group_by"]) == {"group_by": "group_by", "Group By": "group_by_2"}
    assert attribute_names(["class", "class_"]) == {"class_": "class_", "class": "class_2"}


def test_attributes_do_not_depend_on_the_order_of_columns() -> None:
    columns = ["a b", "a-b", "a_b", "A B", "2", "1"]
    assert attribute_names(columns) == attribute_names(list(reversed(columns)))


@given(st.lists(st.text(max_size=8), max_size=12))
def test_attributes_are_distinct_usable_identifiers(columns: list[str]) -> None:
    found = attribute_names(columns)
    assert set(found) == set(columns)
    assert len(set(found.values())) == len(found)
    for attribute in found.values():
        assert attribute.isidentifier()
        assert not keyword.iskeyword(attribute)
        assert not attribute.startswith("_")


@given(st.text(max_size=8))
def test_a_slug_is_itself_an_attribute(name: str) -> None:
    assert is_attribute(attribute_slug(name))


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("orders", "orders"),
        ("Group By", "group_by"),
        ("2fast", "contract_2fast"),
        ("class", "class_"),
        ("Größe", "grosse"),
        ("año", "ano"),
        ("con", "con_"),
        ("数量", "contract_6570_91cf"),
        ("a.b/c", "a_b_c"),
        ("../../etc", "etc"),
    ],
)
def test_module_of_a_contract(name: str, module: str) -> None:
    assert module_slug(name) == module


@given(st.text(min_size=1, max_size=12))
def test_modules_are_ascii_identifiers(name: str) -> None:
    module = module_slug(name)
    assert module.isascii()
    assert module.isidentifier()
    assert module == module.lower()
    assert not keyword.iskeyword(module)


def test_numbers_go_to_those_that_come_later() -> None:
    assert number_names([("x", "a"), ("y", "a"), ("z", "a_2")], taken=["b"]) == {"x": "a", "y": "a_2", "z": "a_2_2"}
    assert number_names([("x", "b")], taken=["b"]) == {"x": "b_2"}


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("orders", "order"),
        ("order_items", "order_item"),
        ("countries", "country"),
        ("addresses", "address"),
        ("boxes", "box"),
        ("matches", "match"),
        ("status", "status"),
        ("analysis", "analysis"),
        ("class", "class"),
        ("gas", "gas"),
        ("customer", "customer"),
        ("people", "person"),
    ],
)
def test_singular_by_endings(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_class_names_are_pascal_case() -> None:
    assert class_name("order_items") == "OrderItems"
    assert class_name("contract_2fast") == "Contract2fast"


def test_a_long_name_is_a_module_that_file_systems_take() -> None:
    assert module_slug("x" * 200) == "x" * 200
    assert module_slug("x" * 3000) == "x" * 200
    assert module_slug("9" + "x" * 3000).startswith("contract_9xxx")
    slugs = ((name, module_slug(name)) for name in ("x" * 300, "x" * 301))
    assert list(number_names(slugs, ()).values()) == ["x" * 200, "x" * 200 + "_2"]
