"""Patterns and formats of text columns as predicates."""

from __future__ import annotations

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


def pattern_predicate(judged: Judged, column: SchemaColumn, pattern: Text, kind: str, at: Position) -> Predicate | None:
    """The pattern is found in the text (a search, not a match)."""
    if not is_text(column):
        judged.refuse_type(column, "a pattern", "string", at)
        return None
    try:
        portable = to_rust(parse_pattern(pattern.value))
    except PatternError as error:
        judged.findings.add(refused_pattern(pattern.value, error, pattern.span(error.position, 1)))
        return None
    return Predicate(
        kind,
        Call("regexp_matches", (reference(column), Literal(portable, STRING)), BOOLEAN),
        True,
        (column.name,),
        f"regexp_matches({quoted(column.name)}, {sql_text(pattern.value)})",
        f"value of {code(column.name)} does not match the pattern",
    )
