"""Lower: one operation of the vocabulary becomes relational operations with typed expressions.

Every operation needs the rows before it (:class:`Scope`) and gives the relations, the rows after it and a title for
people (:class:`Lowered`). What is wrong goes to the scope's findings. Meaning: transformations, the table.
"""

from __future__ import annotations

from etlgen import contract, problems
from etlgen.lower.bands import lower_bucket, lower_date_diff
from etlgen.lower.columns import lower_cast, lower_drop, lower_rename, lower_select
from etlgen.lower.groups import lower_rollup
from etlgen.lower.references import lower_join, lower_lookup
from etlgen.lower.rows import lower_deduplicate, lower_filter
from etlgen.lower.scope import Lowered, Scope
from etlgen.lower.texts import lower_lower, lower_trim, lower_upper
from etlgen.lower.values import lower_coalesce, lower_derive, lower_map_values

__all__ = ["Lowered", "Scope", "lower"]


def lower(scope: Scope) -> Lowered | None:
    """Lower the scope's operation; ``None`` when it has errors (they are in the scope's findings)."""
    match scope.operation.body:
        case contract.Select() as body:
            return lower_select(scope, body)
        case contract.Drop() as body:
            return lower_drop(scope, body)
        case contract.Rename() as body:
            return lower_rename(scope, body)
        case contract.CastTo() as body:
            return lower_cast(scope, body)
        case contract.Derive() as body:
            return lower_derive(scope, body)
        case contract.Coalesce() as body:
            return lower_coalesce(scope, body)
        case contract.MapValues() as body:
            return lower_map_values(scope, body)
        case contract.Trim() as body:
            return lower_trim(scope, body)
        case contract.Lower() as body:
            return lower_lower(scope, body)
        case contract.Upper() as body:
            return lower_upper(scope, body)
        case contract.Filter() as body:
            return lower_filter(scope, body)
        case contract.Deduplicate() as body:
            return lower_deduplicate(scope, body)
        case contract.Bucket() as body:
            return lower_bucket(scope, body)
        case contract.DateDiff() as body:
            return lower_date_diff(scope, body)
        case contract.Lookup() as body:
            return lower_lookup(scope, body)
        case contract.Join() as body:
            return lower_join(scope, body)
        case contract.Rollup() as body:
            return lower_rollup(scope, body)
        case contract.Unsupported():
            scope.findings.add(problems.unsupported_operation(scope.operation))
            return None
