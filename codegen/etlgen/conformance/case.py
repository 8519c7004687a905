"""A conformance case: the frozen model of one folder (docs/conformance.md explains the keys)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from etlgen.conformance.manifest import Section, read_manifest
from etlgen.diagnostics.model import ContractError, Diagnostic

Level = Literal["document", "core-runtime", "materialization", "operational", "provider"]
Stage = Literal["validate", "build", "run"]
ColumnChoice = tuple[str, ...] | Literal["declared", "all"]

LEVELS: tuple[Level, ...] = ("document", "core-runtime", "materialization", "operational", "provider")
STAGES: tuple[Stage, ...] = ("validate", "build", "run")
_STAGE_WORDS: Mapping[str, Stage] = {**{stage: stage for stage in STAGES}, "generate": "build"}
CONTRACT_NAMES = ("contract.olc.yaml", "contract.odcs.yaml")


@dataclass(frozen=True, slots=True)
class Expected:
    """One acceptable outcome. Row files are absolute paths; ``None``: not compared.

    ``stops``: the case must stop, at ``stage`` or earlier (``None``: anywhere), with a message that holds all of
    ``error_contains``, at line ``line`` of the contract if given.
    """

    accepted: Path | None = None
    quarantined: Path | None = None
    target: Path | None = None
    stops: bool = False
    error_contains: tuple[str, ...] = ()
    line: int | None = None
    stage: Stage | None = None

    @property
    def is_empty(self) -> bool:
        """Any run that finishes would do."""
        return not self.stops and self.accepted is None and self.quarantined is None and self.target is None


@dataclass(frozen=True, slots=True)
class Assertions:
    """Counts and names beside the rows. ``None``: not asserted.

    A rule that ``failed_rules`` or ``warned_rules`` does not name is not judged; ``name: 0`` says that no row may fail it,
    and an empty mapping that no rule may fail at all.
    """

    rows_input: int | None = None
    rows_accepted: int | None = None
    rows_quarantined: int | None = None
    failed_rules: Mapping[str, int] | None = None
    warned_rules: Mapping[str, int] | None = None
    dataset_rules_failed: tuple[str, ...] = ()
    dataset_rules_passed: tuple[str, ...] = ()
    refusal_conforms: bool = False
    messages_must_contain: tuple[str, ...] = ()
    messages_must_not_contain: tuple[str, ...] = ()
    error_must_not_contain: tuple[str, ...] = ()
    columns_accepted: tuple[str, ...] = ()
    same_result_for_any_input_order: bool = False

    @property
    def is_empty(self) -> bool:
        """Nothing is asserted of a run that finishes: it may refuse instead, and it has no error that could hold a text."""
        return replace(self, refusal_conforms=False, error_must_not_contain=()) == Assertions()


@dataclass(frozen=True, slots=True)
class Comparison:
    """How rows are compared. ``declared``: the fields of the model that both sides have; ``all``: every column that does
    not begin with ``_``. ``quarantined_as_text``: quarantined values are compared character by character.
    """

    columns: ColumnChoice = "declared"
    quarantined_columns: ColumnChoice = "declared"
    quarantined_as_text: bool = False
    exact: tuple[str, ...] = ()
    numeric_tolerance: float = 1e-6
    ignore_fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loads:
    """What is written to the target, in order: ``seed``, ``more_loads``, the input; once more if ``idempotent``."""

    format: str = ""
    seed: Path | None = None
    more_loads: tuple[Path, ...] = ()
    idempotent: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One folder. ``input`` is ``None`` for a case that stops before any row is read."""

    id: str
    folder: Path
    display: str
    contract: Path
    level: Level
    feature: str
    spec_version: str = "1.0.0"
    description: str = ""
    reasoning: str = ""
    confidence: str = ""
    source: str = ""
    input: Path | None = None
    expected: Expected = Expected()
    also_passes: tuple[Expected, ...] = ()
    assertions: Assertions = Assertions()
    comparison: Comparison = Comparison()
    loads: Loads | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def asserts_nothing(self) -> bool:
        """Whether any run that finishes would pass: as the expected outcome, or as one of those that pass too."""
        repeats = self.loads is not None and self.loads.idempotent
        says_nothing = self.expected.is_empty and self.assertions.is_empty and not repeats
        return says_nothing or any(other.is_empty for other in self.also_passes)


_KEYS = (
    "id", "spec_version", "level", "feature", "description", "input", "expected", "also_passes", "assertions",
    "comparison", "materialization", "env", "reasoning", "confidence", "source",
)  # fmt: skip
_EXPECTED_KEYS = ("accepted", "quarantined", "target", "error_contains", "line", "stage")
_ASSERTION_KEYS = (
    "rows_input", "rows_accepted", "rows_quarantined", "failed_rules", "warned_rules", "dataset_rules_failed",
    "dataset_rules_passed", "refusal_conforms", "messages_must_contain", "messages_must_not_contain",
    "error_must_not_contain", "columns_accepted", "same_result_for_any_input_order", "expects_error",
)  # fmt: skip
_COMPARISON_KEYS = (
    "sort_by", "columns", "quarantined_columns", "quarantined_compare", "exact", "numeric_tolerance", "ignore_fields",
)  # fmt: skip


def load_case(folder: Path, display: str) -> Case:
    """Read one case folder.

    Args:
        folder: Holds ``case.yaml``.
        display: The folder as shown in reports and diagnostics.

    Raises:
        ContractError: CNF-001 to CNF-004, all mistakes of the folder at once; CNF-007, no outcome could fail it.
    """
    shown = f"{display}/case.yaml"
    root = Section(read_manifest(folder / "case.yaml", shown), "")
    root.check_keys(_KEYS)
    for key in ("id", "level"):
        if not root.has(key):
            message = f"`{key}` is missing"
            root.problems.append(Diagnostic("CNF-003", message, root.node.at, expected=f"a value for `{key}`"))
    contract = next((folder / name for name in CONTRACT_NAMES if (folder / name).is_file()), None)
    if contract is None:
        message = f"`{display}` holds no contract"
        expected = " or ".join(f"`{name}`" for name in CONTRACT_NAMES)
        root.problems.append(Diagnostic("CNF-004", message, root.node.at, expected=expected))
    assertions = root.section("assertions")
    case = Case(
        id=root.text("id", folder.name),
        folder=folder,
        display=display,
        contract=contract or folder / CONTRACT_NAMES[0],
        level=root.word("level", LEVELS, "core-runtime"),
        feature=root.text("feature"),
        spec_version=root.text("spec_version", "1.0.0"),
        description=root.text("description"),
        reasoning=root.text("reasoning"),
        confidence=root.text("confidence"),
        source=root.text("source"),
        input=_input(root, folder),
        expected=_expected(root.section("expected"), folder, stops=assertions.flag("expects_error")),
        also_passes=_also_passes(root, folder),
        assertions=_assertions(assertions),
        comparison=_comparison(root.section("comparison")),
        loads=_loads(root, folder),
        env={key: root.section("env").text(key) for key in root.section("env").entries},
    )
    if not root.problems and case.asserts_nothing:
        root.problems.append(_nothing_asserted(root))
    if root.problems:
        raise ContractError(tuple(root.problems))
    return case


def _nothing_asserted(root: Section) -> Diagnostic:
    return Diagnostic(
        "CNF-007",
        "the case asserts nothing: every run that finishes would pass",
        root.node.at,
        expected="rows or an error under `expected` (and in each of `also_passes`), or `assertions`",
        help="name the files of the expected rows; an empty file means no rows",
    )


def _file(section: Section, key: str, folder: Path) -> Path | None:
    """The file named under ``key``; it must exist inside the folder (CNF-004)."""
    if not section.has(key):
        return None
    path = folder / section.text(key)
    if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
        at = section.entries[key].at
        message = f"file `{section.text(key)}` is not in the case folder"
        section.problems.append(Diagnostic("CNF-004", message, at, expected="a file of the case folder"))
    return path


def _input(root: Section, folder: Path) -> Path | None:
    if root.has("input"):
        return _file(root, "input", folder)
    return next((path for name in ("input.jsonl", "input.csv") if (path := folder / name).is_file()), None)


def _expected(section: Section, folder: Path, *, stops: bool = False) -> Expected:
    section.check_keys(_EXPECTED_KEYS)
    texts = section.texts("error_contains")
    stage: Stage | None = None
    if section.has("stage"):
        stage = _STAGE_WORDS[section.word("stage", tuple(_STAGE_WORDS), "run")]
    return Expected(
        accepted=_file(section, "accepted", folder),
        quarantined=_file(section, "quarantined", folder),
        target=_file(section, "target", folder),
        stops=stops or bool(texts) or stage is not None or section.has("line"),
        error_contains=texts,
        line=section.count("line"),
        stage=stage,
    )


def _also_passes(root: Section, folder: Path) -> tuple[Expected, ...]:
    if not root.has("also_passes"):
        return ()
    node = root.entries["also_passes"]
    items = node.value if isinstance(node.value, tuple) else (node,)
    if not all(isinstance(item.value, Mapping) for item in items):
        root.wrong("also_passes", "a mapping shaped as `expected`")
        return ()
    return tuple(_expected(Section(item, "also_passes", root.problems), folder) for item in items)


def _assertions(section: Section) -> Assertions:
    section.check_keys(_ASSERTION_KEYS)
    return Assertions(
        rows_input=section.count("rows_input"),
        rows_accepted=section.count("rows_accepted"),
        rows_quarantined=section.count("rows_quarantined"),
        failed_rules=section.counts("failed_rules"),
        warned_rules=section.counts("warned_rules"),
        dataset_rules_failed=section.texts("dataset_rules_failed"),
        dataset_rules_passed=section.texts("dataset_rules_passed"),
        refusal_conforms=section.flag("refusal_conforms"),
        messages_must_contain=section.texts("messages_must_contain"),
        messages_must_not_contain=section.texts("messages_must_not_contain"),
        error_must_not_contain=section.texts("error_must_not_contain"),
        columns_accepted=section.texts("columns_accepted"),
        same_result_for_any_input_order=section.flag("same_result_for_any_input_order"),
    )


def _comparison(section: Section) -> Comparison:
    section.check_keys(_COMPARISON_KEYS)
    section.texts("sort_by")  # readability only, but it must be readable
    return Comparison(
        columns=section.columns("columns"),
        quarantined_columns=section.columns("quarantined_columns"),
        quarantined_as_text=section.word("quarantined_compare", ("value", "text"), "value") == "text",
        exact=section.texts("exact"),
        numeric_tolerance=section.number("numeric_tolerance", 1e-6),
        ignore_fields=section.texts("ignore_fields"),
    )


def _loads(root: Section, folder: Path) -> Loads | None:
    if not root.has("materialization"):
        return None
    section = root.section("materialization")
    section.check_keys(("format", "seed", "idempotent", "more_loads"))
    more: list[Path] = []
    for name in section.texts("more_loads"):
        more.append(folder / name)
        if not more[-1].is_file():
            message = f"file `{name}` is not in the case folder"
            section.problems.append(Diagnostic("CNF-004", message, section.node.at))
    return Loads(
        format=section.text("format"),
        seed=_file(section, "seed", folder),
        more_loads=tuple(more),
        idempotent=section.flag("idempotent"),
    )
