"""Relational operations as Polars source: each is one or more links of a method chain on a lazy frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from etlgen.engines.polars.assignments import Assignment, emit_assignment
from etlgen.engines.polars.exactness import exact
from etlgen.engines.polars.expressions import emit, emit_predicate
from etlgen.engines.polars.fragments import quoted
from etlgen.engines.polars.grouping import grouped
from etlgen.expr import Cast, Expr, Literal, columns_read
from etlgen.plan import (
    AggregateRows,
    Assign,
    CastColumns,
    DeduplicateRows,
    FilterRows,
    JoinLink,
    Keep,
    Relation,
    RenameColumns,
)
from etlgen.python_source.literals import python_literal as lit
from etlgen.python_source.literals import type_name
from etlgen.python_source.names import ContractNames
from etlgen.unfit import UnfitValues
from etlgen_runtime.types import LogicalType


def emit_relation(relation: Relation, number: int, names: ContractNames, unfit: UnfitValues | None = None) -> list[str]:
    """The method calls of one relational operation, a line each.

    Args:
        relation: What to do with the frame before it.
        number: The operation's number; removed and added rows are counted under it.
        names: Parameters of the links.
        unfit: What is known before the operation of values that did not fit; ``None``: there are none.
    """
    match relation:
        case Assign():
            return _assign(relation)
        case CastColumns():
            return _cast(relation)
        case Keep(columns=columns, dropped=None):
            return [f".pipe(keep_columns, {lit(list(columns))})"]
        case Keep(dropped=dropped):
            return [f".pipe(drop_columns, {lit(list(dropped or ()))})"]
        case RenameColumns(mapping=mapping):
            return [f".pipe(rename_columns, {lit(dict(mapping))})"]
        case FilterRows(predicate=predicate):
            unfit_argument = _unfit_argument(unfit, columns_read(predicate))
            return [f".pipe(keep_rows, {emit_predicate(exact(predicate))}, rows, {lit(str(number))}{unfit_argument})"]
        case JoinLink(unique_key=True):
            return _look_up(relation, names)
        case JoinLink():
            unfit_argument = _unfit_argument(unfit, (relation.on,)) if relation.how in ("inner", "right") else ""
            return [_join(relation, number, names, unfit_argument)]
        case DeduplicateRows():
            return [_deduplicate(relation, number, unfit)]
        case AggregateRows():
            return _roll_up(relation, number)


def _roll_up(relation: AggregateRows, number: int) -> list[str]:
    """Arguments that are no plain columns first, then the groups, then what is computed from their aggregates."""
    parts = grouped(relation)
    aggregates = ", ".join(f"{lit(name)}: {text}" for name, text in parts.aggregates.items())
    arguments = ", ".join(f"{receiver}.alias({quoted(name)})" for receiver, name in parts.arguments.items())
    lines = [f".with_columns({arguments})"] if arguments else []
    lines.append(
        f".pipe(roll_up, rows, {lit(str(number))}, by={lit(list(relation.group_by))}, aggregates={{{aggregates}}})"
    )
    for name, expr, lost in parts.results:
        lines += _result(name, expr, lost)
    if parts.temporary:
        outputs = [*relation.group_by, *(name for name, _ in relation.aggregations)]
        lines.append(f".pipe(drop_columns, {lit(list(parts.temporary))})")
        lines.append(f".pipe(keep_columns, {lit(outputs)})")
    return lines


def _result(name: str, expr: Expr, lost: str | None) -> list[str]:
    """An output of a rollup; ``lost``: TRUE where an aggregate it is computed from lost a number."""
    if lost is None:
        return _assign(Assign(((name, expr),), checked=True))
    value = emit_assignment(name, expr, checked=True)
    found = lost if value.lost is None else f"{lost} | {value.lost}"
    return [_fit(name, replace(value, lost=found), value.target or expr.type)]


def _assign(relation: Assign) -> list[str]:
    """One ``with_columns`` for what always fits; ``fit`` for what may not.

    All values are computed from the frame before, so a checked value must not read a column set beside it.
    """
    plain: list[str] = []
    checked: list[str] = []
    for name, expr in relation.columns:
        value = emit_assignment(name, expr, relation.checked)
        if value.target is None:
            plain.append(value.text)
        else:
            checked.append(_fit(name, value, value.target))
    if checked and len(relation.columns) > 1:
        _refuse_dependence(relation.columns)
    return [*checked, *([f".with_columns({', '.join(plain)})"] if plain else [])]


def _fit(name: str, value: Assignment, target: LogicalType) -> str:
    operands = f", operands=[{', '.join(value.operands)}]" if value.operands else ""
    lost = f", lost={value.lost}" if value.lost else ""
    return f".pipe(fit, {lit(name)}, {value.text}, {type_name(target)}{operands}{lost})"


def _refuse_dependence(columns: Sequence[tuple[str, Expr]]) -> None:
    written = {name for name, _ in columns}
    if any(columns_read(expr) & (written - {name}) for name, expr in columns):
        raise ValueError("an assignment of several checked columns reads one of them: lower it to one assignment each")


def _cast(relation: CastColumns) -> list[str]:
    types = ", ".join(f"{lit(name)}: {type_name(after)}" for name, _, after, _ in relation.columns)
    formats = {name: each for name, _, _, each in relation.columns if each}
    given = f", formats={lit(formats)}" if formats else ""
    return [f".pipe(cast_columns, {{{types}}}{given})"]


def _look_up(relation: JoinLink, names: ContractNames) -> list[str]:
    link = names.link(relation.link)
    return [
        f".pipe(look_up, {link.attribute}, name={lit(relation.link)}, on={lit(relation.on)}, key={lit(relation.key)}, "
        f"value={lit(column)}, into={lit(output)}{_default(default)})"
        for column, output, _, default in relation.fields
    ]


def _default(default: Expr | None) -> str:
    return "" if default is None else f", default={_constant(default)}"


def _deduplicate(relation: DeduplicateRows, number: int, unfit: UnfitValues | None) -> str:
    unfit_argument = _unfit_argument(unfit, (*relation.keys, *(name for name, _ in relation.order)))
    return (
        f".pipe(deduplicate, rows, {lit(str(number))}, keys={lit(list(relation.keys))}, order={lit(list(relation.order))}, "
        f"ties={lit(list(relation.tie_break))}{unfit_argument})"
    )


def _unfit_argument(known: UnfitValues | None, reads: Iterable[str]) -> str:
    """The argument of what must keep rows with an unfit value that it depends on; empty where there can be none."""
    names = known.behind(reads) if known is not None else ()
    return f", unfit={lit(list(names))}" if names else ""


def _join(relation: JoinLink, number: int, names: ContractNames, unfit_argument: str) -> str:
    link = names.link(relation.link)
    fields = {column: output for column, output, _, _ in relation.fields}
    defaults = ", ".join(
        f"{lit(output)}: {_constant(default)}" for _, output, _, default in relation.fields if default is not None
    )
    return (
        f".pipe(join_link, {link.attribute}, rows, {lit(str(number))}, name={lit(relation.link)}, on={lit(relation.on)}, "
        f"key={lit(relation.key)}, fields={lit(fields)}, how={lit(relation.how)}"
        + (f", defaults={{{defaults}}}{unfit_argument})" if defaults else f"{unfit_argument})")
    )


def _constant(expr: Expr) -> str:
    """A default as a Python constant; where it is no literal, as an expression."""
    match expr:
        case Literal(value=value):
            return lit(value)
        case Cast(arg=Literal(value=value)):
            return lit(value)
        case _:
            return emit(expr)
