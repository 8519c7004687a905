"""Dataset rules over what was staged: uniqueness and null ratio natively, SQL on the staged file (``crossing``)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path

import polars as pl

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.crossing import NOT_ONE_VALUE, run_queries
from etlgen_runtime.engine import RunContext
from etlgen_runtime.engines.polars.frame import PREFIX
from etlgen_runtime.engines.polars.functions.columns import column, columns
from etlgen_runtime.engines.polars.quarantine import REDACTED
from etlgen_runtime.report import DatasetRuleResult

_ROWS = f"{PREFIX}rows"
_KEY = f"{PREFIX}key"
_HASHED = (pl.String, pl.Boolean, pl.Binary)

MOST_HASHED_ROWS = 1 << 26
"""Up to here one number for each key is held in memory, which is quick; beyond, keys are grouped by the streaming engine, which
spills to disk."""


def judge(
    rules: Sequence[DatasetRule],
    rows: int,
    audit: Path | None,
    links: Mapping[str, pl.LazyFrame],
    context: RunContext,
    folder: Path,
) -> list[DatasetRuleResult]:
    """The outcome of each rule over ``rows`` rows, whose columns lie in the Parquet file ``audit``; what a query reads
    besides is put into ``folder``.

    Source: semantics, section 3, Dataset rules.
    """
    values: dict[str, object] = {}
    sql = [rule for rule in rules if rule.kind == "sql"]
    if sql and audit is not None:
        values |= _run_sql(sql, audit, links, context, folder)
    results: list[DatasetRuleResult] = []
    for rule in rules:
        match rule.kind:
            case "row_count_between":
                results.append(_bounded(rule, rows))
            case "null_ratio":
                results.append(_bounded(rule, _null_ratio(rule, rows, audit)))
            case "unique":
                results.append(_unique(rule, rows, audit))
            case "sql":
                results.append(_shown(_sql_result(rule, values[rule.name]), rule, context))
    return results


def _shown(result: DatasetRuleResult, rule: DatasetRule, context: RunContext) -> DatasetRuleResult:
    """The value of a query over sensitive columns may be one of theirs (validation, Sensitive data); TRUE and FALSE tell nothing."""
    value = result.value
    is_open = context.profile.sensitive == "keep" or not set(rule.columns) & set(context.contract.sensitive)
    if value is None or value in ("true", "false") or is_open:
        return result
    return replace(result, value=REDACTED, reason=result.reason.replace(value, REDACTED, 1))


def _null_ratio(rule: DatasetRule, rows: int, audit: Path | None) -> float:
    if rows == 0 or audit is None:
        return 0.0
    nulls = pl.scan_parquet(audit, glob=False).select(column(rule.columns[0]).null_count()).collect().item()
    return float(nulls) / rows


def _unique(rule: DatasetRule, rows: int, audit: Path | None) -> DatasetRuleResult:
    """No key without NULL occurs twice; keys compare column by column."""
    recurring = _recurring_keys(rule, rows, audit) if audit is not None else 0
    reason = f"{recurring} key values of ({', '.join(rule.columns)}) occur more than once" if recurring else ""
    return DatasetRuleResult(
        rule=rule.name, severity=rule.severity, passed=recurring == 0, value=str(recurring), reason=reason
    )


def _recurring_keys(rule: DatasetRule, rows: int, audit: Path) -> int:
    """Key values that occur more than once; these are counted only where there are some, which is dear."""
    keys = pl.scan_parquet(audit, glob=False).select(columns(rule.columns)).drop_nulls()
    if _are_distinct(keys, rows):
        return 0
    recurring = keys.group_by(columns(rule.columns)).len(name=_ROWS).filter(pl.col(_ROWS) > 1).select(pl.len())
    return int(recurring.collect(engine="streaming").item())


def _are_distinct(keys: pl.LazyFrame, rows: int) -> bool:
    """No key occurs twice. ``False`` where that is not certain at little cost: hashes are compared, and two keys may share one.

    Args:
        keys: The key columns, without rows in which one is NULL.
        rows: How many there are at most.
    """
    schema = keys.collect_schema()
    if rows > MOST_HASHED_ROWS or not all(map(_has_one_hash, schema.values())):
        return False
    is_number = len(schema) == 1 and schema.dtypes()[0].is_integer()
    key = columns(schema)[0] if is_number else pl.struct(columns(schema)).hash()
    values = keys.select(key.alias(_KEY)).collect(engine="streaming").get_column(_KEY)
    ascends = is_number and (values.slice(1) > values.head(-1)).all()  # as the keys of a source often do
    return bool(ascends) or values.n_unique() == len(values)


def _has_one_hash(dtype: pl.DataType) -> bool:
    """Equal values of the type have equal hashes, as those of floats (``-0.0``) or of nested values need not."""
    return dtype.is_integer() or dtype.is_decimal() or dtype.is_temporal() or isinstance(dtype, _HASHED)


def _run_sql(
    rules: Sequence[DatasetRule], audit: Path, links: Mapping[str, pl.LazyFrame], context: RunContext, folder: Path
) -> dict[str, object]:
    """The value of each rule's query over the staged rows and the links that the rules read."""
    tables = {"source": audit}
    for name in dict.fromkeys(name for rule in rules for name in rule.links):
        path = folder / f"link-{len(tables)}.parquet"
        links[name].sink_parquet(path)
        tables[name] = path
    return run_queries(tables, {rule.name: rule.sql for rule in rules}, context.as_of)


def _sql_result(rule: DatasetRule, value: object) -> DatasetRuleResult:
    if value is NOT_ONE_VALUE:
        return _result(rule, None, False, "did not return one row with one value")
    if value is None:
        return _result(rule, None, False, "returned NULL")
    if rule.is_bounded:
        return _bounded(rule, value)
    if isinstance(value, bool):
        return _result(rule, value, value, "" if value else "returned FALSE")
    return _result(rule, value, False, "returned no boolean and has no bound (`must_be_...`)")


def _bounded(rule: DatasetRule, value: object) -> DatasetRuleResult:
    """Compare exactly: numbers as decimals, so that 0.1 in the contract is 0.1."""
    number = _decimal(value)
    if number is None:
        return _result(rule, value, False, "is not a number")
    for words, bound, holds in _BOUNDS:
        limit = _decimal(getattr(rule, bound))
        if limit is not None and not holds(number, limit):
            return _result(rule, value, False, f"{value} is {words} {limit}")
    return _result(rule, value, True, "")


_BOUNDS: tuple[tuple[str, str, Callable[[Decimal, Decimal], bool]], ...] = (
    ("below the minimum", "minimum", operator.ge),
    ("above the maximum", "maximum", operator.le),
    ("not greater than", "greater_than", operator.gt),
    ("not less than", "less_than", operator.lt),
)
"""Words for a broken bound, its name on the rule, and the comparison that must hold."""


def _decimal(value: object) -> Decimal | None:
    if value is None or isinstance(value, bool):
        return None
    try:
        number = Decimal(repr(value) if isinstance(value, float) else str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _result(rule: DatasetRule, value: object, passed: bool, reason: str) -> DatasetRuleResult:
    text = None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return DatasetRuleResult(rule=rule.name, severity=rule.severity, passed=passed, value=text, reason=reason)
