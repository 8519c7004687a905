"""Which columns may hold a value that did not fit, operation by operation, and which others depend on them.

A row with such a value is known to be bad. What removes rows (filter, inner join, deduplicate) must keep it where it judges by that
value, so that it reaches the quarantine (semantics, section 1: remembered, not lost).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from etlgen.contract import Contract
from etlgen.expr import columns_read
from etlgen.plan import AggregateRows, Assign, CastColumns, JoinLink, Plan, Relation, RenameColumns, Section
from etlgen_runtime.types import STRING, Kind


class UnfitValues:
    """What is known before one operation; at first, before the first one of ``section``.

    Good rows enter step 6, in which every value fits. The values of a typed source are judged as they are read: dates and
    timestamps of Parquet files, all values of JSON files (casts, From other types).
    """

    def __init__(self, plan: Plan, section: Section) -> None:
        judged = _judged_as_read(plan) if section.phase == "pre" else ()
        self._behind = {name: frozenset({name}) for name in judged}

    def behind(self, names: Iterable[str]) -> tuple[str, ...]:
        """The columns that may hold an unfit value on which one of ``names`` depends, by name."""
        return tuple(sorted(frozenset[str]().union(*(self._behind.get(name, frozenset()) for name in names))))

    def pass_through(self, relation: Relation) -> None:
        """Go on to what is known after ``relation``."""
        match relation:
            case Assign(columns=columns, checked=checked):
                made = {name: self._after(name, columns_read(expr), own=checked) for name, expr in columns}
            case CastColumns(columns=columns):
                made = {name: self._after(name, (name,), own=True) for name, *_ in columns}
            case RenameColumns(mapping=mapping):
                self._behind = _renamed(self._behind, dict(mapping))
                return
            case JoinLink(on=on, fields=fields):
                made = {output: self._after(output, (on,), own=False) for _, output, _, _ in fields}
            case AggregateRows(aggregations=aggregations):
                made = {name: self._after(name, columns_read(expr), own=True) for name, expr in aggregations}
            case _:
                made = {}
        self._behind |= made

    def _after(self, name: str, reads: Iterable[str], *, own: bool) -> frozenset[str]:
        """Behind a column that is written: what it is computed from, and itself where its value may not fit."""
        kept = own or name in self._behind.get(name, frozenset())
        own_name = (name,) if kept else ()
        return frozenset((*self.behind(reads), *own_name))


def _renamed(behind: Mapping[str, frozenset[str]], names: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The same columns under their new names; what did not fit is known by the new name, too."""
    return {names.get(name, name): frozenset(names.get(one, one) for one in unfit) for name, unfit in behind.items()}


def _judged_as_read(plan: Plan) -> Iterator[str]:
    of_parquet = _reads_parquet(plan.contract)
    for column in plan.source.columns:
        is_moment = column.type.is_temporal or column.type.kind is Kind.UNKNOWN
        if is_moment or (column.type != STRING and not of_parquet):
            yield column.name


def _reads_parquet(contract: Contract) -> bool:
    """Whether that is known; a source may be known by its files only, at run time."""
    source = contract.source
    if source is None or source.format is not None:
        return source is not None and source.format == "parquet"
    return any(name.lower().endswith(".parquet") for name in (source.path or "", source.pattern or ""))
