"""``source`` and ``links``: local files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from etlgen.contract import CsvOptions, Field, Link, Source
from etlgen.diagnostics.model import Position
from etlgen.read.nodes import ScalarNode
from etlgen.read.olc.fields import date_format
from etlgen.read.structure import check_block
from etlgen.read.view import View
from etlgen_runtime.files import PACKED, PACKED_OTHERWISE, format_of_name, unpacked_name
from etlgen_runtime.text import is_text_encoding

_FORMATS = {"csv": "csv", "tsv": "csv", "json": "json", "ndjson": "jsonl", "jsonl": "jsonl", "parquet": "parquet"}
_LINK_FORMATS = {"csv": "csv", "json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "parquet": "parquet"}
_KNOWN_LINK_TYPES = ("delta", "table", "iceberg", "ducklake", "duckdb", "excel", "xlsx", "avro")
_OPTIONS = {"csv": "CsvOptions", "json": "JsonOptions", "jsonl": "JsonOptions", "parquet": "ParquetOptions"}
_ARCHIVES = (*PACKED, *PACKED_OTHERWISE)
_TABS = ("\\t", "tab", "\t")


def read_source(view: View) -> Source | None:
    """The ``source`` block; ``None`` when the contract has none."""
    if not view.has("source"):
        return None
    block = view.view("source")
    kind = block.string("type")
    if kind and kind != "landing" and block.scalar_node("type"):
        _not_executed(block, "type", "the source type", "use `type: landing` over CSV, JSON or Parquet files")
        return Source(type=kind, at=block.at)
    path, pattern = block.optional_string("path"), block.optional_string("pattern")
    file_format = _format(block, path, pattern)
    for key in ("path", "pattern"):
        check_path(block, key, is_read=True)
    if kind == "landing" and path is None:
        fix = "add `path:`, or give the files to the run"
        block.findings.warning("CTR-034", "the source has no path", block.at, path=block.path, fix=fix)
    cleanup = block.view("post_ingestion")
    return Source(
        type=kind,
        at=block.at,
        path=path,
        format=_json_lines(block, file_format),
        pattern=pattern,
        csv=_csv(block, file_format),
        empty_behavior=block.choice("empty_behavior", _EMPTY, "skip", "an empty behaviour"),
        post_ingestion=cleanup.choice("action", _ACTIONS, "retain", "a cleanup action"),
        archive_path=_archive_path(cleanup),
        cleanup_is_blocking=cleanup.boolean("cleanup_is_blocking"),
    )


_EMPTY: tuple[Literal["skip", "fail"], ...] = ("skip", "fail")
_ACTIONS: tuple[Literal["retain", "archive", "delete"], ...] = ("retain", "archive", "delete")


def _archive_path(cleanup: View) -> str | None:
    if cleanup.string("action") == "archive" and not cleanup.has("archive_path"):
        message = "`action: archive` needs an `archive_path`"
        cleanup.findings.error(
            "CTR-021", message, cleanup.key_at("action"), path=cleanup.path, fix="add `archive_path:`"
        )
    check_path(cleanup, "archive_path")
    return cleanup.optional_string("archive_path")


def check_path(view: View, key: str, *, is_read: bool = False) -> None:
    """Refuse what is no local file, or one compressed in a way that is not read or written (CTR-031); warn about placeholders
    (CTR-033).
    """
    node = view.scalar_node(key)
    if node is None:
        return
    text, path = node.text, view.child_path(key)
    if not text.strip():
        view.findings.error("CTR-025", f"`{path}` is empty", node.at, path=path)
    elif "://" in text or text.startswith(("table:", "env:")):
        message = f"`{text}` is no local path; remote storage is not read or written by this version"
        view.findings.error("CTR-031", message, node.at, path=path, expected="a local path", fix="use a local copy")
    elif (unpacked_name(text) if is_read else text).lower().endswith(_ARCHIVES):
        done = "read" if is_read else "written"
        message = f"`{text}` is compressed in a way that is not {done} by this version"
        fix = "pack each file as .gz or .zip, or unpack them before" if is_read else "choose another name"
        view.findings.error("CTR-031", message, node.at, path=path, fix=fix)
    elif "{" in text:
        message = f"the placeholder in `{text}` is not filled in by this version: it is part of the file name"
        view.findings.warning(
            "CTR-033", message, node.at, path=path, fix="write the path out, or set it in the profile"
        )


def _not_executed(view: View, key: str, what: str, fix: str) -> None:
    message = f"{what} `{view.string(key)}` is not executed by this version"
    view.findings.error("CTR-031", message, view.value_at(key), path=view.child_path(key), fix=fix)


def _format(view: View, path: str | None, pattern: str | None) -> str | None:
    """csv, json, jsonl or parquet; without ``format`` from the suffix of pattern or path."""
    node = view.scalar_node("format")
    if node is None:
        return suffix_format(pattern) or suffix_format(path)
    if node.text not in _FORMATS:
        _not_executed(view, "format", "the file format", "convert the files to CSV, JSON or Parquet")
        return None
    return _FORMATS[node.text]


def suffix_format(path: str | None) -> str | None:
    """The format that a file name's suffix names."""
    return format_of_name(path) if path else None


def _json_lines(view: View, file_format: str | None) -> str | None:
    """``multiline: false`` with json means one document per line."""
    options = view.view("options")
    if not options.has("multiline"):
        return file_format
    lines = not options.boolean("multiline", True)
    if file_format == "jsonl" and not lines:
        message = "`multiline: true` contradicts a format with one document per line"
        options.findings.error("CTR-027", message, options.key_at("multiline"), path=options.child_path("multiline"))
    return "jsonl" if lines and file_format == "json" else file_format


def _csv(view: View, file_format: str | None) -> CsvOptions:
    options = view.view("options")
    _check_options(options, file_format, view)
    named = view.string("format").lower()
    is_tsv = named == "tsv" or (not named and _is_tsv(view))
    delimiter, quote = _delimiter(options, "\t" if is_tsv else ","), _quote(options)
    _check_marks(options, delimiter, quote)
    return CsvOptions(
        delimiter=delimiter,
        encoding=_encoding(options),
        quote_char=quote,
        skip_rows=options.integer("skip_rows") or 0,
        has_header=options.boolean("has_header", True),
        null_values=options.strings("null_values"),
        comment_prefix=_comment(options),
    )


def _is_tsv(view: View) -> bool:
    return any(unpacked_name(view.string(key)).lower().endswith(".tsv") for key in ("path", "pattern"))


def _check_options(options: View, file_format: str | None, source: View) -> None:
    """The options must be those of the format that is read (CTR-020 and the like)."""
    node = source.node("options")
    if node is None or not options.entries:
        return
    if file_format is not None:
        schema = {"$ref": f"#/$defs/{_OPTIONS[file_format]}"}
        found = check_block(node, schema, "options", options.path, source.key_at("options"))
        options.findings.add_structure(found)
    elif not source.has("format"):
        message = "`source.options` needs a `format`, to know what they mean"
        options.findings.error("CTR-021", message, options.at, path="source", fix="add `source.format:`")


def _delimiter(options: View, default: str) -> str:
    node = options.scalar_node("delimiter")
    if node is None:
        return default
    if node.text in _TABS:
        return "\t"
    if not _is_mark(node.text):
        _one_character(options, "delimiter", node)
    return node.text


def _quote(options: View) -> str | None:
    node = options.scalar_node("quote_char")
    if node is None:
        return '"'
    if node.text and not _is_mark(node.text):
        _one_character(options, "quote_char", node)
    return node.text or None


def _one_character(options: View, key: str, node: ScalarNode) -> None:
    path = options.child_path(key)
    message = f"`{path}` must be one ASCII character, and no line break"
    options.findings.error("CTR-024", message, node.at, path=path, expected="a character such as `,` `;` `|` or a tab")


def _is_mark(text: str) -> bool:
    """What may separate fields or stand around them."""
    return len(text) == 1 and text.isascii() and text not in "\r\n\0"


def _check_marks(options: View, delimiter: str, quote: str | None) -> None:
    """The delimiter is not the quote (CTR-027)."""
    if delimiter == quote:
        key = "quote_char" if options.has("quote_char") else "delimiter"
        message = f"`{delimiter}` cannot be the delimiter and the quote"
        fix = "choose another quote, or none: `quote_char: ''`"
        options.findings.error("CTR-027", message, options.key_at(key), path=options.child_path(key), fix=fix)


def _encoding(options: View) -> str:
    node = options.scalar_node("encoding")
    if node is None:
        return "utf-8"
    if node.text != "utf8-lossy" and not is_text_encoding(node.text):
        names = ("utf-8", "utf8-lossy", "latin-1", "cp1252", "utf-16")
        options.findings.unknown("CTR-023", "a known encoding", node, names, options.child_path("encoding"))
    return node.text


def _comment(options: View) -> str | None:
    prefix = options.optional_string("comment_prefix")
    if prefix and any(mark in prefix for mark in "\r\n\0"):
        path = options.child_path("comment_prefix")
        message = f"`{path}` holds a line break or a NUL"
        options.findings.error(
            "CTR-024", message, options.value_at("comment_prefix"), path=path, expected="text of a line"
        )
    return prefix or None


def source_date_formats(view: View) -> dict[str, tuple[str, ...]]:
    """``source.options.date_formats``: formats by field."""
    options = view.view("source").view("options")
    return {
        key.text: date_format(node, options, "date_formats")
        for key, node in options.pairs("date_formats")
        if isinstance(node, ScalarNode)
    }


def date_format_positions(view: View) -> dict[str, ScalarNode]:
    """Where ``source.options.date_formats`` names each field."""
    return {key.text: key for key, _ in view.view("source").view("options").pairs("date_formats")}


def read_links(view: View, fields: Mapping[str, tuple[Field, ...]]) -> tuple[Link, ...]:
    """The links. ``fields``: ``etlgen.link_fields`` by link name."""
    links: list[Link] = []
    seen: dict[str, Position] = {}
    for block in view.views("links"):
        name = block.text("name")
        _check_link_name(block, seen)
        if block.string("type") not in _KNOWN_LINK_TYPES:
            check_path(block, "path", is_read=True)
        if not block.has("path") and not block.has("table"):
            message = f"the link `{name.value}` has no path"
            block.findings.error("CTR-021", message, block.at, path=block.path, fix="add `path:`")
        links.append(
            Link(
                name=name,
                path=block.optional_string("path"),
                type=_link_type(block),
                at=block.at,
                columns=block.texts("columns"),
                filter=block.optional_text("filter"),
                fields=fields.get(name.value),
                broadcast=block.boolean("broadcast"),
            )
        )
    return tuple(links)


def _check_link_name(block: View, seen: dict[str, Position]) -> None:
    name = block.text("name")
    path = block.child_path("name")
    folded = name.value.lower()
    if not name.value.strip():
        block.findings.error("CTR-025", "a link needs a name", block.value_at("name"), path=path)
    elif folded in ("source", "dataset", "{dataset}"):
        message = f"a link cannot be named `{name.value}`: that is the current dataset"
        block.findings.error("CTR-025", message, name.at, path=path, fix="choose another name")
    elif folded in seen:
        message = f"the link `{name.value}` is declared twice"
        block.findings.error("CTR-026", message, name.at, path=path, fix="keep one of them")
    seen.setdefault(folded, name.at)


def _link_type(block: View) -> str:
    node = block.scalar_node("type")
    if node is None:
        found = suffix_format(block.optional_string("path"))
        return found or "parquet"
    if node.text in _LINK_FORMATS:
        return _LINK_FORMATS[node.text]
    if node.text in _KNOWN_LINK_TYPES:
        _not_executed(block, "type", "the link type", "export the reference data to Parquet, CSV or JSON")
    else:
        block.findings.unknown("CTR-023", "a link type", node, tuple(_LINK_FORMATS), block.child_path("type"))
    return "parquet"
