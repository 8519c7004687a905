"""Names as they are compared and shown."""

from __future__ import annotations

from etlgen.spelling import code, find_column, one_line, one_of, quoted, sql_text, with_article, words_in


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


def test_a_list_of_names_is_cut_and_an_empty_one_says_nothing() -> None:
    assert one_of(["pre", "post"]) == "one of `pre`, `post`"
    many = [f"c{number}" for number in range(42)]
    assert one_of(many) == "one of " + ", ".join(f"`{name}`" for name in many[:40]) + " and 2 more"
    assert one_of(["a", "b", "a"]) == "one of `a`, `b`"
    assert one_of([]) == ""


def test_the_article_goes_with_the_word() -> None:
    assert [with_article(noun) for noun in ("int32", "decimal(10, 2)", "unknown", "uint8", "Integer")] == [
        "an int32",
        "a decimal(10, 2)",
        "an unknown",
        "a uint8",
        "an Integer",
    ]


def test_words_are_what_may_be_names() -> None:
    assert words_in("max(a_1, größe) > 10 AND _x = 'b c'") == ["max", "a_1", "größe", "AND", "_x", "b", "c"]
