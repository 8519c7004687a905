"""Character classes in brackets and the escapes that stand for one."""

from __future__ import annotations

from etlgen.patterns.folding import DIGIT, POSIX_CLASSES, SPACE, WORD, complement, fold_closure, union
from etlgen.patterns.reader import Reader
from etlgen.patterns.tree import PatternError, Ranges

ESCAPED_CLASSES: dict[str, tuple[Ranges, bool]] = {
    "d": (DIGIT, False),
    "D": (DIGIT, True),
    "w": (WORD, False),
    "W": (WORD, True),
    "s": (SPACE, False),
    "S": (SPACE, True),
}
"""Ranges and negation of `\\d`, `\\D` and so on: ASCII."""

_SET_OPERATIONS = ("&&", "||", "~~", "--")


class ClassReader:
    """Reads one class; the opening bracket is already past."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.opened = reader.position - 1
        self.ranges: list[tuple[int, int]] = []
        self.escaped: list[tuple[int, int]] = []

    def read(self, *, ignore_case: bool) -> tuple[Ranges, bool]:
        r"""Ranges and whether the class is negated. ``ignore_case`` leaves `\d \w \s` as they are: ASCII."""
        reader = self.reader
        negated = reader.take("^")
        first = True
        while first or reader.peek() != "]":
            if reader.at_end:
                raise PatternError(self.opened, "`[` is not closed", r"write `\[` for the character")
            self._item()
            first = False
        reader.next()
        written = fold_closure(union(self.ranges)) if ignore_case else self.ranges
        ranges = union((*written, *self.escaped))
        if negated and not complement(ranges):
            raise PatternError(self.opened, "the class holds no character")
        return ranges, negated

    def _item(self) -> None:
        reader = self.reader
        self._refuse_set_operation()
        if reader.take("[:"):
            self._posix()
            return
        if reader.peek() == "\\" and reader.peek(1) in ESCAPED_CLASSES and reader.peek(1):
            reader.position += 2
            ranges, negated = ESCAPED_CLASSES[reader.text[reader.position - 1]]
            self.escaped.extend(complement(ranges) if negated else ranges)
            if reader.peek() == "-" and reader.peek(1) != "]":
                raise reader.error("a range cannot begin with a class", r"write `\-` for the character")
            return
        start = reader.position
        low = self._char()
        self._refuse_set_operation()
        if reader.peek() == "-" and reader.peek(1) not in ("]", ""):
            reader.next()
            high = self._char()
            if high < low:
                raise PatternError(start, f"the range `{reader.text[start : reader.position]}` runs backwards")
            self.ranges.append((low, high))
        else:
            self.ranges.append((low, low))

    def _refuse_set_operation(self) -> None:
        reader = self.reader
        for token in _SET_OPERATIONS:
            if reader.text.startswith(token, reader.position):
                what = f"`{token}` in a class is a set operation in some engines"
                raise reader.error(what, rf"write `\{token[0]}` for the character")

    def _char(self) -> int:
        reader = self.reader
        at = reader.position
        char = reader.next()
        if char != "\\":
            if 0xD800 <= ord(char) <= 0xDFFF:
                raise PatternError(at, "half of a surrogate pair is no character")
            return ord(char)
        if reader.at_end:
            raise PatternError(self.opened, "`[` is not closed", r"write `\[` for the character")
        if reader.peek() in ESCAPED_CLASSES:
            raise PatternError(at, "a range cannot end with a class", r"write `\-` for the character")
        if reader.peek() == "b":
            raise PatternError(at, r"`\b` in a class is not portable", r"write `\x08` for backspace")
        return ord(reader.escaped_char())

    def _posix(self) -> None:
        reader = self.reader
        at = reader.position - 2
        inverted = reader.take("^")
        name = reader.until(":]")
        if name not in POSIX_CLASSES:
            raise PatternError(at, "`[:` begins no known class", r"write `\[` for the character")
        ranges = union(POSIX_CLASSES[name])
        self.ranges.extend(complement(ranges) if inverted else ranges)
