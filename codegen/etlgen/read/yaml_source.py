"""YAML bytes to a tree of nodes in which every key and value knows its place.

The tree is built from the events of libyaml, not from PyYAML's constructors: nothing of YAML 1.1 (``on``, ``NO``,
``12:30``, dates) is ever resolved, and depth, size and alias limits hold while reading. Source: architecture, stage 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import yaml

from etlgen.contract_limits import DEFAULT_LIMITS, Limits
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.read.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from etlgen.read.scalar_places import Scalars, marks
from etlgen.read.surrogates import misread_escape

_STR_TAGS = (None, "!", "tag:yaml.org,2002:str")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r(?!\n)")


def _raise(setting: str) -> str:
    return f"raise `{setting}` under `[tool.etlgen.limits]`"


class _Stop(Exception):
    """Ends reading at the first fault: what follows a YAML fault cannot be trusted."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


def read_tree(data: bytes, file: str, limits: Limits = DEFAULT_LIMITS) -> MappingNode:
    """The root mapping of one YAML document.

    Args:
        data: The bytes of the file.
        file: The path shown in diagnostics.
        limits: Size, node and depth limits.

    Raises:
        ContractError: CTR-001 to CTR-012: not UTF-8, too large, not YAML, duplicate keys, tags, aliases, ...
    """
    text = _decode(data, file, limits)
    builder = _Builder(text, file, limits)
    try:
        return builder.document()
    except _Stop as stop:
        raise ContractError((*builder.found, stop.diagnostic)) from None
    except yaml.YAMLError as error:
        raise ContractError((*builder.found, _syntax(error, text, file))) from None


def check_size(size: int, file: str, limits: Limits) -> None:
    """Raise CTR-001 when ``size`` bytes are more than ``limits`` allow."""
    if size > limits.contract_bytes:
        message = f"the file has {size:,} bytes; the limit is {limits.contract_bytes:,}"
        fix = f"split the contract, or {_raise('contract_bytes')}"
        raise ContractError((Diagnostic("CTR-001", message, Position(file), help=fix),))


def _decode(data: bytes, file: str, limits: Limits) -> str:
    check_size(len(data), file, limits)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line_start = before.rfind(b"\n") + 1
        column = len(before[line_start:].decode("utf-8", "replace")) + 1
        at = Position(file, before.count(b"\n") + 1, column)
        message = f"the file is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        raise ContractError((Diagnostic("CTR-002", message, at, help="save the file as UTF-8"),)) from None
    bad = _FORBIDDEN.search(text)
    if bad:
        line = text.count("\n", 0, bad.start()) + 1
        at = Position(file, line, bad.start() - text.rfind("\n", 0, bad.start()))
        message = f"the character U+{ord(bad.group()):04X} cannot stand in a contract"
        fix = f'write it as "\\u{ord(bad.group()):04X}" in a double-quoted text, or remove it'
        raise ContractError((Diagnostic("CTR-003", message, at, help=fix),))
    return text


def _syntax(error: yaml.YAMLError, text: str, file: str) -> Diagnostic:
    """A fault found by libyaml, with the tab named when a tab is the cause."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    if "character escape" in problem and mark is not None and (found := misread_escape(text, mark.index)) is not None:
        return _misread(text, file, *found)
    lines = text.split("\n")
    for number in (line, line - 1):
        indent = re.match(r" *\t", lines[number - 1]) if 0 < number <= len(lines) else None
        if indent:
            at = Position(file, number, indent.end())
            return Diagnostic(
                "CTR-004", "a tab indents this line", at, expected="blanks", help="replace tabs by blanks"
            )
    detail = getattr(error, "context", None)
    message = f"not YAML: {problem}" + (f" ({detail})" if detail else "")
    key = _key_before(lines[line - 1][: column - 1]) if 0 < line <= len(lines) else ""
    is_colon = 0 < line <= len(lines) and lines[line - 1][column - 1 :].startswith(":")
    return Diagnostic("CTR-005", message, Position(file, line, column), help=_syntax_help(problem, key, is_colon))


def _misread(text: str, file: str, start: int, escape: str, why: str, fix: str) -> Diagnostic:
    at = Position(file, text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start), len(escape))
    return Diagnostic("CTR-005", f"`{escape}` {why}", at, help=fix)


def _key_before(text: str) -> str:
    """The key whose value ``text`` ends in; empty when it is not in a value."""
    found = re.findall(r"(?:^|[\s{,])([\w.]+): +\S", text)
    return str(found[-1]) if found else ""


def _syntax_help(problem: str, key: str, is_colon: bool) -> str:
    """The fix, by what libyaml says, the key before its place, and whether a colon stands there."""
    if key and problem.startswith("did not find expected"):
        between_braces = "',' or" in problem
        why = (
            "`: ` in it begins another value"
            if is_colon
            else "between braces `,` `[` `]` `{` `}` end it"
            if between_braces
            else "a quote at its beginning ends at the next"
        )
        return f"put quotes around the text of `{key}`: {why}"
    if "mapping values are not allowed" in problem:
        return "put quotes around a value that contains `: `, or check the indentation"
    if "cannot start any token" in problem:
        return "put quotes around a value that begins with `@`, a backquote or `%`"
    if "undefined alias" in problem:
        return "define the anchor before the alias, or put quotes around a value that begins with `*`"
    return "check the indentation, the quotes and the brackets before this place"


def _next(loader: yaml.CLoader) -> yaml.Event:
    return cast("yaml.Event", loader.get_event())


class _Builder:
    """Builds the tree from events, without recursion."""

    def __init__(self, text: str, file: str, limits: Limits) -> None:
        self.text = text
        self.scalars = Scalars(text, file)
        self.file = file
        self.limits = limits
        self.found: list[Diagnostic] = []
        self.anchors: dict[str, tuple[Node, int, int] | None] = {}
        """Finished node, its values and its characters; ``None`` while the node is being read."""
        self.nodes = 0
        self.characters = 0
        self._lines: list[str] | None = None

    def document(self) -> MappingNode:
        loader = yaml.CLoader(self.scalars.readable)
        try:
            root = self._document(loader)
        finally:
            loader.dispose()
        if self.found:
            raise ContractError(tuple(self.found))
        return root

    def _document(self, loader: yaml.CLoader) -> MappingNode:
        _next(loader)  # stream start
        event = _next(loader)
        if isinstance(event, yaml.StreamEndEvent):
            raise _Stop(self._empty())
        root = self._node(loader, _next(loader))
        _next(loader)  # document end
        event = _next(loader)
        if not isinstance(event, yaml.StreamEndEvent):
            at = self._span(event)
            message = "the file holds more than one YAML document"
            raise _Stop(Diagnostic("CTR-006", message, at, help="keep one contract per file"))
        if isinstance(root, ScalarNode) and root.value() is None:
            raise _Stop(self._empty())
        if not isinstance(root, MappingNode):
            message = f"a contract is a mapping; this file holds {root.kind}"
            raise _Stop(Diagnostic("CTR-007", message, root.at, expected="keys such as `version`, `info`, `model`"))
        return root

    def _empty(self) -> Diagnostic:
        expected = "keys such as `version`, `info`, `model`"
        return Diagnostic("CTR-007", "the contract is empty", Position(self.file), expected=expected)

    def _node(self, loader: yaml.CLoader, event: yaml.Event) -> Node:
        """The node that ``event`` begins; nested nodes are kept on a stack of unfinished collections."""
        stack: list[_Open] = []
        while True:
            done = self._step(event, stack)
            if done is not None:
                if not stack:
                    return done
                self._add(stack, done)
            event = _next(loader)

    def _step(self, event: yaml.Event, stack: list[_Open]) -> Node | None:
        """The node finished by ``event``; ``None`` when it opened a collection."""
        match event:
            case yaml.AliasEvent():
                return self._alias(event)
            case yaml.ScalarEvent():
                return self._scalar(event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                return self._close(stack)
            case _:
                self._open(event, stack)
                return None

    def _open(self, event: yaml.Event, stack: list[_Open]) -> None:
        mapping = isinstance(event, yaml.MappingStartEvent)
        flow = bool(getattr(event, "flow_style", False))
        at = self._span(event)
        own = "tag:yaml.org,2002:map" if mapping else "tag:yaml.org,2002:seq"
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", own):
            raise _Stop(self._tagged(tag, at))
        if len(stack) >= self.limits.nesting:
            message = f"nested deeper than {self.limits.nesting} levels"
            raise _Stop(Diagnostic("CTR-008", message, at, help=f"flatten the contract, or {_raise('nesting')}"))
        anchor = getattr(event, "anchor", None)
        if anchor is not None:
            self.anchors[anchor] = None  # known, not finished: an alias to it from inside is a cycle
        stack.append(_Open(mapping, flow, at, anchor, self.nodes, self.characters))
        self._count(1, 0, at)

    def _close(self, stack: list[_Open]) -> Node:
        done = stack.pop()
        if done.mapping and done.flow:
            self._report_cut_text(done)
        node = _finished(done)
        if done.anchor is not None:
            self.anchors[done.anchor] = (node, self.nodes - done.before, self.characters - done.characters)
        return node

    def _add(self, stack: list[_Open], node: Node) -> None:
        """Put a finished node into the innermost open collection."""
        parent = stack[-1]
        if not parent.mapping:
            parent.items.append(node)
        elif parent.key is not None:
            parent.entries[parent.key.text] = Entry(parent.key, node)
            parent.key = None
        else:
            parent.key = self._key(parent, node)

    def _key(self, parent: _Open, node: Node) -> ScalarNode:
        if not isinstance(node, ScalarNode):
            raise _Stop(Diagnostic("CTR-009", "a key must be text", node.at, label=f"this key is {node.kind}"))
        if node.plain and node.text == "<<":
            message = "merge keys (`<<`) are not part of YAML 1.2"
            raise _Stop(Diagnostic("CTR-010", message, node.at, help="write the keys out"))
        before = parent.entries.get(node.text)
        if before is not None:
            message = f"the key `{node.text}` occurs twice in one mapping"
            label = f"first written in line {before.key.at.line}"
            self.found.append(Diagnostic("CTR-011", message, node.at, label=label, help="remove one of the two"))
        return node

    def _report_cut_text(self, done: _Open) -> None:
        """CTR-015: between braces a comma ends a plain text, and what follows it becomes a key without value."""
        before: ScalarNode | None = None
        pieces: list[ScalarNode] = []
        for entry in (*done.entries.values(), None):
            if entry is not None and before is not None and self._is_rest(entry, before, pieces):
                pieces.append(entry.key)
                continue
            if before is not None and pieces:
                self.found.append(self._cut_text(before, pieces))
            value = entry.value if entry is not None else None
            before, pieces = (value if isinstance(value, ScalarNode) and value.plain else None), []

    def _is_rest(self, entry: Entry, before: ScalarNode, pieces: Sequence[ScalarNode]) -> bool:
        """Whether the key continues the text: it has no colon, and it is no word or the text before is unfinished."""
        if not isinstance(entry.value, ScalarNode) or not entry.key.plain or entry.value.text or self._has_colon(entry):
            return False
        text = ", ".join(node.text for node in (before, *pieces))
        is_open = text.count("(") > text.count(")") or " " in text
        return is_open or re.fullmatch(r"[\w.]+", entry.key.text) is None

    def _cut_text(self, before: ScalarNode, pieces: Sequence[ScalarNode]) -> Diagnostic:
        """CTR-015 for a text and the keys that were to be its rest."""
        last = pieces[-1].at
        if before.at.line == last.line:
            whole = self._line(last.line - 1)[before.at.column - 1 : last.column - 1 + last.length]
        else:
            whole = ", ".join(" ".join(node.text.split()) for node in (before, *pieces))
        mark = "'" if '"' in whole else '"'
        message = f"`{before.text}` is cut off: between braces a comma ends a text without quotes"
        fix = f"put quotes around it: `{mark}{whole}{mark}`"
        return Diagnostic("CTR-015", message, before.at, label="ends here", help=fix)

    def _has_colon(self, entry: Entry) -> bool:
        line = self._line(entry.key.at.line - 1)
        return line[entry.key.at.column - 1 + entry.key.at.length :].lstrip().startswith(":")

    def _line(self, number: int) -> str:
        """A line of the file, from 0; empty beyond its end."""
        if self._lines is None:
            self._lines = self.text.split("\n")
        return self._lines[number] if number < len(self._lines) else ""

    def _alias(self, event: yaml.AliasEvent) -> Node:
        at = self._span(event)
        if event.anchor not in self.anchors:
            message = f"the alias `*{event.anchor}` has no anchor before it"
            fix = "define the anchor first, or put quotes around a value that begins with `*`"
            raise _Stop(Diagnostic("CTR-012", message, at, help=fix))
        anchored = self.anchors[event.anchor]
        if anchored is None:
            message = f"the alias `*{event.anchor}` stands inside its own anchor"
            raise _Stop(Diagnostic("CTR-012", message, at, help="remove the cycle"))
        node, values, characters = anchored
        self._count(values, characters, at)
        return node

    def _count(self, values: int, characters: int, at: Position) -> None:
        self.nodes += values
        self.characters += characters
        most = 2 * self.limits.contract_bytes
        for found, limit, what, setting in (
            (self.nodes, self.limits.values, "values", "values"),
            (self.characters, most, "characters", "contract_bytes"),
        ):
            if found > limit:
                message = f"more than {limit:,} {what} after its aliases are expanded"
                fix = f"write fewer or smaller aliases, or {_raise(setting)}"
                raise _Stop(Diagnostic("CTR-012", message, at, help=fix))

    def _scalar(self, event: yaml.ScalarEvent) -> ScalarNode:
        style = event.style or ""
        at = self._span(event)
        if event.tag not in _STR_TAGS:
            raise _Stop(self._tagged(event.tag, at))
        if len(event.value) > self.limits.text_length:
            message = f"a text of {len(event.value):,} characters; the limit is {self.limits.text_length:,}"
            raise _Stop(Diagnostic("CTR-016", message, at, help=f"shorten it, or {_raise('text_length')}"))
        self._count(1, len(event.value), at)
        plain = event.tag is None and style == ""
        content = self.scalars.content(event, at)
        if content is None:
            message = "a pair of surrogates stands where no escape is read"
            raise _Stop(Diagnostic("CTR-005", message, at, help="write the character itself"))
        node = ScalarNode(content.value, plain, at, content.at, content.exact, content.pieces)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, 1, len(event.value))
        return node

    def _tagged(self, tag: str, at: Position) -> Diagnostic:
        return Diagnostic("CTR-013", f"the tag `{tag}` is not supported", at, help="remove the tag")

    def _span(self, event: yaml.Event) -> Position:
        start, end = marks(event)
        same = start.line == end.line
        if same:
            length = end.column - start.column
        else:
            stop = self.text.find("\n", start.index)
            length = (stop if stop >= 0 else len(self.text)) - start.index
        return Position(self.file, start.line + 1, start.column + 1, max(1, length))


@dataclass(slots=True)
class _Open:
    """A collection whose end was not read yet. ``before``, ``characters``: what was counted before it."""

    mapping: bool
    flow: bool
    at: Position
    anchor: str | None
    before: int
    characters: int
    items: list[Node] = field(default_factory=list[Node])
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    key: ScalarNode | None = None


def _finished(done: _Open) -> Node:
    """The finished collection; a block mapping stands where its first key stands."""
    if not done.mapping:
        return SequenceNode(tuple(done.items), done.at)
    first = next(iter(done.entries.values()), None)
    at = (
        first.key.at
        if first and (first.key.at.line, first.key.at.column) == (done.at.line, done.at.column)
        else done.at
    )
    return MappingNode(done.entries, at)
