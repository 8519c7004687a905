"""Which parts of a contract the errors of its file stand in, so that the rest can be looked at all the same.

A broken entry of a list (a field, an operation, a rule, a link) bears on the columns that it speaks of. Any other broken part may
bear on everything, unless the reader of the vocabulary knows better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.nearest import nearest_name
from etlgen.read.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from etlgen.read.verdicts import VERDICTS
from etlgen.spelling import folded, words_in

Kind = Literal["field", "operation", "rule", "link"]
Path = tuple[str, ...]
"""Keys from the root to a node; entries of lists count nothing."""

_LISTS: Mapping[str, Kind] = {
    "fields": "field",
    "properties": "field",
    "source_fields": "field",
    "etlgen.source_fields": "field",
    "transformations": "operation",
    "rules": "rule",
    "row_rules": "rule",
    "dataset_rules": "rule",
    "quality": "rule",
    "links": "link",
}
_MAPPINGS: Mapping[str, Kind] = {"etlgen.fields": "field", "etlgen.link_fields": "link", "date_formats": "field"}
_NAMES = ("name", "physicalName")
_POLICY = "schema_policy"

_OPERATIONS = tuple(key for definition, key in VERDICTS if definition == "Transformation" and key != "phase")

RESHAPING = frozenset(
    ("select", "rename", "rollup", "join", "split", "explode", "date_range_explode", "pivot", "unpivot", "sql")
)
"""Operations that decide which columns there are, beyond those that they name."""


@dataclass(frozen=True, slots=True)
class Breakage:
    """The broken parts of a contract.

    Args:
        places: Line and column of all that is written in them.
        names: Columns and links that they speak of, without case: about these nothing is known.
        policy: The policy for undeclared columns is among them: they may be allowed or not.
    """

    places: frozenset[tuple[int, int]]
    names: frozenset[str]
    policy: bool = False

    def holds(self, at: Position) -> bool:
        """Whether what stands at ``at`` is broken."""
        return (at.line, at.column) in self.places


class PartlyRead(ContractError):
    """All errors of a file. ``parts``: its contracts with what is broken in each, where other parts can be judged without it.

    A contract in which nothing is broken has no errors of its own.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], parts: tuple[tuple[Contract, Breakage], ...]) -> None:
        super().__init__(diagnostics)
        self.parts = parts


def breakage(
    root: MappingNode, errors: Iterable[Diagnostic], is_harmless: Callable[[Path, Diagnostic], bool]
) -> Breakage | None:
    """The broken parts of ``root``; ``None`` when an error may bear on everything.

    Args:
        is_harmless: Whether an error outside of all entries, at the given path, bears on no column.
    """
    written = _Written()
    written.add(root, (), None)
    policy = False
    broken: dict[int, _Part] = {}
    for error in errors:
        found = () if error.at is None else written.at(error.at)
        if not found:
            return None
        for path, part in found:
            if part is not None:
                broken[id(part.node)] = part
            elif not is_harmless(path, error):
                return None
            policy = policy or _POLICY in (*path[:1], error.nearest)
    names: set[str] = set()
    for part in broken.values():
        spoken_of = _names(part)
        if spoken_of is None:
            return None
        names.update(folded(name) for name in spoken_of)
    places = frozenset(place for part in broken.values() for place in places_of(part.node))
    return Breakage(places, frozenset(names), policy)


@dataclass(frozen=True, slots=True)
class _Part:
    """An entry: of a list, or of a mapping by ``key``."""

    kind: Kind
    key: str
    node: Node


_Found = list[tuple[Path, _Part | None]]


@dataclass(frozen=True, slots=True)
class _Written:
    """The path and the innermost entry of every place where something begins, by line and column. An alias puts one place
    into several.
    """

    lines: dict[int, dict[int, _Found]] = field(default_factory=dict[int, dict[int, _Found]])

    def at(self, at: Position) -> _Found:
        """What begins at a place, or before it on the same line."""
        line = self.lines.get(at.line, {})
        before = [column for column in line if column <= at.column]
        return line[max(before)] if before else []

    def add(self, node: Node, path: Path, part: _Part | None) -> None:
        self._note(node, path, part)
        match node:
            case MappingNode(entries=entries):
                for entry in entries.values():
                    self._add_entry(entry, path, part)
            case SequenceNode(items=items):
                for item in items:
                    self.add(item, path, part)
            case ScalarNode():
                pass

    def _note(self, node: Node, path: Path, part: _Part | None) -> None:
        for line, column in _own_places(node):
            self.lines.setdefault(line, {}).setdefault(column, []).append((path, part))

    def _add_entry(self, entry: Entry, path: Path, part: _Part | None) -> None:
        key = entry.key.text
        inner = (*path, key)
        self.add(entry.key, inner, part)
        listed, mapped = _LISTS.get(key), _MAPPINGS.get(key)
        match entry.value:
            case SequenceNode(items=items) if listed is not None:
                self._note(entry.value, inner, part)
                for item in items:
                    own = _Part(listed, "", item) if isinstance(item, MappingNode) else part
                    self.add(item, inner, own)
            case MappingNode(entries=entries) if mapped is not None:
                for each in entries.values():
                    own = _Part(mapped, each.key.text, each.value)
                    self.add(each.key, inner, own)
                    self.add(each.value, inner, own)
            case value:
                self.add(value, inner, part)


def _own_places(node: Node) -> set[tuple[int, int]]:
    at = {(node.at.line, node.at.column)}
    return at | {(node.content_at.line, node.content_at.column)} if isinstance(node, ScalarNode) else at


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    match node:
        case MappingNode(entries=entries):
            for entry in entries.values():
                yield entry.key
                yield from _nodes(entry.value)
        case SequenceNode(items=items):
            for item in items:
                yield from _nodes(item)
        case ScalarNode():
            pass


def places_of(node: Node) -> frozenset[tuple[int, int]]:
    """Line and column of all that is written in ``node``."""
    return frozenset(place for each in _nodes(node) for place in _own_places(each))


def _names(part: _Part) -> set[str] | None:
    """Columns and links that a broken entry speaks of; ``None`` when that is not all that it decides."""
    match part.kind:
        case "rule":
            return set()
        case "field" | "link":
            names = {part.key} if part.key else _named(part.node)
            return names if any(name.strip() for name in names) else None
        case "operation":
            return _words(part.node) if _names_its_columns(part.node) else None


def _named(node: Node) -> set[str]:
    if not isinstance(node, MappingNode):
        return set()
    named = (node.entries[key].value for key in _NAMES if key in node.entries)
    return {name.text for name in named if isinstance(name, ScalarNode)}


def _names_its_columns(node: Node) -> bool:
    """Whether the operation, as far as its kind can be told, changes no other columns than those it names."""
    kinds = [key for key in node.entries if key != "phase"] if isinstance(node, MappingNode) else []
    meant = {kind if kind in _OPERATIONS else nearest_name(kind, _OPERATIONS) for kind in kinds}
    return bool(meant) and "" not in meant and not meant & RESHAPING


def _words(node: Node) -> set[str]:
    """Every text in the entry, and every word of it: SQL, lists and keys of mappings hold names."""
    texts = [each.text for each in _nodes(node) if isinstance(each, ScalarNode)]
    return {*texts, *(word for text in texts for word in words_in(text))}
