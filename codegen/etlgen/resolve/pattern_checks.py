"""Patterns and formats of text columns as predicates."""

from __future__ import annotations

from dataclasses import replace

from etlgen.contract import Text
from etlgen.diagnostics.model import Position
from etlgen.expr import Call, Literal
from etlgen.lower.scope import reference
from etlgen.patterns import PatternError, parse_pattern, to_rust
from etlgen.plan import SchemaColumn
from etlgen.resolve.judged import Judged, Predicate, is_text
from etlgen.spelling import code, quoted, sql_text
from etlgen.sql.problems import refused_pattern
from etlgen_runtime.types import BOOLEAN, STRING

_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_H16 = r"[0-9A-Fa-f]{1,4}"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_IPV6 = "|".join(
    (
        rf"({_H16}:){{7}}{_H16}",
        rf"({_H16}:){{6}}{_IPV4}",
        rf"({_H16}:){{1,7}}:",
        rf"({_H16}:){{1,6}}:{_H16}",
        rf"({_H16}:){{1,5}}(:{_H16}){{1,2}}",
        rf"({_H16}:){{1,4}}(:{_H16}){{1,3}}",
        rf"({_H16}:){{1,3}}(:{_H16}){{1,4}}",
        rf"({_H16}:){{1,2}}(:{_H16}){{1,5}}",
        rf"{_H16}:(:{_H16}){{1,6}}",
        rf":((:{_H16}){{1,7}}|:)",
        rf"::(({_H16}:){{0,5}}){_IPV4}",
        rf"{_H16}::(({_H16}:){{0,4}}){_IPV4}",
        rf"({_H16}:){{2}}:(({_H16}:){{0,3}}){_IPV4}",
        rf"({_H16}:){{3}}:(({_H16}:){{0,2}}){_IPV4}",
        rf"({_H16}:){{4}}:({_H16}:)?{_IPV4}",
        rf"({_H16}:){{5}}:{_IPV4}",
    )
)
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

FORMAT_PATTERNS: dict[str, str] = {
    "email": r"^[^@\s]+@[^@\s]+\.[^@\s]+$",
    "uuid": r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:",
    "hostname": rf"^{_LABEL}(\.{_LABEL})*$",
    "ipv4": rf"^{_IPV4}$",
    "ipv6": rf"^({_IPV6})$",
    "byte": r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
}
"""Formats that are checks, as searched patterns (odcs, section 3.4). A hostname is checked label by label."""


def pattern_predicate(judged: Judged, column: SchemaColumn, pattern: Text, kind: str, at: Position) -> Predicate | None:
    """The pattern is found in the text (a search, not a match)."""
    if not is_text(column):
        judged.refuse_type(column, "a pattern", "string", at)
        return None
    try:
        portable = to_rust(parse_pattern(pattern.value))
    except PatternError as error:
        place = (
            replace(pattern.at, column=pattern.at.column + error.position, length=1) if pattern.exact else pattern.at
        )
        judged.findings.add(refused_pattern(pattern.value, error, place))
        return None
    return Predicate(
        kind,
        Call("regexp_matches", (reference(column), Literal(portable, STRING)), BOOLEAN),
        True,
        (column.name,),
        f"regexp_matches({quoted(column.name)}, {sql_text(pattern.value)})",
        f"value of {code(column.name)} does not match the pattern",
    )
