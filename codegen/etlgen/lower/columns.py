"""select, drop, rename, cast: which columns there are, and of which type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from etlgen import problems
from etlgen.contract import CastTo, Drop, Rename, Select
from etlgen.lower.scope import Lowered, Scope, once, with_columns
from etlgen.nearest import nearest_name
from etlgen.plan import CastColumns, Keep, RenameColumns, SchemaColumn
from etlgen.spelling import code, codes
from etlgen_runtime.casts import is_castable
from etlgen_runtime.types import Kind, LogicalType


def lower_select(scope: Scope, body: Select) -> Lowered | None:
    """Keep the named columns in the order named; the schema is closed after it."""
    names = once(scope, body.columns)
    columns = scope.columns(names)
    if columns is None:
        return None
    kept = tuple(column.name for column in columns)
    after = replace(scope.schema, columns=columns, open=False)
    return Lowered((Keep(kept),), f"keep {codes(kept)}", after, frozenset(kept))


def lower_drop(scope: Scope, body: Drop) -> Lowered:
    """Remove columns; an absent one is a no-op with a note."""
    gone = tuple(dict.fromkeys(name.value for name in body.columns))
    for name in body.columns:
        if scope.schema.get(name.value) is None:
            nearest = nearest_name(name.value, scope.schema.names)
            scope.findings.add(problems.absent_column_dropped(name, nearest, not scope.closed))
    kept = tuple(column for column in scope.schema.columns if column.name not in gone)
    after = replace(scope.schema, columns=kept)
    keep = Keep(after.names, dropped=gone)
    return Lowered((keep,), f"drop {codes(gone)}", after, frozenset())


def lower_rename(scope: Scope, body: Rename) -> Lowered | None:
    """Rename all at once; a new name must be free, or be given away by the same entry."""
    columns = scope.columns(tuple(old for old, _ in body.mappings))
    targets = once(scope, tuple(new for _, new in body.mappings))
    given_away = {old.value for old, _ in body.mappings}
    free = True
    for target in targets:
        if scope.schema.get(target.value) is not None and target.value not in given_away:
            scope.findings.add(problems.target_taken(target.value, scope.operation, target.at))
            free = False
    once(scope, tuple(old for old, _ in body.mappings))
    if columns is None or not free or len(targets) < len(body.mappings):
        return None
    mapping = {old.value: new.value for old, new in body.mappings}
    after = replace(scope.schema, columns=tuple(_renamed(scope, column, mapping) for column in scope.schema.columns))
    title = "rename " + ", ".join(f"{code(old)} to {code(new)}" for old, new in mapping.items())
    relation = RenameColumns(tuple(mapping.items()))
    return Lowered((relation,), title, after, frozenset(mapping), tuple(mapping.values()))


def _renamed(scope: Scope, column: SchemaColumn, mapping: dict[str, str]) -> SchemaColumn:
    name = mapping.get(column.name)
    if name is None:
        return column
    declared = scope.declared.get(name)
    sensitive = column.sensitive or (declared is not None and declared.sensitive)
    if declared is not None and declared.sensitive_written:
        sensitive = declared.sensitive
    return replace(column, name=name, declared=declared, sensitive=sensitive, origin=scope.name)


def lower_cast(scope: Scope, body: CastTo) -> Lowered | None:
    """Cast by the cast table; what does not fit makes the row bad under ``<column>_type``."""
    columns = scope.columns(once(scope, tuple(name for name, _ in body.columns)))
    if columns is None:
        return None
    targets = {name.value: type_ for name, type_ in body.columns}
    if not _castable(scope, body, columns):
        return None
    casts = tuple(
        (column.name, column.type, targets[column.name], _date_formats(scope, column.name, targets[column.name]))
        for column in columns
    )
    written = tuple((name, type_, frozenset({name})) for name, type_ in targets.items())
    title = "cast " + ", ".join(f"{code(name)} to {type_}" for name, type_ in targets.items())
    return Lowered((CastColumns(casts),), title, with_columns(scope, written), frozenset(targets), tuple(targets))


def _castable(scope: Scope, body: CastTo, columns: Sequence[SchemaColumn]) -> bool:
    """TYP-054 for every cast that no value survives; columns of unknown type are judged when the data are seen."""
    found = {column.name: column.type for column in columns}
    sound = True
    for name, target in body.columns:
        before = found[name.value]
        if before.kind is not Kind.UNKNOWN and not is_castable(before, target):
            fix = problems.cast_fix(name.value, before, target)
            scope.findings.add(problems.never_castable(code(name.value), before, target, name.at, fix))
            sound = False
    return sound


def _date_formats(scope: Scope, name: str, type_: LogicalType) -> tuple[str, ...]:
    declared = scope.declared.get(name)
    return declared.date_formats if declared is not None and type_.is_temporal else ()
