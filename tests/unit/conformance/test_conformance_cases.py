"""The committed cases are well-formed: readable, argued, schema-valid and free of engine names."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from etlgen.conformance.case import Case, load_case
from etlgen.conformance.manifest import Node, read_manifest
from etlgen.conformance.rows import read_rows
from etlgen.conformance.runner import discover

CASES = Path(__file__).parents[3] / "conformance" / "cases"
FOLDERS = discover(CASES)
ENGINE_NAMES = re.compile(r"\b(polars|spark|arrow|pandas)\b", re.IGNORECASE)
REQUIRED_IDS = {f"OLC-EO-00{number}" for number in range(1, 6)}


def load(folder: Path) -> Case:
    return load_case(folder, folder.relative_to(CASES).as_posix())


def plain(node: Node) -> object:
    """The value of a node without positions."""
    if isinstance(node.value, tuple):
        return [plain(item) for item in node.value]
    if node.value is None or isinstance(node.value, (bool, int, float, str)):
        return node.value
    return {key: plain(item) for key, item in node.value.items()}


@pytest.fixture(scope="module")
def fits_schema() -> Callable[[object], bool]:
    """Whether a contract fits the official JSON Schema."""
    text = files("olc").joinpath("_bundled/schema/open-lakehouse-contract.schema.json").read_text(encoding="utf-8")
    validator: Any = jsonschema.Draft202012Validator(json.loads(text))  # its own type is only partly known

    def fits(contract: object) -> bool:
        return bool(validator.is_valid(contract))

    return fits


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_a_case_is_readable_and_argued(folder: Path, fits_schema: Callable[[object], bool]) -> None:
    case = load(folder)
    assert case.reasoning
    assert case.source
    assert case.feature
    for path in (case.expected.accepted, case.expected.quarantined, case.expected.target):
        assert path is None or len(read_rows(path, path.name)) <= 12
    assert (
        case.expected.stops or case.expected.accepted or case.expected.target or case.assertions.rows_input is not None
    )
    if case.contract.name == "contract.olc.yaml" and case.level != "document":
        assert fits_schema(plain(read_manifest(case.contract, case.contract.name)))


def test_ids_are_unique() -> None:
    counts = Counter(load(folder).id for folder in FOLDERS)
    assert [id_ for id_, count in counts.items() if count > 1] == []


def test_the_cases_that_define_the_order_are_there() -> None:
    assert {load(folder).id for folder in FOLDERS} >= REQUIRED_IDS


def test_no_case_names_an_engine() -> None:
    texts = [path for path in CASES.rglob("*") if path.suffix in (".yaml", ".jsonl", ".csv", ".json")]
    assert [path for path in texts if ENGINE_NAMES.search(path.read_text(encoding="utf-8", errors="replace"))] == []


def test_every_file_of_a_case_is_used() -> None:
    for folder in FOLDERS:
        case = load(folder)
        expected = {case.expected.accepted, case.expected.quarantined, case.expected.target}
        expected |= {path for other in case.also_passes for path in (other.accepted, other.quarantined, other.target)}
        assert set((folder / "expected").rglob("*.jsonl")) <= expected, folder
