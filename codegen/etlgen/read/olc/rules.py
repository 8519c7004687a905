"""Row rules and dataset rules: SQL rules and the shorthands (semantics, section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from etlgen.contract import Bounds, DatasetRule, Phase, Quality, RowRule, Scalar, Severity, Text
from etlgen.diagnostics.model import Position
from etlgen.nearest import nearest_name
from etlgen.read.nodes import MappingNode, Node, ScalarNode, SequenceNode
from etlgen.read.ranges import Sign, in_words, is_empty
from etlgen.read.structure import LABELS
from etlgen.read.view import View
from etlgen.spelling import one_of
from etlgen_runtime.types import LogicalType

_ROW_KEYS: Mapping[str, tuple[str, ...]] = {
    "not_null": ("field", "fields"),
    "accepted_values": ("field", "fields", "values"),
    "regex_match": ("field", "fields", "pattern"),
    "range": ("field", "fields", "min", "max", "inclusive"),
    "referential_integrity": ("field", "reference", "key"),
    "lifecycle_window": ("field", "fields", "window"),
}
_ROW_NEEDS: Mapping[str, tuple[str, ...]] = {
    "accepted_values": ("values",),
    "regex_match": ("pattern",),
    "referential_integrity": ("reference", "key"),
    "lifecycle_window": ("window",),
}
_BOUND_KEYS = ("must_be_between", "must_be_greater_than", "must_be_less_than")
_DATASET_KEYS: Mapping[str, tuple[str, ...]] = {
    "unique": ("field", "fields", "columns"),
    "null_ratio": ("field", "max"),
    "row_count_between": ("min", "max"),
}


class _Labels(TypedDict):
    name: str | None
    name_at: Position | None
    phase: Phase | None
    phase_at: Position | None
    severity: Severity
    description: str
    category: str


def read_quality(view: View, types: Mapping[str, LogicalType]) -> Quality:
    """The ``quality`` block. ``types``: declared fields, so that listed values are read as text where text is wanted."""
    return Quality(
        enforce_required=view.boolean("enforce_required", True),
        fail_pipeline_on_dataset_error=view.boolean("fail_pipeline_on_dataset_error"),
        row_rules=tuple(rule for entry in view.views("row_rules") for rule in _row_rules(entry, types)),
        dataset_rules=tuple(rule for entry in view.views("dataset_rules") for rule in _dataset_rules(entry)),
    )


def sql_rule(view: View) -> RowRule:
    """A rule with ``name`` and ``sql``."""
    _check_sql(view)
    places = _bound_positions(view)
    labels = _labels(view, view)
    return RowRule("sql", view.at, **labels, sql=view.text("sql"), bounds=_bounds(view), value_at=places)


def _check_sql(view: View) -> None:
    for key in ("name", "sql"):
        if view.has(key) and not view.string(key).strip():
            path = view.child_path(key)
            view.findings.error("CTR-025", f"`{path}` is empty", view.value_at(key), path=path)


def _row_rules(entry: View, types: Mapping[str, LogicalType]) -> Iterator[RowRule]:
    kinds = [kind for kind in _ROW_KEYS if kind in entry.entries]
    if "sql" in entry.entries and not kinds:
        yield sql_rule(entry)
        return
    if len(kinds) == 1:
        for spec in _specs(entry, kinds[0]):
            yield from _shorthand(entry, spec, kinds[0], types)


def _specs(entry: View, kind: str) -> Iterator[View]:
    """The mappings of a shorthand; ``not_null: a`` and ``not_null: [a, {field: b}]`` become mappings too."""
    path = entry.child_path(kind)
    node = entry.node(kind)
    for item in node.items if isinstance(node, SequenceNode) else (node,):
        if isinstance(item, MappingNode):
            yield View(item, path, entry.findings, item.at)
        elif isinstance(item, ScalarNode) and not item.is_null():
            yield _FieldView(item, path, entry)


class _FieldView(View):
    """A shorthand that is just a field name."""

    def __init__(self, name: ScalarNode, path: str, entry: View) -> None:
        super().__init__(None, path, entry.findings, name.at)
        self.name = name

    def texts(self, key: str) -> tuple[Text, ...]:
        return (self.name.as_text(),) if key == "field" else ()


def _shorthand(entry: View, spec: View, kind: str, types: Mapping[str, LogicalType]) -> Iterator[RowRule]:
    _check_keys(spec, (*_ROW_KEYS[kind], *LABELS), kind)
    for key in _ROW_NEEDS.get(kind, ()):
        _need(spec, key, kind)
    if kind == "range" and not (spec.has("min") or spec.has("max")):
        _need(spec, "min", kind)
    if kind == "accepted_values":
        _check_values(spec)
    labels = _labels(entry, spec)
    names = _field_names(spec, kind)
    places = {key: spec.value_at(key) for key in ("min", "max") if spec.has(key)}
    places.update(spec.item_positions("values"))
    for name in names:
        wanted = types.get(name.value)
        if kind == "range":
            _check_range(spec, wanted)
        yield RowRule(
            kind,
            entry.at,
            **labels,
            field=name,
            values=spec.scalars("values", wanted),
            pattern=spec.optional_text("pattern"),
            minimum=_range_bound(spec, "min"),
            maximum=_range_bound(spec, "max"),
            inclusive=spec.boolean("inclusive", True),
            reference=spec.optional_text("reference"),
            key=spec.optional_text("key") if kind == "referential_integrity" else None,
            window=spec.optional_text("window"),
            value_at=places,
        )


def _check_range(spec: View, wanted: LogicalType | None) -> None:
    """CTR-027: a range that holds no value of the field's type."""
    inclusive = spec.boolean("inclusive", True)
    low: Sign = "ge" if inclusive else "gt"
    high: Sign = "le" if inclusive else "lt"
    bounds: tuple[tuple[Sign, Scalar], ...] = ((low, _range_bound(spec, "min")), (high, _range_bound(spec, "max")))
    if is_empty(bounds, wanted):
        path = spec.child_path("min")
        message = f"`{spec.path}`: no value is {in_words(bounds)}"
        spec.findings.error("CTR-027", message, spec.value_at("min"), path=path, fix="swap the bounds, or correct them")


def _range_bound(spec: View, key: str) -> int | float | str | None:
    """A number, or the text of a date or time."""
    node = spec.scalar_node(key)
    if node is None:
        return None
    number = node.exact_number()
    return node.text if number is None else number


def _check_values(spec: View) -> None:
    node = spec.node("values")
    path = spec.child_path("values")
    if node is not None and not (isinstance(node, SequenceNode) and node.items):
        spec.findings.error("CTR-022", f"`{path}` must be a list of values", node.at, path=path, expected="a list")
    for item, item_path in spec.items("values"):
        if not isinstance(item, ScalarNode):
            spec.findings.error("CTR-022", f"`{item_path}` must be a single value", item.at, path=item_path)


def _field_names(spec: View, kind: str) -> tuple[Text, ...]:
    names = (*spec.texts("field"), *spec.texts("fields"))
    if not names:
        _need(spec, "field", kind)
    return names


def _check_keys(spec: View, valid: tuple[str, ...], kind: str) -> None:
    """The official schema leaves these mappings open; a misspelt key would be no rule."""
    for entry in spec.values():
        if entry.key.text not in valid:
            near = nearest_name(entry.key.text, valid)
            path = spec.child_path(entry.key.text)
            expected = one_of(valid)
            message = f"the rule `{kind}` has no key `{entry.key.text}`"
            fix = f"rename it to `{near}`" if near else "remove it"
            spec.findings.error("CTR-020", message, entry.key.at, path=path, expected=expected, near=near, fix=fix)


def _need(spec: View, key: str, kind: str) -> None:
    """``key`` must be written; not asked for beside a misspelt key, which is reported."""
    known = (*_ROW_KEYS.get(kind, ()), *_DATASET_KEYS.get(kind, ()), *LABELS)
    if not spec.has(key) and all(written in known for written in spec.entries):
        message = f"the rule `{kind}` lacks the key `{key}`"
        spec.findings.error("CTR-021", message, spec.at, path=spec.path, fix=f"add `{key}:`")


def _labels(entry: View, spec: View) -> _Labels:
    """Labels may stand beside the shorthand or inside it; written in both places they must agree."""
    for key in LABELS:
        if entry is not spec and entry.has(key) and spec.has(key) and entry.string(key) != spec.string(key):
            message = f"`{key}` is written twice with different values"
            entry.findings.error(
                "CTR-027", message, entry.key_at(key), path=entry.child_path(key), fix="keep one of them"
            )
    place = {key: entry if entry.has(key) else spec for key in LABELS}
    name_view = place["name"]
    return _Labels(
        name=name_view.optional_string("name"),
        name_at=name_view.value_at("name") if name_view.has("name") else None,
        phase=place["phase"].phase(),
        phase_at=place["phase"].optional_at("phase"),
        severity=place["severity"].severity(),
        description=place["description"].string("description"),
        category=place["category"].string("category"),
    )


def _bounds(view: View) -> Bounds | None:
    """``must_be_*``; several on one rule are and-ed."""
    if not any(view.has(key) for key in _BOUND_KEYS):
        return None
    low, high = _between(view)
    above, below = view.number("must_be_greater_than"), view.number("must_be_less_than")
    bounds: tuple[tuple[Sign, Scalar], ...] = (("ge", low), ("le", high), ("gt", above), ("lt", below))
    if is_empty(bounds):
        key = next(key for key in _BOUND_KEYS if view.has(key))
        message = f"`{view.path}`: no number is {in_words(bounds)}"
        view.findings.error(
            "CTR-027", message, view.value_at(key), path=view.child_path(key), fix="swap the bounds, or correct them"
        )
    return Bounds(low, high, above, below)


def _bound_positions(view: View) -> dict[str, Position]:
    """Where the bounds of ``must_be_*`` stand, by their names in :class:`~etlgen.contract.Bounds`."""
    names = {"must_be_greater_than": "greater_than", "must_be_less_than": "less_than"}
    places = {name: view.value_at(key) for key, name in names.items() if view.has(key)}
    between = view.item_positions("must_be_between")
    places.update(zip(("at_least", "at_most"), between.values(), strict=False))
    return places


def _between(view: View) -> tuple[int | float | str | None, int | float | str | None]:
    if not view.has("must_be_between"):
        return None, None
    numbers = [item.exact_number() for item, _ in view.items("must_be_between") if isinstance(item, ScalarNode)]
    path = view.child_path("must_be_between")
    if len(numbers) != 2:
        message = f"`{path}` needs two numbers"
        view.findings.error("CTR-024", message, view.value_at("must_be_between"), path=path, expected="[low, high]")
        return None, None
    return numbers[0], numbers[1]


def _dataset_rules(entry: View) -> Iterator[DatasetRule]:
    kinds = [kind for kind in _DATASET_KEYS if kind in entry.entries]
    if "sql" in entry.entries and not kinds:
        _check_sql(entry)
        yield DatasetRule("sql", entry.at, **_labels(entry, entry), sql=entry.text("sql"), bounds=_bounds(entry))
    elif len(kinds) == 1:
        yield _dataset_shorthand(entry, kinds[0])


def _dataset_shorthand(entry: View, kind: str) -> DatasetRule:
    spec = entry.view(kind)
    node: Node | None = entry.node(kind)
    if isinstance(node, MappingNode):
        columns = (*spec.texts("field"), *spec.texts("columns"), *spec.texts("fields"))
        _check_keys(spec, (*_DATASET_KEYS[kind], *LABELS), kind)
    else:
        columns = entry.texts(kind)
    if kind != "row_count_between" and not columns:
        _need(spec, "field", kind)
    if kind == "null_ratio":
        _check_ratio(spec)
    if kind == "row_count_between":
        _check_counts(spec)
    return DatasetRule(
        kind, entry.at, **_labels(entry, spec), columns=columns, maximum=spec.number("max"), minimum=spec.number("min")
    )


def _check_ratio(spec: View) -> None:
    _need(spec, "max", "null_ratio")
    ratio = spec.number("max")
    if spec.has("max") and (ratio is None or is_empty((("ge", 0), ("le", 1), ("eq", ratio)))):
        path = spec.child_path("max")
        spec.findings.error("CTR-024", f"`{path}` is no ratio", spec.value_at("max"), path=path, expected="0 to 1")


def _check_counts(spec: View) -> None:
    if not (spec.has("min") or spec.has("max")):
        _need(spec, "min", "row_count_between")
    for key in ("min", "max"):
        number = spec.number(key)
        if spec.has(key) and not (isinstance(number, int) and number >= 0):
            path = spec.child_path(key)
            message = f"`{path}` is no row count"
            spec.findings.error("CTR-024", message, spec.value_at(key), path=path, expected="a whole number, 0 or more")
    low, high = spec.number("min"), spec.number("max")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        message = f"`{spec.path}`: min {low} is above max {high}"
        spec.findings.error(
            "CTR-027", message, spec.value_at("min"), path=spec.child_path("min"), fix="swap the bounds"
        )
