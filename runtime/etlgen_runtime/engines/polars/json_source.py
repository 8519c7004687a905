"""JSON and JSONL files: values are typed one by one, a column of mixed kinds is text (materialization, Sources)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
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
    if kinds in ({Decimal}, {int, Decimal}) and all(_is_exact_double(value) for value in values):
        return pl.Series(name, [None if v is None else float(str(v)) for v in values], dtype=pl.Float64)
    return pl.Series(name, [None if value is None else _text(value) for value in values], dtype=pl.String)


def _is_exact_double(value: object) -> bool:
    """The nearest double has the number's own digits as its shortest text, so nothing is lost in it."""
    if value is None:
        return True
    if isinstance(value, int):
        return abs(value) <= _EXACT_IN_DOUBLE
    return isinstance(value, Decimal) and Decimal(repr(float(value))) == value


def _text(value: object) -> str | None:
    return str(value).lower() if isinstance(value, Decimal) else to_text(_plain(value), STRING)


def _plain(value: object) -> object:
    """Nested values with numbers that canonical JSON can write."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[object]", value)]
    return float(value) if isinstance(value, Decimal) else value


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
        value: object = json.loads(
            text, parse_constant=_refuse_constant, parse_float=Decimal, object_pairs_hook=_unique_keys
        )
        json.dumps(value, ensure_ascii=False, default=str).encode()  # a lone surrogate is no text
    except RecursionError:
        raise _unreadable(path, "is not JSON that can be read: it is nested too deeply") from None
    except UnicodeEncodeError:
        raise _unreadable(path, f"holds half of a surrogate pair at line {line or 1}, which is no text") from None
    except DuplicateKey as error:
        raise _unreadable(path, f"has the key `{error.key}` twice in one object at line {line or 1}") from None
    except ValueError as error:
        at = line if line is not None else getattr(error, "lineno", 1)
        raise _unreadable(path, f"is not JSON at line {at}") from None
    return value


def _refuse_constant(word: str) -> object:
    raise ValueError(word)


class DuplicateKey(ValueError):
    """An object of JSON has a key twice: which value counts is anybody's guess."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise DuplicateKey(next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1))
    return found


def _object(path: Path, value: object, number: int) -> dict[str, object]:
    if not isinstance(value, dict):
        raise _unreadable(path, f"holds something other than an object at row {number}")
    return cast("dict[str, object]", value)


def _unreadable(path: Path, what: str) -> DataError:
    return DataError(
        Diagnostic(code="PMDATA105", message=f"`{path.name}` {what}", node="source", help="fix or remove the file")
    )
