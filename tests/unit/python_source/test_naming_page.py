"""docs/naming.md shows what really happens."""

from __future__ import annotations

import re
from pathlib import Path

from etlgen.python_source.identifiers import attribute_names, class_name, module_slug, singular
from etlgen_runtime.default_paths import path_segment

PAGE = (Path(__file__).parents[3] / "docs" / "naming.md").read_text(encoding="utf-8")


def rows(header: str) -> list[list[list[str]]]:
    """The backquoted names in each cell of the table under ``header``."""
    table = PAGE.split(header, 1)[1].split("\n\n", 1)[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return [[re.findall("`([^`]+)`", cell) for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_table_of_columns() -> None:
    table = rows("| column | attribute |\n|---|---|\n")
    assert len(table) == 10
    for columns, attributes in table:
        found = attribute_names(columns)
        assert [found[name] for name in columns] == attributes


def test_the_table_of_paths() -> None:
    table = rows("| name | segment |\n|---|---|\n")
    assert len(table) == 6
    for (name,), (segment,) in table:
        assert path_segment(name) == segment


def test_the_table_of_contracts() -> None:
    table = rows("| contract | package | models | transformations |\n|---|---|---|---|\n")
    assert len(table) == 5
    for (name,), (package,), models, transformations in table:
        assert module_slug(name) == package
        assert models[0] in (class_name(singular(package)), f"{class_name(singular(package))}Row")
        assert transformations[0] == f"Prepare{class_name(package)}"
