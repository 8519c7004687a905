"""A constraint that no check would look at is refused, with the place where it works (semantics, sections 2 and 8)."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import errors_of, names, operations, plan_of, source_fields, text

FIELDS = "name: id, type: long\nname: qty, type: long"
ID, QTY = "name: id, type: long", "name: qty, type: string"


@pytest.mark.parametrize("constraint", ["max: 5", "min: 1", "max_length: 3", "accepted_values: [a]"])
def test_a_constraint_of_a_source_field_that_the_model_has_too_is_refused(constraint: str) -> None:
    (found,) = errors_of(text(FIELDS, source_fields(ID, f"{QTY}, {constraint}")))
    assert (found.code, "`qty` under `model.fields`" in found.help) == ("CTR-089", True)
    assert found.at is not None
    # the last of: two lines of head, source, model, fields, two fields, extensions, etlgen.source_fields, two source fields
    assert (found.at.line, found.at.column) == (11, len("    - { name: qty, type: string, ") + 1)


def test_a_constraint_of_a_source_field_that_is_gone_after_step_2_is_refused() -> None:
    rest = operations("rename: {from: raw, to: qty} | pre")
    (found,) = errors_of(text(FIELDS, rest + source_fields(ID, "name: raw, type: string, max_length: 3")))
    assert (found.code, "rename #1" in found.help) == ("CTR-089", True)


def test_a_source_field_that_only_the_source_has_is_checked_in_step_4() -> None:
    given = source_fields(ID, QTY, "name: weight, type: long, min: 1, required: true")
    assert names(plan_of(text(FIELDS, given)).pre_checks) == ["weight_required", "weight_range"]


def test_required_and_types_of_a_source_field_need_no_place_in_the_model() -> None:
    plan = plan_of(text(FIELDS, source_fields(ID, f"{QTY}, required: true, description: pieces")))
    assert plan.pre_checks == ()


def test_etlgen_fields_count_for_the_field_of_the_model() -> None:
    """One entry under ``etlgen.fields`` is for the field wherever it is declared."""
    rest = source_fields(ID, QTY) + "  etlgen.fields: {qty: {exclusive_minimum: 0}}\n"
    assert names(plan_of(text(FIELDS, rest)).pre_checks) == ["qty_range"]


def test_unique_needs_a_field_of_the_model() -> None:
    rest = source_fields(ID, QTY, "name: code, type: string") + "  etlgen.fields: {code: {unique: true}}\n"
    (found,) = errors_of(text(FIELDS, rest))
    assert (found.code, "unique: code" in found.help) == ("CTR-089", True)
