"""A whole ODCS document: one contract for each schema object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from etlgen.contract import Contract, Field
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.read.breakage import Breakage, PartlyRead, Path, breakage, places_of
from etlgen.read.nodes import MappingNode
from etlgen.read.odcs.keys import VERSIONS, KeyCheck
from etlgen.read.odcs.properties import Surroundings, check_variables, primary_key, read_properties, report_quality
from etlgen.read.odcs.settings import read_settings
from etlgen.read.olc.fields import read_fields
from etlgen.read.olc.operations import read_operations
from etlgen.read.olc.rules import read_quality
from etlgen.read.olc.source import read_source
from etlgen.read.olc.target import read_materialization, read_quarantine
from etlgen.read.view import Findings, View
from etlgen.spelling import one_of

_VERSION = re.compile(r"v?([0-9]{1,4})(?:\.([0-9]{1,4}))?(?:\.[0-9]+)*\Z")
_METADATA = ("id", "status", "tenant", "domain", "dataProduct", "tags", "contractCreatedTs", "team", "price", "support")
_OBJECT_METADATA = ("id", "physicalName", "physicalType", "dataGranularityDescription", "tags", "deprecated")


def read_odcs(tree: MappingNode, file: str, digest: str) -> tuple[Contract, ...]:
    """The contracts that ``tree`` declares, in document order.

    Args:
        tree: The root mapping.
        file: The path shown in diagnostics.
        digest: SHA-256 of the bytes of the file.

    Raises:
        PartlyRead: All errors of the file (ODCS-E...); warnings alone are kept in the contracts.
    """
    findings = Findings()
    view = View(tree, "", findings, tree.at)
    minor = _version(view)
    KeyCheck(findings, minor).mapping(tree, "contract", "", tree.at)
    _deprecated(view)
    _report(view)
    around = Surroundings(minor, _servers(view), read_settings(view, "contract"))
    objects = _objects(view)
    contracts = tuple(_contract(view, entry, around, file, digest) for entry in objects)
    if any(found.is_error for found in findings.items):
        raise PartlyRead(tuple(findings.items), _parts(tree, contracts, findings))
    return tuple(replace(contract, diagnostics=tuple(findings.items)) for contract in contracts)


def _parts(
    tree: MappingNode, contracts: Sequence[Contract], findings: Findings
) -> tuple[tuple[Contract, Breakage], ...]:
    """The contracts, if all errors stand in schema objects, each with those of its own."""
    nodes = [item for item, _ in View(tree, "", findings, tree.at).items("schema") if isinstance(item, MappingNode)]
    owners = [(contract, node, places_of(node)) for contract, node in zip(contracts, nodes, strict=True)]
    errors = [(found, found.at) for found in findings.items if found.is_error]
    found: list[tuple[Contract, Breakage]] = []
    for contract, node, places in owners:
        own = [error for error, at in errors if at is not None and (at.line, at.column) in places]
        broken = breakage(node, own, _is_harmless)
        if broken is not None:
            found.append((contract, broken))
    everywhere = {place for _, _, places in owners for place in places}
    outside = any(at is None or (at.line, at.column) not in everywhere for _, at in errors)
    return () if outside else tuple(found)


def _is_harmless(path: Path, error: Diagnostic) -> bool:
    """Whether an error of an object, outside of its properties, operations and rules, leaves columns as they are."""
    return path[:1] == ("relationships",) or path[2:3] in (("quality",), ("quarantine",), ("materialization",))


def _version(view: View) -> int:
    """The minor version of ``apiVersion`` (E103), and ``kind`` (E102)."""
    kind = view.scalar_node("kind")
    if kind is not None and kind.text != "DataContract":
        view.findings.unknown("ODCS-E102", "the kind of a data contract", kind, ("DataContract",), "kind")
    node = view.scalar_node("apiVersion")
    if node is not None and node.text in VERSIONS:
        return int(node.text.split(".")[1])
    at = view.at if node is None else node.at
    problem, fix = _no_version(None if node is None else node.text)
    view.findings.error("ODCS-E103", problem, at, path="apiVersion", expected=one_of(VERSIONS), fix=fix)
    return 2


def _no_version(text: str | None) -> tuple[str, str]:
    """What is wrong with an ``apiVersion``, and the fix."""
    if text is None:
        return "the document does not say its `apiVersion`", "add `apiVersion: v3.2.0`"
    numbers = _VERSION.match(text)
    if numbers is None:
        return f"`{text}` is no version of the standard", "write `apiVersion: v3.2.0`"
    major, minor = int(numbers[1]), int(numbers[2] or 0)
    if major < 3:
        return f"version `{text}` has another structure: convert first", "convert the document to v3.2.0 first"
    if (major, minor) > (3, 2):
        return f"version `{text}` is newer than this reader", "use v3.2.0, or a newer etlgen"
    return f"`{text}` is no version of the standard", f"write `apiVersion: v3.{minor}.0`"


def _deprecated(view: View) -> None:
    for key in ("dataProduct", "slaDefaultElement"):
        if view.has(key):
            view.findings.warning("ODCS-W102", f"`{key}` is deprecated", view.key_at(key), path=key)
    if view.string("status").lower() in ("deprecated", "retired"):
        message = f"the contract has the status `{view.string('status')}`"
        view.findings.warning("ODCS-W108", message, view.value_at("status"), path="status")


def _report(view: View) -> None:
    """Blocks that a later version executes, and that change no row of the table."""
    notes = {
        "servers": "give the files with `source` of the `etlgen` custom property, or to the run",
        "slaProperties": "service levels are kept as metadata",
    }
    for key, fix in notes.items():
        if view.has(key):
            message = f"`{key}` is not executed by this version"
            view.findings.warning("ODCS-W190", message, view.key_at(key), path=key, fix=fix)
    for server in view.views("servers"):
        read_settings(server, "server")


def _servers(view: View) -> frozenset[str]:
    return frozenset(entry.string("type").lower() for entry in view.views("servers"))


def _objects(view: View) -> list[View]:
    """The schema objects; none is W110 and, because nothing can be built, E201."""
    objects = list(view.views("schema"))
    if not objects:
        at = view.key_at("schema")
        view.findings.warning("ODCS-W110", "the contract declares no schema", at, path="schema")
        view.findings.error("ODCS-E201", "there is nothing to generate", at, path="schema", fix="add a schema object")
    seen: dict[str, Position] = {}
    for entry in objects:
        name = entry.string("name")
        if name and name.lower() in seen:
            message = f"the schema object `{name}` is declared twice"
            entry.findings.error("ODCS-E107", message, entry.value_at("name"), path=entry.path, fix="keep one of them")
        seen.setdefault(name.lower(), entry.at)
    return objects


def _contract(view: View, entry: View, around: Surroundings, file: str, digest: str) -> Contract:
    entry.path = f"schema.{entry.string('name')}" if entry.has("name") else entry.path
    settings = around.settings.inner(entry, "object")
    _check_object(entry)
    check_variables(entry, around.minor)
    fields = read_properties(entry, Surroundings(around.minor, around.servers, settings))
    own = settings.view
    policy = own.view("schema_policy")
    source_fields = _source_fields(own)
    types = {item.name.value: item.type for item in (*(source_fields or ()), *fields)}
    return Contract(
        vocabulary="odcs",
        file=file,
        digest=digest,
        at=entry.at,
        name=entry.string("name"),
        version=view.string("version"),
        title=entry.string("businessName") or view.string("name") or entry.string("name"),
        description=entry.string("description") or view.view("description").string("purpose"),
        fields=fields,
        source_fields=source_fields,
        source=read_source(own),
        primary_key=primary_key(entry),
        transformations=read_operations(own),
        quality=read_quality(settings.block("quality").view("quality"), types),
        materialization=read_materialization(own),
        quarantine=read_quarantine(settings.block("quarantine")),
        unknown_fields=policy.choice("unknown_fields", ("allow", "drop", "quarantine"), "allow", "a treatment"),
        evolution=policy.string("evolution", "allow"),
        metadata=_metadata(view, entry),
    )


def _source_fields(own: View) -> tuple[Field, ...] | None:
    return read_fields(own, "source_fields", {}, {}) if own.has("source_fields") else None


def _check_object(entry: View) -> None:
    kind = entry.scalar_node("logicalType")
    if kind is not None and kind.text != "object":
        entry.findings.unknown("ODCS-E106", "the logicalType of an object", kind, ("object",), entry.path)
    if not list(entry.views("properties")):
        message = f"`{entry.path}` declares no properties"
        entry.findings.warning("ODCS-W110", message, entry.at, path=entry.path)
        message = f"`{entry.path}` has no properties: there is nothing to generate"
        entry.findings.error("ODCS-E201", message, entry.at, path=entry.path, fix="add `properties:`")
    if entry.has("relationships"):
        message = f"`{entry.path}.relationships` is not executed by this version"
        fix = "remove it, or check it with a row rule in the `etlgen` custom property"
        entry.findings.error("ODCS-E190", message, entry.key_at("relationships"), path=entry.path, fix=fix)
    report_quality(entry)


def _metadata(view: View, entry: View) -> dict[str, object]:
    kept = view.plain(*_METADATA)
    kept["object"] = entry.plain(*_OBJECT_METADATA)
    custom = {
        item.string("property"): item.plain("value").get("value")
        for item in view.views("customProperties")
        if item.string("property") != "etlgen"
    }
    if custom:
        kept["custom"] = custom
    return kept
