"""``case.yaml`` as a tree of nodes that remember their line, and typed access to it that collects every mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

import yaml

from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.nearest import nearest_name

_Word = TypeVar("_Word", bound=str)


@dataclass(frozen=True, slots=True)
class Node:
    """A YAML value and where it stands. ``value``: a scalar, a list of nodes or a mapping of nodes."""

    value: bool | int | float | str | tuple[Node, ...] | Mapping[str, Node] | None
    at: Position


class _Loader(yaml.SafeLoader):
    """YAML 1.2 booleans only (``on``, ``yes`` and ``NO`` are text) and no dates: the characters on the page."""


_DIGITS = re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$")
_BOOLEAN = re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers if not tag.endswith((":bool", ":timestamp"))]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _first in "tTfF":
    _Loader.yaml_implicit_resolvers.setdefault(_first, []).append(("tag:yaml.org,2002:bool", _BOOLEAN))


def read_manifest(path: Path, display: str) -> Node:
    """Parse a ``case.yaml``.

    Raises:
        ContractError: CNF-001, the file cannot be read, is not UTF-8, not YAML, has a duplicate key, or is no mapping.
    """
    try:
        loader = _Loader(path.read_bytes().decode("utf-8"))
        root = loader.get_single_node()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _unreadable(f"`{display}` cannot be read: {reason}", Position(display)) from error
    except RecursionError as error:
        raise _unreadable(f"`{display}` is nested too deeply", Position(display)) from error
    except UnicodeDecodeError as error:
        raise _unreadable(f"`{display}` is not UTF-8: byte {error.start}", Position(display)) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = Position(display, mark.line + 1, mark.column + 1) if mark else Position(display)
        raise _unreadable(f"`{display}` is not readable as YAML: {error.problem or 'syntax error'}", at) from error
    except yaml.YAMLError as error:
        raise _unreadable(f"`{display}` is not readable as YAML: {error}", Position(display)) from error
    node = _node(root, display) if root is not None else Node(None, Position(display))
    if not isinstance(node.value, Mapping):
        raise _unreadable(f"`{display}` holds no mapping of keys", Position(display))
    return node


def _unreadable(message: str, at: Position) -> ContractError:
    return ContractError((Diagnostic("CNF-001", message, at, help="correct the syntax of the file"),))


def _node(node: yaml.Node, display: str) -> Node:
    at = Position(display, node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.MappingNode):
        values: dict[str, Node] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in values:
                place = Position(
                    display, key_node.start_mark.line + 1, key_node.start_mark.column + 1, max(1, len(key))
                )
                raise _unreadable(f"key `{key}` is written twice", place)
            values[key] = _node(value_node, display)
        return Node(values, at)
    if isinstance(node, yaml.SequenceNode):
        return Node(tuple(_node(item, display) for item in node.value), at)
    return Node(_scalar(node), at)


def _scalar(node: yaml.Node) -> bool | int | float | str | None:
    """Booleans, decimal integers and floats; a number in any other notation is text."""
    text = str(node.value)
    if node.tag.endswith(":null"):
        return None
    if node.tag.endswith(":bool"):
        return text.casefold() == "true"
    if node.tag.endswith(":int") and _DIGITS.match(text):
        return int(text)
    return float(text) if node.tag.endswith(":float") and _is_number(text) else text


@dataclass(slots=True)
class Section:
    """Typed reading of one mapping. Mistakes are appended to ``problems``, and the default is returned instead.

    Args:
        name: Key path for messages (``assertions``); empty for the root.
        problems: Shared by all sections of a file.
    """

    node: Node
    name: str
    problems: list[Diagnostic] = field(default_factory=list[Diagnostic])

    @property
    def entries(self) -> Mapping[str, Node]:
        return self.node.value if isinstance(self.node.value, Mapping) else {}

    def has(self, key: str) -> bool:
        return key in self.entries and self.entries[key].value is not None

    def check_keys(self, known: Iterable[str]) -> None:
        """Report every key that is not in ``known`` (CNF-002)."""
        names = tuple(known)
        for key, node in self.entries.items():
            if key not in names:
                self.problems.append(
                    Diagnostic(
                        "CNF-002",
                        f"`{self._path(key)}` is not a key of case.yaml",
                        node.at,
                        expected=f"one of {', '.join(names)}",
                        nearest=nearest_name(key, names),
                        key_path=self._path(key),
                    )
                )

    def text(self, key: str, default: str = "") -> str:
        if not self.has(key):
            return default
        value = self.entries[key].value
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return str(value)
        self.wrong(key, "a text")
        return default

    def word(self, key: str, allowed: tuple[_Word, ...], default: _Word) -> _Word:
        """One of a few words."""
        written = self.text(key, default)
        for word in allowed:
            if written == word:
                return word
        self.wrong(key, " or ".join(f"`{word}`" for word in allowed))
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """A text, or a list of texts."""
        if not self.has(key):
            return ()
        value = self.entries[key].value
        items = value if isinstance(value, tuple) else (self.entries[key],)
        if any(isinstance(item.value, (tuple, Mapping, type(None))) for item in items):
            self.wrong(key, "a text or a list of texts")
            return ()
        if any(not str(item.value).strip() for item in items):
            self.wrong(key, "texts that are not empty (every message holds an empty one)")
            return ()
        return tuple(str(item.value) for item in items)

    def count(self, key: str) -> int | None:
        """A number of rows or lines, or ``None`` when absent."""
        if not self.has(key):
            return None
        value = self.entries[key].value
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self.wrong(key, "a whole number, 0 or more")
        return None

    def number(self, key: str, default: float) -> float:
        if not self.has(key):
            return default
        value = self.entries[key].value
        if isinstance(value, str) and _is_number(value):  # YAML 1.1 reads `1e-6` as text
            return float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        self.wrong(key, "a number")
        return default

    def flag(self, key: str) -> bool:
        if not self.has(key):
            return False
        value = self.entries[key].value
        if isinstance(value, bool):
            return value
        self.wrong(key, "true or false")
        return False

    def counts(self, key: str) -> Mapping[str, int] | None:
        """A mapping of names to numbers of rows, or ``None`` when absent."""
        if not self.has(key):
            return None
        inner = self.section(key)
        found: dict[str, int] = {}
        for name in inner.entries:
            value = inner.count(name)
            if value is not None:
                found[name] = value
        return found

    def section(self, key: str) -> Section:
        """The mapping under ``key``; empty when absent."""
        path = self._path(key)
        if not self.has(key):
            return Section(Node({}, self.node.at), path, self.problems)
        if not isinstance(self.entries[key].value, Mapping):
            self.wrong(key, "a mapping")
            return Section(Node({}, self.node.at), path, self.problems)
        return Section(self.entries[key], path, self.problems)

    def columns(self, key: str) -> tuple[str, ...] | Literal["declared", "all"]:
        """``all``, a list of columns, or (absent) the declared ones."""
        if not self.has(key):
            return "declared"
        value = self.entries[key].value
        if value == ():
            self.wrong(key, "one column or more: without any, only rows are counted, as `rows_accepted` does")
            return "declared"
        if isinstance(value, tuple):
            return self.texts(key)
        if value == "all":
            return "all"
        self.wrong(key, "`all` or a list of columns")
        return "declared"

    def wrong(self, key: str, expected: str) -> None:
        """Report a value of the wrong type or outside its words (CNF-003)."""
        node = self.entries[key]
        shown = type(node.value).__name__ if isinstance(node.value, (tuple, Mapping)) else repr(node.value)
        path = self._path(key)
        message = f"`{path}` has a value that it cannot have"
        self.problems.append(
            Diagnostic("CNF-003", message, node.at, label=f"found {shown}", expected=expected, key_path=path)
        )

    def _path(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
