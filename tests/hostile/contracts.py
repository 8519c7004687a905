"""Random contracts with hostile texts in every place, their data, and what must come out: worked out here in plain Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from random import Random
from typing import Any, Literal

import yaml
from tests.hostile import strings

Row = dict[str, str | int | None]
Vocabulary = Literal["olc", "odcs"]


@dataclass(frozen=True, slots=True)
class Expected:
    """The outcome of a run over the generated data.

    Args:
        rows: Published rows.
        quarantined: How many rows are bad.
        failed: Bad rows by the rules that the contract names.
        dataset_rules: Rules over the dataset; all pass.
    """

    rows: tuple[Row, ...]
    quarantined: int
    failed: Mapping[str, int]
    dataset_rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One contract. ``target`` is empty where it takes its default. ``expected`` is ``None`` where it was broken on purpose: it may be refused, never end in a traceback."""

    number: int
    vocabulary: Vocabulary
    document: Mapping[str, Any]
    text: str
    files: Mapping[str, bytes]
    target: str
    expected: Expected | None


@dataclass(slots=True)
class _Draft:
    """A contract being made, with the state of its rows after what was added so far."""

    random: Random
    folder: str
    columns: list[str]
    found: list[Row]
    rows: list[Row]
    operations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    rules: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    dataset_rules: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    links: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    link_fields: dict[str, Any] = field(default_factory=dict[str, Any])
    fields: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    failed: dict[str, int] = field(default_factory=dict[str, int])
    bad: set[int] = field(default_factory=set[int])
    used: list[str] = field(default_factory=list[str])

    @property
    def key(self) -> str:
        return self.columns[0]

    def new_column(self) -> str:
        (name,) = strings.names(self.random, 1, tuple(self.used))
        self.used.append(name)
        return name

    def new_rule(self) -> str:
        (name,) = strings.names(self.random, 1, tuple(self.failed))
        self.failed[name] = 0
        return name

    def some_text(self) -> str:
        """A text that may stand in the data: often one that does."""
        values = [row[column] for row in self.found for column in self.columns[1:]]
        known = [value for value in values if isinstance(value, str)]
        return self.random.choice(known) if known and self.random.random() < 0.6 else strings.text(self.random)


def quoted(name: str) -> str:
    """A column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def make_case(number: int, seed: int, vocabulary: Vocabulary, *, broken: bool = False) -> Case:
    """The case of that number: the same for the same seed.

    Args:
        broken: Spoil it by one of :data:`SPOILERS`.
    """
    for attempt in count():
        case = _case(Random(f"{seed}:{number}:{vocabulary}:{attempt}"), number, vocabulary, broken=broken)
        if case is not None:
            return case
    raise AssertionError("unreachable")


def _case(random: Random, number: int, vocabulary: Vocabulary, *, broken: bool) -> Case | None:
    """A case, unless it holds a variable of ODCS v3.2 (`${NAME}`), which this version does not fill in."""
    draft, source = _draft(random, number)
    features = [each for each in _FEATURES if vocabulary == "olc" or each is not _lookup]
    _null_values(draft, source)
    chosen = random.sample(features, k=random.randint(4, len(features)))
    for feature in chosen:
        if feature in _CHECKS:
            feature(draft)
    _drop_bad(draft)
    for feature in chosen:
        if feature not in _CHECKS:
            feature(draft)
    _count(draft)
    (table,) = strings.names(random, 1)
    target = f"{draft.folder}/{strings.segment(random)}/out" if random.random() < 0.7 else ""
    document = (_olc if vocabulary == "olc" else _odcs)(draft, source, f"{table} {number}", target)
    if document.get("apiVersion") == "v3.2.0" and "${" in json.dumps(document):
        return None
    expected: Expected | None = Expected(
        tuple(draft.rows), len(draft.bad), dict(draft.failed), tuple(rule["name"] for rule in draft.dataset_rules)
    )
    if broken:
        document, expected = random.choice(SPOILERS)(random, document), None
    return Case(number, vocabulary, document, _written(random, document), draft.files, target, expected)


def _draft(random: Random, number: int) -> tuple[_Draft, dict[str, Any]]:
    """Columns, seven rows of which one has no key, and the file they stand in."""
    columns = strings.names(random, random.randint(2, 5))
    pool = strings.texts(random, 5)
    folder = f"d{number}"
    keys: list[str] = [*map(str, range(1, 7)), "x"]
    found: list[Row] = [
        {columns[0]: key, **{column: random.choice([None, "", *pool]) for column in columns[1:]}} for key in keys
    ]
    rows = [dict(row) for row in found]
    draft = _Draft(random, folder, columns, found, rows, used=list(columns))
    is_csv = random.random() < 0.7
    name = strings.segment(random) + (".csv" if is_csv else ".jsonl")
    draft.files[f"{folder}/{name}"] = (_csv(columns, found) if is_csv else _json_lines(found)).encode()
    return draft, {"type": "landing", "path": f"{folder}/{name}", "format": "csv" if is_csv else "jsonl"}


def _csv(columns: list[str], rows: list[Row]) -> str:
    """All quoted, so that an empty text differs from NULL."""

    def cell(value: object) -> str:
        return "" if value is None else '"' + str(value).replace('"', '""') + '"'

    lines = [",".join(map(cell, columns)), *(",".join(cell(row[column]) for column in columns) for row in rows)]
    return "\n".join(lines) + "\n"


def _json_lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=row is rows[0]) + "\n" for row in rows)


def _written(random: Random, document: Mapping[str, Any]) -> str:
    """As YAML or as JSON, which is YAML; characters that may not stand in a contract as they are (CTR-003) as escapes."""
    match random.randrange(3):
        case 0 if not _has_long_key(document):
            return json.dumps(document, indent=1)
        case 1 if not (text := yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True)).isascii():
            if not any(char in text for char in "\x85\u2028\u2029"):
                return text
        case _:
            pass
    return yaml.safe_dump(dict(document), sort_keys=False, width=100)


def _has_long_key(document: object) -> bool:
    """A key that JSON spells with more than the 1024 characters that YAML allows a key without `?`."""
    match document:
        case dict():
            return any(len(json.dumps(key)) > 1000 or _has_long_key(value) for key, value in document.items())
        case list():
            return any(map(_has_long_key, document))
        case _:
            return False


# --- what a contract may hold, and what it does to the rows ------------------------------------------------------------


def _null_values(draft: _Draft, source: dict[str, Any]) -> None:
    """Texts of a CSV file that mean NULL."""
    if source["format"] != "csv" or draft.random.random() < 0.5:
        return
    words = [draft.some_text(), strings.text(draft.random)]
    source["options"] = {"null_values": words}
    for row in draft.rows:
        row.update({column: None for column in draft.columns[1:] if row[column] in words})


def _fail(draft: _Draft, rule: str, numbers: list[int]) -> None:
    draft.failed[rule] = len(numbers)
    draft.bad.update(numbers)


def _accepted_values(draft: _Draft) -> None:
    """A row rule over a list of texts; NULL fails."""
    column, rule = draft.random.choice(draft.columns[1:]), draft.new_rule()
    values = list(
        dict.fromkeys([draft.some_text(), *strings.texts(draft.random, 2), *(v for v in _values(draft, column) if v)])
    )
    values = values[: draft.random.randint(1, len(values))]
    draft.rules.append({"accepted_values": {"field": column, "values": values}, "name": rule})
    _fail(draft, rule, [n for n, row in enumerate(draft.rows) if row[column] not in values])


def _values(draft: _Draft, column: str) -> list[str]:
    return [value for row in draft.rows if isinstance(value := row[column], str)]


def _sql_rule(draft: _Draft) -> None:
    """TRUE unless the text is there; NULL passes as it is written."""
    column, rule, text = draft.random.choice(draft.columns[1:]), draft.new_rule(), draft.some_text()
    sql = f"{quoted(column)} <> {literal(text)} OR {quoted(column)} IS NULL"
    draft.rules.append({"name": rule, "sql": sql, "description": strings.text(draft.random)})
    _fail(draft, rule, [n for n, row in enumerate(draft.rows) if row[column] == text])


def _allowed_values(draft: _Draft) -> None:
    """A constraint of a field: NULL passes. Its rule has a name of its own making, so only the rows are looked at."""
    column = draft.random.choice(draft.columns[1:])
    values = list(dict.fromkeys([*_values(draft, column)[:4], draft.some_text()]))
    draft.fields.setdefault(column, {})["accepted_values"] = values
    draft.bad.update(n for n, row in enumerate(draft.rows) if row[column] is not None and row[column] not in values)


def _drop_bad(draft: _Draft) -> None:
    """Step 5, and the key as the number that it is."""
    draft.bad.add(len(draft.rows) - 1)
    draft.rows = [row | {draft.key: int(str(row[draft.key]))} for n, row in enumerate(draft.rows) if n not in draft.bad]


def _map_values(draft: _Draft) -> None:
    column = draft.random.choice(draft.columns[1:])
    mapping = {draft.some_text(): strings.text(draft.random) for _ in range(3)}
    operation: dict[str, Any] = {"field": column, "mapping": mapping}
    default = strings.text(draft.random) if draft.random.random() < 0.5 else None
    if default is not None:
        operation["default"] = default
    draft.operations.append({"map_values": operation})
    for row in draft.rows:
        value = row[column]
        otherwise = value if default is None else default
        row[column] = mapping.get(value, otherwise) if isinstance(value, str) else otherwise


def _derive(draft: _Draft) -> None:
    column, text, name = draft.random.choice(draft.columns[1:]), strings.text(draft.random), draft.new_column()
    draft.operations.append({"derive": {"field": name, "sql": f"{quoted(column)} || {literal(text)}"}})
    for row in draft.rows:
        value = row[column]
        row[name] = value + text if isinstance(value, str) else None


def _coalesce(draft: _Draft) -> None:
    column, text, name = draft.random.choice(draft.columns[1:]), strings.text(draft.random), draft.new_column()
    draft.operations.append({"coalesce": {"field": column, "sources": [column], "default": text, "output": name}})
    for row in draft.rows:
        row[name] = text if row[column] is None else row[column]


def _filter(draft: _Draft) -> None:
    column, text = draft.random.choice(draft.columns[1:]), draft.some_text()
    draft.operations.append({"filter": {"sql": f"{quoted(column)} IS NULL OR {quoted(column)} <> {literal(text)}"}})
    draft.rows = [row for row in draft.rows if row[column] != text]


def _lookup(draft: _Draft) -> None:
    """A link of CSV with two columns; texts that are not found get the default."""
    random = draft.random
    key, value = strings.names(random, 2)
    (link,) = strings.names(random, 1, ("source", "dataset", "{dataset}", *(each["name"] for each in draft.links)))
    column, name, default = random.choice(draft.columns[1:]), draft.new_column(), strings.text(random)
    known = [text for text in dict.fromkeys([draft.some_text(), *strings.texts(random, 2)]) if text]
    table: list[Row] = [{key: text, value: strings.text(random)} for text in known]
    path = f"{draft.folder}/{strings.segment(random)}.csv"
    if path in draft.files:
        return
    draft.files[path] = _csv([key, value], table).encode()
    draft.links.append({"name": link, "path": path, "type": "csv"})
    draft.link_fields[link] = [{"name": key, "type": "string"}, {"name": value, "type": "string"}]
    operation = {"field": name, "reference": link, "on": column, "key": key, "value": value, "default_value": default}
    draft.operations.append({"lookup": operation})
    found = {row[key]: row[value] for row in table}
    for row in draft.rows:
        row[name] = found.get(row[column], default)


def _count(draft: _Draft) -> None:
    """A rule over the rows that are published, in SQL."""
    column, text = draft.random.choice(draft.columns[1:]), draft.some_text()
    found = sum(row[column] == text for row in draft.rows)
    sql = f"SELECT count(*) = {found} FROM source WHERE {quoted(column)} = {literal(text)}"
    (name,) = strings.names(draft.random, 1, tuple(draft.failed))
    draft.dataset_rules.append({"name": name, "sql": sql, "description": strings.text(draft.random)})


_CHECKS = (_accepted_values, _sql_rule, _allowed_values)
_FEATURES = (*_CHECKS, _map_values, _derive, _coalesce, _filter, _lookup)


# --- documents ----------------------------------------------------------------------------------------------------------


def _shared(draft: _Draft, source: dict[str, Any], target: str) -> dict[str, Any]:
    return {
        "source": source,
        "transformations": draft.operations,
        "quality": {"row_rules": draft.rules, "dataset_rules": draft.dataset_rules},
        "materialization": {
            "strategy": "overwrite",
            "format": "parquet",
            **({"target_path": target} if target else {}),
        },
    }


def _olc(draft: _Draft, source: dict[str, Any], table: str, target: str) -> dict[str, Any]:
    text = partial(strings.text, draft.random, planted=0.5)
    fields: list[dict[str, Any]] = [{"name": draft.key, "type": "long", "required": True, "description": text()}]
    fields += [
        {"name": column, "type": "string", "description": text(), **draft.fields.get(column, {})}
        for column in draft.columns[1:]
    ]
    document: dict[str, Any] = {
        "version": "1.0.0",
        "info": {
            "title": text(),
            "table_name": table,
            "description": text(),
            "owner": text(),
            "contact": {"email": text()},
        },
        "metadata": {"tags": [text(), text()], text(): text()},
        "model": {"fields": fields, "grain": text()},
        **_shared(draft, source, target),
    }
    if draft.links:
        document |= {
            "links": draft.links,
            "extensions": {"etlgen.link_fields": draft.link_fields, "com.acme.x": {text(): text()}},
        }
    return document


def _odcs(draft: _Draft, source: dict[str, Any], table: str, target: str) -> dict[str, Any]:
    text = partial(strings.text, draft.random, planted=0.5)
    settings = _shared(draft, source, target)
    properties: list[dict[str, Any]] = [{"name": draft.key, "logicalType": "integer", "required": True}]
    for column in draft.columns[1:]:
        values = draft.fields.get(column, {}).get("accepted_values")
        properties.append(
            {
                "name": column,
                "logicalType": "string",
                "description": text(),
                "businessName": text(),
                "tags": [text()],
                **(
                    {"enum": [{"value": value, "label": "x", "description": text()} for value in values]}
                    if values
                    else {}
                ),
            }
        )
    enums = any("enum" in each for each in properties)
    document: dict[str, Any] = {
        "apiVersion": "v3.2.0" if enums else "v3.1.0",
        "kind": "DataContract",
        "id": f"c{len(table)}",
        "version": "1.0.0",
        "status": "active",
        "name": text(),
        "domain": text(),
        "tags": [text()],
        "description": {"purpose": text(), "usage": text(), "limitations": text()},
        "schema": [
            {
                "name": table,
                "physicalName": text(),
                "businessName": text(),
                "description": text(),
                "dataGranularityDescription": text(),
                "properties": properties,
                "customProperties": [{"property": "etlgen", "value": settings}, {"property": "x", "value": text()}],
            }
        ],
    }
    return document


# --- spoilers -----------------------------------------------------------------------------------------------------------


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every scalar of a document."""
    if isinstance(value, dict):
        return [found for key, each in value.items() for found in _paths(each, (*path, key))]
    if isinstance(value, list):
        return [found for number, each in enumerate(value) for found in _paths(each, (*path, number))]
    return [path]


def replaced(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """A copy of a document with another value at one place."""
    if not path:
        return value
    first, *rest = path
    if isinstance(document, dict):
        return document | {first: replaced(document.get(first), tuple(rest), value)}
    return [replaced(each, tuple(rest), value) if number == first else each for number, each in enumerate(document)]


def _hostile_scalar(random: Random, document: Any) -> Any:
    """Any text anywhere."""
    return replaced(document, random.choice(_paths(document)), strings.text(random, planted=0.8))


def _other_kind(random: Random, document: Any) -> Any:
    """A value of another kind anywhere."""
    other: Any = random.choice([None, 1, 1.5, True, [], {}, [[]], {"x": {"y": []}}, -(10**40), float("inf"), "\0", ""])
    return replaced(document, random.choice(_paths(document)), other)


def _hostile_sql(random: Random, document: Any) -> Any:
    places = [path for path in _paths(document) if path[-1] == "sql"] or _paths(document)
    statement = random.choice(
        ["1; DROP TABLE source", "read_text('x')", "COLUMNS(*)", "(SELECT 1 FROM 'x.csv')", "((((", "'", "/*"]
    )
    return replaced(document, random.choice(places), statement)


def _hostile_path(random: Random, document: Any) -> Any:
    places = [path for path in _paths(document) if path[-1] in ("path", "target_path", "physicalName")]
    path = random.choice(
        [
            "/etc/passwd",
            "../../x",
            "~/x",
            "C:\\x",
            "a\0b",
            "",
            " ",
            "https://h/x",
            "/dev/zero",
            "x" * 5000,
            "a\\..\\..\\x",
        ]
    )
    return replaced(document, random.choice(places), path)


def _hostile_name(random: Random, document: Any) -> Any:
    places = [path for path in _paths(document) if path[-1] in ("name", "field", "table_name", "type", "logicalType")]
    name = random.choice(
        [
            "__etlgen_raw",
            "_etlgen_errors",
            "",
            " ",
            "\t",
            "x" * 3000,
            "\0",
            "\n",
            "a\ufeff",
            "__etlgen_unfit_x",
            "\ufdd0",
        ]
    )
    return replaced(document, random.choice(places), name)


SPOILERS = (_hostile_scalar, _other_kind, _hostile_sql, _hostile_path, _hostile_name)
