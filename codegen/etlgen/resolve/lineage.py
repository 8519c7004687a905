"""Where columns come from, by name: source columns, what creates, rewrites and drops them (semantics, section 2).

Checks never count as evidence here: only ``etlgen.source_fields``, declared fields and operations say what the source has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from etlgen import problems
from etlgen.contract import CastTo, Contract, Lower, Operation, Phase, Text, Trim, Upper
from etlgen.diagnostics.findings import Findings
from etlgen.nearest import near_miss
from etlgen.resolve.after_refusal import NamesLeftOut
from etlgen.resolve.flows import Flow
from etlgen.spelling import find_column, folded
from etlgen.sql import problems as sql_problems

PHASES: tuple[Phase, ...] = ("pre", "post")
RESERVED_PREFIXES = ("_etlgen_", "__etlgen_")


@dataclass(slots=True)
class Lineage:
    """The outcome of the walk.

    Args:
        source: Declared source columns: ``etlgen.source_fields``, then fields that no operation creates.
        evidence: Undeclared source columns that operations read, in the order found.
        prepared, final: Columns after step 2 and after step 6.
        created: Columns that only a post operation creates, with that operation.
        dropped: For each phase, columns that are gone at its end, with the operation that dropped them.
        rewrites: (column, operation) of post operations that overwrite a column in place.
        failed: Numbers of the operations with an error here.
    """

    source: tuple[str, ...]
    evidence: list[str] = field(default_factory=list[str])
    prepared: tuple[str, ...] = ()
    final: tuple[str, ...] = ()
    created: dict[str, Operation] = field(default_factory=dict[str, Operation])
    dropped: dict[Phase, dict[str, Operation]] = field(default_factory=lambda: {"pre": {}, "post": {}})
    rewrites: list[tuple[str, Operation]] = field(default_factory=list[tuple[str, Operation]])
    closed: dict[Phase, bool] = field(default_factory=lambda: {"pre": False, "post": False})
    failed: set[int] = field(default_factory=lambda: set())

    def columns(self, phase: Phase) -> tuple[str, ...]:
        """Columns that checks of ``phase`` can read."""
        return self.prepared if phase == "pre" else self.final


def is_closed(contract: Contract) -> bool:
    """The source's columns are all known by name."""
    return contract.source_fields is not None or contract.evolution == "strict"


def trace(contract: Contract, flows: tuple[Flow, ...], findings: Findings) -> Lineage:
    """Walk the operations in the order in which they run.

    Reports PHS-002, PHS-003, PHS-004, and CTR-093 and CTR-094 for the names of columns.
    """
    source = _source_columns(contract, flows)
    lineage = Lineage(source)
    walk = _Walk(contract, flows, findings, lineage, dict.fromkeys(source), is_closed(contract))
    for phase in PHASES:
        for position, flow in enumerate(flows):
            if flow.phase == phase:
                walk.step(position, flow)
        walk.end_phase(phase)
    _check_names(contract, lineage, findings)
    return lineage


def _source_columns(contract: Contract, flows: tuple[Flow, ...]) -> tuple[str, ...]:
    """``etlgen.source_fields``; declared fields that no operation produces, or whose first producer reads them."""
    given = [column.name.value for column in contract.source_fields or ()]
    found = dict.fromkeys(given)
    producers: dict[str, Flow] = {}
    for flow in flows:
        for output in flow.outputs:
            producers.setdefault(output.value, flow)
    for declared in contract.fields:
        name = declared.name.value
        producer = producers.get(name)
        if producer is None or _reads(producer, name):
            found.setdefault(name)
    return tuple(found)


def _reads(flow: Flow, name: str) -> bool:
    if flow.from_sql:
        return any(folded(read.value) == folded(name) for read in flow.reads)
    return any(read.value == name for read in flow.reads)


@dataclass(slots=True)
class _Walk:
    contract: Contract
    flows: tuple[Flow, ...]
    findings: Findings
    lineage: Lineage
    known: dict[str, None]
    closed: bool
    gone: dict[str, Operation] = field(default_factory=dict[str, Operation])
    refused: bool = False
    """After an operation that hides the columns: an unknown name may be one that it makes."""

    def end_phase(self, phase: Phase) -> None:
        lineage = self.lineage
        lineage.dropped[phase] = dict(self.gone)
        lineage.closed[phase] = self.closed
        if phase == "pre":
            lineage.prepared = tuple(self.known)
        else:
            lineage.final = tuple(self.known)

    def step(self, position: int, flow: Flow) -> None:
        if flow.hides_columns:
            self.closed, self.refused, self.findings = False, True, NamesLeftOut(self.findings)
        for read in flow.reads:
            self._read(position, flow, read)
        before = frozenset(self.known)
        self._remove(flow)
        for output in flow.outputs:
            self._write(flow, output, before)
        if flow.phase == "post" and isinstance(flow.operation.body, Trim | Lower | Upper | CastTo):
            self.lineage.rewrites += [(read.value, flow.operation) for read in flow.reads]

    def _read(self, position: int, flow: Flow, read: Text) -> None:
        name = find_column(read.value, self.known) if flow.from_sql else read.value
        if name is not None and name in self.known:
            return
        name = read.value
        creator = self._later_creator(position, flow, name)
        if name in self.gone:
            self.findings.add(
                problems.read_after_drop(problems.describe(flow.operation), name, self.gone[name], read.at)
            )
        elif creator is not None and creator.phase == "post" and flow.phase == "pre":
            self.findings.add(problems.operation_before_column(flow.operation, name, creator.operation, read.at))
        elif creator is not None:
            self.findings.add(problems.read_before_created(flow.operation, name, creator.operation, read.at))
        else:
            self._take(name, read)
            return
        self.lineage.failed.add(flow.operation.number)

    def _later_creator(self, position: int, flow: Flow, name: str) -> Flow | None:
        """The operation after this one that creates ``name``, where reading it now cannot be meant.

        A declared field, or any name in a closed schema, or a pre operation's look at what post creates; an undeclared
        name that is read earlier in the same phase is a column of the source instead.
        """
        if _reads(flow, name) and any(output.value == name for output in flow.outputs):
            return None
        declared = any(column.name.value == name for column in self.contract.fields)
        for later in self.flows[position + 1 :]:
            if any(output.value == name for output in later.outputs) and not _reads(later, name):
                return later if declared or self.closed or later.phase != flow.phase else None
        return None

    def _take(self, name: str, read: Text) -> None:
        """Count ``name`` as an undeclared source column, unless lowering will refuse it."""
        if self.closed or near_miss(name, self.known):
            return
        self.findings.add(sql_problems.undeclared_column(name, read.at))
        if not self.refused:
            self.lineage.evidence.append(name)
        self.known[name] = None

    def _remove(self, flow: Flow) -> None:
        removed: Iterable[str] = flow.removed
        if flow.kept is not None:
            removed = [name for name in self.known if name not in flow.kept]
            self.closed = True
        for name in removed:
            if name in self.known:
                del self.known[name]
                self.gone[name] = flow.operation

    def _write(self, flow: Flow, output: Text, before: frozenset[str]) -> None:
        name = output.value
        if name.startswith(RESERVED_PREFIXES):
            self.findings.add(problems.reserved_name(name, output.at))
        if name in before:
            if flow.phase == "post":
                self.lineage.rewrites.append((name, flow.operation))
            self.known[name] = None
            self.gone.pop(name, None)
            return
        twin = find_column(name, self.known)
        if twin is not None and twin != name:
            self.findings.add(problems.names_differ_in_case(name, twin, output.at))
        if flow.phase == "post" and name not in self.lineage.prepared:
            self.lineage.created.setdefault(name, flow.operation)
        self.known[name] = None
        self.gone.pop(name, None)


def _check_names(contract: Contract, lineage: Lineage, findings: Findings) -> None:
    """Names of declared fields and of source columns: no doubles, no twins by case, no reserved prefix."""
    for fields, what in ((contract.fields, "field"), (contract.source_fields or (), "source field")):
        seen: dict[str, Text] = {}
        for name in (declared.name for declared in fields):
            if name.value.startswith(RESERVED_PREFIXES):
                findings.add(problems.reserved_name(name.value, name.at))
            other = seen.setdefault(folded(name.value), name)
            if other is name:
                continue
            if other.value == name.value:
                findings.add(problems.duplicate_name(name.value, what, name.at))
            else:
                findings.add(problems.names_differ_in_case(name.value, other.value, name.at))
    if contract.source_fields is not None:
        _check_twins(contract, lineage, findings)


def _check_twins(contract: Contract, lineage: Lineage, findings: Findings) -> None:
    """A declared field beside a source field that differs only in case."""
    given = {folded(declared.name.value): declared.name.value for declared in contract.source_fields or ()}
    for declared in contract.fields:
        name = declared.name.value
        if name in lineage.source and given.get(folded(name), name) != name:
            findings.add(problems.names_differ_in_case(name, given[folded(name)], declared.name.at))
