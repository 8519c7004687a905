"""After an operation that is not executed nothing is known of the columns: one finding, not one for every name after it."""

from __future__ import annotations

import pytest
from tests.unit.resolve.plans import codes_of, dataset_rules, operations, row_rules, source_fields, text

FIELDS = "name: id, type: long\nname: city, type: string"
CLOSED = source_fields("name: id, type: long", "name: city, type: string")
REFUSED = {
    "split": "split: {field: city, delimiter: '-', output: parts}",
    "explode": "explode: {field: city, output: parts}",
    "sql": "sql: 'SELECT *, 1 AS parts FROM source'",
    "json_extract": "json_extract: {field: parts, source: city, path: $.a}",
    "pivot": "pivot: {id_vars: [id], pivot_col: city, value_cols: [id], values: [parts], agg: sum}",
}
AFTER = {
    "SQL that reads it": operations("{0}", "filter: {{sql: parts IS NULL}}"),
    "SQL that reads it as a number": operations("{0}", "derive: {{field: twice, sql: parts * 2}}"),
    "a column that it may have made": operations("{0}", "trim: {{fields: [parts]}}"),
    "a column that was gone before": operations("drop: {{columns: [parts]}}", "{0}", "lower: {{fields: [parts]}}"),
    "a name that was taken before": operations("{0}", "rename: {{from: id, to: city}}"),
    "a later step": operations("{0} | pre", "derive: {{field: next, sql: parts}}"),
    "a rule": operations("{0}") + row_rules("name: r, sql: parts > 1").replace("{", "{{").replace("}", "}}"),
    "a shorthand": operations("{0}") + row_rules("not_null: parts").replace("{", "{{").replace("}", "}}"),
    "a dataset rule": operations("{0}")
    + dataset_rules("name: r, sql: sum(parts) > 1", "unique: parts").replace("{", "{{").replace("}", "}}"),
}


@pytest.mark.parametrize("source", ["", CLOSED])
@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("kind", REFUSED)
def test_names_are_no_further_errors(kind: str, after: str, source: str) -> None:
    assert codes_of(text(FIELDS, AFTER[after].format(REFUSED[kind]) + source)) == ["CTR-090"]


def test_what_is_wrong_whatever_the_columns_are_is_told() -> None:
    rest = operations(REFUSED["split"], "filter: {sql: 'id >'}") + row_rules("name: r, sql: city > 5")
    assert codes_of(text(FIELDS, rest)) == ["CTR-090", "SQL-002", "TYP-001"]


def test_what_comes_before_it_is_judged_as_ever() -> None:
    rest = operations("trim: {fields: [ctiy]}", REFUSED["split"]) + CLOSED
    assert codes_of(text(FIELDS, rest)) == ["SQL-001", "CTR-090"]
