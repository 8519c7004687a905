"""Dataset SQL: a rule over many rows, which DuckDB computes. The text is checked node by node before it may reach an engine.

Nothing passes that is not known here: one SELECT over `source` and the links, functions of the allow-list, no table function.
Names and functions are checked; types are DuckDB's (the values of a dataset rule are judged, not stored).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import OptimizeError

from etlgen.contract import Text
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Diagnostic
from etlgen.plan import Schema
from etlgen.spelling import folded
from etlgen.sql import problems
from etlgen.sql.aggregates import AGGREGATES
from etlgen.sql.allowlist import check_nodes
from etlgen.sql.dataset_types import check_types
from etlgen.sql.grammar import STATEMENT_REASON, STATEMENTS
from etlgen.sql.scope import ScopeChecker
from etlgen.sql.source import DATASET_NAME, SqlSource, Unreadable
from etlgen.sql.totality import totalized
from etlgen.sql.value_kinds import ValueKind, value_kind

SOURCE = "source"
_UNKNOWN: ValueKind = "unknown"


@dataclass(frozen=True, slots=True)
class ResolvedDataset:
    """A dataset rule as understood.

    Args:
        sql: One SELECT in the DuckDB dialect whose tables are `source` and link names; empty when there are errors.
        columns: Columns of `source` it reads, in their declared spelling (`*` reads all).
        undeclared: Those of them that the schema does not hold.
        links: Links it reads, in their declared spelling.
        value: ``boolean``, ``numeric``, ``text``, ``moment``, or ``unknown`` where only the engine can tell.
        diagnostics: Errors and warnings.
    """

    sql: str
    columns: frozenset[str]
    undeclared: frozenset[str]
    links: frozenset[str]
    value: ValueKind
    diagnostics: tuple[Diagnostic, ...]


def resolve_dataset_sql(
    sql: Text, source: Schema, links: Mapping[str, Schema | None], aliases: Sequence[str] = ()
) -> ResolvedDataset:
    """Check the SQL of a dataset rule (semantics, sections 3 and 5).

    Args:
        sql: A SELECT (or WITH), or one aggregate expression over `source`.
        source: Columns of the rows that the rule judges.
        links: Columns of every link; ``None`` where they are unknown at build.
        aliases: Further names of `source`: the contract's table name. ``{dataset}`` always is one.
    """
    place = SqlSource(sql)
    findings = Findings()
    checker = ScopeChecker(place, findings, SOURCE, source, links, (*aliases, DATASET_NAME))
    text, value = "", _UNKNOWN
    try:
        query = _query(place, findings)
        if query is not None:
            check_nodes(query, place, findings)
        if query is not None and not findings.errors:
            checker.check(query)
            check_types(query, place, source, checker.source_names, findings)
            _check_value(query, place, findings)
        if query is not None and not findings.errors:
            value = value_kind(query, source)
            text = totalized(query, source).sql(dialect="duckdb", comments=False, normalize_functions=False)
    except Unreadable as error:
        findings.add(error.finding)
    except OptimizeError:
        findings.add(problems.unreadable("a table name or alias is given twice", place.whole))
    except RecursionError:
        findings.add(place.too_deep().finding)
    return ResolvedDataset(text, checker.columns, checker.undeclared, checker.links, value, findings.all)


def _query(place: SqlSource, findings: Findings) -> exp.Query | None:
    """The query of the text; a bare expression becomes `SELECT <expression> FROM source`."""
    statements = place.statements()
    if not statements:
        findings.add(problems.not_one_expression(place.whole))
        return None
    node, *more = statements
    if more:
        findings.add(problems.refused("a second statement", "one SELECT is expected", place.at(more[0])))
        return None
    if isinstance(node, STATEMENTS):
        findings.add(problems.refused(f"`{place.first_word}`", STATEMENT_REASON, place.whole))
        return None
    while isinstance(node, exp.Subquery) and not node.alias:
        node = node.this
    if isinstance(node, exp.Query):
        return node
    return exp.select(node).from_(exp.to_table(SOURCE))


def _check_value(query: exp.Query, place: SqlSource, findings: Findings) -> None:
    """One column, and one row as far as the text shows it."""
    columns = query.selects
    if len(columns) != 1 or columns[0].is_star:
        found = "all columns" if len(columns) == 1 else f"{len(columns)} columns"
        findings.add(problems.not_one_value(found, place.at(query)))
    elif isinstance(query, exp.Select) and _is_one_per_row(query):
        findings.add(problems.not_one_value("one value per row", place.at(columns[0])))


def _is_one_per_row(query: exp.Select) -> bool:
    """A column of a table of the contract, selected as it is: no aggregate, grouping, filter or limit narrows it."""
    if any(query.args.get(clause) for clause in ("group", "limit", "where", "qualify", "having", "distinct", "with_")):
        return False
    from_ = query.args.get("from_")
    if not isinstance(from_, exp.From) or not isinstance(from_.this, exp.Table):
        return False
    value = query.selects[0]
    aggregates = (node for node in value.walk() if isinstance(node, exp.Anonymous) and folded(node.name) in AGGREGATES)
    return value.find(exp.Column) is not None and value.find(exp.Query) is None and next(aggregates, None) is None
