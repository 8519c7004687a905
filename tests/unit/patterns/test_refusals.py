"""What is outside the portable tree is refused, with the place in the pattern (semantics, section 5)."""

from __future__ import annotations

import pytest

from etlgen.patterns import PatternError, parse_pattern, to_java, to_rust, whole_text

REFUSED = [
    ("a(?=b)", 1, "look-ahead"),
    ("(?<!a)b", 0, "look-behind"),
    (r"(a)\1", 3, "back-references"),
    ("a++", 2, "possessive"),
    ("(?>a)", 0, "atomic"),
    ("[a-z&&[^b]]", 4, "set operation"),
    ("[a--b]", 2, "set operation"),
    (r"\Qa\E", 0, r"\Q"),
    (r"x\p{L}", 1, "Unicode property"),
    ("(?x)a", 2, "flags"),
    ("a{1001}", 1, "1000"),
    ("a{3,1}", 1, "at least 3"),
    ("(a{40}){40}", 7, "nested repeats"),
    ("a{,3}", 1, "{,n}"),
    ("a**", 1, "two repeats"),
    ("*a", 0, "repeats nothing"),
    ("(a", 0, "not closed"),
    ("a)", 1, "closes no group"),
    ("[a", 0, "not closed"),
    ("[z-a]", 1, "backwards"),
    (r"[\d-z]", 3, "range"),
    ("a\\", 1, "escapes nothing"),
    (r"\Z", 0, r"\Z"),
    (r"\xZZ", 0, "hexadecimal"),
    (r"\x{110000}", 0, "no character"),
    ("^*", 0, "cannot be repeated"),
    (r"\g", 0, "escape"),
    (r"[^\s\S]", 0, "no character"),
    ("(?P<a b>x)", 4, "group name"),
    ("\ud800", 0, "surrogate"),
]


@pytest.mark.parametrize(("pattern", "position", "words"), REFUSED, ids=[repr(case[0]) for case in REFUSED])
def test_refused_with_position_and_reason(pattern: str, position: int, words: str) -> None:
    with pytest.raises(PatternError) as error:
        parse_pattern(pattern)
    assert words in error.value.what
    assert error.value.position == position


def test_named_groups_are_numbered_groups() -> None:
    pattern = parse_pattern("(?P<year>[0-9]{4})-(?<month>[0-9]{2})")
    assert pattern.groups == 2
    assert to_rust(pattern) == "([0-9]{4})-([0-9]{2})"


def test_the_whole_text_form() -> None:
    assert to_rust(whole_text(parse_pattern("a|b"))) == r"^(?:a|b)\z"


def test_java_spells_out_what_java_reads_otherwise() -> None:
    assert to_java(parse_pattern("^a.$")) == r"\Aa[^\n]\z"
    assert to_java(parse_pattern("(?m)^a$")) == r"(?<![^\n])a(?![^\n])"
