"""CTR: reading OLC contracts, and the YAML of both vocabularies."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo
from etlgen.diagnostics.codes.resolution import CTR_CODES

_YAML = (
    CodeInfo(
        "CTR-001",
        "the file is too large",
        "Contracts are written by people and fit into a few kilobytes. The limit keeps a wrong file, or a hostile one, from "
        "filling the memory.",
        "contracts/orders.olc.yaml holds 3 MB of examples",
        "split the contract, or raise `max_contract_bytes` under `[tool.etlgen]`.",
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
        "flatten the contract.",
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
        "define the anchor first and keep aliases small; put quotes around a text that begins with `*`.",
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
)

_STRUCTURE = (
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
        "The contract cannot run on its own.",
        "source: {type: landing, format: csv}",
        "add `path:`, or give the files to the run.",
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

CODES: dict[str, CodeInfo] = {info.code: info for info in (*_YAML, *_STRUCTURE, *_VERDICTS)} | CTR_CODES
