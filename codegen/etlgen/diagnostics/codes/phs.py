"""PHS: phases and the order of operations and checks (semantics, section 2)."""

from __future__ import annotations

from etlgen.diagnostics.codes import CodeInfo

_ENTRIES = (
    CodeInfo(
        "PHS-001",
        "check runs before the column it reads exists",
        "A check written `phase: pre` reads a column that only a post transformation creates; every row would fail.",
        "transformations:\n  - derive: {field: total, sql: qty * price}\n"
        "quality:\n  row_rules:\n    - {name: total_cap, sql: total < 100, phase: pre}",
        "remove `phase: pre` from the check; without phase it runs where its columns exist.",
    ),
    CodeInfo(
        "PHS-002",
        "pre transformation reads a column of post",
        "A transformation of phase pre reads a column that only a post transformation creates.",
        "transformations:\n  - filter: {sql: total > 0}\n    phase: pre\n  - derive: {field: total, sql: qty * price}",
        "write `phase: pre` on the creating transformation, or move the reading one to post. If the source has a column of "
        "that name too, declare it in `etlgen.source_fields`.",
    ),
    CodeInfo(
        "PHS-003",
        "column read after it was dropped",
        "A check or operation reads a column that select, drop or rename removed before it.",
        "transformations:\n  - drop: {columns: [note]}\n  - upper: {fields: [note]}",
        "read it before it is dropped, or keep it.",
    ),
    CodeInfo(
        "PHS-004",
        "field read before it is created",
        "An operation reads a declared field which a later operation creates. Either the order is wrong, or the source has a "
        "column of that name, which nothing says.",
        "transformations:\n  - filter: {sql: total > 0}\n  - derive: {field: total, sql: qty * price}",
        "swap the operations, or declare the source column in `etlgen.source_fields`.",
    ),
    CodeInfo(
        "PHS-005",
        "declared field is not in the output",
        "`model.fields` describes the rows after step 6; this field is dropped or renamed away before.",
        "model: {fields: [{name: note, type: string}]}\ntransformations:\n  - drop: {columns: [note]}",
        "keep the column; if it is only needed on the way in, declare it in `etlgen.source_fields`.",
    ),
    CodeInfo(
        "PHS-101",
        "check sees the value before it is normalized",
        "A pre check reads a column that a transformation without phase rewrites; such a transformation runs in post.",
        "transformations:\n  - trim: {fields: [email]}\nquality:\n  row_rules: [{not_null: email}]",
        "write `phase: pre` on the transformation; write `phase: post` on the check to look at the new value.",
    ),
)

CODES: dict[str, CodeInfo] = {entry.code: entry for entry in _ENTRIES}
