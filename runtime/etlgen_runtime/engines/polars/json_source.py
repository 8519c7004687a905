"""JSON and JSONL files: values are typed one by one, a column of mixed kinds is text (materialization, Sources)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import polars as pl

from etlgen_runtime.casts import to_text
from etlgen_runtime.diagnostics import DataError, Diagnostic
from etlgen_runtime.types import STRING

_EXACT_IN_DOUBLE = 2**53


def read_json_file(path: Path, *, lines: bool) -> pl.DataFrame:
    """One file: one row per object; a key that a row lacks is NULL. A file of 0 bytes has no rows.

    Raises:
        DataError: PMDATA105, not UTF-8, not JSON, or not objects; names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _unreadable(path, "is not UTF-8") from None
    return rows_to_frame(list(_json_lines(path, text) if lines else _json_array(path, text)))


def rows_to_frame(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """Rows of JSON values as one frame: text, integers, floats and booleans keep their kind; mixed columns are text, nested
    values JSON text.
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pl.DataFrame([_series(name, [row.get(name) for row in rows]) for name in names], height=len(rows))


def _series(name: str, values: list[object]) -> pl.Series:
    kinds = {type(value) for value in values if value is not None}
    integers = [value for value in values if isinstance(value, int)]
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds == {int}:
        fits = all(-(2**63) <= value < 2**63 for value in integers)
        wide = all(-(2**127) <= value < 2**127 for value in integers)
        if wide:
            return pl.Series(name, values, dtype=pl.Int64 if fits else pl.Int128)
    if kinds in ({float}, {int, float}) and all(abs(value) <= _EXACT_IN_DOUBLE for value in integers):
        return pl.Series(name, [None if v is None else float(str(v)) for v in values], dtype=pl.Float64)
    return pl.Series(name, [to_text(value, STRING) for value in values], dtype=pl.String)


def _json_lines(path: Path, text: str) -> Iterator[dict[str, object]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _object(path, _parse(path, line, number), number)


def _json_array(path: Path, text: str) -> Iterator[dict[str, object]]:
    if not text.strip():
        return
    value = _parse(path, text, None)
    rows = cast("list[object]", value) if isinstance(value, list) else [value]
    for number, row in enumerate(rows, start=1):
        yield _object(path, row, number)


def _parse(path: Path, text: str, line: int | None) -> object:
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
    except RecursionError:
        raise _unreadable(path, "is not JSON that can be read: it is nested too deeply") from None
    except ValueError as error:
        at = line if line is not None else getattr(error, "lineno", 1)
        raise _unreadable(path, f"is not JSON at line {at}") from None
    return value


def _refuse_constant(word: str) -> object:
    raise ValueError(word)


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate key")
    return found


def _object(path: Path, value: object, number: int) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _unreadable(path, f"holds something other than an object at row {number}")
    return cast("dict[str, object]", value)


def _unreadable(path: Path, what: str) -> DataError:
    return DataError(
        Diagnostic(code="PMDATA105", message=f"`{path.name}` {what}", node="source", help="fix or remove the file")
    )
