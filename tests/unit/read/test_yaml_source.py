"""YAML to nodes: positions, the 1.2 core schema, and hostile files."""

from __future__ import annotations

import pytest

from etlgen.contract import Number
from etlgen.contract_limits import Limits
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.read.nodes import MappingNode, ScalarNode, SequenceNode, plain_value
from etlgen.read.yaml_source import read_tree


def value(text: str) -> ScalarNode:
    """The scalar under ``a`` of ``a: <text>``."""
    node = read_tree(f"a: {text}\n".encode(), "c.yaml").entries["a"].value
    assert isinstance(node, ScalarNode)
    return node


def fault(data: bytes, limits: Limits = Limits()) -> Diagnostic:  # noqa: B008
    with pytest.raises(ContractError) as caught:
        read_tree(data, "c.yaml", limits)
    return caught.value.diagnostics[-1]


@pytest.mark.parametrize(
    "text",
    ["NO", "no", "yes", "on", "off", "y", "12:30", "2024-01-01", "2024-01-01T10:00:00Z", "1_000", "0123", "-007"],
)
def test_words_of_yaml_1_1_and_codes_stay_text(text: str) -> None:
    assert value(text).value() == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("0", 0),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("'true'", "true"),
        ('"5"', "5"),
        ("!!str 5", "5"),
    ],
)
def test_the_core_schema(text: str, expected: object) -> None:
    found = value(text).value()
    assert found == expected
    assert isinstance(found, bool) == isinstance(expected, bool)


def test_a_number_keeps_its_characters() -> None:
    number = value("1.10").value()
    assert isinstance(number, Number)
    assert (number, number.text) == (1.1, "1.10")


def test_a_bound_that_a_float_would_change_stays_text() -> None:
    assert value("12345678901234567.25").exact_number() == "12345678901234567.25"
    assert value("0.1").exact_number() == 0.1


@pytest.mark.parametrize("text", ["1e999", "9" * 500, ".inf", ".nan"])
def test_what_is_no_finite_number_stays_text(text: str) -> None:
    assert value(text).number() is None
    assert value(text).value() == text


def test_every_key_and_value_has_its_place() -> None:
    tree = read_tree(b"a:\n  - 'x y'\n  - {key: 12}\n", "c.yaml")
    entry = tree.entries["a"]
    assert (entry.key.at.line, entry.key.at.column, entry.key.at.length) == (1, 1, 1)
    assert isinstance(entry.value, SequenceNode)
    quoted, mapping = entry.value.items
    assert isinstance(quoted, ScalarNode)
    assert (quoted.at.line, quoted.at.column, quoted.at.length) == (2, 5, 5)
    assert (quoted.content_at.column, quoted.exact) == (6, True)
    assert isinstance(mapping, MappingNode)
    inner = mapping.entries["key"]
    assert (inner.key.at.column, inner.value.at.column) == (6, 11)


@pytest.mark.parametrize(
    ("text", "line", "column", "exact"),
    [
        ("a + b", 1, 4, True),
        ("'it''s'", 1, 5, False),  # the doubled quote shifts what follows
        ('"a\\tb"', 1, 5, False),
        ("|\n    a + b", 2, 5, True),
        ("|\n\n    a\n    b", 3, 5, False),
        (">-\n    a\n    b", 2, 5, False),
        ("a\n  b", 1, 4, False),
    ],
)
def test_where_the_first_character_stands(text: str, line: int, column: int, exact: bool) -> None:
    node = value(text)
    assert (node.content_at.line, node.content_at.column, node.exact) == (line, column, exact)


def test_a_key_is_the_characters_on_the_page() -> None:
    tree = read_tree(b"on: 1\nNO: 2\n5: 3\nnull: 4\n", "c.yaml")
    assert list(tree.entries) == ["on", "NO", "5", "null"]


def test_an_alias_stands_for_its_anchor() -> None:
    tree = read_tree(b"a: &x [1, {b: 2}]\nc: *x\n", "c.yaml")
    assert plain_value(tree.entries["c"].value) == [1, {"b": 2}]


def test_columns_count_characters_not_bytes() -> None:
    tree = read_tree("é: ü, x: 1\n".replace(", x", "\nx").encode(), "c.yaml")
    assert tree.entries["é"].value.at.column == 4


def test_a_byte_order_mark_is_no_character() -> None:
    assert read_tree(b"\xef\xbb\xbfa: 1\n", "c.yaml").entries["a"].key.at.column == 1


@pytest.mark.parametrize(
    ("data", "code", "line", "column"),
    [
        (b"", "CTR-007", 1, 1),
        (b"# only a comment\n", "CTR-007", 1, 1),
        (b"---\n", "CTR-007", 1, 1),
        (b"- a\n", "CTR-007", 1, 1),
        (b"just text\n", "CTR-007", 1, 1),
        (b"a: 1\nb: \xff\n", "CTR-002", 2, 4),
        ("a: ü\n".encode("utf-16"), "CTR-002", 1, 1),
        (b"a: x\x07y\n", "CTR-003", 1, 5),
        ("a: x\u2028y\n".encode(), "CTR-003", 1, 5),
        (b"a: 1\rb: 2\r", "CTR-003", 1, 5),
        (b"a:\n\tb: 1\n", "CTR-004", 2, 1),
        (b"a:\n  b: 1\n \tc: 2\n", "CTR-004", 3, 2),
        (b"a: b: c\n", "CTR-005", 1, 5),
        (b"a: @x\n", "CTR-005", 1, 4),
        (b"a: [1, 2\n", "CTR-005", 2, 1),
        (b"a: 'x\n", "CTR-005", 2, 1),
        (b"a: 1\n---\nb: 2\n", "CTR-006", 2, 1),
        (b"? [1]\n: 2\n", "CTR-009", 1, 3),
        (b"? {a: 1}\n: 2\n", "CTR-009", 1, 3),
        (b"b: 1\n<<: {a: 1}\n", "CTR-010", 2, 1),
        (b"a: 1\nb: 2\na: 3\n", "CTR-011", 3, 1),
        (b"a: *nothing\n", "CTR-012", 1, 4),
        (b"a: &a [*a]\n", "CTR-012", 1, 8),
        (b"a: !!python/object:os.system x\n", "CTR-013", 1, 4),
        (b"a: !thing {b: 1}\n", "CTR-013", 1, 4),
        (b"a: !!binary SGVsbG8=\n", "CTR-013", 1, 4),
    ],
)
def test_a_file_that_is_no_contract_names_the_place(data: bytes, code: str, line: int, column: int) -> None:
    found = fault(data)
    assert (found.code, found.at and (found.at.line, found.at.column)) == (code, (line, column))


def test_all_duplicate_keys_are_reported_at_once() -> None:
    with pytest.raises(ContractError) as caught:
        read_tree(b"a: 1\na: 2\nb: {c: 1, c: 2}\n", "c.yaml")
    assert [found.at and found.at.line for found in caught.value.diagnostics] == [2, 3]


def test_depth_has_a_limit_and_no_recursion() -> None:
    assert fault(b"a: " + b"[" * 50_000 + b"]" * 50_000).code in ("CTR-005", "CTR-008")  # libyaml has a limit too
    assert fault(b"a: " + b"[" * 65 + b"]" * 65).code == "CTR-008"
    read_tree(b"a: " + b"[" * 63 + b"]" * 63, "c.yaml")
    assert fault(b"".join(b" " * level + b"a:\n" for level in range(200))).code == "CTR-008"


def test_aliases_are_counted_as_what_they_expand_to() -> None:
    """Eight levels of ten: 10**8 values in 300 bytes."""
    lines = [b"l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 8):
        lines.append(b"l%d: &l%d [%s]" % (level, level, b", ".join([b"*l%d" % (level - 1)] * 10)))
    assert fault(b"\n".join(lines)).code == "CTR-012"


def test_size_is_checked_before_anything_is_read_and_the_way_out_is_named() -> None:
    found = fault(b"\xff" * 11, Limits(contract_bytes=10))
    assert found.code == "CTR-001"
    assert "`contract_bytes` under `[tool.etlgen.limits]`" in found.help
    read_tree(b"a: 1\n# pad\n", "c.yaml", Limits(contract_bytes=11))


@pytest.mark.parametrize(
    ("line", "before", "fix"),
    [
        ("{ name: amount, type: decimal(10,2) }", "decimal(10", '`"decimal(10,2)"`'),
        (
            "{ sql: SELECT sum(a), count(*) FROM source, name: x }",
            "SELECT sum(a)",
            '`"SELECT sum(a), count(*) FROM source"`',
        ),
        ("{ sql: coalesce(a, b, c) > 0 }", "coalesce(a", '`"coalesce(a, b, c) > 0"`'),
        ("{ sql: max(a, b), name: x }", "max(a", '`"max(a, b)"`'),
        ("{ title: Gross amount, net }", "Gross amount", '`"Gross amount, net"`'),
        ('{ sql: f("x", y) }', 'f("x"', """`'f("x", y)'`"""),
    ],
)
def test_a_comma_between_braces_cuts_a_text(line: str, before: str, fix: str) -> None:
    found = fault(f"a: {line}\n".encode())
    assert (found.code, found.message.split(" is cut")[0]) == ("CTR-015", f"`{before}`")
    assert found.help == f"put quotes around it: {fix}"
    assert found.at is not None
    assert found.at.column == 1 + len("a: ") + line.index(before)


@pytest.mark.parametrize(
    "line", ["{ a: , b: 1 }", "{ a: x, b: }", "{ a: x, b: null }", '{ a: "f(x", b }', "{ a: x, b }"]
)
def test_keys_without_value_that_continue_nothing(line: str) -> None:
    assert "b" in read_tree(f"{line}\n".encode(), "c.yaml").entries


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("- { name: x, sql: id IN ('a', 'b') }", "sql"),
        ("- { field: id, pattern: ^A[0-9]+$ }", "pattern"),
        ("- sql: 'a' = b\n", "sql"),
    ],
)
def test_text_that_needs_quotes_is_named(text: str, key: str) -> None:
    found = fault(text.encode())
    assert found.code == "CTR-005"
    assert found.help.startswith(f"put quotes around the text of `{key}`")


@pytest.mark.parametrize("text", ["info: { title: Invoices: the table }", "a: { b: 1, title: One: two, c: d }"])
def test_a_colon_in_text_between_braces_is_named(text: str) -> None:
    found = fault(text.encode())
    assert (found.code, found.help) == (
        "CTR-005",
        "put quotes around the text of `title`: `: ` in it begins another value",
    )
