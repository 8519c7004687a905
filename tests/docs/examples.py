"""Examples that a page shows as YAML, input and outcome, read from its Markdown.

A ``yaml`` block under the comment ``run`` is followed by tables, each under a line that names it (``Input:``, ``Accepted:``). A
list is the ``transformations`` of a contract; a mapping is the contract itself, completed by what the tables say: the columns of
``Accepted`` are its model, those of ``Input``, if they differ, its source. A heading ``qty integer`` gives a column a type; without
one it is a string. A cell ``NULL`` is NULL; a cell in code and double quotes is JSON text, for blanks that Markdown would eat.
Under the comment ``refused: CODE`` no tables follow: the contract must be refused with that code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.docs.markdown import Block, blocks

LABELS = {"Input", "Accepted", "Quarantined", "Warned", "Failed"}


@dataclass(frozen=True, slots=True)
class Table:
    """A Markdown table: (name, type) of its columns, the type empty where none is written, and its cells."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str | None, ...], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.columns)

    @property
    def fields(self) -> list[dict[str, str]]:
        return [{"name": name, "type": kind or "string"} for name, kind in self.columns]


@dataclass(frozen=True, slots=True)
class Example:
    """A block with its tables by name; ``Link countries`` is the reference data ``countries``."""

    block: Block
    tables: Mapping[str, Table]
    refused: str = ""

    def __str__(self) -> str:
        return str(self.block)

    @property
    def links(self) -> dict[str, Table]:
        return {name.removeprefix("Link "): table for name, table in self.tables.items() if name.startswith("Link ")}


def examples(file: Path) -> Iterator[Example]:
    """The examples of a page, in order. A label that means nothing, or an example without outcome, is a ``ValueError``."""
    lines = file.read_text(encoding="utf-8").splitlines()
    for block in blocks(file):
        if block.mark.startswith("refused: "):
            yield Example(block, {}, block.mark.removeprefix("refused: "))
        elif block.mark == "run":
            tables = dict(_tables(lines[block.line + block.text.count("\n") + 1 :], str(block)))
            if not {"Input", "Accepted"} <= tables.keys():
                raise ValueError(f"{block}: an example needs the tables `Input` and `Accepted`")
            yield Example(block, tables)


def _tables(lines: list[str], where: str) -> Iterator[tuple[str, Table]]:
    """The tables up to the next heading or block, with their names."""
    label, rows = "", list[list[str]]()
    for line in [*lines, "#"]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
            continue
        if rows:
            if label not in LABELS and not re.fullmatch(r"Link \w+", label):
                raise ValueError(f"{where}: a table under `{label}`, expected one of {sorted(LABELS)} or `Link name`")
            yield label, _table(rows)
            rows = []
        if line.startswith(("#", "```", "<!--")):
            return
        if line.strip():
            label = line.strip().removesuffix(":").replace("`", "")


def _table(rows: list[list[str]]) -> Table:
    columns = [cell.replace("`", "").partition(" ") for cell in rows[0]]
    return Table(
        tuple((name, kind) for name, _, kind in columns), tuple(tuple(_value(cell) for cell in row) for row in rows[2:])
    )


def _value(cell: str) -> str | None:
    if cell == "NULL":
        return None
    quoted = re.fullmatch(r'`("[^`]*")`', cell)
    return json.loads(quoted[1]) if quoted else cell.strip("`")
