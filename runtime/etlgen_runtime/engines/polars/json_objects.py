"""The objects of a JSONL or JSON file, in batches of about one block of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from etlgen_runtime.engines.polars.json_text import MalformedJson, TextWindow
from etlgen_runtime.engines.polars.json_values import TextEnds, ValueFault, decode_value

_BLANKS = " \t\n\r"


def object_batches(window: TextWindow, *, lines: bool, batch_chars: int) -> Iterator[list[dict[str, object]]]:
    """All objects of a file in their order; no batch is empty.

    Args:
        lines: One object per line; else an array of objects, or one object.
        batch_chars: A batch ends with the object that reaches this length.

    Raises:
        MalformedJson: At the first fault, with its line.
        UnicodeDecodeError: The file is not UTF-8.
    """
    batch: list[dict[str, object]] = []
    begin = window.taken
    for row in _line_objects(window) if lines else _array_objects(window):
        batch.append(row)
        if window.taken - begin >= batch_chars:
            yield batch
            batch, begin = [], window.taken
    if batch:
        yield batch


def _line_objects(window: TextWindow) -> Iterator[dict[str, object]]:
    for number, line in enumerate(_lines(window), start=1):
        if line.strip():
            yield _object(_line_value(line.strip(_BLANKS), number), number)


def _lines(window: TextWindow) -> Iterator[str]:
    while not window.at_end:
        window.grow()
        end = len(window.text) if window.at_end else window.text.rfind("\n") + 1
        if end:
            for line in window.text[:end].removesuffix("\n").split("\n"):
                window.take(min(window.position + len(line) + 1, end))
                yield line


def _line_value(line: str, number: int) -> object:
    try:
        value, end = decode_value(line, 0, whole=True)
    except ValueFault as fault:
        raise MalformedJson(f"{fault.what} at line {number}") from None
    if end != len(line):
        raise MalformedJson(f"is not JSON at line {number}")
    return value


def _array_objects(window: TextWindow) -> Iterator[dict[str, object]]:
    first = window.skip_blanks()
    while not window.at_end and not window.text[window.position :].strip():
        window.grow()
    if not window.text[window.position :].strip():
        return
    if first == "[":
        window.take(window.position + 1)
        yield from _elements(window)
    else:
        yield _object(_next_value(window), 1)
    if window.skip_blanks():
        raise MalformedJson(f"is not JSON at line {window.line(window.position)}")


def _elements(window: TextWindow) -> Iterator[dict[str, object]]:
    """What follows the bracket that opens the array, up to the one that closes it."""
    number = 0
    following = "," if window.skip_blanks() != "]" else "]"
    while following == ",":
        number += 1
        yield _object(_next_value(window), number)
        following = window.skip_blanks()
        if following == ",":
            window.take(window.position + 1)
            window.skip_blanks()
    if following != "]":
        raise MalformedJson(f"is not JSON at line {window.line(window.position)}")
    window.take(window.position + 1)


def _next_value(window: TextWindow) -> object:
    while True:
        try:
            value, end = decode_value(window.text, window.position, whole=window.at_end)
        except TextEnds:
            window.grow()
        except ValueFault as fault:
            raise MalformedJson(f"{fault.what} at line {window.line(fault.offset)}") from None
        else:
            window.take(end)
            return value


def _object(value: object, number: int) -> dict[str, object]:
    if not isinstance(value, dict):
        raise MalformedJson(f"holds something other than an object at row {number}")
    return cast("dict[str, object]", value)
