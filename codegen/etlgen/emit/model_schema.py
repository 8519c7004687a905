"""A plan's models as JSON Schema: what datamodel-code-generator reads.

Which constraint belongs to which model: validation, "Boundaries". Class and attribute names are given, so the generator
never has to invent one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from etlgen.emit.field_schema import CONSTRAINT_KINDS, Checks, field_schema
from etlgen.plan import JoinLink, Plan, PlannedLink, PlannedRowCheck, Schema, SchemaColumn
from etlgen.python_source.literals import docstring_text
from etlgen.python_source.names import ContractNames
from etlgen_runtime.types import STRING

JsonSchema = dict[str, object]


@dataclass(frozen=True, slots=True)
class ModelField:
    """A field of a model, and the constraints that this model carries for it.

    Args:
        required: No default: the column must be there.
        nullable: It may hold NULL.
    """

    column: SchemaColumn
    attribute: str
    checks: Checks
    required: bool
    nullable: bool


@dataclass(frozen=True, slots=True)
class Model:
    """One class of ``models.py``: its name, docstring, fields.

    Args:
        closed: Undeclared columns are refused.
        is_step: Rows of the contract at one of its steps; otherwise rows of a link.
    """

    name: str
    doc: str
    fields: tuple[ModelField, ...]
    closed: bool = False
    is_step: bool = True


def models_of(plan: Plan, names: ContractNames) -> tuple[Model, ...]:
    """The models of a contract in the order of ``models.py``: the six of the steps, then one per link."""
    contract = plan.contract
    about = f"``{docstring_text(contract.name)}`` {docstring_text(contract.version)}"
    pre, output = _by_field(plan.pre_checks), _output_checks(plan)
    return (
        _source_model(plan, names, f"Rows of {about} as found in step 1."),
        _model(names.prepared, f"Rows of {about} after step 2.", plan.prepared, names, {}),
        _model(
            names.typed, f"Rows of {about} with declared types, and the constraints of step 4.", plan.typed, names, pre
        ),
        _model(names.enriched, f"Rows of {about} after step 6, before their output types.", plan.enriched, names, {}),
        _model(names.output, f"Rows of {about} with the constraints of step 7.", plan.output, names, output),
        _model(
            names.published,
            f"Rows of {about} as step 8 publishes them.",
            plan.published,
            names,
            _unmasked(plan, output),
        ),
        *(_link_model(link, names) for link in plan.links),
    )


def definitions(package: str, models: Sequence[Model]) -> dict[str, JsonSchema]:
    """The ``$defs`` of one contract, keyed ``<package>.models.<class>``.

    A model whose first fields are those of an earlier one inherits them: ``Order`` is ``OrderTyped`` and the columns that step 6 adds.
    """
    found: dict[str, JsonSchema] = {}
    earlier: list[Model] = []
    for model in models:
        base = _base(model, earlier)
        body = _object(model, model.fields[len(base.fields) :] if base is not None else model.fields)
        if base is not None:
            own = [body] if body["properties"] else []
            body = {"allOf": [{"$ref": f"#/$defs/{package}.models.{base.name}"}, *own]}
        found[f"{package}.models.{model.name}"] = {"description": model.doc, **body}
        if model.is_step and not model.closed:
            earlier.append(model)
    return found


def _base(model: Model, earlier: Sequence[Model]) -> Model | None:
    """The model with the most fields that ``model`` begins with."""
    if not model.is_step or model.closed:
        return None
    written = [_property(field) for field in model.fields]
    fitting = [each for each in earlier if each.fields and _begins_with(written, each)]
    return max(fitting, key=lambda each: len(each.fields), default=None)


def _begins_with(written: Sequence[object], base: Model) -> bool:
    return list(written[: len(base.fields)]) == [_property(field) for field in base.fields]


def _property(field: ModelField) -> tuple[str, bool, JsonSchema]:
    """All that reaches the text of a field."""
    schema = field_schema(field.column, field.attribute, field.checks, field.required, field.nullable)
    return field.attribute, field.required, schema


def _object(model: Model, fields: Sequence[ModelField]) -> JsonSchema:
    properties = [_property(field) for field in fields]
    body: JsonSchema = {
        "type": "object",
        "properties": {attribute: schema for attribute, _, schema in properties},
        "required": [attribute for attribute, required, _ in properties if required],
    }
    return body | {"additionalProperties": False} if model.closed else body


def _source_model(plan: Plan, names: ContractNames, doc: str) -> Model:
    """Step 1 checks structure alone: a required column must be there, and may hold NULL until step 4."""
    needed = required_source_columns(plan)
    fields = tuple(
        ModelField(c, names.attributes[c.name], {}, required=c.name in needed, nullable=True)
        for c in plan.source.columns
    )
    return Model(names.source, doc, fields, closed=plan.contract.evolution == "strict")


def required_source_columns(plan: Plan) -> tuple[str, ...]:
    """Source columns whose absence fails the run before any row (semantics, section 4, "Columns").

    Undeclared ones are in the schema because an operation or a rule reads them, so they must be there.
    """
    required = {check.field for check in plan.pre_checks if check.kind == "required" and check.severity == "error"}
    declared = {field.name.value for field in plan.contract.source_fields or () if field.required}
    needed = required | declared | {column.name for column in plan.source.columns if column.origin == "undeclared"}
    return tuple(name for name in plan.source.names if name in needed)


def _model(name: str, doc: str, schema: Schema, names: ContractNames, checks: Mapping[str, Checks]) -> Model:
    return Model(name, doc, tuple(_field(c, names, checks.get(c.name, {})) for c in schema.columns))


def _field(column: SchemaColumn, names: ContractNames, checks: Checks) -> ModelField:
    required = "required" in checks
    return ModelField(column, names.attributes[column.name], checks, required=required, nullable=not required)


def _link_model(link: PlannedLink, names: ContractNames) -> Model:
    """Step 1 for reference data: names and types, no constraints; without a declared schema any columns."""
    doc = f"Rows of link ``{docstring_text(link.name)}``."
    columns = link.schema.columns if link.schema is not None else ()
    fields = tuple(
        ModelField(c, names.attributes[c.name], {}, required=not c.nullable, nullable=c.nullable) for c in columns
    )
    return Model(names.link(link.name).model, doc, fields, is_step=False)


def _by_field(checks: Iterable[PlannedRowCheck]) -> dict[str, Checks]:
    """Field constraints by column; a rule, or a constraint that only warns, refuses no row and stays out of the model."""
    found: dict[str, dict[str, PlannedRowCheck]] = {}
    for check in checks:
        is_constraint = check.kind in CONSTRAINT_KINDS and (check.nulls_pass or check.kind == "required")
        if is_constraint and check.severity == "error" and check.field is not None:
            found.setdefault(check.field, {})[check.kind] = check
    return {name: dict(kinds) for name, kinds in found.items()}


def _output_checks(plan: Plan) -> dict[str, Checks]:
    """The post constraints, and those pre ones whose column no post operation rewrites.

    A right or full join has rows without a partner, in which every column of the frame is NULL again.
    """
    operations = plan.post.operations
    changed = {name for operation in operations for name in (*operation.rewrites, *operation.creates)}
    joins = [each for operation in operations for each in operation.relations if isinstance(each, JoinLink)]
    lost = {"required"} if any(join.how in ("right", "full") for join in joins) else set[str]()
    kept = {
        name: {kind: check for kind, check in checks.items() if kind not in lost}
        for name, checks in _by_field(plan.pre_checks).items()
        if name not in changed
    }
    return {name: {**kept.get(name, {}), **checks} for name, checks in (kept | _by_field(plan.post_checks)).items()}


def _unmasked(plan: Plan, output: Mapping[str, Checks]) -> dict[str, Checks]:
    """A masked value meets no constraint but ``required``."""
    masked = {
        c.name for c in plan.published.columns if c.declared is not None and c.declared.masking and c.type == STRING
    }
    return {
        name: {kind: check for kind, check in checks.items() if kind == "required" or name not in masked}
        for name, checks in output.items()
    }
