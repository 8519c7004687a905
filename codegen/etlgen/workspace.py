"""A project on disk: its contracts on one side, its generated package on the other, and what keeps them in step."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from etlgen import build
from etlgen.build import Change
from etlgen.configuration import Configuration
from etlgen.diagnostics.model import ContractError, Diagnostic, Severity
from etlgen.manifest import Manifest
from etlgen.plan import Plan
from etlgen.project import Analysis, ContractFile, analyse, discover
from etlgen.version import VERSION

STATE_FILE = "build.json"
_SHAPING = ("datamodel-code-generator", "jinja2", "open-lakehouse-contract", "ruff", "sqlglot")
"""Distributions whose version may change what is generated."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a build did: how many contract files it is about, the files it touched, the warnings of those contracts."""

    contracts: int
    changes: tuple[Change, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


class Workspace:
    """The files of a project. Paths come from its configuration."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.package = configuration.package
        self.output = (configuration.root / configuration.output).resolve()
        self._state_file = configuration.root / ".etlgen" / STATE_FILE

    def pending(self, contracts: Sequence[str] = ()) -> tuple[Change, ...]:
        """What a build would change, worked out in full; ``contracts`` (files, folders) limits it to some.

        Raises:
            ContractError: Errors of the contracts or the configuration.
        """
        files = discover(self.configuration)
        selected = self._selected(contracts, files)
        return self._changes(files, analyse(files, self.configuration), selected)

    def build(self, contracts: Sequence[str] = (), *, force: bool = False) -> Outcome:
        """Bring the package in step with the contracts; only bytes are read when nothing has changed.

        Args:
            contracts: Files or folders; empty: all. The packages of other contracts stay as they are.
            force: Build even if nothing has changed, and overwrite files edited by hand.

        Raises:
            ContractError: Errors of the contracts (then nothing is written); GEN-006, GEN-007: a file is in the way.
        """
        files = discover(self.configuration)
        selected = self._selected(contracts, files)
        considered = len(selected) or len(files)
        inputs = self._inputs(files)
        if not force and self._is_current(inputs):
            return Outcome(considered)
        analysis = analyse(files, self.configuration)
        found = self._changes(files, analysis, selected)
        in_the_way = build.conflicts(found)
        if in_the_way and not force:
            raise ContractError(in_the_way)
        build.apply(self.output, self.package, found)
        if not contracts:
            self._remember(inputs)
        warnings = [d for d in analysis.diagnostics if d.severity is Severity.WARNING and _is_about(d, selected)]
        return Outcome(considered, found, tuple(warnings))

    def _changes(
        self, files: Sequence[ContractFile], analysis: Analysis, selected: frozenset[str]
    ) -> tuple[Change, ...]:
        blocking = [d for d in analysis.errors if _is_about(d, selected)]
        if blocking:
            raise ContractError(tuple(blocking))
        old = build.manifest_on_disk(self.output, self.package) or Manifest()
        texts = self._generate(analysis.plans)
        manifest = Manifest(
            engines=self.configuration.engines,
            pipelines=self._pipelines(analysis.plans),
            contracts={file.display: _digest(file.path) for file in files},
        )
        if not selected:
            return build.changes(self.output, self.package, build.with_manifest(self.package, texts, manifest), old)
        names = {plan.contract.name for plan in analysis.plans if plan.contract.file in selected}
        chosen = frozenset(folder for name, folder in manifest.pipelines if name in names)
        return self._partial(texts, manifest, old, selected, chosen, complete=not analysis.errors)

    def _partial(
        self,
        texts: Mapping[str, str],
        new: Manifest,
        old: Manifest,
        selected: frozenset[str],
        chosen: frozenset[str],
        *,
        complete: bool,
    ) -> tuple[Change, ...]:
        """Changes of the chosen sub-packages, and of the project's own files if all contracts are right (``complete``).

        The manifest keeps what it said about everything else.
        """

        def is_ours(path: str) -> bool:
            folder = path.removeprefix(f"{self.package}/").rpartition("/")[0]
            return folder in chosen or (complete and not folder)

        fresh = {path: text for path, text in texts.items() if is_ours(path)}
        manifest = replace(
            new,
            pipelines=new.pipelines if complete else tuple(dict.fromkeys((*old.pipelines, *new.pipelines))),
            contracts={**old.contracts, **{name: new.contracts[name] for name in new.contracts if name in selected}},
            files={path: digest for path, digest in old.files.items() if not is_ours(path)},
        )
        wanted = build.with_manifest(self.package, fresh, manifest)
        found = build.changes(self.output, self.package, wanted, old)
        return tuple(change for change in found if change.path in wanted or is_ours(change.path))

    def _pipelines(self, plans: Sequence[Plan]) -> tuple[tuple[str, str], ...]:
        """Contract and sub-package, in the order in which they run."""
        from etlgen.emit import package_names
        from etlgen.emit.dependencies import in_dependency_order

        folders = package_names(plans)
        ordered = [plan.contract.name for plan in in_dependency_order(plans)]
        return tuple((name, folders[name]) for name in ordered)

    def _generate(self, plans: Sequence[Plan]) -> dict[str, str]:
        from etlgen.emit import build_project

        configuration = self.configuration
        return build_project(
            plans, package=self.package, engines=configuration.engines, templates=self._template_folder()
        )

    def _selected(self, contracts: Sequence[str], files: Sequence[ContractFile]) -> frozenset[str]:
        """The files of the project that ``contracts`` (files, folders) name; empty: all.

        Raises:
            ContractError: GEN-005, a name does not exist; GEN-001, GEN-020, it names no contract of the project.
        """
        if not contracts:
            return frozenset()
        named = {file.display for file in discover(self.configuration, contracts)}
        known = {file.display for file in files}
        foreign = [
            entry
            for entry in contracts
            if not any(file.display in known for file in discover(self.configuration, [entry]))
        ]
        if foreign:
            raise ContractError(tuple(_foreign(entry, self.configuration) for entry in foreign))
        return frozenset(named & known)

    def _template_folder(self) -> Path | None:
        """The folder of ``templates``.

        Raises:
            ContractError: GEN-005, it does not exist.
        """
        written = self.configuration.templates
        if written is None:
            return None
        folder = self.configuration.root / written
        if not folder.is_dir():
            raise ContractError((Diagnostic("GEN-005", f"`{written}`, the folder of `templates`, does not exist"),))
        return folder

    def _inputs(self, files: Sequence[ContractFile]) -> str:
        """A hash of all that shapes the output: contracts, configuration, templates, and the generator itself."""
        configuration = self.configuration
        templates = self._template_folder()
        record = {
            "generator": _generator_stamp(),
            "settings": [
                configuration.output,
                configuration.package,
                configuration.engines,
                configuration.max_contract_bytes,
            ],
            "contracts": {file.display: _digest(file.path) for file in files},
            "templates": {} if templates is None else {path: _digest(Path(path)) for path in _paths(templates)},
        }
        return hashlib.sha256(json.dumps(record).encode()).hexdigest()

    def _is_current(self, inputs: str) -> bool:
        try:
            remembered = json.loads(self._state_file.read_text(encoding="utf-8")).get("inputs")
        except (OSError, ValueError, AttributeError):
            return False
        manifest = build.manifest_on_disk(self.output, self.package)
        return remembered == inputs and manifest is not None and build.is_as_written(self.output, manifest)

    def _remember(self, inputs: str) -> None:
        """Without this file the next build is slower, not wrong: a read-only folder is no error."""
        try:
            self._state_file.parent.mkdir(parents=True, exist_ok=True)
            self._state_file.write_text(json.dumps({"inputs": inputs}) + "\n", encoding="utf-8")
        except OSError:
            return


def _is_about(found: Diagnostic, selected: frozenset[str]) -> bool:
    """Whether a finding is one of the chosen files (empty: all of them)."""
    return not selected or found.at is None or found.at.file in selected


def _foreign(entry: str, configuration: Configuration) -> Diagnostic:
    """GEN-020: a contract that the configuration leaves out."""
    places = ", ".join(f"`{place}`" for place in configuration.contracts)
    return Diagnostic(
        "GEN-020",
        f"`{entry}` is no contract of this project",
        expected=f"a contract in {places}" + (", not left out by `exclude`" if configuration.exclude else ""),
        help="add it to `contracts` in [tool.etlgen], or move it there",
    )


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        problem = f"`{path.name}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise ContractError((Diagnostic("GEN-009", problem, help="give etlgen the right to read it"),)) from None


def _generator_stamp() -> list[str]:
    """Versions and, since a checkout changes without a new version, size and time of the generator's files."""
    stamps = [f"etlgen {VERSION}", *(f"{name} {_version(name)}" for name in _SHAPING)]
    package = Path(__file__).parent
    folders = [package, *(path for path in (package / "templates", package.parents[1] / "templates") if path.is_dir())]
    for entry in sorted((entry for folder in folders for entry in _files(str(folder))), key=lambda entry: entry.path):
        facts = entry.stat()
        stamps.append(f"{entry.path} {facts.st_size} {facts.st_mtime_ns}")
    return stamps


def _paths(folder: Path) -> list[str]:
    return sorted(entry.path for entry in _files(str(folder)))


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path)
            elif entry.is_file():
                yield entry


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "absent"
