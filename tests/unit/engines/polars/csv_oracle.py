"""CSV read one character at a time, straight from docs/sources.md: the independent opinion that the scan is compared with."""

from __future__ import annotations

from dataclasses import dataclass


class Refused(Exception):
    """The text is malformed; the record that is begins on ``line`` (from 1)."""

    def __init__(self, line: int) -> None:
        super().__init__(str(line))
        self.line = line


@dataclass
class _Cursor:
    text: str
    at: int = 0

    def sees(self, what: str) -> bool:
        return self.text.startswith(what, self.at)

    @property
    def done(self) -> bool:
        return self.at >= len(self.text)

    @property
    def at_line_end(self) -> bool:
        return self.done or self.sees("\n") or self.sees("\r\n")

    def take(self) -> str:
        self.at += 1
        return self.text[self.at - 1]

    def pass_line_end(self) -> None:
        self.at += 2 if self.sees("\r\n") else 1


def read_records(
    text: str, columns: int | None = None, *, delimiter: str = ",", quote: str | None = '"', comment: str | None = None
) -> list[list[str | None]]:
    """All records; without ``columns`` the first one says how many fields each has (and is returned like the others)."""
    cursor = _Cursor(text)
    records: list[list[str | None]] = []
    while not cursor.done:
        begin = cursor.at
        try:
            fields = _record(cursor, columns, delimiter, quote, comment)
        except ValueError:
            raise Refused(text.count("\n", 0, begin) + 1) from None
        if fields is None:
            continue
        columns = columns or len(fields)
        records.append(fields)
    return records


def _record(
    cursor: _Cursor, columns: int | None, delimiter: str, quote: str | None, comment: str | None
) -> list[str | None] | None:
    if comment is not None and cursor.sees(comment):
        while not cursor.done and cursor.take() != "\n":
            pass
        return None
    if cursor.at_line_end and columns != 1:
        cursor.pass_line_end()
        return None
    fields = [_field(cursor, delimiter, quote)]
    while cursor.sees(delimiter):
        cursor.take()
        fields.append(_field(cursor, delimiter, quote))
    cursor.pass_line_end()
    if columns is not None and len(fields) != columns:
        raise ValueError("width")
    return fields


def _field(cursor: _Cursor, delimiter: str, quote: str | None) -> str | None:
    if quote is not None and cursor.sees(quote):
        return _quoted(cursor, delimiter, quote)
    value = ""
    while not cursor.at_line_end and not cursor.sees(delimiter):
        value += cursor.take()
    if "\r" in value or (quote is not None and quote in value):
        raise ValueError("stray character")
    return value or None


def _quoted(cursor: _Cursor, delimiter: str, quote: str) -> str:
    cursor.take()
    value = ""
    while True:
        if cursor.done:
            raise ValueError("never closed")
        character = cursor.take()
        if character != quote:
            value += character
        elif cursor.sees(quote):
            value += cursor.take()
        elif cursor.at_line_end or cursor.sees(delimiter):
            return value
        else:
            raise ValueError("text after the closing quote")
