"""Writes the generated pages of docs/: ``python -m tests.docs.write_pages``. A test keeps them fresh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from etlgen.cli.page import cli_page
from etlgen.diagnostics.pages import diagnostics_page
from etlgen.read.contracts_page import contracts_page
from etlgen.sql.page import sql_page

DOCS = Path(__file__).parents[2] / "docs"

PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "contracts.md": contracts_page,
    "diagnostics.md": diagnostics_page,
    "sql.md": sql_page,
}
"""Generated pages: file in docs/ and the function that writes its text."""


def write_pages() -> None:
    """Write every page; say which changed."""
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"updated  docs/{name}")


if __name__ == "__main__":
    write_pages()
