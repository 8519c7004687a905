"""Dataset rules over what was staged: uniqueness and null ratio natively, SQL through DuckDB on the staged file."""

from __future__ import annotations

import importlib.util
import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import polars as pl

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.diagnostics import Diagnostic, ExecutionError, PlanError
from etlgen_runtime.engine import RunContext
from etlgen_runtime.report import DatasetRuleResult


def require_duckdb(rules: Sequence[DatasetRule]) -> None:
    """Refuse SQL dataset rules where DuckDB is not installed, before any row is read.

    Raises:
        PlanError: PMPLAN102, naming the install.
    """
    sql = next((rule for rule in rules if rule.kind == "sql"), None)
    if sql is not None and importlib.util.find_spec("duckdb") is None:
        raise PlanError(
            Diagnostic(
                code="PMPLAN102",
                message=f"dataset rule `{sql.name}` is SQL, which runs through DuckDB",
                node="dataset rules",
                rule=sql.name,
                help="pip install 'etlgen-runtime[duckdb]'",
            )
        )


def judge(
    rules: Sequence[DatasetRule], rows: int, audit: Path | None, links: Mapping[str, pl.LazyFrame], context: RunContext
) -> list[DatasetRuleResult]:
    """The outcome of each rule over ``rows`` rows, whose columns lie in the Parquet file ``audit``.

    Source: semantics, section 3, Dataset rules.
    """
    values: dict[str, object] = {}
    sql = [rule for rule in rules if rule.kind == "sql"]
    if sql and audit is not None:
        values |= _run_sql(sql, audit, links, context)
    results: list[DatasetRuleResult] = []
    for rule in rules:
        match rule.kind:
            case "row_count_between":
                results.append(_bounded(rule, rows))
            case "null_ratio":
                results.append(_bounded(rule, _null_ratio(rule, rows, audit)))
            case "unique":
                results.append(_unique(rule, audit))
            case "sql":
                results.append(_sql_result(rule, values[rule.name]))
    return results


def _null_ratio(rule: DatasetRule, rows: int, audit: Path | None) -> float:
    if rows == 0 or audit is None:
        return 0.0
    nulls = pl.scan_parquet(audit, glob=False).select(pl.col(rule.columns[0]).null_count()).collect().item()
    return float(nulls) / rows


def _unique(rule: DatasetRule, audit: Path | None) -> DatasetRuleResult:
    """No key without NULL occurs twice; keys compare column by column."""
    recurring = _recurring_keys(rule, audit) if audit is not None else 0
    reason = f"{recurring} key values of ({', '.join(rule.columns)}) occur more than once" if recurring else ""
    return DatasetRuleResult(
        rule=rule.name, severity=rule.severity, passed=recurring == 0, value=str(recurring), reason=reason
    )


def _recurring_keys(rule: DatasetRule, audit: Path) -> int:
    keys = pl.scan_parquet(audit, glob=False).select(rule.columns).drop_nulls()
    if len(rule.columns) == 1:
        column = pl.col(rule.columns[0])
        rows, distinct = keys.select(pl.len(), column.n_unique().alias("distinct")).collect(engine="in-memory").row(0)
    else:
        rows, distinct = keys.select(pl.len(), pl.struct(rule.columns).n_unique().alias("distinct")).collect().row(0)
    if rows == distinct:
        return 0
    recurring = keys.group_by(rule.columns).len().filter(pl.col("len") > 1).select(pl.len())
    return int(recurring.collect().item())


def _run_sql(
    rules: Sequence[DatasetRule], audit: Path, links: Mapping[str, pl.LazyFrame], context: RunContext
) -> dict[str, object]:
    """The single value of each query; DuckDB reads the staged Parquet files and nothing else."""
    import duckdb

    folder = audit.parent
    tables = {"source": audit}
    for name in dict.fromkeys(name for rule in rules for name in rule.links):
        path = folder / f"link-{len(tables)}.parquet"
        links[name].sink_parquet(path)
        tables[name] = path
    connection = duckdb.connect(":memory:")
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET allowed_directories = [{_quoted(str(folder.resolve()))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        connection.execute("SET VARIABLE as_of = CAST(? AS TIMESTAMPTZ)", [context.as_of.isoformat()])
        for name, path in tables.items():
            quoted = '"' + name.replace('"', '""') + '"'
            connection.execute(f"CREATE VIEW {quoted} AS SELECT * FROM read_parquet({_quoted(str(path.resolve()))})")
        return {rule.name: _single_value(connection, rule) for rule in rules}
    finally:
        connection.close()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _single_value(connection: Any, rule: DatasetRule) -> object:
    """``Any``: the connection of an optional engine library."""
    import duckdb

    try:
        rows = connection.execute(rule.sql).fetchmany(2)
    except duckdb.Error as error:
        raise ExecutionError(
            Diagnostic(
                code="PMEXEC107",
                message=f"dataset rule `{rule.name}` could not be computed ({type(error).__name__})",
                node="dataset rules",
                rule=rule.name,
                help="run the query by hand on the staged data; messages of the engine may hold values and are not shown",
            )
        ) from None
    if len(rows) == 1 and len(rows[0]) == 1:
        value: object = rows[0][0]
        return value
    return _NOT_ONE_VALUE


_NOT_ONE_VALUE = object()


def _sql_result(rule: DatasetRule, value: object) -> DatasetRuleResult:
    if value is _NOT_ONE_VALUE:
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
