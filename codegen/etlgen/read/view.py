"""Typed access to a node tree that never fails.

The structure was checked before, and every fault is reported there: a value of the wrong kind reads as absent here, so
that one run reports the faults of all parts of a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from etlgen.contract import Phase, Scalar, Severity, Text
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.diagnostics.model import Severity as Level
from etlgen.nearest import nearest_name
from etlgen.read.json_schema import MOST_FINDINGS
from etlgen.read.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode, plain_value
from etlgen.spelling import one_of
from etlgen_runtime.types import LogicalType

Choice = TypeVar("Choice", bound=str)
_VALUE_CODES = ("CTR-022", "CTR-023", "CTR-024")
"""What the structure check finds about the value at a place."""

_PHASES: tuple[Phase, ...] = ("pre", "post")
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(slots=True)
class Findings:
    """Diagnostics of one file, in the order they are found. One fault, one finding: what the structure check said about a
    value is not said again in other words.
    """

    items: list[Diagnostic] = field(default_factory=list[Diagnostic])
    judged: set[Position] = field(default_factory=set[Position])
    seen: set[Diagnostic] = field(default_factory=set[Diagnostic])

    def add_structure(self, found: Iterable[Diagnostic]) -> None:
        """Findings of the structure check."""
        for item in found:
            self.items.append(item)
            if item.at is not None and item.code in _VALUE_CODES:
                self.judged.add(item.at)
        self._stop_when_hopeless()

    def error(
        self,
        code: str,
        message: str,
        at: Position,
        *,
        path: str = "",
        expected: str = "",
        near: str = "",
        fix: str = "",
    ) -> None:
        self._add(Level.ERROR, code, message, at, path, expected, near, fix)

    def warning(
        self,
        code: str,
        message: str,
        at: Position,
        *,
        path: str = "",
        expected: str = "",
        near: str = "",
        fix: str = "",
    ) -> None:
        self._add(Level.WARNING, code, message, at, path, expected, near, fix)

    def note(self, code: str, message: str, at: Position, *, path: str = "", fix: str = "") -> None:
        self._add(Level.NOTE, code, message, at, path, "", "", fix)

    def unknown(self, code: str, subject: str, node: ScalarNode, names: Iterable[str], path: str) -> None:
        """``node`` holds none of ``names``."""
        choices = list(names)
        near = nearest_name(node.text, choices)
        expected = one_of(choices)
        fix = f"write `{near}`" if near else ""
        self.error(code, f"`{node.text}` is not {subject}", node.at, path=path, expected=expected, near=near, fix=fix)

    def _add(
        self, level: Level, code: str, message: str, at: Position, path: str, expected: str, near: str, fix: str
    ) -> None:
        if at in self.judged:
            return
        self.add(Diagnostic(code, message, at, level, expected=expected, nearest=near, help=fix, key_path=path))

    def add(self, found: Diagnostic) -> None:
        """``found``, unless it is there already."""
        if found not in self.seen:
            self.seen.add(found)
            self.items.append(found)
            self._stop_when_hopeless()

    def _stop_when_hopeless(self) -> None:
        if len(self.items) >= 2 * MOST_FINDINGS:
            raise ContractError(tuple(self.items))


class View:
    """One mapping of the tree, its key path, and where findings go."""

    def __init__(self, node: Node | None, path: str, findings: Findings, at: Position) -> None:
        self.entries: Mapping[str, Entry] = node.entries if isinstance(node, MappingNode) else {}
        self.path = path
        self.findings = findings
        self.at = at

    def has(self, key: str) -> bool:
        """``key`` is written, and not null."""
        node = self.node(key)
        return node is not None and not (isinstance(node, ScalarNode) and node.is_null())

    def node(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return entry.value if entry else None

    def key_at(self, key: str) -> Position:
        entry = self.entries.get(key)
        return entry.key.at if entry else self.at

    def optional_at(self, key: str) -> Position | None:
        return self.key_at(key) if self.has(key) else None

    def value_at(self, key: str) -> Position:
        entry = self.entries.get(key)
        return entry.value.at if entry else self.at

    def child_path(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    # --- mappings and lists -------------------------------------------------------------------------------------------

    def view(self, key: str) -> View:
        """The mapping under ``key``; an empty one when it is absent."""
        return View(self.node(key), self.child_path(key), self.findings, self.key_at(key))

    def views(self, key: str) -> Iterator[View]:
        """The mappings of a list."""
        for item, path in self.items(key):
            if isinstance(item, MappingNode):
                yield View(item, path, self.findings, item.at)

    def items(self, key: str) -> Iterator[tuple[Node, str]]:
        """The entries of a list with their paths."""
        node = self.node(key)
        if isinstance(node, SequenceNode):
            for number, item in enumerate(node.items):
                yield item, f"{self.child_path(key)}[{number}]"

    def pairs(self, key: str) -> Iterator[tuple[ScalarNode, Node]]:
        """The keys and values of the mapping under ``key``."""
        for entry in self.view(key).entries.values():
            yield entry.key, entry.value

    def values(self) -> Iterator[Entry]:
        yield from self.entries.values()

    # --- scalars ------------------------------------------------------------------------------------------------------

    def scalar_node(self, key: str) -> ScalarNode | None:
        node = self.node(key)
        return node if isinstance(node, ScalarNode) and not node.is_null() else None

    def text(self, key: str) -> Text:
        """The text under ``key``, empty when absent (which the structure check reported)."""
        return self.optional_text(key) or Text("", self.at)

    def optional_text(self, key: str) -> Text | None:
        node = self.scalar_node(key)
        return node.as_text() if node else None

    def string(self, key: str, default: str = "") -> str:
        node = self.scalar_node(key)
        return node.text if node else default

    def optional_string(self, key: str) -> str | None:
        node = self.scalar_node(key)
        return node.text if node else None

    def texts(self, key: str) -> tuple[Text, ...]:
        """A list of texts; a single scalar counts as a list of one."""
        node = self.node(key)
        if isinstance(node, ScalarNode) and not node.is_null():
            return (node.as_text(),)
        return tuple(item.as_text() for item, _ in self.items(key) if isinstance(item, ScalarNode))

    def strings(self, key: str) -> tuple[str, ...]:
        return tuple(text.value for text in self.texts(key))

    def boolean(self, key: str, default: bool = False) -> bool:
        node = self.scalar_node(key)
        value = node.boolean() if node else None
        return default if value is None else value

    def integer(self, key: str) -> int | None:
        node = self.scalar_node(key)
        number = node.number() if node else None
        return int(number) if number is not None else None

    def number(self, key: str) -> Scalar:
        """A bound as written: a number, or its text when a float would lose digits."""
        node = self.scalar_node(key)
        return node.exact_number() if node else None

    def scalars(self, key: str, wanted: LogicalType | None = None) -> tuple[Scalar, ...]:
        return tuple(typed_scalar(item, wanted) for item, _ in self.items(key) if isinstance(item, ScalarNode))

    def item_positions(self, key: str) -> dict[str, Position]:
        """Where each scalar of the list under ``key`` stands, as ``key[0]``, ``key[1]``, counted as ``scalars`` does."""
        places = [item.at for item, _ in self.items(key) if isinstance(item, ScalarNode)]
        return {f"{key}[{number}]": at for number, at in enumerate(places)}

    def plain(self, *keys: str) -> dict[str, object]:
        """The written keys among ``keys`` as plain Python values, for metadata."""
        return {key: plain_value(self.entries[key].value) for key in keys if self.has(key)}

    # --- closed vocabularies ------------------------------------------------------------------------------------------

    def choice(self, key: str, choices: tuple[Choice, ...], default: Choice, what: str) -> Choice:
        """One word of ``choices``; anything else is CTR-023 with the nearest."""
        node = self.scalar_node(key)
        if node is None:
            return default
        if node.text not in choices:
            self.findings.unknown("CTR-023", what, node, choices, self.child_path(key))
            return default
        return next(choice for choice in choices if choice == node.text)

    def phase(self) -> Phase | None:
        if not self.has("phase"):
            return None
        phase: Phase = self.choice("phase", _PHASES, _PHASES[0], "a phase")
        return phase

    def severity(self) -> Severity:
        return self.choice("severity", _SEVERITIES, _SEVERITIES[0], "a severity")


def typed_scalar(node: ScalarNode, wanted: LogicalType | None) -> Scalar:
    """The value of ``node`` where a value of ``wanted`` is expected (``None``: not known here).

    Text-like types take the characters on the page: ``0123``, ``NO`` and ``1.10`` stay what they are.
    """
    if node.is_null() or wanted is None or wanted.is_numeric:
        return node.value()
    return node.text if wanted.is_text or wanted.is_temporal else node.value()
