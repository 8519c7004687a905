"""bucket, date_diff: a number or a date turned into a band or a distance."""

from __future__ import annotations

from typing import cast

from etlgen import problems
from etlgen.contract import Bin, Bucket, DateDiff, Text
from etlgen.expr import Call, Case, Cast, Expr, Literal
from etlgen.lower.literals import Comparison, UnfitValue, both, comparison, page_text
from etlgen.lower.scope import Lowered, Scope, reference
from etlgen.lower.values import assigned
from etlgen.nearest import nearest_name
from etlgen.plan import SchemaColumn
from etlgen.spelling import code
from etlgen_runtime.types import INT64, STRING, TIMESTAMP, TIMESTAMP_TZ, Kind, LogicalType

_COMPARISONS = {"lt": "lt", "lte": "le", "gt": "gt", "gte": "ge", "eq": "eq"}
_UNITS = {
    f"{unit}{ending}": unit
    for unit in ("day", "hour", "minute", "second", "week", "month", "year")
    for ending in ("s", "")
}


def lower_bucket(scope: Scope, body: Bucket) -> Lowered | None:
    """The label of the first bin whose bounds all hold; a NULL matches none and gets the default."""
    column = scope.column(body.source)
    if column is None:
        return None
    ordered = column.type.is_numeric or column.type.is_temporal or column.type.kind is Kind.UNKNOWN
    if not ordered and any(name != "eq" for bin_ in body.bins for name, _ in bin_.bounds):
        subject = f"{scope.name} compares {code(column.name)}, which"
        scope.findings.add(
            problems.wrong_type(
                subject, str(column.type), "a number or a date", body.source.at, scope.text_hint(column)
            )
        )
        return None
    branches = [_branch(scope, bin_, column) for bin_ in body.bins]
    default = Literal(page_text(body.default) if body.has_default and body.default is not None else None, STRING)
    known = tuple(branch for branch in branches if branch is not None)
    if len(known) < len(branches):
        return None
    expr: Expr = Case(known, default, STRING) if known else default
    title = f"derive {code(body.field.value)}: the band of {code(column.name)}"
    return assigned(scope, body.field.value, expr, frozenset({column.name}), title)


def _branch(scope: Scope, bin_: Bin, column: SchemaColumn) -> tuple[Expr, Expr] | None:
    if not bin_.bounds:
        scope.findings.add(problems.unbounded_key(f"bin {code(bin_.label)}", bin_.at))
        return None
    conditions: list[Expr] = []
    for number, (name, value) in enumerate(bin_.bounds):
        try:
            conditions.append(comparison(cast(Comparison, _COMPARISONS[name]), reference(column), value))
        except UnfitValue as unfit:
            at = bin_.bounds_at[number] if bin_.bounds_at else bin_.at
            scope.findings.add(problems.unfit_value(unfit.value, str(column.type), code(column.name), at))
    if len(conditions) < len(bin_.bounds):
        return None
    return both(tuple(conditions)), Literal(bin_.label, STRING)


def lower_date_diff(scope: Scope, body: DateDiff) -> Lowered | None:
    """Unit boundaries crossed from ``from_col`` to ``to_col``; text is read as ISO or YYYYMMDD, unreadable text is NULL."""
    unit = _UNITS.get(body.unit.value.lower())
    if unit is None:
        plurals = tuple(name for name in _UNITS if name.endswith("s"))
        nearest = nearest_name(body.unit.value, plurals)
        scope.findings.add(problems.wrong_word("unit of `date_diff`", body.unit.value, plurals, body.unit.at, nearest))
    columns = scope.columns((body.from_col, body.to_col))
    if columns is None or unit is None:
        return None
    moments = [_moment(scope, column, name) for column, name in zip(columns, (body.from_col, body.to_col), strict=True)]
    known = [moment for moment in moments if moment is not None]
    if len(known) < len(moments):
        return None
    type_ = _common_moment([moment.type for moment in known])
    args = tuple(moment if type_ is None or moment.type == type_ else Cast(moment, type_) for moment in known)
    expr = Call("date_diff", (Literal(unit, STRING), *args), INT64)
    start, end = (code(column.name) for column in columns)
    title = f"derive {code(body.field.value)}: {unit}s from {start} to {end}"
    return assigned(scope, body.field.value, expr, frozenset(column.name for column in columns), title)


def _moment(scope: Scope, column: SchemaColumn, name: Text) -> Expr | None:
    match column.type.kind:
        case Kind.DATE | Kind.TIMESTAMP | Kind.TIMESTAMP_TZ | Kind.UNKNOWN:
            return reference(column)
        case Kind.STRING:
            return Call("read_date_text", (reference(column),), TIMESTAMP)
        case _:
            subject = f"{scope.name} reads {code(column.name)}, which"
            fix = "use a date, a timestamp or text that holds one"
            scope.findings.add(problems.wrong_type(subject, str(column.type), "a date or timestamp", name.at, fix))
            return None


def _common_moment(types: list[LogicalType]) -> LogicalType | None:
    kinds = {type_.kind for type_ in types}
    if Kind.UNKNOWN in kinds or len(kinds) == 1:
        return None
    return TIMESTAMP_TZ if Kind.TIMESTAMP_TZ in kinds else TIMESTAMP
