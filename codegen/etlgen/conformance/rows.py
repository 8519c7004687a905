"""Rows of JSON Lines files, and the values that a row can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import cast

from etlgen.diagnostics.model import ContractError, Diagnostic, Position

Row = Mapping[str, object]
"""Column -> value. Expected values come from JSON (numbers with a point are ``Decimal``, so no digit is lost); actual ones
are Python values of the engine: int, float, Decimal, str, bool, date, datetime, time, bytes, list, dict, ``None``."""


def read_rows(path: Path, display: str) -> tuple[Row, ...]:
    """The rows of a JSON Lines file; blank lines are skipped.

    Raises:
        ContractError: CNF-005, a line is no JSON object, or the file cannot be read.
    """
    rows: list[Row] = []
    for number, line in enumerate(_text(path, display).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_float=Decimal)
        except json.JSONDecodeError as error:
            raise _broken(f"line {number} of `{display}` is not JSON", display, number, error.colno) from error
        except (RecursionError, ValueError) as error:  # thousands of brackets, or of digits
            raise _broken(f"line {number} of `{display}` is beyond what is read of JSON", display, number, 1) from error
        if not isinstance(row, dict):
            raise _broken(f"line {number} of `{display}` is not a JSON object", display, number, 1)
        rows.append(cast("dict[str, object]", row))
    return tuple(rows)


def _text(path: Path, display: str) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise _broken(f"line {line} of `{display}` is not UTF-8", display, line, 1) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _broken(f"`{display}` cannot be read: {reason}", display, 1, 1) from error


def _broken(message: str, display: str, line: int, column: int) -> ContractError:
    at = Position(display, line, column)
    return ContractError((Diagnostic("CNF-005", message, at, expected="one JSON object on each line"),))


def columns_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """Every column that occurs in the rows, in order of first appearance."""
    return tuple(dict.fromkeys(name for row in rows for name in row))
