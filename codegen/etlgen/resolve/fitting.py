"""Whether what a section writes can become the declared types (semantics, section 4).

A value that may or may not fit is judged row by row. What no row could survive is an error of the contract: a type without
an entry in the cast table, or a value of the contract itself that its field cannot hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from etlgen import problems
from etlgen.contract import (
    Bucket,
    Coalesce,
    Contract,
    Derive,
    Join,
    Lookup,
    MapValues,
    OperationBody,
    Rename,
    Rollup,
    Scalar,
)
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Position
from etlgen.expr import Call, Case, Expr, Interval, Literal, LiteralValue
from etlgen.lower.literals import UnfitValue, page_text, typed
from etlgen.plan import Assign, PlannedOperation, Schema, SchemaColumn, Section
from etlgen.spelling import code
from etlgen_runtime.casts import Unfit, cast_value, is_castable
from etlgen_runtime.types import Kind, LogicalType

Given = tuple[str, Literal, Position]
"""A value that the contract writes into a column: as written, as the operation makes it, and its place."""


def check_types(contract: Contract, section: Section, before: Schema, after: Schema, findings: Findings) -> None:
    """Judge the casts to declared types that follow ``section`` (steps 3 and 6).

    Reports TYP-054 for a pair of types of which no value survives, at the operation that wrote the column last, and
    TYP-051 for each value of the contract that the declared type cannot hold. Columns of unknown type are left out.

    Args:
        before: Rows at the end of the section.
        after: The same rows with their declared types.
    """
    for column in before.columns:
        target = after.get(column.name)
        if target is None or column.type == target.type or column.type.kind is Kind.UNKNOWN:
            continue
        writer = _writer(section, column.name)
        declared = target.declared
        if is_castable(column.type, target.type):
            if writer is not None:
                _check_given(contract, writer, column, target, findings)
            continue
        at = declared.type_at if declared is not None else contract.at
        subject = code(column.name)
        if writer is not None:
            at = _place(_body(contract, writer), column.name) or writer.at
            subject = f"{code(column.name)}, which {writer.kind} #{writer.number} writes,"
        fix = problems.cast_fix(column.name, column.type, target.type)
        findings.add(problems.never_castable(subject, column.type, target.type, at, fix))


def _writer(section: Section, name: str) -> PlannedOperation | None:
    """The operation that set the column last."""
    return next((one for one in reversed(section.operations) if name in (*one.creates, *one.rewrites)), None)


def _body(contract: Contract, planned: PlannedOperation) -> OperationBody | None:
    return next((one.body for one in contract.transformations if one.number == planned.number), None)


def _place(body: OperationBody | None, name: str) -> Position | None:
    """Where the value of the column ``name`` is said."""
    match body:
        case Derive():
            return body.sql.at
        case Rollup(aggregations=aggregations):
            return next((sql.at for output, sql in aggregations if output.value == name), None)
        case Rename(mappings=mappings):
            return next((new.at for _, new in mappings if new.value == name), None)
        case Coalesce(output=output) | MapValues(output=output):
            return output.at
        case Lookup(value=value):
            return value.at
        case Join() as join:
            return next((field.at for field in join.fields if join.prefix + field.value == name), None)
        case _:
            return None


# --- values of the contract -------------------------------------------------------------------------------------------


def _check_given(
    contract: Contract, writer: PlannedOperation, column: SchemaColumn, target: SchemaColumn, findings: Findings
) -> None:
    formats = target.declared.date_formats if target.declared is not None else ()
    for written, literal, at in _given(_body(contract, writer), writer, column):
        if not _fits(literal, target.type, formats):
            findings.add(problems.unfit_value(written, str(target.type), code(column.name), at))


def _fits(literal: Literal, target: LogicalType, formats: tuple[str, ...]) -> bool:
    if isinstance(literal.value, Interval):
        return True
    try:
        cast_value(literal.value, target, formats, before=literal.type)
    except Unfit:
        return False
    return True


def _given(body: OperationBody | None, writer: PlannedOperation, column: SchemaColumn) -> Iterator[Given]:
    """The values of the contract that may end up in the column as they are."""
    match body:
        case Derive():
            at = body.sql.at
            for literal in _outcomes(_assigned(writer, column.name)):
                yield _shown(literal.value), literal, at
        case MapValues() as mapped:
            places = mapped.mapping_at or (writer.at,) * len(mapped.mapping)
            for (_, value), at in zip(mapped.mapping, places, strict=True):
                yield from _value(value, column.type, at)
            yield from _value(mapped.default, column.type, mapped.default_at or writer.at)
        case Bucket() as bucket:
            for bin_ in bucket.bins:
                yield from _value(bin_.label, column.type, bin_.label_at or bin_.at)
            yield from _value(bucket.default, column.type, bucket.default_at or writer.at)
        case Coalesce(default=default, default_at=at) | Lookup(default=default, default_at=at):
            yield from _value(default, column.type, at or writer.at)
        case Join() as join:
            places = join.defaults_at or (writer.at,) * len(join.defaults)
            for (name, value), at in zip(join.defaults, places, strict=True):
                if join.prefix + name.value == column.name:
                    yield from _value(value, column.type, at)
        case _:
            return


def _value(value: Scalar, type_: LogicalType, at: Position) -> Iterator[Given]:
    """``value`` as the operation makes it, a value of ``type_``; lowering reported it when it is none."""
    if value is None:
        return
    try:
        yield page_text(value), typed(value, type_), at
    except UnfitValue:
        return


def _assigned(writer: PlannedOperation, name: str) -> Expr | None:
    for relation in writer.relations:
        if isinstance(relation, Assign):
            return next((expr for column, expr in relation.columns if column == name), None)
    return None


def _outcomes(expr: Expr | None) -> Iterator[Literal]:
    """Literals that are the value of ``expr`` in some row."""
    match expr:
        case Literal():
            yield expr
        case Case(branches=branches, default=default):
            for outcome in (*(value for _, value in branches), default):
                yield from _outcomes(outcome)
        case Call(function="coalesce", args=args):
            for arg in args:
                yield from _outcomes(arg)
        case _:
            return


def _shown(value: LiteralValue | Interval) -> str:
    return page_text(value) if value is None or isinstance(value, bool | int | float | str) else str(value)
