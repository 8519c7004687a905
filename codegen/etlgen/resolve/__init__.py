"""Resolve: a contract becomes the plan of its nine steps, with phases and reasons, schemas, checks and links.

First by name (``flows``, ``lineage``, ``phases``), then with types (``schemas``, ``operations``, ``row_checks``,
``dataset_checks``). Every error of a contract is reported at once. ``wiring`` looks at all
contracts of a project together.
"""

from __future__ import annotations

from etlgen.resolve.resolution import resolve
from etlgen.resolve.rest import errors_of_the_rest
from etlgen.resolve.wiring import wiring_problems

__all__ = ["errors_of_the_rest", "resolve", "wiring_problems"]
