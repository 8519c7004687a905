"""Writers: the tree as text for each regular expression engine.

Rust (Polars, Pydantic), Python ``re``, RE2 (DuckDB) and Java (Spark) agree on everything the tree can hold once classes are
spelled out; what is left to differ is the spelling of a few anchors and of `.`.
"""

from __future__ import annotations

from dataclasses import dataclass

from etlgen.patterns.folding import complement
from etlgen.patterns.tree import Anchor, AnyChar, Char, Choice, Class, Group, Node, Pattern, Repeat, Sequence

_SPECIAL = frozenset(r"\.+*?()|[]{}^$")
_SPECIAL_IN_CLASS = frozenset(r"\[]^-&~|")
_WORD = "[0-9A-Za-z_]"


@dataclass(frozen=True, slots=True)
class _Spelling:
    """How one engine writes what the engines write differently."""

    anchors: dict[str, str]
    any_char: str = "."
    any_with_line_feed: str = "(?s:.)"


_RUST = _Spelling(
    {
        "start": "^",
        "end": r"\z",
        "line_start": "(?m:^)",
        "line_end": "(?m:$)",
        "word": r"(?-u:\b)",
        "not_word": r"(?-u:\B)",
    }
)
_RE2 = _Spelling({**_RUST.anchors, "word": r"\b", "not_word": r"\B"})
# `\B` of Python before 3.14 does not match in the empty text.
_PYTHON = _Spelling({**_RUST.anchors, "end": r"\Z", "word": r"(?a:\b)", "not_word": r"(?!(?a:\b))"})
_JAVA = _Spelling(
    {
        "start": r"\A",
        "end": r"\z",
        "line_start": r"(?<![^\n])",
        "line_end": r"(?![^\n])",
        "word": f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
        "not_word": f"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
    },
    any_char=r"[^\n]",
)


def to_rust(pattern: Pattern) -> str:
    """For Polars and Pydantic (crate regex). ``parse_pattern`` reads this form back to the same meaning."""
    return _write(pattern.root, _RUST)


def to_python(pattern: Pattern) -> str:
    """For ``re.search`` without flags."""
    return _write(pattern.root, _PYTHON)


def to_re2(pattern: Pattern) -> str:
    """For DuckDB's ``regexp_matches`` without options."""
    return _write(pattern.root, _RE2)


def to_java(pattern: Pattern) -> str:
    """For ``java.util.regex`` without flags (Spark's ``rlike``)."""
    return _write(pattern.root, _JAVA)


def _write(node: Node, spelling: _Spelling) -> str:
    match node:
        case Char(char):
            return _escaped(char, _SPECIAL)
        case Class():
            return _class(node)
        case AnyChar(line_feed):
            return spelling.any_with_line_feed if line_feed else spelling.any_char
        case Anchor(place):
            return spelling.anchors[place]
        case Group(body, capturing):
            return f"({'' if capturing else '?:'}{_write(body, spelling)})"
        case Repeat():
            return _write(node.body, spelling) + _count(node)
        case Sequence(parts):
            return "".join(_write(part, spelling) for part in parts)
        case Choice(branches):
            return "|".join(_write(branch, spelling) for branch in branches)


def _escaped(char: str, special: frozenset[str]) -> str:
    if char in special:
        return "\\" + char
    return _CONTROL.get(char, char)


_CONTROL = {"\t": r"\t", "\n": r"\n", "\r": r"\r", "\f": r"\f", "\v": r"\x0b", "\0": r"\x00"}


def _class(node: Class) -> str:
    ranges, negated = node.ranges, node.negated
    outside = complement(ranges)
    if not outside:
        return "(?s:.)"
    if len(outside) < len(ranges):  # `[^ab]` rather than its complement in ranges
        ranges, negated = outside, not negated
    return f"[{'^' if negated else ''}{''.join(_range(low, high) for low, high in ranges)}]"


def _range(low: int, high: int) -> str:
    ends = (_escaped(chr(point), _SPECIAL_IN_CLASS) for point in ((low, high) if high > low else (low,)))
    return ("-" if high - low > 1 else "").join(ends)


def _count(node: Repeat) -> str:
    bounds = (node.least, node.most)
    signs: dict[tuple[int, int | None], str] = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    if bounds in signs:
        sign = signs[bounds]
    elif node.least == node.most:
        sign = f"{{{node.least}}}"
    else:
        sign = f"{{{node.least},{'' if node.most is None else node.most}}}"
    return sign + ("?" if node.lazy else "")
