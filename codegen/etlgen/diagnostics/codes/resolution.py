"""CTR and TYP codes of resolution: operations, links, names and values that only the whole contract can judge."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_CONTRACT = (
    CodeInfo(
        "CTR-084",
        "a rule or operation without the value it needs",
        "A range without a bound, an empty list of accepted values or a deduplicate without `sort_by` checks or means nothing.",
        "range: {field: qty}",
        "write the bound or value, or remove the entry.",
    ),
    CodeInfo(
        "CTR-085",
        "unique judges the rows of one run",
        "With the strategy append a key may already be in the target; a dataset rule looks at the rows of this run only.",
        "materialization: {strategy: append}\nprimary_key: [order_id]",
        "a note: use a strategy that replaces rows by key where the target must stay unique.",
    ),
    CodeInfo(
        "CTR-087",
        "a word outside its list",
        "The unit of `date_diff` or the window of `lifecycle_window` is none that is known.",
        "date_diff: {field: d, from_col: a, to_col: b, unit: fortnights}",
        "use one of the words shown as expected.",
    ),
    CodeInfo(
        "CTR-088",
        "the name of a new column is taken",
        "A rename or join would overwrite another column without saying so.",
        "rename: {from: a, to: b}   # b is a column too",
        "drop or rename the other column first, choose another name, or give `join` a `prefix`.",
    ),
    CodeInfo(
        "CTR-089",
        "deprecated operation",
        "The operation still works and has a successor that can say more.",
        "deduplicate_by_latest: {key_columns: [id], timestamp_column: updated_at}",
        "write the operation that is named.",
    ),
    CodeInfo(
        "CTR-090",
        "operation not supported by this version",
        "The operation belongs to the vocabulary, but this version does not execute it; leaving it out would give another table.",
        "pivot: {id_vars: [id], pivot_col: k, value_cols: [v], values: [a, b], agg: sum}",
        "express it by supported operations, or compute it before the pipeline.",
    ),
    CodeInfo(
        "CTR-091",
        "contract without fields",
        "The fields are the output; without them there is nothing to build.",
        "model: {fields: []}",
        "list the columns of the output under `model.fields`.",
    ),
    CodeInfo(
        "CTR-092",
        "a name twice",
        "Two fields, two links, or two outputs of one operation have the same name.",
        "rename: {mappings: {a: total, b: total}}",
        "rename or remove one of them.",
    ),
    CodeInfo(
        "CTR-093",
        "two columns that differ only in case",
        "SQL does not tell them apart, and some engines do not either.",
        "derive: {field: Total, sql: 'total * 2'}",
        "rename one of them.",
    ),
    CodeInfo(
        "CTR-094",
        "reserved column name",
        "Names that begin with `_etlgen_` or `__etlgen_` are kept for quarantine and bookkeeping columns.",
        "model: {fields: [{name: _etlgen_errors, type: string}]}",
        "rename the column.",
    ),
    CodeInfo(
        "CTR-095",
        "unknown link",
        "An operation or rule refers to reference data that is not declared.",
        "lookup: {field: n, reference: contries, 'on': code, key: code, value: name}",
        "declare it under `links`, or correct the name.",
    ),
    CodeInfo(
        "CTR-096",
        "link that nothing uses",
        "The link is declared, but no operation and no rule reads it.",
        "links: [{name: countries, path: data/countries.parquet}]",
        "a note: remove it, or use it.",
    ),
    CodeInfo(
        "CTR-097",
        "link with unknown column types",
        "A build reads no data, so the types of this link are checked only when a run starts.",
        "links: [{name: countries, path: data/countries.parquet}]",
        "a note: declare the columns under `extensions: etlgen.link_fields`.",
    ),
    CodeInfo(
        "CTR-098",
        "two rules of one name",
        "Two rules of one name and different definitions; the second one gets a number.",
        "row_rules: [{name: positive, sql: 'a > 0'}, {name: positive, sql: 'b > 0'}]",
        "give each rule a name of its own.",
    ),
    CodeInfo(
        "CTR-099",
        "drop of a column that is not there",
        "Dropping an absent column does nothing; it may be a misspelling.",
        "drop: {columns: [internl_notes]}",
        "a note: correct the name, or remove it from the list.",
    ),
)

_TYPES = (
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
)

CTR_CODES: dict[str, CodeInfo] = {info.code: info for info in _CONTRACT}
TYP_CODES: dict[str, CodeInfo] = {info.code: info for info in _TYPES}
