"""docs/sql.md holds every function, and only examples that are supported."""

from __future__ import annotations

from etlgen.sql.aggregates import AGGREGATES, GROUP_FUNCTIONS
from etlgen.sql.functions import FUNCTIONS
from etlgen.sql.page import sql_page


def rows() -> list[list[str]]:
    lines = [line for line in sql_page().splitlines() if line.startswith("| ") and not line.startswith("| written")]
    return [line.replace("\\|", "<pipe>").strip("| ").split(" | ") for line in lines]


def test_every_function_has_a_row_of_five_cells() -> None:
    found = rows()
    assert len(found) == len(FUNCTIONS) + len(GROUP_FUNCTIONS)
    for function, row in zip(
        sorted((*FUNCTIONS, *GROUP_FUNCTIONS), key=lambda one: list(type(one.group)).index(one.group)),
        found,
        strict=True,
    ):
        assert len(row) == 5
        assert all(f"`{spelling}`".replace("|", "<pipe>") in row[0] for spelling in function.spellings)
        assert row[4] == function.meaning.replace("|", "<pipe>")


def test_optional_and_repeated_arguments_are_marked() -> None:
    arguments = {row[0]: row[1] for row in rows()}
    assert arguments["`round()`"] == "value: number, [digits: integer]"
    assert arguments["`greatest()`"] == "value: any…"


def test_aggregates_and_refusals_are_listed() -> None:
    page = sql_page()
    assert all(f"`{name}`" in page for name in AGGREGATES)
    assert "`random`" in page
    assert "SEC-001" in page
