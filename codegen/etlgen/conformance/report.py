"""Results as a table, as JSON or as JUnit XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal
from xml.etree import ElementTree as ET

from etlgen.conformance.case import Level
from etlgen.diagnostics.render import json_text

Format = Literal["table", "json", "junit"]


class Outcome(StrEnum):
    """PASS and FAIL judge the engine; UNSUPPORTED is a gap that it declares; SKIP was not tried."""

    PASS = "PASS"
    FAIL = "FAIL"
    UNSUPPORTED = "UNSUPPORTED"
    SKIP = "SKIP"


@dataclass(frozen=True, slots=True)
class Result:
    """One case on one engine. ``path`` is relative to the folder that was walked."""

    id: str
    path: str
    engine: str
    level: Level
    outcome: Outcome
    reasons: tuple[str, ...] = ()
    duration_ms: float = 0.0


def render(results: Sequence[Result], fmt: Format) -> str:
    """All results as text that ends with a line break."""
    if fmt == "json":
        return _json(results)
    return _junit(results) if fmt == "junit" else _table(results)


def _summary(results: Sequence[Result]) -> str:
    counts = Counter(result.outcome for result in results)
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome])


def _table(results: Sequence[Result]) -> str:
    header = ("outcome", "case", "engine", "ms", "path")
    rows = [(r.outcome.value, r.id, r.engine, f"{r.duration_ms:.0f}", r.path) for r in results]
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    lines: list[str] = []
    for row, reasons in zip((header, *rows), ((), *(r.reasons for r in results)), strict=True):
        lines.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        lines += [f"    {line}" for reason in reasons for line in reason.splitlines()]
    return "\n".join((*lines, "", _summary(results), ""))


def _json(results: Sequence[Result]) -> str:
    items = [
        {
            "id": result.id,
            "path": result.path,
            "engine": result.engine,
            "outcome": result.outcome.value,
            "reasons": list(result.reasons),
            "duration_ms": round(result.duration_ms, 1),
        }
        for result in results
    ]
    return json_text({"results": items}) + "\n"


def _junit(results: Sequence[Result]) -> str:
    counts = Counter(result.outcome for result in results)
    suite = ET.Element(
        "testsuite",
        name="conformance",
        tests=str(len(results)),
        failures=str(counts[Outcome.FAIL]),
        skipped=str(counts[Outcome.SKIP] + counts[Outcome.UNSUPPORTED]),
        time=f"{sum(result.duration_ms for result in results) / 1000:.3f}",
    )
    for result in results:
        item = ET.SubElement(
            suite,
            "testcase",
            classname=f"{result.engine}.{result.path.replace('/', '.')}",
            name=result.id,
            time=f"{result.duration_ms / 1000:.3f}",
        )
        text = _xml_text("\n".join(result.reasons))
        if result.outcome is Outcome.FAIL:
            ET.SubElement(item, "failure", message=text.split("\n")[0]).text = text
        elif result.outcome is not Outcome.PASS:
            ET.SubElement(item, "skipped", message=f"{result.outcome.value}: {text}")
    ET.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _xml_text(text: str) -> str:
    """XML 1.0 has no place for most control characters."""
    return "".join(char if char in "\t\n\r" or ord(char) >= 0x20 else "\ufffd" for char in text)
