"""JSON files that do not stay in memory: source and link go through the run's staging folder, which is removed."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.packages import Builder, contract, table

from etlgen_runtime import Callbacks

ROWS = 40_000
TEXT = "x" * 1000


def test_source_and_link_larger_than_memory_parts(build: Builder, tmp_path: Path) -> None:
    with (tmp_path / "in.jsonl").open("w") as file:
        file.writelines(f'{{"id": {number}, "ref": {number % 7}, "v": "{TEXT}"}}\n' for number in range(ROWS))
        file.write(f'{{"id": "none", "ref": 3.5, "v": null}}\n{{"id": {ROWS}, "ref": null, "v": "y"}}\n')
    with (tmp_path / "ref.json").open("w") as file:
        pairs = ",".join(f'{{"key": {number}, "name": "{number}{TEXT}"}}' for number in range(ROWS))
        file.write(f"[{pairs}]")
    text = contract(
        ["id: long!", "ref: long", "v: string"],
        path="in.jsonl",
        links=[{"name": "ref", "path": "ref.json", "type": "json"}],
        transformations=[{"lookup": {"field": "name", "reference": "ref", "on": "ref", "key": "key", "value": "name"}}],
    )
    parts: set[Path] = set()

    def look(number: int, name: str) -> None:
        parts.update((tmp_path / ".etlgen").rglob("*.arrow"))

    result = build(text).run(tmp_path, callbacks=Callbacks(on_step_start=look))
    rows = table(result.accepted).sort("id")
    assert len(parts) >= 3
    assert not [part for part in parts if part.exists()]
    assert rows["id"].to_list() == [*range(ROWS), ROWS]
    assert rows["v"].to_list() == [TEXT] * ROWS + ["y"]
    assert rows["name"].to_list() == [f"{number % 7}{TEXT}" for number in range(ROWS)] + [None]
    assert (result.report.accounting.read, result.report.accounting.bad_pre) == (ROWS + 2, 1)
    assert table(result.quarantined)["id"].to_list() == ["none"]
