"""``polars_steps.py``: one function per section, the predicates of the rules, and ``STEPS``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from etlgen.engines.polars.expressions import emit_predicate
from etlgen.engines.polars.relations import emit_relation
from etlgen.plan import Plan, PlannedOperation, PlannedRowCheck, Section
from etlgen.python_source.literals import docstring_text, one_line, python_literal
from etlgen.python_source.names import ContractNames
from etlgen.unfit import UnfitValues
from etlgen_runtime.types import Kind

_HELPERS = (
    "WHITESPACE",
    "PolarsSteps",
    "RowLedger",
    "cast_columns",
    "deduplicate",
    "drop_columns",
    "fit",
    "join_link",
    "keep_columns",
    "keep_rows",
    "look_up",
    "rename_columns",
    "roll_up",
)
_TYPES = (*(kind.name for kind in Kind), "decimal")

IMPORTS: dict[str, str] = {
    "dt": "import datetime as dt",
    "Decimal": "from decimal import Decimal",
    "replace": "from dataclasses import replace",
    "pl": "import polars as pl",
    "fn": "from etlgen_runtime.engines.polars import functions as fn",
    **{name: f"from etlgen_runtime.engines.polars import {name}" for name in _HELPERS},
    **{name: f"from etlgen_runtime.types import {name}" for name in _TYPES},
}
"""Import line of each name that emitted code may use."""

_LOCAL_NAMES = frozenset(
    (
        "BOOKKEEPING",
        "LazyFrame",
        "STEPS",
        "frames",
        "functions",
        "link_filters",
        "polars",
        "post_predicates",
        "pre_predicates",
        "row_rules",
        "rows",
    )
)
RESERVED_NAMES = frozenset(IMPORTS) - {kind.name for kind in Kind} | _LOCAL_NAMES
"""Type names are left out: nothing else of a package is imported beside them."""


def steps_module(plan: Plan, names: ContractNames) -> str:
    """The module's text: only the imports that it uses."""
    about = f"``{docstring_text(plan.contract.name)}`` {docstring_text(plan.contract.version)}"
    prepare, enrich = (_step_function(plan, section, names) for section in (plan.pre, plan.post))
    body = "\n\n".join(
        (
            _definition(prepare, f"Step 2 of {about}."),
            _definition(enrich, f"Step 6 of {about}."),
            *_predicates(plan),
            _steps(plan, names, prepare, enrich),
        )
    )
    imports = [IMPORTS[name] for name in sorted(names_used(body)) if name in IMPORTS]
    classes = f"from .transformations import {names.enrich_class}, {names.prepare_class}"
    doc = f'"""Contract {about} on Polars: native steps and predicates."""'
    return "\n".join((doc, "", "from __future__ import annotations", "", *imports, classes, "", "", body, ""))


def names_used(body: str) -> set[str]:
    """Every name that the text reads; strings and comments do not count."""
    return {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}


@dataclass(frozen=True, slots=True)
class _StepFunction:
    """``prepare_orders`` or ``enrich_orders``: its name, its inputs, its method chain; whether it counts rows."""

    name: str
    inputs: tuple[str, ...]
    chain: tuple[str, ...]
    counts_rows: bool


def _step_function(plan: Plan, section: Section, names: ContractNames) -> _StepFunction:
    name = names.prepare_function if section.phase == "pre" else names.enrich_function
    links = (names.link(link).attribute for link in section_links(plan, section))
    unfit = UnfitValues(plan, section)
    chain = tuple(line for operation in section.operations for line in _operation(operation, names, unfit))
    used = names_used("(frame\n" + "\n".join(chain) + ")")
    return _StepFunction(name, (names.parameter, *links), chain, "rows" in used)


def _operation(operation: PlannedOperation, names: ContractNames, unfit: UnfitValues) -> list[str]:
    lines: list[str] = []
    for relation in operation.relations:
        lines += emit_relation(relation, operation.number, names, unfit)
        unfit.pass_through(relation)
    return [f"# {operation.number}. {one_line(operation.title)}", *lines]


def _definition(step: _StepFunction, doc: str) -> str:
    parameters = [f"{name}: pl.LazyFrame" for name in step.inputs]
    if step.counts_rows:
        parameters.append("rows: RowLedger")
    frame = step.inputs[0]
    body = ["    return (", f"        {frame}", *(f"        {line}" for line in step.chain), "    )"]
    return "\n".join(
        (
            f"def {step.name}({', '.join(parameters)}) -> pl.LazyFrame:",
            f'    """{doc}"""',
            *(body if step.chain else [f"    return {frame}"]),
            "",
        )
    )


def section_links(plan: Plan, section: Section) -> tuple[str, ...]:
    """Links that the operations of a section read, in the order of the contract."""
    used = {link for operation in section.operations for link in operation.links}
    return tuple(link.name for link in plan.links if link.name in used)


def _predicates(plan: Plan) -> Iterable[str]:
    for phase, step, checks in (("pre", 4, plan.pre_checks), ("post", 7, plan.post_checks)):
        entries = [(check.name, emit_predicate(check.predicate)) for check in checks if check.predicate is not None]
        if entries:
            yield _dictionary(f"{phase}_predicates", f"Step {step}: TRUE where the row passes.", entries)
    filters = [(link.name, emit_predicate(link.filter)) for link in plan.links if link.filter is not None]
    if filters:
        yield _dictionary("link_filters", "Which rows of each link count: TRUE keeps the row.", filters)


def _dictionary(name: str, doc: str, entries: Sequence[tuple[str, str]]) -> str:
    lines = [f"        {python_literal(key)}: {value}," for key, value in entries]
    return "\n".join((f"def {name}() -> dict[str, pl.Expr]:", f'    """{doc}"""', "    return {", *lines, "    }", ""))


def has_predicates(checks: Iterable[PlannedRowCheck]) -> bool:
    """Whether a phase has rules that the engine evaluates as expressions."""
    return any(check.predicate is not None for check in checks)


def _steps(plan: Plan, names: ContractNames, prepare: _StepFunction, enrich: _StepFunction) -> str:
    given = (
        ("pre_predicates", has_predicates(plan.pre_checks)),
        ("post_predicates", has_predicates(plan.post_checks)),
        ("link_filters", any(link.filter is not None for link in plan.links)),
    )
    return "\n".join(
        (
            "STEPS = PolarsSteps(",
            "    transform={",
            f"        {names.prepare_class}: {_call(prepare)},",
            f"        {names.enrich_class}: {_call(enrich)},",
            "    },",
            *(f"    {name}={name}," for name, present in given if present),
            ")",
        )
    )


def _call(step: _StepFunction) -> str:
    """``lambda frames, rows: enrich_orders(frames["orders"], frames["countries"], rows)``."""
    arguments = [f"frames[{python_literal(name)}]" for name in step.inputs]
    if step.counts_rows:
        arguments.append("rows")
    return f"lambda frames, rows: {step.name}({', '.join(arguments)})"
