"""Every key of ODCS v3.0 to v3.2 by level, and the check of keys and kinds (odcs, sections 1 to 9 and 14).

The tables follow the text of the standard, not its JSON Schema: where the two differ, the text wins (odcs, 12).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from etlgen.diagnostics.model import Position
from etlgen.nearest import nearest_name
from etlgen.read.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from etlgen.read.view import Findings
from etlgen.spelling import one_of

VERSIONS = ("v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0")

_COMMON = "id:id tags:texts customProperties:list/custom authoritativeDefinitions:list/authority"
_ELEMENT = (
    f"{_COMMON} description:text businessName:text physicalType:text deprecated:boolean@2 synonyms:list/synonym@2"
)
_OPTIONS = (
    "minLength:number maxLength:number pattern:text format:text minimum:any maximum:any exclusiveMinimum:any "
    "exclusiveMaximum:any multipleOf:number timezone:boolean defaultTimezone:text minItems:number maxItems:number "
    "uniqueItems:boolean minProperties:number maxProperties:number required:texts dimensions:number@2 elementType:text@2 "
    "distanceMetric:text@2 embeddingModel:text@2 embeddingModelVersion:text@2 normalized:boolean@2"
)
_OPERATORS = (
    "mustBe mustNotBe mustBeGreaterThan mustBeGreaterOrEqualTo mustBeLessThan mustBeLessOrEqualTo mustBeBetween "
    "mustNotBeBetween"
)

_TABLES: Mapping[str, str] = {
    "contract": (
        "apiVersion:text kind:text! id:text! version:text! status:text! name:text tenant:text domain:text "
        "dataProduct:text tags:texts description:map/description authoritativeDefinitions:list/authority "
        "customProperties:list/custom schema:list/object servers:list/server slaProperties:list/sla "
        "slaDefaultElement:text team:team roles:list/role support:list/support price:map/price contractCreatedTs:text "
        "context:any@2 deprecated:boolean@2 synonyms:list/synonym@2"
    ),
    "description": (
        "purpose:text limitations:text usage:text authoritativeDefinitions:list/authority customProperties:list/custom"
    ),
    "authority": "id:id type:text! url:text! description:text",
    "custom": "id:id property:text! value:any? description:text vendor:text@2",
    "synonym": (
        "id:id synonym:text! description:text locale:text source:text status:text customProperties:list/custom"
    ),
    "object": (
        f"{_ELEMENT} name:text! physicalName:text logicalType:text dataGranularityDescription:text "
        "properties:list/property quality:list/quality relationships:list/relationship context:any@2"
    ),
    "property": (
        f"{_ELEMENT} name:text! physicalName:text logicalType:text logicalTypeOptions:map/options required:boolean "
        "unique:boolean primaryKey:boolean primaryKeyPosition:number partitioned:boolean partitionKeyPosition:number "
        "classification:text encryptedName:text criticalDataElement:boolean examples:list transformLogic:text "
        "transformSourceObjects:texts transformDescription:text items:map/items properties:list/property "
        "quality:list/quality relationships:list/relationship enum:list/enum@2 map:map/map@2 semanticType:text@2 "
        "context:any@2"
    ),
    "options": _OPTIONS,
    "map": "key:map/items! value:map/items!",
    "enum": f"{_COMMON} value:any! label:text description:text",
    "relationship": "id:id@2 type:text from:any to:any description:text customProperties:list/custom",
    "quality": (
        f"{_COMMON} name:text description:text businessImpact:text method:text dimension:text severity:text "
        "schedule:text scheduler:text type:text metric:text rule:text arguments:map unit:text query:text engine:text "
        "implementation:any validValues:list missingValues:list pattern:text properties:texts "
        + " ".join(f"{operator}:any" for operator in _OPERATORS.split())
    ),
    "server": (
        "id:id server:text! type:text! description:text environment:text roles:list/role customProperties:list/custom "
        "account:text catalog:text database:text dataset:text delimiter:text endpointUrl:text format:text host:text "
        "location:text path:text port:any project:text region:text regionName:text schema:text serviceName:text "
        "stagingDir:text stream:text warehouse:text encoding:text@2 workgroup:text@2 catalogUrl:text@2 namespace:text@2"
    ),
    "sla": (
        "id:id property:text! value:any! valueExt:any unit:text element:text driver:text description:text "
        "scheduler:text schedule:text customProperties:list/custom@2 authoritativeDefinitions:list/authority@2"
    ),
    "team": f"{_COMMON} name:text description:text members:list/member",
    "member": (
        f"{_COMMON} username:text! name:text description:text role:text dateIn:text dateOut:text replacedByUsername:text"
    ),
    "role": (
        "id:id role:text! description:text access:text firstLevelApprovers:text secondLevelApprovers:text "
        "customProperties:list/custom"
    ),
    "support": (
        "id:id channel:text! url:text description:text tool:text scope:text invitationUrl:text "
        "customProperties:list/custom"
    ),
    "price": "id:id priceAmount:number priceCurrency:text priceUnit:text",
}

_HINTS = {
    "nullable": "required",
    "isNullable": "required",
    "mustBeGreaterThanOrEqualTo": "mustBeGreaterOrEqualTo",
    "mustBeLessThanOrEqualTo": "mustBeLessOrEqualTo",
}


@dataclass(frozen=True, slots=True)
class Key:
    """One key: ``kind`` of its value, the level below it, whether it is needed, and the minor version that has it."""

    kind: str
    level: str = ""
    needed: bool = False
    null_allowed: bool = False
    since: int = 0


def _parse(table: str) -> dict[str, Key]:
    keys: dict[str, Key] = {}
    for word in table.split():
        name, _, rest = word.partition(":")
        rest, _, since = rest.partition("@")
        needed = rest.endswith(("!", "?"))
        kind, _, level = rest.rstrip("!?").partition("/")
        keys[name] = Key(kind, level, needed, rest.endswith("?"), int(since or 0))
    return keys


LEVELS: Mapping[str, Mapping[str, Key]] = {name: _parse(table) for name, table in _TABLES.items()}
_ITEMS = {**LEVELS["property"], "name": Key("text")}


def keys_of(level: str) -> Mapping[str, Key]:
    """The keys of a level; ``items`` is a property without required name."""
    return _ITEMS if level == "items" else LEVELS[level]


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """Checks keys and kinds of a whole document. ``minor``: 0, 1 or 2 of v3.x."""

    findings: Findings
    minor: int

    def mapping(self, node: MappingNode, level: str, path: str, at: Position) -> None:
        """Unknown keys (E105), missing ones (E104), wrong kinds (E106), and everything below."""
        keys = keys_of(level)
        for entry in node.entries.values():
            name = entry.key.text
            key = keys.get(name)
            child = f"{path}.{name}" if path else name
            if key is None or key.since > self.minor:
                self._unknown(entry, keys, child, key)
            else:
                self._value(entry.value, key, child, entry.key.at)
        for name, key in keys.items():
            if key.needed and not _is_written(node, name, key):
                message = f"`{path or 'the contract'}` lacks the key `{name}`"
                self.findings.error("ODCS-E104", message, at, path=path, fix=f"add `{name}:`")
        if level != "options":
            self._ids(node, path)

    def _unknown(self, entry: Entry, keys: Mapping[str, Key], path: str, key: Key | None) -> None:
        name = entry.key.text
        if key is not None:
            message = f"`{name}` is a key of v3.{key.since}.0, not of this document's version"
            fix = f"set `apiVersion: v3.{key.since}.0`, or remove the key"
            self.findings.error("ODCS-E105", message, entry.key.at, path=path, fix=fix)
            return
        valid = [known for known, spec in keys.items() if spec.since <= self.minor]
        hint = _HINTS.get(name, "")
        near = hint if hint in valid else nearest_name(name, valid)
        message = f"unknown key `{name}` in `{path.rpartition('.')[0] or 'the contract'}`"
        expected = one_of(sorted(valid))
        fix = f"write `{near}`" if near else "remove it, or put it under `customProperties`"
        self.findings.error("ODCS-E105", message, entry.key.at, path=path, expected=expected, near=near, fix=fix)

    def _value(self, node: Node, key: Key, path: str, at: Position) -> None:
        if isinstance(node, ScalarNode) and node.is_null():
            return
        match key.kind:
            case "map" | "list" | "texts" | "team":
                self._collection(node, key, path, at)
            case "any":
                return
            case _:
                self._scalar(node, key.kind, path)

    def _collection(self, node: Node, key: Key, path: str, at: Position) -> None:
        if key.kind == "team":
            self._team(node, path, at)
        elif key.kind == "map" and isinstance(node, MappingNode):
            if key.level:
                self.mapping(node, key.level, path, at)
        elif key.kind != "map" and isinstance(node, SequenceNode):
            self._list(node, key, path)
        else:
            self._wrong(node, "a mapping" if key.kind == "map" else "a list", path)

    def _list(self, node: SequenceNode, key: Key, path: str) -> None:
        for number, item in enumerate(node.items):
            child = item_path(item, path, number)
            if key.kind == "texts":
                self._scalar(item, "text", child)
            elif key.level and isinstance(item, MappingNode):
                self.mapping(item, key.level, child, item.at)
            elif key.level:
                self._wrong(item, "a mapping", child)

    def _team(self, node: Node, path: str, at: Position) -> None:
        """An object, or the list of members of v3.0 (W102)."""
        if isinstance(node, MappingNode):
            self.mapping(node, "team", path, at)
        elif isinstance(node, SequenceNode):
            message = "`team` as a list of members is deprecated"
            self.findings.warning("ODCS-W102", message, at, path=path, fix="write `team: {members: [...]}`")
            self._list(node, Key("list", "member"), path)
        else:
            self._wrong(node, "a mapping", path)

    def _scalar(self, node: Node, kind: str, path: str) -> None:
        if not isinstance(node, ScalarNode):
            self._wrong(node, {"boolean": "true or false", "number": "a number"}.get(kind, "a text"), path)
        elif kind == "boolean" and node.boolean() is None:
            self._wrong(node, "true or false", path)
        elif kind == "number" and node.number() is None:
            self._wrong(node, "a number", path)
        elif kind == "text" and not isinstance(node.value(), str):
            message = f"`{path}` is written without quotes; other tools read {node.kind}, not the text `{node.text}`"
            self.findings.warning("ODCS-W101", message, node.at, path=path, fix=f'write "{node.text}"')

    def _wrong(self, node: Node, expected: str, path: str) -> None:
        message = f"`{path}` has a value of the wrong kind: {node.kind}"
        self.findings.error("ODCS-E106", message, node.at, path=path, expected=expected)

    def _ids(self, node: MappingNode, path: str) -> None:
        """Form of ``id``, and uniqueness of ids within each list."""
        for entry in node.entries.values():
            if isinstance(entry.value, SequenceNode):
                self._unique_ids(entry.value, f"{path}.{entry.key.text}" if path else entry.key.text)

    def _unique_ids(self, node: SequenceNode, path: str) -> None:
        seen: set[str] = set()
        for scalar in _ids_of(node):
            if scalar.text in seen:
                message = f"the id `{scalar.text}` occurs twice in `{path}`"
                self.findings.error("ODCS-E107", message, scalar.at, path=path, fix="choose another id")
            elif not all(char.isascii() and (char.isalnum() or char in "_-") for char in scalar.text):
                message = f"`{scalar.text}` is no id"
                expected = "letters, digits, `_` and `-`"
                self.findings.error("ODCS-E106", message, scalar.at, path=f"{path}.id", expected=expected)
            seen.add(scalar.text)


def _ids_of(node: SequenceNode) -> Iterator[ScalarNode]:
    for item in node.items:
        if isinstance(item, MappingNode) and "id" in item.entries:
            value = item.entries["id"].value
            if isinstance(value, ScalarNode) and not value.is_null():
                yield value


def _is_written(node: MappingNode, name: str, key: Key) -> bool:
    entry = node.entries.get(name)
    if entry is None:
        return False
    return key.null_allowed or not (isinstance(entry.value, ScalarNode) and entry.value.is_null())


def item_path(node: Node, path: str, number: int) -> str:
    """The path of an entry of a list: by name where there is one (``schema.orders.properties.amount``)."""
    if isinstance(node, MappingNode):
        for key in ("name", "server", "property"):
            entry = node.entries.get(key)
            if entry is not None and isinstance(entry.value, ScalarNode):
                return f"{path}.{entry.value.text}"
    return f"{path}[{number}]"
