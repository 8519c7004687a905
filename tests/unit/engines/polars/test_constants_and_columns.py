"""Text constants are never taken for columns, though the frame has columns of those names."""

from __future__ import annotations

import pytest
from tests.unit.engines.polars.evaluation import evaluate_sql

from etlgen.sql.functions import FUNCTIONS, Accepts
from etlgen_runtime.types import BOOLEAN, INT64, STRING

COLUMNS = {"s": STRING, "a": STRING, "b": STRING, "c": STRING, "n": INT64, "yes": BOOLEAN}
ROWS: dict[str, list[object]] = {
    "s": ["b", "abc", None],
    "a": ["x", "y", "z"],
    "b": [None, "b", "c"],
    "c": ["", "a", "b"],
    "n": [2, 3, 1],
    "yes": [True, False, None],
}

CASES: list[tuple[str, list[object]]] = [
    ("s = 'b'", [True, False, None]),
    ("'b' = s", [True, False, None]),
    ("s <> 'b'", [False, True, None]),
    ("s < 'b'", [False, True, None]),
    ("s <= 'b'", [True, True, None]),
    ("s > 'b'", [False, False, None]),
    ("s >= 'b'", [True, False, None]),
    ("s BETWEEN 'a' AND 'b'", [True, True, None]),
    ("s BETWEEN 'b' AND 'c'", [True, False, None]),
    ("s NOT BETWEEN 'b' AND 'c'", [False, True, None]),
    ("s >= 'b' AND s <= 'c'", [True, False, None]),
    ("s IS DISTINCT FROM 'b'", [False, True, True]),
    ("s IS NOT DISTINCT FROM 'b'", [True, False, False]),
    ("s IN ('b')", [True, False, None]),
    ("s IN ('a', 'b')", [True, False, None]),
    ("s NOT IN ('a', 'c')", [True, True, None]),
    ("coalesce(s, 'b')", ["b", "abc", "b"]),
    ("coalesce(s, b, 'a')", ["b", "abc", "c"]),
    ("nullif(s, 'b')", [None, "abc", None]),
    ("nullif('b', s)", [None, "b", "b"]),
    ("greatest(s, 'b')", ["b", "b", "b"]),
    ("least(s, 'b', 'c')", ["b", "abc", "b"]),
    ("CASE WHEN yes THEN 'a' ELSE 'b' END", ["a", "b", "b"]),
    ("CASE WHEN yes THEN 'a' END", ["a", None, None]),
    ("CASE s WHEN 'b' THEN 'c' ELSE s END", ["c", "abc", None]),
    ("if(yes, 'a', s)", ["a", "abc", None]),
    ("trim(s, 'a')", ["b", "bc", None]),
    ("ltrim(s, 'a')", ["b", "bc", None]),
    ("rtrim(s, 'c')", ["b", "ab", None]),
    ("replace(s, 'b', 'c')", ["c", "acc", None]),
    ("replace(s, 'b', c)", ["", "aac", None]),
    ("replace(s, a, 'b')", ["b", "abc", None]),
    ("concat(s, 'a')", ["ba", "abca", "a"]),
    ("concat('a', 'b')", ["ab", "ab", "ab"]),
    ("s || 'a'", ["ba", "abca", None]),
    ("'a' || s", ["ab", "aabc", None]),
    ("split_part(s, 'b', 1)", ["", "a", None]),
    ("starts_with(s, 'a')", [False, True, None]),
    ("ends_with(s, 'b')", [True, False, None]),
    ("contains(s, 'c')", [False, True, None]),
    ("lpad(s, 4, 'a')", ["aaab", "aabc", None]),
    ("rpad(s, n, 'a')", ["ba", "abc", None]),
    ("position('b' IN s)", [1, 2, None]),
    ("position(s IN 'b')", [1, 0, None]),
    ("repeat('a', n)", ["aa", "aaa", "a"]),
    ("left('abc', n)", ["ab", "abc", "a"]),
    ("right('abc', n)", ["bc", "abc", "c"]),
    ("substring('abc', n)", ["bc", "c", "abc"]),
    ("length('a')", [1, 1, 1]),
    ("lower('B')", ["b", "b", "b"]),
    ("upper('b')", ["B", "B", "B"]),
    ("reverse('ab')", ["ba", "ba", "ba"]),
    ("s LIKE 'b'", [True, False, None]),
    ("s LIKE 'a%'", [False, True, None]),
    ("'b' LIKE s", [True, False, None]),
    ("s ILIKE 'B'", [True, False, None]),
    ("regexp_matches(s, 'a')", [False, True, None]),
    ("regexp_extract(s, 'c')", ["", "c", None]),
    ("regexp_replace(s, 'b', 'c')", ["c", "acc", None]),
]


@pytest.mark.parametrize(("sql", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_text_constant_is_its_text(sql: str, expected: list[object]) -> None:
    assert evaluate_sql(sql, COLUMNS, ROWS) == expected


def test_every_function_with_a_text_argument_is_tried() -> None:
    takes_text = {
        function.spellings[0].removesuffix("()")
        for function in FUNCTIONS
        if any(
            parameter.accepts in (Accepts.TEXT, Accepts.AS_TEXT, Accepts.PATTERN) for parameter in function.parameters
        )
    }
    written = " ".join(sql for sql, _ in CASES)
    operators = {
        "a || b",
        "a LIKE p",
        "a ILIKE p",
        "position(search IN a)",
        "strptime",
    }  # the last has a format, no text
    assert {name for name in takes_text - operators if f"{name}(" not in written} == set()
