"""What each operation reads and writes by name: the first, untyped look at the transformations."""

from __future__ import annotations

from dataclasses import dataclass

from etlgen import contract
from etlgen.contract import Contract, Operation, Phase, Text
from etlgen.resolve.sql_names import names_in


@dataclass(frozen=True, slots=True)
class Flow:
    """One operation, by names.

    Args:
        reads: Columns it needs; ``from_sql`` says that case does not matter in them.
        outputs: Columns that it sets under a name of its own. ``trim``, ``lower``, ``upper`` and ``cast`` have none:
            they rewrite what they read.
        removed: Columns that are gone after it.
        kept: For ``select`` and ``rollup``: the only columns after it, besides its outputs.
        hides_columns: This version does not execute it (CTR-090): nothing is known of the columns after it.
    """

    operation: Operation
    phase: Phase
    reads: tuple[Text, ...] = ()
    outputs: tuple[Text, ...] = ()
    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] | None = None
    from_sql: bool = False
    hides_columns: bool = False

    @property
    def reason(self) -> str:
        return "written" if self.operation.phase else "default: a transformation without phase runs in post"


def flows_of(of: Contract) -> tuple[Flow, ...]:
    """All operations in the order in which they run: pre, then post, each as listed."""
    found = [_flow(operation, of) for operation in of.transformations]
    return tuple(sorted(found, key=lambda flow: flow.phase == "post"))


def _flow(operation: Operation, of: Contract) -> Flow:
    phase: Phase = operation.phase or "post"
    match operation.body:
        case contract.Select(columns=columns):
            return Flow(operation, phase, columns, kept=tuple(column.value for column in columns))
        case contract.Drop(columns=columns):
            return Flow(operation, phase, removed=tuple(column.value for column in columns))
        case contract.Rename(mappings=mappings):
            old = tuple(name for name, _ in mappings)
            new = tuple(name for _, name in mappings)
            return Flow(operation, phase, old, new, removed=tuple(name.value for name in old))
        case contract.CastTo(columns=columns):
            return Flow(operation, phase, tuple(name for name, _ in columns))
        case contract.Derive(field=name, sql=sql):
            return Flow(operation, phase, names_in(sql), (name,), from_sql=True)
        case contract.Filter(sql=sql):
            return Flow(operation, phase, names_in(sql), from_sql=True)
        case contract.Trim(fields=fields) | contract.Lower(fields=fields) | contract.Upper(fields=fields):
            return Flow(operation, phase, fields)
        case contract.Deduplicate() as body:
            return Flow(operation, phase, (*body.on, *body.sort_by))
        case _:
            return _computed(operation, phase, of)


def _computed(operation: Operation, phase: Phase, of: Contract) -> Flow:
    match operation.body:
        case contract.Coalesce() as body:
            return Flow(operation, phase, body.sources or (body.field,), (body.output,))
        case contract.MapValues() as body:
            return Flow(operation, phase, (body.field,), (body.output,))
        case contract.Bucket() as body:
            return Flow(operation, phase, (body.source,), (body.field,))
        case contract.DateDiff() as body:
            return Flow(operation, phase, (body.from_col, body.to_col), (body.field,))
        case contract.Lookup() as body:
            return Flow(operation, phase, (body.on,), (body.field,))
        case contract.Join() as body:
            outputs = tuple(Text(body.prefix + name.value, name.at) for name in body.fields or _all_fields(body, of))
            return Flow(operation, phase, (body.on,), outputs)
        case contract.Rollup() as body:
            names = (name for _, sql in body.aggregations for name in names_in(sql))
            outputs = tuple(name for name, _ in body.aggregations)
            kept = tuple(name.value for name in body.group_by)
            return Flow(operation, phase, (*body.group_by, *names), outputs, kept=kept, from_sql=True)
        case _:
            return Flow(operation, phase, hides_columns=isinstance(operation.body, contract.Unsupported))


def _all_fields(body: contract.Join, of: Contract) -> tuple[Text, ...]:
    """The columns that a join without ``fields`` brings: all declared ones of the link but the key."""
    link = next((link for link in of.links if link.name.value == body.reference.value), None)
    if link is None or link.fields is None:
        return ()
    kept = {name.value for name in link.columns}
    names = (Text(declared.name.value, body.reference.at) for declared in link.fields)
    return tuple(name for name in names if name.value != body.key.value and (not kept or name.value in kept))
