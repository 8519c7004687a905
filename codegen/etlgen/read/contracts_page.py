"""docs/contracts.md: what is done with each key of OLC, made from the table of verdicts."""

from __future__ import annotations

from itertools import groupby

from etlgen.read.verdicts import ROOT, ROWS, Row, Verdict

_INTRODUCTION = """\
# Contracts: what is done with each key

Contracts in the [Open Lakehouse Contract](https://github.com/LakeLogic/open-lakehouse-contract) vocabulary are validated by its
official JSON Schema. Every key has one of three verdicts:

| verdict | meaning |
|---|---|
| executed | the pipeline does what the key says |
| metadata | the key is kept with the contract; the table is the same without it |
| refused | a diagnostic stops the build (CTR-030, CTR-031), because the table would not be what the key promises |

A refused key whose value asks for nothing (`null`, an empty list, the default of the schema) is accepted.

Some spellings beyond the schema are accepted: `name`, `phase`, `severity`, `description` and `category` beside a rule shorthand,
a list as `deduplicate.order`, `external_logic` without `engine`. YAML is read as version 1.2: only `true` and `false` are booleans,
dates and times are text, and where text is wanted `0123`, `12:30` or `NO` mean the characters on the page.

## Extensions of etlgen

| key under `extensions` | holds |
|---|---|
| `etlgen.source_fields` | a list as `model.fields`: the columns and types of the source. `required`: the run fails if the column is missing |
| `etlgen.fields` | `{field: {...}}` with `minimum`, `maximum`, `exclusive_minimum`, `exclusive_maximum`, `multiple_of`, `min_length`, \
`pattern`, `format`, `date_formats`, `unique`, `title`, `examples` |
| `etlgen.link_fields` | `{link: [fields]}`: the columns and types of reference data. `required`: a row without a value fails the run \
before any row of the source |

Constraints (`min`, `max`, `max_length`, `accepted_values`, and those of `etlgen.fields`) stand at the fields of the model. On a source
field they are checked where the model has no such field and the column is still there after step 2. Elsewhere, and in
`etlgen.link_fields`, they would be checked nowhere and are refused (CTR-089).

`format` is one of email, uuid, uri, hostname, ipv4, ipv6, byte. `date_formats` takes letters (`dd/MM/yyyy`) or directives
(`%d/%m/%Y`). `minimum` and `maximum` take dates and times as text, which `min` and `max` of OLC cannot.

## Keys
"""


def contracts_page() -> str:
    """The page as Markdown: one table for each definition of the official schema."""
    rows = sorted(ROWS, key=lambda row: row.definition != ROOT)
    parts = [_INTRODUCTION]
    for definition, group in groupby(rows, key=lambda row: row.definition):
        title = "Top level" if definition == ROOT else f"`{definition}`"
        parts.append(f"\n### {title}\n\n| key | verdict | |\n|---|---|---|\n")
        parts.extend(_line(key, row) for row in group for key in row.keys.split())
    return "".join(parts)


def _line(key: str, row: Row) -> str:
    note = row.note if row.note or row.verdict is not Verdict.REFUSED else "not executed by this version"
    return f"| `{key}` | {row.verdict.value} | {note} |\n"
