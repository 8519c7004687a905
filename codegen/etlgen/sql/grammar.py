"""Parse SQL in the DuckDB dialect with sqlglot, keeping every function under the name its author wrote.

sqlglot folds functions of many dialects into its own classes and loses spellings. The dialect here knows no function at all
besides those with syntax of their own (CAST, EXTRACT, TRIM, ...), so a call arrives as ``exp.Anonymous`` with the name as
written and its position, and our table alone says what it means.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import ParseError, TokenError

_KEPT_SYNTAX = ("CAST", "TRY_CAST", "EXTRACT", "POSITION", "SUBSTRING", "TRIM")
_Parser = DuckDB.Parser


class ContractSql(DuckDB):
    """DuckDB's grammar without its function catalogue."""

    class Parser(_Parser):
        FUNCTIONS = {}
        FUNCTION_PARSERS = {name: parse for name, parse in _Parser.FUNCTION_PARSERS.items() if name in _KEPT_SYNTAX}
