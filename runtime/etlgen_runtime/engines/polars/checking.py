"""Steps 4 and 7: which rows fail which rules, as one flag for all rows and as numbers for the bad ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from etlgen_runtime.checks import RowRule
from etlgen_runtime.engines.polars.frame import BAD_IN_POST, BAD_IN_PRE, UNFIT
from etlgen_runtime.engines.polars.functions.columns import column

Phase = Literal["pre", "post"]

UNKNOWN_FIELD_CODE = "PMDATA124"
TYPE_CODE = "PMDATA111"


@dataclass(frozen=True, slots=True)
class Finding:
    """One way for a row to fail: a rule, or a cast that did not fit.

    ``failed`` is TRUE or FALSE, never NULL; ``attributed`` is ``failed`` without the rows in which a cast of a column that
    the rule reads has failed (one fault, one finding: semantics, section 3).
    """

    phase: Phase
    rule: str
    code: str
    field: str | None
    message: str
    severity: str
    failed: pl.Expr
    attributed: pl.Expr


@dataclass(frozen=True, slots=True)
class CheckedFrame:
    """A frame with the flag of its phase, and all that can be wrong with its rows."""

    frame: pl.LazyFrame
    phase: Phase
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    unfit: Mapping[str, str]

    @property
    def bad(self) -> str:
        """The flag column: TRUE for the rows that are bad in this phase."""
        return flag_of(self.phase)


def check_rows(
    frame: pl.LazyFrame,
    phase: Phase,
    rules: Sequence[RowRule],
    predicates: Mapping[str, pl.Expr],
    unfit: Mapping[str, str],
    unknown: Sequence[str] = (),
    among: pl.Expr | None = None,
    type_rules: Mapping[str, str] | None = None,
) -> CheckedFrame:
    """Flag the rows that fail a rule of severity error, or hold a value that did not fit its type.

    Args:
        predicates: TRUE where the row passes, by rule name.
        unfit: Data column -> bookkeeping column with the originals of failed casts.
        type_rules: Rule name by column where it is not ``<column>_type``.
        among: The rows that this phase judges; ``None``: all.
        unknown: Undeclared columns in which any value makes the row bad (``unknown_fields: quarantine``).
    """
    named = type_rules or {}
    findings = [_unfit_finding(phase, name, marker, named.get(name, f"{name}_type")) for name, marker in unfit.items()]
    if unknown:
        findings.append(_unknown_finding(phase, unknown))
    findings += [_rule_finding(phase, rule, predicates[rule.name], unfit) for rule in rules]
    errors = tuple(finding for finding in findings if finding.severity == "error")
    warnings = tuple(finding for finding in findings if finding.severity != "error")
    flag = pl.any_horizontal(finding.failed for finding in errors) if errors else pl.lit(False)
    if among is not None:
        flag = among & flag
        warnings = tuple(replace(finding, attributed=among & finding.attributed) for finding in warnings)
    return CheckedFrame(frame.with_columns(flag.alias(flag_of(phase))), phase, errors, warnings, dict(unfit))


def flag_of(phase: Phase) -> str:
    """The column that says which rows are bad in a phase."""
    return BAD_IN_PRE if phase == "pre" else BAD_IN_POST


def _unfit_finding(phase: Phase, column: str, marker: str, rule: str) -> Finding:
    failed = pl.col(marker).is_not_null()
    return Finding(
        phase=phase,
        rule=rule,
        code=TYPE_CODE,
        field=column,
        message=f"the value of `{column}` does not fit its type",
        severity="error",
        failed=failed,
        attributed=failed,
    )


def _unknown_finding(phase: Phase, columns: Sequence[str]) -> Finding:
    failed = pl.any_horizontal(column(name).is_not_null() for name in columns)
    names = ", ".join(f"`{name}`" for name in columns)
    return Finding(
        phase=phase,
        rule="unknown_field",
        code=UNKNOWN_FIELD_CODE,
        field=None,
        message=f"an undeclared column holds a value; undeclared: {names}",
        severity="error",
        failed=failed,
        attributed=failed,
    )


def _rule_finding(phase: Phase, rule: RowRule, predicate: pl.Expr, unfit: Mapping[str, str]) -> Finding:
    failed = ~predicate.fill_null(rule.nulls_pass)
    markers = [unfit[column] for column in rule.columns if column in unfit]
    attributed = failed
    for marker in markers:
        attributed = attributed & pl.col(marker).is_null()
    return Finding(
        phase=phase,
        rule=rule.name,
        code=rule.code,
        field=rule.field,
        message=rule.message,
        severity=rule.severity,
        failed=failed,
        attributed=attributed,
    )


def unfit_marker(column: str) -> str:
    """The bookkeeping column that remembers originals of a column's failed casts."""
    return UNFIT + column
