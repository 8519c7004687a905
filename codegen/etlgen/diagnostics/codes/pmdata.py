"""PMDATA: what is wrong with data. 100 to 109 are found before any row is judged, 110 to 129 are failures of rows, 130 of datasets."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "PMDATA100",
        "undeclared column under `evolution: strict`",
        "The source has a column that the contract does not declare, and the contract allows none; found before any row.",
        "schema_policy: {evolution: strict}   # the file has a further column `note`",
        "declare the column, or loosen `schema_policy.evolution`.",
    ),
    CodeInfo(
        "PMDATA125",
        "declared column that the source lacks",
        "A declared column that is not required is missing from the source; it is NULL in every row (semantics, section 4).",
        "model: {fields: [{name: due_date, type: date}]}   # the file has a column `due`",
        "correct the name in the contract or in the source, or make the field required.",
    ),
    CodeInfo(
        "PMDATA126",
        "column of a type that cannot be read",
        "A typed source holds a declared column in a type that the cast table has no row for, such as a duration.",
        "model: {fields: [{name: took, type: integer}]}   # a Duration column in the Parquet file",
        "convert the column in the source, or leave it undeclared.",
    ),
    CodeInfo(
        "PMDATA130",
        "dataset rule failed",
        "A rule over the whole dataset does not hold, or its query returned NULL. No row is quarantined.",
        "quality: {dataset_rules: [{row_count_between: {min: 1000, max: 5000}}]}   # 12 rows came",
        "look at the data; with `fail_pipeline_on_dataset_error: true` nothing is published.",
    ),
    CodeInfo(
        "PMDATA101",
        "missing required column",
        "The source lacks a column that a required field declares, or has a declared one in another case; the run fails before any row.",
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
        "PMDATA103",
        "input that does not exist",
        "The file or folder of a source or link is not there. (A folder or pattern that matches nothing is another case.)",
        "source: {type: landing, path: data/ordrs.csv}",
        "check the path; it is relative to the profile's root.",
    ),
    CodeInfo(
        "PMDATA104",
        "target that cannot be written",
        "The target is a folder where a file is expected or the reverse, or writing it would remove what no run has written: files "
        "in the folder that are no parts, the input of the run, the quarantine.",
        "materialization: {format: csv, target_path: out}   # `out` is a folder",
        "correct the path or its permissions.",
    ),
    CodeInfo(
        "PMDATA105",
        "unreadable input",
        "A file is empty, not in its encoding, malformed for its format, or has a header that is empty or ambiguous; it is compressed "
        "and cannot be unpacked, or is larger than a limit of the profile.",
        "id,name,id\n1,a,2",
        "correct or remove the file that is named.",
    ),
    CodeInfo(
        "PMDATA106",
        "reference data that cannot be used",
        "A link lacks a declared column, has other types than the rows or its declaration, holds a value that does not fit its "
        "declared type, has no value in a required column, or a lookup key occurs twice in it.",
        "code,name\nDE,Germany\nDE,Deutschland",
        "correct the reference data, or its declaration.",
    ),
    CodeInfo(
        "PMDATA107",
        "target with other columns",
        "The published data have columns or types that differ from those of this run; mixing them would spoil both.",
        "materialization: {strategy: append}   # after a column changed its type",
        "rewrite the target once by `overwrite`, or write to another place.",
    ),
    CodeInfo(
        "PMDATA108",
        "unreadable target",
        "A published file that the strategy must read cannot be read. It is left as it is.",
        "a truncated Parquet file in the target folder",
        "repair or remove it.",
    ),
    CodeInfo(
        "PMDATA109",
        "nothing to read",
        "No file matches the folder or pattern; `source.empty_behavior` says whether the run is skipped or fails.",
        "source: {type: landing, path: data, pattern: 'orders_*.csv', empty_behavior: fail}",
        "check path and pattern.",
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
        "PMDATA124",
        "value in an undeclared column",
        "`unknown_fields: quarantine`: the row holds a value in a column that is not declared and that nothing reads.",
        "schema_policy: {unknown_fields: quarantine}",
        "declare the column, remove it from the source, or allow or drop unknown fields.",
    ),
    CodeInfo(
        "PMDATA201",
        "bad rows without a quarantine",
        "Quarantine is not enabled, so no partial acceptance was declared: a bad row fails the run.",
        "quarantine: {enabled: false}",
        "correct the rows at their source, enable quarantine, or let the profile drop them explicitly.",
    ),
    CodeInfo(
        "PMDATA202",
        "bad rows, and fail_on_quarantine",
        "`fail_on_quarantine: true`: any bad row fails the run before publication; the quarantine is still written.",
        "quarantine: {fail_on_quarantine: true}",
        "look at the quarantine, correct the rows at their source, and run again.",
    ),
    CodeInfo(
        "PMDATA203",
        "nothing published after a failed dataset rule",
        "`fail_pipeline_on_dataset_error: true`: a dataset rule of severity error failed, so the target is unchanged.",
        "quality: {fail_pipeline_on_dataset_error: true}",
        "look at the failed rules of the report.",
    ),
    CodeInfo(
        "PMDATA204",
        "all rows quarantined",
        "No row was accepted; an overwrite does not replace good data with nothing.",
        "materialization: {strategy: overwrite}",
        "look at the quarantine; the profile can allow an empty table explicitly.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
