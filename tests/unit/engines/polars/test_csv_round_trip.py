"""Tables written by Python's own CSV writer come back as they were; mutated files are refused or read as what they became."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.engines.polars.csv_files import Table, read_csv, refusal
from tests.unit.engines.polars.csv_oracle import Refused, read_records

from etlgen_runtime.contract import CsvOptions

FRAGMENTS = [
    "a",
    "Z",
    "ß",
    "日本",
    "\U0001f600",
    ",",
    ";",
    "\t",
    "|",
    '"',
    "'",
    "\n",
    "\r\n",
    "\r",
    " ",
    "#",
    "0",
    "\\",
    "\u2028",
]
VALUE = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join)


@dataclass(frozen=True)
class Dialect:
    """How a file is written."""

    delimiter: str
    quote: str
    quote_all: bool
    line_end: str
    ends_with_line_end: bool
    byte_order_mark: bool

    @property
    def options(self) -> CsvOptions:
        return CsvOptions(delimiter=self.delimiter, quote_char=self.quote)

    def write(self, rows: list[list[str]]) -> str:
        file = io.StringIO(newline="")
        writer = csv.writer(
            file,
            delimiter=self.delimiter,
            quotechar=self.quote,
            quoting=csv.QUOTE_ALL if self.quote_all else csv.QUOTE_MINIMAL,
            lineterminator=self.line_end,
        )
        writer.writerows(rows)
        text = file.getvalue()
        if not self.ends_with_line_end:
            text = text.removesuffix(self.line_end)
        return ("\ufeff" if self.byte_order_mark else "") + text


DIALECT = st.builds(
    Dialect,
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quote=st.sampled_from(['"', "'"]),
    quote_all=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n"]),
    ends_with_line_end=st.booleans(),
    byte_order_mark=st.booleans(),
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """A header c1, c2, … and rows."""
    width = draw(st.integers(min_value=1, max_value=5))
    row = st.lists(VALUE, min_size=width, max_size=width)
    return [[f"c{number}" for number in range(width)], *draw(st.lists(row, max_size=12))]


def columns(rows: list[list[str]], quoted_empty: bool) -> Table:
    """What the table holds: an empty field that is not quoted is NULL."""
    body = [[value if value or quoted_empty else None for value in row] for row in rows[1:]]
    return {name: [row[number] for row in body] for number, name in enumerate(rows[0])}


@settings(max_examples=300, deadline=None)
@given(rows=tables(), dialect=DIALECT)
def test_what_python_writes_is_what_is_read(rows: list[list[str]], dialect: Dialect) -> None:
    # Older Pythons leave a lone carriage return unquoted, which no reader can tell from a line end.
    assume(dialect.quote_all or not any("\r" in value for row in rows for value in row))
    # The writer quotes the only field of a record when it is empty, to tell the record from a blank line.
    quoted_empty = dialect.quote_all or len(rows[0]) == 1
    assert read_csv(dialect.write(rows), dialect.options) == columns(rows, quoted_empty)


@settings(max_examples=150, deadline=None)
@given(rows=tables(), dialect=DIALECT, data=st.data())
def test_a_row_with_a_field_less_or_more_is_refused(
    rows: list[list[str]], dialect: Dialect, data: st.DataObject
) -> None:
    assume(len(rows) > 1)
    assume(dialect.quote_all or not any("\r" in value for row in rows for value in row))
    number = data.draw(st.integers(min_value=1, max_value=len(rows) - 1))
    changed = list(rows)
    width = len(rows[0])
    if data.draw(st.booleans()) and width > 1:
        changed[number] = rows[number][:-1]
        assume(len(changed[number]) > 1 or changed[number] != [""])  # the writer makes `""` of it, a row all the same
        found = width - 1
    else:
        changed[number] = [*rows[number], "x"]
        found = width + 1
    before = dialect.write(changed[:number])
    line = before.count("\n") + (0 if dialect.ends_with_line_end else 1) + 1
    plural = "" if found == 1 else "s"
    assert refusal(dialect.write(changed), dialect.options) == (
        f"`f.csv`, line {line}: {found} field{plural}, expected {width}"
    )


@settings(max_examples=300, deadline=None)
@given(rows=tables(), dialect=DIALECT, data=st.data())
def test_a_lost_quote_is_never_read_as_something_else(
    rows: list[list[str]], dialect: Dialect, data: st.DataObject
) -> None:
    """Losing one quote makes the file malformed, or another well-formed file, which is then read as that."""
    text = dialect.write(rows)
    body = text.index(dialect.line_end) if dialect.line_end in text else len(text)
    quotes = [at for at, character in enumerate(text) if character == dialect.quote and at > body]
    assume(quotes)
    at = data.draw(st.sampled_from(quotes))
    broken = text[:at] + text[at + 1 :]
    line, records = 0, []
    try:
        records = read_records(broken.removeprefix("\ufeff"), delimiter=dialect.delimiter, quote=dialect.quote)
    except Refused as refused:
        line = refused.line
    if line:
        assert refusal(broken, dialect.options).startswith(f"`f.csv`, line {line}: ")
    else:
        table = read_csv(broken, dialect.options)
        assert [list(row) for row in zip(*table.values(), strict=True)] == records[1:]
