"""Dataset checks: unique, null_ratio, row_count_between and SQL over a whole set of rows (semantics, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Literal

from etlgen import problems
from etlgen.contract import Bounds, Contract, DatasetRule, Phase, Scalar, Text
from etlgen.diagnostics.findings import Findings
from etlgen.lower.literals import page_text
from etlgen.plan import PlannedDatasetCheck
from etlgen.resolve.drafts import check_stem
from etlgen.resolve.judged import Judged
from etlgen.resolve.lineage import Lineage
from etlgen.resolve.naming import Nameable
from etlgen.resolve.phases import missing_columns
from etlgen.resolve.rule_predicates import bounds_sql
from etlgen.spelling import code, one_line, quoted
from etlgen.sql import ResolvedDataset, resolve_dataset_sql

_Bound = int | float | str | None

DEFAULT_REASON = "default: a dataset rule judges the accepted rows after step 7"
KEY_REASON = "implied by primary_key; it judges the accepted rows after step 7"
FIELD_REASON = "implied by unique; it judges the accepted rows after step 7"


@dataclass(frozen=True, slots=True)
class DatasetDraft:
    """A dataset rule as written or implied, with its place in the run."""

    rule: DatasetRule
    default_name: str
    phase: Phase | None
    reason: str

    @property
    def name(self) -> str:
        return self.rule.name or self.default_name


def dataset_drafts(contract: Contract) -> tuple[DatasetDraft, ...]:
    """The author's rules, then the uniqueness of fields and of the primary key where no rule of theirs says it."""
    found = [_draft(contract, rule) for rule in contract.quality.dataset_rules]
    for declared in contract.fields:
        if declared.unique:
            found += _implied(contract, found, (declared.name,), FIELD_REASON)
    if contract.primary_key:
        found += _implied(contract, found, contract.primary_key, KEY_REASON)
    return tuple(found)


def _draft(contract: Contract, rule: DatasetRule) -> DatasetDraft:
    columns = [check_stem(contract, column.value) for column in rule.columns]
    match rule.kind:
        case "unique":
            name = "_".join(columns) + "_unique"
        case "null_ratio":
            name = "_".join(columns) + "_null_ratio"
        case "row_count_between":
            name = "row_count_between"
        case _:
            name = "dataset_rule"
    phase: Phase | None = "pre" if rule.phase == "pre" else None
    return DatasetDraft(rule, name, phase, "written" if rule.phase else DEFAULT_REASON)


def _implied(
    contract: Contract, found: Sequence[DatasetDraft], columns: tuple[Text, ...], reason: str
) -> list[DatasetDraft]:
    wanted = {column.value for column in columns}
    for draft in found:
        same = {column.value for column in draft.rule.columns} == wanted
        if draft.rule.kind == "unique" and draft.phase is None and same:
            return []
    rule = DatasetRule("unique", columns[0].at, columns=columns)
    return [replace(_draft(contract, rule), reason=reason)]


@dataclass(frozen=True, slots=True)
class BuiltDataset:
    """A dataset check before it has a name. ``undeclared``: source columns that only it speaks of."""

    draft: DatasetDraft
    planned: PlannedDatasetCheck
    undeclared: tuple[str, ...] = ()

    @property
    def nameable(self) -> Nameable:
        planned, rule = self.planned, self.draft.rule
        bounds = (planned.minimum, planned.maximum, planned.greater_than, planned.less_than)
        definition = (planned.kind, planned.columns, planned.sql, bounds, planned.severity, planned.phase)
        return Nameable(rule.name, self.draft.default_name, definition, rule.name_at or rule.at)


def undeclared_in(draft: DatasetDraft, lineage: Lineage, findings: Findings) -> tuple[str, ...] | None:
    """Undeclared source columns that a native rule names; ``None`` when a column is not there (reported)."""
    at = draft.rule.phase_at or draft.rule.at
    return missing_columns(draft.rule.columns, False, draft.phase or "post", lineage, draft.name, findings, at)


def build_dataset_check(
    draft: DatasetDraft, judged: Judged, contract: Contract, lineage: Lineage
) -> BuiltDataset | None:
    """Check one rule against the rows it judges; ``None`` when it has errors."""
    rule = draft.rule
    match rule.kind:
        case "unique":
            return _unique(draft, judged, contract)
        case "null_ratio":
            return _null_ratio(draft, judged)
        case "row_count_between":
            return _row_count(draft, judged)
        case _:
            return _sql(draft, judged, contract, lineage)


def _unique(draft: DatasetDraft, judged: Judged, contract: Contract) -> BuiltDataset | None:
    names = _columns(draft, judged)
    if names is None:
        return None
    if contract.materialization.strategy == "append":
        judged.findings.add(problems.unique_judges_batch(draft.name, draft.rule.at))
    key = ", ".join(quoted(name) for name in names)
    filled = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in names)
    counted = key if len(names) == 1 else f"({key})"
    sql = f"SELECT count(*) = count(DISTINCT {counted}) FROM source WHERE {filled}"
    return BuiltDataset(draft, _planned(draft, "unique", names, sql))


def _null_ratio(draft: DatasetDraft, judged: Judged) -> BuiltDataset | None:
    names = _columns(draft, judged)
    highest = _bound(draft, judged, draft.rule.maximum)
    if names is None or highest is None:
        return None
    nulls = f"count(*) FILTER (WHERE {quoted(names[0])} IS NULL)"
    sql = f"SELECT coalesce({nulls} / count(*), 0) <= {page_text(highest)} FROM source"
    return BuiltDataset(draft, replace(_planned(draft, "null_ratio", names, sql), maximum=highest))


def _row_count(draft: DatasetDraft, judged: Judged) -> BuiltDataset | None:
    rule = draft.rule
    if rule.minimum is None and rule.maximum is None:
        judged.findings.add(problems.unbounded_key(f"rule {code(draft.name)}", rule.at))
        return None
    low = None if rule.minimum is None else _bound(draft, judged, rule.minimum)
    high = None if rule.maximum is None else _bound(draft, judged, rule.maximum)
    if (low is None) != (rule.minimum is None) or (high is None) != (rule.maximum is None):
        return None
    bounds = Bounds(at_least=rule.minimum, at_most=rule.maximum)
    sql = f"SELECT {bounds_sql('count(*)', bounds)} FROM source"
    return BuiltDataset(draft, replace(_planned(draft, "row_count_between", (), sql), minimum=low, maximum=high))


def _columns(draft: DatasetDraft, judged: Judged) -> tuple[str, ...] | None:
    if not draft.rule.columns:
        judged.findings.add(problems.unbounded_key(f"rule {code(draft.name)} without a column", draft.rule.at))
        return None
    found = [judged.column(name) for name in draft.rule.columns]
    names = tuple(dict.fromkeys(column.name for column in found if column is not None))
    return names if all(column is not None for column in found) else None


def _bound(draft: DatasetDraft, judged: Judged, bound: Scalar) -> _Bound:
    """A bound as it was written; ``None`` (reported) when it is no number."""
    if bound is None:
        judged.findings.add(problems.unbounded_key(f"rule {code(draft.name)}", draft.rule.at))
        return None
    try:
        sound = not isinstance(bound, bool) and Decimal(page_text(bound)).is_finite()
    except InvalidOperation:
        sound = False
    if not sound or isinstance(bound, bool):
        judged.findings.add(
            problems.unfit_value(page_text(bound), "a number", f"rule {code(draft.name)}", draft.rule.at)
        )
        return None
    return bound


def _sql(draft: DatasetDraft, judged: Judged, contract: Contract, lineage: Lineage) -> BuiltDataset | None:
    rule = draft.rule
    if rule.sql is None:
        judged.findings.add(problems.unbounded_key(f"rule {code(draft.name)} without `sql`", rule.at))
        return None
    links = {name: link.schema for name, link in judged.links.items()}
    rows = replace(judged.rows, open=not judged.closed)
    resolved = resolve_dataset_sql(rule.sql, rows, links, (contract.name,))
    judged.findings.add(*resolved.diagnostics)
    bounds = _all_bounds(draft, judged)
    failed = any(found.is_error for found in resolved.diagnostics)
    if failed or bounds is None or not _value_fits(draft, resolved, judged):
        return None
    undeclared = tuple(sorted(resolved.undeclared))
    if not _there(draft, undeclared, lineage, judged.findings):
        return None
    reads = tuple(name for name in judged.rows.names if name in resolved.columns)
    planned = _planned(draft, "sql", reads, resolved.sql)
    low, high, above, below = bounds
    planned = replace(planned, minimum=low, maximum=high, greater_than=above, less_than=below)
    return BuiltDataset(draft, replace(planned, links=tuple(sorted(resolved.links))), undeclared)


def _value_fits(draft: DatasetDraft, resolved: ResolvedDataset, judged: Judged) -> bool:
    """Bounds are for a number; without bounds the value is TRUE or FALSE."""
    wanted = "boolean" if draft.rule.bounds is None else "numeric"
    if resolved.value in (wanted, "unknown"):
        return True
    at = draft.rule.sql.at if draft.rule.sql is not None else draft.rule.at
    fix = (
        "compare it, or bound it by `must_be_between`"
        if wanted == "boolean"
        else "select a number, or remove the bounds"
    )
    expected = "boolean" if wanted == "boolean" else "number"
    found = "text" if resolved.value == "text" else resolved.value
    judged.findings.add(problems.wrong_type(f"the value of rule {code(draft.name)}", found, expected, at, fix))
    return False


def _there(draft: DatasetDraft, names: Sequence[str], lineage: Lineage, findings: Findings) -> bool:
    """Whether columns that the SQL stage took for undeclared ones are not dropped, or created only later (reported)."""
    rule = draft.rule
    place = rule.sql.at if rule.sql is not None else rule.at
    reads = tuple(Text(name, place) for name in names)
    found = Findings()
    at = rule.phase_at or rule.at
    missing_columns(reads, True, draft.phase or "post", lineage, draft.name, found, at)
    findings.add(*found.errors)
    return not found.errors


def _all_bounds(draft: DatasetDraft, judged: Judged) -> tuple[_Bound, _Bound, _Bound, _Bound] | None:
    """Lowest, highest, above, below; ``None`` when one of them is no number (reported)."""
    bounds = draft.rule.bounds or Bounds()
    given = (bounds.at_least, bounds.at_most, bounds.greater_than, bounds.less_than)
    low, high, above, below = (None if value is None else _bound(draft, judged, value) for value in given)
    found = (low, high, above, below)
    sound = all((one is None) == (value is None) for one, value in zip(found, given, strict=True))
    return found if sound else None


def _planned(
    draft: DatasetDraft,
    kind: Literal["unique", "null_ratio", "row_count_between", "sql"],
    columns: tuple[str, ...],
    sql: str,
) -> PlannedDatasetCheck:
    return PlannedDatasetCheck(
        name=draft.name,
        kind=kind,
        phase=draft.phase,
        reason=draft.reason,
        severity=draft.rule.severity,
        columns=columns,
        sql=sql,
        minimum=None,
        maximum=None,
        greater_than=None,
        less_than=None,
        links=(),
        description=one_line(draft.rule.description, 1000),
        at=draft.rule.at,
    )
