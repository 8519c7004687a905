"""The columns at every step: as found, prepared, typed, enriched, output, published (semantics, sections 1 to 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from etlgen.contract import Contract, Field, MapValues
from etlgen.lower.literals import UnfitValue, typed
from etlgen.plan import Schema, SchemaColumn
from etlgen.resolve.flows import Flow
from etlgen.resolve.lineage import Lineage
from etlgen_runtime.files import format_of_name, unpacked_name
from etlgen_runtime.types import STRING, UNKNOWN

_TEXT_FORMATS = ("csv", "tsv")


def is_text_source(contract: Contract) -> bool:
    """Every field arrives as text (CSV and its kin); other sources have types of their own."""
    source = contract.source
    if source is None:
        return False
    if source.format is not None:
        return source.format in _TEXT_FORMATS
    names = (source.path or "", source.pattern or "")
    return any(format_of_name(name) == "csv" or unpacked_name(name).lower().endswith(".txt") for name in names)


def fields_by_name(fields: Iterable[Field] | None) -> dict[str, Field]:
    return {declared.name.value: declared for declared in fields or ()}


def left_as_found(contract: Contract, flows: tuple[Flow, ...]) -> frozenset[str]:
    """Declared fields that step 3 does not cast, because a post ``map_values`` rewrites them from another type.

    Their mapping has a key that is no text of a value of the declared type (semantics, section 2).
    """
    declared = fields_by_name(contract.fields)
    found: set[str] = set()
    for flow in flows:
        body = flow.operation.body
        if flow.phase == "post" and isinstance(body, MapValues) and body.field.value == body.output.value:
            target = declared.get(body.output.value)
            if target is not None and not _keys_fit(body, target):
                found.add(body.output.value)
    return frozenset(found)


def _keys_fit(body: MapValues, target: Field) -> bool:
    try:
        for key, _ in body.mapping:
            typed(key, target.type, target.date_formats)
    except UnfitValue:
        return False
    return True


def source_schema(contract: Contract, lineage: Lineage, undeclared: Iterable[str], as_found: Collection[str]) -> Schema:
    """Rows as found in step 1: declared source columns, then undeclared ones that something reads."""
    text = is_text_source(contract)
    given, declared = fields_by_name(contract.source_fields), fields_by_name(contract.fields)
    columns: list[SchemaColumn] = []
    for name in lineage.source:
        source_field, model_field = given.get(name), declared.get(name)
        known = source_field or model_field
        type_ = STRING if text or known is None or (source_field is None and name in as_found) else known.type
        sensitive = any(one is not None and one.sensitive for one in (source_field, model_field))
        columns.append(SchemaColumn(name, type_, declared=model_field or source_field, sensitive=sensitive))
    extra = STRING if text else UNKNOWN
    columns += [SchemaColumn(name, extra, origin="undeclared") for name in dict.fromkeys(undeclared)]
    return Schema(tuple(columns), open=contract.evolution != "strict")


def typed_schema(
    contract: Contract, source: Schema, prepared: Schema, as_found: Collection[str], not_null: Collection[str]
) -> Schema:
    """Rows after step 3: declared types, of the model first, else of ``etlgen.source_fields``.

    A column that only the source declares keeps the type that a pre operation gave it.
    """
    declared, given = fields_by_name(contract.fields), fields_by_name(contract.source_fields)
    columns: list[SchemaColumn] = []
    for column in prepared.columns:
        before = source.get(column.name)
        source_field = given.get(column.name) or (column.declared if column.name not in declared else None)
        type_ = column.type
        if column.name in as_found:
            type_ = source_field.type if source_field is not None else type_
        elif column.name in declared:
            type_ = declared[column.name].type
        elif source_field is not None and (before is None or before.type == column.type):
            type_ = source_field.type
        columns.append(replace(column, type=type_, nullable=column.name not in not_null))
    return replace(prepared, columns=tuple(columns))


def output_schema(contract: Contract, enriched: Schema, not_null: Collection[str]) -> Schema:
    """Rows after step 6: the declared types have the last word."""
    declared = fields_by_name(contract.fields)
    columns = tuple(
        replace(
            column,
            type=declared[column.name].type if column.name in declared else column.type,
            nullable=column.nullable and column.name not in not_null,
        )
        for column in enriched.columns
    )
    return replace(enriched, columns=columns)


def published_schema(contract: Contract, output: Schema, produced: Collection[str]) -> Schema:
    """What step 8 writes: with ``unknown_fields: drop`` only declared columns and those that operations produce."""
    if contract.unknown_fields != "drop":
        return output
    declared: Mapping[str, Field] = fields_by_name(contract.fields)
    columns = tuple(column for column in output.columns if column.name in declared or column.name in produced)
    return Schema(columns, open=False)
