"""Diagnostics of contracts as a whole: phases, names, links, checks. Constructors that take facts.

Codes are documented in ``etlgen.diagnostics.codes``; those of single operations are in ``etlgen.lower.problems``.
"""

from __future__ import annotations

from etlgen.contract import Operation, Text
from etlgen.diagnostics.model import Diagnostic, Position, Severity
from etlgen.lower.problems import describe, on_line
from etlgen.spelling import code

# --- phases -----------------------------------------------------------------------------------------------------------


def check_before_column(check: str, column: str, creator: Operation, at: Position) -> Diagnostic:
    """PHS-001: a check written ``phase: pre`` reads a column that only a post transformation creates."""
    return Diagnostic(
        "PHS-001",
        f"check {code(check)} runs before the column it reads exists",
        at,
        label=f"reads {code(column)}, created in phase post by {on_line(creator)}",
        expected="phase post, or no phase",
        help="remove `phase: pre`",
    )


def operation_before_column(reader: Operation, column: str, creator: Operation, at: Position) -> Diagnostic:
    """PHS-002: a pre transformation reads a column that only a post transformation creates."""
    return Diagnostic(
        "PHS-002",
        f"{describe(reader)} runs in phase pre and reads {code(column)}, which is created in phase post",
        at,
        label=f"created by {on_line(creator)}",
        expected="a column that exists in phase pre",
        help=f"write `phase: pre` on {describe(creator)}, or move {describe(reader)} to post; if {code(column)} is also a "
        "column of the source, declare it in `etlgen.source_fields`",
    )


def read_after_drop(reader: str, column: str, dropper: Operation, at: Position) -> Diagnostic:
    """PHS-003: a check or operation reads a column that an earlier operation dropped."""
    return Diagnostic(
        "PHS-003",
        f"{reader} reads {code(column)}, which is gone by then",
        at,
        label=f"dropped by {on_line(dropper)}",
        expected="a column that still exists",
        help=f"read it before {describe(dropper)}, or keep it there",
    )


def read_before_created(reader: Operation, column: str, creator: Operation, at: Position) -> Diagnostic:
    """PHS-004: a declared field is read before the operation that creates it."""
    return Diagnostic(
        "PHS-004",
        f"{code(column)} is read by {describe(reader)} before {describe(creator)} creates it",
        at,
        label=f"created by {on_line(creator)}",
        expected="a column that exists at that point",
        help=f"move {describe(creator)} before {describe(reader)}; if {code(column)} is also a column of the source, "
        "declare it in `etlgen.source_fields`",
    )


def field_lost(field: Text, dropper: Operation | None) -> Diagnostic:
    """PHS-005: a declared field does not survive step 6."""
    lost = f"it is dropped by {on_line(dropper)}" if dropper else "no operation and no source column provides it"
    return Diagnostic(
        "PHS-005",
        f"declared field {code(field.value)} is not in the output: {lost}",
        field.at,
        label="declared here",
        expected="every field of `model.fields` in the rows after step 6",
        help="if it is only needed on the way in, declare it in `etlgen.source_fields`",
    )


def check_before_rewrite(check: str, column: str, rewriter: Operation, at: Position) -> Diagnostic:
    """PHS-101: a pre check reads a column that a post normalizer without phase rewrites."""
    return Diagnostic(
        "PHS-101",
        f"check {code(check)} sees {code(column)} as it is before {on_line(rewriter)} rewrites it",
        at,
        Severity.WARNING,
        label=f"{describe(rewriter)} has no phase and runs in post",
        help=f"the check sees the value before; write `phase: pre` on the transformation {describe(rewriter)}",
    )


# --- columns ----------------------------------------------------------------------------------------------------------


def reserved_name(name: str, at: Position) -> Diagnostic:
    """CTR-094: a column name that etlgen keeps for itself."""
    return Diagnostic(
        "CTR-094",
        f"column name {code(name)} begins with a reserved prefix",
        at,
        label="reserved",
        expected="a name that begins with neither `_etlgen_` nor `__etlgen_`",
        help="rename the column",
    )


# --- operations and links ---------------------------------------------------------------------------------------------


def no_fields(at: Position) -> Diagnostic:
    """CTR-091: a contract that declares no field."""
    return Diagnostic(
        "CTR-091",
        "the contract declares no fields",
        at,
        label="no `model.fields`",
        expected="at least one field",
        help="list the columns of the output under `model.fields`",
    )


def unused_link(name: Text) -> Diagnostic:
    """CTR-096: a link that nothing reads."""
    return Diagnostic(
        "CTR-096",
        f"link {code(name.value)} is not used",
        name.at,
        Severity.NOTE,
        label="read by no operation and no rule",
        help="remove it, or use it",
    )


def untyped_link(name: Text) -> Diagnostic:
    """CTR-097: a link whose column types are unknown at build."""
    return Diagnostic(
        "CTR-097",
        f"the column types of link {code(name.value)} are unknown at build; they are checked before any row",
        name.at,
        Severity.NOTE,
        label="no `etlgen.link_fields`",
        help="declare its columns under `extensions: etlgen.link_fields`",
    )


def renamed_check(name: str, given: str, at: Position) -> Diagnostic:
    """CTR-098: two rules of one name and different definitions."""
    return Diagnostic(
        "CTR-098",
        f"there is another rule {code(name)} with a different definition; this one is called {code(given)}",
        at,
        Severity.WARNING,
        label=f"becomes {code(given)}",
        help="write a `name` of its own beside it",
    )


def unique_judges_batch(check: str, at: Position) -> Diagnostic:
    """CTR-085: ``unique`` beside ``append`` says nothing about rows already in the target."""
    return Diagnostic(
        "CTR-085",
        f"{code(check)} judges the rows of one run; the strategy is append, so a key may recur in the target",
        at,
        Severity.NOTE,
        label="this run's rows only",
        help="use a strategy that replaces rows by key where the target must be unique",
    )
