"""What things are called in the package generated for one contract. Emitters and engines share it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count

from etlgen.plan import Plan
from etlgen.python_source.identifiers import (
    MODEL_IMPORTS,
    attribute_names,
    class_name,
    module_slug,
    number_names,
    singular,
)

_RESERVED = MODEL_IMPORTS | frozenset(
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
        "False",
        "Input",
        "Link",
        "None",
        "OUTPUT",
        "Output",
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
        "Typed",
        "accepted",
        "as_of",
        "callbacks",
        "checked",
        "checks",
        "clock",
        "cls",
        "contract",
        "datetime",
        "dt",
        "enriched",
        "good",
        "input_names",
        "inputs",
        "models",
        "output",
        "output_names",
        "pipeline",
        "prepared",
        "profile",
        "raw",
        "result",
        "run",
        "self",
        "transformations",
        "typed",
    ]
)
"""Names that the engine-free modules import, define or use inside functions: no model and no parameter may hide them."""

_PACKAGES = frozenset(
    {"annotations", "callbacks", "dataclass", "manifest", "pipeline", "profile", "require_runtime", "run"}
)
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


def contract_names(plan: Plan, package: str, engine_names: frozenset[str]) -> ContractNames:
    """The names of everything in the package of ``plan``: no two alike, so that in no module one hides another.

    ``engine_names``: what steps modules import, define and use (``etlgen.engines.reserved_names``); nothing may hide it.
    """
    given = _Given(_RESERVED | engine_names)
    base = output_class(package, engine_names)
    models = {kind: given.give(base + suffix) for kind, suffix in _SUFFIXES.items()}
    plural, verb_object = class_name(package), package.rstrip("_")
    return ContractNames(
        package=package,
        parameter=given.give(package, f"{package}_"),
        **models,
        prepare_class=given.give(f"Prepare{plural}", joint=""),
        enrich_class=given.give(f"Enrich{plural}", joint=""),
        prepare_function=given.give(f"prepare_{verb_object}"),
        enrich_function=given.give(f"enrich_{verb_object}"),
        links=_link_names([link.name for link in plan.links], given),
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


def output_class(package: str, engine_names: frozenset[str]) -> str:
    """``orders`` -> ``Order``; with ``Row`` where one of the six models would hide an imported name."""
    base, taken = class_name(singular(package)), _RESERVED | engine_names
    candidates = chain((base, f"{base}Row"), (f"{base}Row{number}" for number in count(2)))
    return next(each for each in candidates if taken.isdisjoint(each + suffix for suffix in _SUFFIXES.values()))


def output_aliases(outputs: Sequence[tuple[str, str]], engine_names: frozenset[str]) -> Mapping[str, str]:
    """What the output model of each package is called beside those of all others: ``CountryRow`` and ``CountriesRow``.

    ``outputs``: package and output model (:func:`output_class`).
    """
    models = [model for _, model in outputs]
    shared = {package for package, model in outputs if models.count(model) > 1}
    given = _Given(_RESERVED | engine_names | {"Results"})
    found: dict[str, str] = {}
    for package, model in sorted(outputs, key=lambda output: (output[0] in shared, output)):
        found[package] = given.give(f"{class_name(package)}Row" if package in shared else model, joint="")
    return found


class _Given:
    """Names given so far."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def is_free(self, name: str) -> bool:
        return name not in self._taken

    def give(self, *wanted: str, joint: str = "_") -> str:
        """The first of ``wanted`` that is free, else the last of them with the first free number from 2."""
        last = wanted[-1].rstrip("_")
        numbered = (f"{last}{joint}{number}" for number in count(2))
        found = next(name for name in chain(wanted, numbered) if name not in self._taken)
        self._taken.add(found)
        return found


def _link_names(links: Sequence[str], given: _Given) -> tuple[LinkNames, ...]:
    """Names of every link: first all parameters, then all constants, then the models, with ``Link`` where one is in use."""
    slugs = _in_order_of_choice(links, "link")
    attributes = {name: given.give(slug) for name, slug in slugs}
    constants = {name: given.give(attributes[name].rstrip("_").upper()) for name, _ in slugs}
    classes = [(name, class_name(slug)) for name, slug in slugs]
    wanted = [(name, each if given.is_free(each) else f"{each}Link") for name, each in classes]
    models = {name: given.give(each, joint="") for name, each in wanted}
    return tuple(LinkNames(name, attributes[name], constants[name], models[name]) for name in links)


def _columns(plan: Plan) -> Iterable[str]:
    schemas = [plan.source, plan.prepared, plan.typed, plan.enriched, plan.output, plan.published]
    schemas.extend(link.schema for link in plan.links if link.schema is not None)
    return (column.name for schema in schemas for column in schema.columns)
