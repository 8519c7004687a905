"""``materialization`` and ``quarantine``: local targets."""

from __future__ import annotations

from typing import Literal

from etlgen.contract import Materialization, Quarantine
from etlgen.read.olc.source import check_path
from etlgen.read.view import View

_STRATEGIES = ("append", "overwrite")
_LATER_STRATEGIES = ("merge", "scd2", "scd1")
_FORMATS = ("parquet", "csv")
_QUARANTINE_FORMATS = ("parquet", "csv", "json")
_LATER_FORMATS = (
    "delta",
    "iceberg",
    "ducklake",
    "duckdb",
    "postgres",
    "native",
    "json",
    "jsonl",
    "avro",
    "orc",
    "table",
)
_WRITE_MODES: tuple[Literal["append", "overwrite"], ...] = ("append", "overwrite")


def read_materialization(view: View) -> Materialization:
    """The ``materialization`` block, or its defaults."""
    if not view.has("materialization"):
        return Materialization()
    block = view.view("materialization")
    path_key = _path_key(block, ("target_path", "location"))
    path = block.optional_string(path_key)
    suffix = "csv" if path and path.lower().endswith(".csv") else "parquet"
    return Materialization(
        strategy=_word(block, "strategy", _STRATEGIES, _LATER_STRATEGIES, "append", "a write strategy"),
        format=_word(block, "format", _FORMATS, _LATER_FORMATS, suffix, "a target format"),
        target_path=path,
        at=block.at,
        written=True,
    )


def read_quarantine(view: View) -> Quarantine:
    """The ``quarantine`` block, or its defaults."""
    block = view.view("quarantine")
    path_key = _path_key(block, ("target", "location"))
    path = block.optional_string(path_key)
    suffix = path.lower().rsplit(".", 1)[-1] if path else ""
    default = suffix if suffix in _QUARANTINE_FORMATS else "parquet"
    return Quarantine(
        enabled=block.boolean("enabled", True),
        target=path,
        format=_word(block, "format", _QUARANTINE_FORMATS, _LATER_FORMATS, default, "a quarantine format"),
        write_mode=block.choice("write_mode", _WRITE_MODES, "append", "a write mode"),
        include_error_reason=block.boolean("include_error_reason", True),
        fail_on_quarantine=block.boolean("fail_on_quarantine"),
        at=block.at if view.has("quarantine") else None,
    )


def _path_key(block: View, keys: tuple[str, str]) -> str:
    """The key that holds the path; both with different values is CTR-027."""
    first, second = keys
    for key in keys:
        check_path(block, key)
    if block.has(first) and block.has(second) and block.string(first) != block.string(second):
        message = f"`{block.child_path(first)}` and `{block.child_path(second)}` name different places"
        block.findings.error("CTR-027", message, block.key_at(second), path=block.path, fix=f"keep `{first}`")
    return second if block.has(second) and not block.has(first) else first


def _word(block: View, key: str, executed: tuple[str, ...], later: tuple[str, ...], default: str, what: str) -> str:
    node = block.scalar_node(key)
    if node is None:
        return default
    if node.text in executed:
        return node.text
    path = block.child_path(key)
    if node.text in later:
        words = " or ".join(f"`{word}`" for word in executed)
        message = f"`{path}: {node.text}` is not executed by this version"
        block.findings.error("CTR-031", message, node.at, path=path, fix=f"write {words}")
    else:
        block.findings.unknown("CTR-023", what, node, executed, path)
    return default
