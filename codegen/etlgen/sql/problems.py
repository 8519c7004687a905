"""Diagnostics of the SQL stage: constructors that take facts (codes: ``etlgen.diagnostics.codes.sql``, ``typ``, ``sec``)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from etlgen.diagnostics.model import Diagnostic, Position, Severity
from etlgen.nearest import nearest_name
from etlgen.patterns import PatternError
from etlgen.spelling import code, codes, one_of, sql_text, with_article
from etlgen.sql.functions import Function

_SHOWN_COLUMNS = 12
_DECLARE = "declare it in `etlgen.source_fields`"


# --- names ------------------------------------------------------------------------------------------------------------


def unknown_column(
    name: str, available: Sequence[str], nearest: str, at: Position, *, where: str = "", quoted: bool = False
) -> Diagnostic:
    """SQL-001: no column of that name, or, in an open schema, almost a known one. ``quoted``: in double quotes in the SQL."""
    known = tuple(dict.fromkeys(available))
    shown = codes(known[:_SHOWN_COLUMNS]) + (", …" if len(known) > _SHOWN_COLUMNS else "")
    return Diagnostic(
        "SQL-001",
        f"unknown column {code(name)}{where}",
        at,
        label="not a column here",
        expected=f"one of {shown}" if available else "a column",
        nearest=nearest,
        help=_text_in_double_quotes(name)
        if quoted
        else "correct the name; a source column of that name is declared in `model.fields` or `etlgen.source_fields`",
    )


def unknown_link_column(name: str, available: Sequence[str], nearest: str, at: Position, *, where: str) -> Diagnostic:
    """SQL-001: reference data have no column of that name."""
    fix = "correct the name; a column of that name is declared for the link in `etlgen.link_fields`"
    return replace(unknown_column(name, available, nearest, at, where=where), help=fix)


def undeclared_column(name: str, at: Position, *, quoted: bool = False) -> Diagnostic:
    """SQL-010: a name taken as an undeclared source column. ``quoted``: in double quotes in the SQL."""
    return Diagnostic(
        "SQL-010",
        f"{code(name)} is not declared; it is taken as a column of the source",
        at,
        Severity.WARNING,
        label="undeclared",
        help=_text_in_double_quotes(name) if quoted else "declare it in `model.fields` or `etlgen.source_fields`",
    )


def _text_in_double_quotes(name: str) -> str:
    """The likelier fix for an unknown name in double quotes."""
    return f"double quotes make it a column: text takes single quotes, {code(sql_text(name))}"


def unknown_table(name: str, tables: Sequence[str], at: Position) -> Diagnostic:
    """SQL-013: a table, or the qualifier of a column, that is not there."""
    return Diagnostic(
        "SQL-013",
        f"unknown table {code(name)}",
        at,
        label="not a table here",
        expected=one_of(tables),
        nearest=nearest_name(name, tables),
        help="`source` is the data of the contract; other tables are declared under `links`",
    )


def unqualified_column(name: str, tables: Sequence[str], at: Position) -> Diagnostic:
    """SQL-014: several tables, and a name that none, or more than one, is known to have."""
    return Diagnostic(
        "SQL-014",
        f"{code(name)} must say which table it belongs to",
        at,
        label="which table?",
        expected=one_of(f"{table}.{name}" for table in tables),
        help="write the table before the name",
    )


def declare_link_types(link: str) -> str:
    """The fix where a column has no other type than text because its link declares none."""
    return f"declare the columns of link {code(link)} with their types under `extensions: etlgen.link_fields`"


# --- what is not SQL, or not supported --------------------------------------------------------------------------------


def unreadable(reason: str, at: Position) -> Diagnostic:
    """SQL-002: the text is not SQL."""
    return Diagnostic(
        "SQL-002",
        f"the SQL cannot be read: {reason}",
        at,
        label="here",
        expected="SQL in the DuckDB dialect",
        help="correct the SQL",
    )


def not_one_expression(at: Position) -> Diagnostic:
    """SQL-002: nothing, or several statements."""
    return Diagnostic("SQL-002", "the SQL is empty", at, label="here", expected="one expression", help="write the SQL")


def unsupported_function(name: str, known: Iterable[str], at: Position) -> Diagnostic:
    """SQL-003: a function outside the table."""
    return Diagnostic(
        "SQL-003",
        f"function {code(name)} is not supported",
        at,
        label="not in the list of functions",
        expected="a function of docs/sql.md",
        nearest=nearest_name(name, known),
        help="write it with the functions listed there",
    )


def many_rows_function(name: str, at: Position) -> Diagnostic:
    """SQL-004: an aggregate or window function where one row is looked at."""
    return Diagnostic(
        "SQL-004",
        f"{code(name)} looks at many rows, but this expression is computed for each row alone",
        at,
        label="aggregate or window function",
        expected="an expression over the columns of one row",
        help="put it into a dataset rule (`quality.dataset_rules`)",
    )


def subquery(at: Position) -> Diagnostic:
    """SQL-005: a query inside an expression."""
    return Diagnostic(
        "SQL-005",
        "a query inside an expression is not supported by this version",
        at,
        label="subquery",
        expected="an expression over the columns of one row",
        help="bring the value in with `lookup` or `join` first",
    )


def unsupported_syntax(what: str, at: Position, *, help: str = "") -> Diagnostic:
    """SQL-006: an operator or form outside the table."""
    return Diagnostic(
        "SQL-006",
        f"{what} is not supported",
        at,
        label="not supported",
        expected="the operators and functions of docs/sql.md",
        help=help or "write it with the operators and functions listed there",
    )


def wrong_argument_count(function: Function, written: str, found: int, at: Position) -> Diagnostic:
    """SQL-007: too few or too many arguments."""
    least, most = function.least_arguments, function.most_arguments
    wanted = f"{least} or more" if most is None else (str(least) if least == most else f"{least} to {most}")
    names = ", ".join(f"[{one.name}]" if one.optional else one.name for one in function.parameters)
    return Diagnostic(
        "SQL-007",
        f"{code(written)} has {found} argument{'' if found == 1 else 's'}",
        at,
        label=f"takes {wanted}",
        expected=f"`{written}({names})`",
        help="correct the arguments",
    )


def wrong_literal(what: str, found: str, expected: str, at: Position, *, nearest: str = "") -> Diagnostic:
    """SQL-008: an argument that must be a literal of a closed form."""
    return Diagnostic(
        "SQL-008",
        f"{what} is {found}",
        at,
        label=f"must be {expected}",
        expected=expected,
        nearest=nearest,
        help="write it as a literal of that form",
    )


def refused_pattern(pattern: str, error: PatternError, at: Position) -> Diagnostic:
    """SQL-009: a regular expression that the engines do not read alike."""
    return Diagnostic(
        "SQL-009",
        f"pattern {code(pattern)} is not portable: {error.what}",
        at,
        label=f"character {error.position + 1} of the pattern",
        expected="literals, classes, groups, alternation, repeats up to 1000, anchors, flags i, m, s",
        help=error.fix or "write it with those",
    )


def not_deterministic(name: str, reason: str, at: Position) -> Diagnostic:
    """SQL-012: a function whose result its arguments do not fix."""
    return Diagnostic(
        "SQL-012",
        f"{code(name)} is refused: {reason}",
        at,
        label="not deterministic",
        expected="a function whose value follows from the row",
        help="a run must give the same result again; use the columns, `current_date` or `current_timestamp`",
    )


def refused(what: str, reason: str, at: Position) -> Diagnostic:
    """SEC-001: SQL that could reach beyond the tables of the contract."""
    return Diagnostic(
        "SEC-001",
        f"{what} is refused: {reason}",
        at,
        label="refused",
        expected="one expression or SELECT over `source` and the links",
        help="remove it; data of other places comes in through `links`",
    )


# --- groups of rows ---------------------------------------------------------------------------------------------------


def not_grouped(name: str, group_by: Sequence[str], at: Position) -> Diagnostic:
    """SQL-018: a column that has many values in a group, outside any aggregate."""
    grouped = f"`group_by` holds {codes(group_by)}" if group_by else "there is no `group_by`"
    return Diagnostic(
        "SQL-018",
        f"{code(name)} has many values in a group: {grouped}",
        at,
        label="neither grouped nor aggregated",
        expected="an aggregate of it, or a column of `group_by`",
        help=f"aggregate it (`max({name})`), or add it to `group_by`",
    )


def no_aggregate(at: Position) -> Diagnostic:
    """SQL-018: an aggregation without any aggregate."""
    return Diagnostic(
        "SQL-018",
        "the aggregation holds no aggregate",
        at,
        label="nothing is aggregated",
        expected="an expression over `count`, `sum`, `avg`, `min` or `max`",
        help="aggregate a column; columns of `group_by` are kept anyway",
    )


def nested_aggregate(name: str, at: Position) -> Diagnostic:
    """SQL-019: an aggregate inside another one."""
    return Diagnostic(
        "SQL-019",
        f"{code(name)} stands inside another aggregate",
        at,
        label="aggregate inside an aggregate",
        expected="an expression over the columns of one row",
        help="aggregate twice: a rollup to the finer groups, then another one",
    )


def unsupported_aggregate(name: str, known: Iterable[str], at: Position, help: str = "") -> Diagnostic:
    """SQL-003: an aggregate that a rollup does not know."""
    return Diagnostic(
        "SQL-003",
        f"{code(name)} is not supported in a rollup",
        at,
        label="not among the aggregates of a rollup",
        expected=one_of(known),
        help=help or "write it with these",
    )


# --- types ------------------------------------------------------------------------------------------------------------


def operand_types(what: str, types: Sequence[str], at: Position, help: str) -> Diagnostic:
    """TYP-001: an operator between types that it does not take."""
    return Diagnostic(
        "TYP-001",
        f"{what} does not take {' and '.join(types)}",
        at,
        label=" and ".join(types),
        expected="operands of types that go together",
        help=help,
    )


def unfit_literal(value: str, type_: str, at: Position) -> Diagnostic:
    """TYP-002: a text literal beside a typed value which it does not spell."""
    return Diagnostic(
        "TYP-002",
        f"{code(value)} does not read as {type_}",
        at,
        label=f"compared or combined with {with_article(type_)}",
        expected=f"text that reads as {type_} by the cast table",
        help="correct the literal",
    )


def not_boolean(what: str, type_: str, at: Position) -> Diagnostic:
    """TYP-003: a condition that is not boolean."""
    return Diagnostic(
        "TYP-003",
        f"{what} is {type_}, not boolean",
        at,
        label=type_,
        expected="a boolean expression",
        help="compare it with something (`x > 0`, `x IS NOT NULL`)",
    )


def argument_type(function: str, parameter: str, found: str, expected: str, at: Position, help: str) -> Diagnostic:
    """TYP-004: an argument of another type than the function takes."""
    return Diagnostic(
        "TYP-004",
        f"argument `{parameter}` of {code(function)} is {found}",
        at,
        label=f"needs {expected}",
        expected=expected,
        help=help,
    )


def no_common_type(what: str, types: Sequence[str], at: Position) -> Diagnostic:
    """TYP-005: branches of types that have none in common."""
    return Diagnostic(
        "TYP-005",
        f"the values of {what} have no common type: {', '.join(types)}",
        at,
        label=", ".join(types),
        expected="values of one type",
        help="cast them to one type (`CAST(x AS VARCHAR)`)",
    )


def undeclared_text(name: str, used_as: str, at: Position) -> Diagnostic:
    """TYP-006: an undeclared column of a text source used as something else."""
    return Diagnostic(
        "TYP-006",
        f"{code(name)} is not declared, so it is text, and it is used as {used_as}",
        at,
        label="text",
        expected=used_as,
        help=f"{_DECLARE} with its type, or cast it in phase pre",
    )


def not_numeric(type_: str, at: Position) -> Diagnostic:
    """TYP-007: `must_be_*` on a value that is no number."""
    return Diagnostic(
        "TYP-007",
        f"`must_be_*` bounds the value of this expression, which is {type_}",
        at,
        label=type_,
        expected="a numeric expression",
        help="make it a number, or state the condition in the SQL itself",
    )


def too_many_decimals(scale: int, at: Position) -> Diagnostic:
    """TYP-008: a product with more decimals than a decimal holds."""
    return Diagnostic(
        "TYP-008",
        f"the product has {scale} decimals; a decimal holds 38",
        at,
        label=f"scale {scale}",
        expected="scales that add up to 38 at most",
        help="round or cast an operand to fewer decimals first",
    )


def hopeless_cast(from_: str, to: str, at: Position, help: str) -> Diagnostic:
    """TYP-009: a cast between types of which no value fits."""
    return Diagnostic(
        "TYP-009",
        f"no {from_} casts to {to}",
        at,
        label=f"always NULL as {to}",
        expected="a cast of the cast table",
        help=help or "compute the value with functions instead",
    )


# --- warnings ---------------------------------------------------------------------------------------------------------


def lossy_date_cast(from_: str, at: Position) -> Diagnostic:
    """SQL-011: a timestamp cast to a date is NULL unless it is midnight."""
    return Diagnostic(
        "SQL-011",
        f"a cast keeps the value or gives NULL: {with_article(from_)} becomes a date only at midnight",
        at,
        Severity.WARNING,
        label="NULL at any other time of day",
        help="for the day it lies in write `CAST(date_trunc('day', x) AS DATE)`",
    )


def unfit_cast(value: str, type_: str, at: Position) -> Diagnostic:
    """SQL-017: a cast of a literal that does not fit, so it is always NULL."""
    return Diagnostic(
        "SQL-017",
        f"the cast of {code(value)} to {type_} is always NULL",
        at,
        Severity.WARNING,
        label=f"does not read as {type_}",
        help="correct the literal, or write NULL",
    )


def comparison_with_null(sign: str, value: str, at: Position) -> Diagnostic:
    """SQL-020: a comparison with NULL, which is NULL for every row."""
    tests = {"=": f"{value} IS NULL", "<>": f"{value} IS NOT NULL"}
    return Diagnostic(
        "SQL-020",
        "`BETWEEN` with NULL is never true"
        if sign == "BETWEEN"
        else f"`{sign} NULL` is NULL for every row, never true",
        at,
        Severity.WARNING,
        label="compares with NULL",
        help=f"write {code(tests[sign])}" if sign in tests else "compare with a value; `IS NULL` tests for NULL",
    )


def null_in_list(value: str, negated: bool, at: Position) -> Diagnostic:
    """SQL-020: NULL in the list of IN, where it matches nothing and makes every miss NULL."""
    outcome = "never true" if negated else "NULL instead of FALSE for a value that is not listed"
    wanted = f"{value} IS NOT NULL" if negated else f"OR {value} IS NULL"
    return Diagnostic(
        "SQL-020",
        f"with NULL in its list {'`NOT IN`' if negated else '`IN`'} is {outcome}",
        at,
        Severity.WARNING,
        label="NULL in the list",
        help=f"take NULL out of the list; {code(wanted)} says what rows without a value mean",
    )


def inexact_equality(function: str, at: Position) -> Diagnostic:
    """SQL-016: equality on a double that engines compute differently in the last bits."""
    return Diagnostic(
        "SQL-016",
        f"equality on the result of {code(function)}, whose last bits may differ between engines",
        at,
        Severity.WARNING,
        label="compares doubles for equality",
        help="round both sides, or compare with a tolerance",
    )


# --- dataset rules ----------------------------------------------------------------------------------------------------


def not_one_value(found: str, at: Position) -> Diagnostic:
    """SQL-015: a dataset rule that does not give one value."""
    return Diagnostic(
        "SQL-015",
        f"a dataset rule gives one value, this gives {found}",
        at,
        label=found,
        expected="one aggregate expression, or a SELECT of one column and one row",
        help="aggregate it (`count(*)`, `bool_and(...)`)",
    )
