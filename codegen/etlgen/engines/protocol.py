"""What an engine's generator provides, and how it is found: by the name of its folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.expr import Expr
from etlgen.nearest import nearest_name
from etlgen.plan import Plan
from etlgen.python_source.names import ContractNames
from etlgen_runtime.engine import ENGINES


@dataclass(frozen=True, slots=True)
class Refusal:
    """A node of an expression that an engine cannot compute exactly, and why, in a sentence."""

    part: Expr
    reason: str


class EngineGenerator(Protocol):
    """The generating half of one engine.

    It implements the relational operations of ``etlgen.plan`` and the expressions of ``etlgen.expr``, and knows nothing of the
    vocabulary of contracts. It imports no engine library: it writes text.
    """

    @property
    def name(self) -> str:
        """The engine's name in configuration and profiles, and the stem of ``<name>_steps.py``."""
        ...

    @property
    def reserved_names(self) -> frozenset[str]:
        """Names that its steps modules import, define and use, which no parameter, constant or model may hide."""
        ...

    def refusals(self, expr: Expr) -> Iterable[Refusal]:
        """What of ``expr`` the engine cannot compute exactly; nothing when it can compute all of it."""
        ...

    def steps_module(self, plan: Plan, names: ContractNames) -> str:
        """The body of ``<name>_steps.py``: imports, one function per section, predicates, ``STEPS``; unformatted."""
        ...


def load_generator(name: str) -> EngineGenerator:
    """The generator of the engine ``name``.

    Raises:
        ContractError: PMPLAN101, there is no such engine.
    """
    if name not in ENGINES:
        raise ContractError((unknown_engine(name),))
    return cast("EngineGenerator", import_module(f"etlgen.engines.{name}.generator").GENERATOR)


def reserved_names() -> frozenset[str]:
    """Those of all engines, so that names in a package do not depend on the engines of a project."""
    return frozenset(name for engine in ENGINES for name in load_generator(engine).reserved_names)


def unknown_engine(name: str) -> Diagnostic:
    """PMPLAN101, with the engines there are."""
    return Diagnostic(
        "PMPLAN101",
        f"unknown engine `{name}`",
        expected=f"one of {', '.join(ENGINES)}",
        nearest=nearest_name(name, ENGINES),
        help="`etlgen engines` shows what each of them computes",
    )
