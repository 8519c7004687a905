"""A project on disk: its contracts on one side, its generated package on the other, and what keeps them in step."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

from etlgen.configuration import Configuration
from etlgen.diagnostics.model import ContractError, Diagnostic, Severity
from etlgen.project import Analysis, ContractFile, analyse, discover, file_of
from etlgen.version import VERSION
from etlgen.write import output_files
from etlgen.write.manifest import Manifest, text_hash
from etlgen.write.output_files import Change
from etlgen.write.part import Part, chosen_part, whole

STATE_FILE = "build.json"
_SHAPING = ("datamodel-code-generator", "jinja2", "open-lakehouse-contract", "ruff", "sqlglot")
"""Distributions whose version may change what is generated."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a build did or would do: how many contract files it is about, the files it touches, warnings of the contracts."""

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

    def pending(self, contracts: Sequence[str] = ()) -> Outcome:
        """What a build would change, worked out in full; ``contracts`` (files, folders) limits it to some.

        Raises:
            ContractError: Errors of the contracts or the configuration.
        """
        files = self._files(contracts)
        selected = self._selected(contracts, files)
        analysis = analyse(files, self.configuration)
        return self._outcome(analysis, selected, self._changes(analysis, selected))

    def examine(self, contracts: Sequence[str] = ()) -> Analysis:
        """Every finding of the contracts (files, folders; empty: all), also what only generation finds. Writes nothing.

        Raises:
            ContractError: GEN-001, GEN-005: there are no such contracts.
        """
        analysis = analyse(discover(self.configuration, contracts), self.configuration)
        if not analysis.plans or any(d.code == "GEN-008" for d in analysis.errors):
            return analysis
        try:
            self._generate(whole(analysis))
        except ContractError as error:
            found = dict.fromkeys((*analysis.diagnostics, *error.diagnostics))
            return replace(analysis, diagnostics=tuple(found))
        return analysis

    def build(self, contracts: Sequence[str] = (), *, force: bool = False) -> Outcome:
        """Bring the package in step with the contracts; only bytes are read when nothing has changed.

        Args:
            contracts: Files or folders; empty: all. The packages of other contracts stay as they are.
            force: Build even if nothing has changed, and overwrite files edited by hand.

        Raises:
            ContractError: Errors of the contracts (then nothing is written); GEN-006, GEN-007: a file is in the way.
        """
        files = self._files(contracts)
        selected = self._selected(contracts, files)
        inputs = self._inputs(files)
        if not force and self._is_current(inputs):
            return Outcome(len(selected) or len(files))
        return self._write(analyse(files, self.configuration), selected, inputs, force=force)

    def build_for(self, argument: str) -> Outcome:
        """Bring in step what a run of ``argument`` (a contract file, the name of a contract) needs, and all else if it can.

        Needed are the contract and those whose output it reads. What is wrong with other contracts does not count.

        Raises:
            ContractError: As :meth:`build`; GEN-010, there is no such contract; GEN-020, the file is none of this project.
        """
        files = discover(self.configuration)
        if Path(argument).is_file():
            self._selected([argument], files)
        inputs = self._inputs(files)
        if self._is_current(inputs):
            return Outcome(len(files))
        analysis = analyse(files, self.configuration)
        try:
            return self._write(analysis, frozenset(), inputs, force=False)
        except ContractError:
            return self._write(analysis, self._needed(analysis, argument), inputs, force=False)

    def _needed(self, analysis: Analysis, argument: str) -> frozenset[str]:
        """The file that ``argument`` means and the files of what its contracts read."""
        from etlgen.emit.dependencies import dependencies

        file = file_of(analysis, argument, self.configuration.root)
        names = {contract.name for contract in analysis.contracts if contract.file == file}
        needed = names | dependencies(analysis.contracts, names)
        return frozenset({file, *(contract.file for contract in analysis.contracts if contract.name in needed)})

    def _files(self, contracts: Sequence[str]) -> tuple[ContractFile, ...]:
        """The contract files; none, when the last is gone and what was generated from it is still there."""
        try:
            return discover(self.configuration)
        except ContractError as error:
            is_none_left = all(d.code == "GEN-001" for d in error.diagnostics)
            if contracts or not is_none_left or output_files.manifest_on_disk(self.output, self.package) is None:
                raise
            return ()

    def _write(self, analysis: Analysis, selected: frozenset[str], inputs: str, *, force: bool) -> Outcome:
        found = self._changes(analysis, selected)
        in_the_way = output_files.conflicts(found)
        if in_the_way and not force:
            raise ContractError(in_the_way)
        output_files.apply(self.output, self.package, found)
        if not selected:
            self._remember(inputs)
        return self._outcome(analysis, selected, found)

    def _outcome(self, analysis: Analysis, selected: frozenset[str], found: tuple[Change, ...]) -> Outcome:
        warnings = [d for d in analysis.diagnostics if d.severity is Severity.WARNING and _is_about(d, selected)]
        return Outcome(len(selected) or len(analysis.files), found, tuple(warnings))

    def _changes(self, analysis: Analysis, selected: frozenset[str]) -> tuple[Change, ...]:
        blocking = [d for d in analysis.blocking if _is_about(d, selected)]
        if blocking:
            raise ContractError(tuple(blocking))
        old = output_files.manifest_on_disk(self.output, self.package) or Manifest()
        if not analysis.files:
            return output_files.changes(self.output, self.package, {}, output_files.with_itself(self.package, old))
        part = chosen_part(analysis, selected, old) if selected else whole(analysis)
        chosen = [file for file in analysis.files if not selected or file.display in selected]
        digests = {file.display: _digest(file.path) for file in chosen}
        manifest = Manifest(
            engines=self.configuration.engines,
            pipelines=part.pipelines,
            contracts={**old.contracts, **digests} if selected else digests,
        )
        return part.changes(self.output, self.package, self._generate(part), manifest, old)

    def _generate(self, part: Part) -> dict[str, str]:
        from etlgen.emit import build_project

        return build_project(
            part.plans,
            package=self.package,
            engines=self.configuration.engines,
            templates=self._template_folder(),
            pipelines=part.pipelines,
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
                astuple(configuration.limits),
                [str(folder) for folder in configuration.open_folders],
            ],
            "contracts": {file.display: _digest(file.path) if _is_readable(file.path) else "" for file in files},
            "templates": {} if templates is None else {path: _digest(Path(path)) for path in _paths(templates)},
        }
        return hashlib.sha256(json.dumps(record).encode()).hexdigest()

    def _is_current(self, inputs: str) -> bool:
        try:
            remembered = cast("object", json.loads(self._state_file.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return False
        manifest = output_files.manifest_on_disk(self.output, self.package)
        if manifest is None or remembered != _state(inputs, manifest):
            return False
        return output_files.is_as_written(self.output, manifest)

    def _remember(self, inputs: str) -> None:
        """Without this file the next build is slower, not wrong: a read-only folder is no error."""
        manifest = output_files.manifest_on_disk(self.output, self.package)
        try:
            self._state_file.parent.mkdir(parents=True, exist_ok=True)
            self._state_file.write_text(json.dumps(_state(inputs, manifest)) + "\n", encoding="utf-8")
        except OSError:
            return


def _state(inputs: str, manifest: Manifest | None) -> dict[str, str]:
    """Inputs of the last build of everything and what it wrote: a build of some contracts writes another manifest."""
    return {"inputs": inputs, "manifest": "" if manifest is None else text_hash(manifest.to_json())}


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


def _is_readable(path: Path) -> bool:
    """Whether there is a file to hash; reading says what is wrong with any other."""
    return path.is_file() and os.access(path, os.R_OK)


def _generator_stamp() -> list[str]:
    """Versions and, since a checkout changes without a new version, size and time of the generator's files."""
    stamps = [f"etlgen {VERSION}", *(f"{name} {_version(name)}" for name in _SHAPING)]
    package = Path(__file__).parents[1]
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
