"""Every example on a page is run, and what comes out is what the page says (docs/transformations.md, docs/rules.md, ...)."""

from __future__ import annotations

import csv
import datetime as dt
import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml
from tests.docs.examples import Example, Table, examples
from tests.docs.markdown import ROOT, blocks, pages

from etlgen.conformance.case import Case
from etlgen.conformance.execute import execute
from etlgen.conformance.execution import Execution
from etlgen.read.olc.operations import KINDS

ALL = [example for page in pages() for example in examples(page)]
WHOLE = ("transformations.md", "rules.md")
"""Pages on which every YAML block is an example."""

LATER = {"split", "json_extract", "explode", "date_range_explode", "pivot", "unpivot", "sql"}


@pytest.mark.parametrize("example", ALL, ids=str)
def test_an_example_does_what_the_page_says(example: Example, tmp_path: Path) -> None:
    done = _run(example, tmp_path)
    if example.refused:
        assert done.stop is not None
        assert example.refused in done.stop.text
        return
    assert done.stop is None, done.stop.text
    expected, accepted = example.tables["Accepted"], done.accepted
    assert Counter(expected.rows) == _cells(accepted.rows, expected.names)
    assert set(expected.names) == {name for name in accepted.columns if not name.startswith("_etlgen_")}
    assert _bad_rows(example.tables.get("Quarantined")) == _quarantined(example, done)
    assert _counts(example.tables.get("Warned")) == dict(done.warned_rules)
    assert _first_column(example.tables.get("Failed")) == set(done.dataset_rules_failed)


def test_every_operation_has_a_section() -> None:
    text = (ROOT / "docs" / "transformations.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^### (\w+)$", text, re.M)) == KINDS.keys() - LATER


@pytest.mark.parametrize("name", WHOLE)
def test_every_yaml_block_of_these_pages_is_an_example(name: str) -> None:
    page = ROOT / "docs" / name
    unmarked = [str(block) for block in blocks(page) if block.language == "yaml" and not block.mark]
    assert unmarked == []


def test_a_table_under_an_unknown_label_is_no_silent_gap(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- run -->\n```yaml\n- drop: { columns: [b] }\n```\n\nAcepted:\n\n| a |\n|---|\n| 1 |\n")
    with pytest.raises(ValueError, match="Acepted"):
        list(examples(page))


def test_cells_tell_null_from_empty_text_and_keep_blanks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    table = '\n\n| a integer | b |\n|---|---|\n| NULL | `""` |\n| 1 | `" x "` |\n'
    page.write_text(f"<!-- run -->\n```yaml\n- drop: {{ columns: [c] }}\n```\n\nInput:{table}\nAccepted:{table}")
    (example,) = examples(page)
    assert example.tables["Input"].columns == (("a", "integer"), ("b", ""))
    assert example.tables["Accepted"].rows == ((None, ""), ("1", " x "))


# --- the contract around an example -----------------------------------------------------------------------------------


def _run(example: Example, folder: Path) -> Execution:
    root = folder / "case"
    root.mkdir()
    is_odcs = "kind: DataContract" in example.block.text
    contract = root / ("contract.odcs.yaml" if is_odcs else "contract.olc.yaml")
    contract.write_text(example.block.text if is_odcs else _contract(example), encoding="utf-8")
    for name, table in example.tables.items():
        if name == "Input" or name.startswith("Link "):
            _write(root / f"{name.removeprefix('Link ').lower()}.csv", table)
    case = Case(
        id="example",
        folder=root,
        display="example",
        contract=contract,
        level="core-runtime",
        feature="",
        input=None if example.refused else root / "input.csv",
    )
    return execute(case, "polars", folder / "work")


def _contract(example: Example) -> str:
    """The contract that the fragment is part of: its own text, and the keys that it lacks."""
    text = example.block.text
    if isinstance(yaml.safe_load(text), list):
        text = "transformations:\n" + textwrap.indent(text, "  ")
    written = yaml.safe_load(text).keys()
    extensions: dict[str, object] = {}
    whole: dict[str, object] = {
        "version": "1.0.0",
        "info": {"title": "Example", "table_name": "example"},
        "source": {"type": "landing", "path": "input.csv", "format": "csv"},
    }
    if "model" not in written:
        source, accepted = example.tables["Input"].fields, example.tables["Accepted"].fields
        whole["model"] = {"fields": accepted}
        if source != accepted:
            extensions["etlgen.source_fields"] = source
    if example.links:
        whole["links"] = [{"name": name, "path": f"{name}.csv", "type": "csv"} for name in example.links]
        extensions["etlgen.link_fields"] = {name: table.fields for name, table in example.links.items()}
    whole["extensions"] = extensions
    return yaml.safe_dump({key: value for key, value in whole.items() if key not in written}) + text


def _write(path: Path, table: Table) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table.names)
        for row in table.rows:  # quotes make text of an empty cell, none make NULL of it
            file.write(",".join("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n")


# --- outcomes ---------------------------------------------------------------------------------------------------------


def _cells(rows: Sequence[Mapping[str, object]], names: Sequence[str]) -> Counter[tuple[str | None, ...]]:
    return Counter(tuple(_text(row.get(name)) for name in names) for row in rows)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.date | dt.datetime | dt.time):
        return value.isoformat()
    return None if value is None else str(value)


def _bad_rows(table: Table | None) -> Counter[tuple[str | None, ...]]:
    if table is None:
        return Counter()
    assert table.names[-1] == "rules", "the last column of `Quarantined` holds the failed rules"
    return Counter((*row[:-1], ", ".join(sorted((row[-1] or "").replace("`", "").split(", ")))) for row in table.rows)


def _quarantined(example: Example, done: Execution) -> Counter[tuple[str | None, ...]]:
    table = example.tables.get("Quarantined")
    names = table.names[:-1] if table else ()
    return Counter(
        (*(_text(row.get(name)) for name in names), ", ".join(_rules(row.get("_etlgen_errors"))))
        for row in done.quarantined.rows
    )


def _rules(errors: object) -> list[str]:
    assert isinstance(errors, Sequence)
    return sorted({str(error["rule"]) for error in errors})


def _counts(table: Table | None) -> dict[str, int]:
    return {} if table is None else {str(row[0]): int(row[1] or 0) for row in table.rows}


def _first_column(table: Table | None) -> set[str]:
    return set() if table is None else {str(row[0]) for row in table.rows}
