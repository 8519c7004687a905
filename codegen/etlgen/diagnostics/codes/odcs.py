"""ODCS: reading the Open Data Contract Standard (odcs, section 11)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ERRORS = (
    CodeInfo(
        "ODCS-E102",
        "`kind` is not DataContract",
        "The standard knows one kind of document.",
        "kind: DataProduct",
        "write `kind: DataContract`.",
    ),
    CodeInfo(
        "ODCS-E103",
        "`apiVersion` is not read",
        "Documents of v3.0.0, v3.0.1, v3.0.2, v3.1.0 and v3.2.0 are read. Versions 2 had another structure; later ones may give "
        "keys a new meaning.",
        "apiVersion: v2.2.2",
        "convert the document to one of these versions.",
    ),
    CodeInfo(
        "ODCS-E104",
        "a required key is missing",
        "The standard requires it.",
        "schema: [{properties: []}]",
        "add the key.",
    ),
    CodeInfo(
        "ODCS-E105",
        "unknown key",
        "The standard, in the version of the document, has no such key here. Nothing is dropped silently.",
        "{name: id, logicalType: integer, nullable: false}",
        "use the key that is named, a later `apiVersion`, or `customProperties`.",
    ),
    CodeInfo(
        "ODCS-E106",
        "a value of the wrong kind",
        "The key takes another kind of value, or a word of a fixed list.",
        "logicalType: varchar",
        "write a value of the kind that is named.",
    ),
    CodeInfo(
        "ODCS-E107",
        "a name, id or column occurs twice",
        "References and columns must be unambiguous.",
        "properties: [{name: a, physicalName: x}, {name: b, physicalName: X}]",
        "keep one of them, or rename it.",
    ),
    CodeInfo(
        "ODCS-E108",
        "wrong settings in the `etlgen` custom property",
        "A misspelt setting would have no effect.",
        "- {property: etlgen, value: {sources: {type: landing}}}",
        "use one of the keys that are listed for this level.",
    ),
    CodeInfo(
        "ODCS-E110",
        "a variable in a name",
        "Names shape the generated code, so they must be known when it is generated.",
        'physicalName: "${TABLE}"',
        "write the name out.",
    ),
    CodeInfo(
        "ODCS-E190",
        "not executed by this version",
        "Ignoring it would publish another table, or check less, than the contract says.",
        "{name: total, logicalType: number, transformLogic: qty * price}",
        "express it with `transformations` or `quality` of the `etlgen` custom property, or mark it as documentation.",
    ),
    CodeInfo(
        "ODCS-E201",
        "nothing to generate",
        "A pipeline needs a schema object with properties.",
        "schema: []",
        "add a schema object with properties.",
    ),
    CodeInfo(
        "ODCS-E203",
        "an option of another type",
        "Each logicalType has its own options.",
        "{name: age, logicalType: integer, logicalTypeOptions: {maxLength: 3}}",
        "remove the option, or correct the logicalType.",
    ),
    CodeInfo(
        "ODCS-E204",
        "a wrong option value",
        "The value is not allowed for the option, or no data could satisfy it.",
        "logicalTypeOptions: {minimum: 10, maximum: 1}",
        "write a value as described.",
    ),
    CodeInfo(
        "ODCS-E205",
        "the physicalType is not understood",
        "Without logicalType the type comes from physicalType alone.",
        "{name: shape, physicalType: geography}",
        "add `logicalType:`.",
    ),
    CodeInfo(
        "ODCS-E206",
        "misplaced items, properties or map",
        "`items` belongs to arrays, `properties` to objects, `map` to maps.",
        "{name: tags, logicalType: string, items: {logicalType: string}}",
        "correct the logicalType, or remove the key.",
    ),
    CodeInfo(
        "ODCS-E207",
        "a wrong key position",
        "Positions count from 1 and each is used once.",
        "{name: id, primaryKey: true, primaryKeyPosition: 0}",
        "number the key columns 1, 2, 3.",
    ),
    CodeInfo(
        "ODCS-E209",
        "not a date format",
        "The letters y u M d H h a m s S X Z x are read, `T` and quoted text stand for themselves.",
        "logicalTypeOptions: {format: DD.MM.YYYY}",
        "write for instance `dd.MM.yyyy`.",
    ),
    CodeInfo(
        "ODCS-E210",
        "a bound that is not of the type",
        "Bounds are compared with the values of the property.",
        '{name: age, logicalType: integer, logicalTypeOptions: {minimum: "ten"}}',
        "write a number for numbers, a date for dates.",
    ),
    CodeInfo(
        "ODCS-E211",
        "a type that no engine supports",
        "A time of day with time zone has no counterpart on the engines.",
        "{name: opens, logicalType: time, logicalTypeOptions: {timezone: true}}",
        "use a timestamp, or a time without zone.",
    ),
    CodeInfo(
        "ODCS-E301",
        "a quality rule without type",
        "With neither `type` nor `metric` it is not known what is checked.",
        "quality: [{description: must be good}]",
        "add `type: text` for prose, or a metric.",
    ),
)

_WARNINGS = (
    CodeInfo(
        "ODCS-W101",
        "not portable",
        "It is read here, and refused or read otherwise by other tools.",
        "version: 1.0",
        'put quotes around it: version: "1.0".',
    ),
    CodeInfo(
        "ODCS-W102",
        "a deprecated spelling",
        "It is still read as before.",
        "team: [{username: ann}]",
        "use the new one.",
    ),
    CodeInfo(
        "ODCS-W103",
        "a check that is not executed",
        "It belongs to another tool.",
        "quality: [{type: custom, engine: soda, implementation: ...}]",
        "nothing, or express it as a rule that is executed.",
    ),
    CodeInfo("ODCS-W104", "no type given", "The property is read as string.", "{name: note}", "add `logicalType:`."),
    CodeInfo(
        "ODCS-W105",
        "the physicalType is ignored or completed",
        "logicalType decides the family; a physicalType of another family says how the value is stored elsewhere.",
        "{name: n, logicalType: integer, physicalType: varchar}",
        "nothing, or correct one of the two.",
    ),
    CodeInfo(
        "ODCS-W106",
        "a text format that is not checked",
        "email, uuid, uri, hostname, ipv4, ipv6 and byte are checked; others are descriptions.",
        "logicalTypeOptions: {format: password}",
        "add a `pattern` if values must be checked.",
    ),
    CodeInfo(
        "ODCS-W107",
        "contradictory flags",
        "One of the two is taken, as the message says.",
        "{name: id, primaryKey: true, required: false}",
        "remove the other.",
    ),
    CodeInfo(
        "ODCS-W108",
        "the contract is deprecated or retired",
        "Its owner announces that it will change or vanish.",
        "status: retired",
        "ask the owner for the successor.",
    ),
    CodeInfo("ODCS-W110", "no schema", "The contract describes no table.", "schema: []", "add a schema object."),
    CodeInfo(
        "ODCS-W111",
        "a date read as timestamp or time",
        "The physicalType or the format has a time of day.",
        "{name: at, logicalType: date, physicalType: timestamp}",
        "write `logicalType: timestamp`.",
    ),
    CodeInfo(
        "ODCS-W190",
        "kept, not executed by this version",
        "The rows of the table are the same without it.",
        "servers: [{server: lake, type: s3, location: ...}]",
        "nothing; the message names what is executed instead.",
    ),
)

CODES: dict[str, CodeInfo] = {info.code: info for info in (*_ERRORS, *_WARNINGS)}
