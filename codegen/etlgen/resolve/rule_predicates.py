"""Row rules: SQL and shorthands. FALSE and NULL fail (semantics, section 3)."""

from __future__ import annotations

import re
from dataclasses import replace

from etlgen import problems
from etlgen.contract import Bounds, RowRule, Scalar, Text
from etlgen.expr import Call, Cast, Expr, Interval, Literal
from etlgen.lower.expressions import new_findings, visible_to_sql
from etlgen.lower.literals import Comparison, UnfitValue, both, comparison, page_text
from etlgen.lower.references import comparable, find_link, key_hint, key_type, link_column
from etlgen.lower.scope import reference
from etlgen.plan import SchemaColumn
from etlgen.resolve.constraints import accepted, listed_at, nan_guard, not_null, within
from etlgen.resolve.drafts import Draft
from etlgen.resolve.judged import Judged, Predicate
from etlgen.resolve.pattern_checks import pattern_predicate
from etlgen.spelling import code, one_line, quoted, sql_text
from etlgen.sql import resolve_scalar
from etlgen.sql.scalar import Context
from etlgen_runtime.types import BOOLEAN, INTERVAL, TIMESTAMP, TIMESTAMP_TZ, Kind

_WINDOW = re.compile(r"([1-9][0-9]{0,8})\s*(s|m|min|h|d|w|mo|y)")
_WINDOWS = {
    "s": Interval(microseconds=1_000_000),
    "m": Interval(microseconds=60_000_000),
    "min": Interval(microseconds=60_000_000),
    "h": Interval(microseconds=3_600_000_000),
    "d": Interval(days=1),
    "w": Interval(days=7),
    "mo": Interval(months=1),
    "y": Interval(months=12),
}
_UNIT_WORDS = {
    "s": "SECOND",
    "m": "MINUTE",
    "min": "MINUTE",
    "h": "HOUR",
    "d": "DAY",
    "w": "WEEK",
    "mo": "MONTH",
    "y": "YEAR",
}


_BOUND_NAMES: dict[Comparison, str] = {"ge": "at_least", "le": "at_most", "gt": "greater_than", "lt": "less_than"}


def rule_predicate(draft: Draft, judged: Judged) -> Predicate | None:
    """The predicate of a row rule; ``None`` when it has errors."""
    rule = draft.rule
    assert rule is not None, "a rule draft has a rule"
    found = _shorthand(rule, draft, judged) if rule.kind != "sql" else _sql(rule, draft, judged)
    return found and replace(found, nulls_pass=rule.nulls_pass, kind=rule.kind)


def _shorthand(rule: RowRule, draft: Draft, judged: Judged) -> Predicate | None:
    if rule.field is None:
        judged.findings.add(problems.unbounded_key(f"{code(rule.kind)} without a field", rule.at))
        return None
    column = judged.column(rule.field)
    if column is None:
        return None
    match rule.kind:
        case "not_null":
            return not_null(column, "not_null")
        case "accepted_values":
            return _accepted(rule, draft, column, judged)
        case "regex_match":
            return pattern_predicate(judged, column, rule.pattern or Text("", rule.at), "regex_match", rule.at)
        case "range":
            low: Comparison = "ge" if rule.inclusive else "gt"
            high: Comparison = "le" if rule.inclusive else "lt"
            places = (rule.value_at.get("min", rule.at), rule.value_at.get("max", rule.at))
            return within(judged, column, ((low, rule.minimum), (high, rule.maximum)), places)
        case "referential_integrity":
            return _reference(rule, column, judged)
        case _:
            return _window(rule, column, judged)


def _accepted(rule: RowRule, draft: Draft, column: SchemaColumn, judged: Judged) -> Predicate | None:
    """The value is in the list. A listed ``null`` makes no row without a value pass: that is said (CTR-086)."""
    places = listed_at("values", rule.values, rule.value_at, rule.at)
    found = accepted(judged, column, rule.values, places)
    if found is not None and not rule.nulls_pass:
        nulls = (at for value, at in zip(rule.values, places[1:], strict=True) if value is None)
        judged.findings.add(*(problems.listed_null(draft.name, at) for at in nulls))
    return found


# --- SQL --------------------------------------------------------------------------------------------------------------


def _sql(rule: RowRule, draft: Draft, judged: Judged) -> Predicate | None:
    if rule.sql is None:
        judged.findings.add(problems.unbounded_key(f"rule {code(draft.name)} without `sql`", rule.at))
        return None
    rows = visible_to_sql(judged.rows, judged.closed, judged.undeclared)
    context: Context = "row_rule" if rule.bounds is None else "rule_value"
    resolved = resolve_scalar(
        rule.sql, rows, context=context, undeclared_type=judged.undeclared, qualifiers=judged.qualifiers
    )
    judged.findings.add(*new_findings(resolved, judged.rows))
    if resolved.expr is None:
        return None
    expr, shown = resolved.expr, one_line(rule.sql.value, 1000)
    if rule.bounds is not None:
        bounded = _bounded(expr, rule, draft, judged)
        if bounded is None:
            return None
        expr, shown = bounded, bounds_sql(shown, rule.bounds)
    message = one_line(rule.description) or f"rule {code(draft.name)} does not hold"
    columns = tuple(name for name in judged.rows.names if name in resolved.reads)
    return Predicate("sql", expr, False, columns, shown, message)


def _bounded(value: Expr, rule: RowRule, draft: Draft, judged: Judged) -> Expr | None:
    """All bounds hold for ``value``, which is numeric (the SQL stage saw to it); NaN is outside all of them."""
    conditions: list[Expr] = []
    given = bound_list(rule.bounds or Bounds())
    for function, bound in given:
        try:
            conditions.append(comparison(function, value, bound))
        except UnfitValue as unfit:
            at = rule.value_at.get(_BOUND_NAMES[function], draft.at)
            judged.findings.add(problems.unfit_value(unfit.value, str(unfit.type), f"rule {code(draft.name)}", at))
            return None
    if not conditions:
        judged.findings.add(problems.unbounded_key(f"rule {code(draft.name)}", draft.at))
        return None
    conditions += nan_guard(value, [function for function, _ in given])
    return both(tuple(conditions))


def bound_list(bounds: Bounds) -> tuple[tuple[Comparison, Scalar], ...]:
    """The bounds that are given, as comparisons."""
    given: tuple[tuple[Comparison, Scalar], ...] = (
        ("ge", bounds.at_least),
        ("le", bounds.at_most),
        ("gt", bounds.greater_than),
        ("lt", bounds.less_than),
    )
    return tuple((function, bound) for function, bound in given if bound is not None)


def bounds_sql(value: str, bounds: Bounds) -> str:
    """The bounds on ``value`` as SQL for people."""
    signs = {"ge": ">=", "le": "<=", "gt": ">", "lt": "<"}
    return " AND ".join(f"({value}) {signs[function]} {page_text(bound)}" for function, bound in bound_list(bounds))


# --- links and windows ------------------------------------------------------------------------------------------------


def _reference(rule: RowRule, column: SchemaColumn, judged: Judged) -> Predicate | None:
    """The value is among those of the link's key column."""
    if rule.reference is None or rule.key is None:
        judged.findings.add(problems.unbounded_key("`referential_integrity` without `reference` and `key`", rule.at))
        return None
    link = find_link(judged.links, rule.reference, judged.findings)
    key = link_column(link, rule.key, judged.findings) if link is not None else None
    if link is None or key is None:
        return None
    if not comparable(column.type, key.type):
        types = (column.name, str(column.type), key.name, key_type(key))
        judged.findings.add(problems.key_types_differ(*types, rule.key.at, key_hint(key)))
        return None
    sql = f"{quoted(column.name)} IN (SELECT {quoted(rule.key.value)} FROM {quoted(link.name)})"
    message = f"value of {code(column.name)} is not in {code(link.name)}"
    return Predicate(rule.kind, None, False, (column.name,), sql, message, (link.name, rule.key.value))


def _window(rule: RowRule, column: SchemaColumn, judged: Judged) -> Predicate | None:
    """Field >= run time - window."""
    text = rule.window.value if rule.window is not None else ""
    found = _WINDOW.fullmatch(text.strip().lower())
    if found is None:
        at = rule.window.at if rule.window is not None else rule.at
        judged.findings.add(problems.wrong_word("window", text, ("30d", "12h", "2w", "15min", "3mo", "1y"), at))
        return None
    if column.type.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_TZ, Kind.UNKNOWN):
        judged.refuse_type(column, "a window", "date or timestamp", rule.at)
        return None
    count, unit = int(found[1]), found[2]
    one = _WINDOWS[unit]
    back = Interval(-one.months * count, -one.days * count, -one.microseconds * count)
    start: Expr = Call("date_add", (Call("current_timestamp", (), TIMESTAMP_TZ), Literal(back, INTERVAL)), TIMESTAMP_TZ)
    value: Expr = reference(column)
    if column.type.kind in (Kind.DATE, Kind.TIMESTAMP):
        start = Cast(start, TIMESTAMP)
        value = Cast(value, TIMESTAMP) if column.type.kind is Kind.DATE else value
    interval = sql_text(f"{count} {_UNIT_WORDS[unit]}")
    sql = f"{quoted(column.name)} >= current_timestamp - INTERVAL {interval}"
    message = f"{code(column.name)} is older than {one_line(text)}"
    return Predicate(rule.kind, Call("ge", (value, start), BOOLEAN), False, (column.name,), sql, message)
