"""The order of contracts: each after those whose output it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath

from etlgen.contract import Contract
from etlgen.diagnostics.model import ContractError, Diagnostic, Position
from etlgen.places import target_path
from etlgen.plan import Plan


def in_dependency_order(plans: Sequence[Plan]) -> tuple[Plan, ...]:
    """The plans so that upstream contracts and targets that links or sources read come first, else by name.

    Raises:
        ContractError: GEN-017, contracts wait for one another in a ring.
    """
    by_name = {plan.contract.name: plan for plan in sorted(plans, key=lambda plan: plan.contract.name)}
    needs = _needs({name: plan.contract for name, plan in by_name.items()})
    sorter = TopologicalSorter({name: sorted(needed) for name, needed in needs.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        raise _ring([str(name) for name in error.args[1]], by_name) from None
    ordered: list[Plan] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        ordered.extend(by_name[name] for name in ready)
        sorter.done(*ready)
    return tuple(ordered)


def dependencies(contracts: Iterable[Contract], names: Iterable[str]) -> frozenset[str]:
    """The contracts whose output those of ``names`` read, directly or through others."""
    needs = _needs({contract.name: contract for contract in contracts})
    found: set[str] = set()
    waiting = [need for name in names for need in needs.get(name, ())]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(needs[name])
    return frozenset(found)


def in_rings(contracts: Iterable[Contract]) -> frozenset[str]:
    """The contracts that wait for one another, so that they have no order."""
    needs = _needs({contract.name: contract for contract in contracts})
    found: set[str] = set()
    while True:
        left = {name: sorted(needed - found) for name, needed in needs.items() if name not in found}
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            found.update(str(name) for name in error.args[1])
        else:
            return frozenset(found)


def _needs(by_name: Mapping[str, Contract]) -> dict[str, set[str]]:
    producers = {_normal(target_path(contract)): name for name, contract in by_name.items()}
    found: dict[str, set[str]] = {}
    for name, contract in by_name.items():
        read = [link.path for link in contract.links if link.path]
        if contract.source is not None and contract.source.path:
            read.append(contract.source.path)
        needed = {producers[path] for path in map(_normal, read) if path in producers}
        needed |= {upstream.value for upstream in contract.upstream if upstream.value in by_name}
        found[name] = needed - {name}
    return found


def _reason(reader: Contract, needed: Contract) -> Position:
    """Where ``reader`` says that it needs ``needed``: an entry of ``upstream``, a link, or the source."""
    for upstream in reader.upstream:
        if upstream.value == needed.name:
            return upstream.at
    target = _normal(target_path(needed))
    for link in reader.links:
        if link.path and _normal(link.path) == target:
            return link.at
    return reader.source.at if reader.source is not None else reader.at


def _normal(path: str) -> str:
    return str(PurePosixPath(path))


def _ring(names: Sequence[str], by_name: Mapping[str, Plan]) -> ContractError:
    message = f"contracts read one another's output in a ring: {' -> '.join(f'`{name}`' for name in names)}"
    at = _reason(by_name[names[1]].contract, by_name[names[0]].contract)
    return ContractError((Diagnostic("GEN-017", message, at, help="let one of them read something else"),))
