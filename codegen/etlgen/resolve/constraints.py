"""Field constraints: NULL passes, except for ``required`` (semantics, section 3; odcs, section 3.4)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from etlgen import problems
from etlgen.contract import Field, Scalar, Text
from etlgen.diagnostics.model import Position
from etlgen.expr import Call, Cast, Expr, Literal
from etlgen.lower.literals import Comparison, UnfitValue, both, comparison, is_not_null, page_text, typed
from etlgen.lower.scope import reference
from etlgen.patterns.formats import FORMAT_PATTERNS
from etlgen.plan import SchemaColumn
from etlgen.resolve.drafts import Draft
from etlgen.resolve.judged import Judged, Predicate, is_ordered, is_text
from etlgen.resolve.pattern_checks import pattern_predicate
from etlgen.spelling import code, quoted, sql_text
from etlgen_runtime.types import BOOLEAN, FLOAT64, INT64, Kind

_SIGNS: dict[Comparison, str] = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<", "eq": "="}


def constraint_predicate(draft: Draft, judged: Judged) -> Predicate | None:
    """The predicate of a field constraint; ``None`` when it has errors."""
    assert draft.subject is not None, "a constraint belongs to a field"
    subject = draft.subject
    column = judged.column(subject.name)
    if column is None:
        return None
    match draft.kind:
        case "required":
            return not_null(column, "required")
        case "accepted_values":
            places = listed_at("accepted_values", subject.accepted_values or (), subject.value_at, draft.at)
            return accepted(judged, column, subject.accepted_values or (), places, subject.date_formats)
        case "range":
            return _range(judged, column, subject, draft.at)
        case "max_length":
            return _length(judged, column, "le", subject.max_length or 0, draft)
        case "min_length":
            return _length(judged, column, "ge", subject.min_length or 0, draft)
        case "pattern":
            return pattern_predicate(judged, column, subject.pattern or Text("", draft.at), "pattern", draft.at)
        case "format":
            form = subject.format or ""
            found = pattern_predicate(
                judged, column, Text(FORMAT_PATTERNS[form], draft.at, exact=False), "format", draft.at
            )
            return found and _renamed(
                found, f"value of {code(column.name)} does not satisfy the declared {form} constraint"
            )
        case _:
            return _multiple(judged, column, subject.multiple_of, draft.at, subject.value_at.get("multiple_of"))


def _renamed(predicate: Predicate, message: str) -> Predicate:
    return Predicate(predicate.kind, predicate.expr, predicate.nulls_pass, predicate.columns, predicate.sql, message)


def not_null(column: SchemaColumn, kind: str) -> Predicate:
    """The value is there."""
    sql = f"{quoted(column.name)} IS NOT NULL"
    message = f"{code(column.name)} is missing"
    return Predicate(kind, is_not_null(reference(column)), False, (column.name,), sql, message)


def accepted(
    judged: Judged,
    column: SchemaColumn,
    values: Sequence[Scalar],
    places: Sequence[Position],
    date_formats: tuple[str, ...] = (),
) -> Predicate | None:
    """The value is in the list. A NULL in the list is no member: the list says nothing of rows without a value, and SQL's IN
    would be NULL for every value that is not listed.

    ``places``: where the list, then each of its values stands (:func:`listed_at`).
    """
    listed = [(value, at) for value, at in zip(values, places[1:], strict=True) if value is not None]
    literals: list[Literal] = []
    for value, at in listed:
        try:
            literals.append(typed(value, column.type, date_formats))
        except UnfitValue as unfit:
            judged.refuse_value(unfit, column, at)
    if len(literals) < len(listed) or not listed:
        if not listed:
            what = f"the list of accepted values of {code(column.name)}"
            judged.findings.add(problems.unbounded_key(what, places[0]))
        return None
    shown = ", ".join(sql_value(value, column) for value, _ in listed)
    return Predicate(
        "accepted_values",
        Call("in", (reference(column), *literals), BOOLEAN),
        True,
        (column.name,),
        f"{quoted(column.name)} IN ({shown})",
        f"value of {code(column.name)} is not among the accepted values",
    )


def listed_at(key: str, values: Sequence[Scalar], at: Mapping[str, Position], rule: Position) -> tuple[Position, ...]:
    """Where the list, then each of its values stands; ``rule`` where the reader did not keep it."""
    return (rule, *(at.get(f"{key}[{number}]", rule) for number in range(len(values))))


def sql_value(value: Scalar, column: SchemaColumn) -> str:
    """A contract value as SQL for people."""
    bare = column.type.is_numeric or column.type.kind is Kind.BOOLEAN
    return page_text(value) if bare else sql_text(page_text(value))


def _range(judged: Judged, column: SchemaColumn, field: Field, at: Position) -> Predicate | None:
    bounds: list[tuple[Comparison, Scalar]] = [
        ("ge", field.minimum),
        ("gt", field.exclusive_minimum),
        ("le", field.maximum),
        ("lt", field.exclusive_maximum),
    ]
    places = {**field.constraint_at, **field.value_at}
    positions = (places.get("min", at), places.get("exclusive_minimum", at))
    ceilings = (places.get("max", at), places.get("exclusive_maximum", at))
    return within(judged, column, bounds, (*positions, *ceilings), field.date_formats)


def within(
    judged: Judged,
    column: SchemaColumn,
    bounds: Sequence[tuple[Comparison, Scalar]],
    positions: Sequence[Position],
    date_formats: tuple[str, ...] = (),
) -> Predicate | None:
    """All bounds that are not ``None`` hold; NaN is outside every range."""
    if not is_ordered(column):
        judged.refuse_type(column, "a range", "number or date", positions[0])
        return None
    conditions: list[Expr] = []
    shown: list[str] = []
    sound = True
    for (function, bound), at in zip(bounds, positions, strict=True):
        if bound is None:
            continue
        try:
            conditions.append(comparison(function, reference(column), bound, date_formats))
        except UnfitValue as unfit:
            judged.refuse_value(unfit, column, at)
            sound = False
        shown.append(f"{quoted(column.name)} {_SIGNS[function]} {sql_value(bound, column)}")
    if not sound:
        return None
    if not conditions:
        judged.findings.add(problems.unbounded_key(f"the range of {code(column.name)}", positions[0]))
        return None
    given: list[Comparison] = [function for function, bound in bounds if bound is not None]
    conditions += nan_guard(reference(column), given)
    message = f"value of {code(column.name)} is out of range"
    return Predicate("range", both(tuple(conditions)), True, (column.name,), " AND ".join(shown), message)


def nan_guard(value: Expr, given: Collection[Comparison]) -> tuple[Expr, ...]:
    """What keeps NaN out of a range: it is above every number, infinity included, so one without upper bound takes it."""
    if not value.type.is_float or "le" in given or "lt" in given:
        return ()
    wide = value if value.type == FLOAT64 else Cast(value, FLOAT64)
    return (Call("le", (wide, Literal(math.inf, FLOAT64)), BOOLEAN),)


def _length(judged: Judged, column: SchemaColumn, function: Comparison, limit: int, draft: Draft) -> Predicate | None:
    if not is_text(column):
        judged.refuse_type(column, "a length", "string", draft.at)
        return None
    length = Call("length", (reference(column),), INT64)
    word = "longer" if function == "le" else "shorter"
    return Predicate(
        draft.kind,
        Call(function, (length, Literal(limit, INT64)), BOOLEAN),
        True,
        (column.name,),
        f"length({quoted(column.name)}) {_SIGNS[function]} {limit}",
        f"value of {code(column.name)} is {word} than {limit} characters",
    )


def _multiple(
    judged: Judged, column: SchemaColumn, step: Scalar, at: Position, step_at: Position | None
) -> Predicate | None:
    """The remainder is 0; for floats the quotient is within 1e-9 of a whole number."""
    if not column.type.is_numeric:
        judged.refuse_type(column, "multipleOf", "number", at)
        return None
    value = reference(column)
    try:
        if column.type.is_float:
            literal = typed(step, FLOAT64)
            wide = value if column.type == FLOAT64 else Cast(value, FLOAT64)
            quotient = Call("div", (wide, literal), FLOAT64)
            distance = Call("abs", (Call("sub", (quotient, Call("round", (quotient,), FLOAT64)), FLOAT64),), FLOAT64)
            expr: Expr = Call("le", (distance, Literal(1e-9, FLOAT64)), BOOLEAN)
        else:
            literal = typed(step, column.type)
            expr = Call("eq", (Call("mod", (value, literal), column.type), typed(0, column.type)), BOOLEAN)
    except UnfitValue as unfit:
        judged.refuse_value(unfit, column, step_at or at)
        return None
    sql = f"{quoted(column.name)} % {page_text(step)} = 0"
    message = f"value of {code(column.name)} is not a multiple of {page_text(step)}"
    return Predicate("multiple_of", expr, True, (column.name,), sql, message)
