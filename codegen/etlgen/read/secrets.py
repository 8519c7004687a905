"""Secrets that stand in a contract in clear (odcs, section 7; materialization, Sources). What holds one is never printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from etlgen.diagnostics.discretion import LOGIN, REDACTED, is_secret_name, without_logins
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.read.nodes import MappingNode, Node, ScalarNode, SequenceNode

_REFERENCE = re.compile(r"env:\w+\Z|\$\{[^}]*\}\Z")
_HELP = "remove it, change the secret, and give it to the run by `env:NAME` in the profile"
_OF_DATA = frozenset(["mapping", "mappings", "columns", "date_formats", "defaults", "aggregations"])
_FIELDS = "extensions.etlgen.fields"
"""Mappings whose keys are values or columns of the data, which may be called anything."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that holds a secret.

    Args:
        what: The finding, for people, without the secret.
        at: Where it is to be pointed at.
        value: The secret itself, for its redaction.
        path: Path of keys.
    """

    what: str
    at: Position
    value: str
    path: str


def secrets_of(node: Node, path: str = "") -> Iterator[Secret]:
    """Custom properties and keys named like a secret, passwords in URLs, literal ``credentials`` of the etlgen settings.

    ``env:NAME`` and ``${NAME}`` name a secret and hold none.
    """
    match node:
        case MappingNode():
            named = list(_named_like_one(node, path))
            yield from named
            for key, entry in node.entries.items():
                below = f"{path}.{key}" if path else key
                if not any(secret.path in (below, path) for secret in named):
                    yield from secrets_of(entry.value, below)
        case SequenceNode():
            for number, item in enumerate(node.items):
                yield from secrets_of(item, _item_path(item, path, number))
        case ScalarNode():
            login = LOGIN.search(node.text)
            if login is not None and not _REFERENCE.match(login[1]):
                yield Secret(f"`{path}` holds a password in a URL", node.at, login[1], path)


def refusals(secrets: Iterable[Secret], code: str) -> tuple[Diagnostic, ...]:
    """One error for each place; the message has the path, never the value, and the line is not shown."""
    first = {(secret.at, secret.what): secret for secret in secrets}
    expected = "`env:NAME`, or nothing"
    return tuple(
        Diagnostic(code, one.what, one.at, expected=expected, help=_HELP, key_path=one.path, line_shown=False)
        for one in first.values()
    )


def without_secrets(diagnostics: Iterable[Diagnostic], secrets: Iterable[Secret]) -> tuple[Diagnostic, ...]:
    """The findings of a file without its secrets: in no text, and in no line of the file that is shown."""
    values = sorted({secret.value for secret in secrets if len(secret.value) > 2}, key=len, reverse=True)
    lines = {secret.at.line for secret in secrets}

    def clean(text: str) -> str:
        text = without_logins(text)
        for value in values:
            text = text.replace(value, REDACTED)
        return text

    return tuple(
        replace(
            each.reworded(clean), line_shown=each.line_shown and not (each.at is not None and each.at.line in lines)
        )
        for each in diagnostics
    )


def _item_path(item: Node, path: str, number: int) -> str:
    """``properties.amount`` where the item has a name, else ``properties[3]``."""
    for key in ("name", "server", "property"):
        entry = item.entries.get(key) if isinstance(item, MappingNode) else None
        if entry is not None and isinstance(entry.value, ScalarNode):
            return f"{path}.{entry.value.text}"
    return f"{path}[{number}]"


def _named_like_one(node: MappingNode, path: str) -> Iterator[Secret]:
    """The secrets under the keys of a mapping, or in a custom property, whose name is that of a secret."""
    name, value = node.entries.get("property"), node.entries.get("value")
    is_custom = path.rpartition(".")[0].endswith("customProperties")
    if is_custom and name is not None and value is not None and isinstance(name.value, ScalarNode):
        if is_secret_name(name.value.text):
            message = f"the custom property `{name.value.text}` is named like a secret and holds a value"
            yield from _literals(value.value, message, name.value.at, path)
        return
    if path.rpartition(".")[2] in _OF_DATA or path.endswith(_FIELDS):
        return
    for key, entry in node.entries.items():
        below = f"{path}.{key}" if path else key
        if is_secret_name(key):
            yield from _literals(entry.value, f"`{below}` holds a literal secret", entry.key.at, below)


def _literals(node: Node, what: str, at: Position, path: str) -> Iterator[Secret]:
    """Every scalar below that is neither a reference nor a flag; numbers may be secrets."""
    match node:
        case ScalarNode():
            if not (node.is_null() or node.boolean() is not None or _REFERENCE.match(node.text) or not node.text):
                yield Secret(what, at, node.text, path)
        case MappingNode():
            for entry in node.entries.values():
                yield from _literals(entry.value, what, at, path)
        case SequenceNode():
            for item in node.items:
                yield from _literals(item, what, at, path)
