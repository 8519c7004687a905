"""OLC to Contract: what each part means."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from etlgen.contract import (
    Bin,
    Bounds,
    Bucket,
    CastTo,
    Coalesce,
    Contract,
    DateDiff,
    Deduplicate,
    Derive,
    Drop,
    Field,
    Filter,
    Join,
    Lookup,
    Lower,
    MapValues,
    Operation,
    Rename,
    Rollup,
    RowRule,
    Select,
    Text,
    Trim,
    Unsupported,
    Upper,
)
from etlgen.diagnostics.model import ContractError, Diagnostic, Position, Severity
from etlgen.read import read_contract, read_text
from etlgen_runtime.types import DATE, INT64, STRING, decimal

HEAD = "version: 1.2.3\ninfo: {title: T, table_name: orders}\n"
MODEL = "model: {fields: [{name: a, type: string}, {name: n, type: int}, {name: d, type: date}]}\n"


SOURCE = "source: {type: landing, path: a.csv, format: csv}\n"


def read(text: str, model: str = MODEL) -> Contract:
    """The contract of these blocks, with a source unless one is among them."""
    source = "" if "source:" in text else SOURCE
    (contract,) = read_text((HEAD + model + text + source).encode(), "c.olc.yaml")
    return contract


def faults(text: str, model: str = MODEL) -> list[Diagnostic]:
    with pytest.raises(ContractError) as caught:
        read(text, model)
    return [found for found in caught.value.diagnostics if found.severity is Severity.ERROR]


def fault(text: str, model: str = MODEL) -> Diagnostic:
    (found,) = faults(text, model)
    return found


def field(text: str) -> Field:
    (found,) = read("", f"model:\n  fields:\n    - {{{text}}}\n").fields
    return found


def operation(text: str) -> Operation:
    (found,) = read(f"transformations: [{{{text}}}]\n").transformations
    return found


def names(texts: tuple[Text, ...]) -> tuple[str, ...]:
    return tuple(text.value for text in texts)


# --- the whole --------------------------------------------------------------------------------------------------------


def test_the_identity_of_a_contract(tmp_path: Path) -> None:
    data = (HEAD + MODEL).encode()
    path = tmp_path / "x.olc.yaml"
    path.write_bytes(data)
    (contract,) = read_contract(path, display="contracts/x.olc.yaml")
    assert (contract.vocabulary, contract.file, contract.name) == ("olc", "contracts/x.olc.yaml", "orders")
    assert (contract.version, contract.title) == ("1.2.3", "T")
    assert contract.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("version: 1.0.0\ninfo: {title: T, table_name: t}\ndataset: d\nmodel: {}\n", "t"),
        ("version: 1.0.0\ninfo: {title: T}\ndataset: d\nmodel: {}\n", "d"),
        ("version: 1.0.0\ninfo: {title: T}\nmodel: {}\n", "my_file"),
    ],
)
def test_the_name_is_table_name_or_dataset_or_file(text: str, name: str) -> None:
    (contract,) = read_text(text.encode(), "contracts/my_file.olc.yaml")
    assert contract.name == name


def test_a_file_that_is_missing_is_a_diagnostic(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as caught:
        read_contract(tmp_path / "none.olc.yaml", display="none.olc.yaml")
    (found,) = caught.value.diagnostics
    assert (found.code, found.at) == ("CTR-014", Position("none.olc.yaml"))


def test_a_folder_is_no_contract(tmp_path: Path) -> None:
    with pytest.raises(ContractError) as caught:
        read_contract(tmp_path)
    assert caught.value.diagnostics[0].code == "CTR-014"


def test_all_errors_come_in_one_go() -> None:
    found = faults(
        "primary_keys: [a]\nquality: {row_rules: [{not_null: a, severity: fatal}]}\nmaterialization: {strategy: merge}\n",
        "model: {fields: [{name: a, type: strin}]}\n",
    )
    assert {item.code for item in found} == {"CTR-020", "CTR-023", "CTR-031", "TYP-070"}


# --- fields -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("name: x, type: int", False),
        ("name: x, type: int, required: true", True),
        ("name: x, type: int, nullable: false", True),
        ("name: x, type: int, nullable: true", False),
        ("name: x, type: int, required: false", False),
    ],
)
def test_required_or_not_nullable(text: str, required: bool) -> None:
    assert field(text).required is required


def test_required_and_nullable_is_required_with_a_warning() -> None:
    contract = read("", "model: {fields: [{name: x, type: int, required: true, nullable: true}]}\n")
    assert contract.fields[0].required
    assert [found.code for found in contract.diagnostics] == ["CTR-027"]


def test_constraints_and_their_places() -> None:
    found = field("name: x, type: 'decimal(5,2)', min: 0.10, max: 12345678901234567.25")
    assert found.type == decimal(5, 2)
    assert found.type_text == "decimal(5,2)"
    assert found.minimum == 0.1
    assert found.maximum == "12345678901234567.25"
    assert set(found.constraint_at) == {"min", "max"}
    assert found.constraint_at["min"] == Position("c.olc.yaml", 5, 39, 3)


def test_accepted_values_of_a_text_are_the_characters_on_the_page() -> None:
    values = "accepted_values: [NO, 0123, 12:30, true, 1.10, 'q']"
    assert field(f"name: x, type: string, {values}").accepted_values == ("NO", "0123", "12:30", "true", "1.10", "q")


def test_accepted_values_of_a_number_are_numbers() -> None:
    assert field("name: x, type: int, accepted_values: [1, 2]").accepted_values == (1, 2)


def test_an_empty_list_of_accepted_values_is_a_fault() -> None:
    assert fault("", "model: {fields: [{name: x, type: int, accepted_values: []}]}\n").code == "CTR-024"


@pytest.mark.parametrize(
    ("text", "sensitive", "written"),
    [
        ("pii: true", True, True),
        ("phi: true", True, True),
        ("sensitive: true", True, True),
        ("sensitive: false", False, True),
        ("classification: Confidential", True, True),
        ("classification: internal", False, False),
        ("description: x", False, False),
    ],
)
def test_sensitivity(text: str, sensitive: bool, written: bool) -> None:
    found = field(f"name: x, type: string, {text}")
    assert (found.sensitive, found.sensitive_written) == (sensitive, written)


def test_rules_of_a_field_are_row_rules() -> None:
    (rule,) = field("name: x, type: string, rules: [{name: r, sql: 'x > 1', severity: info, phase: post}]").rules
    assert (rule.kind, rule.name, rule.severity, rule.phase) == ("sql", "r", "info", "post")
    assert rule.sql is not None
    assert rule.sql.value == "x > 1"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ("[{name: a, type: int}, {name: a, type: int}]", "twice"),
        ("[{name: a, type: int}, {name: A, type: int}]", "case"),
    ],
)
def test_two_fields_of_one_name(fields: str, word: str) -> None:
    found = fault("", f"model: {{fields: {fields}}}\n")
    assert found.code == "CTR-026"
    assert word in found.message


def test_names_that_differ_in_more_than_ascii_case_are_two_names() -> None:
    assert len(read("", "model: {fields: [{name: ä, type: int}, {name: Ä, type: int}]}\n").fields) == 2


@pytest.mark.parametrize("text", ["min: 5, max: 1", "min: 0, max: -0.5"])
def test_bounds_that_no_value_satisfies(text: str) -> None:
    assert fault("", f"model: {{fields: [{{name: x, type: int, {text}}}]}}\n").code == "CTR-027"


# --- extensions -------------------------------------------------------------------------------------------------------


def test_etlgen_fields_add_constraints() -> None:
    contract = read(
        "extensions:\n  etlgen.fields:\n"
        "    a: {min_length: 2, pattern: '^x', format: email, title: A}\n"
        "    n: {multiple_of: 5, exclusive_minimum: 0}\n"
        "    d: {minimum: 2024-01-01, date_formats: [dd.MM.yyyy, '%Y/%m/%d']}\n"
    )
    a, n, d = contract.fields
    assert (a.min_length, a.pattern and a.pattern.value, a.format, a.title) == (2, "^x", "email", "A")
    assert (n.multiple_of, n.exclusive_minimum) == (5, 0)
    assert (d.minimum, d.date_formats) == ("2024-01-01", ("%d.%m.%Y", "%Y/%m/%d"))
    assert d.constraint_at["min"] == d.constraint_at["minimum"]


def test_source_fields_and_link_fields() -> None:
    contract = read(
        "links: [{name: l, path: l.csv}]\nextensions:\n  etlgen.source_fields: [{name: raw, type: string}]\n"
        "  etlgen.link_fields: {l: [{name: code, type: int}]}\n"
    )
    assert contract.source_fields is not None
    assert contract.source_fields[0].type == STRING
    assert contract.links[0].fields is not None
    assert (contract.links[0].fields[0].name.value, contract.links[0].fields[0].type) == ("code", INT64)


@pytest.mark.parametrize("key", ["min: 1", "max: 1", "max_length: 1", "accepted_values: [x]"])
def test_constraints_of_reference_data_are_refused(key: str) -> None:
    """Nothing checks the values of a link."""
    extension = f"extensions: {{etlgen.link_fields: {{l: [{{name: code, type: string, pii: true, {key}}}]}}}}\n"
    found = fault("links: [{name: l, path: l.csv}]\n" + extension)
    assert (found.code, "model.fields" in found.help) == ("CTR-089", True)


def test_null_under_etlgen_fields_asks_for_nothing() -> None:
    keys = ("minimum", "min_length", "pattern", "format", "date_formats", "multiple_of", "unique", "exclusive_maximum")
    field = read(f"extensions: {{etlgen.fields: {{a: {{{', '.join(f'{key}: null' for key in keys)}}}}}}}\n").fields[0]
    assert (field.minimum, field.min_length, field.pattern, field.format, field.date_formats) == (None,) * 4 + ((),)


def test_without_source_fields_they_are_unknown() -> None:
    assert read("").source_fields is None


@pytest.mark.parametrize(
    ("text", "code", "nearest"),
    [
        ("etlgen.field: {}", "CTR-041", "etlgen.fields"),
        ("etlgen.fields: {b: {min_length: 1}}", "CTR-040", ""),
        ("etlgen.fields: {a: {min_len: 1}}", "CTR-020", ""),
        ("etlgen.fields: {a: {format: e-mail}}", "CTR-023", "email"),
        ("etlgen.fields: {a: {min_length: -1}}", "CTR-024", ""),
        ("etlgen.fields: {a: {min_length: two}}", "CTR-022", ""),
        ("etlgen.fields: {a: {multiple_of: 0}}", "CTR-024", ""),
        ("etlgen.fields: {a: {fields: []}}", "TYP-071", ""),
        ("etlgen.fields: {a: 5}", "CTR-022", ""),
        ("etlgen.fields: [a]", "CTR-022", ""),
        ("etlgen.fields: {d: {date_formats: [DD.MM.YYYY]}}", "CTR-028", ""),
        ("etlgen.source_fields: {a: int}", "CTR-022", ""),
        ("etlgen.source_fields: [{name: a}]", "CTR-021", ""),
        ("etlgen.source_fields: [{name: a, typ: int, type: int}]", "CTR-020", "type"),
        ("etlgen.link_fields: {l: [{name: a, type: int}]}", "CTR-040", ""),
    ],
)
def test_wrong_extensions(text: str, code: str, nearest: str) -> None:
    found = fault(f"extensions: {{{text}}}\n")
    assert (found.code, found.nearest) == (code, nearest)


def test_date_formats_of_the_source_go_to_the_fields() -> None:
    contract = read("source: {type: landing, path: p, format: csv, options: {date_formats: {d: yyyyMMdd}}}\n")
    assert contract.fields[2].date_formats == ("%Y%m%d",)
    assert contract.fields[2].type == DATE
    found = fault("source: {type: landing, path: p, format: csv, options: {date_formats: {e: yyyyMMdd}}}\n")
    assert found.code == "CTR-040"


# --- operations -------------------------------------------------------------------------------------------------------


def test_an_operation_knows_its_number_phase_and_place() -> None:
    contract = read("transformations:\n  - trim: {fields: [a]}\n    phase: pre\n  - upper: {fields: [a]}\n")
    first, second = contract.transformations
    assert (first.kind, first.number, first.phase) == ("trim", 1, "pre")
    assert first.at == Position("c.olc.yaml", 5, 5, 4)
    assert first.phase_at == Position("c.olc.yaml", 6, 5, 5)
    assert (second.number, second.phase, second.phase_at) == (2, None, None)


def test_operations_on_columns() -> None:
    trim = operation("trim: {fields: [a, b], side: left}").body
    assert isinstance(trim, Trim)
    assert (names(trim.fields), trim.side) == (("a", "b"), "left")
    for kind, body in (("lower", Lower), ("upper", Upper)):
        found = operation(f"{kind}: {{fields: [a]}}").body
        assert isinstance(found, body)
    select, drop = operation("select: {columns: [b, a]}").body, operation("drop: {columns: [b]}").body
    assert isinstance(select, Select)
    assert names(select.columns) == ("b", "a")
    assert isinstance(drop, Drop)
    cast = operation("cast: {columns: {n: 'decimal(9,2)', a: date}}").body
    assert isinstance(cast, CastTo)
    assert [(name.value, kind) for name, kind in cast.columns] == [("n", decimal(9, 2)), ("a", DATE)]


@pytest.mark.parametrize("text", ["rename: {from: a, to: b}", "rename: {mappings: {a: b}}"])
def test_rename_has_two_spellings(text: str) -> None:
    body = operation(text).body
    assert isinstance(body, Rename)
    assert [(old.value, new.value) for old, new in body.mappings] == [("a", "b")]


def test_derive_and_filter() -> None:
    derive = operation("derive: {field: x, sql: 'a || 1', sql_duckdb: d, sql_spark: s}").body
    assert isinstance(derive, Derive)
    assert (derive.field.value, derive.sql.value) == ("x", "a || 1")
    assert {engine: sql.value for engine, sql in derive.sql_by_engine.items()} == {"duckdb": "d", "spark": "s"}
    notes = read("transformations: [{derive: {field: x, sql: a, sql_spark: 1 2}}]\n").diagnostics
    assert [(found.code, found.severity, found.key_path) for found in notes if found.code == "CTR-035"] == [
        ("CTR-035", Severity.NOTE, "transformations[0].derive.sql_spark")
    ]
    keep = operation("filter: {sql: a = 1}").body
    assert isinstance(keep, Filter)
    assert keep.sql.value == "a = 1"


def test_null_as_key_of_a_mapping_is_text_with_a_warning() -> None:
    mapped = "transformations: [{map_values: {field: a, mapping: {%s: none, x: null}}}]\n"
    found = [one for one in read(mapped % "null").diagnostics if one.code == "CTR-086"]
    assert [one.severity for one in found] == [Severity.WARNING]
    assert not [one for one in read(mapped % "'null'").diagnostics if one.code == "CTR-086"]


def test_coalesce_defaults() -> None:
    body = operation("coalesce: {field: a}").body
    assert isinstance(body, Coalesce)
    assert (names(body.sources), body.output.value, body.has_default) == (("a",), "a", False)
    body = operation("coalesce: {field: a, sources: [a, b], default: 0, output: c}").body
    assert isinstance(body, Coalesce)
    assert (names(body.sources), body.output.value, body.default, body.has_default) == (("a", "b"), "c", 0, True)


def test_map_values_keys_are_text_and_a_written_null_is_a_default() -> None:
    body = operation("map_values: {field: a, mapping: {NO: 1, 5: x, 01: null}, default: null}").body
    assert isinstance(body, MapValues)
    assert body.mapping == (("NO", 1), ("5", "x"), ("01", None))
    assert (body.default, body.has_default, body.output.value) == (None, True, "a")
    body = operation("map_values: {field: a, mapping: {}}").body
    assert isinstance(body, MapValues)
    assert not body.has_default


def test_deduplicate_spellings() -> None:
    body = operation("deduplicate: {on: [a], sort_by: [n, d]}").body
    assert isinstance(body, Deduplicate)
    assert (names(body.on), body.descending, body.blank_keys) == (("a",), (True, True), "quarantine")
    body = operation("deduplicate: {by: [a], sort_by: [n, d], order: [asc, DESC], blank_keys: keep}").body
    assert isinstance(body, Deduplicate)
    assert (names(body.on), body.descending, body.blank_keys) == (("a",), (False, True), "keep")


def test_deduplicate_by_latest_is_deprecated() -> None:
    contract = read("transformations: [{deduplicate_by_latest: {key_columns: [a], timestamp_column: d}}]\n")
    body = contract.transformations[0].body
    assert isinstance(body, Deduplicate)
    assert (names(body.on), names(body.sort_by), body.descending) == (("a",), ("d",), (True,))
    assert (body.blank_keys, body.deprecated) == ("keep", True)
    assert [(found.code, found.severity) for found in contract.diagnostics] == [("CTR-032", Severity.NOTE)]


def test_bucket() -> None:
    body = operation(
        "bucket: {field: b, source: n, bins: [{gte: 1, lt: 2.5, label: low}, {eq: x, label: e}], default: hi}"
    ).body
    assert isinstance(body, Bucket)
    assert [(item.label, item.bounds) for item in body.bins] == [
        ("low", (("lt", 2.5), ("gte", 1))),
        ("e", (("eq", "x"),)),
    ]
    assert all(isinstance(item, Bin) for item in body.bins)
    assert (body.default, body.has_default) == ("hi", True)


@pytest.mark.parametrize(("unit", "read_as"), [("", "days"), (", unit: months", "months"), (", unit: hour", "hours")])
def test_units_of_date_diff(unit: str, read_as: str) -> None:
    body = operation(f"date_diff: {{field: x, from_col: a, to_col: d{unit}}}").body
    assert isinstance(body, DateDiff)
    assert body.unit.value == read_as


def test_lookup_and_join() -> None:
    body = operation("lookup: {field: x, reference: l, on: a, key: k, value: v, default_value: none}").body
    assert isinstance(body, Lookup)
    assert (body.reference.value, body.on.value, body.key.value, body.value.value) == ("l", "a", "k", "v")
    assert (body.default, body.has_default) == ("none", True)
    joined = operation(
        "join: {reference: l, on: a, key: k, fields: [u, v], type: inner, prefix: p_, defaults: {u: 0}}"
    ).body
    assert isinstance(joined, Join)
    assert (names(joined.fields), joined.how, joined.prefix) == (("u", "v"), "inner", "p_")
    assert [(name.value, value) for name, value in joined.defaults] == [("u", 0)]


def test_rollup_keeps_the_order_of_its_outputs() -> None:
    body = operation('rollup: {group_by: [a], aggregations: {z: "COUNT(*)", b: SUM(b)}}').body
    assert isinstance(body, Rollup)
    assert names(body.group_by) == ("a",)
    assert [(name.value, sql.value) for name, sql in body.aggregations] == [("z", "COUNT(*)"), ("b", "SUM(b)")]


def test_rollup_that_asks_for_no_row_keys_is_read() -> None:
    body = operation("rollup: {group_by: [a], keys: null, rollup_keys_column: null, distinct: true}").body
    assert isinstance(body, Rollup)
    assert body.aggregations == ()


@pytest.mark.parametrize(
    "text",
    [
        "split: {field: a}",
        "json_extract: {field: x, source: a, path: $.b}",
        "explode: {field: a}",
        "date_range_explode: {output: x, start_col: d}",
        "pivot: {pivot_col: a}",
        "unpivot: {id_vars: [a]}",
        "sql: SELECT * FROM source",
    ],
)
def test_operations_of_later_versions_are_read_as_unsupported(text: str) -> None:
    found = operation(text)
    assert found.kind == text.split(":")[0]
    assert isinstance(found.body, Unsupported)


@pytest.mark.parametrize(
    ("text", "code", "nearest"),
    [
        ("{}", "CTR-029", ""),
        ("{phase: pre}", "CTR-029", ""),
        ("{trim: {fields: [a]}, upper: {fields: [a]}}", "CTR-029", ""),
        ("{trimm: {fields: [a]}}", "CTR-020", "trim"),
        ("{trim: {fields: [a]}, phase: before}", "CTR-023", ""),
        ("{trim: {fields: [a]}, phase: Post}", "CTR-023", "post"),
        ("{trim: {fields: [a], side: lft}}", "CTR-023", "left"),
        ("{trim: {fields: []}}", "CTR-024", ""),
        ("{select: {columns: [a, '']}}", "CTR-025", ""),
        ("{rename: {from: a}}", "CTR-021", ""),
        ("{rename: {}}", "CTR-021", ""),
        ("{cast: {columns: {a: integr}}}", "TYP-070", "integer"),
        ("{cast: {columns: {a: 'array<int>'}}}", "TYP-071", ""),
        ("{cast: {columns: {a: 'decimal(39,2)'}}}", "TYP-072", ""),
        ("{derive: {field: x, sql: ' '}}", "CTR-025", ""),
        ("{map_values: {field: a, mapping: {x: [1]}}}", "CTR-022", ""),
        ("{deduplicate: {on: [a], sort_by: [n], order: up}}", "CTR-023", ""),
        ("{deduplicate: {on: [a], sort_by: [n], order: [asc, desc]}}", "CTR-027", ""),
        ("{deduplicate: {on: [a], by: [a], sort_by: [n]}}", "CTR-027", ""),
        ("{bucket: {field: b, source: n, bins: [{label: x}]}}", "CTR-021", ""),
        ("{bucket: {field: b, source: n}}", "CTR-021", ""),
        ("{date_diff: {field: x, from_col: a, to_col: d, unit: dayz}}", "CTR-023", "days"),
        ("{join: {reference: l, on: a, key: k, fields: [u], type: outer}}", "CTR-023", ""),
        ("{join: {reference: l, on: a, key: k, fields: [unit], defaults: {unti: 0}}}", "CTR-040", "unit"),
    ],
)
def test_wrong_operations(text: str, code: str, nearest: str) -> None:
    found = faults(f"transformations: [{text}]\n")
    assert [(item.code, item.nearest) for item in found] == [(code, nearest)]


# --- rules ------------------------------------------------------------------------------------------------------------


def row_rules(text: str) -> tuple[RowRule, ...]:
    return read(f"quality: {{row_rules: [{text}]}}\n").quality.row_rules


def test_a_sql_rule_with_bounds() -> None:
    (rule,) = row_rules(
        "{name: r, sql: n, must_be_between: [0, 10], must_be_less_than: 9, severity: warning, category: c}"
    )
    assert (rule.kind, rule.name, rule.severity, rule.category) == ("sql", "r", "warning", "c")
    assert rule.bounds == Bounds(at_least=0, at_most=10, less_than=9)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("{not_null: a}", ["a"]),
        ("{not_null: [a, n]}", ["a", "n"]),
        ("{not_null: {field: a}}", ["a"]),
        ("{not_null: {fields: [a, n]}}", ["a", "n"]),
        ("{not_null: [a, {field: n}]}", ["a", "n"]),
    ],
)
def test_not_null_has_many_spellings(text: str, fields: list[str]) -> None:
    rules = row_rules(text)
    assert [rule.field and rule.field.value for rule in rules] == fields
    assert {rule.kind for rule in rules} == {"not_null"}
    assert [rule.name for rule in rules] == [None] * len(fields)


@pytest.mark.parametrize("text", ["{not_null: {field: a, %s}}", "{not_null: {field: a}, %s}", "{not_null: a, %s}"])
def test_labels_stand_beside_or_inside_a_shorthand(text: str) -> None:
    (rule,) = row_rules(text % "name: r, severity: info, phase: post, description: D, category: c")
    assert (rule.name, rule.severity, rule.phase, rule.description, rule.category) == ("r", "info", "post", "D", "c")
    assert rule.name_at is not None
    assert rule.phase_at is not None


def test_each_row_shorthand() -> None:
    accepted, regex, between, reference, window = row_rules(
        "{accepted_values: {field: a, values: [NO, 01]}}, {regex_match: {field: a, pattern: '^x'}}, "
        "{range: {field: n, min: 1, max: 2.5, inclusive: false}}, "
        "{referential_integrity: {field: a, reference: l, key: k}}, {lifecycle_window: {field: d, window: 30d}}"
    )
    assert accepted.values == ("NO", "01")
    assert regex.pattern is not None
    assert regex.pattern.value == "^x"
    assert (between.minimum, between.maximum, between.inclusive) == (1, 2.5, False)
    assert reference.reference is not None
    assert reference.key is not None
    assert (reference.reference.value, reference.key.value) == ("l", "k")
    assert window.window is not None
    assert window.window.value == "30d"


def test_each_dataset_rule() -> None:
    text = (
        "quality:\n  dataset_rules:\n    - unique: a\n    - unique: [a, n]\n"
        "    - {unique: {columns: [a], severity: info}, name: u, phase: pre}\n    - null_ratio: {field: a, max: 0.2}\n"
        "    - row_count_between: {min: 1, max: 9}\n    - {name: s, sql: 'SELECT 1', must_be_greater_than: 0}\n"
    )
    rules = read(text).quality.dataset_rules
    assert [rule.kind for rule in rules] == ["unique", "unique", "unique", "null_ratio", "row_count_between", "sql"]
    assert [names(rule.columns) for rule in rules] == [("a",), ("a", "n"), ("a",), ("a",), (), ()]
    assert (rules[2].name, rules[2].phase, rules[2].severity) == ("u", "pre", "info")
    assert (rules[3].maximum, rules[4].minimum, rules[4].maximum) == (0.2, 1, 9)
    assert rules[5].bounds == Bounds(greater_than=0)


def test_the_switches_of_quality() -> None:
    assert read("").quality.enforce_required
    quality = read("quality: {enforce_required: false, fail_pipeline_on_dataset_error: true}\n").quality
    assert (quality.enforce_required, quality.fail_pipeline_on_dataset_error) == (False, True)


@pytest.mark.parametrize(
    ("text", "code", "nearest"),
    [
        ("row_rules: [{not_null: {feild: a}}]", "CTR-020", "field"),
        ("row_rules: [{not_null: {name: x}}]", "CTR-021", ""),
        ("row_rules: [{not_null: a, severity: eror}]", "CTR-023", "error"),
        ("row_rules: [{not_null: a, severity: critical}]", "CTR-023", ""),
        ("row_rules: [{not_null: {field: a, name: x}, name: y}]", "CTR-027", ""),
        ("row_rules: [{accepted_values: {field: a}}]", "CTR-021", ""),
        ("row_rules: [{accepted_values: {field: a, values: x}}]", "CTR-022", ""),
        ("row_rules: [{regex_match: {field: a}}]", "CTR-021", ""),
        ("row_rules: [{range: {field: n}}]", "CTR-021", ""),
        ("row_rules: [{referential_integrity: {field: a, reference: l, key: k, colum: k}}]", "CTR-020", ""),
        ("row_rules: [{lifecycle_window: {field: d}}]", "CTR-021", ""),
        ("row_rules: [{name: x, sql: ''}]", "CTR-025", ""),
        ("row_rules: [{name: x, sql: n, must_be_between: [1]}]", "CTR-024", ""),
        ("row_rules: [{name: x, sql: n, must_be_between: [2, 1]}]", "CTR-027", ""),
        ("row_rules: [{unique: a}]", "CTR-021", ""),
        ("dataset_rules: [{null_ratio: {field: a, max: 20}}]", "CTR-024", ""),
        ("dataset_rules: [{null_ratio: {max: 0.2}}]", "CTR-021", ""),
        ("dataset_rules: [{row_count_between: {}}]", "CTR-021", ""),
        ("dataset_rules: [{row_count_between: {min: 9, max: 1}}]", "CTR-027", ""),
        ("dataset_rules: [{row_count_between: {min: -1}}]", "CTR-024", ""),
    ],
)
def test_wrong_rules(text: str, code: str, nearest: str) -> None:
    found = faults(f"quality: {{{text}}}\n")
    assert [(item.code, item.nearest) for item in found] == [(code, nearest)]


# --- source, links, targets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "file_format", "delimiter"),
    [
        ("path: p, format: csv", "csv", ","),
        ("path: p, format: tsv", "csv", "\t"),
        ("path: p.tsv", "csv", "\t"),
        ("path: p/, pattern: '*.csv'", "csv", ","),
        ("path: p.parquet", "parquet", ","),
        ("path: p, format: ndjson", "jsonl", ","),
        ("path: p.jsonl", "jsonl", ","),
        ("path: p, format: json", "json", ","),
        ("path: p, format: json, options: {multiline: true}", "json", ","),
        ("path: p, format: json, options: {multiline: false}", "jsonl", ","),
        ("path: p.csv.gz", "csv", ","),
        ("path: P.TSV.ZIP", "csv", "\t"),
        ("path: p.jsonl.gz", "jsonl", ","),
        ("path: p/, pattern: '*.json.zip'", "json", ","),
        ("path: p.gz, format: csv", "csv", ","),
        ("path: p.gz", None, ","),
        ("path: p", None, ","),
    ],
)
def test_formats_of_the_source(text: str, file_format: str | None, delimiter: str) -> None:
    source = read(f"source: {{type: landing, {text}}}\n").source
    assert source is not None
    assert (source.format, source.csv.delimiter) == (file_format, delimiter)


def test_csv_options() -> None:
    source = read(
        "source: {type: landing, path: p, format: csv, options: {delimiter: tab, encoding: latin-1, quote_char: '', "
        "skip_rows: 2, has_header: false, null_values: [NA, 0], comment_prefix: '#'}}\n"
    ).source
    assert source is not None
    csv = source.csv
    assert (csv.delimiter, csv.encoding, csv.quote_char, csv.skip_rows) == ("\t", "latin-1", None, 2)
    assert (csv.has_header, csv.null_values, csv.comment_prefix) == (False, ("NA", "0"), "#")


def test_cleanup_and_empty_behaviour() -> None:
    source = read(
        "source: {type: landing, path: p, empty_behavior: fail, "
        "post_ingestion: {action: archive, archive_path: old, cleanup_is_blocking: true}}\n"
    ).source
    assert source is not None
    assert (source.empty_behavior, source.post_ingestion, source.archive_path, source.cleanup_is_blocking) == (
        "fail",
        "archive",
        "old",
        True,
    )


def test_a_placeholder_in_a_path_is_a_warning() -> None:
    contract = read("source: {type: landing, path: '{root}/p', format: csv}\n")
    assert [(found.code, found.severity) for found in contract.diagnostics] == [("CTR-033", Severity.WARNING)]


@pytest.mark.parametrize(
    ("text", "code", "nearest"),
    [
        ("type: landingg, path: p", "CTR-023", "landing"),
        ("type: landing, path: p, format: cvs", "CTR-023", "csv"),
        ("type: landing, path: p, format: csv, options: {delimeter: ';'}", "CTR-020", "delimiter"),
        ("type: landing, path: p, format: csv, options: {delimiter: ab}", "CTR-024", ""),
        ("type: landing, path: p, format: csv, options: {encoding: utf8x}", "CTR-023", "utf-8"),
        ("type: landing, path: p, format: csv, options: {encoding: base64}", "CTR-023", ""),
        ("type: landing, path: p, format: csv, options: {encoding: punycode}", "CTR-023", ""),
        ("type: landing, path: p, format: csv, options: {delimiter: é}", "CTR-024", ""),
        ("type: landing, path: p, format: csv, options: {delimiter: ''}", "CTR-024", ""),
        ('type: landing, path: p, format: csv, options: {delimiter: "\\n"}', "CTR-024", ""),
        ('type: landing, path: p, format: csv, options: {delimiter: "\\0"}', "CTR-024", ""),
        ("type: landing, path: p, format: csv, options: {quote_char: é}", "CTR-024", ""),
        ("type: landing, path: p, format: csv, options: {quote_char: ab}", "CTR-024", ""),
        ("type: landing, path: p, format: csv, options: {delimiter: ';', quote_char: ';'}", "CTR-027", ""),
        ("type: landing, path: p, format: csv, options: {delimiter: '\"'}", "CTR-027", ""),
        ("type: landing, path: p, format: csv, options: {quote_char: ','}", "CTR-027", ""),
        ('type: landing, path: p, format: csv, options: {comment_prefix: "#\\n"}', "CTR-024", ""),
        ("type: landing, path: p, format: csv, options: {null_values: NA}", "CTR-022", ""),
        ("type: landing, path: p, format: csv, options: {skip_rows: '1'}", "CTR-022", ""),
        ("type: landing, path: p, format: csv, options: {has_header: 'no'}", "CTR-022", ""),
        ("type: landing, path: p, format: csv, options: {compression: gzip}", "CTR-020", ""),
        ("type: landing, path: p, format: jsonl, options: {encoding: latin-1}", "CTR-020", ""),
        ("type: landing, path: p, format: parquet, options: {delimiter: ';'}", "CTR-020", ""),
        ("type: landing, path: p.csv.zst", "CTR-031", ""),
        ("type: landing, path: p.tar.gz, format: csv", "CTR-031", ""),
        ("type: landing, path: p.csv.gz, post_ingestion: {action: archive, archive_path: old.zip}", "CTR-031", ""),
        ("type: landing, path: p, format: csv, options: {skip_rows: -1}", "CTR-024", ""),
        ("type: landing, path: p, format: json, options: {delimiter: ';'}", "CTR-020", ""),
        ("type: landing, path: p, format: json, options: {multilin: true}", "CTR-020", "multiline"),
        ("type: landing, path: p, format: csv, options: {has_header: x}", "CTR-022", ""),
        ("type: landing, path: p, format: csv, options: [x]", "CTR-022", ""),
        ("type: landing, path: p, options: {delimiter: ';'}", "CTR-021", ""),
        ("type: landing, path: p, post_ingestion: {action: archive}", "CTR-021", ""),
        ("type: landing, path: p, post_ingestion: {action: remove}", "CTR-023", ""),
        ("type: landing, path: ''", "CTR-025", ""),
    ],
)
def test_wrong_sources(text: str, code: str, nearest: str) -> None:
    found = fault(f"source: {{{text}}}\n")
    assert (found.code, found.nearest) == (code, nearest)


def test_links() -> None:
    csv, parquet = read(
        "links: [{name: l, path: l.csv, columns: [k, v], filter: v > 1, broadcast: true}, {name: m, path: m}]\n"
    ).links
    assert (csv.type, names(csv.columns), csv.filter and csv.filter.value, csv.broadcast) == (
        "csv",
        ("k", "v"),
        "v > 1",
        True,
    )
    assert (parquet.type, parquet.fields) == ("parquet", None)


@pytest.mark.parametrize(
    ("path", "kind"), [("l.csv.gz", "csv"), ("l.tsv.zip", "csv"), ("l.JSON.GZ", "json"), ("l.jsonl.gz", "jsonl")]
)
def test_compressed_links(path: str, kind: str) -> None:
    (link,) = read(f"links: [{{name: l, path: {path}}}]\n").links
    assert link.type == kind


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[{name: l, path: p}, {name: L, path: p}]", "CTR-026"),
        ("[{name: source, path: p}]", "CTR-025"),
        ("[{name: l}]", "CTR-021"),
        ("[{name: l, path: l.csv.bz2}]", "CTR-031"),
        ("[{name: l, path: p, type: parqet}]", "CTR-023"),
    ],
)
def test_wrong_links(text: str, code: str) -> None:
    assert fault(f"links: {text}\n").code == code


def test_targets() -> None:
    contract = read(
        "materialization: {strategy: overwrite, target_path: out/x.csv}\nquarantine: {target: q.json, write_mode: overwrite}\n"
    )
    target, bad = contract.materialization, contract.quarantine
    assert (target.strategy, target.format, target.target_path, target.written) == (
        "overwrite",
        "csv",
        "out/x.csv",
        True,
    )
    assert (bad.target, bad.format, bad.write_mode, bad.enabled) == ("q.json", "json", "overwrite", True)


def test_default_targets() -> None:
    contract = read("")
    assert (contract.materialization.strategy, contract.materialization.written) == ("append", False)
    assert (contract.quarantine.enabled, contract.quarantine.format) == (True, "parquet")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("materialization: {strategy: apend}", "CTR-023"),
        ("materialization: {target_path: a, location: b}", "CTR-027"),
        ("materialization: {format: xlsx}", "CTR-023"),
        ("quarantine: {write_mode: merge}", "CTR-023"),
        ("quarantine: {target: a, location: b}", "CTR-027"),
        ("primary_key: [a, a]", "CTR-026"),
    ],
)
def test_wrong_targets(text: str, code: str) -> None:
    assert fault(text + "\n").code == code


def test_schema_policy() -> None:
    contract = read("schema_policy: {unknown_fields: quarantine, evolution: strict}\n")
    assert (contract.unknown_fields, contract.evolution) == ("quarantine", "strict")
    assert (read("").unknown_fields, read("").evolution) == ("allow", "allow")


def test_natural_key_is_deprecated() -> None:
    contract = read("natural_key: [a]\n")
    assert [(found.code, found.severity) for found in contract.diagnostics] == [("CTR-032", Severity.WARNING)]
    assert contract.primary_key == ()


# --- what newcomers write ---------------------------------------------------------------------------------------------


def test_a_phase_inside_the_operation_belongs_beside_it() -> None:
    found = fault("transformations: [{trim: {fields: [a], phase: pre}}]\n")
    assert found.code == "CTR-020"
    assert found.help.startswith("write `phase` beside `trim`")


@pytest.mark.parametrize(("written", "near"), [("splt", ""), ("filtr", "filter")])
def test_only_operations_that_are_executed_are_suggested(written: str, near: str) -> None:
    """``split`` is an operation of OLC that this version refuses (transformations)."""
    found = fault(f"transformations: [{{{written}: {{field: a}}}}]\n")
    assert (found.code, found.nearest) == ("CTR-020", near)
    assert "`filter`" in found.expected
    for refused in ("split", "explode", "pivot", "unpivot", "json_extract", "date_range_explode", "sql"):
        assert f"`{refused}`" not in found.expected


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("min: zero", "write it in digits, such as `0`, or remove the key"),
        ("min: '0'", "remove the quotes"),
        ("required: yes", "write `true`"),
        ("required: 'no'", "write `false`"),
        ("required: maybe", "write `true` or `false`"),
    ],
)
def test_a_value_of_the_wrong_kind_has_a_fix(key: str, fix: str) -> None:
    found = fault("", f"model: {{fields: [{{name: n, type: int, {key}}}]}}\n")
    assert (found.code, found.help) == ("CTR-022", fix)


def test_a_contract_without_source_is_warned_about() -> None:
    (contract,) = read_text((HEAD + MODEL).encode(), "c.olc.yaml")
    (found,) = contract.diagnostics
    assert (found.code, found.severity, found.message) == (
        "CTR-034",
        Severity.WARNING,
        "the contract has no `source`",
    )


def test_an_odcs_document_is_read_as_one_under_any_name() -> None:
    document = (
        "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: 1.0.0\nstatus: active\n"
        "schema: [{name: t, properties: [{name: p, logicalType: string}]}]\n"
    )
    (contract,) = read_text(document.encode(), "c.olc.yaml")
    assert (contract.vocabulary, contract.name) == ("odcs", "t")


# --- ranges that hold nothing -----------------------------------------------------------------------------------------


def row_rule(text: str) -> str:
    return f"quality: {{row_rules: [{{{text}}}]}}\n"


@pytest.mark.parametrize(
    "text",
    [
        row_rule("range: {field: n, min: 5, max: 1}"),
        row_rule("range: {field: n, min: 5, max: 5, inclusive: false}"),
        row_rule("range: {field: n, min: 5, max: 6, inclusive: false}"),
        row_rule("range: {field: d, min: 2024-02-01, max: 2024-01-31}"),
        row_rule("name: r, sql: n, must_be_between: [5, 1]"),
        row_rule("name: r, sql: n, must_be_greater_than: 5, must_be_less_than: 5"),
        row_rule("name: r, sql: n, must_be_between: [1, 3], must_be_greater_than: 3"),
        row_rule("name: r, sql: n, must_be_between: [1.00000000000000000002, 1.00000000000000000001]"),
        "quality: {dataset_rules: [{name: r, sql: SELECT count(*) FROM source, must_be_between: [5, 1]}]}\n",
        "quality: {dataset_rules: [{row_count_between: {min: 5, max: 1}}]}\n",
        "transformations: [{bucket: {field: b, source: n, bins: [{label: x, gte: 5, lt: 5}]}}]\n",
        "extensions: {etlgen.fields: {n: {minimum: 1, exclusive_maximum: 1}}}\n",
        "extensions: {etlgen.fields: {n: {exclusive_minimum: 1, exclusive_maximum: 2}}}\n",
    ],
)
def test_a_range_that_no_value_satisfies(text: str) -> None:
    assert fault(text).code == "CTR-027"


def test_lengths_that_no_text_has() -> None:
    model = "model: {fields: [{name: a, type: string, max_length: 2}]}\n"
    assert fault("extensions: {etlgen.fields: {a: {min_length: 3}}}\n", model).code == "CTR-027"


@pytest.mark.parametrize("ratio", ["-0.1", "1.1", "1.00000000000000000001", "half"])
def test_a_null_ratio_is_from_0_to_1(ratio: str) -> None:
    assert fault(f"quality: {{dataset_rules: [{{null_ratio: {{field: n, max: {ratio}}}}}]}}\n").code == "CTR-024"


@pytest.mark.parametrize(
    "text",
    [
        row_rule("range: {field: n, min: 5, max: 5}"),
        row_rule("range: {field: d, min: 2024-01-31, max: 2024-02-01}"),
        row_rule("name: r, sql: n, must_be_between: [0, 0]"),
        row_rule("name: r, sql: n, must_be_greater_than: 5, must_be_less_than: 6"),
        "quality: {dataset_rules: [{null_ratio: {field: n, max: 0.12345678901234567890}}]}\n",
        "transformations: [{bucket: {field: b, source: n, bins: [{label: x, gte: 5, lte: 5}]}}]\n",
        "extensions: {etlgen.fields: {n: {minimum: 1, exclusive_maximum: 2}}}\n",
    ],
)
def test_a_range_of_one_value_is_one(text: str) -> None:
    """The value of `sql` may be a fraction, so something lies between 5 and 6; among integers nothing does."""
    assert read(text).name == "orders"
