"""SQL: names, functions and forms of the SQL in contracts (semantics, sections 4 and 5)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "SQL-001",
        "unknown column",
        "The SQL names a column that does not exist at that point. Where further source columns are possible, a name within two edits of a known column is taken for a misspelling.",
        "derive: {field: total, sql: qty * unit_prise}",
        "use the name that is suggested, or declare the source column in `model.fields` or `etlgen.source_fields`.",
    ),
    CodeInfo(
        "SQL-002",
        "SQL that cannot be read",
        "The text is empty or no SQL expression of the DuckDB dialect.",
        'filter: {sql: "status = "}',
        "correct the SQL at the place shown.",
    ),
    CodeInfo(
        "SQL-003",
        "function not supported",
        "Functions are an allow-list: each one listed in docs/sql.md means the same on every engine. This one is not among them.",
        "derive: {field: code, sql: md5(name)}",
        "write it with the functions of docs/sql.md.",
    ),
    CodeInfo(
        "SQL-004",
        "aggregate or window function in a row expression",
        "The expression is computed for each row alone, so there is nothing to aggregate.",
        "row_rules:\n  - {name: positive, sql: sum(qty) > 0}",
        "put the condition into a dataset rule.",
    ),
    CodeInfo(
        "SQL-005",
        "query inside an expression",
        "Subqueries in expressions are not executed by this version.",
        'filter: {sql: "carrier IN (SELECT carrier FROM airlines)"}',
        "bring the value in with `lookup` or `join`, or use the rule `referential_integrity`.",
    ),
    CodeInfo(
        "SQL-006",
        "SQL that is not supported",
        "The operator, clause or form is not in the table of docs/sql.md.",
        "derive: {field: flags, sql: a & b}",
        "write it with what docs/sql.md lists.",
    ),
    CodeInfo(
        "SQL-007",
        "wrong number of arguments",
        "The function takes more or fewer arguments.",
        'derive: {field: code, sql: "lpad(code, 3)"}',
        "give the arguments that are shown as expected.",
    ),
    CodeInfo(
        "SQL-008",
        "argument of the wrong form",
        "Units, formats, patterns, options and intervals are literals of a closed form, so that every engine reads them alike.",
        "derive: {field: month, sql: \"date_trunc('mnth', day)\"}",
        "write one of the words shown as expected.",
    ),
    CodeInfo(
        "SQL-009",
        "pattern that is not portable",
        "The regular expression uses what some engine lacks or reads otherwise: look-around, back-references, possessive repeats, Unicode properties, set operations in classes.",
        "row_rules:\n  - {name: code, sql: \"regexp_matches(code, 'a(?=b)')\"}",
        "write it with literals, classes, groups, alternation, repeats up to 1000, anchors and the flags i, m, s.",
    ),
    CodeInfo(
        "SQL-010",
        "undeclared column",
        "The name is not declared; as further source columns are possible here, it is taken for one. From a text source it is text.",
        "filter: {sql: \"region = 'EU'\"}   # region is not in model.fields",
        "declare it in `etlgen.source_fields`, so that a misspelling cannot pass.",
    ),
    CodeInfo(
        "SQL-011",
        "timestamp cast to a date",
        "A cast keeps the value or gives NULL, and a timestamp is a date only at midnight.",
        "derive: {field: day, sql: CAST(ordered_at AS DATE)}",
        "write `CAST(date_trunc('day', ordered_at) AS DATE)` for the day it lies in.",
    ),
    CodeInfo(
        "SQL-012",
        "not deterministic",
        "The value does not follow from the data: a second run, or another engine, would give another one.",
        "filter: {sql: random() < 0.1}",
        "leave it out; where the order of rows decides, write ORDER BY.",
    ),
    CodeInfo(
        "SQL-013",
        "unknown table",
        "The SQL names a table that is neither `source` nor a link.",
        "dataset_rules:\n  - {name: known, sql: SELECT count(*) = 0 FROM airlnes}",
        "use `source`, or declare the table under `links`.",
    ),
    CodeInfo(
        "SQL-014",
        "column of no known table",
        "With several tables, a name that none (or more than one) of them is known to have must say where it belongs.",
        "sql: SELECT count(*) FROM source, airlines WHERE code = 'AA'",
        "write the table before the name (`airlines.code`).",
    ),
    CodeInfo(
        "SQL-015",
        "not one value",
        "A dataset rule judges one value: one column, one row.",
        "dataset_rules:\n  - {name: total, sql: SELECT a, b FROM source}",
        "aggregate it: `count(*)`, `bool_and(...)`, `max(...)`.",
    ),
    CodeInfo(
        "SQL-016",
        "equality on an inexact double",
        "exp, ln, log and power may differ in the last bits between engines, so `=` may hold on one and not on another.",
        'filter: {sql: "ln(x) = 1.0"}',
        "round both sides, or compare with a tolerance.",
    ),
    CodeInfo(
        "SQL-017",
        "cast that is always NULL",
        "The literal does not read as the type it is cast to.",
        "derive: {field: day, sql: \"DATE '2024-02-30'\"}",
        "correct the literal, or write NULL.",
    ),
    CodeInfo(
        "SQL-018",
        "no single value of a group",
        "A rollup gives one row per group. A column outside an aggregate must be one of `group_by`, and each aggregation aggregates something.",
        "rollup: {group_by: [city], aggregations: {street: street}}",
        "aggregate the column, or add it to `group_by`.",
    ),
    CodeInfo(
        "SQL-019",
        "aggregate inside an aggregate",
        "The argument of an aggregate is computed for each row.",
        'rollup: {group_by: [city], aggregations: {most: "max(count(*))"}}',
        "use two rollups, the finer one first.",
    ),
    CodeInfo(
        "SQL-020",
        "comparison with NULL",
        "A comparison with NULL is never true, whatever the value: a filter keeps no row, and a rule fails on every one. In the list of "
        "`IN` it matches nothing, and `NOT IN` with it is never true.",
        "filter: {sql: rate = NULL}",
        "write `rate IS NULL` or `rate IS NOT NULL`.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
