"""The column names in a piece of SQL, before anything is known about types: what lineage and phases follow."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from etlgen.contract import Text
from etlgen.sql.source import SqlSource, Unreadable


def names_in(sql: Text) -> tuple[Text, ...]:
    """Columns that ``sql`` refers to, each once, at their places; empty for SQL that does not parse (reported later)."""
    source = SqlSource(sql)
    try:
        statements = source.statements()
    except Unreadable:
        return ()
    found: dict[str, Text] = {}
    for statement in statements:
        for column in sorted(statement.find_all(exp.Column), key=_place):
            if isinstance(column.this, exp.Identifier):
                found.setdefault(column.name, replace(sql, value=column.name, at=source.at(column.this), pieces=()))
    return tuple(found.values())


def _place(column: exp.Column) -> int:
    start = column.this.meta.get("start") if isinstance(column.this, exp.Expr) else None
    return start if isinstance(start, int) else 0
