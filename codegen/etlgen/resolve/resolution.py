"""Contract to plan: lineage and phases by name, then types, checks and steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from etlgen import problems
from etlgen.contract import Contract, Field, Operation, Phase
from etlgen.diagnostics.findings import Findings
from etlgen.diagnostics.model import ContractError
from etlgen.plan import Plan, PlannedDatasetCheck, PlannedLink, PlannedRowCheck, Schema, Section
from etlgen.resolve.after_refusal import findings_of_checks
from etlgen.resolve.dataset_checks import BuiltDataset, DatasetDraft, build_dataset_check, dataset_drafts, undeclared_in
from etlgen.resolve.drafts import drafts_of, type_rules
from etlgen.resolve.fitting import check_types
from etlgen.resolve.flows import Flow, flows_of
from etlgen.resolve.judged import Judged
from etlgen.resolve.lineage import Lineage, trace
from etlgen.resolve.links import plan_links, with_users
from etlgen.resolve.naming import assign_names
from etlgen.resolve.operations import plan_section
from etlgen.resolve.phases import Phased, place_checks
from etlgen.resolve.row_checks import Built, build_checks, dedup_checks, planned_check
from etlgen.resolve.schemas import (
    fields_by_name,
    is_text_source,
    left_as_found,
    output_schema,
    published_schema,
    source_schema,
    typed_schema,
)
from etlgen.resolve.steps import nine_steps
from etlgen.resolve.unchecked import refuse_unchecked
from etlgen_runtime.types import STRING, UNKNOWN


def resolve(contract: Contract) -> Plan:
    """The plan of ``contract``.

    Returns:
        The nine steps; warnings and notes, those of the reader first, are in ``Plan.diagnostics``.

    Raises:
        ContractError: With every finding of the contract, when at least one is an error.
    """
    findings = Findings(contract.diagnostics)
    resolution = _Resolution(contract, findings)
    plan = resolution.plan()
    if resolution.late and not findings.errors:
        # Only the SQL of dataset rules speaks of them: source columns all the same, so they run through every step.
        plan = _Resolution(contract, findings, late=resolution.late).plan()
    if findings.errors:
        raise ContractError(findings.all)
    return plan


@dataclass(slots=True)
class _Resolution:
    contract: Contract
    findings: Findings
    late: tuple[str, ...] = ()
    """Undeclared source columns that were found too late to be in the schemas."""
    flows: tuple[Flow, ...] = ()
    of_checks: Findings = field(default_factory=Findings)
    """Where findings of checks go."""
    users: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def plan(self) -> Plan:
        contract, findings = self.contract, self.findings
        if not contract.fields:
            findings.add(problems.no_fields(contract.at))
        self.flows = flows_of(contract)
        lineage = trace(contract, self.flows, findings)
        self.of_checks = findings_of_checks(self.flows, findings)
        self._check_survivors(lineage)
        links = plan_links(contract, findings)
        source_only = self._source_only(lineage)
        refuse_unchecked(contract, (*contract.fields, *source_only), lineage.dropped["pre"], findings)
        placed = place_checks(drafts_of(contract, source_only), lineage, self.of_checks)
        datasets = dataset_drafts(contract)
        undeclared, sound = self._undeclared(lineage, placed, datasets)
        sections, schemas = self._rows(lineage, links, placed, undeclared)
        typed, output = schemas[2], schemas[4]
        judged: dict[Phase, Judged] = {
            "pre": self._judged(typed, lineage.closed["pre"], links),
            "post": self._judged(output, lineage.closed["post"], links),
        }
        built = build_checks(placed, judged)
        built += dedup_checks(self.flows, built, lineage, judged, findings)
        made = [build_dataset_check(draft, judged[draft.phase or "post"], contract, lineage) for draft in sound]
        built_datasets = [one for one in made if one is not None]
        self.late = tuple(name for one in built_datasets for name in one.undeclared)
        checks, dataset_checks = self._named(built, built_datasets)
        return self._assembled(lineage, links, undeclared, schemas, sections, checks, dataset_checks)

    @property
    def is_refused(self) -> bool:
        """An operation hides the columns after it: a name that is unknown may be one that it makes."""
        return self.of_checks is not self.findings

    # --- names --------------------------------------------------------------------------------------------------------

    def _check_survivors(self, lineage: Lineage) -> None:
        """PHS-005: every declared field is in the rows after step 6."""
        for declared in self.contract.fields:
            if declared.name.value not in lineage.final:
                self.of_checks.add(problems.field_lost(declared.name, _dropper(lineage, declared.name.value)))

    def _source_only(self, lineage: Lineage) -> tuple[Field, ...]:
        declared = fields_by_name(self.contract.fields)
        given = self.contract.source_fields or ()
        return tuple(one for one in given if one.name.value not in declared and one.name.value in lineage.prepared)

    def _undeclared(
        self, lineage: Lineage, placed: Sequence[Phased], datasets: Sequence[DatasetDraft]
    ) -> tuple[tuple[str, ...], tuple[DatasetDraft, ...]]:
        """Undeclared source columns that something reads, and the dataset rules whose columns are there."""
        names = list(lineage.evidence)
        if not self.is_refused:
            names += [name for one in placed for name in one.undeclared]
        sound: list[DatasetDraft] = []
        for draft in datasets:
            found = undeclared_in(draft, lineage, self.of_checks)
            if found is not None:
                sound.append(draft)
                names += found if not self.is_refused else ()
        return tuple(dict.fromkeys((*names, *self.late))), tuple(sound)

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _rows(
        self, lineage: Lineage, links: dict[str, PlannedLink], placed: Sequence[Phased], undeclared: tuple[str, ...]
    ) -> tuple[tuple[Section, Section], tuple[Schema, ...]]:
        contract, flows, findings = self.contract, self.flows, self.findings
        as_found = left_as_found(contract, flows)
        source = source_schema(contract, lineage, undeclared, as_found)
        pre, prepared = plan_section(contract, "pre", flows, lineage, source, links, findings)
        typed = typed_schema(contract, source, prepared, as_found, _required(placed, "pre"))
        post, enriched = plan_section(contract, "post", flows, lineage, typed, links, findings)
        output = output_schema(contract, enriched, _required(placed, "post"))
        check_types(contract, pre, prepared, typed, findings)
        check_types(contract, post, enriched, output, findings)
        produced = {output_name.value for flow in flows for output_name in flow.outputs}
        published = published_schema(contract, output, produced)
        return (pre, post), (source, prepared, typed, enriched, output, published)

    def _judged(self, rows: Schema, closed: bool, links: dict[str, PlannedLink]) -> Judged:
        undeclared = STRING if is_text_source(self.contract) and not self.is_refused else UNKNOWN
        return Judged(rows, closed, undeclared, links, self.of_checks, ("source", self.contract.name))

    # --- checks -------------------------------------------------------------------------------------------------------

    def _named(
        self, built: Sequence[Built], datasets: Sequence[BuiltDataset]
    ) -> tuple[tuple[PlannedRowCheck, ...], tuple[PlannedDatasetCheck, ...]]:
        nameables = [one.nameable for one in built] + [one.nameable for one in datasets]
        names = assign_names(nameables, self.findings)
        rows = tuple(
            planned_check(one, name) for one, name in zip(built, names[: len(built)], strict=True) if name is not None
        )
        sets = tuple(
            replace(one.planned, name=name)
            for one, name in zip(datasets, names[len(built) :], strict=True)
            if name is not None
        )
        return rows, sets

    # --- the plan -----------------------------------------------------------------------------------------------------

    def _assembled(
        self,
        lineage: Lineage,
        links: dict[str, PlannedLink],
        undeclared: tuple[str, ...],
        schemas: tuple[Schema, ...],
        sections: tuple[Section, Section],
        checks: tuple[PlannedRowCheck, ...],
        dataset_checks: tuple[PlannedDatasetCheck, ...],
    ) -> Plan:
        pre, post = sections
        pre_checks, post_checks = _of_phase(checks, "pre"), _of_phase(checks, "post")
        early = tuple(check for check in dataset_checks if check.phase == "pre")
        late = tuple(check for check in dataset_checks if check.phase != "pre")
        for section, checks_of, key in ((pre, pre_checks, "pre"), (post, post_checks, "post")):
            self._count_users((operation.links for operation in section.operations), key)
            self._count_users(((check.link[0],) for check in checks_of if check.link is not None), f"{key}_checks")
        self._count_users((check.links for check in dataset_checks), "dataset_checks")
        planned_links = with_users(self.contract, links, self.users, self.findings)
        source, prepared, typed, enriched, output, published = schemas
        return Plan(
            contract=self.contract,
            source=source,
            prepared=prepared,
            typed=typed,
            enriched=enriched,
            output=output,
            published=published,
            pre=pre,
            post=post,
            pre_checks=pre_checks,
            post_checks=post_checks,
            pre_dataset_checks=early,
            dataset_checks=late,
            links=planned_links,
            raw_step=1 if pre.row_wise else 3,
            raw_kept_in_post=not any(_parts_with_raw(operation.kind) for operation in post.operations),
            unread_undeclared_are_bad=self._read_undeclared(undeclared),
            steps=nine_steps(self.contract, schemas, sections, (pre_checks, post_checks), (early, late)),
            diagnostics=self.findings.all,
            type_rules=type_rules(self.contract),
        )

    def _count_users(self, names: Iterable[tuple[str, ...]], user: str) -> None:
        for name in (one for some in names for one in some):
            self.users.setdefault(name, []).append(user)

    def _read_undeclared(self, undeclared: tuple[str, ...]) -> tuple[str, ...] | None:
        """With ``unknown_fields: quarantine`` the undeclared columns that may hold values: read, or dropped by name."""
        if self.contract.unknown_fields != "quarantine":
            return None
        dropped = (name for flow in self.flows for name in flow.removed)
        declared = fields_by_name((*self.contract.fields, *(self.contract.source_fields or ())))
        return tuple(dict.fromkeys(name for name in (*undeclared, *dropped) if name not in declared))


def _dropper(lineage: Lineage, name: str) -> Operation | None:
    return lineage.dropped["post"].get(name)


def _required(placed: Sequence[Phased], phase: Phase) -> frozenset[str]:
    """Columns that hold no NULL in good rows of ``phase``, because a check of their own says so."""
    return frozenset(
        one.draft.field for one in placed if one.phase == phase and one.draft.kind == "required" and one.draft.field
    )


def _parts_with_raw(kind: str) -> bool:
    """Whether its rows are not rows of the source: it aggregates, or may give several rows for one (semantics, section 6).

    Lookups cannot, their key is unique.
    """
    return kind in ("join", "rollup")


def _of_phase(checks: Iterable[PlannedRowCheck], phase: Phase) -> tuple[PlannedRowCheck, ...]:
    return tuple(check for check in checks if check.phase == phase)
