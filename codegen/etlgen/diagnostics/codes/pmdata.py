"""PMDATA: what is wrong with data. 101 to 109 are found before any row is judged, 110 on are failures of rows."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "PMDATA101",
        "missing required column",
        "The source lacks a column that a required field declares; the run fails before any row.",
        "model: {fields: [{name: id, type: long, required: true}]}   # the file has a column `ID`",
        "correct the file or the name; names must agree in case.",
    ),
    CodeInfo(
        "PMDATA102",
        "declared pattern or format not satisfied",
        "A text value does not satisfy the declared pattern or format of its field.",
        "{name: email, type: string}   # etlgen.fields: {email: {format: email}}",
        "correct the value at its source, or the constraint.",
    ),
    CodeInfo(
        "PMDATA110",
        "required value missing",
        "A required field is NULL.",
        "{name: order_id, type: long, required: true}",
        "correct the row at its source, or let a `coalesce` of phase pre fill the value.",
    ),
    CodeInfo(
        "PMDATA111",
        "value does not fit its type",
        "A value does not read as the declared type by the cast table. The original stays in quarantine.",
        "{name: qty, type: integer}   # the file holds `three`",
        "correct the value at its source, clean it in phase pre, or declare another type.",
    ),
    CodeInfo(
        "PMDATA112",
        "value not accepted",
        "The value is not in the list of accepted values.",
        "{name: status, type: string, accepted_values: [new, paid]}",
        "correct the value at its source, map it, or add it to the list.",
    ),
    CodeInfo(
        "PMDATA113",
        "value out of range",
        "The value is below or above the bounds of the field. NaN is outside every range.",
        "{name: qty, type: integer, min: 1}",
        "correct the value at its source, or the bounds.",
    ),
    CodeInfo(
        "PMDATA114",
        "text too short or too long",
        "The text has fewer or more characters than declared.",
        "{name: code, type: string, max_length: 3}",
        "correct the value at its source, or the length.",
    ),
    CodeInfo(
        "PMDATA116",
        "not a multiple",
        "The number is not a multiple of the declared step.",
        "etlgen.fields: {qty: {multiple_of: 5}}",
        "correct the value at its source, or the step.",
    ),
    CodeInfo(
        "PMDATA120",
        "row rule fails",
        "The predicate of a row rule is FALSE or NULL for the row.",
        "row_rules: [{name: total_positive, sql: line_total > 0}]",
        "correct the row at its source, or the rule; write `OR x IS NULL` where NULL is right.",
    ),
    CodeInfo(
        "PMDATA121",
        "value not in its reference data",
        "`referential_integrity`: the key column of the link does not hold the value.",
        "referential_integrity: {field: country, reference: countries, key: code}",
        "correct the value, or complete the reference data.",
    ),
    CodeInfo(
        "PMDATA122",
        "value older than its window",
        "`lifecycle_window`: the date or timestamp lies before the run's start minus the window.",
        "lifecycle_window: {field: event_time, window: 30d}",
        "remove old rows at the source, or widen the window.",
    ),
    CodeInfo(
        "PMDATA123",
        "deduplication key blank",
        "A row has a NULL in a key column of `deduplicate`; such rows are never grouped.",
        "deduplicate: {'on': [id], sort_by: [updated_at]}",
        "correct the row at its source, or write `blank_keys: keep`.",
    ),
    CodeInfo(
        "PMDATA130",
        "dataset rule fails",
        "The value of a dataset rule is FALSE, NULL or outside its bounds.",
        "dataset_rules: [{row_count_between: {min: 1000}}]",
        "look at the rows of the run; with `fail_pipeline_on_dataset_error: true` they are not published.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
