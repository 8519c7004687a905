"""Names as they are compared and shown."""

from __future__ import annotations

import pytest

from etlgen.spelling import code, find_column, near_miss, one_line, quoted, sql_text


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("amuont", "amount"),  # two letters swapped: two edits
        ("amounts", "amount"),
        ("AMOUNT", "amount"),
        ("amo", ""),  # three edits
        ("q", ""),  # what is left of `qty` is nothing of the word
        ("qt", "qty"),
        ("remark", ""),
    ],
)
def test_misspellings_are_within_two_edits(name: str, nearest: str) -> None:
    assert near_miss(name, ["qty", "amount"]) == nearest


def test_sql_finds_the_exact_spelling_first() -> None:
    assert find_column("Id", ["id", "Id"]) == "Id"
    assert find_column("ID", ["id", "qty"]) == "id"
    assert find_column("É", ["é"]) is None  # only ASCII letters lose their case


def test_identifiers_are_quoted_where_they_must_be() -> None:
    assert quoted("qty") == "qty"
    assert quoted("unit price") == '"unit price"'
    assert quoted('a"b') == '"a""b"'
    assert sql_text("it's") == "'it''s'"


def test_contract_text_becomes_one_visible_line() -> None:
    assert one_line(" a\n  b\t c ") == "a b c"
    assert one_line("x\u202ey") == "x<U+202E>y"
    assert one_line("a" * 300) == "a" * 199 + "…"


def test_code_survives_backticks() -> None:
    assert code("qty") == "`qty`"
    assert code("a`b") == "`` a`b ``"
