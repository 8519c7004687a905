"""filter, deduplicate: which rows stay."""

from __future__ import annotations

from etlgen import problems
from etlgen.contract import Deduplicate, Filter
from etlgen.lower.expressions import resolve_expression
from etlgen.lower.scope import Lowered, Scope
from etlgen.plan import DeduplicateRows, FilterRows
from etlgen.spelling import code, codes
from etlgen_runtime.types import STRING


def lower_filter(scope: Scope, body: Filter) -> Lowered | None:
    """Keep rows where the predicate is TRUE; FALSE and NULL are removed and counted."""
    resolved = resolve_expression(scope, body.sql, "filter")
    if resolved is None:
        return None
    predicate, reads = resolved
    return Lowered(
        (FilterRows(predicate),), f"keep rows where {code(body.sql.value)}", scope.schema, reads, row_wise=False
    )


def lower_deduplicate(scope: Scope, body: Deduplicate) -> Lowered | None:
    """One row per key, by ``sort_by``; ties by the other known columns in schema order (semantics, section 7)."""
    keys, order = scope.columns(body.on), scope.columns(body.sort_by)
    if not body.on or not body.sort_by:
        missing = "`on`" if not body.on else "`sort_by`"
        scope.findings.add(problems.unbounded_key(f"{scope.name} without {missing}", scope.operation.at))
        return None
    if keys is None or order is None:
        return None
    for column, name in zip(order, body.sort_by, strict=True):
        declared = scope.declared.get(column.name)
        if scope.phase == "pre" and column.type == STRING and declared is not None and declared.type != STRING:
            scope.findings.add(problems.sorted_as_text(scope.operation, column.name, str(declared.type), name.at))
    key_names = tuple(dict.fromkeys(column.name for column in keys))
    order_names = tuple(dict.fromkeys(column.name for column in order))
    directions = dict(zip((column.name for column in order), body.descending, strict=True))
    ties = tuple(name for name in scope.schema.names if name not in key_names and name not in order_names)
    relation = DeduplicateRows(key_names, tuple((name, directions[name]) for name in order_names), ties)
    words = ", ".join(f"{'largest' if directions[name] else 'smallest'} {code(name)}" for name in order_names)
    title = f"keep one row per {codes(key_names)}: the {words}"
    return Lowered((relation,), title, scope.schema, frozenset((*key_names, *order_names)), row_wise=False)
