"""Parse SQL in the DuckDB dialect with sqlglot, keeping every function under the name its author wrote.

sqlglot folds functions of many dialects into its own classes and loses spellings. The dialect here knows no function at all
besides those with syntax of their own (CAST, EXTRACT, TRIM, ...), so a call arrives as ``exp.Anonymous`` with the name as
written and its position, and our table alone says what it means.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.parsers.duckdb import DuckDBParser

_KEPT_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM")

# What sqlglot would log (a statement it reads only as a command) is a diagnostic here.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_Parse = Callable[..., Any]  # sqlglot leaves its parser tables untyped
_PARSERS: dict[str, _Parse] = DuckDBParser.FUNCTION_PARSERS  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]

STATEMENTS: tuple[type[exp.Expr], ...] = (
    exp.Alter,
    exp.Analyze,
    exp.Attach,
    exp.Cache,
    exp.Command,
    exp.Comment,
    exp.Commit,
    exp.Copy,
    exp.Create,
    exp.Delete,
    exp.Describe,
    exp.Detach,
    exp.Drop,
    exp.Execute,
    exp.Export,
    exp.Insert,
    exp.Install,
    exp.Kill,
    exp.LoadData,
    exp.Merge,
    exp.Pragma,
    exp.Rollback,
    exp.Set,
    exp.Show,
    exp.Summarize,
    exp.Transaction,
    exp.TruncateTable,
    exp.Uncache,
    exp.Update,
    exp.Use,
)
"""What is neither a query nor an expression. Whatever is missing here is refused as unsupported syntax."""

STATEMENT_WORDS = frozenset(
    {"EXPORT", "IMPORT", "COPY", "LOAD", "INSTALL", "CALL", "ATTACH", "PRAGMA", "SET", "VACUUM"}
)
"""First words of statements that sqlglot may not read at all."""

STATEMENT_REASON = "a contract holds expressions and SELECTs only"


def _typed_literal(parser: DuckDBParser, value: exp.Expr, written: exp.DataType) -> exp.Expr:
    """`DATE '2024-01-31'::TIMESTAMP` casts the date, as DuckDB; sqlglot alone would cast the text first."""
    literal = value
    while not isinstance(literal, exp.Literal) and isinstance(literal.this, exp.Expr):
        literal = literal.this
    typed = exp.Cast(this=literal.copy(), to=written)
    if literal is value:
        return typed
    literal.replace(typed)
    return value


class ContractSql(DuckDB):
    """DuckDB's grammar without its function catalogue."""

    class Parser(DuckDBParser):
        """The functions with syntax of their own are all that the grammar knows."""

        FUNCTIONS: ClassVar[dict[str, _Parse]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, _Parse]] = {name: _PARSERS[name] for name in _KEPT_SYNTAX}
        TYPE_CONVERTERS: ClassVar[dict[exp.DType, _Parse]] = {}  # a bare DECIMAL stays bare
        TYPE_LITERAL_PARSERS: ClassVar[dict[exp.DType, _Parse]] = dict.fromkeys(exp.DType, _typed_literal)
