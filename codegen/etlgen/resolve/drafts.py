"""Row checks as the contract implies them, before phases and types: constraints of fields, and row rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from etlgen.contract import Contract, Field, Phase, RowRule, Severity, Text
from etlgen.diagnostics.model import Position
from etlgen.resolve.sql_names import names_in

DraftKind = Literal[
    "required",
    "accepted_values",
    "range",
    "max_length",
    "min_length",
    "pattern",
    "format",
    "multiple_of",
    "rule",
    "required_for_dedup",
]

CHECKED_FORMATS = ("email", "uuid", "uri", "hostname", "ipv4", "ipv6", "byte")
"""String formats that are checks (odcs, 3.4); others are metadata."""

_KEYED_STRATEGIES = ("merge", "scd1", "scd2")
_BOUND_KEYS = ("min", "max", "minimum", "maximum", "exclusive_minimum", "exclusive_maximum")


@dataclass(frozen=True, slots=True)
class Draft:
    """A row check as written or implied.

    Args:
        subject: The field that a constraint belongs to; ``None`` for rules.
        rule: The row rule; ``None`` for constraints.
        keys: For ``required_for_dedup`` the key columns.
        reads: Names it refers to; ``from_sql`` says that case does not matter in them.
    """

    kind: DraftKind
    default_name: str
    at: Position
    reads: tuple[Text, ...]
    subject: Field | None = None
    rule: RowRule | None = None
    keys: tuple[str, ...] = ()
    from_sql: bool = False
    phase: Phase | None = None
    phase_at: Position | None = None
    severity: Severity = "error"
    description: str = ""

    @property
    def written_name(self) -> str | None:
        return self.rule.name if self.rule is not None else None

    @property
    def name_at(self) -> Position:
        return self.rule.name_at or self.at if self.rule is not None else self.at

    @property
    def name(self) -> str:
        return self.written_name or self.default_name

    @property
    def field(self) -> str | None:
        """The one column that it is about."""
        if self.subject is not None:
            return self.subject.name.value
        return self.rule.field.value if self.rule is not None and self.rule.field is not None else None


def drafts_of(contract: Contract, source_only: tuple[Field, ...]) -> tuple[Draft, ...]:
    """Every row check in the order of the contract: per field its constraints and rules, then ``quality.row_rules``.

    Args:
        source_only: Fields of ``etlgen.source_fields`` that the model does not have, and that exist in step 4.
    """
    found: list[Draft] = []
    for declared in contract.fields:
        found += _of_field(contract, declared)
    for declared in source_only:
        found += _of_field(contract, declared)
    found += [_of_rule(rule) for rule in contract.quality.row_rules]
    return tuple(found)


def _of_field(contract: Contract, declared: Field) -> Iterator[Draft]:
    name, at = check_stem(contract, declared.name.value), declared.constraint_at
    here = declared.name.at

    def draft(kind: DraftKind, *keys: str) -> Draft:
        place = next((at[key] for key in keys if key in at), here)
        return Draft(kind, f"{name}_{kind}", place, (declared.name,), declared)

    if _is_required(contract, declared):
        place = declared.required_at or here
        yield Draft("required", f"{name}_required", place, (declared.name,), declared)
    if declared.accepted_values is not None:
        yield draft("accepted_values", "accepted_values")
    bounds = (declared.minimum, declared.maximum, declared.exclusive_minimum, declared.exclusive_maximum)
    if any(bound is not None for bound in bounds):
        yield draft("range", *_BOUND_KEYS)
    if declared.max_length is not None:
        yield draft("max_length", "max_length")
    if declared.min_length is not None:
        yield draft("min_length", "min_length")
    if declared.pattern is not None:
        yield draft("pattern", "pattern")
    if declared.format in CHECKED_FORMATS:
        yield draft("format", "format")
    if declared.multiple_of is not None:
        yield draft("multiple_of", "multiple_of")
    for rule in declared.rules:
        yield _of_rule(rule)


def _is_required(contract: Contract, declared: Field) -> bool:
    """Written, or the key of a strategy that finds rows by it (semantics, section 3; odcs, section 4)."""
    if declared.required and contract.quality.enforce_required:
        return True
    keyed = contract.vocabulary == "odcs" or contract.materialization.strategy in _KEYED_STRATEGIES
    return keyed and any(key.value == declared.name.value for key in contract.primary_key)


def check_stem(contract: Contract, column: str) -> str:
    """How a column is called in default names: as it is; in ODCS by its property, with ``_`` for what no identifier holds
    (odcs, section 0).
    """
    if contract.vocabulary == "olc":
        return column
    declared = next((one for one in contract.fields if one.name.value == column), None)
    name = declared.metadata.get("property", column) if declared is not None else column
    return re.sub(r"[^A-Za-z0-9_]", "_", str(name))


def type_rules(contract: Contract) -> tuple[tuple[str, str], ...]:
    """Columns whose failed casts bear another name than ``<column>_type``."""
    names = [declared.name.value for declared in contract.fields]
    stems = ((name, check_stem(contract, name)) for name in names)
    return tuple((name, f"{stem}_type") for name, stem in stems if stem != name)


def _of_rule(rule: RowRule) -> Draft:
    if rule.kind == "sql" or rule.field is None:
        reads = names_in(rule.sql) if rule.sql is not None else ()
        default = "row_rule"
    else:
        reads = (rule.field,)
        default = f"{rule.field.value}_{rule.kind}"
    return Draft(
        "rule",
        default,
        rule.at,
        reads,
        rule=rule,
        from_sql=rule.kind == "sql",
        phase=rule.phase,
        phase_at=rule.phase_at,
        severity=rule.severity,
        description=rule.description,
    )
