"""Markdown files of the repository: their fenced blocks, links and anchors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_SKIPPED = {".venv", ".git", "node_modules", "data", ".etlgen"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Args:
        language: The word after the fence, ``yaml`` say.
        text: The lines between the fences.
        mark: The HTML comment on the line before the block, without its brackets; empty without one.
    """

    file: Path
    line: int
    language: str
    text: str
    mark: str

    def __str__(self) -> str:
        file = self.file.relative_to(ROOT) if self.file.is_relative_to(ROOT) else self.file
        return f"{file.as_posix()}:{self.line}"


def pages() -> list[Path]:
    """Every Markdown file that a reader sees."""
    found = [path for path in ROOT.rglob("*.md") if not _SKIPPED & set(path.relative_to(ROOT).parts[:-1])]
    return sorted(path for path in found if "expected" not in path.parts)


def blocks(file: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    mark, start, language, inside = "", 0, "", list[str]()
    fence = ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        opening = re.match(r"\s*(```+|~~~+)\s*([\w-]*)", line)
        if fence:
            if line.strip() == fence:
                yield Block(file, start, language, "\n".join(inside) + "\n", mark)
                fence, mark = "", ""
            else:
                inside.append(line)
        elif opening:
            fence, language, start, inside = opening[1], opening[2], number, []
        elif line.strip():
            comment = re.fullmatch(r"\s*<!--\s*(.*?)\s*-->\s*", line)
            mark = comment[1] if comment else ""


def links(file: Path) -> Iterator[tuple[int, str]]:
    """(line, target) of every link and image, code aside."""
    fenced = False
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced:
            plain = re.sub(r"`[^`]*`", "", re.sub(r"\[`[^`]*`\]", "[]", line))
            for target in re.findall(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)", plain):
                yield number, target


def anchors(file: Path) -> set[str]:
    """Anchors of a page: its headings as GitHub names them, and those written as HTML."""
    text = file.read_text(encoding="utf-8")
    found = set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text))
    seen: dict[str, int] = {}
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", re.sub(r"```.*?```", "", text, flags=re.S), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found
