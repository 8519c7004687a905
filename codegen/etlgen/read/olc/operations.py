"""``transformations``: each entry one operation and its phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, cast

from etlgen.contract import (
    Bin,
    Bucket,
    CastTo,
    Coalesce,
    DateDiff,
    Deduplicate,
    Derive,
    Drop,
    Filter,
    Join,
    Lookup,
    Lower,
    MapValues,
    Operation,
    OperationBody,
    Rename,
    Rollup,
    Scalar,
    Select,
    Text,
    Trim,
    Unsupported,
    Upper,
)
from etlgen.diagnostics.model import Position
from etlgen.read.nodes import Node, ScalarNode, plain_value
from etlgen.read.olc.fields import type_of
from etlgen.read.ranges import Sign, is_empty
from etlgen.read.view import View, typed_scalar

_UNITS = ("days", "hours", "minutes", "seconds", "weeks", "months", "years")
_BOUND_SIGNS: Mapping[str, Sign] = {"lt": "lt", "lte": "le", "gt": "gt", "gte": "ge", "eq": "eq"}
_BOUNDS = tuple(_BOUND_SIGNS)


def read_operations(view: View, key: str = "transformations") -> tuple[Operation, ...]:
    """The operations under ``key``, in order. An entry with no operation or with several is CTR-029."""
    operations: list[Operation] = []
    for number, entry in enumerate(view.views(key), 1):
        kinds = [kind for kind in entry.entries if kind in KINDS and entry.has(kind)]
        if len(kinds) == 1:
            operations.append(_operation(entry, kinds[0], number))
            continue
        if not kinds and any(key not in KINDS and key != "phase" for key in entry.entries):
            continue  # a misspelt operation, reported as unknown key
        named = ", ".join(f"`{kind}`" for kind in kinds)
        written = f"holds {len(kinds)} operations ({named})" if kinds else "holds no operation"
        fix = "write one list entry for each operation" if kinds else "name the operation, or remove the entry"
        message = f"the transformation `{entry.path}` {written}"
        at = entry.key_at(kinds[1]) if kinds else entry.at
        entry.findings.error("CTR-029", message, at, path=entry.path, expected="exactly one operation", fix=fix)
    return tuple(operations)


def _operation(entry: View, kind: str, number: int) -> Operation:
    body = KINDS[kind](entry.view(kind) if kind != "sql" else entry)
    return Operation(kind, number, body, entry.phase(), entry.key_at(kind), entry.optional_at("phase"))


# --- columns ----------------------------------------------------------------------------------------------------------


def _columns(view: View, key: str) -> tuple[Text, ...]:
    """A list of column names that must not be empty."""
    names = view.texts(key)
    if view.has(key) and not names:
        path = view.child_path(key)
        view.findings.error(
            "CTR-024", f"`{path}` names no column", view.value_at(key), path=path, fix="name the columns"
        )
    for name in names:
        if not name.value.strip():
            view.findings.error("CTR-025", "a column name is empty", name.at, path=view.child_path(key))
    return names


def _name(view: View, key: str) -> Text:
    """One column name."""
    if view.has(key) and not view.string(key).strip():
        path = view.child_path(key)
        view.findings.error("CTR-025", f"`{path}` is empty", view.value_at(key), path=path, fix="name the column")
    return view.text(key)


def _sql(view: View, key: str = "sql") -> Text:
    if view.has(key) and not view.string(key).strip():
        path = view.child_path(key)
        view.findings.error("CTR-025", f"`{path}` is empty", view.value_at(key), path=path, fix="write the expression")
    return view.text(key)


def _select(view: View) -> OperationBody:
    return Select(_columns(view, "columns"))


def _drop(view: View) -> OperationBody:
    return Drop(_columns(view, "columns"))


def _trim(view: View) -> OperationBody:
    sides: tuple[Literal["both", "left", "right"], ...] = ("both", "left", "right")
    return Trim(_columns(view, "fields"), view.choice("side", sides, "both", "a side"))


def _lower(view: View) -> OperationBody:
    return Lower(_columns(view, "fields"))


def _upper(view: View) -> OperationBody:
    return Upper(_columns(view, "fields"))


def _rename(view: View) -> OperationBody:
    pairs: list[tuple[Text, Text]] = []
    if view.has("from") or view.has("to"):
        for key in ("from", "to"):
            if not view.has(key):
                message = f"`{view.path}` lacks the key `{key}`"
                view.findings.error("CTR-021", message, view.at, path=view.path, fix=f"add `{key}:`")
        pairs.append((_name(view, "from"), _name(view, "to")))
    for old, new in view.pairs("mappings"):
        if isinstance(new, ScalarNode):
            pairs.append((old.as_text(), new.as_text()))
    if not pairs:
        message = f"`{view.path}` renames nothing"
        view.findings.error("CTR-021", message, view.at, path=view.path, expected="`from` and `to`, or `mappings`")
    return Rename(tuple(pairs))


def _cast(view: View) -> OperationBody:
    columns = [
        (name.as_text(), type_of(node, view, f"{view.child_path('columns')}.{name.text}"))
        for name, node in view.pairs("columns")
        if isinstance(node, ScalarNode)
    ]
    if view.has("columns") and not columns:
        view.findings.error("CTR-024", f"`{view.path}` names no column", view.value_at("columns"), path=view.path)
    return CastTo(tuple(columns))


# --- values -----------------------------------------------------------------------------------------------------------


def _derive(view: View) -> OperationBody:
    engines = {"duckdb": "sql_duckdb", "spark": "sql_spark"}
    by_engine = {engine: _sql(view, key) for engine, key in engines.items() if view.has(key)}
    for engine in by_engine:
        key = engines[engine]
        message = f"`{view.child_path(key)}` is kept and not read: this version has no engine `{engine}`"
        view.findings.note("CTR-035", message, view.key_at(key), path=view.child_path(key), fix="`sql` is what runs")
    return Derive(_name(view, "field"), _sql(view), by_engine)


def _coalesce(view: View) -> OperationBody:
    field = _name(view, "field")
    output = _name(view, "output") if view.has("output") else field
    default, has_default = _default(view, "default")
    sources = view.texts("sources") or (field,)
    return Coalesce(field, sources, default, has_default, output, _value_at(view, "default"))


def _map_values(view: View) -> OperationBody:
    field = _name(view, "field")
    output = _name(view, "output") if view.has("output") else field
    default, has_default = _default(view, "default")
    mapping: list[tuple[str, Scalar]] = []
    places: list[Position] = []
    for key, node in view.pairs("mapping"):
        if key.is_null():
            message = f"the key `{key.text}` is the text `{key.text}`; a row without a value matches no key"
            fix = "give a `default`, or fill the column with `coalesce`; put quotes around the text"
            view.findings.warning("CTR-086", message, key.at, path=view.child_path("mapping"), fix=fix)
        mapping.append((key.text, _single(node, view, f"{view.child_path('mapping')}.{key.text}")))
        places.append(node.at)
    at = _value_at(view, "default")
    return MapValues(field, tuple(mapping), default, has_default, output, tuple(places), at)


def _default(view: View, key: str) -> tuple[Scalar, bool]:
    """A default; a written ``null`` is a default too."""
    node = view.node(key)
    return (None, False) if node is None else (_single(node, view, view.child_path(key)), True)


def _value_at(view: View, key: str) -> Position | None:
    return view.value_at(key) if view.node(key) is not None else None


def _single(node: Node, view: View, path: str) -> Scalar:
    if isinstance(node, ScalarNode):
        return typed_scalar(node, None)
    message = f"`{path}` must be a single value"
    view.findings.error("CTR-022", message, node.at, path=path, expected="a text, number, boolean or null")
    return None


def _bucket(view: View) -> OperationBody:
    default, has_default = _default(view, "default")
    bins = tuple(_bin(entry) for entry in view.views("bins"))
    if not bins:
        message = f"`{view.path}` has no bins"
        view.findings.error("CTR-021", message, view.at, path=view.path, fix="add `bins:`")
    at = _value_at(view, "default")
    return Bucket(_name(view, "field"), _name(view, "source"), bins, default, has_default, at)


def _bin(view: View) -> Bin:
    bounds = tuple((key, _bound(view, key)) for key in _BOUNDS if view.has(key))
    if not bounds:
        message = f"the bin `{view.path}` has no bound"
        view.findings.error(
            "CTR-021", message, view.at, path=view.path, expected="one of `lt`, `lte`, `gt`, `gte`, `eq`"
        )
    if is_empty([(_BOUND_SIGNS[key], value) for key, value in bounds]):
        message = f"the bin `{view.path}` holds no value: its bounds exclude each other"
        view.findings.error("CTR-027", message, view.value_at(bounds[0][0]), path=view.path, fix="swap the bounds")
    places = tuple(view.value_at(key) for key, _ in bounds)
    return Bin(view.string("label"), bounds, view.at, _value_at(view, "label"), places)


def _bound(view: View, key: str) -> Scalar:
    node = view.node(key)
    if not isinstance(node, ScalarNode):
        return _single(node, view, view.child_path(key)) if node is not None else None
    number = node.exact_number()
    return node.value() if number is None else number


def _date_diff(view: View) -> OperationBody:
    return DateDiff(_name(view, "field"), _name(view, "from_col"), _name(view, "to_col"), _unit(view))


def _unit(view: View) -> Text:
    """The unit in the plural; ``day`` is read as ``days``."""
    node = view.scalar_node("unit")
    if node is None:
        return Text("days", view.at, exact=False)
    unit = node.text if node.text in _UNITS else f"{node.text}s"
    if unit not in _UNITS:
        view.findings.unknown("CTR-023", "a unit of date_diff", node, _UNITS, view.child_path("unit"))
    return Text(unit, node.content_at, exact=unit == node.text)


# --- rows -------------------------------------------------------------------------------------------------------------


def _filter(view: View) -> OperationBody:
    return Filter(_sql(view))


def _deduplicate(view: View) -> OperationBody:
    if view.has("on") and view.has("by"):
        message = f"`{view.path}` has both `on` and `by`"
        view.findings.error("CTR-027", message, view.key_at("by"), path=view.path, fix="keep `on`")
    sort_by = _columns(view, "sort_by")
    blank_keys: tuple[Literal["quarantine", "keep"], ...] = ("quarantine", "keep")
    return Deduplicate(
        on=_columns(view, "on" if view.has("on") else "by"),
        sort_by=sort_by,
        descending=_orders(view, len(sort_by)),
        blank_keys=view.choice("blank_keys", blank_keys, "quarantine", "a treatment of blank keys"),
    )


def _orders(view: View, count: int) -> tuple[bool, ...]:
    """One direction for each ``sort_by`` column; a single word holds for all of them."""
    node = view.scalar_node("order")
    nodes = [node] if node else [item for item, _ in view.items("order") if isinstance(item, ScalarNode)]
    directions: list[bool] = []
    for item in nodes:
        if item.text.lower() not in ("asc", "desc"):
            view.findings.unknown("CTR-023", "an order", item, ("asc", "desc"), view.child_path("order"))
        directions.append(item.text.lower() != "asc")
    if len(directions) == 1:
        return (directions[0],) * count
    if directions and len(directions) != count:
        message = f"`{view.child_path('order')}` has {len(directions)} entries for {count} `sort_by` columns"
        view.findings.error("CTR-027", message, view.value_at("order"), path=view.child_path("order"))
    return tuple(directions) if len(directions) == count else (True,) * count


def _deduplicate_by_latest(view: View) -> OperationBody:
    view.findings.note(
        "CTR-032",
        "`deduplicate_by_latest` is deprecated",
        view.at,
        path=view.path,
        fix="write `deduplicate` with `on`, `sort_by`, `order: desc` and `blank_keys: keep`",
    )
    for key in ("key_columns", "timestamp_column"):
        if not view.has(key):
            view.findings.error("CTR-021", f"`{view.path}` lacks the key `{key}`", view.at, path=view.path)
    sort_by = (_name(view, "timestamp_column"),)
    return Deduplicate(_columns(view, "key_columns"), sort_by, (True,), "keep", deprecated=True)


def _rollup(view: View) -> OperationBody:
    group_by = _columns(view, "group_by") if view.texts("group_by") else ()
    aggregations: list[tuple[Text, Text]] = []
    for name, node in view.pairs("aggregations"):
        path = f"{view.child_path('aggregations')}.{name.text}"
        if not isinstance(node, ScalarNode) or not node.text.strip():
            view.findings.error("CTR-025", f"`{path}` is empty", node.at, path=path, fix="write the expression")
        elif not name.text.strip():
            view.findings.error("CTR-025", "a column name is empty", name.at, path=path, fix="name the column")
        else:
            aggregations.append((name.as_text(), node.as_text()))
    if not group_by and not aggregations:
        message = f"`{view.path}` names no column"
        view.findings.error("CTR-021", message, view.at, path=view.path, expected="`group_by`, `aggregations`, or both")
    return Rollup(group_by, tuple(aggregations))


# --- links ------------------------------------------------------------------------------------------------------------


def _lookup(view: View) -> OperationBody:
    default, has_default = _default(view, "default_value")
    return Lookup(
        field=_name(view, "field"),
        reference=_name(view, "reference"),
        on=_name(view, "on"),
        key=_name(view, "key"),
        value=_name(view, "value"),
        default=default,
        has_default=has_default,
        default_at=_value_at(view, "default_value"),
    )


def _join(view: View) -> OperationBody:
    kinds: tuple[Literal["left", "inner", "right", "full"], ...] = ("left", "inner", "right", "full")
    fields = _columns(view, "fields")
    return Join(
        reference=_name(view, "reference"),
        on=_name(view, "on"),
        key=_name(view, "key"),
        fields=fields,
        how=view.choice("type", kinds, "left", "a join type"),
        prefix=view.string("prefix"),
        defaults=_join_defaults(view, fields),
        defaults_at=tuple(node.at for _, node in view.pairs("defaults")),
    )


def _join_defaults(view: View, fields: tuple[Text, ...]) -> tuple[tuple[Text, Scalar], ...]:
    names = [name.value for name in fields]
    defaults: list[tuple[Text, Scalar]] = []
    for key, node in view.pairs("defaults"):
        path = f"{view.child_path('defaults')}.{key.text}"
        if key.text not in names:
            view.findings.unknown("CTR-040", "a field of this join", key, names, path)
        defaults.append((key.as_text(), _single(node, view, path)))
    return tuple(defaults)


def _unsupported(view: View) -> OperationBody:
    return Unsupported({key: plain_value(entry.value) for key, entry in view.entries.items()})


KINDS: Mapping[str, Callable[[View], OperationBody]] = {
    "select": _select,
    "drop": _drop,
    "rename": _rename,
    "cast": _cast,
    "derive": _derive,
    "coalesce": _coalesce,
    "map_values": _map_values,
    "trim": _trim,
    "lower": _lower,
    "upper": _upper,
    "filter": _filter,
    "deduplicate": _deduplicate,
    "deduplicate_by_latest": _deduplicate_by_latest,
    "bucket": _bucket,
    "date_diff": _date_diff,
    "lookup": _lookup,
    "join": _join,
    "rollup": _rollup,
    **dict.fromkeys(
        cast(
            "tuple[str, ...]",
            ("split", "json_extract", "explode", "date_range_explode", "pivot", "unpivot", "sql"),
        ),
        _unsupported,
    ),
}
"""How each operation of the vocabulary is read."""
