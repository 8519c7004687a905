"""The generating half of the Polars engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from etlgen.engines.polars import capabilities, steps
from etlgen.engines.protocol import EngineGenerator, Refusal
from etlgen.expr import Expr
from etlgen.plan import Plan
from etlgen.python_source.names import ContractNames


@dataclass(frozen=True, slots=True)
class PolarsGenerator:
    """Lazy frames, native expressions; see ``etlgen.engines.protocol``."""

    name: str = "polars"

    @property
    def reserved_names(self) -> frozenset[str]:
        return steps.RESERVED_NAMES

    def refusals(self, expr: Expr) -> Iterable[Refusal]:
        return capabilities.refusals(expr)

    def steps_module(self, plan: Plan, names: ContractNames) -> str:
        return steps.steps_module(plan, names)


GENERATOR: EngineGenerator = PolarsGenerator()
