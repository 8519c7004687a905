"""trim, lower, upper: text columns rewritten in place."""

from __future__ import annotations

from collections.abc import Callable

from etlgen import problems
from etlgen.contract import Lower, Text, Trim, Upper
from etlgen.expr import Call, Expr, Literal
from etlgen.lower.scope import Lowered, Scope, reference, with_columns
from etlgen.plan import Assign, SchemaColumn
from etlgen.spelling import code, codes
from etlgen_runtime.types import STRING, Kind

_SIDES = {"both": "on both sides", "left": "on the left", "right": "on the right"}


def lower_trim(scope: Scope, body: Trim) -> Lowered | None:
    """``trim_whitespace(value, side)``: the 25 White_Space code points and U+FEFF, not only the spaces of SQL ``trim``."""
    side = Literal(body.side, STRING)
    return _rewritten(
        scope,
        body.fields,
        lambda value: Call("trim_whitespace", (value, side), STRING),
        lambda names: f"trim {names} {_SIDES[body.side]}",
    )


def lower_lower(scope: Scope, body: Lower) -> Lowered | None:
    """Unicode lower case, no locale."""
    return _rewritten(
        scope, body.fields, lambda value: Call("lower", (value,), STRING), lambda names: f"lower-case {names}"
    )


def lower_upper(scope: Scope, body: Upper) -> Lowered | None:
    """Unicode upper case, no locale."""
    return _rewritten(
        scope, body.fields, lambda value: Call("upper", (value,), STRING), lambda names: f"upper-case {names}"
    )


def _rewritten(
    scope: Scope, fields: tuple[Text, ...], call: Callable[[Expr], Expr], title: Callable[[str], str]
) -> Lowered | None:
    names = tuple({field.value: field for field in fields}.values())
    columns = scope.columns(names)
    if columns is None:
        return None
    others = [column for column in columns if column.type.kind not in (Kind.STRING, Kind.UNKNOWN)]
    for column in others:
        place = next(name.at for name in names if name.value == column.name)
        subject = f"{scope.name} needs text, but {code(column.name)}"
        scope.findings.add(problems.wrong_type(subject, str(column.type), "string", place, _fix(scope, column)))
    if others:
        return None
    assigned = tuple((column.name, call(reference(column))) for column in columns)
    written = tuple((column.name, STRING, frozenset({column.name})) for column in columns)
    known = tuple(column.name for column in columns)
    return Lowered((Assign(assigned),), title(codes(known)), with_columns(scope, written), frozenset(known), known)


def _fix(scope: Scope, column: SchemaColumn) -> str:
    if scope.text_source and scope.phase == "post":
        return f"write `phase: pre` on {scope.name}: before step 3 {code(column.name)} is text"
    return f"declare {code(column.name)} as string (in `etlgen.source_fields` for the source), or leave it out here"
