"""What one build generates: all contracts, or some beside packages that stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from etlgen.plan import Plan
from etlgen.project import Analysis
from etlgen.write import output_files
from etlgen.write.manifest import Manifest
from etlgen.write.output_files import Change

if TYPE_CHECKING:
    from etlgen.emit.project import Pipelines


@dataclass(frozen=True, slots=True)
class Part:
    """The contracts to generate, and all pipelines that the package holds afterwards.

    Args:
        plans: What is generated.
        pipelines: Contract and sub-package of these and of those that stay, in the order in which they run.
        folders: Sub-packages that the build answers for, beside the files of the package itself; ``None``: all.
    """

    plans: tuple[Plan, ...]
    pipelines: Pipelines
    folders: frozenset[str] | None = None

    def changes(
        self, output: Path, package: str, texts: Mapping[str, str], manifest: Manifest, old: Manifest
    ) -> tuple[Change, ...]:
        """What differs from the disk. The manifest keeps what it said about files that are not of this part."""
        kept = {path: digest for path, digest in old.files.items() if not self._answers_for(path, package)}
        wanted = output_files.with_manifest(package, texts, replace(manifest, files=kept))
        return tuple(change for change in output_files.changes(output, package, wanted, old) if change.path not in kept)

    def _answers_for(self, path: str, package: str) -> bool:
        folder = path.removeprefix(f"{package}/").rpartition("/")[0]
        return self.folders is None or not folder or folder in self.folders


def whole(analysis: Analysis) -> Part:
    """Every contract."""
    from etlgen.emit import pipelines_of

    return Part(analysis.plans, pipelines_of(analysis.plans))


def chosen_part(analysis: Analysis, selected: frozenset[str], old: Manifest) -> Part:
    """The contracts of the files ``selected``; packages of the last build stay, whatever their contracts are now.

    Other contracts with a chosen name are in it, too: emission refuses them (GEN-008).

    Raises:
        ContractError: GEN-017, chosen contracts wait for one another.
    """
    from etlgen.emit import package_names

    names = {plan.contract.name for plan in analysis.plans if plan.contract.file in selected}
    plans = tuple(plan for plan in analysis.plans if plan.contract.name in names)
    unread = (name for name, _ in old.pipelines) if analysis.blocking else ()
    folders = package_names(analysis.plans, (*unread, *(contract.name for contract in analysis.contracts)))
    own = frozenset(folders[name] for name in names)
    present = {name: folder for name, folder in old.pipelines if folder not in own} | {n: folders[n] for n in names}
    before = [name for name, _ in old.pipelines if name in present]
    return Part(plans, tuple((name, present[name]) for name in _order(analysis, names, before)), own)


def _order(analysis: Analysis, names: set[str], before: Sequence[str]) -> tuple[str, ...]:
    """The contracts of ``names`` and ``before`` as they run; of the latter, one that cannot be placed stands as it stood."""
    from etlgen.emit.dependencies import in_dependency_order, in_rings

    placeable = names | set(before) - in_rings(analysis.contracts)
    placed = [plan for plan in analysis.plans if plan.contract.name in placeable]
    order = [plan.contract.name for plan in in_dependency_order(placed)]
    for position, name in enumerate(before):
        if name not in order:
            neighbour = next((each for each in reversed(before[:position]) if each in order), None)
            order.insert(0 if neighbour is None else order.index(neighbour) + 1, name)
    return tuple(order)
