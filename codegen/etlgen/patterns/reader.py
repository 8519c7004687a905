"""A cursor over the pattern's text: tokens that need no flags."""

from __future__ import annotations

from etlgen.patterns.tree import PatternError

_SIMPLE_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_HEX = frozenset("0123456789abcdefABCDEF")
_REASONS = {
    "p": "Unicode property classes are not portable",
    "P": "Unicode property classes are not portable",
    "Q": r"`\Q...\E` is not portable",
    "E": r"`\Q...\E` is not portable",
    "k": "back-references are not portable",
    "Z": r"`\Z` means different places in different engines",
}
_FIXES = {
    "p": "spell the class out (`[A-Za-z]`)",
    "P": "spell the class out (`[^A-Za-z]`)",
    "Z": r"write `$` or `\z` for the end of the text",
}


class Reader:
    """Reads ``text`` from left to right; ``position`` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    @property
    def at_end(self) -> bool:
        return self.position >= len(self.text)

    def peek(self, ahead: int = 0) -> str:
        """The next character, or the one ``ahead`` of it; a NUL-free marker (empty text) beyond the end."""
        index = self.position + ahead
        return self.text[index] if index < len(self.text) else ""

    def next(self) -> str:
        char = self.text[self.position]
        self.position += 1
        return char

    def take(self, token: str) -> bool:
        """Move past ``token`` if it stands here."""
        if not self.text.startswith(token, self.position):
            return False
        self.position += len(token)
        return True

    def until(self, end: str) -> str | None:
        """The text up to ``end``, moving past it; ``None`` when it never comes."""
        stop = self.text.find(end, self.position)
        if stop < 0:
            return None
        found = self.text[self.position : stop]
        self.position = stop + len(end)
        return found

    def expect(self, token: str, what: str) -> None:
        if not self.take(token):
            raise self.error(f"`{token}` is missing in {what}")

    def error(self, what: str, fix: str = "") -> PatternError:
        return PatternError(min(self.position, max(0, len(self.text) - 1)), what, fix)

    def error_back(self, what: str, fix: str = "") -> PatternError:
        """An error at the character read last."""
        return PatternError(self.position - 1, what, fix)

    # --- repeats ------------------------------------------------------------------------------------------------------

    def counts_follow(self) -> bool:
        """After `{`: digits and `}` follow, so it is a repeat and no character."""
        stop = self.text.find("}", self.position)
        inside = self.text[self.position : stop] if stop >= 0 else ""
        first, comma, second = inside.partition(",")
        return _is_count(first) and (not comma or not second or _is_count(second))

    def repeat_counts(self) -> tuple[int, int | None] | None:
        """The repeat that stands here as (least, most), moving past it; ``None`` when there is none."""
        signs: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        if self.peek() in signs and self.peek():
            return signs[self.next()]
        if self.peek() != "{":
            return None
        if self.peek(1) == ",":
            raise self.error("`{,n}` is read differently by different engines", "write `{0,n}`")
        start = self.position
        self.position += 1
        if not self.counts_follow():
            self.position = start
            return None
        first, comma, second = (self.until("}") or "").partition(",")
        if len(first) > 5 or len(second) > 5:
            raise PatternError(start, "the repeat is too large")
        return int(first), (int(second) if second else None) if comma else int(first)

    # --- escapes and groups -------------------------------------------------------------------------------------------

    def escaped_char(self) -> str:
        """The character that the escape after a backslash means."""
        letter = self.next()
        if letter in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[letter]
        if letter in "xu":
            return self._hexadecimal(letter)
        if letter.isascii() and not letter.isalnum():
            return letter
        if letter.isdigit():
            raise PatternError(self.position - 2, "back-references and octal escapes are not portable")
        reason = _REASONS.get(letter, rf"the escape `\{letter}` is not portable")
        raise PatternError(self.position - 2, reason, _FIXES.get(letter, ""))

    def _hexadecimal(self, letter: str) -> str:
        start = self.position - 2
        if self.take("{"):
            digits = self.until("}") or ""
            valid = 1 <= len(digits) <= 6
        else:
            width = 2 if letter == "x" else 4
            digits = self.text[self.position : self.position + width]
            self.position += len(digits)
            valid = len(digits) == width
        if not valid or not set(digits) <= _HEX:
            raise PatternError(start, rf"`\{letter}` wants hexadecimal digits", r"write `\x41` or `\x{1F600}`")
        point = int(digits, 16)
        if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
            raise PatternError(start, f"U+{point:04X} is no character")
        return chr(point)

    def refuse_special_group(self, opened: int) -> None:
        """Look-around, atomic groups, comments and the like after `(?`."""
        for token, what in (
            ("=", "look-ahead"),
            ("!", "look-ahead"),
            ("<=", "look-behind"),
            ("<!", "look-behind"),
            (">", "an atomic group"),
            ("#", "a comment"),
            ("|", "a branch-reset group"),
            ("(", "a conditional group"),
            ("P=", "a back-reference"),
            ("P>", "a recursive group"),
            ("R", "a recursive group"),
            ("&", "a recursive group"),
            ("'", "a group name in quotes"),
        ):
            if self.text.startswith(token, self.position):
                raise PatternError(opened, f"{what} (`(?{token}`) is not portable")


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit()
