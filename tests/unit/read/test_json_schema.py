"""Our positions on the official schema: verdicts agree with the reference validator."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.read import read_text
from etlgen.read.json_schema import Checker, UnknownKeyword, check_keywords
from etlgen.read.nodes import MappingNode
from etlgen.read.structure import check_structure, official_schema, olc_schema
from etlgen.read.verdicts import ROOT
from etlgen.read.yaml_source import read_tree

GOOD: dict[str, Any] = {
    "version": "1.0.0",
    "info": {"title": "Orders", "table_name": "orders", "contact": {"mail": "a@b.c"}},
    "model": {
        "fields": [
            {"name": "id", "type": "long", "required": True},
            {"name": "amount", "type": "double", "min": 0, "max": 9.5, "accepted_values": [1, 2]},
            {"name": "note", "type": "string", "max_length": 10, "rules": [{"name": "r", "sql": "note <> ''"}]},
        ]
    },
    "primary_key": ["id"],
    "source": {
        "type": "landing",
        "path": "in",
        "format": "csv",
        "options": {"delimiter": ";", "skip_rows": 1, "null_values": ["NA"]},
        "post_ingestion": {"action": "retain"},
    },
    "links": [{"name": "l", "path": "l.parquet", "columns": ["a"]}],
    "transformations": [
        {"trim": {"fields": ["note"], "side": "both"}, "phase": "pre"},
        {"deduplicate": {"on": ["id"], "sort_by": ["amount"]}},
        {"bucket": {"field": "b", "source": "amount", "bins": [{"lt": 5, "label": "low"}]}},
        {"rename": {"mappings": {"a": "b"}}},
    ],
    "quality": {
        "row_rules": [
            {"name": "r", "sql": "id > 0", "must_be_between": [0, 1]},
            {"not_null": ["id", {"field": "note"}]},
            {"accepted_values": {"field": "note", "values": ["a"]}},
            {"range": {"field": "amount", "min": 1}},
        ],
        "dataset_rules": [{"unique": "id"}, {"unique": {"columns": ["id", "note"]}}, {"row_count_between": {"min": 1}}],
    },
    "materialization": {"strategy": "overwrite", "target_path": "out"},
    "extensions": {"com.acme.x": 1},
    "downstream": [{"type": "api", "name": "x", "consumers": [{"type": "api", "name": "y"}]}],
    "service_levels": {"freshness": "1d", "availability": {"threshold": 0.9}},
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, child in value.items():
            yield from places(child, (*path, key))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from places(child, (*path, number))


def put(document: Any, path: tuple[Any, ...], new: Any) -> Any:
    changed = copy.deepcopy(document)
    parent = changed
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = new
    return changed


def mutations() -> Iterator[tuple[str, Any]]:
    """Each value of the good contract replaced by others, and a key added to each mapping."""
    for path in places(GOOD):
        if not path:
            continue
        for new in (None, True, 5, -1, 2.5, "word", [], [1], {}, {"x": 1}):
            yield f"{path} = {new!r}", put(GOOD, path, new)
    for path in places(GOOD):
        target: Any = GOOD
        for step in path:
            target = target[step]
        if isinstance(target, dict):
            yield f"{path} + unknown key", put(GOOD, (*path, "unknown"), 1) if path else {**GOOD, "unknown": 1}
            for key in target:
                less = {k: v for k, v in target.items() if k != key}
                yield f"{path} - {key}", put(GOOD, path, less) if path else less


def tree_of(document: Any) -> MappingNode:
    return read_tree(json.dumps(document).encode(), "c.yaml")


def is_accepted(document: Any) -> bool:
    checker = Checker(olc_schema(), ROOT)
    checker.check(tree_of(document))
    return not checker.found


def texts_where_text_is_wanted(validator: Draft202012Validator, document: Any) -> bool:
    """Accepted but for plain scalars where a text is wanted: the one place where we read more than the reference."""
    return all(_is_about_text(error) for error in validator.iter_errors(document))


def _is_about_text(error: Any) -> bool:
    if error.validator == "type" and error.validator_value == "string":
        is_version = list(error.absolute_path) == ["version"]  # as text it is no MAJOR.MINOR.PATCH
        return isinstance(error.instance, (int, float)) and not is_version
    if error.validator == "anyOf":
        return any(all(_is_about_text(inner) for inner in group) for group in _groups(error))
    return False


def _groups(error: Any) -> list[list[Any]]:
    groups: dict[int, list[Any]] = {}
    for inner in error.context:
        groups.setdefault(inner.schema_path[0], []).append(inner)
    return list(groups.values())


def test_the_good_contract_is_good_for_both() -> None:
    assert Draft202012Validator(official_schema()).is_valid(GOOD)
    assert is_accepted(GOOD)


def test_every_mutation_gets_the_verdict_of_the_reference_validator() -> None:
    validator = Draft202012Validator(dict(olc_schema()))
    differing = [
        name
        for name, document in mutations()
        if is_accepted(document) != texts_where_text_is_wanted(validator, document)
    ]
    assert differing == []


def test_no_mutation_ends_in_a_traceback() -> None:
    """The whole reader, on every mutation: a contract or diagnostics that have a place."""
    placeless = [name for name, document in mutations() for found in findings_of(document) if found.at is None]
    assert placeless == []


def findings_of(document: Any) -> tuple[Diagnostic, ...]:
    try:
        contracts = read_text(json.dumps(document).encode(), "c.olc.yaml")
    except ContractError as error:
        return error.diagnostics
    return contracts[0].diagnostics


def test_a_schema_with_a_new_keyword_is_not_half_applied() -> None:
    with pytest.raises(UnknownKeyword, match="dependentRequired"):
        check_keywords({"properties": {"a": {"dependentRequired": {}}}})


def finding(text: str) -> tuple[str, str, str]:
    (found,) = check_structure(read_tree(text.encode(), "c.yaml"))
    assert found.at is not None
    return found.code, f"{found.at.line}:{found.at.column}", found.nearest


HEAD = "version: 1.0.0\ninfo: {title: T}\n"


@pytest.mark.parametrize(
    ("text", "code", "place", "nearest"),
    [
        ("version: 1.0.0\ninfo: {title: T, tabel_name: x}\nmodel: {}\n", "CTR-020", "2:18", "table_name"),
        (HEAD + "model: {}\nprimary_keys: [a]\n", "CTR-020", "4:1", "primary_key"),
        (HEAD, "CTR-021", "1:1", ""),
        (HEAD + "model:\n  fields:\n    - name: a\n", "CTR-021", "5:7", ""),
        (HEAD + "model: {}\nprimary_key: id\n", "CTR-022", "4:14", ""),
        (HEAD + "model: {fields: [{name: a, type: int, min: '5'}]}\n", "CTR-022", "3:44", ""),
        (HEAD + "model: {}\nschema_policy: {evolution: stirct}\n", "CTR-023", "4:28", "strict"),
        ("version: '1.0'\ninfo: {title: T}\nmodel: {}\n", "CTR-024", "1:10", ""),
        (HEAD + "model: {}\nextensions: {plain: 1}\n", "CTR-024", "4:14", ""),
        (HEAD + "model: {}\ntransformations: [{deduplicate: {on: [a]}}]\n", "CTR-021", "4:20", ""),
        (HEAD + "model: {}\ntransformations: [{deduplicate: {sort_by: [a]}}]\n", "CTR-021", "4:20", ""),
        (HEAD + "model: {}\nquality: {row_rules: [{not_nul: a}]}\n", "CTR-021", "4:23", "not_null"),
        (HEAD + "model: {}\nquality: {dataset_rules: [{unique: {column: a}}]}\n", "CTR-020", "4:37", "columns"),
    ],
)
def test_a_fault_has_place_and_nearest_name(text: str, code: str, place: str, nearest: str) -> None:
    found = check_structure(read_tree(text.encode(), "c.yaml"))
    assert (code, place, nearest) in [
        (item.code, f"{item.at.line}:{item.at.column}", item.nearest) for item in found if item.at is not None
    ]


def test_a_plain_scalar_is_a_text_where_text_is_wanted() -> None:
    text = "version: 1.0.0\ninfo: {title: 2024, table_name: NO, description: true}\nmodel: {fields: [{name: 12:30, type: int}]}\n"
    assert check_structure(read_tree(text.encode(), "c.yaml")) == ()
