"""Generated pages are fresh, and every link leads somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, anchors, links, pages
from tests.docs.write_pages import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_fresh(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_and_anchors_that_exist(page: Path) -> None:
    broken: list[str] = []
    for line, target in links(page):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        goal = page if not path else (page.parent / path).resolve()
        missing_anchor = anchor and goal.suffix == ".md" and goal.is_file() and anchor not in anchors(goal)
        if not goal.exists() or not goal.is_relative_to(ROOT) or missing_anchor:
            broken.append(f"{page.name}:{line}: {target}")
    assert broken == []


def test_the_index_links_every_page() -> None:
    linked = {(DOCS / target.partition("#")[0]).resolve() for _, target in links(DOCS / "README.md")}
    assert set(DOCS.rglob("*.md")) - linked == {DOCS / "README.md"}
