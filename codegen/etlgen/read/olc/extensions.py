"""``extensions``: what etlgen adds to OLC under dotted keys (semantics, section 8). Other vendors' keys are metadata."""

from __future__ import annotations

from collections.abc import Iterable

from etlgen.contract import Field, Link
from etlgen.nearest import nearest_name
from etlgen.read.nodes import MappingNode, SequenceNode
from etlgen.read.olc.fields import CONSTRAINTS, EXTENSION_KEYS, read_fields
from etlgen.read.view import View
from etlgen.spelling import one_of

SOURCE_FIELDS = "etlgen.source_fields"
FIELDS = "etlgen.fields"
LINK_FIELDS = "etlgen.link_fields"
_KEYS = (SOURCE_FIELDS, FIELDS, LINK_FIELDS)
_LATER = ("etlgen.sql_polars",)
_NESTED = ("fields", "items")
_FIELD_KEYS = (
    "name",
    "type",
    "required",
    "nullable",
    "description",
    "accepted_values",
    "min",
    "max",
    "max_length",
    "pii",
    "phi",
    "sensitive",
    "classification",
)


def check_extensions(view: View) -> None:
    """Unknown ``etlgen.`` keys are errors; a misspelt one would have no effect."""
    for entry in view.view("extensions").values():
        key, path = entry.key.text, f"extensions.{entry.key.text}"
        if not key.startswith("etlgen.") or key in _KEYS:
            continue
        if key in _LATER:
            message = f"`{path}` is not executed by this version"
            view.findings.error("CTR-030", message, entry.key.at, path=path, fix="remove it")
        else:
            view.findings.unknown("CTR-041", "an extension of etlgen", entry.key, _KEYS, path)


def field_extensions(view: View) -> dict[str, View]:
    """``etlgen.fields`` by field name."""
    block = _mapping(view, FIELDS)
    found: dict[str, View] = {}
    for entry in block.values():
        path = f"{block.path}.{entry.key.text}"
        if not isinstance(entry.value, MappingNode):
            message = f"`{path}` must be a mapping of constraints"
            view.findings.error("CTR-022", message, entry.value.at, path=path, expected="a mapping")
            continue
        found[entry.key.text] = added = View(entry.value, path, view.findings, entry.key.at)
        _check_keys(added)
    return found


def _check_keys(added: View) -> None:
    for entry in added.values():
        key, path = entry.key.text, added.child_path(entry.key.text)
        if key in _NESTED:
            message = f"`{path}`: nested types are not supported by this version"
            added.findings.error("TYP-071", message, entry.key.at, path=path, fix="declare the field as `json`")
        elif key not in EXTENSION_KEYS:
            near = nearest_name(key, EXTENSION_KEYS)
            expected = one_of(EXTENSION_KEYS)
            message = f"`{FIELDS}` has no key `{key}`"
            added.findings.error("CTR-020", message, entry.key.at, path=path, expected=expected, near=near)
        elif key not in ("date_formats", "examples") and not _is_scalar(added, key):
            message = f"`{path}` must be a single value"
            added.findings.error("CTR-022", message, entry.value.at, path=path, expected="a scalar")
        else:
            _check_kind(added, key)


def _is_scalar(view: View, key: str) -> bool:
    return not isinstance(view.node(key), (MappingNode, SequenceNode))


def _check_kind(view: View, key: str) -> None:
    """Lengths are whole numbers, ``unique`` is a boolean, ``multiple_of`` a number."""
    node = view.scalar_node(key)
    path = view.child_path(key)
    if node is None:
        return
    if key == "unique" and node.boolean() is None:
        view.findings.error("CTR-022", f"`{path}` must be true or false", node.at, path=path, expected="true or false")
    number = node.number()
    if key == "min_length" and not (number is not None and number == int(number)):
        view.findings.error(
            "CTR-022", f"`{path}` must be a whole number", node.at, path=path, expected="a whole number"
        )


def read_source_fields(
    view: View, added: dict[str, View], formats: dict[str, tuple[str, ...]]
) -> tuple[Field, ...] | None:
    """``etlgen.source_fields``: the columns of the source; ``None`` when they are not given."""
    extensions = view.view("extensions")
    if not extensions.has(SOURCE_FIELDS):
        return None
    if not isinstance(extensions.node(SOURCE_FIELDS), SequenceNode):
        _not_a_list(extensions, SOURCE_FIELDS)
    _check_field_keys(extensions, SOURCE_FIELDS)
    return read_fields(extensions, SOURCE_FIELDS, added, formats)


def read_link_fields(view: View) -> dict[str, tuple[Field, ...]]:
    """``etlgen.link_fields`` by link name."""
    block = _mapping(view, LINK_FIELDS)
    found: dict[str, tuple[Field, ...]] = {}
    for entry in block.values():
        if not isinstance(entry.value, SequenceNode):
            _not_a_list(block, entry.key.text)
            continue
        _check_field_keys(block, entry.key.text)
        _refuse_constraints(block, entry.key.text)
        found[entry.key.text] = read_fields(block, entry.key.text, {}, {})
    return found


def _mapping(view: View, key: str) -> View:
    extensions = view.view("extensions")
    block = extensions.view(key)
    if extensions.has(key) and not isinstance(extensions.node(key), MappingNode):
        message = f"`{block.path}` must be a mapping"
        view.findings.error("CTR-022", message, extensions.value_at(key), path=block.path, expected="a mapping")
    return block


def _not_a_list(view: View, key: str) -> None:
    path = view.child_path(key)
    message = f"`{path}` must be a list of fields"
    view.findings.error("CTR-022", message, view.value_at(key), path=path, expected="a list of `{name, type}`")


def _check_field_keys(view: View, key: str) -> None:
    """Each entry is a mapping with ``name`` and ``type``, written as in ``model.fields``."""
    for item, path in view.items(key):
        if not isinstance(item, MappingNode):
            view.findings.error("CTR-022", f"`{path}` must be a field", item.at, path=path, expected="{name, type}")
            continue
        for needed in ("name", "type"):
            if needed not in item.entries:
                message = f"`{path}` lacks the key `{needed}`"
                view.findings.error("CTR-021", message, item.at, path=path, fix=f"add `{needed}:`")
        for entry in item.entries.values():
            if entry.key.text not in _FIELD_KEYS:
                near = nearest_name(entry.key.text, _FIELD_KEYS)
                message = f"`{path}` has no key `{entry.key.text}`"
                expected = one_of(_FIELD_KEYS)
                view.findings.error("CTR-020", message, entry.key.at, path=path, expected=expected, near=near)


def _refuse_constraints(view: View, key: str) -> None:
    """CTR-089: the values of reference data are not checked; what they become in the rows can be."""
    for item, path in view.items(key):
        for entry in item.entries.values() if isinstance(item, MappingNode) else ():
            if entry.key.text in CONSTRAINTS:
                message = f"`{path}.{entry.key.text}`: the values of reference data are not checked"
                fix = "write it on the field of `model.fields` that the value ends up in"
                view.findings.error(
                    "CTR-089", message, entry.key.at, path=path, expected="the columns and types of the link", fix=fix
                )


def check_references(
    view: View, added: dict[str, View], declared: Iterable[Field], links: tuple[Link, ...], link_names: Iterable[str]
) -> None:
    """Extensions of fields and links that are not declared (CTR-040)."""
    names = [item.name.value for item in declared]
    for entry in view.view("extensions").view(FIELDS).values():
        if entry.key.text in added and entry.key.text not in names:
            view.findings.unknown("CTR-040", "a declared field", entry.key, names, f"extensions.{FIELDS}")
    known = [link.name.value for link in links]
    for entry in view.view("extensions").view(LINK_FIELDS).values():
        if entry.key.text in link_names and entry.key.text not in known:
            view.findings.unknown("CTR-040", "a declared link", entry.key, known, f"extensions.{LINK_FIELDS}")
