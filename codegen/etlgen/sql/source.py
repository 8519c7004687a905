"""SQL text with its place in the contract: offsets of sqlglot's tokens become file positions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token

from etlgen.contract import Text
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.sql import problems
from etlgen.sql.grammar import STATEMENT_REASON, STATEMENT_WORDS, ContractSql

DATASET = '"etlgen_"'
DATASET_NAME = "etlgen_"
"""The name that stands for `{dataset}`, the current rows."""

_CLOSED = re.compile(r"""--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*'|"(?:[^"]|"")*\"""", re.DOTALL)
"""Comments, texts and quoted names."""
_PLACEHOLDER = re.compile(rf"{_CLOSED.pattern}|\{{dataset\}}", re.DOTALL)


class Unreadable(Exception):
    """The text is no SQL that may run; the diagnostic says what is wrong and where."""

    def __init__(self, finding: Diagnostic) -> None:
        self.finding = finding
        super().__init__(finding.message)


@dataclass(frozen=True, slots=True)
class SqlSource:
    """A piece of SQL as written in a contract."""

    text: Text

    @property
    def sql(self) -> str:
        """The text with the placeholder `{dataset}` as a quoted name of the same length, so that offsets hold."""
        return _PLACEHOLDER.sub(
            lambda found: DATASET if found.group() == "{dataset}" else found.group(), self.text.value
        )

    @property
    def first_word(self) -> str:
        """The first word in capitals, for messages about statements."""
        words = self.text.value.split(maxsplit=1)
        return words[0].upper() if words else ""

    def statements(self) -> tuple[exp.Expr, ...]:
        """The statements or expressions of the text.

        Raises:
            Unreadable: Not SQL.
        """
        try:
            parsed = ContractSql().parse(self.sql)
        except ParseError as error:
            raise self._unreadable(error) from None
        except TokenError:
            reason = "a text or quoted name is not closed, or a character is not SQL"
            raise Unreadable(problems.unreadable(reason, self._unclosed)) from None
        except RecursionError:
            raise self.too_deep() from None
        if any(_has_star_operand(statement) for statement in parsed if statement is not None):
            raise self._operand_missing() from None
        return tuple(statement for statement in parsed if statement is not None)

    @property
    def whole(self) -> Position:
        """The whole value; just its first line with text when it has several."""
        value = self.text.value
        return self._at(len(value) - len(value.lstrip()), max(1, len(value.strip())))

    @property
    def _unclosed(self) -> Position:
        """The quote that has no partner, to the end of its line; the whole value when every quote has one."""
        closed = _CLOSED.sub(lambda found: " " * len(found.group()), self.text.value)
        opened = re.search("[\"'].*", closed)
        return self.whole if opened is None else self._at(opened.start(), len(opened.group()))

    def at(self, node: exp.Expr) -> Position:
        """Where ``node`` stands: from its first to its last token that knows its place."""
        return self.span((node,))

    def span(self, nodes: Iterable[exp.Expr]) -> Position:
        """Where ``nodes`` stand, from the first to the last."""
        spans = [span for node in nodes for span in _spans(node)]
        if not spans:
            return self.whole
        start = min(first for first, _ in spans)
        return self._at(start, max(last for _, last in spans) - start + 1)

    def name_of(self, node: exp.Expr, name: str) -> Position:
        """Where the name of a function call stands; the whole call when the grammar does not say."""
        start = node.meta.get("start")
        return self._at(start, len(name)) if isinstance(start, int) else self.at(node)

    def inside_literal(self, node: exp.Expr, offset: int) -> Position:
        """Where character ``offset`` of the text literal ``node`` stands; the literal when quotes are doubled in it."""
        start = node.meta.get("start")
        if not isinstance(start, int) or "'" in str(node.this)[:offset]:
            return self.at(node)
        return self._at(start + 1 + offset, 1)

    def _at(self, offset: int, length: int) -> Position:
        return self.text.span(offset, length)

    def too_deep(self) -> Unreadable:
        """The error of SQL that exhausts Python's stack."""
        return Unreadable(problems.unreadable("it is nested too deeply", self.whole))

    def _operand_missing(self) -> Unreadable:
        pair = self._adjacent_operators()
        if pair is None:
            return Unreadable(problems.unreadable("an operand is missing beside `*`", self.whole))
        left, right = pair
        reason = f"an operand is missing between `{left.text}` and `{right.text}`"
        return Unreadable(problems.unreadable(reason, self._at(left.start, right.end - left.start + 1)))

    def _tokens(self) -> list[Token]:
        """The words of the text; none where it has what is no word."""
        try:
            return ContractSql().tokenize(self.sql)
        except TokenError:
            return []

    def _token(self, line: object, column: object) -> Token | None:
        """The word that ends at a line and column of the SQL, as an error of the parser names it."""
        return next((token for token in self._tokens() if (token.line, token.col) == (line, column)), None)

    def _adjacent_operators(self) -> tuple[Token, Token] | None:
        """Two operators in a row of which the second is no sign."""
        pairs = pairwise(self._tokens())
        found = (pair for pair in pairs if pair[0].text in _OPERATORS and pair[1].text in _OPERATORS - _SIGNS)
        return next(found, None)

    def _unreadable(self, error: ParseError) -> Unreadable:
        if self.first_word in STATEMENT_WORDS:
            return Unreadable(problems.refused(f"`{self.first_word}`", STATEMENT_REASON, self.whole))
        if self._adjacent_operators() is not None:
            return self._operand_missing()
        first = error.errors[0] if error.errors else {}
        found = str(first.get("highlight") or "")
        token = self._token(first.get("line"), first.get("col"))
        at = self.whole if token is None else self._at(token.start, token.end - token.start + 1)
        if "Required keyword" in str(first.get("description")):
            return Unreadable(problems.unreadable(f"an operand is missing beside `{found}`", at))
        return Unreadable(problems.unreadable(f"`{found}` is not expected here" if found else "it ends too early", at))


_SIGNS = frozenset("+-")
_OPERATORS = _SIGNS | {"*", "/", "%", "//", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "||"}


def _has_star_operand(statement: exp.Expr) -> bool:
    """`a * * b` reads as `(a * *) AS b`, with all columns as a factor."""
    return any(isinstance(star.parent, exp.Binary) for star in statement.find_all(exp.Star))


def _spans(node: exp.Expr) -> Iterator[tuple[int, int]]:
    for part in node.walk():
        start, end = part.meta.get("start"), part.meta.get("end")
        if isinstance(start, int) and isinstance(end, int):
            yield start, end
