"""The ``etlgen`` custom property: settings in the shape of OLC blocks (odcs, section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from etlgen.nearest import nearest_name
from etlgen.read.json_schema import Schema
from etlgen.read.nodes import MappingNode
from etlgen.read.structure import check_block
from etlgen.read.view import Findings, View
from etlgen.spelling import one_of

_KEYS: Mapping[str, tuple[str, ...]] = {
    "contract": ("dialect", "transform", "quality", "quarantine", "references", "notifications"),
    "object": (
        "source",
        "source_fields",
        "joins",
        "transformations",
        "materialization",
        "quality",
        "quarantine",
        "schema_policy",
        "references",
        "transform",
        "dialect",
    ),
    "property": ("phase", "transform", "masking"),
    "server": ("role", "options", "credentials"),
}
_BLOCKS: Mapping[str, Schema] = {
    "source": {"$ref": "#/$defs/SourceConfig"},
    "source_fields": {"type": "array", "items": {"$ref": "#/$defs/FieldDefinition"}},
    "transformations": {"type": "array", "items": {"$ref": "#/$defs/Transformation"}},
    "materialization": {"$ref": "#/$defs/Materialization"},
    "quality": {"$ref": "#/$defs/Quality"},
    "quarantine": {"$ref": "#/$defs/Quarantine"},
    "schema_policy": {"$ref": "#/$defs/SchemaPolicy"},
}
_LATER = ("joins", "references", "masking", "phase", "options", "credentials", "dialect")


@dataclass(frozen=True, slots=True)
class Settings:
    """``etlgen`` settings of one level; an inner level wins over an outer one."""

    level: str
    view: View
    outer: Settings | None = None
    transform: str = "execute"

    def inner(self, owner: View, level: str = "property") -> Settings:
        """The settings of ``owner`` below this level."""
        return replace(read_settings(owner, level, self.transform), outer=self)

    def block(self, key: str) -> View:
        """The settings that hold the block ``key``: these, or the outer ones."""
        if self.view.has(key) or self.outer is None:
            return self.view
        return self.outer.block(key)


def read_settings(owner: View, level: str, transform: str = "execute") -> Settings:
    """The ``etlgen`` custom property of ``owner``. Unknown keys and wrong values are E108."""
    for entry in owner.views("customProperties"):
        if entry.string("property") != "etlgen":
            continue
        node = entry.node("value")
        path = f"{owner.path}.etlgen" if owner.path else "etlgen"
        if not isinstance(node, MappingNode):
            owner.findings.error("ODCS-E108", f"`{path}` must be a mapping of settings", entry.at, path=path)
            break
        view = View(node, path, owner.findings, entry.at)
        _check(view, level)
        choices = ("execute", "document")
        chosen = view.scalar_node("transform")
        if chosen is not None and chosen.text not in choices:
            view.findings.unknown(
                "ODCS-E108", "a treatment of transformLogic", chosen, choices, view.child_path("transform")
            )
        return Settings(level, view, transform=view.string("transform", transform))
    return Settings(level, View(None, owner.path, owner.findings, owner.at), transform=transform)


def _check(view: View, level: str) -> None:
    valid = _KEYS[level]
    for entry in view.values():
        key, path = entry.key.text, view.child_path(entry.key.text)
        if key not in valid:
            near = nearest_name(key, valid)
            expected = one_of(valid)
            message = f"`etlgen` has no key `{key}` at this level"
            view.findings.error("ODCS-E108", message, entry.key.at, path=path, expected=expected, near=near)
        elif not view.has(key):
            continue
        elif key in _BLOCKS:
            _check_block(view.findings, view, key)
        elif key in _LATER:
            message = f"`{path}` is not executed by this version"
            view.findings.error("ODCS-E190", message, entry.key.at, path=path, fix="remove it")


def _check_block(findings: Findings, view: View, key: str) -> None:
    node = view.node(key)
    if node is not None:
        findings.add_structure(check_block(node, _BLOCKS[key], key, view.child_path(key), view.key_at(key)))
