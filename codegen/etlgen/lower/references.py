"""lookup, join: columns of a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from etlgen import problems
from etlgen.contract import Join, Lookup, Scalar, Text
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Position
from etlgen.expr import Literal
from etlgen.lower.literals import UnfitValue, page_text, typed
from etlgen.lower.scope import Lowered, Scope, is_sensitive
from etlgen.nearest import nearest_name
from etlgen.plan import JoinLink, PlannedLink, SchemaColumn
from etlgen.spelling import code, codes
from etlgen.sql import problems as sql_problems
from etlgen_runtime.types import STRING, UNKNOWN, Kind, LogicalType

LinkField = tuple[str, str, LogicalType, Literal | None]


def find_link(links: Mapping[str, PlannedLink], name: Text, findings: Findings) -> PlannedLink | None:
    """The link called ``name``; CTR-095 when there is none."""
    link = links.get(name.value)
    if link is None:
        findings.add(problems.unknown_link(name, tuple(links), nearest_name(name.value, links)))
    return link


def link_column(link: PlannedLink, name: Text, findings: Findings) -> SchemaColumn | None:
    """A column of a link; unknown ones are an error where the columns are known. Those of CSV links are text."""
    known = link.schema.names if link.schema is not None else link.columns
    if known and name.value not in known:
        nearest = nearest_name(name.value, known)
        findings.add(
            sql_problems.unknown_link_column(name.value, known, nearest, name.at, where=f" of link {code(link.name)}")
        )
        return None
    if link.schema is not None:
        return link.schema.get(name.value)
    type_ = STRING if link.format == "csv" else UNKNOWN
    return SchemaColumn(name.value, type_, origin=f"link {link.name}", untyped_link=link.name)


def comparable(left: LogicalType, right: LogicalType) -> bool:
    """Whether two key columns hold the same kind of value; unknown ones are compared before any row."""
    if Kind.UNKNOWN in (left.kind, right.kind):
        return True
    return left.kind is right.kind or (left.is_integer and right.is_integer)


def lower_lookup(scope: Scope, body: Lookup) -> Lowered | None:
    """Left join of one value; a key that recurs in the link is an error before any row is written."""
    link, on = find_link(scope.links, body.reference, scope.findings), scope.column(body.on)
    if link is None or on is None:
        return None
    key, value = link_column(link, body.key, scope.findings), link_column(link, body.value, scope.findings)
    if key is None or value is None or not _keys_match(scope, on, key, body.on):
        return None
    default = None
    if body.has_default and body.default is not None:
        default = _default(scope, body.default, value.type, body.field, body.default_at)
        if default is None:
            return None
    relation = JoinLink(
        link.name, on.name, key.name, ((value.name, body.field.value, value.type, default),),
        unique_key=True, on_type=on.type, key_type=key.type,
    )  # fmt: skip
    title = f"look up {code(body.field.value)} in {code(link.name)} by {code(on.name)}"
    if default is not None:
        title += f", else {code(page_text(body.default))}"
    columns = {column.name: column for column in scope.schema.columns}
    columns[body.field.value] = _joined(scope, body.field.value, value, on)
    after = replace(scope.schema, columns=tuple(columns.values()))
    return Lowered((relation,), title, after, frozenset({on.name}), (body.field.value,), links=(link.name,))


def key_hint(key: SchemaColumn) -> str:
    """The fix where the key of a link has another type than the column beside it."""
    if key.untyped_link:
        return sql_problems.declare_link_types(key.untyped_link)
    return "declare or cast one of them to the type of the other"


def key_type(key: SchemaColumn) -> str:
    """The type of a link's key for people; a column of a CSV file that nobody declared is text."""
    return "text" if key.untyped_link and key.type == STRING else str(key.type)


def _keys_match(scope: Scope, on: SchemaColumn, key: SchemaColumn, at: Text) -> bool:
    if comparable(on.type, key.type):
        return True
    hint = scope.text_hint(on) if on.type == STRING else key_hint(key)
    scope.findings.add(problems.key_types_differ(on.name, str(on.type), key.name, key_type(key), at.at, hint))
    return False


def _default(scope: Scope, value: Scalar, type_: LogicalType, subject: Text, at: Position | None) -> Literal | None:
    try:
        return typed(value, type_)
    except UnfitValue as unfit:
        scope.findings.add(problems.unfit_value(unfit.value, str(type_), code(subject.value), at or subject.at))
        return None


def _joined(scope: Scope, name: str, value: SchemaColumn, on: SchemaColumn) -> SchemaColumn:
    """The column that a link's value becomes: as sensitive as the value and the key that chose it."""
    declared = scope.declared.get(name)
    inherited = value.sensitive or on.sensitive or is_sensitive(declared)
    sensitive = declared.sensitive if declared is not None and declared.sensitive_written else inherited
    return SchemaColumn(
        name, value.type, origin=scope.name, declared=declared, sensitive=sensitive, untyped_link=value.untyped_link
    )


def lower_join(scope: Scope, body: Join) -> Lowered | None:
    """Columns of a link beside the rows; may multiply rows, which are counted."""
    link, on = find_link(scope.links, body.reference, scope.findings), scope.column(body.on)
    if link is None or on is None:
        return None
    key = link_column(link, body.key, scope.findings)
    columns = _link_columns(scope, link, body)
    if key is None or columns is None or not _keys_match(scope, on, key, body.on):
        return None
    fields = _join_fields(scope, body, columns)
    if fields is None or not _names_free(scope, body, fields):
        return None
    relation = JoinLink(link.name, on.name, key.name, fields, body.how, on_type=on.type, key_type=key.type)
    added = tuple(_joined(scope, into, column, on) for (_, into, _, _), column in zip(fields, columns, strict=True))
    names = tuple(column.name for column in added)
    title = f"join {codes(names)} from {code(link.name)} by {code(on.name)} ({body.how} join)"
    # Rows of the link without a partner have NULL in every column of the rows.
    outer = body.how in ("right", "full")
    kept = tuple(replace(column, nullable=column.nullable or outer) for column in scope.schema.columns)
    after = replace(scope.schema, columns=(*kept, *added))
    return Lowered(
        (relation,), title, after, frozenset({on.name}), names, row_wise=False, multiplies=True, links=(link.name,)
    )


def _link_columns(scope: Scope, link: PlannedLink, body: Join) -> tuple[SchemaColumn, ...] | None:
    """The joined columns: the listed ones, else all known ones but the key."""
    if not body.fields:
        if link.schema is None:
            scope.findings.add(problems.unbounded_key(f"{scope.name} without `fields`", body.reference.at))
            return None
        return tuple(column for column in link.schema.columns if column.name != body.key.value)
    found = [link_column(link, name, scope.findings) for name in body.fields]
    known = tuple(column for column in found if column is not None)
    return known if len(known) == len(found) else None


def _join_fields(scope: Scope, body: Join, columns: Sequence[SchemaColumn]) -> tuple[LinkField, ...] | None:
    defaults = {name.value: (name, value) for name, value in body.defaults}
    places = dict(zip(defaults, body.defaults_at, strict=False))
    available = tuple(column.name for column in columns)
    fit = True
    fields: list[LinkField] = []
    for name, _ in body.defaults:
        if name.value not in available:
            nearest = nearest_name(name.value, available)
            scope.findings.add(
                sql_problems.unknown_column(name.value, available, nearest, name.at, where=f" in {scope.name}")
            )
            fit = False
    for column in columns:
        default = None
        if column.name in defaults and defaults[column.name][1] is not None:
            name, value = defaults[column.name]
            default = _default(scope, value, column.type, name, places.get(name.value))
            fit = fit and default is not None
        fields.append((column.name, body.prefix + column.name, column.type, default))
    return tuple(fields) if fit else None


def _names_free(scope: Scope, body: Join, fields: Sequence[LinkField]) -> bool:
    positions = {name.value: name.at for name in body.fields}
    seen: set[str] = set()
    free = True
    for source, into, _, _ in fields:
        at = positions.get(source, body.reference.at)
        if into in seen:
            scope.findings.add(problems.duplicate_name(into, f"in {scope.name}, column", at))
            free = False
        elif scope.schema.get(into) is not None:
            scope.findings.add(problems.target_taken(into, scope.operation, at))
            free = False
        seen.add(into)
    return free
