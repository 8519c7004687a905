"""TYP: types of columns, values and SQL expressions (semantics, sections 4 and 5)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "TYP-001",
        "operands that do not go together",
        "The operator does not take these types. Text is never compared or computed with as a number or date without a cast.",
        "filter: {sql: qty > 3}   # qty is text",
        "cast one side (`CAST(qty AS BIGINT) > 3`), or declare the column with its type.",
    ),
    CodeInfo(
        "TYP-002",
        "literal that does not read as the type",
        "A text literal beside a number, date, timestamp or boolean is read by the cast table when the contract is built.",
        "filter: {sql: \"ordered_on = '2024-02-30'\"}",
        "correct the literal.",
    ),
    CodeInfo(
        "TYP-003",
        "condition that is not boolean",
        "A filter, rule, WHEN or operand of AND, OR, NOT is TRUE, FALSE or NULL; numbers and text are not.",
        "filter: {sql: qty}",
        "compare it with something: `qty > 0`.",
    ),
    CodeInfo(
        "TYP-004",
        "argument of the wrong type",
        "The function does not take this type; nothing is converted silently.",
        "derive: {field: size, sql: length(qty)}   # qty is a number",
        "cast the argument as shown.",
    ),
    CodeInfo(
        "TYP-005",
        "values without a common type",
        "The branches of CASE or the arguments of coalesce, greatest and least have one type; these have none in common.",
        "derive: {field: x, sql: \"CASE WHEN ok THEN qty ELSE 'none' END\"}",
        "cast them to one type.",
    ),
    CodeInfo(
        "TYP-006",
        "undeclared text used as something else",
        "An undeclared column of a text source is text, and here a number, date or boolean is needed.",
        "filter: {sql: age > 17}   # age is not declared, the source is CSV",
        "declare it in `etlgen.source_fields` with its type, or cast it in phase pre.",
    ),
    CodeInfo(
        "TYP-007",
        "bounded value that is no number",
        "`must_be_*` bounds the value of `sql`, which must be numeric.",
        "row_rules:\n  - {name: r, sql: status, must_be_greater_than: 0}",
        "make the expression a number, or state the condition in the SQL.",
    ),
    CodeInfo(
        "TYP-008",
        "too many decimals",
        "The scales of a product add up; a decimal holds 38 digits.",
        "derive: {field: x, sql: a * b}   # both decimal(38, 20)",
        "round or cast an operand to fewer decimals first.",
    ),
    CodeInfo(
        "TYP-009",
        "cast that no value survives",
        "The cast table has no entry for the pair of types (semantics, section 4).",
        "derive: {field: n, sql: CAST(is_open AS INTEGER)}   # is_open is boolean",
        "compute it: `CASE WHEN is_open THEN 1 ELSE 0 END`.",
    ),
)

_RESOLUTION = (
    CodeInfo(
        "TYP-050",
        "column of another type than needed",
        "An operation or check needs text, a number or a date, and the column holds something else at that point. Columns "
        "of a CSV source are text until step 3.",
        "trim: {fields: [qty]}   # qty is an integer",
        "cast the column before, move the operation behind step 3 (post), or correct the declared type.",
    ),
    CodeInfo(
        "TYP-051",
        "value that its column cannot hold",
        "A bound, default or listed value does not read as the type of the column that it stands beside.",
        "{name: qty, type: integer, min: lots}",
        "correct the value, or the declared type.",
    ),
    CodeInfo(
        "TYP-052",
        "key types that differ",
        "The two sides of a lookup, join or referential_integrity hold different kinds of values and would never match.",
        "lookup: {field: n, reference: countries, 'on': country_id, key: code, value: name}   # integer against string",
        "cast one of them, or declare them alike.",
    ),
    CodeInfo(
        "TYP-053",
        "deduplicate orders text",
        "In phase pre the columns of a text source are text: '9' comes after '10', whatever the field is declared as.",
        "deduplicate: {'on': [id], sort_by: [version], order: desc}\nphase: pre",
        "cast the column in phase pre before it, or let deduplicate run in post.",
    ),
    CodeInfo(
        "TYP-054",
        "values that never become the wanted type",
        "The cast table has no entry for the pair of types (semantics, section 4), so every row would be bad. Text becomes "
        "every type, numbers become numbers and booleans, dates and timestamps each other.",
        "fields: [{name: due, type: date}]\ntransformations: [{derive: {field: due, sql: qty + 1}}]",
        "compute a value of the declared type, or declare the type that is computed.",
    ),
)

_READING = (
    CodeInfo(
        "TYP-070",
        "unknown type",
        "The type is none of the cast table. `varchar(n)` is refused, because n would be a constraint that nobody sees.",
        "{name: qty, type: intger}",
        "choose one of the listed types; a length belongs into `max_length`.",
    ),
    CodeInfo(
        "TYP-071",
        "nested types are not supported by this version",
        "Lists, maps and structs cannot be declared yet.",
        "{name: tags, type: array<string>}",
        "declare the field as `json` (text that parses as JSON) or `string`.",
    ),
    CodeInfo(
        "TYP-072",
        "not a decimal type",
        "A decimal has 1 to 38 digits in all, and no more after the point than in all.",
        "{name: amount, type: 'decimal(40,2)'}",
        "write for instance `decimal(18,2)`.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in (*_ENTRIES, *_RESOLUTION, *_READING)}
