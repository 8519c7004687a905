"""Secrets that stand in a document in clear (odcs, section 7). The line that holds one is never printed."""

from __future__ import annotations

import re

from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.read.nodes import MappingNode, Node, ScalarNode, SequenceNode
from etlgen.read.odcs.keys import item_path
from etlgen.read.view import Findings

_NAMES = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "credential",
        "credentials",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "accountkey",
        "sharedkey",
        "storagekey",
        "sastoken",
        "connectionstring",
    ]
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LOGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@]*:([^/\s@]+)@")
_REFERENCE = re.compile(r"env:\w+\Z|\$\{[^}]*\}\Z")
_HELP = "remove it, change the secret, and give it to the run by `env:NAME` in the profile"


def check_secrets(node: Node, findings: Findings, path: str = "") -> None:
    """E109: custom properties named like a secret, passwords in URLs, literal ``credentials`` of the etlgen settings.

    ``env:NAME`` and ``${NAME}`` name a secret and hold none. The message has the path, never the value.
    """
    match node:
        case MappingNode():
            if path.rpartition(".")[0].endswith("customProperties"):
                _custom_property(node, findings, path)
            for key, entry in node.entries.items():
                check_secrets(entry.value, findings, f"{path}.{key}" if path else key)
        case SequenceNode():
            for number, item in enumerate(node.items):
                check_secrets(item, findings, item_path(item, path, number))
        case ScalarNode():
            login = _LOGIN.search(node.text)
            if login is not None and not _REFERENCE.match(login[1]):
                _found(f"`{path}` holds a password in a URL", node.at, findings, path)


def _custom_property(node: MappingNode, findings: Findings, path: str) -> None:
    name, value = node.entries.get("property"), node.entries.get("value")
    if name is None or value is None or not isinstance(name.value, ScalarNode):
        return
    if name.value.text == "etlgen" and isinstance(value.value, MappingNode):
        credentials = value.value.entries.get("credentials")
        if credentials is not None and _holds_literal(credentials.value):
            _found(f"`{path}.credentials` holds a literal secret", credentials.key.at, findings, path)
    elif is_secret_name(name.value.text) and _holds_literal(value.value):
        message = f"the custom property `{name.value.text}` is named like a secret and holds a value"
        _found(message, name.value.at, findings, path)


def is_secret_name(name: str) -> bool:
    """Whether the last words of ``name`` are those of a secret.

    >>> is_secret_name("dbPassword"), is_secret_name("API_KEY"), is_secret_name("password_policy")
    (True, True, False)
    """
    words = [word.lower() for word in _WORD.findall(name)]
    return any("".join(words[-count:]) in _NAMES for count in (1, 2) if len(words) >= count)


def _holds_literal(node: Node) -> bool:
    match node:
        case ScalarNode():
            return not (node.is_null() or node.boolean() is not None or _REFERENCE.match(node.text))
        case MappingNode():
            return any(_holds_literal(entry.value) for entry in node.entries.values())
        case SequenceNode():
            return any(_holds_literal(item) for item in node.items)


def _found(message: str, at: Position, findings: Findings, path: str) -> None:
    expected = "`env:NAME`, or nothing"
    findings.add(Diagnostic("ODCS-E109", message, at, expected=expected, help=_HELP, key_path=path, line_shown=False))
