"""Schema properties to fields (odcs, sections 2 to 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from etlgen.contract import Field, Scalar, Text
from etlgen.diagnostics.model import Position
from etlgen.read.nodes import MappingNode, ScalarNode
from etlgen.read.odcs.constraints import Constraints, constraint_positions, read_constraints, value_positions
from etlgen.read.odcs.examples import check_examples
from etlgen.read.odcs.keys import item_path
from etlgen.read.odcs.settings import Settings
from etlgen.read.odcs.types import OdcsType, property_type
from etlgen.read.olc.fields import is_sensitive_label
from etlgen.read.view import View, typed_scalar
from etlgen_runtime.types import LogicalType

_METADATA = (
    "id",
    "physicalType",
    "classification",
    "criticalDataElement",
    "encryptedName",
    "tags",
    "semanticType",
    "deprecated",
    "transformSourceObjects",
    "transformDescription",
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a property is read in: minor version, types of the servers, and the ``etlgen`` settings above it."""

    minor: int
    servers: frozenset[str]
    settings: Settings


def column_of(view: View) -> Text:
    """The column of a property: ``physicalName``, or else ``name`` (odcs, section 0)."""
    return view.optional_text("physicalName") or view.text("name")


def property_views(view: View) -> Iterator[View]:
    """The properties of a schema object, their paths by name."""
    for number, (item, _) in enumerate(view.items("properties")):
        if isinstance(item, MappingNode):
            yield View(item, item_path(item, view.child_path("properties"), number), view.findings, item.at)


def check_variables(view: View, minor: int) -> None:
    """A variable of v3.2 in a name shapes the code; this version fills in none (E110)."""
    for key in ("name", "physicalName"):
        if minor >= 2 and "${" in view.string(key):
            message = f"the variable in `{view.string(key)}` is not filled in by this version"
            view.findings.error(
                "ODCS-E110", message, view.value_at(key), path=view.child_path(key), fix="write the name out"
            )


def read_properties(view: View, around: Surroundings) -> tuple[Field, ...]:
    """The fields of a schema object; two of one name or one column are E107."""
    fields: list[Field] = []
    columns: dict[str, str] = {}
    names: set[str] = set()
    for entry in property_views(view):
        if not entry.has("name"):
            continue
        check_variables(entry, around.minor)
        name, column = entry.string("name"), column_of(entry)
        if name in names:
            message = f"the property `{name}` is declared twice"
            entry.findings.error("ODCS-E107", message, entry.value_at("name"), path=entry.path, fix="keep one of them")
        elif column.value.lower() in columns:
            message = f"`{name}` and `{columns[column.value.lower()]}` are one column, `{column.value}`"
            entry.findings.error("ODCS-E107", message, column.at, path=entry.path, fix="name another column")
        names.add(name)
        columns.setdefault(column.value.lower(), name)
        fields.append(_field(entry, column, around))
    return tuple(fields)


def _field(view: View, column: Text, around: Surroundings) -> Field:
    kind = property_type(view, around.servers, around.minor)
    options = view.view("logicalTypeOptions")
    found = read_constraints(options, kind, around.minor)
    own = around.settings.inner(view)
    _report(view, own)
    logical = _with_formats(kind.type, found)
    sensitive = is_sensitive_label(view.string("classification")) or view.has("encryptedName")
    required, required_at = _required(view)
    field = Field(
        name=column,
        type=logical,
        type_at=view.value_at("logicalType" if view.has("logicalType") else "physicalType"),
        type_text=view.string("logicalType") or view.string("physicalType") or "string",
        required=required,
        required_at=required_at,
        accepted_values=_enum(view, logical),
        minimum=found.minimum,
        maximum=found.maximum,
        exclusive_minimum=found.exclusive_minimum,
        exclusive_maximum=found.exclusive_maximum,
        multiple_of=found.multiple_of,
        min_length=found.min_length,
        max_length=found.max_length,
        pattern=found.pattern,
        format=found.format,
        date_formats=found.date_formats,
        constraint_at=_positions(view, options, kind, found),
        value_at={**value_positions(options), **_enum_positions(view)},
        unique=view.boolean("unique"),
        sensitive=sensitive,
        sensitive_written=sensitive or view.has("classification"),
        description=view.string("description"),
        title=view.string("businessName"),
        examples=() if sensitive else view.scalars("examples", logical),
        metadata=_metadata(view, column),
    )
    if not sensitive:
        check_examples(view, field)
    return field


def _with_formats(logical: LogicalType, found: Constraints) -> LogicalType:
    """``format`` alone decides when it is given (odcs, 3.3)."""
    if not found.date_formats:
        return logical
    return LogicalType(
        logical.kind,
        naive_offset_refused=logical.naive_offset_refused,
        formats_only=True,
        assumed_zone=logical.assumed_zone,
    )


def _required(view: View) -> tuple[bool, Position | None]:
    """``required``, or part of the primary key (W107 when written ``required: false``)."""
    if view.boolean("required"):
        return True, view.key_at("required")
    if not view.boolean("primaryKey"):
        return False, view.optional_at("required")
    if view.has("required"):
        message = f"`{view.path}` is a primary key and `required: false`; it is read as required"
        path = view.child_path("required")
        view.findings.warning("ODCS-W107", message, view.key_at("required"), path=path, fix="remove `required: false`")
    return True, view.key_at("primaryKey")


def _enum(view: View, logical: LogicalType) -> tuple[Scalar, ...] | None:
    """``enum`` of v3.2: the values, duplicates are E204."""
    if not view.has("enum"):
        return None
    values: list[Scalar] = []
    for entry in view.views("enum"):
        node = entry.node("value")
        if not isinstance(node, ScalarNode):
            if node is not None:
                entry.findings.error(
                    "ODCS-E106", f"`{entry.path}.value` must be a single value", node.at, path=entry.path
                )
            continue
        value = typed_scalar(node, logical)
        if any(value == other and type(value) is type(other) for other in values):
            message = f"the value `{node.text}` occurs twice in `{view.child_path('enum')}`"
            entry.findings.error("ODCS-E204", message, node.at, path=entry.path, fix="keep one of them")
        values.append(value)
    return tuple(values)


def _enum_positions(view: View) -> dict[str, Position]:
    nodes = (entry.node("value") for entry in view.views("enum"))
    places = [node.at for node in nodes if isinstance(node, ScalarNode)]
    return {f"accepted_values[{number}]": at for number, at in enumerate(places)}


def _positions(view: View, options: View, kind: OdcsType, found: Constraints) -> dict[str, Position]:
    positions = constraint_positions(options)
    if found.date_formats:
        positions["date_formats"] = positions.pop("format", view.at)
    if found.format is None:
        positions.pop("format", None)
    if kind.max_length is not None:
        positions.setdefault("max_length", view.key_at("physicalType"))
    if view.has("enum"):
        positions["accepted_values"] = view.key_at("enum")
    return positions


def _metadata(view: View, column: Text) -> dict[str, object]:
    kept = view.plain(*_METADATA)
    if view.string("name") != column.value:
        kept["property"] = view.string("name")
    custom = {
        entry.string("property"): entry.plain("value").get("value")
        for entry in view.views("customProperties")
        if entry.string("property") != "etlgen"
    }
    if custom:
        kept["custom"] = custom
    return kept


def _report(view: View, settings: Settings) -> None:
    """Keys of a property whose silence would change the table (E190) or be taken for more than it is (W190)."""
    if view.has("transformLogic") and settings.transform != "document":
        fix = "move the derivation to `transformations` of the `etlgen` custom property, or set `transform: document` there"
        view.findings.error(
            "ODCS-E190", _unexecuted(view, "transformLogic"), view.key_at("transformLogic"), path=view.path, fix=fix
        )
    if view.has("relationships"):
        fix = "remove it, or check it with a row rule in the `etlgen` custom property"
        view.findings.error(
            "ODCS-E190", _unexecuted(view, "relationships"), view.key_at("relationships"), path=view.path, fix=fix
        )
    if view.string("semanticType") == "measure":
        fix = "remove the property from the schema"
        view.findings.error(
            "ODCS-E190", _unexecuted(view, "semanticType"), view.key_at("semanticType"), path=view.path, fix=fix
        )
    if view.boolean("partitioned"):
        message = f"`{view.path}.partitioned`: the target is written without partitions by this version"
        view.findings.warning("ODCS-W190", message, view.key_at("partitioned"), path=view.path)
    elif view.has("partitionKeyPosition") and view.integer("partitionKeyPosition") != -1:
        message = f"`{view.path}` has a partitionKeyPosition and is not partitioned"
        view.findings.warning("ODCS-W107", message, view.key_at("partitionKeyPosition"), path=view.path)
    for entry in view.views("customProperties"):
        if entry.string("property").lower() == "enum":
            message = f"the custom property `{entry.string('property')}` of `{view.path}` is no check here"
            fix = "use `enum` of v3.2, or a row rule `accepted_values` in the `etlgen` custom property"
            view.findings.warning("ODCS-W114", message, entry.value_at("property"), path=entry.path, fix=fix)
    _misplaced(view)
    report_quality(view)


def _misplaced(view: View) -> None:
    for key, family in (("items", "array"), ("properties", "object"), ("map", "map")):
        if view.has(key) and view.string("logicalType") != family:
            message = f"`{view.child_path(key)}` belongs to the logicalType `{family}`"
            view.findings.error("ODCS-E206", message, view.key_at(key), path=view.child_path(key))


def _unexecuted(view: View, key: str) -> str:
    return f"`{view.child_path(key)}` is not executed by this version"


def report_quality(view: View) -> None:
    """Quality rules: text is documentation, foreign engines are W103, everything else is E190."""
    for entry in view.views("quality"):
        kind = entry.string("type") or ("library" if entry.has("metric") or entry.has("rule") else "")
        if kind == "text":
            continue
        if kind == "custom" and entry.string("engine") != "etlgen":
            message = f"the check `{entry.path}` of engine `{entry.string('engine')}` is not executed"
            entry.findings.warning("ODCS-W103", message, entry.at, path=entry.path)
        elif kind == "":
            message = f"the quality rule `{entry.path}` has no type and no metric"
            entry.findings.error("ODCS-E301", message, entry.at, path=entry.path, fix="add `type: text` or `metric:`")
        else:
            message = f"the quality rule `{entry.path}` is not executed by this version"
            fix = "write it under `quality` of the `etlgen` custom property, or mark it `type: text`"
            entry.findings.error("ODCS-E190", message, entry.at, path=entry.path, fix=fix)


def primary_key(view: View) -> tuple[Text, ...]:
    """The key columns by position, then in document order; a position of 0 or one that is used twice is E207."""
    placed: list[tuple[int, int, Text]] = []
    used: set[int] = set()
    for order, entry in enumerate(property_views(view)):
        if not entry.boolean("primaryKey"):
            continue
        position = entry.integer("primaryKeyPosition")
        if position is not None and position != -1:
            if position < 1 or position in used:
                message = f"`{entry.path}`: the key position {position} " + (
                    "is used twice" if position in used else "is invalid"
                )
                path = entry.child_path("primaryKeyPosition")
                at = entry.value_at("primaryKeyPosition")
                entry.findings.error("ODCS-E207", message, at, path=path, expected="1, 2, 3, ...")
            used.add(position)
        unplaced = position is None or position == -1
        placed.append((1_000_000 if unplaced else position or 0, order, column_of(entry)))
    return tuple(column for _, _, column in sorted(placed, key=lambda item: item[:2]))
