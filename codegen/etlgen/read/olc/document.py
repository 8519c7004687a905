"""A whole OLC document to a :class:`~etlgen.contract.Contract`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from etlgen.contract import Contract, Field, Source, Text
from etlgen.diagnostics.model import Diagnostic
from etlgen.read.breakage import PartlyRead, Path, breakage
from etlgen.read.nodes import MappingNode, plain_value
from etlgen.read.olc.extensions import (
    check_extensions,
    check_references,
    field_extensions,
    read_link_fields,
    read_source_fields,
)
from etlgen.read.olc.fields import read_fields
from etlgen.read.olc.operations import read_operations
from etlgen.read.olc.rules import read_quality
from etlgen.read.olc.source import date_format_positions, read_links, read_source, source_date_formats
from etlgen.read.olc.target import read_materialization, read_quarantine
from etlgen.read.structure import check_structure
from etlgen.read.verdicts import ROOT, metadata_keys
from etlgen.read.view import Findings, View


@dataclass(frozen=True, slots=True)
class _Declared:
    fields: tuple[Field, ...]
    source_fields: tuple[Field, ...] | None


def read_olc(tree: MappingNode, file: str, digest: str) -> Contract:
    """The contract that ``tree`` declares.

    Args:
        tree: The root mapping.
        file: The path shown in diagnostics.
        digest: SHA-256 of the bytes of the file.

    Raises:
        PartlyRead: All errors of the file; warnings and notes alone are kept in ``Contract.diagnostics``.
    """
    findings = Findings()
    findings.add_structure(check_structure(tree))
    view = View(tree, "", findings, tree.at)
    check_extensions(view)
    contract = _contract(view, tree, file, digest)
    errors = [found for found in findings.items if found.is_error]
    if errors:
        broken = breakage(tree, errors, _is_harmless)
        raise PartlyRead(tuple(findings.items), () if broken is None else ((contract, broken),))
    return contract


_CORE = ("model", "source", "links", "transformations", "extensions", "logic", "external_logic", "extraction")
_NAMING = (("dataset",), ("info",), ("info", "table_name"))
_FORMAT = ("type", "format", "path", "pattern")


def _is_harmless(path: Path, error: Diagnostic) -> bool:
    """Whether an error outside of fields, operations, rules and links leaves names and types of columns as they are."""
    block, *inner = path or ("model",)
    if block == "source" and inner:
        return inner[0] not in _FORMAT and "date_formats" not in (*inner, error.nearest)
    return block not in _CORE and path not in _NAMING and error.nearest not in _CORE


def _contract(view: View, tree: MappingNode, file: str, digest: str) -> Contract:
    added = field_extensions(view)
    declared = _fields(view, added)
    link_fields = read_link_fields(view)
    links = read_links(view, link_fields)
    every = (*declared.fields, *(declared.source_fields or ()))
    check_references(view, added, every, links, link_fields)
    types = {item.name.value: item.type for item in every}
    types.update({item.name.value: item.type for item in declared.fields})
    info, policy, upstream = view.view("info"), view.view("schema_policy"), _upstream(view)
    return Contract(
        vocabulary="olc",
        file=file,
        digest=digest,
        at=tree.at,
        name=contract_name(view, file),
        version=view.string("version"),
        title=info.string("title"),
        description=info.string("description"),
        layer=info.optional_string("target_layer"),
        fields=declared.fields,
        source_fields=declared.source_fields,
        source=_source(view),
        links=links,
        primary_key=_primary_key(view),
        transformations=read_operations(view),
        quality=read_quality(view.view("quality"), types),
        materialization=read_materialization(view),
        quarantine=read_quarantine(view),
        unknown_fields=policy.choice("unknown_fields", ("allow", "drop", "quarantine"), "allow", "a treatment"),
        evolution=policy.string("evolution", "allow"),
        upstream=upstream,
        metadata=_metadata(view),
        diagnostics=tuple(view.findings.items),
    )


def _source(view: View) -> Source | None:
    """The source; CTR-034 where there is none."""
    if not view.has("source"):
        fix = "add `source:`, or give the files to the run (`--source`, or `assets` of the profile)"
        view.findings.warning("CTR-034", "the contract has no `source`", view.at, path="source", fix=fix)
    return read_source(view)


def _fields(view: View, added: dict[str, View]) -> _Declared:
    """Declared fields. Date formats describe the source, so they go to the fields that the source is read with."""
    formats = source_date_formats(view)
    source_fields = read_source_fields(view, added, formats)
    fields = read_fields(view.view("model"), "fields", added, formats)
    names = {item.name.value for item in (*fields, *(source_fields or ()))}
    for name, node in date_format_positions(view).items():
        if name not in names:
            path = "source.options.date_formats"
            view.findings.unknown("CTR-040", "a declared field", node, sorted(names), path)
    return _Declared(fields, source_fields)


def contract_name(view: View, file: str) -> str:
    """``info.table_name``, else ``dataset``, else the stem of the file."""
    stem = PurePosixPath(file).name
    for suffix in (".yaml", ".yml", ".json", ".olc", ".odcs"):
        stem = stem.removesuffix(suffix)
    return view.view("info").string("table_name") or view.string("dataset") or stem


def _primary_key(view: View) -> tuple[Text, ...]:
    key = view.texts("primary_key")
    seen: set[str] = set()
    for column in key:
        if column.value in seen:
            message = f"`{column.value}` occurs twice in `primary_key`"
            view.findings.error("CTR-026", message, column.at, path="primary_key", fix="name it once")
        seen.add(column.value)
    if view.has("natural_key"):
        message = "`natural_key` is deprecated and not read"
        view.findings.warning(
            "CTR-032", message, view.key_at("natural_key"), path="natural_key", fix="use `primary_key`"
        )
    return key


def _upstream(view: View) -> tuple[Text, ...]:
    """Names of upstream contracts, each where it is first named."""
    named = [*view.texts("upstream"), *(entry.text("contract") for entry in view.views("upstream_contracts"))]
    found: dict[str, Text] = {}
    for name in named:
        if name.value:
            found.setdefault(name.value, name)
    return tuple(found.values())


def _metadata(view: View) -> dict[str, object]:
    """What is kept and not executed: the metadata rows of the table of verdicts, at the top level and in ``info``."""
    kept: dict[str, object] = view.plain(*metadata_keys(ROOT))
    for block, definition in (("info", "Info"), ("model", "Model")):
        values = view.view(block).plain(*metadata_keys(definition))
        if values:
            kept[block] = values
    vendor = {
        entry.key.text: plain_value(entry.value)
        for entry in view.view("extensions").values()
        if not entry.key.text.startswith("etlgen.")
    }
    if vendor:
        kept["extensions"] = vendor
    return kept
