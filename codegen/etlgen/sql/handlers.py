"""What each class of sqlglot node means: the handlers of all modules in one table."""

from __future__ import annotations

from sqlglot import exp

from etlgen.sql import calls, moments, operators
from etlgen.sql.resolver import Handler

HANDLERS: dict[type[exp.Expr], Handler] = {**operators.HANDLERS, **moments.HANDLERS, **calls.HANDLERS}
