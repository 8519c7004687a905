"""What a dataset query may be made of: node classes, clauses and functions. Everything else is refused."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import Diagnostic
from etlgen.patterns import PatternError, parse_pattern
from etlgen.sql import problems
from etlgen.sql.aggregates import AGGREGATES, ORDERED_AGGREGATES, WINDOW_FUNCTIONS
from etlgen.sql.calls import KNOWN_FUNCTIONS
from etlgen.sql.handlers import HANDLERS
from etlgen.sql.refusals import NON_DETERMINISTIC, UNSAFE
from etlgen.sql.source import SqlSource
from etlgen.sql.sql_types import cast_target

ALLOWED_FUNCTIONS = KNOWN_FUNCTIONS | AGGREGATES | WINDOW_FUNCTIONS
"""Lower-case names of the functions of dataset rules."""

_ORDERED_WINDOWS = WINDOW_FUNCTIONS - {"rank", "dense_rank", "percent_rank", "cume_dist"}
_PATTERN_FUNCTIONS = frozenset({"regexp_matches", "regexp_extract", "regexp_replace", "regexp_full_match"})
_TEXT_PATTERNS = (exp.RegexpLike, exp.SimilarTo)

# Clauses by class: the arguments that may be set. sqlglot hangs samples, pivots, locks and time travel on these.
_CLAUSES: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: frozenset(
        "expressions from_ joins where group having qualify windows order limit offset distinct with_".split()  # noqa: SIM905
    ),
    exp.Table: frozenset({"this", "alias"}),
    exp.Subquery: frozenset({"this", "alias"}),
    exp.Join: frozenset({"this", "on", "using", "side", "kind"}),
    exp.Union: frozenset({"this", "expression", "distinct", "by_name", "order", "limit", "offset", "with_"}),
    exp.Except: frozenset({"this", "expression", "distinct", "order", "limit", "offset", "with_"}),
    exp.Intersect: frozenset({"this", "expression", "distinct", "order", "limit", "offset", "with_"}),
    exp.With: frozenset({"expressions"}),
    exp.CTE: frozenset({"this", "alias"}),
    exp.Star: frozenset(),
    exp.Limit: frozenset({"expression"}),
    exp.Offset: frozenset({"expression"}),
    exp.Distinct: frozenset({"expressions"}),
    exp.Group: frozenset({"expressions", "all"}),
}

_PARTS: tuple[type[exp.Expr], ...] = (
    exp.From,
    exp.Where,
    exp.Having,
    exp.Qualify,
    exp.Order,
    exp.Ordered,
    exp.TableAlias,
    exp.Identifier,
    exp.Alias,
    exp.Window,
    exp.WindowSpec,
    exp.Filter,
    exp.WithinGroup,
    exp.DataType,
    exp.DataTypeParam,
    exp.Var,
    exp.Interval,
    exp.Exists,
    exp.Tuple,
)

_ALLOWED = tuple(kind for kind in dict.fromkeys((*_CLAUSES, *_PARTS, *HANDLERS)) if kind is not exp.Query)
_JOIN_KINDS = ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI")
_DOING = "one SELECT over `source` and the links is all a dataset rule may do"


def check_nodes(query: exp.Query, place: SqlSource, findings: Findings) -> None:
    """Every node of ``query``: reports SEC-001, SQL-003, SQL-006, SQL-009, SQL-012."""
    for node in query.walk():
        finding = next(_faults(node, place), None)
        if finding is not None:
            findings.add(finding)


def _faults(node: exp.Expr, place: SqlSource) -> Iterator[Diagnostic]:
    if isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        name = node.this.name or type(node.this).__name__
        yield problems.refused(f"table function `{name}`", _DOING, place.at(node))
    elif isinstance(node, exp.Unnest):
        yield problems.refused("table function `unnest`", _DOING, place.at(node))
    elif isinstance(node, exp.Query) and isinstance(node.parent, exp.Anonymous):
        yield problems.unsupported_syntax("a query without parentheses as an argument", place.at(node))
    elif isinstance(node, exp.Anonymous):
        yield from _function_faults(node, place)
    elif not isinstance(node, _ALLOWED):
        what = node.sql("duckdb")
        yield problems.unsupported_syntax(f"`{what}`" if len(what) <= 40 else node.key.upper(), place.at(node))
    yield from _clause_faults(node, place)
    yield from _order_faults(node, place)
    if isinstance(node, exp.Cast) and cast_target(node.to) is None:
        yield problems.unsupported_syntax(f"a cast to `{node.to.sql('duckdb')}`", place.at(node))
    if isinstance(node, _TEXT_PATTERNS):
        yield from _pattern_faults(node.expression, place)


def _function_faults(node: exp.Anonymous, place: SqlSource) -> Iterator[Diagnostic]:
    written = str(node.this)
    name = written.lower()
    at = place.name_of(node, written)
    if isinstance(node.parent, exp.Table):
        return
    if name in UNSAFE:
        reason = "it reaches files, settings or the catalog, or runs SQL made at run time"
        yield problems.refused(f"function `{written}`", reason, at)
    elif name in NON_DETERMINISTIC:
        yield problems.not_deterministic(written, NON_DETERMINISTIC[name], at)
    elif name not in ALLOWED_FUNCTIONS:
        yield problems.unsupported_function(written, sorted(ALLOWED_FUNCTIONS), at)
    elif name in ORDERED_AGGREGATES and node.find(exp.Order) is None:
        yield problems.not_deterministic(
            written, "its value depends on the order of rows; write ORDER BY inside it", at
        )
    elif name in _PATTERN_FUNCTIONS and len(node.expressions) > 1:
        yield from _pattern_faults(node.expressions[1], place)


def _pattern_faults(pattern: exp.Expr, place: SqlSource) -> Iterator[Diagnostic]:
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        yield problems.wrong_literal("the pattern", "not a literal", "a text literal", place.at(pattern))
        return
    try:
        parse_pattern(str(pattern.this))
    except PatternError as error:
        at = place.inside_literal(pattern, error.position)
        yield problems.refused_pattern(str(pattern.this), error, at)


def _clause_faults(node: exp.Expr, place: SqlSource) -> Iterator[Diagnostic]:
    allowed = _CLAUSES.get(type(node))
    if allowed is None:
        return
    if isinstance(node, exp.Table) and (node.args.get("db") or node.args.get("catalog")):
        yield problems.refused(f"table `{node.sql('duckdb')}`", "tables are named without a schema", place.at(node))
        return
    for key, value in node.args.items():
        if key == "method" and isinstance(node, exp.Join):
            continue
        if value and key not in allowed:
            clause = key.rstrip("_").upper()
            yield problems.unsupported_syntax(f"{clause} in this place", place.at(node))
    if isinstance(node, exp.Join) and (node.method or node.kind not in _JOIN_KINDS):
        words = f"{node.method} {node.kind}".strip()
        yield problems.unsupported_syntax(f"{words} JOIN", place.at(node))


def _order_faults(node: exp.Expr, place: SqlSource) -> Iterator[Diagnostic]:
    """Row order carries no meaning (semantics, section 7), so what takes some of the rows must say which."""
    unordered = "which rows it takes is not defined without ORDER BY"
    if isinstance(node, exp.Limit | exp.Offset) and node.parent is not None and not node.parent.args.get("order"):
        yield problems.not_deterministic(node.key.upper(), unordered, place.at(node))
    if isinstance(node, exp.Distinct) and node.args.get("on") is not None:
        yield problems.unsupported_syntax("DISTINCT ON", place.at(node))
    if isinstance(node, exp.Window) and isinstance(node.this, exp.Anonymous):
        name = str(node.this.this).lower()
        if name in _ORDERED_WINDOWS and not node.args.get("order") and not node.args.get("alias"):
            yield problems.not_deterministic(name, unordered, place.at(node.this))
