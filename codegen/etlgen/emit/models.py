"""``models.py`` of every contract: one call of datamodel-code-generator for all of them.

The generator gets names that are identifiers and texts that are single values. What comes back is compared with what was
asked for, name by name, so nothing of a contract can become code or change the shape of a model unnoticed.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Mapping, Sequence
from typing import cast

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.emit.field_schema import EXTRA_KEYWORDS, FIELD_KEYWORDS
from etlgen.emit.model_schema import JsonSchema, Model, definitions


def generate_models(models: Mapping[str, Sequence[Model]]) -> dict[str, str]:
    """The text of ``models.py`` by package, unformatted.

    Args:
        models: The models of each package.

    Raises:
        ContractError: GEN-015, what was generated is not what the contract says.
    """
    attributes = sorted({field.attribute for each in models.values() for model in each for field in model.fields})
    stand_ins = {attribute: f"etlgen_{number}" for number, attribute in enumerate(attributes)}
    schemas = {
        key: _standing_in(schema, stand_ins)
        for package in sorted(models)
        for key, schema in definitions(package, models[package]).items()
    }
    modules = _generate({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": schemas})
    texts: dict[str, str] = {}
    for package, expected in models.items():
        text = _named(_cleaned(modules.get((package, "models.py"), "")), stand_ins)
        _verify(package, text, expected)
        texts[package] = text
    return texts


def _generate(schema: dict[str, object]) -> Mapping[tuple[str, ...], str]:
    from datamodel_code_generator import generate
    from datamodel_code_generator.enums import DataModelType, InputFileType
    from datamodel_code_generator.format import PythonVersion
    from datamodel_code_generator.parser import LiteralType

    collecting = gc.isenabled()
    gc.disable()  # the generator builds one large graph; collecting it over and over takes a quarter of the time
    try:
        generated = generate(
            schema,
            input_file_type=InputFileType.JsonSchema,
            output_model_type=DataModelType.PydanticV2BaseModel,
            base_class="etlgen_runtime.models.ContractModel",
            target_python_version=PythonVersion.PY_311,
            use_annotated=True,
            field_constraints=True,
            enum_field_as_literal=LiteralType.All,
            strict_nullable=True,
            use_standard_collections=True,
            use_union_operator=True,
            use_schema_description=True,
            use_single_line_docstring=True,
            disable_timestamp=True,
            field_extra_keys_without_x_prefix={f"x-{key}" for key in FIELD_KEYWORDS | EXTRA_KEYWORDS},
            formatters=[],
        )
    finally:
        if collecting:
            gc.enable()
    return cast("Mapping[tuple[str, ...], str]", generated) if isinstance(generated, Mapping) else {}


def _standing_in(schema: JsonSchema, stand_ins: Mapping[str, str]) -> JsonSchema:
    """A model's schema with a plain name in place of each attribute.

    The generator renames what it takes for no identifier or for an attribute of Pydantic, and takes combining marks for
    the first; which names an attribute can have is ours to say (docs/naming.md). ``etlgen_`` begins no attribute.
    """
    found = dict(schema)
    if "allOf" in schema:
        base, *own = cast("list[JsonSchema]", schema["allOf"])
        found["allOf"] = [base, *(_standing_in(each, stand_ins) for each in own)]
    if "properties" in schema:
        properties = cast("JsonSchema", schema["properties"])
        found["properties"] = {stand_ins[name]: each for name, each in properties.items()}
        found["required"] = [stand_ins[name] for name in cast("list[str]", schema["required"])]
    return found


def _named(text: str, stand_ins: Mapping[str, str]) -> str:
    """The text of a module with the attributes back where a field begins."""
    attributes = {stand_in: attribute for attribute, stand_in in stand_ins.items()}
    return re.sub(r"^    (etlgen_\d+)(?=:)", lambda found: f"    {attributes[found[1]]}", text, flags=re.MULTILINE)


def _cleaned(text: str) -> str:
    """Without the generator's own header and the setting it adds for custom types; one alias in place of two."""
    lines = [
        line
        for line in text.splitlines()
        if not line.startswith("#") and line != "        arbitrary_types_allowed=True,"
    ]
    cleaned = "\n".join(lines).replace("    model_config = ConfigDict(\n    )\n", "") + "\n"
    return _with_one_alias(cleaned)


def _with_one_alias(text: str) -> str:
    """Each field with ``alias``, for which the generator has no word: it writes the two that ``alias`` is made of."""
    lines = text.split("\n")
    for node in reversed(list(ast.walk(ast.parse(text)))):
        if isinstance(node, ast.AnnAssign) and _merge_aliases(node):
            lines[node.lineno - 1 : node.end_lineno] = [f"    {ast.unparse(node)}"]
    return "\n".join(lines)


def _merge_aliases(field: ast.AnnAssign) -> bool:
    """Whether a call in the annotation had the two, which are equal; afterwards it has one."""
    for call in ast.walk(field.annotation):
        if isinstance(call, ast.Call) and "validation_alias" in [keyword.arg for keyword in call.keywords]:
            call.keywords = [each for each in call.keywords if each.arg != "validation_alias"]
            for keyword in call.keywords:
                keyword.arg = "alias" if keyword.arg == "serialization_alias" else keyword.arg
            return True
    return False


def _verify(package: str, text: str, expected: Sequence[Model]) -> None:
    """Every class, and every field with its alias, in the order asked for; and nothing else."""
    tree = ast.parse(text)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    others = [node for node in tree.body if not isinstance(node, ast.ClassDef | ast.ImportFrom)]
    if others or [node.name for node in classes] != [model.name for model in expected]:
        raise _unexpected(package, "models.py")
    fields: dict[str, list[tuple[str, str]]] = {"ContractModel": []}
    for node, model in zip(classes, expected, strict=True):
        base = ast.unparse(node.bases[0]) if len(node.bases) == 1 else ""
        fields[node.name] = [*fields.get(base, []), *_fields_of(node)]
        if base not in fields or fields[node.name] != [(field.attribute, field.column.name) for field in model.fields]:
            raise _unexpected(package, model.name)


def _fields_of(node: ast.ClassDef) -> list[tuple[str, str]]:
    """(attribute, column) of each field of a generated class."""
    found: list[tuple[str, str]] = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            found.append((name, _alias(statement.annotation) or name))
    return found


def _alias(annotation: ast.expr) -> str | None:
    for node in ast.walk(annotation):
        if isinstance(node, ast.keyword) and node.arg == "alias" and isinstance(node.value, ast.Constant):
            return str(node.value.value)
    return None


def _unexpected(package: str, what: str) -> ContractError:
    message = f"the models of `{package}` could not be generated: `{what}` came out otherwise than the contract says"
    return ContractError((Diagnostic("GEN-015", message, help="rename the unusual columns, and report this"),))
