"""TYP: types in SQL expressions (semantics, sections 4 and 5)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo
from etlgen.diagnostics.codes.resolution import TYP_CODES

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

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES} | TYP_CODES
