"""Validation of a node tree against a JSON Schema, with positions.

The schemas come from the vocabularies' own packages. This module interprets the keywords they use; a keyword it does not
know is an error when the schema is loaded, so a newer schema is never half applied. Unlike a validator on plain Python
values it knows where text was wanted: a plain scalar there means the characters on the page (architecture, stage 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le
from typing import cast

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.nearest import nearest_name
from etlgen.read.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from etlgen.spelling import one_of

Schema = Mapping[str, object]

_ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description", "default", "examples", "deprecated"}
_STRUCTURE = {"$ref", "type", "properties", "required", "additionalProperties", "propertyNames", "items"}
_BRANCHES = {"anyOf", "oneOf"}
_VALUES = {"enum", "const", "pattern", "minLength", "minItems", "minimum", "maximum", "exclusiveMinimum"}
_KNOWN = _ANNOTATIONS | _STRUCTURE | _BRANCHES | _VALUES | {"enumDescriptions"}
_WORDS = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """A key that was met: ``definition.key`` of the schema, and where it stands in the file."""

    definition: str
    key: str
    entry: Entry
    path: str
    default: object


MOST_FINDINGS = 200
"""A file with so many faults is no contract: checking ends there."""


class UnknownKeyword(Exception):
    """The schema uses a keyword this module does not interpret."""


def check_keywords(schema: Schema) -> None:
    """Raise :class:`UnknownKeyword` unless every keyword of ``schema`` is interpreted here."""
    unknown = {key for key in schema if key not in _KNOWN}
    if unknown:
        raise UnknownKeyword(", ".join(sorted(unknown)))
    for key in ("properties", "$defs"):
        for child in _schemas(schema, key).values():
            check_keywords(child)
    for key in ("items", "additionalProperties", "propertyNames"):
        part = _optional(schema.get(key))
        if part is not None:
            check_keywords(part)
    for key in ("anyOf", "oneOf"):
        for child in _branches(schema, key):
            check_keywords(child)


def _every_key(definition: str, key: str) -> bool:
    return True


class Checker:
    """Checks one tree. ``found`` holds the diagnostics, ``visits`` every key in document order.

    ``is_offered`` says of a definition and a key whether the key may be recommended to who wrote an unknown one.
    """

    def __init__(self, root: Schema, root_name: str, is_offered: Callable[[str, str], bool] = _every_key) -> None:
        self.root = root
        self.root_name = root_name
        self.is_offered = is_offered
        self.definitions = _schemas(root, "$defs")
        self.found: list[Diagnostic] = []
        self.visits: list[Visit] = []

    def check(self, tree: MappingNode) -> None:
        self._check(tree, self.root, self.root_name, "", tree.at)

    def check_part(self, node: Node, schema: Schema, definition: str, path: str, at: Position) -> None:
        """Check a node against a part of the schema; references are those of the whole."""
        self._check(node, schema, definition, path, at)

    def _check(self, node: Node, schema: Schema, definition: str, path: str, at: Position) -> None:
        if len(self.found) >= MOST_FINDINGS:
            return
        while "$ref" in schema:
            definition = str(schema["$ref"]).rsplit("/", 1)[-1]
            schema = self.definitions[definition]
        if "anyOf" in schema and "properties" not in schema:
            self._any_of(node, _branches(schema, "anyOf"), definition, path, at)
            return
        if not _fits(node, schema):
            self._wrong_type(node, [schema], path)
            return
        match node:
            case MappingNode():
                self._mapping(node, schema, definition, path, at)
            case SequenceNode():
                self._sequence(node, schema, definition, path)
            case ScalarNode():
                self._scalar(node, schema, path)

    # --- branches -----------------------------------------------------------------------------------------------------

    def _any_of(self, node: Node, branches: Sequence[Schema], definition: str, path: str, at: Position) -> None:
        resolved = [self._resolve(branch) for branch in branches]
        fitting = [branch for branch, schema in zip(branches, resolved, strict=True) if _fits(node, schema)]
        if isinstance(node, ScalarNode):
            exact = [branch for branch in fitting if _is_exactly(node, self._resolve(branch))]
            fitting = exact or fitting
        if not fitting:
            self._wrong_type(node, resolved, path)
        elif len(fitting) == 1:
            self._check(node, fitting[0], definition, path, at)
        else:
            self._best(node, fitting, definition, path, at)

    def _best(self, node: Node, branches: Sequence[Schema], definition: str, path: str, at: Position) -> None:
        """Take the branch whose required keys are there; among several the one with the fewest findings."""
        if isinstance(node, MappingNode):
            matching = [branch for branch in branches if self._is_meant(node, branch)]
            if not matching and all(_strings(self._resolve(branch).get("required")) for branch in branches):
                self._no_branch(node, branches, path)
                return
            branches = matching or branches
        trials: list[Checker] = []
        for branch in branches:
            trial = Checker(self.root, self.root_name, self.is_offered)
            trial._check(node, branch, definition, path, at)
            trials.append(trial)
            if not trial.found:
                break
        best = min(trials, key=lambda trial: len(trial.found))
        self.found.extend(best.found)
        self.visits.extend(best.visits)

    def _is_meant(self, node: MappingNode, branch: Schema) -> bool:
        """A distinguishing required key of ``branch`` is written (the last one: ``sql`` of ``name``, ``sql``)."""
        required = _strings(self._resolve(branch).get("required"))
        return bool(required) and required[-1] in node.entries

    def _no_branch(self, node: MappingNode, branches: Sequence[Schema], path: str) -> None:
        choices = [_strings(self._resolve(branch).get("required"))[-1] for branch in branches]
        near = next((found for key in node.entries if (found := nearest_name(key, choices))), "")
        expected = one_of(choices)
        message = f"{_where(path)} holds none of the kinds known here"
        self._add("CTR-021", message, node.at, path, expected=expected, near=near)

    def _resolve(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            schema = self.definitions[str(schema["$ref"]).rsplit("/", 1)[-1]]
        return schema

    # --- kinds of nodes -----------------------------------------------------------------------------------------------

    def _mapping(self, node: MappingNode, schema: Schema, definition: str, path: str, at: Position) -> None:
        properties = _schemas(schema, "properties")
        extra = schema.get("additionalProperties", True)
        for key, entry in node.entries.items():
            if len(self.found) >= MOST_FINDINGS:
                return
            child_path = f"{path}.{key}" if path else key
            child = properties.get(key)
            if child is not None:
                self.visits.append(Visit(definition, key, entry, child_path, child.get("default")))
                self._check(entry.value, child, f"{definition}.{key}", child_path, entry.key.at)
            elif extra is False:
                offered = [known for known in properties if self.is_offered(definition, known)]
                self._unknown_key(entry, offered or properties, child_path)
            elif extra is not True:
                self._check(entry.value, cast("Schema", extra), definition, child_path, entry.key.at)
        self._names(node, schema, path)
        self._required(node, schema, path, at)

    def _names(self, node: MappingNode, schema: Schema, path: str) -> None:
        rule = _optional(schema.get("propertyNames"))
        if rule is None:
            return
        pattern = str(rule["pattern"])
        for key, entry in node.entries.items():
            if not re.search(pattern, key):
                message = f"`{key}` is not a namespaced key"
                expected = "a name with a dot, such as `com.acme.retention` or `etlgen.source_fields`"
                self._add("CTR-024", message, entry.key.at, f"{path}.{key}", expected=expected)

    def _required(self, node: MappingNode, schema: Schema, path: str, at: Position) -> None:
        for key in _strings(schema.get("required")):
            if key not in node.entries:
                self._add("CTR-021", f"{_where(path)} lacks the key `{key}`", at, path, help=f"add `{key}:`")
        for keyword in ("anyOf", "oneOf"):
            groups = [_strings(branch.get("required")) for branch in _branches(schema, keyword)]
            written = sum(all(key in node.entries for key in group) for group in groups)
            if groups and (written == 0 or (keyword == "oneOf" and written > 1)):
                quantity = "exactly one of" if keyword == "oneOf" else "one of"
                names = ", ".join(f"`{key}`" for group in groups for key in group)
                self._add("CTR-021", f"{_where(path)} needs {quantity} {names}", at, path)

    def _sequence(self, node: SequenceNode, schema: Schema, definition: str, path: str) -> None:
        least = schema.get("minItems")
        if isinstance(least, int) and len(node.items) < least:
            self._add("CTR-024", f"{_where(path)} needs at least {least} entry", node.at, path)
        items = _optional(schema.get("items"))
        if items is not None:
            for number, item in enumerate(node.items):
                self._check(item, items, definition, f"{path}[{number}]", item.at)

    def _scalar(self, node: ScalarNode, schema: Schema, path: str) -> None:
        choices = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if isinstance(choices, list):
            names = [str(choice) for choice in cast("list[object]", choices)]
            if node.text not in names:
                self._add_choice(node, names, path)
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and not re.search(pattern, node.text):
            self._pattern(node, path)
        least = schema.get("minLength")
        if isinstance(least, int) and len(node.text) < least:
            self._add("CTR-024", f"{_where(path)} must not be empty", node.at, path)
        self._bounds(node, schema, path)

    def _bounds(self, node: ScalarNode, schema: Schema, path: str) -> None:
        number = node.number()
        if number is None:
            return
        checks: tuple[tuple[str, str, Callable[[float, float], bool]], ...] = (
            ("minimum", "at least", ge),
            ("maximum", "at most", le),
            ("exclusiveMinimum", "greater than", gt),
        )
        for keyword, words, holds in checks:
            bound = schema.get(keyword)
            if isinstance(bound, (int, float)) and not holds(number, bound):
                message = f"{_where(path)} is {node.text}"
                self._add("CTR-024", message, node.at, path, expected=f"{words} {bound}")

    # --- findings -----------------------------------------------------------------------------------------------------

    def _pattern(self, node: ScalarNode, path: str) -> None:
        if path == "version":
            message = f"the version `{node.text}` is not MAJOR.MINOR.PATCH"
            self._add("CTR-024", message, node.at, path, expected="three numbers, such as `1.0.0`")
        else:
            self._add("CTR-024", f"{_where(path)} has a value of the wrong form", node.at, path)

    def _add_choice(self, node: ScalarNode, names: Sequence[str], path: str) -> None:
        expected = one_of(names)
        message = f"`{node.text}` is not a value of {_where(path)}"
        self._add("CTR-023", message, node.at, path, expected=expected, near=nearest_name(node.text, names))

    def _unknown_key(self, entry: Entry, properties: Iterable[str], path: str) -> None:
        names = list(properties)
        near = nearest_name(entry.key.text, (name for name in names if name != entry.key.text))
        parent = path.rpartition(".")[0]
        expected = one_of(sorted(names))
        fix = f"rename it to `{near}`" if near else "remove it, or put it under `extensions` with a dotted key"
        message = f"{_where(parent)} has no key `{entry.key.text}`"
        self._add("CTR-020", message, entry.key.at, path, expected=expected, near=near, help=fix)

    def _wrong_type(self, node: Node, schemas: Sequence[Schema], path: str) -> None:
        kinds = [str(schema["type"]) for schema in schemas if isinstance(schema.get("type"), str)]
        expected = " or ".join(dict.fromkeys(_WORDS[kind] for kind in kinds if kind != "null"))
        fix = _wrong_type_fix(node, kinds) if isinstance(node, ScalarNode) else ""
        message = f"{_where(path)} has a value of the wrong kind"
        self._add("CTR-022", message, node.at, path, label=f"this is {node.kind}", expected=expected, help=fix)

    def _add(
        self,
        code: str,
        message: str,
        at: Position,
        path: str,
        *,
        label: str = "",
        expected: str = "",
        near: str = "",
        help: str = "",
    ) -> None:
        self.found.append(
            Diagnostic(code, message, at, label=label, expected=expected, nearest=near, help=help, key_path=path)
        )


_YES, _NO = ("yes", "y", "on", "true", "1"), ("no", "n", "off", "false", "0")


def _wrong_type_fix(node: ScalarNode, kinds: Sequence[str]) -> str:
    """How to write what is meant, as far as it can be told."""
    if "array" in kinds and not node.is_null():
        return f"write `[{node.text}]`"
    if "boolean" in kinds:
        word = node.text.lower()
        meant = "true" if word in _YES else "false" if word in _NO else ""
        return f"write `{meant}`" if meant else "write `true` or `false`"
    if {"number", "integer"} & set(kinds):
        is_quoted = not node.plain and re.fullmatch(r"[-+]?[0-9.]+", node.text) is not None
        return "remove the quotes" if is_quoted else "write it in digits, such as `0`, or remove the key"
    return ""


def _where(path: str) -> str:
    return f"`{path}`" if path else "the contract"


def _fits(node: Node, schema: Schema) -> bool:
    """``node`` can be read as the type of ``schema``; any scalar but null is a text where text is wanted."""
    kind = schema.get("type")
    if kind is None:
        return True
    match node:
        case MappingNode():
            return kind == "object"
        case SequenceNode():
            return kind == "array"
        case ScalarNode():
            return (kind == "string" and not node.is_null()) or _is_exactly(node, schema)


def _is_exactly(node: ScalarNode, schema: Schema) -> bool:
    """The type of ``schema`` is the scalar's own type by the core schema."""
    match schema.get("type"):
        case "null":
            return node.is_null()
        case "boolean":
            return node.boolean() is not None
        case "integer":
            number = node.number()
            return number is not None and number == int(number)
        case "number":
            return node.number() is not None
        case "string":
            return isinstance(node.value(), str)
        case _:
            return False


def _optional(value: object) -> Schema | None:
    return cast("Schema", value) if isinstance(value, Mapping) else None


def _schemas(schema: Schema, key: str) -> Mapping[str, Schema]:
    return cast("Mapping[str, Schema]", schema.get(key, {}))


def _branches(schema: Schema, key: str) -> Sequence[Schema]:
    return cast("Sequence[Schema]", schema.get(key, ()))


def _strings(value: object) -> Sequence[str]:
    return cast("Sequence[str]", value or ())
