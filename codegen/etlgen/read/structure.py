"""Structure of an OLC contract: the official JSON Schema, a few listed relaxations, and the table of verdicts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, cast

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.read.json_schema import Checker, Schema, Visit, check_keywords
from etlgen.read.nodes import MappingNode, Node, ScalarNode, SequenceNode, plain_value
from etlgen.read.verdicts import ROOT, SELF_REPORTING, VERDICTS, Verdict

LABELS = ("name", "severity", "phase", "category", "description")
"""Accepted beside every rule shorthand (semantics, section 8)."""

_PHASE_INSIDE = re.compile(r"transformations\[[0-9]+\]\.([a-z_]+)\.phase\Z")

SHORTHANDS = (
    "RowRuleNotNull",
    "RowRuleAcceptedValues",
    "RowRuleRegexMatch",
    "RowRuleRange",
    "RowRuleReferentialIntegrity",
    "RowRuleLifecycleWindow",
    "DatasetRuleUnique",
    "DatasetRuleNullRatio",
    "DatasetRuleRowCountBetween",
)


def official_schema() -> dict[str, Any]:
    """The JSON Schema of the ``open-lakehouse-contract`` package, as published."""
    source = files("olc").joinpath("_bundled", "schema", "open-lakehouse-contract.schema.json")
    return cast("dict[str, Any]", json.loads(source.read_text(encoding="utf-8")))  # JSON is untyped


@cache
def olc_schema() -> Schema:
    """The official schema with the listed spellings admitted (semantics, section 8).

    These are: the labels beside a rule shorthand, ``phase`` inside the mapping of ``unique``, a list as
    ``deduplicate.order``, and ``external_logic`` without ``engine``. ``source.options`` is left to the reader of sources,
    which knows by the format which of the definitions holds. ``deduplicate.by`` is in the official schema already.
    """
    schema = official_schema()
    definitions = schema["$defs"]
    for name in SHORTHANDS:
        for label in LABELS:
            definitions[name]["properties"].setdefault(label, {"type": "string"})
    definitions["UniqueRuleSpec"]["properties"].setdefault("phase", {"type": "string"})
    order = definitions["TransformationDeduplicate"]["properties"]["order"]
    order["anyOf"] = [{"type": order.pop("type")}, {"type": "array", "items": {"type": "string"}}]
    definitions["ExternalLogic"]["required"].remove("engine")
    options = definitions["SourceConfig"]["properties"]["options"]
    options["anyOf"] = [{"type": "object"}, {"type": "null"}]
    check_keywords(schema)
    return schema


def check_structure(tree: MappingNode) -> tuple[Diagnostic, ...]:
    """Everything the schema and the table of verdicts object to: CTR-020 to CTR-024 and CTR-030."""
    checker = Checker(olc_schema(), ROOT, _is_offered)
    checker.check(tree)
    return (*(_with_place_of_phase(found) for found in checker.found), *_verdicts(checker.visits))


def check_block(node: Node, schema: Schema, name: str, path: str, at: Position) -> tuple[Diagnostic, ...]:
    """As :func:`check_structure`, for one block of OLC that stands in another document."""
    checker = Checker(olc_schema(), ROOT, _is_offered)
    checker.check_part(node, schema, name, path, at)
    return (*(_with_place_of_phase(found) for found in checker.found), *_verdicts(checker.visits))


def _is_offered(definition: str, key: str) -> bool:
    """Keys that this version refuses are not recommended."""
    row = VERDICTS.get((definition, key))
    return row is None or row.verdict is not Verdict.REFUSED


def _with_place_of_phase(found: Diagnostic) -> Diagnostic:
    """``phase`` inside an operation belongs beside it."""
    inside = _PHASE_INSIDE.search(found.key_path) if found.code == "CTR-020" else None
    if inside is None:
        return found
    return replace(found, nearest="", help=f"write `phase` beside `{inside[1]}`: it belongs to the list entry")


def _verdicts(visits: list[Visit]) -> Iterator[Diagnostic]:
    for visit in visits:
        row = VERDICTS.get((visit.definition, visit.key))
        if row is None or row.verdict is not Verdict.REFUSED or visit.definition in SELF_REPORTING:
            continue
        if _is_harmless(visit):
            continue
        message = f"`{visit.path}` is not executed by this version"
        label = f"this is {_shown(visit.entry.value)}"
        fix = f"remove it: {row.note}" if row.note else "remove it"
        yield Diagnostic("CTR-030", message, visit.entry.key.at, label=label, help=fix, key_path=visit.path)


def _is_harmless(visit: Visit) -> bool:
    """The value asks for nothing: null, an empty collection, or the default of the official schema.

    ``masking: null`` is the exception: OLC has a masking strategy of that name, and data would be published unmasked.
    """
    node = visit.entry.value
    if isinstance(node, ScalarNode) and node.is_null():
        return visit.key != "masking"
    if isinstance(node, MappingNode):
        return not node.entries
    if isinstance(node, SequenceNode):
        return not node.items
    return visit.default is not None and plain_value(node) == visit.default


def _shown(node: Node) -> str:
    return f"`{node.text[:40]}`" if isinstance(node, ScalarNode) else node.kind
