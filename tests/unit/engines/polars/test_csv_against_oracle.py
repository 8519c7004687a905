"""Any text at all: read exactly as the character-by-character reading says, or refused on the line that it says."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engines.polars.csv_oracle import Refused, read_records

from etlgen_runtime.contract import CsvOptions
from etlgen_runtime.diagnostics import DataError
from etlgen_runtime.engines.polars.csv_grammar import CsvGrammar, MalformedCsv
from etlgen_runtime.engines.polars.csv_scan import CsvFile
from etlgen_runtime.engines.polars.csv_source import scan_csv_file
from etlgen_runtime.engines.polars.reading import Reading
from etlgen_runtime.limits import DEFAULT_LIMITS

Outcome = list[list[str | None]] | int
"""The records, or the line of the fault."""

PIECES = ["a", "bc", "é", ",", ",", '"', '"', '""', '"a,\n"', "\n", "\n", "\r\n", "\r", "#", "# x\n", " "]
ANY_TEXT = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
FIELDS = ["a", "bc", "é", "", "", '""', '"x"', '"a,b"', '"p""q"', '"l\nm"', '"\r\n"', '"a\n\nb"', '"\n# z"', "#h", " "]
FAULTS = ['a"b', '"a"b', '"a', "a\rb", '"', "a,b"]
WIDTH = st.integers(min_value=1, max_value=3)
COMMENT = st.sampled_from([None, "#"])
QUOTE = st.sampled_from(['"', '"', None])


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, int]:
    """Mostly well-formed lines of some width, at most one fault among them; and the width."""
    width = draw(WIDTH)
    record = st.lists(st.sampled_from(FIELDS), min_size=width, max_size=width).map(",".join)
    line = st.one_of(record, record, record, st.sampled_from(["", '# c"']))
    found = draw(st.lists(line, max_size=25))
    if draw(st.integers(min_value=0, max_value=3)) == 0:
        found.insert(draw(st.integers(min_value=0, max_value=len(found))), draw(st.sampled_from(FAULTS)))
    text = "".join(part + draw(st.sampled_from(["\n", "\n", "\r\n"])) for part in found)
    return (text.rstrip("\r\n") if draw(st.booleans()) else text), width


CASE = st.one_of(lines(), lines(), st.tuples(ANY_TEXT, WIDTH))


def expected(text: str, width: int, options: CsvOptions) -> Outcome:
    try:
        return read_records(text, width, quote=options.quote_char, comment=options.comment_prefix)
    except Refused as refused:
        return refused.line


def scanned(text: str, width: int, options: CsvOptions, block_bytes: int) -> Outcome:
    """What the scan lets through, taken apart by the character-by-character reading."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.csv"
        path.write_bytes(text.encode())
        file = CsvFile(path, CsvGrammar(options, "utf-8"), DEFAULT_LIMITS.record_bytes, block_bytes)
        try:
            start = file.preamble(0, has_header=False, blank_is_row=width == 1)
            kept = b"".join(bytes(block.data) for block in file.blocks(start.offset, width))
        except MalformedCsv as fault:
            return file.line_of(fault.offset)
    return read_records(kept.decode(), width, quote=options.quote_char)


def read(text: str, width: int, options: CsvOptions) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f.csv"
        path.write_bytes(text.encode())
        try:
            frame = scan_csv_file(path, path, options, [f"c{i}" for i in range(width)], Reading(Path(folder))).collect()
        except DataError as error:
            message = error.diagnostic.message
            assert message.startswith("`f.csv`, line "), message
            return int(message.removeprefix("`f.csv`, line ").split(":")[0])
    return [list(row) for row in frame.rows()]


@settings(max_examples=400, deadline=None)
@given(case=CASE, comment=COMMENT, quote=QUOTE, block_bytes=st.sampled_from([4, 7, 16, 1 << 18]))
def test_the_scan_keeps_exactly_the_records(
    case: tuple[str, int], comment: str | None, quote: str | None, block_bytes: int
) -> None:
    text, width = case
    options = CsvOptions(has_header=False, comment_prefix=comment, quote_char=quote)
    assert scanned(text, width, options, block_bytes) == expected(text, width, options)


@settings(max_examples=200, deadline=None)
@given(case=CASE, comment=COMMENT, quote=QUOTE)
def test_the_engine_reads_exactly_the_records(case: tuple[str, int], comment: str | None, quote: str | None) -> None:
    text, width = case
    options = CsvOptions(has_header=False, comment_prefix=comment, quote_char=quote)
    assert read(text, width, options) == expected(text, width, options)


def test_wherever_a_block_ends() -> None:
    """Between two quotes, within CRLF behind a quote, within a character, within a comment's prefix."""
    text = '"a\nb"\r\n"p""q"\r\n"é\n""\n"\r\n\r\n## c\r\n"#\n# z"\r\n#x\r\nlast'
    options = CsvOptions(has_header=False, comment_prefix="##")
    for width_one in (text, text.replace("last", '"a\n"')):
        for block_bytes in range(4, len(text.encode()) + 2):
            assert scanned(width_one, 1, options, block_bytes) == expected(width_one, 1, options)
