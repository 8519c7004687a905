"""The table of verdicts covers the official schema, and the reader obeys it."""

from __future__ import annotations

from collections import Counter

import pytest

from etlgen.diagnostics.model import ContractError
from etlgen.read import read_text
from etlgen.read.contracts_page import contracts_page
from etlgen.read.structure import LABELS, SHORTHANDS, official_schema
from etlgen.read.verdicts import ROOT, ROWS, VERDICTS, Verdict

SOURCE = "source: {type: landing, path: a.csv, format: csv}\n"
HEAD = "version: 1.0.0\ninfo: {title: T}\nmodel: {fields: [{name: a, type: string}]}\n"


def official_keys() -> set[tuple[str, str]]:
    schema = official_schema()
    keys = {(ROOT, key) for key in schema["properties"]}
    return keys | {(name, key) for name, part in schema["$defs"].items() for key in part.get("properties", {})}


def test_each_key_of_the_official_schema_has_a_verdict() -> None:
    assert official_keys() - set(VERDICTS) == set()


def test_no_verdict_is_for_a_key_that_does_not_exist() -> None:
    admitted = {(name, label) for name in SHORTHANDS for label in LABELS} | {("UniqueRuleSpec", "phase")}
    assert set(VERDICTS) - official_keys() - admitted == set()


def test_no_key_has_two_verdicts() -> None:
    counts = Counter((row.definition, key) for row in ROWS for key in row.keys.split())
    assert [key for key, count in counts.items() if count > 1] == []


def codes(text: str) -> list[str]:
    try:
        (contract,) = read_text((HEAD + text).encode(), "c.olc.yaml")
    except ContractError as error:
        return [found.code for found in error.diagnostics if found.is_error]
    assert all(not found.is_error for found in contract.diagnostics)
    return []


@pytest.mark.parametrize(
    "text",
    [
        "materialization: {partition_by: [day]}",
        "materialization: {secondary_targets: [{format: csv}]}",
        "materialization: {soft_delete_column: gone}",
        "lineage: {enabled: true}",
        "server: {path: x}",
        "environments: {dev: {path: x}}",
        "logic: x.py",
        "external_logic: {type: python, path: x.py, engine: polars}",
        "external_logic: {type: python, path: x.py}",
        "extraction: {provider: regex}",
        "source: {type: landing, path: p, load_mode: incremental}",
        "source: {type: landing, path: p, cdc_op_field: op}",
        "source: {type: landing, path: p, partition: {format: '%Y'}}",
        "source: {type: landing, path: p, flatten_nested: true}",
        "source: {type: landing, path: p, from_date: 2024-01-01}",
        "source: {type: landing, path: p, format: csv, options: {decimal_comma: true}}",
        "source: {type: landing, path: p, format: csv, options: {archive_member: x}}",
        "links: [{name: l, path: p, query: select 1}]",
        "quarantine: {table: t}",
        "extensions: {etlgen.sql_polars: {}}",
    ],
)
def test_a_refused_key_stops_the_build(text: str) -> None:
    assert codes(text) == ["CTR-030"]


@pytest.mark.parametrize(
    "field",
    ["masking: hash", "masking: null", "masking_format: email", "pii_vault: v", "range: [1, 2]", "extraction_task: x"],
)
def test_refused_keys_of_a_field(field: str) -> None:
    text = f"version: 1.0.0\ninfo: {{title: T}}\nmodel: {{fields: [{{name: a, type: string, {field}}}]}}\n{SOURCE}"
    with pytest.raises(ContractError) as caught:
        read_text(text.encode(), "c.olc.yaml")
    assert [found.code for found in caught.value.diagnostics] == ["CTR-030"]


def test_a_foreign_key_is_refused_once_and_says_how_to_check_it() -> None:
    text = (
        "version: 1.0.0\ninfo: {title: T}\nmodel:\n  fields:\n"
        "    - {name: a, type: string, foreign_key: {contract: c, column: k}}\n" + SOURCE
    )
    with pytest.raises(ContractError) as caught:
        read_text(text.encode(), "c.olc.yaml")
    (found,) = caught.value.diagnostics
    assert "referential_integrity" in found.help
    assert (found.at and found.at.line, found.key_path) == (5, "model.fields[0].foreign_key")


@pytest.mark.parametrize(
    "text",
    [
        "lineage: {enabled: false, capture_domain: true}",
        "source: {type: landing, path: p, load_mode: full, flatten_nested: false, cdc_delete_values: []}",
        "materialization: {partition_by: [], merge_dedup_guard: false, reprocess_policy: overwrite_partition, scd2: null}",
        "logic: null",
        "environments: {}",
    ],
)
def test_a_refused_key_that_asks_for_nothing_is_accepted(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "source: {type: table, path: t}",
        "source: {type: landing, path: p, format: xml}",
        "source: {type: landing, path: s3://bucket/x}",
        "source: {type: landing, path: p, pattern: '*.csv.zst'}",
        "links: [{name: l, path: p, type: delta}]",
        "materialization: {strategy: merge}",
        "materialization: {strategy: scd2}",
        "materialization: {format: delta}",
        "quarantine: {format: delta}",
    ],
)
def test_a_value_that_is_not_executed_stops_the_build(text: str) -> None:
    assert codes(text) == ["CTR-031"]


def test_metadata_is_kept() -> None:
    text = HEAD + (
        "tier: gold\nschedule: '@daily'\ncompliance: {gdpr: true}\nobservatory: {a: [1]}\nupstream: [raw_orders]\n"
        "upstream_contracts: [{contract: customers, note: n}]\nservice_levels: {freshness: 1d}\n"
        "downstream: [{type: api, name: x}]\nextensions: {com.acme.retention: 30}\n"
    )
    (contract,) = read_text(text.encode(), "c.olc.yaml")
    assert [upstream.value for upstream in contract.upstream] == ["raw_orders", "customers"]
    assert contract.metadata["tier"] == "gold"
    assert contract.metadata["compliance"] == {"gdpr": True}
    assert contract.metadata["service_levels"] == {"freshness": "1d"}
    assert contract.metadata["extensions"] == {"com.acme.retention": 30}


def test_the_page_lists_every_key_with_its_verdict() -> None:
    page = contracts_page()
    for row in ROWS:
        for key in row.keys.split():
            assert f"| `{key}` | {row.verdict.value} |" in page
    assert page.count("\n### ") == len({row.definition for row in ROWS})


def test_refused_keys_are_never_documented_as_kept() -> None:
    assert VERDICTS["FieldDefinition", "masking"].verdict is Verdict.REFUSED
    assert VERDICTS["LineageConfig", "enabled"].verdict is Verdict.REFUSED
