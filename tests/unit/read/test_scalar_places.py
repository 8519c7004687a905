"""Where each character of a text stands in the file, in every style of YAML.

A page is written character by character, each with the place it was put at; reading it must give the same text and places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from etlgen.diagnostics.model import ContractError, Position
from etlgen.read.nodes import MappingNode, ScalarNode, SequenceNode
from etlgen.read.yaml_source import read_tree

WORDS = [
    "n",
    "id",
    "AND",
    "x>2",
    "é",
    "数量",
    "💶",
    "a\tb",
    "#no",
    "k:v",
    "%",
    "it's",
    'say"so',
    "\\d",
    "-1",
    "  two",
    "{a}",
    "''",
]
PLAIN = ["n", "id", "AND", "x>2", "é", "数量", "💶", "a\tb", "a#b", "k:v", "it's", 'say"so', "\\d", "z{a}", "ud83d"]


@dataclass
class Page:
    """What is written: the text of a file, and a value, the line and column of each character.

    ``indent``: of the key.
    """

    text: str = ""
    indent: int = 0
    value: str = ""
    places: list[tuple[int, int]] = field(default_factory=list)

    def write(self, source: str, value: str | None = None) -> None:
        """``value``: what it means, if that is one character; by default itself."""
        meant = source if value is None else value
        for number, char in enumerate(meant):
            line = self.text.count("\n") + 1
            column = len(self.text) - self.text.rfind("\n") + (number if value is None else 0)
            self.value += char
            self.places.append((line, column))
        self.text += source

    def skip(self, source: str) -> None:
        self.text += source


def words(random: Random, choice: list[str]) -> str:
    return " ".join(random.choice(choice) for _ in range(random.randint(1, 4))).strip()


def literal(page: Page, random: Random) -> None:
    """Every line break counts; what chomping leaves of the last ones is asked for in the header."""
    indent = page.indent + random.randint(1, 5)
    lines = [words(random, WORDS) for _ in range(random.randint(1, 4))]
    lines = [random.choice(["", " ", "   "]) + line for line in lines]
    for _ in range(random.randint(0, 2)):
        lines.insert(random.randint(0, len(lines) - 1), "")
    chomp, end = random.choice([("-", 0), ("", 1), ("+", 1), ("+", 3)])
    first = next(line for line in lines if line)
    indicator = str(indent - page.indent) if first[0] == " " or random.random() < 0.3 else ""
    page.skip(f"|{indicator}{chomp}{random.choice(['', ' # why'])}\n")
    for number, line in enumerate(lines):
        if number:
            page.write("\n")
        page.skip(" " * indent if line else "")
        page.write(line)
    last_breaks(page, random, chomp, end)


def folded(page: Page, random: Random) -> None:
    """One break between lines is a blank, of several the first is nothing; beside an indented line all of them count.

    Chomping counts the breaks at the end: none (``-``), the first, or all (``+``).
    """
    indent = page.indent + random.randint(1, 5)
    chomp, end = random.choice([("-", 0), ("", 1), ("+", 1), ("+", 3)])
    indicator = str(indent - page.indent) if random.random() < 0.5 else ""
    page.skip(f">{random.choice([indicator + chomp, chomp + indicator])}{random.choice(['', ' # why'])}\n")
    before = None
    breaks = 0
    for number in range(random.randint(1, 5)):
        line = words(random, WORDS)
        if number and random.random() < 0.3:
            line = random.choice([" ", "\t"]) + line
        is_indented = line[0] in " \t"
        if before is not None:
            if before or is_indented:
                page.write("\n")
                for _ in range(breaks):
                    page.write("\n")
            elif not breaks:
                page.write("\n", " ")
            else:
                page.skip("\n")
                for _ in range(breaks):
                    page.write("\n")
        page.skip(" " * indent)
        page.write(line)
        before, breaks = is_indented, random.choice([0, 0, 1, 2])
    last_breaks(page, random, chomp, end)


def last_breaks(page: Page, random: Random, chomp: str, end: int) -> None:
    """``end`` breaks that count, and, where not all of them do, some that do not."""
    for _ in range(end):
        page.write("\n")
    if not end:
        page.skip("\n")
    if chomp != "+":
        page.skip("".join(random.choice(["\n", " " * page.indent + "\n"]) for _ in range(random.randint(0, 2))))


def plain(page: Page, random: Random) -> None:
    flow(page, random, lambda: page.write(words(random, PLAIN)))


def single(page: Page, random: Random) -> None:
    def line() -> None:
        for char in words(random, WORDS):
            page.write("''", "'") if char == "'" else page.write(char)

    page.skip("'")
    flow(page, random, line)
    page.skip("'")


ESCAPES = {
    "\n": "\\n",
    "\t": "\\t",
    "\\": "\\\\",
    '"': '\\"',
    "é": "\\xe9",
    "数": "\\u6570",
    "💶": "\\U0001F4B6",
    "a": "\\u0061",
}


def double(page: Page, random: Random) -> None:
    def line() -> None:
        for char in words(random, [*WORDS, "a\nb"]):
            if char == "💶" and random.random() < 0.5:
                page.write("\\ud83d\\uDCB6", char)
            elif char in '\\"\n' or (char in ESCAPES and random.random() < 0.5):
                page.write(ESCAPES[char], char)
            else:
                page.write(char)
        if random.random() < 0.2:  # an escaped break is nothing, and the blanks before it stay
            page.write("x ")
            page.skip("\\\n  ")
            page.write("y")

    page.skip('"')
    flow(page, random, line)
    page.skip('"')


def flow(page: Page, random: Random, line: Callable[[], None]) -> None:
    """Lines of a plain or quoted text: one break is a blank, of several the first is nothing; blanks around them do not count."""
    line()
    for _ in range(random.randint(0, 3)):
        page.skip(random.choice(["", " ", "\t"]))
        breaks = random.choice([0, 0, 1, 2])
        if not breaks:
            page.write("\n", " ")
        else:
            page.skip("\n")
        for _ in range(breaks):
            page.skip(random.choice(["", "  "]))
            page.write("\n")
        page.skip(" " * random.randint(1, 4))
        line()


@pytest.mark.parametrize("style", [literal, folded, plain, single, double])
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_every_character_has_its_place(style: Callable[[Page, Random], None], random: Random) -> None:
    page = Page(
        "first: 1\n"
        + random.choice(["sql: ", "sql:   ", "sql: &x ", "sql: !!str ", "sql:\n  &x\n  ", "sql: &x # y\n  "])
    )
    style(page, random)
    text = page.text + ("" if page.text.endswith("\n") else "\n") + "last: 2\n"
    if random.random() < 0.3:
        text = text.replace("\n", "\r\n")
    entries = read_tree(text.encode(), "c.yaml").entries
    assert list(entries) == ["first", "sql", "last"]
    is_placed(entries["sql"].value, page, text)


def is_placed(node: object, page: Page, text: str) -> None:
    """The value read from ``text`` is the one written, and so is the place of each of its characters."""
    assert isinstance(node, ScalarNode)
    assert node.text == page.value, text
    read = node.as_text()
    found = [read.span(offset, 1) for offset in range(len(page.value))]
    if not read.pieces:
        assert read.exact
    assert [(at.line, at.column) for at in found] == page.places, text


@pytest.mark.parametrize("style", [literal, folded])
@given(random=st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_a_block_ends_where_the_indent_does(style: Callable[[Page, Random], None], random: Random) -> None:
    """Whatever stands below it, at whatever depth: comments, empty lines, a key as deep or less deep, the end of the file."""
    page = Page("top:\n" + "".join(" " * (2 * depth) + "a:\n" for depth in range(1, random.randint(1, 3))))
    depth = page.text.count("\n")
    page.indent = 2 * depth
    page.skip(" " * page.indent)
    if random.random() < 0.3:  # in a list the key is two deeper than the dash
        page.skip("- ")
        page.indent += 2
    page.skip("sql: ")
    style(page, random)
    comment = random.choice(["", "# why\n", "# why\n\n# more: |\n", "#\n        # deeper\n"])
    following = random.choice(["", " " * page.indent + "id + 1: 2\n", "materialization: {format: parquet}\n"])
    text = page.text + (" " * random.randint(0, page.indent) + comment if comment else "") + following
    if random.random() < 0.3:
        text = text.replace("\n", "\r\n")
    node: object = read_tree(text.encode(), "c.yaml")
    while not isinstance(node, ScalarNode):
        if isinstance(node, SequenceNode):
            node = node.items[0]
        else:
            assert isinstance(node, MappingNode)
            node = (node.entries.get("sql") or next(iter(node.entries.values()))).value
    is_placed(node, page, text)


FAULT = "n > 1\n{indent}AND id > 2\n{indent}AND bogus > 3"


@pytest.mark.parametrize(
    ("before", "indent", "after", "line", "column"),
    [
        ("a: |\n  ", "  ", "\n", 4, 7),
        ("a: |2-\n  ", "  ", "\n", 4, 7),
        ("a: >-\n    ", "    ", "\n", 4, 9),
        ("a: ", "  ", "\n", 3, 7),
        ("a: '", " ", "'\n", 3, 6),
        ('a: "\\x20', "", '"\n', 3, 5),
    ],
)
def test_a_span_is_underlined_in_its_line(before: str, indent: str, after: str, line: int, column: int) -> None:
    """`bogus`: of five characters, behind `AND `."""
    tree = read_tree((before + FAULT.replace("{indent}", indent or " ") + after).encode(), "c.yaml")
    node = tree.entries["a"].value
    assert isinstance(node, ScalarNode)
    expected = Position("c.yaml", line, column + (0 if indent else 1), 5)
    assert node.as_text().span(node.text.index("bogus"), 5) == expected


def test_of_several_lines_the_first_is_underlined() -> None:
    node = read_tree(b"a: |\n  n >\n    1 AND\n", "c.yaml").entries["a"].value
    assert isinstance(node, ScalarNode)
    assert node.as_text().span(0, len(node.text)) == Position("c.yaml", 2, 3, 3)


def test_an_escape_is_underlined_as_a_whole() -> None:
    node = read_tree(b'a: "x \\u006e y"\n', "c.yaml").entries["a"].value
    assert isinstance(node, ScalarNode)
    assert node.as_text().span(2, 1) == Position("c.yaml", 1, 7, 6)


# --- surrogates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\uD83D\\uDE00 \\ud83d\\ude01"', "😀 😁"),
        ('"\\ud83d\\ude00\\ud83d\\ude01x"', "😀😁x"),
        ('"\\ud800\\udc00"', "\U00010000"),
        ('"\\udbff\\udfff"', "\U0010ffff"),
        ('"\\\\ud83d\\ude00 is text"', None),
        ("'\\ud83d\\ude00'", "\\ud83d\\ude00"),
        ("\\ud83d\\ude00", "\\ud83d\\ude00"),
        ("|-\n  \\ud83d\\ude00\n", "\\ud83d\\ude00"),
        ('"\\\\\\ud83d\\ude00"', "\\😀"),
        ('"\\\\ud83d"', "\\ud83d"),
    ],
)
def test_a_pair_of_surrogates_is_one_character_where_escapes_are_read(written: str, value: str | None) -> None:
    """As JSON writes it; behind an escaped backslash there is no escape, so the second half stands alone there."""
    data = f"a: {written}\n".encode()
    if value is None:
        with pytest.raises(ContractError, match="half of a character"):
            read_tree(data, "c.yaml")
        return
    node = read_tree(data, "c.yaml").entries["a"].value
    assert isinstance(node, ScalarNode)
    assert node.text == value


def test_a_key_may_be_written_as_a_pair() -> None:
    assert list(read_tree(b'{"\\ud83d\\ude00": 1}', "c.yaml").entries) == ["😀"]


@pytest.mark.parametrize(
    ("data", "column", "length", "said"),
    [
        (b'a: "x\\ud83d y"\n', 6, 6, "`\\ud83d` is half of a character"),
        (b'a: "\\ude00\\ud83d"\n', 5, 6, "`\\ude00` is half of a character"),
        (b'a: "\\ud83d\\ud83d\\ude00"\n', 5, 6, "`\\ud83d` is half of a character"),
        (b'a: "\\U0000D83D"\n', 5, 10, "`\\U0000D83D` is half of a character"),
        (b'a: "\\U00110000"\n', 5, 10, "`\\U00110000` is beyond the last character"),
    ],
)
def test_half_a_character_is_refused_with_its_place(data: bytes, column: int, length: int, said: str) -> None:
    with pytest.raises(ContractError) as caught:
        read_tree(data, "c.yaml")
    (found,) = caught.value.diagnostics
    assert (found.code, found.at) == ("CTR-005", Position("c.yaml", 1, column, length))
    assert found.message.startswith(said)


def test_many_pairs_are_read_in_one_go() -> None:
    """A file is read once, however many pairs there are."""
    data = b"a: [" + b", ".join([b'"\\ud83d\\ude00"'] * 50_000) + b"]\n"
    tree = read_tree(data, "c.yaml")
    found = tree.entries["a"].value
    assert isinstance(found, SequenceNode)
    assert {item.text for item in found.items if isinstance(item, ScalarNode)} == {"😀"}
