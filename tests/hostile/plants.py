"""Contracts with planted code at one place each: built, read aloud by every command, run. It never runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.hostile.contracts import Case, replaced
from tests.hostile.contracts import Vocabulary as Name
from tests.hostile.positions import ITEM, KEY, Vocabulary, odcs, olc, planted, positions
from tests.hostile.strings import PLANTED

from etlgen.diagnostics.model import Diagnostic
from etlgen.diagnostics.render import json_text, render_text

_SETTINGS = ("source", "transformations", "materialization", "quality", "quarantine", "schema_policy")
"""Blocks of OLC that the `etlgen` custom property of ODCS holds in the same shape."""


@dataclass(frozen=True, slots=True)
class Plant:
    """One text at one place of a contract."""

    place: str
    vocabulary: Name
    document: dict[str, Any]

    def case(self, number: int) -> Case:
        """As a contract with a table of its own, of which nothing is expected but that nothing bad happens."""
        document = self.document
        if self.vocabulary == "olc":
            if not self.place.startswith("info.table_name"):
                document = replaced(document, ("info", "table_name"), f"t{number}")
        elif not self.place.endswith("schema.<item>.name"):
            document = replaced(document, ("schema", 0, "name"), f"t{number}")
        return Case(number, self.vocabulary, document, json.dumps(document), {}, "", None)


def plants(texts: int) -> Iterator[Plant]:
    """Every place of both vocabularies, and of what etlgen adds to them, so many times, each time with another planted text."""
    for turn in range(texts):
        for number, plant in enumerate(_places()):
            yield plant(PLANTED[(number + 5 * turn) % len(PLANTED)])


def _places() -> Iterator[Callable[[str], Plant]]:
    """What gives the plant of a text, for each place."""
    both = olc(), odcs()
    of_olc = positions(both[0])
    for path in of_olc:
        yield partial(_planted, both[0], path)
    for path in positions(both[1]):
        yield partial(_planted, both[1], path)
    for path in of_olc:
        if path[0] in _SETTINGS:
            yield partial(_in_settings, *both, path)
    for path in _EXTENSIONS:
        yield partial(_in_extensions, both[0], path)


def _planted(vocabulary: Vocabulary, path: tuple[str, ...], text: str) -> Plant:
    return Plant(".".join(path), vocabulary.name, planted(vocabulary, path, text))


def _in_extensions(olc: Vocabulary, path: tuple[str, ...], text: str) -> Plant:
    document = {**olc.document, "extensions": _nested(path, text)}
    return Plant("extensions." + ".".join(path), "olc", document)


def _in_settings(olc: Vocabulary, odcs: Vocabulary, path: tuple[str, ...], text: str) -> Plant:
    at = ("schema", 0, "customProperties", 0, "value", path[0])
    block = planted(olc, path, text)[path[0]]
    return Plant("etlgen." + ".".join(path), "odcs", replaced(odcs.document, at, block))


_EXTENSIONS: tuple[tuple[str, ...], ...] = (
    (KEY,),
    ("com.acme.x",),
    ("com.acme.x", KEY),
    *(
        ("etlgen.fields", "a", key)
        for key in ("min_length", "pattern", "format", "multiple_of", "unique", "examples", KEY)
    ),
    ("etlgen.fields", "a", "date_formats", ITEM),
    ("etlgen.fields", KEY),
    *(("etlgen.source_fields", ITEM, key) for key in ("name", "type", "description", "classification", KEY)),
    *(("etlgen.link_fields", "ref", ITEM, key) for key in ("name", "type", KEY)),
    ("etlgen.link_fields", KEY),
    ("etlgen.sql_polars",),
)
"""What etlgen reads under `extensions`."""


def _nested(path: tuple[str, ...], text: str) -> Any:
    if not path:
        return text
    first, *rest = path
    if first == ITEM:
        return [{"name": "a", "type": "string", **_nested(tuple(rest), text)}] if rest else [text]
    return {text: "x"} if first == KEY else {first: _nested(tuple(rest), text)}


def said(diagnostics: Sequence[Diagnostic], folder: Path) -> str:
    """Everything that a terminal and a log would get of some findings."""

    def lines_of(file: str) -> list[str]:
        return (folder / file).read_text(encoding="utf-8").splitlines() if (folder / file).is_file() else []

    return render_text(diagnostics, lines_of) + json_text([str(found) for found in diagnostics])


def steers_a_terminal(text: str) -> str:
    """The first character that is neither visible nor a line feed, as its code point; empty: none is there."""
    found = next((char for char in text if not (char.isprintable() or char == "\n")), "")
    return f"U+{ord(found):04X}" if found else ""
