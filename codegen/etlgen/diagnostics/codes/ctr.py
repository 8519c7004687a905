"""CTR: reading OLC contracts, the YAML of both vocabularies, and what only a whole contract shows (084 to 099)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_YAML = (
    CodeInfo(
        "CTR-001",
        "the file is too large",
        "Contracts are written by people and fit into a few kilobytes. The limit keeps a wrong file, or a hostile one, from "
        "filling the memory.",
        "contracts/orders.olc.yaml holds 3 MB of examples",
        "split the contract, or raise `contract_bytes` under `[tool.etlgen.limits]`.",
    ),
    CodeInfo(
        "CTR-002",
        "the file is not UTF-8",
        "YAML files are Unicode. A file in another encoding would be read as other characters than were written.",
        "a contract saved as Latin-1 or UTF-16",
        "save the file as UTF-8; the message names the first byte that does not fit.",
    ),
    CodeInfo(
        "CTR-003",
        "a character cannot stand in a contract",
        "Control characters, single carriage returns and the separators U+0085, U+2028, U+2029 are invisible and are taken for "
        "line breaks by some readers.",
        "title: Orders<U+0007>",
        "remove the character, or write it as an escape in a double-quoted text.",
    ),
    CodeInfo(
        "CTR-004",
        "a tab indents a line",
        "YAML allows only blanks for indentation.",
        "model:\n\tfields: []",
        "replace tabs by blanks; most editors can do it for the whole file.",
    ),
    CodeInfo(
        "CTR-005",
        "the file is not YAML",
        "The text cannot be parsed. The message holds the parser's reason and the place where it gave up.",
        "title: Orders: all of them",
        "put quotes around texts that contain `: ` or ` #`, and check indentation, quotes and brackets before the place.",
    ),
    CodeInfo(
        "CTR-006",
        "more than one YAML document",
        "A contract is one document. What stands behind `---` would be ignored.",
        "version: 1.0.0\n---\nversion: 2.0.0",
        "keep one contract per file.",
    ),
    CodeInfo(
        "CTR-007",
        "the contract is empty or no mapping",
        "A contract is a mapping of keys to values.",
        "- version: 1.0.0",
        "begin with keys such as `version`, `info`, `model`.",
    ),
    CodeInfo(
        "CTR-008",
        "nested too deeply",
        "No contract needs this many levels; a file that has them is broken or hostile.",
        "a: [[[[[[ ... ]]]]]]",
        "flatten the contract, or raise `nesting` under `[tool.etlgen.limits]`.",
    ),
    CodeInfo(
        "CTR-009",
        "a key is no text",
        "Lists and mappings cannot be keys.",
        "? [order_id]\n: 1",
        "use a text as key.",
    ),
    CodeInfo(
        "CTR-010",
        "merge keys are not supported",
        "`<<` belongs to YAML 1.1. Contracts are read as YAML 1.2, where it would be an ordinary key.",
        "<<: *defaults",
        "write the keys out.",
    ),
    CodeInfo(
        "CTR-011",
        "a key occurs twice",
        "One of the two values would be lost without a word.",
        "quality: {}\nquality: {}",
        "remove one of the two.",
    ),
    CodeInfo(
        "CTR-012",
        "an alias is undefined, circular, or expands to too much",
        "A few lines of nested aliases can stand for billions of values.",
        "a: &a [*a]",
        "define the anchor first and keep aliases small, or raise `values` under `[tool.etlgen.limits]`; put quotes around a text that begins with `*`.",
    ),
    CodeInfo(
        "CTR-013",
        "YAML tags are not supported",
        "A tag asks the reader to make something else of a value. Contracts hold plain values.",
        "title: !!binary SGVsbG8=",
        "remove the tag.",
    ),
    CodeInfo(
        "CTR-014",
        "the file cannot be read",
        "The operating system refused to give the file.",
        "etlgen build contracts/order.olc.yaml     # the file is orders.olc.yaml",
        "check the path and the permissions.",
    ),
    CodeInfo(
        "CTR-015",
        "a text that a comma cuts off",
        "Between braces a comma ends a text without quotes, and the rest of it becomes a key without value.",
        "{ name: amount, type: decimal(10,2) }",
        'put quotes around the text: `type: "decimal(10,2)"`. In block style (one key a line) it needs none.',
    ),
)

_STRUCTURE = (
    CodeInfo(
        "CTR-016",
        "a text is too long",
        "No name, description or SQL of a person is that long; a text that is was generated, or is hostile, and would be copied "
        "into several generated files.",
        "description: aaaaaaaa...      # 100 001 characters",
        "shorten it, or raise `text_length` under `[tool.etlgen.limits]`.",
    ),
    CodeInfo(
        "CTR-020",
        "unknown key",
        "The vocabulary has no such key here. A misspelt key would have no effect, and the contract would promise what it does "
        "not check.",
        "primary_keys: [order_id]",
        "use the nearest key that is named, or put your own data under `extensions` with a dotted key.",
    ),
    CodeInfo(
        "CTR-021",
        "a required key is missing",
        "Without it the block has no meaning, or several.",
        "- lookup: {field: city, reference: cities}",
        "add the key.",
    ),
    CodeInfo(
        "CTR-022",
        "a value of the wrong kind",
        "A list was wanted and a text is there, or the like.",
        'min: "5"',
        "write a value of the kind that is named; numbers and booleans without quotes.",
    ),
    CodeInfo(
        "CTR-023",
        "not one of the words allowed here",
        "The key takes words of a fixed list.",
        "severity: critical",
        "use one of the words that are listed.",
    ),
    CodeInfo(
        "CTR-024",
        "a value out of bounds or of the wrong form",
        "The kind is right, the value is not: an empty list, a negative length, a version that is not MAJOR.MINOR.PATCH.",
        'version: "1.0"',
        "write a value of the form that is named.",
    ),
    CodeInfo(
        "CTR-025",
        "a name or text is empty or reserved",
        "Columns, links and rules need a name; a link cannot take the name `source`, which is the current dataset.",
        '- {name: "", type: string}',
        "choose a name.",
    ),
    CodeInfo(
        "CTR-026",
        "a name is declared twice",
        "Two fields or links of one name, or names that differ only in case, cannot be told apart on every engine.",
        "fields: [{name: id, type: int}, {name: ID, type: int}]",
        "keep one of them.",
    ),
    CodeInfo(
        "CTR-027",
        "settings contradict each other",
        "No value, or two values, would satisfy both.",
        "{name: age, type: int, min: 10, max: 1}",
        "keep one of the two, or correct it.",
    ),
    CodeInfo(
        "CTR-028",
        "not a date format",
        "Formats are written with letters (`dd/MM/yyyy HH:mm`) or directives (`%d/%m/%Y`).",
        "date_formats: [DD.MM.YYYY]",
        "use the letters y M d H h m s S a Z X x, other text in single quotes.",
    ),
    CodeInfo(
        "CTR-029",
        "not exactly one operation",
        "The entries of `transformations` run in order; two operations in one entry have none.",
        "- {trim: {fields: [a]}, upper: {fields: [a]}}",
        "write one list entry for each operation.",
    ),
)

_VERDICTS = (
    CodeInfo(
        "CTR-030",
        "a key that this version does not execute",
        "Ignoring it would publish another table than the contract describes. docs/contracts.md lists all keys with what is done.",
        "materialization: {partition_by: [day]}",
        "remove the key; the message names another way where there is one.",
    ),
    CodeInfo(
        "CTR-031",
        "a value that this version does not execute",
        "The key is executed, this value of it is not yet: another source type, file format, write strategy, or a path that is "
        "no local file.",
        "materialization: {strategy: merge}",
        "use one of the values that are named.",
    ),
    CodeInfo(
        "CTR-032",
        "a deprecated spelling",
        "It is still read as before.",
        "- deduplicate_by_latest: {key_columns: [id], timestamp_column: ts}",
        "use the new spelling that is named.",
    ),
    CodeInfo(
        "CTR-033",
        "a placeholder in a path",
        "Paths are taken as written; braces are part of the file name.",
        'path: "{landing_root}/orders"',
        "write the path out, or set it in the profile of the run.",
    ),
    CodeInfo(
        "CTR-034",
        "the source has no path",
        "There is no `source`, or it has no `path`: the contract cannot run on its own.",
        "source: {type: landing, format: csv}",
        "add `source:` with `path:`, or give the files to the run.",
    ),
    CodeInfo(
        "CTR-035",
        "SQL for an engine that this version does not have",
        "`sql_duckdb` and `sql_spark` of a `derive` replace its `sql` on those engines. Until they exist the text is kept with the "
        "contract and not read: a mistake in it is not found.",
        "derive: {field: total, sql: qty * price, sql_spark: qty * price}",
        "a note: `sql` is what runs.",
    ),
    CodeInfo(
        "CTR-040",
        "names something that is not declared",
        "The extension or default is for a field or link that does not exist, so it would have no effect.",
        "extensions: {etlgen.fields: {emial: {min_length: 3}}}",
        "use the nearest name, or declare it.",
    ),
    CodeInfo(
        "CTR-041",
        "unknown etlgen extension",
        "Keys that begin with `etlgen.` are ours; a misspelt one would have no effect.",
        "extensions: {etlgen.source_field: []}",
        "use one of `etlgen.source_fields`, `etlgen.fields`, `etlgen.link_fields`.",
    ),
)

_RESOLUTION = (
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
        "a note: where the target must stay unique, use the strategy overwrite with a source that holds all rows.",
    ),
    CodeInfo(
        "CTR-086",
        "a null that means nothing",
        "A row rule fails where there is no value, also with `null` among its accepted values. A key `null` of `map_values` is "
        "the text of four letters: rows without a value match no key.",
        "accepted_values: {field: status, values: [open, null]}",
        "a warning: write the list as `accepted_values` of the field, which NULL passes; give `map_values` a `default`, or fill "
        "the column with `coalesce`; put quotes around the text `null`.",
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
        "a constraint where nothing checks it",
        "Step 4 checks the fields of the model, and those source fields that the model does not have and that are still there "
        "after step 2. The values of reference data are not checked. A constraint elsewhere would have no effect.",
        "etlgen.link_fields: {rates: [{name: rate, type: double, min: 0}]}",
        "write it on the field of `model.fields` that the value ends up in; for `unique`, write a dataset rule.",
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
        "link whose columns are not declared",
        "A build reads no data, so the columns of this link are checked only when a run starts. Those of a CSV file are text; the "
        "types of others are unknown until then.",
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

CODES: dict[str, CodeInfo] = {info.code: info for info in (*_YAML, *_STRUCTURE, *_VERDICTS, *_RESOLUTION)}
