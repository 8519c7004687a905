"""ODCS: identifiers, literal secrets, relationships, values and examples (odcs, sections 2, 3.4, 8.3, 9 and 11)."""

from __future__ import annotations

import pytest
from tests.unit.read.test_odcs import STRING_P, fault, faults, field, objects, read

CREDENTIALS = (
    "customProperties:\n- {{property: etlgen, value: {{credentials: {{warehouse: {{password: {value}}}}}}}}}\n"
)


def test_ids_are_unique_in_their_list() -> None:
    """Equal ids in two lists are two ids."""
    same = objects("{name: a, id: x, logicalType: string}\n{name: b, id: x, logicalType: string}")
    assert fault(same) == "ODCS-E107"
    apart = "schema:\n- name: t\n  id: x\n  properties:\n  - {name: a, id: x, logicalType: string}\n"
    assert read(apart).name == "t"


@pytest.mark.parametrize(
    ("id_", "sound"), [("a_b-9", True), ("a b", False), ("a.b", False), ("é", False), ("a/b", False)]
)
def test_id_is_of_letters_digits_and_two_signs(id_: str, sound: bool) -> None:
    text = objects(f"{{name: a, id: '{id_}', logicalType: string}}")
    if sound:
        assert read(text).name == "t"
    else:
        assert fault(text) == "ODCS-E106"


@pytest.mark.parametrize("value", ["hunter2", "[hunter2]", "{plain: hunter2}", "'env:A B'"])
def test_literal_credentials_are_refused_and_never_printed(value: str) -> None:
    found = faults(CREDENTIALS.format(value=value) + objects(STRING_P))
    (secret,) = (one for one in found if one.code == "ODCS-E109")
    assert secret.line_shown is False
    assert all("hunter2" not in f"{one.message}{one.label}{one.expected}{one.help}" for one in found)


@pytest.mark.parametrize("value", ["env:PG_PASSWORD", "'${ENV:PG_PASSWORD}'", "null", "{name: env:PG_PASSWORD}"])
def test_credentials_that_name_a_variable_hold_no_secret(value: str) -> None:
    """This version does not use them (E108), which is another finding."""
    found = faults(CREDENTIALS.format(value=value) + objects(STRING_P))
    assert [one.code for one in found] == ["ODCS-E108"]


def test_custom_property_without_a_value_holds_no_secret() -> None:
    """That the value is missing is another fault (E104), not a secret."""
    found = faults(objects("{name: p, logicalType: string, customProperties: [{property: password}]}"))
    assert "ODCS-E109" not in [one.code for one in found]


def test_relationships_of_an_object_are_not_executed_and_stop_the_build() -> None:
    text = f"schema:\n- name: t\n  properties: [{STRING_P}]\n  relationships: [{{from: t.p, to: u.k}}]\n"
    (found,) = faults(text)
    assert (found.code, found.key_path) == ("ODCS-E190", "schema.t")
    assert found.help


def test_measure_is_refused_with_the_place_of_the_word() -> None:
    text = objects("{name: p, logicalType: number, semanticType: measure}")
    found = [one for one in faults(text, "v3.2.0") if one.code == "ODCS-E190"]
    assert len(found) == 1


def test_value_of_an_enumeration_is_a_single_one() -> None:
    text = objects("{name: p, logicalType: string, enum: [{value: [a, b]}]}")
    assert "ODCS-E106" in [one.code for one in faults(text, "v3.2.0")]


def test_unknown_number_format_names_the_nearest() -> None:
    (found,) = faults(objects("{name: p, logicalType: integer, logicalTypeOptions: {format: i_64}}"))
    assert (found.code, found.nearest) == ("ODCS-E204", "i64")


@pytest.mark.parametrize(
    ("rest", "example", "problem"),
    [
        ("logicalType: string, logicalTypeOptions: {maxLength: 2}", "abc", "is longer than 2 characters"),
        ("logicalType: string, logicalTypeOptions: {minLength: 2}", "a", "is shorter than 2 characters"),
        ("logicalType: integer, logicalTypeOptions: {minimum: 3}", "2", "is not at least 3"),
        ("logicalType: integer, logicalTypeOptions: {multipleOf: 3}", "4", "is no multiple of 3"),
        ("logicalType: integer", "x", "is no int64"),
        ("logicalType: integer", "true", "is no int64"),
        ("logicalType: integer, required: true", "''", "is null, and the property is required"),
        ("logicalType: string, logicalTypeOptions: {pattern: '^a'}", "ba", "does not match the pattern"),
    ],
)
def test_example_that_is_no_value_of_its_property(rest: str, example: str, problem: str) -> None:
    (found,) = (
        one for one in read(objects(f"{{name: p, {rest}, examples: [{example}]}}")).diagnostics if "W109" in one.code
    )
    assert problem in found.message


@pytest.mark.parametrize("example", ["''", "null", "7"])
def test_example_of_an_optional_number_may_be_nothing(example: str) -> None:
    """An empty text is NULL for what is no text (semantics, section 4)."""
    contract = read(objects(f"{{name: p, logicalType: integer, examples: [{example}]}}"))
    assert [one.code for one in contract.diagnostics] == []


def test_property_without_a_bound_has_none() -> None:
    assert field("logicalType: integer").maximum is None
