"""The base of generated models, and what engines read from a model: names and types of its columns.

Record validation (``Order.model_validate``, ``Order.from_text``) accepts and rejects the same values as the engines'
batch validation (validation, "Two paths, one meaning").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal, Self, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import InitErrorDetails, PydanticCustomError

from etlgen_runtime.casts import Unfit, cast_value
from etlgen_runtime.constraints import ColumnConstraints
from etlgen_runtime.types import STRING, Kind, LogicalType, decimal

TYPE_EXTRAS = ("naive_offset_refused", "formats_only", "assumed_zone")
"""Attributes of ``LogicalType`` that a field carries in ``json_schema_extra``: how text is read as the type."""


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column of a model.

    Args:
        name: The column's name in data and contract (the alias), not the Python attribute.
        required: The field has no default: the column must be there, and unless ``nullable`` hold a value.
        nullable: NULL is allowed.
        sensitive: The value stays out of ``repr``, logs and reports.
        date_formats: The contract's own formats for reading dates from text.
        attribute: The Python attribute.
    """

    name: str
    type: LogicalType
    required: bool = False
    sensitive: bool = False
    date_formats: tuple[str, ...] = ()
    nullable: bool = True
    attribute: str = ""


class ContractModel(BaseModel):
    """Base of every generated model: strict on typed values, frozen, columns by their own name or by attribute.

    Undeclared columns pass through (``unknown_fields: allow``) unless a model says otherwise. Error texts never hold
    values.
    """

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="allow",
        validate_by_name=True,
        validate_by_alias=True,
        protected_namespaces=(),
        hide_input_in_errors=True,
    )

    @model_validator(mode="after")
    def _meets_exact_constraints(self) -> Self:
        """Constraints that ``Field`` cannot say exactly: decimal, date and enumerated bounds."""
        for name, constraints in _exact_constraints(type(self)):
            problem = constraints.violation(getattr(self, name))
            if problem:
                raise PydanticCustomError("constraint", "{column}: {problem}", {"column": name, "problem": problem})
        return self

    @classmethod
    def from_text(cls, values: Mapping[str, str | None]) -> Self:
        """Read a record of text by the cast table, then validate it.

        Args:
            values: Text by column name; ``None`` is NULL, as is blank text for every type but text.

        Raises:
            ValidationError: A value does not fit its type or breaks a constraint; the text holds no values.
        Source: semantics, section 4.
        """
        record: dict[str, object] = dict(values)
        misfits: list[InitErrorDetails] = []
        for column in schema_of(cls):
            text = values.get(column.name)
            if text is None or column.type.kind is Kind.UNKNOWN:
                continue
            try:
                record[column.name] = cast_value(text, column.type, column.date_formats)
            except Unfit:
                misfits.append(_misfit(column))
        if misfits:
            raise ValidationError.from_exception_data(cls.__name__, misfits, hide_input=True)
        return cls.model_validate(record)


_SCHEMAS: dict[type[object], tuple[ColumnSpec, ...]] = {}


def schema_of(model: type[object]) -> tuple[ColumnSpec, ...]:
    """The columns of a model in the order of its fields.

    Raises:
        TypeError: ``model`` is no Pydantic model, or a field has none of the types of ``etlgen_runtime.fields``.
    """
    known = _SCHEMAS.get(model)
    if known is None:
        if not issubclass(model, BaseModel):
            raise TypeError(f"{model.__name__} is no contract model")
        known = tuple(_column(model, name, field) for name, field in model.model_fields.items())
        _SCHEMAS[model] = known
    return known


def _column(model: type[BaseModel], name: str, field: FieldInfo) -> ColumnSpec:
    type_ = _logical_type(field)
    if type_ is None:
        raise TypeError(f"{model.__name__}.{name}: use a type of etlgen_runtime.fields")
    formats = extras_of(field).get("date_formats", ())
    return ColumnSpec(
        name=_column_name(name, field),
        type=type_,
        required=field.is_required(),
        sensitive=not field.repr,
        date_formats=tuple(str(each) for each in cast("tuple[object, ...]", formats)),
        nullable=type(None) in get_args(field.annotation) or type_.kind is Kind.UNKNOWN,
        attribute=name,
    )


def _column_name(attribute: str, field: FieldInfo) -> str:
    alias = field.validation_alias if isinstance(field.validation_alias, str) else field.alias
    return attribute if alias is None else alias


def extras_of(field: FieldInfo) -> Mapping[str, object]:
    """What the generator wrote beside the field for which Pydantic has no keyword."""
    extras: object = field.json_schema_extra
    return cast("Mapping[str, object]", extras) if isinstance(extras, dict) else {}


def _logical_type(field: FieldInfo) -> LogicalType | None:
    found = next(_logical_types(field.annotation, field.metadata), None)
    if found is None:
        return None
    digits = _keyword(field, "max_digits") if found.kind is Kind.DECIMAL else None
    if digits is not None:
        return decimal(digits, _keyword(field, "decimal_places") or 0)
    reading = {name: value for name, value in extras_of(field).items() if name in TYPE_EXTRAS}
    return replace(found, **cast("dict[str, Any]", reading)) if reading else found


def _logical_types(annotation: object, metadata: list[object]) -> Iterator[LogicalType]:
    """The logical types named in an annotation, outermost first; enumerated text is text."""
    yield from (each for each in metadata if isinstance(each, LogicalType))
    if get_origin(annotation) is Annotated:
        base, *inner = get_args(annotation)
        yield from _logical_types(base, inner)
    elif get_origin(annotation) is Literal:
        yield STRING
    else:
        for part in get_args(annotation):
            yield from _logical_types(part, [])


def _keyword(field: FieldInfo, name: str) -> int | None:
    """A keyword of ``Field`` that Pydantic keeps as metadata without a public type (``max_digits``)."""
    return next((getattr(each, name) for each in field.metadata if getattr(each, name, None) is not None), None)


@cache
def _exact_constraints(model: type[BaseModel]) -> tuple[tuple[str, ColumnConstraints], ...]:
    """Attribute and constraints of the columns that have constraints beyond ``Field``; worked out at first use."""
    found = (
        (column.attribute, ColumnConstraints.read(column.type, extras_of(model.model_fields[column.attribute])))
        for column in schema_of(model)
    )
    return tuple((attribute, constraints) for attribute, constraints in found if constraints is not None)


def _misfit(column: ColumnSpec) -> InitErrorDetails:
    error = PydanticCustomError("cast", "the text is no {type}", {"type": str(column.type)})
    return InitErrorDetails(type=error, loc=(column.name,), input=None)
