"""Names and texts as authors write them: each one reaches its own column, and nothing of it is executed or lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.e2e.packages import Builder, contract, failed_rules, rows, table

NAMES = [
    "class", "from", "True", "Group By", "group-by", "group_by", "2nd", "été", "数量", "*", "^a$", "^.*$", "a", "a'b", 'say "x"',
    "back\\slash", "two\nlines", "{x}", "{{ 7 * 7 }}", "{% raw %}", "%s", "$1", "#", "a.b", "a,b", "a;b", "self", "model_config",
    "rows", "pl", "fn", "null", "None", "len", "source", "​zero", "👍", "é", "e\u0301", "UPPER", "select", "_x", "x_", "-",
]  # fmt: skip
"""Keywords, quotes, blanks, Unicode, digits first, colliding slugs, names that Polars takes for patterns, template syntax."""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def value(number: int, row: int) -> int:
    """Every cell of a table has a value of its own."""
    return row * 1000 + number


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three rows; in the second every cell is one too large for its rule, in the third none is a number."""
    good = {name: str(value(number, 1)) for number, name in enumerate(NAMES)}
    large = {name: str(value(number, 1) + 1) for number, name in enumerate(NAMES)}
    text = dict.fromkeys(NAMES, "x")
    lines = (json.dumps(row, ensure_ascii=False) for row in (good, large, text))
    (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_every_name_as_field_rule_and_derived_column(build: Builder, root: Path) -> None:
    fields = [{"name": name, "type": "integer", "max": value(number, 1)} for number, name in enumerate(NAMES)]
    rules = [{"name": f"rule of {name}", "sql": f"{quoted(name)} <= {value(i, 1)}"} for i, name in enumerate(NAMES)]
    steps = [{"derive": {"field": f"{name} twice", "sql": f"{quoted(name)} * 2"}} for name in NAMES]
    derived = [{"name": f"{name} twice", "type": "integer"} for name in NAMES]
    pipeline = build(
        contract([*fields, *derived], path="in.jsonl", transformations=steps, quality={"row_rules": rules})
    )
    result = pipeline.run(root)
    (row,) = table(result.accepted).to_dicts()
    assert row == {name: value(number, 1) for number, name in enumerate(NAMES)} | {
        f"{name} twice": 2 * value(number, 1) for number, name in enumerate(NAMES)
    }
    failed = {r.rule: r.failed for r in result.report.failed_rules}
    assert failed == {f"rule of {name}": 1 for name in NAMES} | {f"{name}_range": 1 for name in NAMES} | {
        f"{name}_type": 1 for name in NAMES
    }
    found = table(result.quarantined)
    assert found.columns[: len(NAMES)] == NAMES
    large = next(raw for raw in found.rows(named=True) if raw["a"] != "x")
    assert {name: large[name] for name in NAMES} == {n: str(value(i, 1) + 1) for i, n in enumerate(NAMES)}
    assert json.loads(large["_etlgen_raw"]) == {n: str(value(i, 1) + 1) for i, n in enumerate(NAMES)}


def test_every_name_in_the_operations_of_pre(build: Builder, root: Path) -> None:
    """Trimmed, lower-cased, renamed, defaulted, mapped, filtered by and deduplicated by each name."""
    steps: list[dict[str, Any]] = [
        {"trim": {"fields": NAMES}, "phase": "pre"},
        {"lower": {"fields": NAMES}, "phase": "pre"},
        {"rename": {"mappings": {name: f"new {name}" for name in NAMES}}, "phase": "pre"},
        *({"coalesce": {"field": f"new {name}", "sources": [f"new {name}"], "default": "d"}, "phase": "pre"} for name in NAMES),
        *({"map_values": {"field": f"new {name}", "mapping": {"x": "X"}}, "phase": "pre"} for name in NAMES),
        {"filter": {"sql": " AND ".join(f"{quoted('new ' + name)} <> '-'" for name in NAMES)}, "phase": "pre"},
        {"deduplicate": {"on": [f"new {name}" for name in NAMES], "sort_by": ["new a"], "order": "desc"}, "phase": "pre"},
    ]  # fmt: skip
    fields = [f"new {name}: string!" for name in NAMES]
    names = [{"name": name, "type": "string"} for name in NAMES]
    pipeline = build(
        contract(fields, path="in.jsonl", transformations=steps, extensions={"etlgen.source_fields": names})
    )
    result = pipeline.run(root)
    found = {row["new a"]: row for row in table(result.accepted).to_dicts()}
    assert len(found) == 3
    assert found["X"] == {f"new {name}": "X" for name in NAMES}
    first = found[str(value(NAMES.index("a"), 1))]
    assert first == {f"new {name}": str(value(number, 1)) for number, name in enumerate(NAMES)}


def test_every_name_in_links_and_dataset_rules(build: Builder, tmp_path: Path) -> None:
    """Each name as key and as value of a lookup, and in rules over the dataset, native ones and SQL."""
    some = ["class", "Group By", "*", "^a$", 'say "x"', "two\nlines", "{{ 7 * 7 }}", "数量", "a.b"]
    link = {name: [str(number), "other"] for number, name in enumerate(some)}
    pl.DataFrame({"key": ["1", "2"], **link}).write_parquet(tmp_path / "link.parquet")
    pl.DataFrame([dict.fromkeys(some, "1"), dict.fromkeys(some, "2")]).write_csv(tmp_path / "in.csv")
    steps = [
        {"lookup": {"field": f"found {name}", "reference": "the link", "on": name, "key": "key", "value": name}}
        for name in some
    ]
    quality = {
        "dataset_rules": [
            {"unique": some},
            *({"null_ratio": {"field": name, "max": 0.0}} for name in some),
            *({"name": f"sum {i}", "sql": f"SELECT count({quoted(name)}) = 2 FROM source"} for i, name in enumerate(some)),
        ],
        "row_rules": [
            {"referential_integrity": {"field": name, "reference": "the link", "key": "key"}} for name in some
        ],
    }  # fmt: skip
    text = contract(
        [f"{name}: string!" for name in some] + [f"found {name}: string" for name in some],
        links=[{"name": "the link", "path": "link.parquet", "type": "parquet"}],
        transformations=steps,
        quality=quality,
        extensions={
            "etlgen.link_fields": {"the link": [{"name": name, "type": "string"} for name in ["key", *some]]},
        },
    )
    result = build(text).run(tmp_path)
    assert result.status == "succeeded", result.report.dataset_rules
    first = next(row for row in table(result.accepted).to_dicts() if row["class"] == "1")
    assert {name: first[f"found {name}"] for name in some} == {name: str(i) for i, name in enumerate(some)}


HOSTILE = [
    'quote " and \' and """', "line\nbreak", "{{ 7 * 7 }} {% if %} {# c #}", "back\\slash \\n \\", "{0} {name} %s %(x)s $x", "",
    "\u202e right to left", "*/ -- ; DROP", "tab\tand \r return", "'''", "# comment", "unicode é 数量 👍",
]  # fmt: skip


def test_hostile_texts_stay_texts(build: Builder, tmp_path: Path) -> None:
    """As title, description, rule names, accepted values, mapped values, defaults, labels and literals in SQL."""
    fields: list[Any] = [
        {"name": "id", "type": "long", "description": "\n".join(HOSTILE)},
        {"name": "v", "type": "string", "accepted_values": HOSTILE, "description": HOSTILE[2]},
        "w: string",
    ]
    text = contract(
        fields,
        name="texts",
        path="in.jsonl",
        transformations=[
            {"map_values": {"field": "w", "mapping": {str(i): words for i, words in enumerate(HOSTILE)}}, "phase": "pre"}
        ],
        quality={
            "row_rules": [
                {"name": f"r {words}", "sql": "v <> '" + words.replace("'", "''") + "'", "severity": "info",
                 "description": words}
                for words in HOSTILE if words
            ]
        },
    )  # fmt: skip
    lines = [json.dumps({"id": i, "v": words, "w": str(i)}) for i, words in enumerate(HOSTILE)]
    (tmp_path / "in.jsonl").write_text("\n".join([*lines, '{"id": 99, "v": "49", "w": "?"}']))
    result = build(text).run(tmp_path)
    assert rows(result.accepted) == sorted(((i, w, w) for i, w in enumerate(HOSTILE)), key=repr)
    assert failed_rules(result.quarantined, "id") == {"99": ["v_accepted_values"]}
    warned = {r.rule: r.failed for r in result.report.warned_rules}
    assert warned == {f"r {words}": 1 for words in HOSTILE if words}
