"""The writers agree: one pattern, the same texts found by Polars (Rust), Python and DuckDB (RE2)."""

from __future__ import annotations

import re

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen.patterns import PatternError, parse_pattern, to_python, to_re2, to_rust

# Characters at which engines are known to differ: line ends, case orbits beyond ASCII, digits and spaces beyond ASCII.
ALPHABET = "abkKsS1_ -\n\r\t\v\x85\u2028\u00e9\u00c9\u0130\u0131\u017f\u212a\u00df\u1e9e\u0660\u00a0\U0001f600"
TEXTS = st.lists(st.text(alphabet=ALPHABET, max_size=6), min_size=1, max_size=12)

ATOMS = st.sampled_from(
    [
        *"abkKsS1_",
        "\u00e9",
        "\u017f",
        "\u00df",
        ".",
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        r"\n",
        "[a-k]",
        "[^a-k]",
        r"[^\s\d]",
        "[[:alpha:]_]",
        r"[\w-]",
        r"[\-\]a]",
        r"\.",
        r"\x{1F600}",
    ]
)
ANCHORS = st.sampled_from(["^", "$", r"\b", r"\B", r"\A", r"\z"])
REPEATS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?"])


CONNECTION = duckdb.connect()


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repeated = st.builds(lambda atom, count: f"(?:{atom}){count}" if count else atom, parts, REPEATS)
    pieces = st.one_of(repeated, repeated, ANCHORS)
    sequence = st.lists(pieces, max_size=4).map("".join)
    return st.lists(sequence, min_size=1, max_size=3).map("|".join)


BODIES = st.recursive(
    _joined(ATOMS), lambda inner: _joined(st.one_of(ATOMS, inner.map(lambda body: f"({body})"))), max_leaves=3
)
PATTERNS = st.builds(
    lambda flags, body: f"{flags}{body}", st.sampled_from(["", "", "(?i)", "(?s)", "(?m)", "(?ims)"]), BODIES
)


def found_by_rust(pattern: str, texts: list[str]) -> list[bool]:
    return pl.Series(texts, dtype=pl.String).str.contains(to_rust(parse_pattern(pattern))).to_list()


def found_by_python(pattern: str, texts: list[str]) -> list[bool]:
    return [re.search(to_python(parse_pattern(pattern)), text) is not None for text in texts]


def found_by_re2(pattern: str, texts: list[str]) -> list[bool]:
    query = "SELECT list_transform($texts::VARCHAR[], lambda text: regexp_matches(text, $pattern))"
    found = CONNECTION.execute(query, {"pattern": to_re2(parse_pattern(pattern)), "texts": texts}).fetchone()
    assert found is not None
    return list(found[0])


@settings(max_examples=300, deadline=None)
@given(PATTERNS, TEXTS)
def test_generated_patterns_find_the_same_texts(pattern: str, texts: list[str]) -> None:
    python = found_by_python(pattern, texts)
    assert found_by_rust(pattern, texts) == python
    assert found_by_re2(pattern, texts) == python


@settings(max_examples=150, deadline=None)
@given(PATTERNS, TEXTS)
def test_the_rust_form_reads_back_to_the_same_meaning(pattern: str, texts: list[str]) -> None:
    again = to_rust(parse_pattern(pattern))
    assert found_by_python(again, texts) == found_by_python(pattern, texts)


CASES = [
    # `$` is the end of the text, not before a last line feed (semantics, section 5)
    ("a$", {"a": True, "a\n": False, "ba": True}),
    ("(?m)^b$", {"a\nb\nc": True, "ab": False}),
    ("^b", {"a\nb": False}),
    # ASCII classes
    (r"^\d+$", {"12": True, "\u0661": False}),
    (r"^\w+$", {"a_1": True, "\u00e9": False}),
    (r"\s", {"a b": True, "a\u00a0b": False, "a\u2028b": False}),
    (r"\bcat\b", {"a cat.": True, "cats": False, "\u00e9cat": True}),
    # `.` and line breaks
    ("a.b", {"a\nb": False, "a\rb": True}),
    ("(?s)a.b", {"a\nb": True}),
    # simple case folding: Kelvin sign and long s are k and s, dotless i and sharp s fold to nothing else
    ("(?i)^k$", {"K": True, "\u212a": True}),
    ("(?i)^i$", {"I": True, "\u0130": False, "\u0131": False}),
    ("(?i)^ss$", {"\u00df": False, "S\u017f": True}),
    ("(?i)[^a]", {"A": False, "b": True}),
    ("a(?i)b(?-i)c", {"aBc": True, "aBC": False}),
    # searching, alternation, repeats
    ("b|^$", {"abc": True, "": True, "a": False}),
    ("^a{2,3}$", {"a": False, "aaa": True, "aaaa": False}),
    ("^[]a]$", {"]": True, "a": True, "b": False}),
    ("a{b", {"a{b": True}),
]


@pytest.mark.parametrize(("pattern", "expected"), CASES, ids=[case[0] for case in CASES])
def test_fixed_meanings(pattern: str, expected: dict[str, bool]) -> None:
    texts = list(expected)
    for found in (found_by_rust, found_by_python, found_by_re2):
        assert dict(zip(texts, found(pattern, texts), strict=True)) == expected


def test_largest_repeats_compile_everywhere() -> None:
    texts = ["a" * 999, "a" * 1000, "\U0001f600" * 1000]
    for pattern, expected in (("a{1000}", [False, True, False]), ("[^b]{1000}", [False, True, True])):
        assert (
            found_by_rust(pattern, texts) == found_by_python(pattern, texts) == found_by_re2(pattern, texts) == expected
        )


def test_flags_given_beside_the_pattern() -> None:
    assert to_python(parse_pattern("a.", "is")) == "[Aa](?s:.)"


@pytest.mark.parametrize("size", [1, 30, 60, 5000])
def test_deep_nesting_is_refused_not_a_crash(size: int) -> None:
    pattern = "(" * size + "a" + ")" * size
    if size <= 50:
        assert found_by_python(pattern, ["a"]) == [True]
    else:
        with pytest.raises(PatternError):
            parse_pattern(pattern)
