"""Polars: the engine, and what generated ``polars_steps`` modules call."""

from __future__ import annotations

import polars as pl

from etlgen_runtime.diagnostics import Diagnostic, PlanError
from etlgen_runtime.engine import RunContext
from etlgen_runtime.engines.polars.deduplication import deduplicate
from etlgen_runtime.engines.polars.frame import BOOKKEEPING, dataset, frame_of, preview
from etlgen_runtime.engines.polars.ledger import SectionLedger as RowLedger
from etlgen_runtime.engines.polars.links import join_link, look_up
from etlgen_runtime.engines.polars.relations import (
    cast_columns,
    drop_columns,
    fit,
    keep_columns,
    keep_rows,
    rename_columns,
    roll_up,
)
from etlgen_runtime.engines.polars.run import PolarsRun
from etlgen_runtime.engines.polars.steps import PolarsSteps
from etlgen_runtime.text import WHITESPACE

__all__ = [
    "BOOKKEEPING",
    "ENGINE",
    "WHITESPACE",
    "PolarsEngine",
    "PolarsSteps",
    "RowLedger",
    "cast_columns",
    "dataset",
    "deduplicate",
    "drop_columns",
    "fit",
    "frame_of",
    "join_link",
    "keep_columns",
    "keep_rows",
    "look_up",
    "preview",
    "rename_columns",
    "roll_up",
]


class PolarsEngine:
    """Implements :class:`etlgen_runtime.engine.Engine`."""

    name = "polars"
    version = pl.__version__

    def open(self, context: RunContext, steps: object) -> PolarsRun:
        """Begin a run.

        Raises:
            PlanError: PMPLAN106, the generated module has no Polars steps.
        """
        if not isinstance(steps, PolarsSteps):
            raise PlanError(
                Diagnostic(code="PMPLAN106", message="the generated steps are not Polars steps", node="plan")
            )
        return PolarsRun(context, steps)


ENGINE = PolarsEngine()
