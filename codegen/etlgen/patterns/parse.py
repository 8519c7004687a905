r"""Parse a pattern as written in a contract into the portable tree, or say where and why it cannot be.

Syntax: what RE2, Rust, Python, Java and ECMA-262 read alike. Where they differ the pattern is refused with the portable way
to write it, except for what semantics, section 5 fixes (`$` is the end of the text, `\d \w \s \b` are ASCII).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from etlgen.patterns.classes import ESCAPED_CLASSES, ClassReader
from etlgen.patterns.folding import fold_closure
from etlgen.patterns.reader import Reader
from etlgen.patterns.tree import (
    MOST_REPEATS,
    Anchor,
    AnyChar,
    Char,
    Choice,
    Class,
    Group,
    Node,
    Pattern,
    PatternError,
    Repeat,
    Sequence,
)

_DEEPEST = 50
_ANCHORS = {"A": "start", "z": "end", "b": "word", "B": "not_word"}


@dataclass(frozen=True, slots=True)
class _Flags:
    ignore_case: bool = False
    multi_line: bool = False
    dot_all: bool = False


_FLAG_NAMES = {"i": "ignore_case", "m": "multi_line", "s": "dot_all"}


def parse_pattern(text: str, flags: str = "") -> Pattern:
    """Parse ``text``; ``flags`` of ``i``, ``m``, ``s`` hold from its start.

    Raises:
        PatternError: It is no pattern, or one that the engines do not read alike.
    """
    start = _Flags(**{_FLAG_NAMES[flag]: True for flag in flags})
    parser = _Parser(text, start)
    root = parser.choice(0)
    if not parser.reader.at_end:
        raise parser.reader.error("`)` closes no group", r"write `\)` for the character")
    _check_repeats(root, MOST_REPEATS, parser.repeat_at)
    return Pattern(root, parser.groups)


class _Parser:
    """Recursive descent over the pattern; ``flags`` are those in force at the reading position."""

    def __init__(self, text: str, flags: _Flags) -> None:
        self.reader = Reader(text)
        self.flags = flags
        self.groups = 0
        self.repeat_at = 0

    def choice(self, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.reader.error(f"groups nest deeper than {_DEEPEST}")
        outer = self.flags
        branches = [self.sequence(depth)]
        while self.reader.take("|"):
            branches.append(self.sequence(depth))
        self.flags = outer
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def sequence(self, depth: int) -> Node:
        parts: list[Node] = []
        while not self.reader.at_end and self.reader.peek() not in "|)":
            at = self.reader.position
            atom = self.atom(depth)
            if atom is not None:
                parts.append(self.repeated(atom, at))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def atom(self, depth: int) -> Node | None:
        reader = self.reader
        char = reader.next()
        match char:
            case "(":
                return self.group(depth)
            case "[":
                return Class(*ClassReader(reader).read(ignore_case=self.flags.ignore_case))
            case ".":
                return AnyChar(self.flags.dot_all)
            case "^":
                return Anchor("line_start" if self.flags.multi_line else "start")
            case "$":
                return Anchor("line_end" if self.flags.multi_line else "end")
            case "\\":
                return self.escape()
            case "*" | "+" | "?":
                raise reader.error_back(f"`{char}` repeats nothing", rf"write `\{char}` for the character")
            case "{" if reader.counts_follow():
                raise reader.error_back("`{` repeats nothing", r"write `\{` for the character")
            case _:
                return self.literal(char)

    def literal(self, char: str) -> Node:
        point = ord(char)
        if 0xD800 <= point <= 0xDFFF:
            raise self.reader.error_back("half of a surrogate pair is no character")
        if not self.flags.ignore_case:
            return Char(char)
        ranges = fold_closure(((point, point),))
        return Char(char) if ranges == ((point, point),) else Class(ranges)

    def escape(self) -> Node:
        reader = self.reader
        if reader.at_end:
            raise reader.error_back("`\\` escapes nothing", r"write `\\` for the character")
        letter = reader.peek()
        if letter in _ANCHORS:
            reader.next()
            return Anchor(_ANCHORS[letter])
        if letter in ESCAPED_CLASSES:
            reader.next()
            return Class(*ESCAPED_CLASSES[letter])
        return self.literal(reader.escaped_char())

    def group(self, depth: int) -> Node | None:
        reader = self.reader
        opened = reader.position - 1
        if not reader.take("?"):
            self.groups += 1
            return self.group_body(depth, opened, capturing=True)
        if reader.take("P<") or (reader.peek() == "<" and reader.peek(1) not in "=!" and reader.take("<")):
            self.group_name()
            self.groups += 1
            return self.group_body(depth, opened, capturing=True)
        reader.refuse_special_group(opened)
        if reader.take(r"-u:\b)"):
            return Anchor("word")
        if reader.take(r"-u:\B)"):
            return Anchor("not_word")
        outer = self.flags
        self.flags = self.flag_letters()
        if reader.take(")"):
            return None
        reader.expect(":", "a group like `(?:...)`")
        body = self.group_body(depth, opened, capturing=False)
        self.flags = outer
        return body

    def group_name(self) -> None:
        start = self.reader.position
        name = self.reader.until(">")
        if name is None or not (name.isascii() and name.isidentifier()):
            raise PatternError(start, "a group name is a word of ASCII letters, digits and `_`, ended by `>`")

    def group_body(self, depth: int, opened: int, *, capturing: bool) -> Node:
        body = self.choice(depth + 1)
        if not self.reader.take(")"):
            raise PatternError(opened, "`(` is not closed", r"write `\(` for the character")
        return Group(body, capturing)

    def flag_letters(self) -> _Flags:
        flags, value = self.flags, True
        while not self.reader.at_end and self.reader.peek() not in ":)":
            letter = self.reader.next()
            if letter == "-" and value:
                value = False
            elif letter in _FLAG_NAMES:
                flags = replace(flags, **{_FLAG_NAMES[letter]: value})
            else:
                raise self.reader.error_back(f"`{letter}` is not one of the flags i, m, s")
        return flags

    def repeated(self, atom: Node, at: int) -> Node:
        reader = self.reader
        start = reader.position
        counts = reader.repeat_counts()
        if counts is None:
            return atom
        if isinstance(atom, Anchor):
            raise PatternError(at, "a place (`^`, `$`, `\\b`) cannot be repeated")
        lazy = reader.take("?")
        if reader.peek() == "+":
            raise reader.error("possessive repeats are not portable", "take one `+` away")
        if reader.repeat_counts() is not None:
            raise PatternError(start, "two repeats in a row", "put the first one into a group: `(?:...)`")
        least, most = counts
        if max(least, most or 0) > MOST_REPEATS:
            raise PatternError(start, f"more than {MOST_REPEATS} repeats")
        if most is not None and most < least:
            raise PatternError(start, f"the repeat wants at least {least} and at most {most}")
        if max(least, most or 0) > 1:
            self.repeat_at = start
        return Repeat(atom, least, most, lazy)


def _check_repeats(node: Node, budget: int, at: int) -> None:
    """RE2 bounds the product of nested counts, so all engines do."""
    match node:
        case Repeat(body=body, least=least, most=most):
            count = max(1, most if most is not None else least)
            if count > budget:
                raise PatternError(at, f"nested repeats multiply to more than {MOST_REPEATS}")
            _check_repeats(body, budget // count, at)
        case Group(body=body):
            _check_repeats(body, budget, at)
        case Sequence(parts=parts) | Choice(branches=parts):
            for part in parts:
                _check_repeats(part, budget, at)
        case _:
            pass
