"""The engine-free modules of one contract: what their templates are told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path

from etlgen.contract import CsvOptions, Quarantine
from etlgen.emit.model_schema import required_source_columns
from etlgen.emit.templates import render
from etlgen.plan import (
    Plan,
    PlannedDatasetCheck,
    PlannedLink,
    PlannedOperation,
    PlannedRowCheck,
    RenameColumns,
    Section,
)
from etlgen.python_source.names import ContractNames

Keywords = list[tuple[str, object]]
"""Keyword arguments in order; those with the runtime's default value are left out."""


def contract_modules(plan: Plan, names: ContractNames, templates: Path | None) -> dict[str, str]:
    """Text by file name: everything but the models and the engines' steps."""
    shared: dict[str, object] = {"contract": plan.contract, "names": names}
    contexts = {
        "__init__.py": ("package.py.jinja", _package(names)),
        "transformations.py": ("transformations.py.jinja", _transformations(plan, names)),
        "checks.py": ("checks.py.jinja", _checks(plan, names)),
        "contract.py": ("contract.py.jinja", _contract(plan, names)),
        "pipeline.py": ("pipeline.py.jinja", _pipeline(plan, names)),
    }
    return {file: render(template, shared | context, templates) for file, (template, context) in contexts.items()}


# --- package and pipeline ---------------------------------------------------------------------------------------------


def _step_models(names: ContractNames) -> list[str]:
    return [names.source, names.prepared, names.typed, names.enriched, names.output, names.published]


def _package(names: ContractNames) -> dict[str, object]:
    models = [*_step_models(names), *(link.model for link in names.links)]
    return {"models": models, "exported": sorted([*models, names.prepare_class, names.enrich_class, "run"])}


def _pipeline(plan: Plan, names: ContractNames) -> dict[str, object]:
    used = [name for name in plan.links if name.name in {*_links(plan.pre), *_links(plan.post)}]
    return {
        "links": [names.link(link.name) for link in used],
        "pre_links": _link_arguments(plan, plan.pre, names),
        "post_links": _link_arguments(plan, plan.post, names),
    }


def _links(section: Section) -> set[str]:
    return {link for operation in section.operations for link in operation.links}


def _link_arguments(plan: Plan, section: Section, names: ContractNames) -> str:
    """``, countries=run.link(COUNTRIES)`` for each link that a section reads."""
    found = [names.link(link.name) for link in plan.links if link.name in _links(section)]
    return "".join(f", {link.attribute}=run.link({link.constant})" for link in found)


# --- transformations --------------------------------------------------------------------------------------------------


def _transformations(plan: Plan, names: ContractNames) -> dict[str, object]:
    steps = [
        _step(plan, plan.pre, names, names.prepare_class, (names.source, names.prepared), _PRE),
        _step(plan, plan.post, names, names.enrich_class, (names.typed, names.enriched), _POST),
    ]
    links = {link for section in (plan.pre, plan.post) for link in _links(section)}
    models = {names.source, names.prepared, names.typed, names.enriched, *(names.link(link).model for link in links)}
    return {"steps": steps, "imports": sorted(models)}


_PRE = (2, "shape raw rows before they are checked.")
_POST = (6, "work on good rows, then cast to the declared output types.")


def _step(
    plan: Plan, section: Section, names: ContractNames, name: str, models: tuple[str, str], about: tuple[int, str]
) -> dict[str, object]:
    links = [names.link(link.name) for link in plan.links if link.name in _links(section)]
    inputs = [{"attribute": names.parameter, "model": models[0]}]
    inputs += [{"attribute": link.attribute, "model": link.model} for link in links]
    operations = [{"number": each.number, "text": _operation_text(each)} for each in section.operations]
    return {
        "name": name,
        "number": about[0],
        "about": about[1] if operations else "nothing to do.",
        "operations": operations,
        "inputs": inputs,
        "result": models[1],
    }


def _operation_text(operation: PlannedOperation) -> str:
    """Title and the reason for the phase, as reStructuredText."""
    return f"{operation.title} ({operation.reason})".replace("`", "``")


# --- checks -----------------------------------------------------------------------------------------------------------


def _checks(plan: Plan, names: ContractNames) -> dict[str, object]:
    return {
        "rule_sets": [
            _rule_set("PRE_RULES", names.typed, "Pre", plan.pre_checks, plan.pre_dataset_checks, names),
            _rule_set("POST_RULES", names.output, "Post", plan.post_checks, plan.dataset_checks, names),
        ]
    }


def _rule_set(
    constant: str,
    model: str,
    phase: str,
    rows: Iterable[PlannedRowCheck],
    dataset: Iterable[PlannedDatasetCheck],
    names: ContractNames,
) -> dict[str, object]:
    return {
        "constant": constant,
        "model": model,
        "phase": phase,
        "rows": [{"reason": _placed(phase, check.reason), "keywords": _row_rule(check)} for check in rows],
        "dataset": [{"reason": _placed(phase, check.reason), "keywords": _dataset_rule(check)} for check in dataset],
    }


def _placed(phase: str, reason: str) -> str:
    """Why a rule stands here, for its comment; empty for the default, which the docstring of the module states."""
    if reason.startswith("default:"):
        return ""
    return reason if reason.startswith("implied") else f"phase {phase.lower()}: {reason}"


def _row_rule(check: PlannedRowCheck) -> Keywords:
    link, key = check.link or (None, None)
    return _given(
        ("name", check.name, ...),
        ("kind", check.kind, ...),
        ("field", check.field, None),
        ("columns", check.columns, ()),
        ("severity", check.severity, "error"),
        ("nulls_pass", check.nulls_pass, False),
        ("code", check.code, ...),
        ("message", check.message, ""),
        ("sql", check.sql, ""),
        ("description", check.description, ""),
        ("link", link, None),
        ("link_key", key, None),
    )


def _dataset_rule(check: PlannedDatasetCheck) -> Keywords:
    return _given(
        ("name", check.name, ...),
        ("kind", check.kind, ...),
        ("columns", check.columns, ()),
        ("severity", check.severity, "error"),
        ("sql", check.sql, ""),
        ("minimum", check.minimum, None),
        ("maximum", check.maximum, None),
        ("greater_than", check.greater_than, None),
        ("less_than", check.less_than, None),
        ("links", check.links, ()),
        ("description", check.description, ""),
    )


# --- contract ---------------------------------------------------------------------------------------------------------


def _contract(plan: Plan, names: ContractNames) -> dict[str, object]:
    return {
        "models": sorted([*_step_models(names), *(link.model for link in names.links)]),
        "identity": _identity(plan),
        "source": _source(plan),
        "csv": _differing(plan.contract.source.csv, CsvOptions()) if plan.contract.source else [],
        "links": [
            {"constant": names.link(link.name).constant, "model": names.link(link.name).model, "keywords": _link(link)}
            for link in plan.links
        ],
        "target": _target(plan),
        "quarantine": _quarantine(plan.contract.quarantine),
    }


def _identity(plan: Plan) -> Keywords:
    contract = plan.contract
    return _given(
        ("name", contract.name, ...),
        ("version", contract.version, ...),
        ("file", contract.file, ...),
        ("title", contract.title, ""),
        ("layer", contract.layer, None),
        ("raw_step", plan.raw_step, 1),
        ("raw_kept_in_post", plan.raw_kept_in_post, True),
        ("fail_on_dataset_error", contract.quality.fail_pipeline_on_dataset_error, False),
        ("sensitive", _sensitive(plan), ()),
        ("pre_writes", _writes(plan.pre) if plan.raw_step == 1 else (), ()),
        ("post_writes", _writes(plan.post), ()),
        ("post_drops", () if plan.raw_kept_in_post else _drops(plan.post), ()),
        ("post_only_adds", _post_only_adds(plan), False),
        ("type_rules", plan.type_rules, ()),
    )


def _writes(section: Section) -> tuple[str, ...]:
    """Columns whose value after the section is not the one before it."""
    return tuple(dict.fromkeys(name for op in section.operations for name in (*op.creates, *op.rewrites)))


def _drops(section: Section) -> tuple[str, ...]:
    """Columns that are not there after the section, or not as they were."""
    return tuple(dict.fromkeys(name for op in section.operations for name in op.drops))


def _post_only_adds(plan: Plan) -> bool:
    """Step 6 adds columns row by row: nothing is rewritten, renamed, dropped or cast to another type on the way out."""
    adds = all(op.row_wise and not op.rewrites and not op.drops for op in plan.post.operations)
    same = (plan.output.get(column.name) for column in plan.typed.columns)
    return adds and all(
        after is not None and after.type == c.type for after, c in zip(same, plan.typed.columns, strict=True)
    )


def _sensitive(plan: Plan) -> tuple[str, ...]:
    """Columns of any step that hold sensitive values, those that a rename makes sensitive under their old name too: the raw row
    and the rows that were bad before it have that name.
    """
    schemas = (plan.source, plan.prepared, plan.typed, plan.enriched, plan.output)
    found = [column.name for schema in schemas for column in schema.columns if column.sensitive]
    for operation in reversed((*plan.pre.operations, *plan.post.operations)):
        renames = (relation for relation in operation.relations if isinstance(relation, RenameColumns))
        found += [old for relation in renames for old, new in relation.mapping if new in found]
    return tuple(dict.fromkeys(found))


def _source(plan: Plan) -> Keywords:
    contract, source = plan.contract, plan.contract.source
    found = _given(("name", contract.name, ...))
    if source is not None:
        found += _given(
            ("path", source.path, None),
            ("pattern", source.pattern, None),
            ("format", source.format, None),
            ("empty_behavior", source.empty_behavior, "skip"),
            ("post_ingestion", source.post_ingestion, "retain"),
            ("archive_path", source.archive_path, None),
            ("cleanup_is_blocking", source.cleanup_is_blocking, False),
        )
    return found + _given(
        ("required", required_source_columns(plan), ()),
        ("unknown_fields", contract.unknown_fields, "allow"),
        ("allowed_undeclared", plan.unread_undeclared_are_bad or (), ()),
        ("strict", contract.evolution == "strict", False),
    )


def _link(link: PlannedLink) -> Keywords:
    return _given(
        ("name", link.name, ...),
        ("path", link.path or "", ...),
        ("format", link.format, ...),
        ("columns", link.columns, ()),
        ("filter_sql", link.filter_sql, ""),
        ("declared", link.schema is not None, True),
    )


def _target(plan: Plan) -> Keywords:
    target = plan.contract.materialization
    return _given(
        ("path", target.target_path, None),
        ("format", target.format, "parquet"),
        ("strategy", target.strategy, "append"),
        ("only_declared", plan.contract.unknown_fields == "drop", False),
    )


def _quarantine(quarantine: Quarantine) -> Keywords:
    renamed = {"target": "path"}
    return [(renamed.get(key, key), value) for key, value in _differing(quarantine, Quarantine(at=quarantine.at))]


def _given(*keywords: tuple[str, object, object]) -> Keywords:
    """(keyword, value) of each (keyword, value, default) whose value is not the default; ``...``: always."""
    return [(key, value) for key, value, default in keywords if default is ... or value != default]


def _differing(value: object, default: object) -> Keywords:
    """The fields of a dataclass whose values are not those of ``default``."""
    if not is_dataclass(value):
        return []
    pairs = ((field.name, getattr(value, field.name)) for field in fields(value))
    return [(name, each) for name, each in pairs if each != getattr(default, name, MISSING)]
