"""All plans of a project to its generated files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from etlgen.diagnostics.model import ContractError, Diagnostic
from etlgen.emit.dependencies import in_dependency_order
from etlgen.emit.engine_support import unsupported
from etlgen.emit.formatting import formatted
from etlgen.emit.model_schema import models_of
from etlgen.emit.models import generate_models
from etlgen.emit.modules import contract_modules
from etlgen.emit.seal import sealed
from etlgen.emit.templates import render
from etlgen.engines import load_generator, reserved_names
from etlgen.plan import Plan
from etlgen.python_source.literals import docstring_text
from etlgen.python_source.names import contract_names, output_aliases, output_class, package_names
from etlgen_runtime.compat import VERSION
from etlgen_runtime.engine import ENGINES

Pipelines = tuple[tuple[str, str], ...]
"""Names of contracts and their sub-packages, in the order in which they run."""


def build_project(
    plans: Sequence[Plan],
    *,
    package: str,
    engines: tuple[str, ...] = ENGINES[:1],
    templates: Path | None = None,
    pipelines: Pipelines | None = None,
) -> dict[str, str]:
    """Every generated file of a project: text by path relative to the output folder, sorted by path.

    Touches no disk but for templates, and a private folder for the formatter. The same plans give the same bytes, whatever
    order they come in.

    Args:
        plans: The plans of all contracts.
        package: Folder and import name of the generated package.
        engines: Engines to write steps for; by default the first there is.
        templates: Folder whose templates replace the built-in ones of the same name.
        pipelines: All that the project holds, when ``plans`` are a part of it; the others' packages are there already.

    Raises:
        ContractError: GEN-008 two contracts of one name, GEN-015 to GEN-018.
    """
    _refuse_same_names(plans)
    ordered = in_dependency_order(plans)
    generators = [load_generator(engine) for engine in engines]
    problems = tuple(each for plan in ordered for engine in generators for each in unsupported(plan, engine))
    if problems:
        raise ContractError(problems)
    listed = pipelines_of(plans) if pipelines is None else pipelines
    folders = dict(listed)
    taken = reserved_names()
    names = {plan.contract.name: contract_names(plan, folders[plan.contract.name], taken) for plan in ordered}
    bodies = _project_modules([folder for _, folder in listed], taken, templates)
    origins: dict[str, str] = {}
    models = generate_models({names[p.contract.name].package: models_of(p, names[p.contract.name]) for p in ordered})
    for plan in ordered:
        own = names[plan.contract.name]
        texts = contract_modules(plan, own, templates) | {"models.py": _models_module(plan, models[own.package])}
        texts |= {f"{engine.name}_steps.py": engine.steps_module(plan, own) for engine in generators}
        bodies |= {f"{own.package}/{file}": text for file, text in texts.items()}
        origins |= {f"{own.package}/{file}": plan.contract.file for file in texts}
    modules = formatted(bodies)
    files = {path: sealed(text, origins[path]) if path in origins else sealed(text) for path, text in modules.items()}
    files["py.typed"] = ""
    return {f"{package}/{path}": files[path] for path in sorted(files)}


def pipelines_of(plans: Sequence[Plan], others: Iterable[str] = ()) -> Pipelines:
    """Contract and sub-package of every plan, in the order in which they run.

    ``others``: names of contracts without a plan, whose packages nobody else gets.

    Raises:
        ContractError: GEN-017, contracts wait for one another in a ring.
    """
    folders = package_names(plans, others)
    return tuple((plan.contract.name, folders[plan.contract.name]) for plan in in_dependency_order(plans))


def _models_module(plan: Plan, text: str) -> str:
    about = f"``{docstring_text(plan.contract.name)}`` {docstring_text(plan.contract.version)}"
    return f'"""The models of {about}: one for each point where rows change hands."""\n\n{text}'


def _project_modules(packages: Sequence[str], taken: frozenset[str], templates: Path | None) -> dict[str, str]:
    major, minor = VERSION.split(".")[:2]
    following = f"{int(major) + 1}.0" if major != "0" else f"0.{int(minor) + 1}"
    return {
        "__init__.py": render("project.py.jinja", {"runtime_range": f">={major}.{minor},<{following}"}, templates),
        "pipeline.py": render("project_pipeline.py.jinja", _project_pipeline(packages, taken), templates),
    }


def _project_pipeline(packages: Sequence[str], taken: frozenset[str]) -> dict[str, object]:
    own = [(package, output_class(package, taken)) for package in packages]
    aliases = output_aliases(own, taken)
    contracts = [{"package": package, "output": output, "alias": aliases[package]} for package, output in own]
    return {"packages": sorted(packages), "contracts": contracts}


def _refuse_same_names(plans: Sequence[Plan]) -> None:
    seen: dict[str, Plan] = {}
    problems: list[Diagnostic] = []
    for plan in sorted(plans, key=lambda plan: (plan.contract.name, plan.contract.file)):
        first = seen.setdefault(plan.contract.name, plan)
        if first is not plan:
            message = (
                f"contracts `{first.contract.file}` and `{plan.contract.file}` are both named `{plan.contract.name}`"
            )
            problems.append(Diagnostic("GEN-008", message, plan.contract.at, help="rename one table"))
    if problems:
        raise ContractError(tuple(problems))
