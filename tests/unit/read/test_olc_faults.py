"""What an OLC contract may not say in our extensions and operations, with its code, place and nearest name."""

from __future__ import annotations

import pytest
from tests.unit.read.test_olc import fault, faults, operation, read

from etlgen.contract import Rollup

FIELDS = "model: {fields: [{name: a, type: string}, {name: n, type: int, max: 5}]}\n"


@pytest.mark.parametrize(
    ("constraint", "code", "said"),
    [
        ("min_lenght: 3", "CTR-020", "`etlgen.fields` has no key `min_lenght`"),
        ("multiple_of: [5]", "CTR-022", "`extensions.etlgen.fields.n.multiple_of` must be a single value"),
        ("unique: perhaps", "CTR-022", "`extensions.etlgen.fields.n.unique` must be true or false"),
        ("maximum: 7", "CTR-027", "`model.fields[1].max` is written again under `etlgen.fields` as `maximum`"),
    ],
)
def test_wrong_constraint_under_extensions(constraint: str, code: str, said: str) -> None:
    found = faults(f"extensions:\n  etlgen.fields:\n    n: {{ {constraint} }}\n", FIELDS)
    assert (code, said, 6) in [(one.code, one.message, one.at and one.at.line) for one in found]


def test_misspelt_constraint_names_the_right_one() -> None:
    assert fault("extensions: {etlgen.fields: {a: {min_lenght: 3}}}\n").nearest == "min_length"


def test_maximum_under_extensions_is_the_bound_of_the_field() -> None:
    contract = read("extensions: {etlgen.fields: {n: {maximum: 7}}}\n")
    (field,) = (field for field in contract.fields if field.name.value == "n")
    assert (field.minimum, field.maximum) == (None, 7)


def test_columns_of_a_link_are_a_list() -> None:
    links = "links: [{name: c, path: c.parquet}]\n"
    found = fault(f"{links}extensions: {{etlgen.link_fields: {{c: {{name: string}}}}}}\n")
    assert found.code == "CTR-022"
    assert "etlgen.link_fields" in found.message


@pytest.mark.parametrize(
    ("aggregations", "said"),
    [
        ('{s: ""}', "`transformations[0].rollup.aggregations.s` is empty"),
        ('{" ": sum(n)}', "a column name is empty"),
    ],
)
def test_aggregation_without_a_name_or_an_expression(aggregations: str, said: str) -> None:
    found = faults(f"transformations: [{{rollup: {{group_by: [a], aggregations: {aggregations}}}}}]\n")
    assert ("CTR-025", said) in [(one.code, one.message) for one in found]


def test_rollup_without_groups_is_one_row_and_needs_an_aggregation() -> None:
    body = operation("rollup: {group_by: [], aggregations: {s: sum(n)}}").body
    assert isinstance(body, Rollup)
    assert (body.group_by, [name.value for name, _ in body.aggregations]) == ((), ["s"])
    found = fault("transformations: [{rollup: {group_by: [], aggregations: {}}}]\n")
    assert (found.code, found.message) == ("CTR-021", "`transformations[0].rollup` names no column")


def test_lines_of_json_are_not_one_document() -> None:
    source = "source: {type: landing, path: a.jsonl, format: jsonl, options: {multiline: true}}\n"
    assert fault(source).code == "CTR-027"
    lines = read("source: {type: landing, path: a.json, format: json, options: {multiline: false}}\n").source
    assert lines is not None
    assert lines.format == "jsonl"
