"""One field of a model as JSON Schema: its type, its constraints, its texts.

A constraint goes to a keyword of Pydantic's ``Field`` where that means exactly what the engines check; the others go to
``json_schema_extra``, where ``etlgen_runtime.constraints`` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import cast

from etlgen.contract import Field, Scalar
from etlgen.expr import Call, Literal, walk
from etlgen.plan import PlannedRowCheck, SchemaColumn
from etlgen_runtime.casts import cast_value, to_text
from etlgen_runtime.types import Kind, LogicalType

Checks = Mapping[str, PlannedRowCheck]
"""The field constraints of one column by kind."""

CONSTRAINT_KINDS = frozenset(
    {"required", "accepted_values", "range", "max_length", "min_length", "pattern", "multiple_of", "format"}
)
"""Kinds of checks that are field constraints; the others are rules, which stand in ``checks.py``."""

FIELD_TYPES: Mapping[Kind, tuple[str, str]] = {
    Kind.STRING: ("Text", "string"),
    Kind.BOOLEAN: ("Boolean", "boolean"),
    Kind.INT8: ("TinyInt", "integer"),
    Kind.INT16: ("SmallInt", "integer"),
    Kind.INT32: ("Integer", "integer"),
    Kind.INT64: ("BigInt", "integer"),
    Kind.INT128: ("HugeInt", "integer"),
    Kind.UINT8: ("UTinyInt", "integer"),
    Kind.UINT16: ("USmallInt", "integer"),
    Kind.UINT32: ("UInteger", "integer"),
    Kind.UINT64: ("UBigInt", "integer"),
    Kind.UINT128: ("UHugeInt", "integer"),
    Kind.FLOAT32: ("Real", "number"),
    Kind.FLOAT64: ("Double", "number"),
    Kind.DECIMAL: ("Numeric", "number"),
    Kind.DATE: ("Date", "string"),
    Kind.TIMESTAMP: ("Timestamp", "string"),
    Kind.TIMESTAMP_TZ: ("TimestampTz", "string"),
    Kind.TIME: ("Time", "string"),
    Kind.UUID: ("Uuid", "string"),
    Kind.BINARY: ("Binary", "string"),
    Kind.JSON: ("Json", "string"),
    Kind.UNKNOWN: ("Unknown", ""),
}
"""Name in ``etlgen_runtime.fields`` and type in JSON Schema of each kind that a column can have."""

FIELD_KEYWORDS = frozenset({"validation_alias", "serialization_alias", "repr", "max_digits", "decimal_places"})
"""Keywords of ``Field`` that JSON Schema has no word for."""

EXTRA_KEYWORDS = frozenset(
    {
        "accepted_values",
        "minimum",
        "maximum",
        "exclusive_minimum",
        "exclusive_maximum",
        "step",
        "date_formats",
        "naive_offset_refused",
        "formats_only",
        "assumed_zone",
    }
)
"""What ``etlgen_runtime`` reads from ``json_schema_extra``."""

_BOUNDS = (
    ("minimum", "minimum", "minimum"),
    ("maximum", "maximum", "maximum"),
    ("exclusive_minimum", "exclusiveMinimum", "exclusive_minimum"),
    ("exclusive_maximum", "exclusiveMaximum", "exclusive_maximum"),
)
"""Attribute of the contract's field, keyword of JSON Schema, extra keyword."""


def field_schema(
    column: SchemaColumn, attribute: str, checks: Checks, required: bool, nullable: bool
) -> dict[str, object]:
    """The property of one column.

    Args:
        checks: The constraints this model carries; the values come from the declared field.
        required: The property has no default.
    """
    declared = column.declared
    keywords = _texts(column, attribute) | _reading(column)
    if declared is not None:
        keywords |= _constraints(declared, column.type, checks)
    if "enum" in keywords:
        return _with_null({"type": "string", **keywords}, nullable)
    name, json_type = FIELD_TYPES[column.type.kind]
    schema: dict[str, object] = {"customTypePath": f"etlgen_runtime.fields.{name}"}
    if column.type.kind is Kind.UNKNOWN:
        return schema | keywords
    if nullable and required and not keywords:
        return {"anyOf": [schema, {"type": "null"}]}  # the one spelling without an empty ``Field(...)``
    schema |= {"type": json_type, **keywords}
    return schema | {"nullable": True} if nullable else schema


def _with_null(schema: dict[str, object], nullable: bool) -> dict[str, object]:
    if not nullable:
        return schema
    values = cast("list[object]", schema["enum"])
    return schema | {"type": ["string", "null"], "enum": [*values, None]}


def _texts(column: SchemaColumn, attribute: str) -> dict[str, object]:
    found: dict[str, object] = {}
    if attribute != column.name:
        found |= {"x-validation_alias": column.name, "x-serialization_alias": column.name}
    if column.declared is not None and column.declared.title:
        found["title"] = column.declared.title
    if column.declared is not None and column.declared.description:
        found["description"] = column.declared.description
    if column.sensitive:
        found["x-repr"] = False
    return found


def _reading(column: SchemaColumn) -> dict[str, object]:
    """Digits of a decimal, and how text is read as the type."""
    type_ = column.type
    found: dict[str, object] = {}
    if type_.kind is Kind.DECIMAL:
        found |= {"x-max_digits": type_.precision, "x-decimal_places": type_.scale}
    if type_.naive_offset_refused:
        found["x-naive_offset_refused"] = True
    if type_.formats_only:
        found["x-formats_only"] = True
    if type_.assumed_zone:
        found["x-assumed_zone"] = type_.assumed_zone
    if type_.is_temporal and column.declared is not None and column.declared.date_formats:
        found["x-date_formats"] = list(column.declared.date_formats)
    return found


def _constraints(field: Field, type_: LogicalType, checks: Checks) -> dict[str, object]:
    found: dict[str, object] = {}
    if "max_length" in checks and field.max_length is not None:
        found["maxLength"] = field.max_length
    if "min_length" in checks and field.min_length is not None:
        found["minLength"] = field.min_length
    pattern = _portable_pattern(checks.get("pattern") or checks.get("format"))
    if pattern is not None:
        found["pattern"] = pattern
    if "accepted_values" in checks:
        found |= _accepted(field, type_, alone=not found)
    if "range" in checks:
        for attribute, keyword, extra in _BOUNDS:
            found |= _bound(getattr(field, attribute), type_, keyword, extra)
    if "multiple_of" in checks and field.multiple_of is not None:
        found |= _multiple(field.multiple_of, type_)
    return found


def _portable_pattern(check: PlannedRowCheck | None) -> str | None:
    """The pattern as resolution rewrote it (semantics, section 5); Pydantic's and Polars' engines read the same."""
    if check is None or check.predicate is None:
        return None
    for node in walk(check.predicate):
        match node:
            case Call(function="regexp_matches", args=(_, Literal(value=str(pattern)))):
                return pattern
            case _:
                continue
    return None


def _accepted(field: Field, type_: LogicalType, alone: bool) -> dict[str, object]:
    """Text becomes a ``Literal``, where no other constraint stands beside it; other types are compared by value."""
    values = [cast_value(_written(value), type_) for value in field.accepted_values or () if value is not None]
    texts = list(dict.fromkeys(to_text(value, type_) for value in values))
    if type_.kind is Kind.STRING and alone and texts:
        return {"enum": texts}
    return {"x-accepted_values": texts}


def _bound(value: Scalar, type_: LogicalType, keyword: str, extra: str) -> dict[str, object]:
    if value is None:
        return {}
    number = _exact_number(value, type_)
    return {f"x-{extra}": _written(value)} if number is None else {keyword: number}


def _multiple(value: Scalar, type_: LogicalType) -> dict[str, object]:
    number = _exact_number(value, type_)
    if type_.is_integer and isinstance(number, int):
        return {"multipleOf": number}
    return {"x-step": _written(value)}


def _exact_number(value: Scalar, type_: LogicalType) -> int | float | None:
    """The bound as JSON number, where comparing with it is exact: whole bounds of integers, bounds of doubles."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        exact = Fraction(Decimal(str(value)))
    except (ArithmeticError, ValueError):
        return None
    if type_.is_integer:
        return int(exact) if exact.denominator == 1 else None
    if type_.is_float:
        number = float(exact)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    return None


def _written(value: Scalar) -> str:
    """A YAML scalar as the text that the cast table reads."""
    return str(value).lower() if isinstance(value, bool) else str(value)
