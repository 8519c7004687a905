"""Diagnostics of contracts, made of facts: phases, columns, operations, links, checks, types.

Codes are documented in ``etlgen.diagnostics.codes``; what is wrong with a piece of SQL is said by ``etlgen.sql.problems``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from etlgen.contract import Operation, Text
from etlgen.diagnostics.model import Diagnostic, Position, Severity
from etlgen.spelling import code, one_of, with_article
from etlgen_runtime.types import Kind, LogicalType


def describe(operation: Operation) -> str:
    """``derive #2``: how an operation is called in reasons and messages."""
    return f"{operation.kind} #{operation.number}"


def on_line(operation: Operation) -> str:
    return f"{describe(operation)} (line {operation.at.line})"


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


def duplicate_name(name: str, what: str, at: Position) -> Diagnostic:
    """CTR-092: two outputs, fields or links of one name."""
    return Diagnostic(
        "CTR-092",
        f"{what} {code(name)} is there twice",
        at,
        label="a second time",
        expected="each name once",
        help="rename or remove one of them",
    )


def names_differ_in_case(name: str, other: str, at: Position) -> Diagnostic:
    """CTR-093: two columns whose names are equal but for case."""
    return Diagnostic(
        "CTR-093",
        f"columns {code(other)} and {code(name)} differ only in case",
        at,
        label=f"beside {code(other)}",
        expected="names that differ in more than case",
        help="rename one of them",
    )


def target_taken(name: str, operation: Operation, at: Position) -> Diagnostic:
    """CTR-088: the name that an operation gives is the name of another column."""
    return Diagnostic(
        "CTR-088",
        f"{describe(operation)} cannot write {code(name)}: the name is taken",
        at,
        label="there is such a column already",
        expected="a name that is free at this point",
        help="drop or rename the other column first, or choose another name (for `join`: `prefix`)",
    )


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


def unsupported_operation(operation: Operation) -> Diagnostic:
    """CTR-090: an operation of the vocabulary that this version does not execute."""
    return Diagnostic(
        "CTR-090",
        f"operation {code(operation.kind)} is not supported by this version",
        operation.at,
        label="not executed",
        expected="an operation listed as executed in docs/contracts.md",
        help="express it by the supported operations, or compute it before the pipeline",
    )


def unknown_link(name: Text, links: Sequence[str], nearest: str) -> Diagnostic:
    """CTR-095: a reference to a link that is not declared."""
    return Diagnostic(
        "CTR-095",
        f"unknown link {code(name.value)}",
        name.at,
        label="not under `links`",
        expected=one_of(links) or "an entry under `links`",
        nearest=nearest,
        help="declare it under `links`, or correct the name",
    )


def absent_column_dropped(name: Text, nearest: str, open_schema: bool) -> Diagnostic:
    """CTR-099: a drop that may have, or has, nothing to drop."""
    known = "not a known column; dropped if the source has it" if open_schema else "not a column here; nothing to drop"
    return Diagnostic(
        "CTR-099",
        f"{code(name.value)} is {known}",
        name.at,
        Severity.NOTE,
        label="absent",
        nearest=nearest,
        help="remove it from the list, or correct the name",
    )


def wrong_word(what: str, value: str, valid: Iterable[str], at: Position, nearest: str = "") -> Diagnostic:
    """CTR-087: a value outside a closed list or form."""
    return Diagnostic(
        "CTR-087",
        f"{code(value)} is no {what}",
        at,
        label="not understood",
        expected=one_of(valid),
        nearest=nearest,
        help=f"write one of the {what}s listed",
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


def undeclared_link(name: Text, is_text: bool) -> Diagnostic:
    """CTR-097: a link whose columns are not declared: text in a CSV file, else of types that are unknown at build."""
    known = "are text, as in every CSV file; their names" if is_text else "have types that are unknown at build; they"
    return Diagnostic(
        "CTR-097",
        f"the columns of link {code(name.value)} {known} are checked before any row",
        name.at,
        Severity.NOTE,
        label="no `etlgen.link_fields`",
        help="declare its columns with their types under `extensions: etlgen.link_fields`",
    )


# --- checks -----------------------------------------------------------------------------------------------------------


def unbounded_key(what: str, at: Position) -> Diagnostic:
    """CTR-084: a check without the value it needs."""
    return Diagnostic(
        "CTR-084",
        f"{what} has nothing to compare with",
        at,
        label="no bound",
        expected="at least one bound or value",
        help="write the bound, or remove the rule",
    )


def listed_null(check: str, at: Position) -> Diagnostic:
    """CTR-086: ``null`` among the accepted values of a row rule, which a NULL fails all the same (semantics, section 3)."""
    return Diagnostic(
        "CTR-086",
        f"rule {code(check)} lists `null`, and a row without a value fails it all the same",
        at,
        Severity.WARNING,
        label="accepts no row",
        help="write the list as `accepted_values` of the field, which NULL passes; quote it (`'null'`) if the text is meant",
    )


def unchecked_constraint(key: str, name: str, at: Position, in_model: bool, dropper: Operation | None) -> Diagnostic:
    """CTR-089: a constraint of a source field that no check would look at."""
    if key == "unique":
        help = f"write a dataset rule `unique: {name}`"
    elif in_model:
        help = f"write it on {code(name)} under `model.fields`"
    elif dropper is not None:
        help = f"{code(name)} is gone after {on_line(dropper)}: write it on the column that it becomes"
    else:
        help = "write it on a field of `model.fields`"
    return Diagnostic(
        "CTR-089",
        f"`{key}` of source field {code(name)} is checked nowhere",
        at,
        label="has no effect",
        expected="the columns and types of the source",
        help=help,
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
        help="where the target must be unique, use the strategy overwrite with a source that holds all rows",
    )


# --- types ------------------------------------------------------------------------------------------------------------


def wrong_type(subject: str, found: str, expected: str, at: Position, help: str) -> Diagnostic:
    """TYP-050: an operation or check on a column of another type than it needs."""
    return Diagnostic("TYP-050", f"{subject} is {found}", at, label=f"needs {expected}", expected=expected, help=help)


def never_castable(subject: str, before: LogicalType, target: LogicalType, at: Position, fix: str) -> Diagnostic:
    """TYP-054: a value of a type that the cast table never turns into the wanted one."""
    return Diagnostic(
        "TYP-054",
        f"{subject} is {before}, and no {before} becomes {target}",
        at,
        label=f"this is {before}, wanted is {target}",
        expected=f"a type that the cast table turns into {target}",
        help=fix,
    )


def cast_fix(name: str, before: LogicalType, target: LogicalType) -> str:
    """How a value of ``before`` is made one of ``target`` all the same."""
    declare = f"declare {code(name)} as {before}"
    if before.kind is Kind.BOOLEAN and target.is_numeric:
        return f"compute a number (`CASE WHEN ... THEN 1 ELSE 0 END`), or {declare}"
    if before.is_temporal and target.is_numeric:
        return f"compute a number with `date_diff` or `date_part`, or {declare}"
    if before.is_numeric and target.kind is Kind.DATE:
        return f"compute a date (`make_date`), or {declare}"
    if target.kind is Kind.BOOLEAN:
        return f"compare it with something, or {declare}"
    return f"compute a {target}, or {declare}"


def unfit_value(value: str, type_: str, subject: str, at: Position) -> Diagnostic:
    """TYP-051: a value in the contract that its column's type cannot hold."""
    return Diagnostic(
        "TYP-051",
        f"{code(value)} is no value of {subject}, which is {type_}",
        at,
        label=f"not {with_article(type_)}",
        expected=f"a value that reads as {type_} by the cast table",
        help="correct the value, or the declared type",
    )


def key_types_differ(on: str, on_type: str, key: str, key_type: str, at: Position, help: str) -> Diagnostic:
    """TYP-052: the two sides of a lookup, join or reference cannot be compared."""
    return Diagnostic(
        "TYP-052",
        f"{code(on)} is {on_type} and {code(key)} is {key_type}: the keys cannot be compared",
        at,
        label="key types differ",
        expected=f"a key of type {on_type}",
        help=help,
    )


def sorted_as_text(operation: Operation, column: str, declared: str, at: Position) -> Diagnostic:
    """TYP-053: a pre deduplicate orders text of a column that is declared as something else."""
    return Diagnostic(
        "TYP-053",
        f"{describe(operation)} runs before the types are enforced and orders {code(column)} as text, not as {declared}",
        at,
        Severity.WARNING,
        label="text at this point",
        help=f"cast {code(column)} in phase pre before it, or let {describe(operation)} run in post",
    )
