"""Malformed and unusual input, and what must come of each: exact rows, or a refusal by file and line.

The outcomes follow from docs/sources.md, docs/casts.md and the specification, and were written down before any of them was run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.malformed.archives import encrypted, gz, zipped

from etlgen_runtime.limits import Limits

IDS = ("id: long!", "v: string")
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Accepted rows, in the columns of the contract; and of each quarantined row the text of ``id`` and its failed rule."""

    accepted: tuple[Row, ...] = ()
    bad: tuple[tuple[str | None, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Refused:
    """The message of the one diagnostic; ``{line}`` stands for the line of the fault."""

    message: str
    line: int | None = None
    code: str = "PMDATA105"

    def said(self, further_lines: int = 0) -> str:
        return self.message.replace("{line}", str((self.line or 0) + further_lines))


@dataclass(frozen=True, slots=True)
class Case:
    """A file and its outcome.

    Args:
        file: Its name.
        content: Its bytes; ``{more}`` marks where a large variant has further good rows: CSV and JSON Lines alone.
        options: ``source.options``.
        fields: Those of the contract.
        also: Undeclared columns that the rows of the outcome have behind the declared ones.
        further: Other files of the folder, by name; ``file`` lies in a folder then, and the contract reads all of it.
        limits: Those of the profile.
    """

    name: str
    content: bytes
    outcome: Rows | Refused
    file: str = "in.csv"
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fields: tuple[str, ...] = IDS
    also: tuple[str, ...] = ()
    further: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    limits: Limits = field(default_factory=Limits)


MORE = b"{more}"
HEADER = b"id,v\n{more}"
ONE_TWO = Rows(((1, "a"), (2, "b")))


def said(what: str, line: int | None = None, file: str = "in.csv") -> Refused:
    """PMDATA105 about a file, with the line if there is one."""
    return Refused(f"`{file}`, line {{line}}: {what}" if line else f"`{file}` {what}", line)


def wide(columns: int) -> bytes:
    """A CSV file of that many columns."""
    names = (f"c{number}" for number in range(columns - 2))
    return ",".join(("id", "v", *names)).encode() + b"\n1,a" + b"," * (columns - 2) + b"\n"


CSV = (
    Case("short row", HEADER + b"1,a\n2\n", said("1 field, expected 2", 3)),
    Case("short row at the end without line end", HEADER + b"1,a\n2", said("1 field, expected 2", 3)),
    Case("long row", HEADER + b"1,a,x\n2,b\n", said("3 fields, expected 2", 2)),
    Case("delimiter at the end of a row", HEADER + b"1,a,\n", said("3 fields, expected 2", 2)),
    Case("short row behind line breaks in quotes", HEADER + b'1,"a\n\nb"\n2\n', said("1 field, expected 2", 5)),
    Case("byte order mark", b"\xef\xbb\xbf" + HEADER + b"1,a\n2,b\n", ONE_TWO),
    Case("mixed line ends", b"id,v\r\n{more}1,a\n2,b\r\n", ONE_TWO),
    Case("no line end at the end", HEADER + b"1,a\r\n2,b", ONE_TWO),
    Case("CR-only line ends", b"id,v\r1,a\r2,b\r", said("a carriage return without line feed", 1)),
    Case("CR between two rows", HEADER + b"1,a\r2,b\n", said("a carriage return without line feed", 2)),
    Case("line breaks in quotes", HEADER + b'1,"a\nb"\n2,"c\r\nd"\n', Rows(((1, "a\nb"), (2, "c\r\nd")))),
    Case("NUL byte", HEADER + b"1,a\n2,b\x00\n", said("a NUL byte", 3)),
    Case("NUL byte in quotes", HEADER + b'1,"a\x00"\n', said("a NUL byte", 2)),
    Case("latin-1 read as UTF-8", HEADER + b"1,a\n2,\xe9t\xe9\n", said("bytes that are not UTF-8", 3)),
    Case("surrogate in UTF-8", HEADER + b"1,\xed\xa0\x80\n", said("bytes that are not UTF-8", 2)),
    Case("character cut at the end", HEADER + b"1,a\n2,\xc3", said("bytes that are not UTF-8", 3)),
    Case("latin-1", HEADER + b"1,\xe9t\xe9\n", Rows(((1, "été"),)), options={"encoding": "latin-1"}),
    Case("utf8-lossy", HEADER + b"1,\xe9a\n", Rows(((1, "\ufffda"),)), options={"encoding": "utf8-lossy"}),
    Case(
        "byte that cp1252 lacks",
        HEADER + b"1,\x80\n2,\x81\n",
        said("bytes that are not in the encoding `cp1252`", 3),
        options={"encoding": "cp1252"},
    ),
    Case("UTF-16", "id,v\n1,a\n2,b\n".encode("utf-16"), ONE_TWO, options={"encoding": "utf-16"}),
    Case("UTF-16 read as UTF-8", "id,v\n1,a\n".encode("utf-16"), said("a NUL byte", 1)),
    Case(
        "UTF-16 of an odd length",
        "id,v\n1,a\n".encode("utf-16") + b"x",
        said("bytes that are not in the encoding `utf-16`", 3),
        options={"encoding": "utf-16"},
    ),
    Case("unbalanced quote", HEADER + b'1,a\n2,"b\n3,c\n', said("the quote that opens field 2 is never closed", 3)),
    Case("stray quote", HEADER + b'1,5" pipe\n', said("a quote inside field 2, which does not begin with one", 2)),
    Case("text behind a quote", HEADER + b'1,"a" b\n', said("text after the closing quote of field 2", 2)),
    Case(
        "blank before a quote", HEADER + b'1, "a"\n', said("a quote inside field 2, which does not begin with one", 2)
    ),
    Case("two columns of one name", b"id,v,id\n1,a,2\n", said("has two columns `id`")),
    Case("names equal but for case", b"id,v,ID\n1,a,2\n", said("has columns `id` and `ID`, equal but for case")),
    Case("column without name", b"id,,v\n1,,a\n", said("has an empty column name (column 2)")),
    Case(
        "declared name in another case",
        b"ID,v\n1,a\n",
        Refused("required column `id` is missing from the source", code="PMDATA101"),
    ),
    Case(
        "another delimiter",
        b"id;v\n1;a\n",
        Refused("required column `id` is missing from the source", code="PMDATA101"),
    ),
    Case("optional column missing", b"id\n1\n", Rows(((1, None),))),
    Case("header alone", b"id,v\n", Rows()),
    Case("header alone without line end", b"id,v", Rows()),
    Case("0 bytes", b"", said("is empty (0 bytes), but a header is expected")),
    Case("byte order mark alone", b"\xef\xbb\xbf", said("has no header")),
    Case("blank lines alone", b"\n\r\n\n", said("has no header")),
    Case("0 bytes without header", b"", Rows(), options={"has_header": False}),
    Case("no header, short row", b"1,a\n2\n", said("1 field, expected 2", 2), options={"has_header": False}),
    Case("more lines skipped than there are", b"id,v\n1,a\n", said("has no header"), options={"skip_rows": 9}),
    Case("blank lines between rows", HEADER + b"1,a\n\n\r\n2,b\n\n", ONE_TWO),
    Case("comment between rows", HEADER + b'1,a\n# "x\n2,b\n', ONE_TWO, options={"comment_prefix": "#"}),
    Case("comment without prefix", HEADER + b"# x\n1,a\n", said("1 field, expected 2", 2)),
    Case("other line breaks of Unicode", HEADER + "1,a\u2028b\x0bc\x85\n".encode(), Rows(((1, "a\u2028b\x0bc\x85"),))),
    Case("empty and quoted empty", HEADER + b'1,\n2,""\n', Rows(((1, None), (2, "")))),
    Case(
        "required number in quotes, empty or blank",
        HEADER + b'"1",a\n"",b\n" ",c\n,d\n',
        Rows(((1, "a"),), (("", "id_required"), (" ", "id_required"), (None, "id_required"))),
    ),
    Case(
        "integers beyond 64 bits",
        HEADER + b"9223372036854775807,a\n9223372036854775808,b\n12345678901234567890123,c\n",
        Rows(
            ((9223372036854775807, "a"),), (("9223372036854775808", "id_type"), ("12345678901234567890123", "id_type"))
        ),
    ),
    Case("300 columns", wide(300), Rows(((1, "a"),))),
    Case("10,000 columns", wide(10_000), said("has more than 2000 columns")),
    Case("2,001 columns", wide(2001), said("has more than 2000 columns")),
    Case(
        "row as long as is allowed",
        HEADER + b"1," + b"x" * 97 + b"\n",
        Rows(((1, "x" * 97),)),
        limits=Limits(record_bytes=100),
    ),
    Case(
        "row over the limit",
        HEADER + b"1,a\n2," + b"x" * 98 + b"\n",
        said("a record longer than 100 bytes, as if a quote were never closed", 3),
        limits=Limits(record_bytes=100),
    ),
    Case(
        "row in quotes as long as is allowed",
        HEADER + b'1,"' + b"x" * 95 + b'"\n2,b\n',
        Rows(((1, "x" * 95), (2, "b"))),
        limits=Limits(record_bytes=100),
    ),
    Case(
        "row in quotes over the limit",
        HEADER + b'1,"' + b"x\n" * 48 + b'"\n2,b\n',
        said("a record longer than 100 bytes, as if a quote were never closed", 2),
        limits=Limits(record_bytes=100),
    ),
    Case(
        "header over the limit",
        b"id," + b"v" * 98 + b"\n",
        said("a record longer than 100 bytes, as if a quote were never closed", 1),
        limits=Limits(record_bytes=100),
    ),
)

GOOD = b"id,v\n1,a\n2,b\n"
GZ, ZIP = "in.csv.gz", "in.csv.zip"

COMPRESSED = (
    Case("gzip", gz(GOOD), ONE_TWO, GZ),
    Case("gzip of several members", gz(b"id,v\n1,") + gz(b"") + gz(b"a\n2,b\n"), ONE_TWO, GZ),
    Case("gzip, truncated", gz(GOOD)[:-9], said("is cut off: its gzip data have no end", file=GZ), GZ),
    Case("gzip without checksum", gz(GOOD)[:-8], said("is cut off: its gzip data have no end", file=GZ), GZ),
    Case(
        "gzip, second member truncated",
        gz(GOOD) + gz(b"3,c\n")[:12],
        said("is cut off: its gzip data have no end", file=GZ),
        GZ,
    ),
    Case(
        "gzip with a wrong checksum",
        gz(GOOD)[:-8] + b"\0\0\0\0" + gz(GOOD)[-4:],
        said("is damaged: its gzip data do not agree with themselves", file=GZ),
        GZ,
    ),
    Case("gzip and text", gz(GOOD) + b"3,c\n", said("goes on behind its gzip data", file=GZ), GZ),
    Case("gzip and zeros", gz(GOOD) + b"\0" * 512, said("goes on behind its gzip data", file=GZ), GZ),
    Case("text named gzip", GOOD, said("is not a gzip file, as its name says", file=GZ), GZ),
    Case("0 bytes named gzip", b"", said("is not a gzip file, as its name says", file=GZ), GZ),
    Case("gzip of 0 bytes", gz(b""), said("is empty (0 bytes), but a header is expected", file=GZ), GZ),
    Case("gzip named csv", gz(GOOD), said("is compressed with gzip")),
    Case("gzip in gzip", gz(gz(GOOD)), said("is compressed with gzip once more", file=GZ), GZ),
    Case("short row in gzip", gz(b"id,v\n1,a\n2\n"), said("1 field, expected 2", 3, GZ), GZ),
    Case(
        "gzip that grows too large",
        gz(b"id,v\n1," + b"x" * 100_000),
        said("holds more than 1000 bytes", file=GZ),
        GZ,
        limits=Limits(unpacked_bytes=1000),
    ),
    Case("gzip as large as is allowed", gz(GOOD), ONE_TWO, GZ, limits=Limits(unpacked_bytes=len(GOOD))),
    Case(
        "gzip, latin-1, comments, skipped lines, null values",
        gz(b"made by \xe9\nid;v\n# n\xe9\n1;'\xe9;'\n\n2;N/A\n"),
        Rows(((1, "é;"), (2, None))),
        GZ,
        options={
            "delimiter": ";",
            "encoding": "latin-1",
            "quote_char": "'",
            "skip_rows": 1,
            "null_values": ["N/A"],
            "comment_prefix": "#",
        },
    ),
    Case("zip", zipped(("orders.csv", GOOD)), ONE_TWO, ZIP),
    Case("zip, stored", zipped(("orders.csv", GOOD), method=0), ONE_TWO, ZIP),
    Case("zip of a file and a note", zipped(("README.txt", b"x"), ("a/orders.csv", GOOD)), ONE_TWO, ZIP),
    Case("zip of a file and its shadow", zipped(("o.csv", GOOD), ("__MACOSX/._o.csv", b"\0\5")), ONE_TWO, ZIP),
    Case("zip with a path out of its folder", zipped(("../../../etc/orders.csv", GOOD)), ONE_TWO, ZIP),
    Case(
        "zip of two files",
        zipped(("a.csv", GOOD), ("b.csv", GOOD)),
        said("holds 2 csv files (by suffix), expected one", file=ZIP),
        ZIP,
    ),
    Case(
        "zip without data",
        zipped(("README.txt", b"x")),
        said("holds no csv file (by suffix), expected one", file=ZIP),
        ZIP,
    ),
    Case("zip, empty", zipped(), said("holds no csv file (by suffix), expected one", file=ZIP), ZIP),
    Case("zip, encrypted", encrypted(zipped(("a.csv", GOOD))), said("is encrypted", file=ZIP), ZIP),
    Case(
        "zip, packed by bzip2",
        zipped(("a.csv", GOOD), method=12),
        said("is packed by another method than deflate", file=ZIP),
        ZIP,
    ),
    Case(
        "zip with a wrong checksum",
        zipped(("a.csv", GOOD), method=0).replace(b"2,b", b"2,c"),
        said("is damaged: its zip data do not agree with themselves", file=ZIP),
        ZIP,
    ),
    Case(
        "zip, truncated",
        zipped(("a.csv", GOOD))[:-10],
        said("is cut off, or not a zip archive, as its name says", file=ZIP),
        ZIP,
    ),
    Case(
        "zip and text",
        zipped(("a.csv", GOOD)) + b"x",
        said("goes on behind its zip data, or is cut off", file=ZIP),
        ZIP,
    ),
    Case(
        "zip behind a zip",
        zipped(("a.csv", GOOD)) + zipped(("b.csv", GOOD)),
        said("has something before its first member", file=ZIP),
        ZIP,
    ),
    Case("text named zip", GOOD, said("is cut off, or not a zip archive, as its name says", file=ZIP), ZIP),
    Case("zip named csv", zipped(("a.csv", GOOD)), said("is compressed as a zip archive")),
    Case("json lines in gzip", gz(b'{"id": 1, "v": "a"}\n{"id": 2, "v": "b"}\n'), ONE_TWO, "in.jsonl.gz"),
    Case(
        "json lines in gzip, malformed",
        gz(b'{"id": 1}\n{"id": }\n'),
        said("is not JSON at line 2", file="in.jsonl.gz"),
        "in.jsonl.gz",
    ),
    Case("json in zip", zipped(("x.json", b'[{"id": 1, "v": "a"},\n{"id": 2, "v": "b"}]')), ONE_TWO, "in.json.zip"),
    Case("gzip named jsonl", gz(b'{"id": 1}\n'), said("is compressed with gzip", file="in.jsonl"), "in.jsonl"),
)

LINES = "in.jsonl"


def lines(*texts: str) -> bytes:
    """JSON Lines, further good ones at the begin."""
    return MORE + "".join(f"{text}\n" for text in texts).encode()


JSON = (
    Case(
        "mixed types",
        lines(
            '{"id": 1, "v": 1.50}', '{"id": "2", "v": true}', '{"id": 3.0, "v": [1, {"b": 1, "a": null}]}', '{"id": 4}'
        ),
        Rows(((1, "1.50"), (2, "true"), (3, '[1,{"a":null,"b":1}]'), (4, None))),
        LINES,
    ),
    Case(
        "values that do not fit",
        lines(
            '{"id": [1]}', '{"id": {"a": 1}}', '{"id": true}', '{"id": 1.5}', '{"id": null}', '{"v": "x"}', '{"id": 7}'
        ),
        Rows(
            ((7, None),),
            (
                ("[1]", "id_type"),
                ('{"a":1}', "id_type"),
                ("true", "id_type"),
                ("1.5", "id_type"),
                (None, "id_required"),
                (None, "id_required"),
            ),
        ),
        LINES,
    ),
    Case(
        "integers of 23 digits",
        lines('{"id": 12345678901234567890123, "v": 1}', '{"id": 1, "v": 12345678901234567890123}'),
        Rows(((1, "12345678901234567890123"),), (("12345678901234567890123", "id_type"),)),
        LINES,
    ),
    Case(
        "undeclared integers of 23 digits",
        b'{"id": 1, "n": 12345678901234567890123}\n{"id": 2, "n": -1}\n',
        Rows(((1, None, 12345678901234567890123), (2, None, -1))),
        LINES,
        also=("n",),
    ),
    Case(
        "number beyond double",
        lines('{"id": 1, "n": 1e400}', '{"id": 2, "n": 1e300}'),
        Rows(((2, 1e300),), (("1", "n_type"),)),
        LINES,
        fields=("id: long!", "n: double"),
    ),
    Case("escaped NUL", lines('{"id": 1, "v": "a\\u0000b"}'), Rows(((1, "a\0b"),)), LINES),
    Case("byte order mark in JSON", b'\xef\xbb\xbf{"id": 1, "v": "a"}\n{"id": 2, "v": "b"}', ONE_TWO, LINES),
    Case("blank lines and CRLF", lines('{"id": 1, "v": "a"}\r', "", '{"id": 2, "v": "b"}'), ONE_TWO, LINES),
    Case("JSON of 0 bytes", b"", Rows(), LINES),
    Case("JSON of blanks", b" \n\n", Rows(), LINES),
    Case("empty array", b"[]", Rows(), "in.json"),
    Case("one object", b'{"id": 1, "v": "a"}', Rows(((1, "a"),)), "in.json"),
    Case("malformed line", lines('{"id": 1}', '{"id": }'), Refused("`in.jsonl` is not JSON at line {line}", 2), LINES),
    Case(
        "last line cut", lines('{"id": 1}', '{"id": 2, "v'), Refused("`in.jsonl` is not JSON at line {line}", 2), LINES
    ),
    Case("not a number", lines('{"id": NaN}'), Refused("`in.jsonl` is not JSON at line {line}", 1), LINES),
    Case("NUL byte in JSON", lines('{"id": 1, "v": "\0"}'), Refused("`in.jsonl` is not JSON at line {line}", 1), LINES),
    Case(
        "key twice",
        lines('{"id": 1, "v": "a", "id": 2}'),
        Refused("`in.jsonl` has the key `id` twice in one object at line {line}", 1),
        LINES,
    ),
    Case(
        "keys equal but for case",
        b'{"id": 1}\n{"ID": 2}\n',
        Refused("the source has columns `id` and `ID`, equal but for case"),
        LINES,
    ),
    Case(
        "array among objects",
        lines('{"id": 1}', "[2]"),
        Refused("`in.jsonl` holds something other than an object at row {line}", 2),
        LINES,
    ),
    Case(
        "half of a surrogate pair",
        lines('{"id": 1, "v": "\\ud800"}'),
        Refused("`in.jsonl` holds half of a surrogate pair, which is no text, at line {line}", 1),
        LINES,
    ),
    Case(
        "JSON that is not UTF-8",
        MORE + b'{"id": 1, "v": "\xff"}\n',
        Refused("`in.jsonl` is not UTF-8 (line {line})", 1),
        LINES,
    ),
    Case("array not closed", b'[{"id": 1},\n{"id": 2}\n', said("is not JSON at line 3", file="in.json"), "in.json"),
    Case("comma behind the last", b'[{"id": 1},\n]', said("is not JSON at line 2", file="in.json"), "in.json"),
    Case("two documents", b'{"id": 1}\n{"id": 2}\n', said("is not JSON at line 2", file="in.json"), "in.json"),
    Case(
        "nested a hundred thousand deep",
        b"[" * 100_000,
        said("is not JSON that can be read: it is nested too deeply at line 1", file="in.json"),
        "in.json",
    ),
    Case(
        "object over the limit",
        b'{"id": 1}\n{"id": 2, "v": "' + b"x" * 100 + b'"}\n',
        said("holds an object of more than 100 characters at line 2, as if it were never closed", file=LINES),
        LINES,
        limits=Limits(record_bytes=100),
    ),
    Case(
        "too many keys",
        b'{"id": 1, "a": 1, "b": 1}\n{"id": 1, "c": 1}\n',
        said("has more than 3 columns", file=LINES),
        LINES,
        limits=Limits(columns=3),
    ),
)


def folder(suffix: str, name: str, a: bytes, b: bytes, outcome: Rows | Refused) -> Case:
    """Two files that are read together."""
    return Case(name, a, outcome, f"in/a{suffix}", further={f"in/b{suffix}": b})


FOLDERS = (
    folder(".csv", "columns in another order", b"id,v\n1,a\n", b"v,id\nb,2\n", ONE_TWO),
    folder(".csv", "optional column in one file", b"id,v\n1,a\n", b"id\n2\n", Rows(((1, "a"), (2, None)))),
    folder(
        ".csv",
        "required column in one file",
        b"id,v\n1,a\n",
        b"v\nb\n",
        Refused("required column `id` is missing from `in/b.csv`", code="PMDATA101"),
    ),
    folder(
        ".csv",
        "names equal but for case in two files",
        b"id,w\n1,a\n",
        b"id,W\n2,b\n",
        Refused("the source has columns `w` and `W`, equal but for case"),
    ),
    folder(".csv", "second file malformed", b"id,v\n1,a\n", b"id,v\n2\n", said("1 field, expected 2", 2, "b.csv")),
    Case("plain and compressed", b"id,v\n1,a\n", ONE_TWO, "in/a.csv", further={"in/b.csv.gz": gz(b"id,v\n2,b\n")}),
    Case(
        "a file compressed in another way",
        b"id,v\n1,a\n",
        said("is compressed in a way that is not read", file="b.csv.zst"),
        "in/a.csv",
        further={"in/b.csv.zst": b"\x28\xb5\x2f\xfd"},
    ),
    folder(
        ".jsonl",
        "types that differ",
        b'{"id": 1, "v": 1}\n',
        b'{"id": "2", "v": "b"}\n',
        Rows(((1, "1"), (2, "b"))),
    ),
)
