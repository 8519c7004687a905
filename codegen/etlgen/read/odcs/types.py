"""ODCS types to logical types: ``logicalType``, then ``format``, then ``physicalType`` (odcs, 3.1 and 3.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from etlgen.read.date_format import DATE_LETTERS, TIME_LETTERS, letters
from etlgen.read.view import View
from etlgen_runtime.types import (
    BINARY,
    BOOLEAN,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    INT128,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_TZ,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    UINT128,
    LogicalType,
    decimal,
)

FAMILIES = ("string", "integer", "number", "boolean", "date", "timestamp", "time", "object", "array")
FAMILIES_3_2 = ("map", "vector")
NESTED = ("object", "array", "map", "vector")

_TEXTS = frozenset(
    {
        "string",
        "text",
        "varchar",
        "varchar2",
        "nvarchar",
        "nvarchar2",
        "char",
        "nchar",
        "character",
        "bpchar",
        "character varying",
        "national character",
        "clob",
        "nclob",
        "ntext",
        "tinytext",
        "mediumtext",
        "longtext",
        "uuid",
        "uniqueidentifier",
        "enum",
        "citext",
        "str",
        "utf8",
    }
)
_SIZED_TEXTS = frozenset(
    {
        "varchar",
        "varchar2",
        "nvarchar",
        "nvarchar2",
        "char",
        "nchar",
        "character",
        "bpchar",
        "character varying",
        "string",
    }
)
_BINARIES = frozenset(["bytea", "blob", "binary", "varbinary", "bytes", "longblob", "raw"])
_BOOLEANS = frozenset(["boolean", "bool", "bit"])
_INTEGERS = {
    "tinyint": INT8,
    "byteint": INT8,
    "smallint": INT16,
    "int2": INT16,
    "int16": INT16,
    "int": INT32,
    "integer": INT32,
    "int4": INT32,
    "int32": INT32,
    "mediumint": INT32,
    "serial": INT32,
    "bigint": INT64,
    "int8": INT64,
    "int64": INT64,
    "long": INT64,
    "bigserial": INT64,
    "hugeint": INT128,
    "uhugeint": UINT128,
}
_WIDE_SERVERS = frozenset(["bigquery", "snowflake", "oracle"])
"""Servers whose ``int`` has 64 bits or more."""

_FLOATS = {
    "real": FLOAT32,
    "float4": FLOAT32,
    "float32": FLOAT32,
    "double": FLOAT64,
    "double precision": FLOAT64,
    "float": FLOAT64,
    "float8": FLOAT64,
    "float64": FLOAT64,
}
_DECIMALS = frozenset(["decimal", "numeric", "number", "dec", "bignumeric"])
_INTEGER_FORMATS = {
    "i8": INT8,
    "i16": INT16,
    "i32": INT32,
    "i64": INT64,
    "i128": INT128,
    "u8": UINT8,
    "u16": UINT16,
    "u32": UINT32,
    "u64": UINT64,
    "u128": UINT128,
}
_NUMBER_FORMATS = {"f32": FLOAT32, "f64": FLOAT64}
_NAIVE = frozenset(["timestamp_ntz", "timestamp without time zone", "datetime", "datetime2", "smalldatetime"])
_AWARE = frozenset(
    {
        "timestamp",
        "timestamptz",
        "timestamp_tz",
        "timestamp_ltz",
        "timestamp with time zone",
        "datetimeoffset",
        "timestamp with local time zone",
    }
)
_TIMES = frozenset(["time", "time without time zone"])
_NESTED_WORDS = frozenset(
    ["array", "struct", "map", "list", "row", "record", "object", "variant", "json", "jsonb", "super"]
)
_PHYSICAL = re.compile(
    r"([a-z][a-z0-9_ ]*?)\s*(?:\(\s*([0-9]+|max)\s*(?:,\s*(-?[0-9]+)\s*)?\))?(\s+(?:with|without).*)?\Z"
)


@dataclass(frozen=True, slots=True)
class Physical:
    """A physical type: its name in lower case and its numbers."""

    name: str
    first: int | None = None
    second: int | None = None

    @property
    def family(self) -> str:
        """The logical family it stands for; empty when it is not understood."""
        for family, names in _PHYSICAL_FAMILIES.items():
            if self.name in names:
                return family
        return ""


_PHYSICAL_FAMILIES: dict[str, frozenset[str]] = {
    "string": _TEXTS | _BINARIES,
    "boolean": _BOOLEANS,
    "integer": frozenset(_INTEGERS),
    "number": frozenset(_FLOATS) | _DECIMALS | {"money"},
    "date": frozenset(["date"]),
    "timestamp": _NAIVE | _AWARE,
    "time": _TIMES,
    "object": _NESTED_WORDS,
}


def parse_physical(text: str) -> Physical | None:
    """The parts of ``text``; ``varchar[15]`` means ``varchar(15)``. ``None``: not understood."""
    words = re.sub(r"\[\s*([0-9]+)\s*\]\Z", r"(\1)", " ".join(text.lower().split()))
    if "<" in words or words.endswith("[]"):
        return Physical("array")
    match = _PHYSICAL.match(words)
    if match is None:
        return None
    name = match[1] + (match[4] or "")
    first = int(match[2][:6]) if match[2] and match[2] != "max" else None
    return Physical(" ".join(name.split()), first, int(match[3][:6]) if match[3] else None)


@dataclass(frozen=True, slots=True)
class OdcsType:
    """The type of a property. ``family`` decides which options are allowed, empty where no type is understood (reported);
    ``max_length`` comes from ``varchar(n)``.
    """

    family: str
    type: LogicalType
    max_length: int | None = None


def property_type(view: View, servers: frozenset[str], minor: int) -> OdcsType:
    """The type of the property ``view``; faults are reported (E106, E204, E205, TYP-071, W104, W105, W111)."""
    physical = parse_physical(view.string("physicalType")) if view.has("physicalType") else None
    family = _family(view, physical, minor)
    if not family:
        return OdcsType("", STRING)
    if family in NESTED:
        path = view.child_path("logicalType")
        message = f"the nested type `{family}` is not supported by this version"
        fix = "declare the property as `string`, holding JSON text"
        view.findings.error("TYP-071", message, view.value_at("logicalType"), path=path, fix=fix)
        return OdcsType(family, STRING)
    options = view.view("logicalTypeOptions")
    match family:
        case "integer":
            return OdcsType(family, _integer(view, options, physical, servers))
        case "number":
            return OdcsType(family, _number(view, options, physical, servers))
        case "boolean":
            _in_family(view, physical, "boolean")
            return OdcsType(family, BOOLEAN)
        case "date" | "timestamp" | "time":
            return _moment(view, options, physical, family)
        case _:
            return _string(view, physical)


def _family(view: View, physical: Physical | None, minor: int) -> str:
    """The logicalType, else that of the physicalType, else string; empty after an error."""
    node = view.scalar_node("logicalType")
    known = FAMILIES + (FAMILIES_3_2 if minor >= 2 else ())
    if node is not None:
        if node.text not in known:
            view.findings.unknown("ODCS-E106", "a logicalType", node, known, view.child_path("logicalType"))
            return ""
        return node.text
    if view.has("physicalType"):
        family = physical.family if physical else ""
        if not family:
            path = view.child_path("physicalType")
            message = f"the physicalType `{view.string('physicalType')}` is not understood, and there is no logicalType"
            view.findings.error(
                "ODCS-E205", message, view.value_at("physicalType"), path=path, fix="add `logicalType:`"
            )
        return family
    message = f"`{view.path}` has no type; it is read as string"
    view.findings.warning("ODCS-W104", message, view.at, path=view.path, fix="add `logicalType:`")
    return "string"


def _in_family(view: View, physical: Physical | None, *families: str) -> bool:
    """The physicalType stands in a row of the family; otherwise it is ignored with W105."""
    if not view.has("physicalType"):
        return False
    if physical is not None and physical.family in families:
        return True
    message = f"the physicalType `{view.string('physicalType')}` does not belong to {families[0]}; it is ignored"
    view.findings.warning("ODCS-W105", message, view.value_at("physicalType"), path=view.child_path("physicalType"))
    return False


def _string(view: View, physical: Physical | None) -> OdcsType:
    if not _in_family(view, physical, "string") or physical is None:
        return OdcsType("string", STRING)
    if physical.name in _BINARIES:
        return OdcsType("string", BINARY)
    return OdcsType("string", STRING, physical.first if physical.name in _SIZED_TEXTS else None)


def _integer(view: View, options: View, physical: Physical | None, servers: frozenset[str]) -> LogicalType:
    whole_decimal = (
        physical is not None and physical.name in _DECIMALS and physical.first is not None and not physical.second
    )
    fits = whole_decimal or _in_family(view, physical, "integer")
    node = options.scalar_node("format")
    if node is not None:
        if node.text in _INTEGER_FORMATS:
            return _INTEGER_FORMATS[node.text]
        view.findings.unknown("ODCS-E204", "an integer format", node, _INTEGER_FORMATS, options.child_path("format"))
    if physical is None or not fits:
        return INT64
    if whole_decimal:
        return INT64 if (physical.first or 0) <= 18 else INT128
    return _integer_width(physical, servers)


def _integer_width(physical: Physical, servers: frozenset[str]) -> LogicalType:
    width = _INTEGERS[physical.name]
    return INT64 if width == INT32 and servers & _WIDE_SERVERS else width


def _number(view: View, options: View, physical: Physical | None, servers: frozenset[str]) -> LogicalType:
    fits = _in_family(view, physical, "number", "integer")
    node = options.scalar_node("format")
    if node is not None:
        if node.text in _NUMBER_FORMATS:
            return _NUMBER_FORMATS[node.text]
        view.findings.unknown("ODCS-E204", "a number format", node, _NUMBER_FORMATS, options.child_path("format"))
    if not fits or physical is None:
        return FLOAT64
    if physical.family == "integer":
        return _integer_width(physical, servers)
    if physical.name == "money":
        return decimal(19, 4)
    return _FLOATS[physical.name] if physical.name in _FLOATS else _decimal(view, physical)


def _decimal(view: View, physical: Physical) -> LogicalType:
    precision, scale = physical.first, physical.second
    if precision is None:
        precision, scale = _custom_precision(view)
    if precision is None:
        message = f"`{view.string('physicalType')}` has no precision; decimal(38,9) is used"
        path = view.child_path("physicalType")
        view.findings.warning(
            "ODCS-W105", message, view.value_at("physicalType"), path=path, fix="write `decimal(18,2)`"
        )
        return decimal()
    scale = scale or 0
    if not (1 <= precision <= 38 and 0 <= scale <= precision):
        path = view.child_path("physicalType")
        message = f"`{view.string('physicalType')}` is no decimal type"
        expected = "precision from 1 to 38, scale from 0 to the precision"
        view.findings.error("ODCS-E205", message, view.value_at("physicalType"), path=path, expected=expected)
        return decimal()
    return decimal(precision, scale)


def _custom_precision(view: View) -> tuple[int | None, int | None]:
    """The custom properties ``precision`` and ``scale``."""
    found = {entry.string("property"): entry.integer("value") for entry in view.views("customProperties")}
    return found.get("precision"), found.get("scale")


def _moment(view: View, options: View, physical: Physical | None, family: str) -> OdcsType:
    if family == "date":
        family = _date_family(view, options, physical)
    else:
        _in_family(view, physical, family)
    if family == "date":
        return OdcsType("date", DATE)
    if family == "time":
        if options.boolean("timezone"):
            path = options.child_path("timezone")
            message = "a time with time zone is supported by no engine"
            view.findings.error("ODCS-E211", message, options.key_at("timezone"), path=path, fix="use a timestamp")
        return OdcsType("time", TIME)
    naive = physical is not None and physical.name in _NAIVE
    if options.has("timezone"):
        naive = not options.boolean("timezone", True)
    if naive:
        return OdcsType("timestamp", replace(TIMESTAMP, naive_offset_refused=True))
    zone = options.string("defaultTimezone", "UTC")
    return OdcsType("timestamp", replace(TIMESTAMP_TZ, assumed_zone=zone))


def _date_family(view: View, options: View, physical: Physical | None) -> str:
    """``date`` is a timestamp or a time when physicalType or format say so (W111)."""
    used = letters(options.string("format")) if options.has("format") else frozenset[str]()
    family = "date"
    if physical is not None and physical.family == "timestamp":
        family = "timestamp"
    elif used & TIME_LETTERS:
        family = "timestamp" if used & DATE_LETTERS else "time"
    else:
        _in_family(view, physical, "date")
    if family != "date":
        message = f"the date `{view.path}` is read as {family}"
        at = view.value_at("logicalType")
        view.findings.warning("ODCS-W111", message, at, path=view.path, fix=f"write `logicalType: {family}`")
    return family
