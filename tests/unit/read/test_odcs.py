"""ODCS schema parts to Contract; everything else is reported."""

from __future__ import annotations

import pytest

from etlgen.contract import Contract, Field, Trim
from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.read import read_text
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    INT128,
    STRING,
    TIME,
    UINT16,
    Kind,
    LogicalType,
    decimal,
)

HEAD = "apiVersion: {version}\nkind: DataContract\nid: abc\nversion: '1.0'\nstatus: active\n"


def document(text: str, version: str = "v3.1.0") -> bytes:
    return (HEAD.format(version=version) + text).encode()


def objects(properties: str) -> str:
    return "schema:\n- name: t\n  properties:\n" + "".join(f"  - {line}\n" for line in properties.split("\n"))


def read(text: str, version: str = "v3.1.0") -> Contract:
    (contract,) = read_text(document(text, version), "c.odcs.yaml")
    return contract


def field(text: str, version: str = "v3.1.0") -> Field:
    (found,) = read(objects(f"{{name: p, {text}}}"), version).fields
    return found


def faults(text: str, version: str = "v3.1.0") -> list[Diagnostic]:
    with pytest.raises(ContractError) as caught:
        read_text(document(text, version), "c.odcs.yaml")
    return [found for found in caught.value.diagnostics if found.is_error]


def fault(text: str, version: str = "v3.1.0") -> str:
    (found,) = faults(text, version)
    assert found.at is not None
    return found.code


def warnings(text: str, version: str = "v3.1.0") -> list[str]:
    return [found.code for found in read(text, version).diagnostics]


def outcome(data: bytes) -> list[str]:
    """Codes of the errors, none for a contract; anything but a ContractError fails the test."""
    try:
        read_text(data, "c.odcs.yaml")
    except ContractError as error:
        return [found.code for found in error.diagnostics]
    return []


STRING_P = "{name: p, logicalType: string}"

# --- document ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["v3.0.0", "v3.0.1", "v3.0.2", "v3.1.0", "v3.2.0"])
def test_versions_that_are_read(version: str) -> None:
    contract = read(objects(STRING_P), version)
    assert (contract.vocabulary, contract.name, contract.version) == ("odcs", "t", "1.0")


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("apiVersion: v2.2.2\nkind: DataContract\nid: a\nversion: '1'\nstatus: s\n", "ODCS-E103"),
        ("apiVersion: v3.3.0\nkind: DataContract\nid: a\nversion: '1'\nstatus: s\n", "ODCS-E103"),
        ("apiVersion: v3.1.0\nkind: DataProduct\nid: a\nversion: '1'\nstatus: s\n", "ODCS-E102"),
        ("kind: DataContract\nid: a\nversion: '1'\nstatus: s\n", "ODCS-E103"),
        ("apiVersion: v3.1.0\nkind: DataContract\nid: null\nversion: '1'\nstatus: s\n", "ODCS-E104"),
        ("apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: '1'\nstatus: s\nstatu: x\n", "ODCS-E105"),
        ("apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: '1'\nstatus: s\ndescription: text\n", "ODCS-E106"),
        (
            "apiVersion: v3.1.0\nkind: DataContract\nid: a\nversion: '1'\nstatus: s\ncustomProperties: {a: b}\n",
            "ODCS-E106",
        ),
    ],
)
def test_faults_of_the_head(head: str, code: str) -> None:
    with pytest.raises(ContractError) as caught:
        read_text((head + objects(STRING_P)).encode(), "c.odcs.yaml")
    assert [found.code for found in caught.value.diagnostics if found.is_error] == [code]


def test_the_vocabulary_is_found_by_its_keys_or_its_name() -> None:
    assert read_text(document(objects(STRING_P)), "any.yaml")[0].vocabulary == "odcs"
    with pytest.raises(ContractError) as caught:
        read_text(b"version: 1.0.0\ninfo: {title: T}\nmodel: {}\n", "x.odcs.yaml")
    assert caught.value.diagnostics[0].code.startswith("ODCS-")


def test_each_schema_object_is_a_contract() -> None:
    text = "schema:\n" + "".join(f"- {{name: {name}, properties: [{STRING_P}]}}\n" for name in ("a", "b"))
    contracts = read_text(document(text), "c.odcs.yaml")
    assert [contract.name for contract in contracts] == ["a", "b"]


def test_texts_of_the_document_and_of_the_object() -> None:
    named = f"- {{name: t, businessName: B, description: D, properties: [{STRING_P}]}}\n"
    contract = read("name: N\ndescription: {purpose: P}\nschema:\n" + named)
    assert (contract.title, contract.description) == ("B", "D")
    assert read("description: {purpose: P}\n" + objects(STRING_P)).description == "P"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("schema: []\n", "ODCS-E201"),
        ("", "ODCS-E201"),
        ("schema: [{name: t}]\n", "ODCS-E201"),
        (f"schema: [{{name: t, logicalType: table, properties: [{STRING_P}]}}]\n", "ODCS-E106"),
        (f"schema: [{{name: t, properties: [{STRING_P}]}}, {{name: t, properties: [{STRING_P}]}}]\n", "ODCS-E107"),
    ],
)
def test_faults_of_objects(text: str, code: str) -> None:
    assert fault(text) == code


def test_a_version_without_quotes_is_its_characters_and_not_portable() -> None:
    head = "apiVersion: v3.1.0\nkind: DataContract\nid: abc\nversion: 1.0\nstatus: active\n"
    (contract,) = read_text((head + objects(STRING_P)).encode(), "c.odcs.yaml")
    assert contract.version == "1.0"
    assert [found.code for found in contract.diagnostics] == ["ODCS-W101"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("dataProduct: x\n", "ODCS-W102"),
        ("team: [{username: ann}]\n", "ODCS-W102"),
        ("servers: [{server: s, type: local, path: p, format: csv}]\n", "ODCS-W190"),
        ("slaProperties: [{property: latency, value: 4, unit: d}]\n", "ODCS-W190"),
    ],
)
def test_what_is_kept_and_not_executed_is_said(text: str, code: str) -> None:
    assert warnings(text + objects(STRING_P)) == [code]


def test_a_retired_contract_is_a_warning() -> None:
    data = document(objects(STRING_P)).replace(b"status: active", b"status: retired")
    assert [found.code for found in read_text(data, "c.odcs.yaml")[0].diagnostics] == ["ODCS-W108"]


@pytest.mark.parametrize(
    "key", ["enum: [{value: a}]", "semanticType: column", "deprecated: true", "synonyms: []", "context: x"]
)
def test_keys_of_v3_2_are_unknown_before(key: str) -> None:
    text = objects(f"{{name: p, logicalType: string, {key}}}")
    assert fault(text, "v3.1.0") == "ODCS-E105"
    assert read(text, "v3.2.0").fields


@pytest.mark.parametrize(
    ("wrong", "near"), [("nullable", "required"), ("isNullable", "required"), ("logicaltype", "logicalType")]
)
def test_an_unknown_key_has_a_hint(wrong: str, near: str) -> None:
    (found,) = [
        item for item in faults(objects(f"{{name: p, logicalType: string, {wrong}: x}}")) if item.code == "ODCS-E105"
    ]
    assert found.nearest == near


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("logicalType: string", STRING),
        ("logicalType: string, physicalType: VARBINARY", BINARY),
        ("logicalType: boolean", BOOLEAN),
        ("logicalType: integer", INT64),
        ("logicalType: integer, physicalType: tinyint", INT8),
        ("logicalType: integer, physicalType: smallint", INT16),
        ("logicalType: integer, physicalType: INT", INT32),
        ("logicalType: integer, physicalType: int8", INT64),
        ("logicalType: integer, physicalType: hugeint", INT128),
        ("logicalType: integer, physicalType: 'decimal(18,0)'", INT64),
        ("logicalType: integer, physicalType: 'decimal(19)'", INT128),
        ("logicalType: integer, logicalTypeOptions: {format: u16}, physicalType: bigint", UINT16),
        ("logicalType: number", FLOAT64),
        ("logicalType: number, physicalType: real", FLOAT32),
        ("logicalType: number, physicalType: 'float(7,2)'", FLOAT64),
        ("logicalType: number, logicalTypeOptions: {format: f32}", FLOAT32),
        ("logicalType: number, physicalType: 'numeric(5,2)'", decimal(5, 2)),
        ("logicalType: number, physicalType: 'numeric(5)'", decimal(5, 0)),
        ("logicalType: number, physicalType: money", decimal(19, 4)),
        ("logicalType: number, physicalType: int", INT32),
        ("logicalType: date", DATE),
        ("logicalType: time", TIME),
        ("physicalType: varchar(10)", STRING),
        ("physicalType: bigint", INT64),
        ("physicalType: 'decimal(9,3)'", decimal(9, 3)),
        ("physicalType: date", DATE),
    ],
)
def test_types(text: str, expected: LogicalType) -> None:
    assert field(text).type == expected


@pytest.mark.parametrize(
    ("text", "kind", "zone"),
    [
        ("logicalType: timestamp", Kind.TIMESTAMP_TZ, "UTC"),
        ("logicalType: timestamp, physicalType: timestamp", Kind.TIMESTAMP_TZ, "UTC"),
        (
            "logicalType: timestamp, logicalTypeOptions: {defaultTimezone: Europe/Paris}",
            Kind.TIMESTAMP_TZ,
            "Europe/Paris",
        ),
        ("logicalType: timestamp, logicalTypeOptions: {timezone: false}", Kind.TIMESTAMP, ""),
        ("logicalType: timestamp, physicalType: timestamp without time zone", Kind.TIMESTAMP, ""),
        (
            "logicalType: timestamp, physicalType: datetime2, logicalTypeOptions: {timezone: true}",
            Kind.TIMESTAMP_TZ,
            "UTC",
        ),
        ("physicalType: timestamp_ntz", Kind.TIMESTAMP, ""),
    ],
)
def test_naive_and_aware_timestamps(text: str, kind: Kind, zone: str) -> None:
    found = field(text).type
    assert (found.kind, found.assumed_zone, found.naive_offset_refused) == (kind, zone, kind is Kind.TIMESTAMP)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("physicalType: timestamp_ntz", Kind.TIMESTAMP),
        ("physicalType: timestamp", Kind.TIMESTAMP_TZ),
        ("logicalTypeOptions: {format: 'yyyy-MM-dd HH:mm'}", Kind.TIMESTAMP_TZ),
        ("logicalTypeOptions: {format: 'HH:mm'}", Kind.TIME),
    ],
)
def test_a_date_with_a_time_of_day_is_read_as_such(text: str, kind: Kind) -> None:
    contract = read(objects(f"{{name: p, logicalType: date, {text}}}"))
    assert contract.fields[0].type.kind == kind
    assert [found.code for found in contract.diagnostics] == ["ODCS-W111"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("logicalType: integer, physicalType: varchar", "ODCS-W105"),
        ("logicalType: string, physicalType: integer", "ODCS-W105"),
        ("logicalType: boolean, physicalType: char(1)", "ODCS-W105"),
        ("logicalType: number, physicalType: decimal", "ODCS-W105"),
        ("description: x", "ODCS-W104"),
        ("logicalType: string, logicalTypeOptions: {format: password}", "ODCS-W106"),
    ],
)
def test_types_that_are_completed_or_ignored_are_said(text: str, code: str) -> None:
    assert warnings(objects(f"{{name: p, {text}}}")) == [code]


def test_precision_may_stand_in_custom_properties() -> None:
    custom = "customProperties: [{property: precision, value: 12}, {property: scale, value: 4}]"
    assert field(f"logicalType: number, physicalType: decimal, {custom}").type == decimal(12, 4)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("logicalType: varchar", "ODCS-E106"),
        ("physicalType: geography", "ODCS-E205"),
        ("logicalType: number, physicalType: 'decimal(50,2)'", "ODCS-E205"),
        ("logicalType: object, properties: []", "TYP-071"),
        ("logicalType: array", "TYP-071"),
        ("physicalType: 'array<string>'", "TYP-071"),
        ("logicalType: string, items: {logicalType: string}", "ODCS-E206"),
        ("logicalType: time, logicalTypeOptions: {timezone: true}", "ODCS-E211"),
        ("logicalType: integer, logicalTypeOptions: {format: i7}", "ODCS-E204"),
        ("logicalType: timestamp, logicalTypeOptions: {defaultTimezone: Mars/Olympus}", "ODCS-E204"),
    ],
)
def test_types_that_are_faults(text: str, code: str) -> None:
    assert fault(objects(f"{{name: p, {text}}}")) == code


@pytest.mark.parametrize("text", ["physicalType: blobby", "logicalType: strin, physicalType: int"])
def test_a_type_that_is_not_understood_is_one_finding(text: str) -> None:
    """Nothing is known of the family: neither that the physicalType is foreign to it (W105), nor that an option is (E203)."""
    with pytest.raises(ContractError) as caught:
        read(objects(f"{{name: p, {text}, logicalTypeOptions: {{minimum: 3}}}}"))
    assert [found.code for found in caught.value.diagnostics] == ["ODCS-E106" if "strin" in text else "ODCS-E205"]


# --- constraints ------------------------------------------------------------------------------------------------------


def test_the_worked_example_of_types_key_and_bounds() -> None:
    contract = read(
        objects(
            "{name: id, logicalType: integer, primaryKey: true}\n"
            '{name: amount, logicalType: number, physicalType: "decimal(8,2)", required: true, logicalTypeOptions: {minimum: 0.01}}\n'
            "{name: ccy, logicalType: string, physicalType: char(3)}"
        )
    )
    key, amount, currency = contract.fields
    assert [text.value for text in contract.primary_key] == ["id"]
    assert (key.type, key.required) == (INT64, True)
    assert (amount.type, amount.required, amount.minimum) == (decimal(8, 2), True, 0.01)
    assert (currency.type, currency.max_length, currency.required) == (STRING, 3, False)
    assert contract.diagnostics == ()


def test_text_constraints() -> None:
    found = field(
        "logicalType: string, physicalType: varchar(20), logicalTypeOptions: {minLength: 2, maxLength: 9, pattern: ^x, format: email}"
    )
    assert (found.min_length, found.max_length, found.format) == (2, 9, "email")
    assert found.pattern is not None
    assert found.pattern.value == "^x"
    assert set(found.constraint_at) == {"min_length", "max_length", "pattern", "format"}
    assert field("logicalType: string, physicalType: 'varchar[5]', logicalTypeOptions: {maxLength: 9}").max_length == 5


def test_number_constraints() -> None:
    found = field("logicalType: integer, logicalTypeOptions: {exclusiveMinimum: 1, maximum: 9, multipleOf: 2}")
    assert (found.minimum, found.exclusive_minimum, found.maximum, found.multiple_of) == (None, 1, 9, 2)


def test_boolean_exclusive_bounds_of_v3_0() -> None:
    text = "logicalType: number, logicalTypeOptions: {minimum: -40, exclusiveMinimum: true, maximum: 85, exclusiveMaximum: false}"
    found = field(text, "v3.0.2")
    assert (found.minimum, found.exclusive_minimum, found.maximum, found.exclusive_maximum) == (None, -40, 85, None)
    assert {item.code for item in faults(objects(f"{{name: p, {text}}}"), "v3.1.0")} == {"ODCS-E204"}
    alone = objects("{name: p, logicalType: number, logicalTypeOptions: {exclusiveMinimum: true}}")
    assert fault(alone, "v3.0.2") == "ODCS-E204"


def test_a_format_stands_in_place_of_iso() -> None:
    found = field(
        'logicalType: timestamp, logicalTypeOptions: {format: "yyyy-MM-dd HH:mm:ssZ", timezone: true, '
        'defaultTimezone: Australia/Sydney, minimum: "2024-01-01 00:00:00+10:00"}'
    )
    assert found.date_formats == ("%Y-%m-%d %H:%M:%S%z",)
    assert (found.type.formats_only, found.type.assumed_zone) == (True, "Australia/Sydney")
    assert found.minimum == "2024-01-01 00:00:00+10:00"
    iso = field("logicalType: timestamp, logicalTypeOptions: {format: 'YYYY-MM-DDTHH:mm:ss.SSSZ'}")
    assert (iso.date_formats, iso.type.formats_only) == ((), False)


@pytest.mark.parametrize(
    ("kind", "options", "code"),
    [
        ("integer", "maxLength: 3", "ODCS-E203"),
        ("string", "minimum: 3", "ODCS-E203"),
        ("boolean", "pattern: x", "ODCS-E203"),
        ("string", "uniqueItems: true", "ODCS-E203"),
        ("string", "maxLenght: 3", "ODCS-E105"),
        ("string", "minLength: 5, maxLength: 2", "ODCS-E204"),
        ("string", "minLength: -1", "ODCS-E204"),
        ("integer", "minimum: 5, maximum: 2", "ODCS-E204"),
        ("number", "multipleOf: 0", "ODCS-E204"),
        ("integer", "minimum: ten", "ODCS-E210"),
        ("integer", "minimum: [1]", "ODCS-E210"),
        ("date", "minimum: 01/02/2024", "ODCS-E210"),
        ("date", "minimum: 2024-01-01, format: dd/MM/yyyy", "ODCS-E210"),
        ("date", "format: DD.MM.YYYY", "ODCS-E209"),
        ("string", "maxLength: '3'", "ODCS-E106"),
    ],
)
def test_wrong_options(kind: str, options: str, code: str) -> None:
    assert code in [
        found.code for found in faults(objects(f"{{name: p, logicalType: {kind}, logicalTypeOptions: {{{options}}}}}"))
    ]


# --- keys, sensitivity, values ----------------------------------------------------------------------------------------


def test_the_key_is_ordered_by_position_then_by_place() -> None:
    contract = read(
        objects(
            "{name: a, logicalType: string, primaryKey: true}\n"
            "{name: b, logicalType: string, primaryKey: true, primaryKeyPosition: 2}\n"
            "{name: c, logicalType: string, primaryKey: true, primaryKeyPosition: 1, physicalName: cc}\n"
            "{name: d, logicalType: string, primaryKey: true, primaryKeyPosition: -1}"
        )
    )
    assert [text.value for text in contract.primary_key] == ["cc", "b", "a", "d"]


@pytest.mark.parametrize("positions", [(0, 1), (1, 1), (-2, 1)])
def test_wrong_key_positions(positions: tuple[int, int]) -> None:
    text = "\n".join(
        f"{{name: p{number}, logicalType: string, primaryKey: true, primaryKeyPosition: {position}}}"
        for number, position in enumerate(positions)
    )
    assert fault(objects(text)) == "ODCS-E207"


def test_a_key_column_is_required_even_when_it_says_not() -> None:
    contract = read(objects("{name: p, logicalType: string, primaryKey: true, required: false}"))
    assert contract.fields[0].required
    assert [found.code for found in contract.diagnostics] == ["ODCS-W107"]


def test_the_column_is_the_physical_name() -> None:
    found = field("logicalType: string, physicalName: P_COL, unique: true")
    assert (found.name.value, found.metadata["property"], found.unique) == ("P_COL", "p", True)


@pytest.mark.parametrize(
    "text",
    [
        "{name: a, logicalType: string}\n{name: a, logicalType: string}",
        "{name: a, logicalType: string}\n{name: b, physicalName: A, logicalType: string}",
    ],
)
def test_two_properties_of_one_column(text: str) -> None:
    assert fault(objects(text)) == "ODCS-E107"


@pytest.mark.parametrize(
    ("text", "sensitive"),
    [
        ("classification: PII", True),
        ("classification: personal data", True),
        ("classification: Highly Restricted", True),
        ("classification: restricted", True),
        ("classification: public", False),
        ("encryptedName: p_enc", True),
        ("criticalDataElement: true", False),
    ],
)
def test_sensitive_properties_have_no_examples(text: str, sensitive: bool) -> None:
    found = field(f"logicalType: string, examples: [x], {text}")
    assert (found.sensitive, found.examples) == (sensitive, () if sensitive else ("x",))


def test_enum_values_are_read_as_the_type() -> None:
    text = objects("{name: p, logicalType: string, enum: [{value: NEW}, {value: NO}, {value: 01}]}")
    assert read(text, "v3.2.0").fields[0].accepted_values == ("NEW", "NO", "01")
    twice = objects("{name: p, logicalType: integer, enum: [{value: 1}, {value: 1}]}")
    assert fault(twice, "v3.2.0") == "ODCS-E204"


def test_a_variable_in_a_name_is_a_fault_of_v3_2() -> None:
    text = objects('{name: p, logicalType: string, physicalName: "${COL}"}')
    assert fault(text, "v3.2.0") == "ODCS-E110"


# --- what is not executed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "transformLogic: a + b",
        "relationships: [{to: x.y}]",
        "quality: [{metric: nullValues, mustBe: 0}]",
        "quality: [{type: sql, query: select 1, mustBe: 0}]",
        "quality: [{type: custom, engine: etlgen, implementation: {row: {}}}]",
        "customProperties: [{property: etlgen, value: {masking: hash}}]",
    ],
)
def test_what_would_change_the_table_is_an_error(text: str) -> None:
    assert fault(objects(f"{{name: p, logicalType: string, {text}}}")) == "ODCS-E190"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("quality: [{type: text, description: good}]", []),
        ("quality: [{type: custom, engine: soda, implementation: x}]", ["ODCS-W103"]),
        ("partitioned: true", ["ODCS-W190"]),
        ("partitionKeyPosition: 1", ["ODCS-W107"]),
        ("transformSourceObjects: [a], transformDescription: D", []),
        ("transformLogic: prose, customProperties: [{property: etlgen, value: {transform: document}}]", []),
    ],
)
def test_what_would_not_is_said_at_most(text: str, expected: list[str]) -> None:
    assert warnings(objects(f"{{name: p, logicalType: string, {text}}}")) == expected


def test_a_rule_without_type_is_a_fault() -> None:
    assert fault(objects("{name: p, logicalType: string, quality: [{description: good}]}")) == "ODCS-E301"


# --- the etlgen custom property ---------------------------------------------------------------------------------------


def with_settings(value: str) -> str:
    custom = f"  customProperties: [{{property: etlgen, value: {value}}}]\n"
    return "schema:\n- name: t\n" + custom + f"  properties: [{STRING_P}]\n"


def test_settings_are_olc_blocks() -> None:
    contract = read(
        with_settings(
            "{source: {type: landing, path: in.csv}, source_fields: [{name: raw, type: string}], "
            "transformations: [{trim: {fields: [p]}, phase: pre}], materialization: {strategy: overwrite, target_path: out}, "
            "quality: {row_rules: [{not_null: p}]}, quarantine: {format: csv}, schema_policy: {evolution: strict}}"
        )
    )
    assert contract.source is not None
    assert (contract.source.path, contract.source.format) == ("in.csv", "csv")
    assert contract.source_fields is not None
    assert contract.source_fields[0].name.value == "raw"
    assert isinstance(contract.transformations[0].body, Trim)
    assert (contract.materialization.strategy, contract.materialization.target_path) == ("overwrite", "out")
    assert contract.quality.row_rules[0].kind == "not_null"
    assert (contract.quarantine.format, contract.evolution) == ("csv", "strict")


def test_options_of_the_source_are_those_of_olc() -> None:
    options = (
        "{delimiter: ';', encoding: latin-1, quote_char: \"'\", skip_rows: 1, null_values: [NA], comment_prefix: '#'}"
    )
    source = read(with_settings(f"{{source: {{type: landing, path: in.csv.gz, options: {options}}}}}")).source
    assert source is not None
    assert source.format == "csv"
    csv = source.csv
    assert (csv.delimiter, csv.encoding, csv.quote_char, csv.skip_rows) == (";", "latin-1", "'", 1)
    assert (csv.has_header, csv.null_values, csv.comment_prefix) == (True, ("NA",), "#")


def test_an_inner_level_wins() -> None:
    outer = "customProperties: [{property: etlgen, value: {quarantine: {format: csv}}}]\n"
    assert read(outer + objects(STRING_P)).quarantine.format == "csv"
    assert read(outer + with_settings("{quarantine: {format: json}}")).quarantine.format == "json"


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("{sources: {type: landing}}", "ODCS-E108"),
        ("text", "ODCS-E108"),
        ("{transform: maybe}", "ODCS-E108"),
        ("{joins: []}", "ODCS-E190"),
        ("{materialization: {strategy: merge}}", "CTR-031"),
        ("{materialization: {partition_by: [p]}}", "CTR-030"),
        ("{source: {type: landing, path: p, patern: x}}", "CTR-020"),
        ("{source: {type: landing, path: p.csv, options: {delimeter: x}}}", "CTR-020"),
        ("{source: {type: landing, path: p.csv, options: {delimiter: ab}}}", "CTR-024"),
        ("{source: {type: landing, path: p.csv.xz}}", "CTR-031"),
    ],
)
def test_wrong_settings(value: str, code: str) -> None:
    assert fault(with_settings(value)) == code


# --- hostile documents ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["null", "true", "5", "x", "[]", "[1]", "[null]", "{}", "{x: 1}", "[{}]", "[[1]]"])
@pytest.mark.parametrize(
    "key",
    [
        "schema",
        "servers",
        "team",
        "customProperties",
        "description",
        "apiVersion",
        "kind",
        "version",
        "tags",
        "slaProperties",
    ],
)
def test_no_value_of_a_key_ends_in_a_traceback(key: str, value: str) -> None:
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "a", "version": "'1'", "status": "s"}
    head["schema"] = f"[{{name: t, properties: [{STRING_P}]}}]"
    head[key] = value
    text = "".join(f"{name}: {written}\n" for name, written in head.items())
    assert all(code.startswith(("ODCS-", "CTR-", "TYP-")) for code in outcome(text.encode()))


@pytest.mark.parametrize("value", ["null", "true", "5", "[]", "[1]", "{}", "{x: 1}", "[{}]"])
@pytest.mark.parametrize(
    "key",
    [
        "name",
        "logicalType",
        "physicalType",
        "logicalTypeOptions",
        "required",
        "primaryKey",
        "primaryKeyPosition",
        "enum",
        "examples",
        "quality",
        "customProperties",
        "classification",
    ],
)
def test_no_value_of_a_property_key_ends_in_a_traceback(key: str, value: str) -> None:
    prop = {"name": "p", "logicalType": "string", key: value}
    text = objects("{" + ", ".join(f"{name}: {written}" for name, written in prop.items()) + "}")
    assert all(code.startswith(("ODCS-", "CTR-", "TYP-")) for code in outcome(document(text, "v3.2.0")))


# --- options, examples, secrets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("logicalType: integer, logicalTypeOptions: {exclusiveMinimum: 3, maximum: 3}", "ODCS-E204"),
        ("logicalType: integer, logicalTypeOptions: {exclusiveMinimum: 3, exclusiveMaximum: 4}", "ODCS-E204"),
        ("logicalType: number, logicalTypeOptions: {minimum: 0, exclusiveMaximum: 0}", "ODCS-E204"),
        ("logicalType: date, logicalTypeOptions: {minimum: 2024-02-02, maximum: 2024-02-01}", "ODCS-E204"),
        (
            "logicalType: date, logicalTypeOptions: {format: dd/MM/yyyy, minimum: 02/01/2024, maximum: 01/02/2023}",
            "ODCS-E204",
        ),
        ("logicalType: integer, logicalTypeOptions: {minimum: 1.5}", "ODCS-E210"),
        ("logicalType: integer, logicalTypeOptions: {exclusiveMaximum: 0.1}", "ODCS-E210"),
        ("logicalType: string, logicalTypeOptions: {pattern: 'A[0-9'}", "ODCS-E208"),
        ("logicalType: string, logicalTypeOptions: {pattern: '(a'}", "ODCS-E208"),
        ("logicalType: string, logicalTypeOptions: {pattern: '*'}", "ODCS-E208"),
    ],
)
def test_options_that_no_data_satisfy(text: str, code: str) -> None:
    assert fault(objects(f"{{name: p, {text}}}")) == code


@pytest.mark.parametrize(
    "text",
    [
        "logicalType: integer, logicalTypeOptions: {minimum: 3, maximum: 3}",
        "logicalType: integer, logicalTypeOptions: {minimum: 3.0}",
        "logicalType: number, logicalTypeOptions: {exclusiveMinimum: 3, exclusiveMaximum: 4}",
        "logicalType: string, logicalTypeOptions: {pattern: '(?<=ab)c'}",
    ],
)
def test_options_that_data_may_satisfy(text: str) -> None:
    """Look-behind is an expression: whether the engines have it is not the reader's question."""
    assert field(text).name.value == "p"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("logicalType: integer, examples: [1, 2.0, x, 1.5, true]", 3),
        ("logicalType: integer, logicalTypeOptions: {minimum: 0, exclusiveMaximum: 5}, examples: [-1, 0, 4, 5]", 2),
        ("logicalType: string, logicalTypeOptions: {minLength: 2, maxLength: 3}, examples: [a, ab, abcd]", 2),
        ("logicalType: string, logicalTypeOptions: {pattern: '^A[0-9]+$'}, examples: [A1, B1]", 1),
        ("logicalType: string, logicalTypeOptions: {format: ipv4}, examples: [10.0.0.1, 10.0.0.256]", 1),
        ("logicalType: number, logicalTypeOptions: {multipleOf: 0.1}, examples: [0.3, 0.35]", 1),
        ("logicalType: date, logicalTypeOptions: {format: dd/MM/yyyy}, examples: [29/02/2024, 2024-02-29]", 1),
        ("logicalType: date, logicalTypeOptions: {minimum: 2024-01-01}, examples: [2023-12-31, 2024-01-01]", 1),
        ("logicalType: string, required: true, examples: [null, a]", 1),
        ("logicalType: string, examples: [null, a]", 0),
        ("logicalType: integer, classification: pii, examples: [x]", 0),
    ],
)
def test_examples_that_break_their_property(text: str, count: int) -> None:
    assert warnings(objects(f"{{name: p, {text}}}")) == ["ODCS-W109"] * count


def test_examples_outside_an_enumeration() -> None:
    enum = objects("{name: p, logicalType: integer, enum: [{value: 1}, {value: 2}], examples: [1, 3]}")
    assert warnings(enum, "v3.2.0") == ["ODCS-W109"]


def test_a_hostile_pattern_takes_no_time() -> None:
    text = "logicalType: string, logicalTypeOptions: {pattern: '^(a+)+$'}, examples: [" + "a" * 60 + "b]"
    assert warnings(objects(f"{{name: p, {text}}}")) == ["ODCS-W109"]


def test_a_custom_enumeration_is_no_check() -> None:
    text = "{name: p, logicalType: string, customProperties: [{property: enum, value: [a]}]}"
    assert warnings(objects(text)) == ["ODCS-W114"]


SECRETS = [
    "customProperties: [{property: password, value: hunter2}]\n" + objects(STRING_P),
    "customProperties: [{property: dbApiKey, value: hunter2}]\n" + objects(STRING_P),
    objects("{name: p, logicalType: string, customProperties: [{property: client_secret, value: [hunter2]}]}"),
    "support: [{channel: c, url: 'https://me:hunter2@example.org'}]\n" + objects(STRING_P),
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_literal_secret_is_refused_and_never_printed(text: str) -> None:
    (found,) = faults(text)
    assert (found.code, found.line_shown) == ("ODCS-E109", False)
    assert "hunter2" not in found.message + found.help + found.label + found.expected + found.key_path


@pytest.mark.parametrize(
    "entry",
    [
        "{property: password, value: 'env:DB_PASSWORD'}",
        "{property: password, value: '${ENV:DB_PASSWORD}'}",
        "{property: password, value: null}",
        "{property: passwordPolicy, value: strict}",
        "{property: token_count, value: 5}",
    ],
)
def test_what_holds_no_secret(entry: str) -> None:
    assert read(f"customProperties: [{entry}]\n" + objects(STRING_P)).name == "t"


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("v2.2.2", "convert first"),
        ("v3.3.0", "newer than this reader"),
        ("v3.10.0", "newer than this reader"),
        ("v4.0.0", "newer than this reader"),
        ("v3.1.7", "no version of the standard"),
        ("latest", "no version of the standard"),
    ],
)
def test_versions_that_are_not_read(version: str, words: str) -> None:
    (found,) = faults(objects(STRING_P), version)
    assert found.code == "ODCS-E103"
    assert words in found.message


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("c.odcs.yaml", "id: a\nid: b\n", "ODCS-E101"),
        ("c.odcs.yaml", "id: [\n", "ODCS-E101"),
        ("c.yaml", "apiVersion: v3.1.0\nkind: DataContract\nid: a\nid: b\n", "ODCS-E101"),
        ("c.yaml", "id: a\nid: b\n", "CTR-011"),
    ],
)
def test_a_document_that_cannot_be_read(name: str, text: str, code: str) -> None:
    with pytest.raises(ContractError) as caught:
        read_text(text.encode(), name)
    assert [found.code for found in caught.value.diagnostics] == [code]
