"""What a generated ``polars_steps`` module offers to the runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from etlgen_runtime.datasets import Transformation
from etlgen_runtime.engines.polars.ledger import SectionLedger

Frames = Mapping[str, pl.LazyFrame]
"""Input frames of a transformation by input name."""

TransformStep = Callable[[Frames, SectionLedger], pl.LazyFrame]
Predicates = Callable[[], dict[str, pl.Expr]]


def no_predicates() -> dict[str, pl.Expr]:
    """A phase without row rules, or a contract without link filters."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolarsSteps:
    """Native steps of one contract.

    Args:
        transform: The native step of each transformation class.
        pre_predicates: Predicate by rule name, TRUE where the row passes; called inside the run, so that
            ``current_timestamp`` is the run's.
        post_predicates: The same for step 7.
        link_filters: Predicate by link name.
    """

    transform: Mapping[type[Transformation], TransformStep]
    pre_predicates: Predicates = no_predicates
    post_predicates: Predicates = no_predicates
    link_filters: Predicates = no_predicates
