"""What things are called in the package generated for one contract. Emitters and engines share it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from etlgen.plan import Plan
from etlgen.python_source.identifiers import (
    MODEL_IMPORTS,
    attribute_names,
    class_name,
    module_slug,
    number_names,
    singular,
)

_CLASSES = MODEL_IMPORTS | frozenset(
    [
        "Accepted",
        "BaseModel",
        "CONTRACT",
        "Callbacks",
        "Checked",
        "Contract",
        "CsvOptions",
        "DEVELOPMENT",
        "Dataset",
        "DatasetRule",
        "Input",
        "Link",
        "None",
        "Output",
        "OUTPUT",
        "POST_RULES",
        "PRE_RULES",
        "Post",
        "Pre",
        "Profile",
        "QuarantineTarget",
        "RowRule",
        "Rules",
        "Run",
        "RunResult",
        "SOURCE",
        "Schema",
        "Source",
        "TARGET",
        "TYPED",
        "Target",
        "Transformation",
        "True",
        "False",
        "Typed",
    ]
)
"""Names that the engine-free modules import or define: no model may hide them."""

_PARAMETERS = frozenset(
    [
        "accepted",
        "as_of",
        "callbacks",
        "checked",
        "clock",
        "cls",
        "datetime",
        "dt",
        "enriched",
        "good",
        "input_names",
        "inputs",
        "output",
        "output_names",
        "pipeline",
        "prepared",
        "profile",
        "raw",
        "result",
        "run",
        "self",
        "typed",
        "contract",
        "checks",
        "models",
        "transformations",
    ]
)
"""Names used inside functions of the engine-free modules: no parameter may hide them."""

_PACKAGES = frozenset({"annotations", "callbacks", "dataclass", "manifest", "pipeline", "profile", "run"})
"""Names that the project's own modules use."""


@dataclass(frozen=True, slots=True)
class LinkNames:
    """One link: its name in the contract, parameter, constant and model."""

    name: str
    attribute: str
    constant: str
    model: str


@dataclass(frozen=True, slots=True)
class ContractNames:
    """Names in one generated package.

    Args:
        package: Its folder: ``orders``.
        parameter: The rows of the contract, as input of ``run()`` and of both transformations: ``orders``.
        attributes: Attribute of every column, in all models.
    """

    package: str
    parameter: str
    source: str
    prepared: str
    typed: str
    enriched: str
    output: str
    published: str
    prepare_class: str
    enrich_class: str
    prepare_function: str
    enrich_function: str
    links: tuple[LinkNames, ...]
    attributes: Mapping[str, str]

    def link(self, name: str) -> LinkNames:
        """The names of a link of the contract."""
        return next(link for link in self.links if link.name == name)


def package_names(plans: Sequence[Plan], others: Iterable[str] = ()) -> Mapping[str, str]:
    """The package of each contract by its name, whatever order the contracts come in.

    ``others``: names of contracts that have no plan now and keep their packages.
    """
    names = {*(plan.contract.name for plan in plans), *others}
    return number_names(_in_order_of_choice(names, "contract"), taken=_PACKAGES)


def _in_order_of_choice(names: Iterable[str], fallback: str) -> list[tuple[str, str]]:
    """(name, slug): first the names that need no change, each group by code point."""
    slugs = [(name, module_slug(name, fallback)) for name in sorted(set(names))]
    return sorted(slugs, key=lambda entry: entry[0] != entry[1])


def contract_names(plan: Plan, package: str, engine_names: frozenset[str] = frozenset()) -> ContractNames:
    """The names of everything in the package of ``plan``.

    ``engine_names``: what steps modules import, define and use (``etlgen.engines.reserved_names``); nothing may hide it.
    """
    base = output_class(package, engine_names)
    models = {kind: base + suffix for kind, suffix in _SUFFIXES.items()}
    plural = class_name(package)
    parameters = _PARAMETERS | engine_names
    parameter = f"{package}_" if package in parameters else package
    classes = {*_CLASSES, *engine_names, *models.values(), f"Prepare{plural}", f"Enrich{plural}"}
    return ContractNames(
        package=package,
        parameter=parameter,
        **models,
        prepare_class=f"Prepare{plural}",
        enrich_class=f"Enrich{plural}",
        prepare_function=f"prepare_{package.rstrip('_')}",
        enrich_function=f"enrich_{package.rstrip('_')}",
        links=_link_names(
            [link.name for link in plan.links], {*parameters, parameter}, _CLASSES | engine_names, classes
        ),
        attributes=attribute_names(_columns(plan)),
    )


_SUFFIXES = {
    "source": "Source",
    "prepared": "Prepared",
    "typed": "Typed",
    "enriched": "Enriched",
    "output": "",
    "published": "Published",
}


def output_class(package: str, engine_names: frozenset[str] = frozenset()) -> str:
    """``orders`` -> ``Order``; with ``Row`` where one of the six models would hide an imported name."""
    base = class_name(singular(package))
    taken = _CLASSES | engine_names
    return base if not any(base + suffix in taken for suffix in _SUFFIXES.values()) else f"{base}Row"


def _link_names(
    links: Sequence[str], parameters: Iterable[str], constants: Iterable[str], classes: Iterable[str]
) -> tuple[LinkNames, ...]:
    """Names of every link; the other arguments are the names that parameters, constants and models must not take."""
    slugs = _in_order_of_choice(links, "link")
    attributes = number_names(slugs, taken=parameters)
    written = number_names([(name, attributes[name].rstrip("_").upper()) for name, _ in slugs], taken=constants)
    taken = set(classes)
    wanted = [(name, class_name(slug)) for name, slug in slugs]
    models = number_names([(name, f"{each}Link" if each in taken else each) for name, each in wanted], taken, joint="")
    return tuple(LinkNames(name, attributes[name], written[name], models[name]) for name in links)


def _columns(plan: Plan) -> Iterable[str]:
    schemas = [plan.source, plan.prepared, plan.typed, plan.enriched, plan.output, plan.published]
    schemas.extend(link.schema for link in plan.links if link.schema is not None)
    return (column.name for schema in schemas for column in schema.columns)
