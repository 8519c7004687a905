"""Every place of a vocabulary where a text may stand, found by walking its official JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from etlgen.read.structure import official_schema

KEY = "<key>"
"""In a path: a key that the author chooses."""
ITEM = "<item>"
"""In a path: an entry of a list."""

Path = tuple[str, ...]
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """An official schema, and a whole contract without anything hostile.

    Args:
        most: Definitions inside definitions: what nests without end is walked so deep.
    """

    name: Literal["olc", "odcs"]
    schema: Schema
    document: Mapping[str, Any]
    most: int = 12


def olc() -> Vocabulary:
    """The Open Lakehouse Contract."""
    document = {
        "version": "1.0.0",
        "info": {"title": "t", "table_name": "t"},
        "source": {"type": "landing", "path": "in.csv", "format": "csv"},
        "model": {"fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "integer"}]},
        "materialization": {"strategy": "overwrite", "format": "parquet"},
        "links": [{"name": "ref", "path": "in.csv", "type": "csv"}],
    }
    return Vocabulary("olc", official_schema(), document)


def odcs() -> Vocabulary:
    """The Open Data Contract Standard, v3.2."""
    text = files("open_data_contract_standard").joinpath("schema.json").read_text(encoding="utf-8")
    settings = {
        "source": {"type": "landing", "path": "in.csv", "format": "csv"},
        "materialization": {"strategy": "overwrite"},
    }
    properties = [{"name": "a", "logicalType": "string"}, {"name": "b", "logicalType": "integer"}]
    document = {
        "apiVersion": "v3.2.0",
        "kind": "DataContract",
        "id": "c",
        "version": "1.0.0",
        "status": "active",
        "schema": [
            {"name": "t", "properties": properties, "customProperties": [{"property": "etlgen", "value": settings}]}
        ],
    }
    return Vocabulary("odcs", json.loads(text), document)


def positions(vocabulary: Vocabulary) -> list[Path]:
    """Each place where a text, or a key of the author's own, may stand; once for each way of keys that leads to it."""
    walker = _Walker(vocabulary)
    return list(dict.fromkeys(walker.walk(vocabulary.schema, (), ())))


class _Walker:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._root = vocabulary.schema
        self._most = vocabulary.most

    def walk(self, schema: object, path: Path, above: tuple[str, ...]) -> Iterator[Path]:
        """``above``: the definitions around this place, in which none is entered twice."""
        if not isinstance(schema, Mapping):
            return
        reference = schema.get("$ref")
        if isinstance(reference, str) and above.count(reference) == 0 and len(above) < self._most:
            yield from self.walk(self._definition(reference), path, (*above, reference))
        for word in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(word, ()):
                yield from self.walk(part, path, above)
        for word in ("then", "else", "if"):
            yield from self.walk(schema.get(word), path, above)
        yield from self._children(schema, path, above)
        if _takes_text(schema):
            yield path

    def _children(self, schema: Schema, path: Path, above: tuple[str, ...]) -> Iterator[Path]:
        for key, part in schema.get("properties", {}).items():
            yield from self.walk(part, (*path, key), above)
        yield from self.walk(schema.get("items"), (*path, ITEM), above)
        more = [schema.get("additionalProperties"), *schema.get("patternProperties", {}).values()]
        for part in more:
            if isinstance(part, Mapping) or part is True:
                yield (*path, KEY)
            yield from self.walk(part, (*path, "x"), above)
        if schema.get("type") == "object" and "properties" not in schema and "additionalProperties" not in schema:
            yield (*path, KEY)

    def _definition(self, reference: str) -> object:
        found: Any = self._root
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        return found


def _takes_text(schema: Schema) -> bool:
    """A text, or what has no type: a value of any kind."""
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    shapes = (
        "$ref",
        "anyOf",
        "oneOf",
        "allOf",
        "properties",
        "items",
        "additionalProperties",
        "then",
        "if",
        "required",
    )
    return "string" in kinds or (kind is None and not any(word in schema for word in shapes))


def planted(vocabulary: Vocabulary, path: Path, text: str) -> dict[str, Any]:
    """The whole contract with ``text`` at one place; what is required around it is filled in."""
    found: dict[str, Any] = _Filler(vocabulary).at(vocabulary.schema, vocabulary.document, path, text)
    return found


class _Filler:
    def __init__(self, vocabulary: Vocabulary) -> None:
        self._walker = _Walker(vocabulary)

    def at(self, schema: object, document: Any, path: Path, text: str) -> Any:
        """``document`` with ``text`` at ``path``; ``schema`` is that of the document."""
        if not path:
            return text
        first, *rest = path
        below = self._below(schema, first)
        if first == ITEM:
            entries = list(document) if isinstance(document, list) else []
            made = self.at(below, self._least(below, 0) if not entries else entries[0], tuple(rest), text)
            return [made, *entries[1:]]
        found = dict(document) if isinstance(document, Mapping) else self._required(schema, first)
        if first == KEY:
            return found | {text: "x"}
        return found | {first: self.at(below, found.get(first), tuple(rest), text)}

    def _below(self, schema: object, step: str) -> object:
        """The schema of an entry or a key, wherever the alternatives have it."""
        for part in self._alternatives(schema):
            if step == ITEM and "items" in part:
                return part["items"]
            if step in part.get("properties", {}):
                return part["properties"][step]
            if step not in (ITEM, KEY) and isinstance(part.get("additionalProperties"), Mapping):
                return part["additionalProperties"]
        return {}

    def _alternatives(self, schema: object) -> Iterator[Schema]:
        if not isinstance(schema, Mapping):
            return
        yield schema
        if isinstance(schema.get("$ref"), str):
            yield from self._alternatives(self._walker._definition(schema["$ref"]))
        for word in ("anyOf", "oneOf", "allOf"):
            for part in schema.get(word, ()):
                yield from self._alternatives(part)
        for word in ("then", "else"):
            yield from self._alternatives(schema.get(word))

    def _required(self, schema: object, key: str) -> dict[str, Any]:
        """The keys that must stand beside ``key``, by the alternative that has it."""
        for part in self._alternatives(schema):
            if key in part.get("properties", {}) and part.get("required"):
                needed = [each for each in part["required"] if each != key]
                return {each: self._least(self._below(part, each), 0) for each in needed}
        return {}

    def _least(self, schema: object, depth: int) -> Any:
        """A small value that the schema takes."""
        for part in self._alternatives(schema):
            if "const" in part:
                return part["const"]
            if part.get("enum"):
                return part["enum"][0]
            match part.get("type"):
                case "string":
                    return "a"
                case "integer" | "number":
                    return 1
                case "boolean":
                    return True
                case "array":
                    return [self._least(part.get("items", {}), depth + 1)] if depth < 4 else []
                case "object":
                    needed = part.get("required", ()) if depth < 4 else ()
                    return {key: self._least(self._below(part, key), depth + 1) for key in needed}
        return "a"
