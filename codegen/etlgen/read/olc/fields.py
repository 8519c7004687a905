"""Field declarations: ``model.fields``, ``etlgen.source_fields`` and ``etlgen.link_fields``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from etlgen.contract import Field, Scalar, Text
from etlgen.diagnostics.model import Diagnostic, Position
from etlgen.read.date_format import strptime_format
from etlgen.read.nodes import Node, ScalarNode, SequenceNode
from etlgen.read.olc.rules import sql_rule
from etlgen.read.ranges import Sign, in_words, is_empty
from etlgen.read.types import parse_type
from etlgen.read.view import View
from etlgen_runtime.types import STRING, LogicalType

CONSTRAINTS = ("min", "max", "accepted_values", "max_length")
"""Keys of a field that say which values it may hold."""

_EXTENDED = (
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "min_length",
    "pattern",
    "format",
    "date_formats",
    "multiple_of",
)
EXTENSION_KEYS = (*_EXTENDED, "title", "examples", "unique")
"""Keys of a field under ``etlgen.fields``."""

FORMATS = ("email", "uuid", "uri", "hostname", "ipv4", "ipv6", "byte")
"""The checked text formats (odcs, 3.4)."""

_SENSITIVE_WORDS = ("confidential", "restricted", "sensitive", "secret", "pii", "phi")
_METADATA = ("classification", "pii", "phi", "milestone", "generated", "security_groups")


@dataclass(frozen=True, slots=True)
class _Extended:
    """What ``etlgen.fields`` adds to one field; positions of the keys that were written."""

    view: View | None

    def number(self, key: str) -> Scalar:
        """A bound: a number, or text for dates and times."""
        if self.view is None:
            return None
        node = self.view.scalar_node(key)
        if node is None:
            return None
        number = node.exact_number()
        return node.text if number is None else number


def read_fields(
    view: View, key: str, extensions: Mapping[str, View], formats: Mapping[str, tuple[str, ...]]
) -> tuple[Field, ...]:
    """The fields listed under ``key`` of ``view``.

    Args:
        view: The mapping that holds the list.
        key: Its key there.
        extensions: ``etlgen.fields`` by field name.
        formats: Date formats by field name from ``source.options.date_formats``.
    """
    fields: list[Field] = []
    seen: dict[str, str] = {}
    for field_view in view.views(key):
        name = field_view.text("name")
        if "name" not in field_view.entries:
            continue
        _check_name(field_view, name, seen)
        added = _Extended(extensions.get(name.value))
        fields.append(_field(field_view, name, added, formats.get(name.value, ())))
    return tuple(fields)


def _check_name(view: View, name: Text, seen: dict[str, str]) -> None:
    path = view.child_path("name")
    if not name.value.strip():
        view.findings.error("CTR-025", "a field needs a name", view.value_at("name"), path=path, fix="name the column")
    folded = _ascii_lower(name.value)
    before = seen.get(folded)
    if before is not None:
        same = before == name.value
        message = (
            f"the field `{name.value}` is declared twice"
            if same
            else (f"the fields `{before}` and `{name.value}` differ only in case")
        )
        view.findings.error("CTR-026", message, name.at, path=path, fix="keep one of them")
    seen.setdefault(folded, name.value)


def _ascii_lower(name: str) -> str:
    return "".join(chr(ord(char) + 32) if "A" <= char <= "Z" else char for char in name)


def _field(view: View, name: Text, added: _Extended, formats: tuple[str, ...]) -> Field:
    logical = field_type(view, "type")
    extended = added.view or View(None, view.path, view.findings, view.at)
    required, required_at = _required(view)
    _contradictions(view, added, logical)
    return Field(
        name=name,
        type=logical,
        type_at=view.value_at("type"),
        type_text=view.string("type", "string"),
        required=required,
        required_at=required_at,
        accepted_values=_accepted_values(view, logical),
        minimum=_bound(view, "min", added, "minimum"),
        maximum=_bound(view, "max", added, "maximum"),
        exclusive_minimum=added.number("exclusive_minimum"),
        exclusive_maximum=added.number("exclusive_maximum"),
        multiple_of=_multiple_of(extended),
        min_length=_length(extended, "min_length"),
        max_length=_length(view, "max_length"),
        pattern=extended.optional_text("pattern"),
        format=_format(extended),
        date_formats=(*formats, *date_formats(extended)),
        constraint_at=_constraint_positions(view, extended),
        value_at=_value_positions(view, extended),
        rules=tuple(sql_rule(rule) for rule in view.views("rules")),
        unique=extended.boolean("unique"),
        sensitive=_is_sensitive(view),
        sensitive_written=any(view.has(key) for key in ("pii", "phi", "sensitive", "masking")) or _is_sensitive(view),
        masking=view.optional_string("masking"),
        description=view.string("description"),
        title=extended.string("title"),
        examples=extended.scalars("examples", logical),
        metadata=view.plain(*_METADATA),
    )


def field_type(view: View, key: str) -> LogicalType:
    """The type under ``key``; text after a fault, which is reported."""
    node = view.scalar_node(key)
    if node is None:
        return STRING
    return type_of(node, view, view.child_path(key))


def type_of(node: ScalarNode, view: View, path: str) -> LogicalType:
    parsed = parse_type(node.text, node.at, path)
    if isinstance(parsed, Diagnostic):
        view.findings.add(parsed)
        return STRING
    return parsed


def _required(view: View) -> tuple[bool, Position | None]:
    """``required: true`` or ``nullable: false`` (semantics, section 3)."""
    required = view.boolean("required")
    if required and view.boolean("nullable"):
        message = f"`{view.path}` is required and nullable at once; it is read as required"
        view.findings.warning(
            "CTR-027", message, view.key_at("nullable"), path=view.child_path("nullable"), fix="remove one"
        )
    if required:
        return True, view.key_at("required")
    not_null = view.has("nullable") and not view.boolean("nullable", True)
    return not_null, view.key_at("nullable") if not_null else view.optional_at("required")


def _accepted_values(view: View, logical: LogicalType) -> tuple[Scalar, ...] | None:
    if not view.has("accepted_values"):
        return None
    values = scalar_list(view, "accepted_values", logical)
    if not values:
        message = f"`{view.child_path('accepted_values')}` is empty: no value would be accepted"
        view.findings.error(
            "CTR-024", message, view.value_at("accepted_values"), fix="list the values, or remove the key"
        )
    return values


def scalar_list(view: View, key: str, wanted: LogicalType | None) -> tuple[Scalar, ...]:
    """A list of scalars; other entries are CTR-022."""
    for item, path in view.items(key):
        if not isinstance(item, ScalarNode):
            view.findings.error("CTR-022", f"`{path}` must be a single value", item.at, path=path, expected="a scalar")
    return view.scalars(key, wanted)


def _bound(view: View, key: str, added: _Extended, extended_key: str) -> Scalar:
    return view.number(key) if view.has(key) else added.number(extended_key)


def _contradictions(view: View, added: _Extended, logical: LogicalType) -> None:
    """Bounds that no value or no length satisfies, and one bound written in two places."""
    if added.view is not None:
        for key, other in (("min", "minimum"), ("max", "maximum")):
            if view.has(key) and added.view.has(other):
                message = f"`{view.child_path(key)}` is written again under `etlgen.fields` as `{other}`"
                view.findings.error("CTR-027", message, added.view.key_at(other), path=added.view.child_path(other))
    bounds: tuple[tuple[Sign, Scalar], ...] = (
        ("ge", _bound(view, "min", added, "minimum")),
        ("gt", added.number("exclusive_minimum")),
        ("le", _bound(view, "max", added, "maximum")),
        ("lt", added.number("exclusive_maximum")),
    )
    formats = () if added.view is None else date_formats(added.view)
    if is_empty(bounds, logical, formats):
        message = f"`{view.path}`: no value is {in_words(bounds)}"
        at = view.value_at("min") if view.has("min") else view.value_at("max") if view.has("max") else None
        where = at or (added.view or view).at
        view.findings.error("CTR-027", message, where, path=view.path, fix="swap the bounds, or correct them")
    least, most = added.number("min_length"), view.number("max_length")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        message = f"`{view.path}`: no text is {least} or more and {most} or fewer characters long"
        view.findings.error("CTR-027", message, view.value_at("max_length"), path=view.child_path("max_length"))


def _length(view: View, key: str) -> int | None:
    length = view.integer(key)
    if length is not None and length < 0:
        path = view.child_path(key)
        view.findings.error("CTR-024", f"`{path}` is {length}", view.value_at(key), path=path, expected="0 or more")
    return length


def _multiple_of(view: View) -> Scalar:
    value = view.number("multiple_of")
    if view.has("multiple_of") and not (isinstance(value, str) or (isinstance(value, (int, float)) and value > 0)):
        path = view.child_path("multiple_of")
        message = f"`{path}` is no positive number"
        view.findings.error("CTR-024", message, view.value_at("multiple_of"), path=path, expected="a number above 0")
    return value


def _format(view: View) -> str | None:
    node = view.scalar_node("format")
    if node is None:
        return None
    if node.text not in FORMATS:
        view.findings.unknown("CTR-023", "a text format that is checked", node, FORMATS, view.child_path("format"))
        return None
    return node.text


def date_formats(view: View, key: str = "date_formats") -> tuple[str, ...]:
    """The date formats under ``key`` (a text or a list), as ``strptime`` directives."""
    node = view.node(key)
    nodes: tuple[Node, ...] = (
        node.items if isinstance(node, SequenceNode) else (node,) if node and view.has(key) else ()
    )
    return tuple(found for item in nodes if isinstance(item, ScalarNode) for found in date_format(item, view, key))


def date_format(node: ScalarNode, view: View, key: str) -> tuple[str, ...]:
    written = strptime_format(node.text)
    if written is None:
        message = f"`{node.text}` is not a date format"
        expected = "letters such as `dd/MM/yyyy HH:mm:ss`, or directives such as `%d/%m/%Y`"
        view.findings.error("CTR-028", message, node.at, path=view.child_path(key), expected=expected)
        return ()
    return (written,)


def _constraint_positions(view: View, extended: View) -> dict[str, Position]:
    positions = {key: view.key_at(key) for key in CONSTRAINTS if view.has(key)}
    positions.update({key: extended.key_at(key) for key in _EXTENDED if extended.has(key)})
    if "minimum" in positions:
        positions.setdefault("min", positions["minimum"])
    if "maximum" in positions:
        positions.setdefault("max", positions["maximum"])
    return positions


def _value_positions(view: View, extended: View) -> dict[str, Position]:
    positions = {key: view.value_at(key) for key in ("min", "max") if view.has(key)}
    positions.update({key: extended.value_at(key) for key in _EXTENDED if extended.has(key)})
    for short, long in (("min", "minimum"), ("max", "maximum")):
        if long in positions:
            positions.setdefault(short, positions[long])
    positions.update(view.item_positions("accepted_values"))
    return positions


def _is_sensitive(view: View) -> bool:
    if any(view.boolean(key) for key in ("pii", "phi", "sensitive")) or view.has("masking"):
        return True
    return is_sensitive_label(view.string("classification"))


def is_sensitive_label(label: str) -> bool:
    """A classification that makes a field sensitive (odcs, section 4)."""
    words = label.strip().lower()
    return words in _SENSITIVE_WORDS or words.startswith(("personal", "health", "highly "))
