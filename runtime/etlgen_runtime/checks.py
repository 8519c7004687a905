"""Rules as values: what is checked, in which phase, and how a failure is called. Engines compile them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

M = TypeVar("M")
P = TypeVar("P")

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRule:
    """One row check.

    Args:
        name: Unique in its contract; the ``rule`` of quarantined rows and reports.
        kind: ``required``, ``range``, ``sql``, ... (semantics, section 3).
        field: The field that it constrains, if it is about one.
        columns: Columns it reads; not evaluated for a row in which the cast of one of them failed.
        severity: ``error`` quarantines; ``warning`` and ``info`` are counted.
        nulls_pass: A NULL result passes (field constraints); for rules it fails.
        code: Stable ``PMDATA`` code.
        message: One sentence without values.
        sql: The predicate, for people.
        description: The author's words.
        link: Name of the link that ``referential_integrity`` looks into, else ``None``.
        link_key: Its key column.
    """

    name: str
    kind: str
    field: str | None = None
    columns: tuple[str, ...] = ()
    severity: Severity = "error"
    nulls_pass: bool = False
    code: str = "PMDATA120"
    message: str = ""
    sql: str = ""
    description: str = ""
    link: str | None = None
    link_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRule:
    """One rule over a whole dataset.

    Args:
        kind: ``unique`` (no tuple of ``columns`` without NULL recurs), ``null_ratio`` (of the one column, at most
            ``maximum``), ``row_count_between``, or ``sql``: one SELECT in the DuckDB dialect over ``source`` and the
            links, whose single value must be TRUE or within the bounds.
        minimum, maximum: Inclusive bounds.
        greater_than, less_than: Exclusive bounds.
        links: Names of the links that ``sql`` reads.
    """

    name: str
    kind: Literal["unique", "null_ratio", "row_count_between", "sql"]
    columns: tuple[str, ...] = ()
    severity: Severity = "error"
    sql: str = ""
    minimum: int | float | str | None = None
    maximum: int | float | str | None = None
    greater_than: int | float | str | None = None
    less_than: int | float | str | None = None
    links: tuple[str, ...] = ()
    description: str = ""

    @property
    def is_bounded(self) -> bool:
        """The value is compared with bounds; otherwise it must be TRUE."""
        return not (self.minimum is self.maximum is self.greater_than is self.less_than is None)


class Rules(Generic[M, P]):
    """The rules of one phase: ``rows`` judge each row, ``dataset`` the rows that passed.

    Rules of phase ``Pre`` over a dataset judge the good rows after step 5 (only where the contract says ``phase: pre``);
    those of ``Post`` the accepted rows after step 7.
    """

    __slots__ = ("dataset", "model", "phase", "rows")

    def __init__(
        self,
        model: type[M],
        phase: type[P],
        *,
        rows: tuple[RowRule, ...] = (),
        dataset: tuple[DatasetRule, ...] = (),
    ) -> None:
        self.model = model
        self.phase = phase
        self.rows = rows
        self.dataset = dataset
