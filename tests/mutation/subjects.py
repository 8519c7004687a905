"""The modules that hold the semantics, and the tests that ought to find a fault in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

UNIT = "tests/unit"
POLARS = "tests/unit/engines/polars"


@dataclass(frozen=True, slots=True)
class Subject:
    """Modules, and tests in the order in which they find faults fastest. Paths are relative to the project."""

    pattern: str
    tests: tuple[str, ...]

    def modules(self, root: Path) -> list[str]:
        return [path.relative_to(root).as_posix() for path in sorted(root.glob(self.pattern))]


_SQL = (f"{UNIT}/sql", f"{POLARS}/test_against_duckdb.py", f"{POLARS}/test_specified_exceptions.py")

SUBJECTS = (
    Subject("runtime/etlgen_runtime/casts/*.py", (f"{UNIT}/runtime",)),
    Subject(
        "runtime/etlgen_runtime/engines/polars/casts/*.py",
        (
            f"{UNIT}/runtime/test_casts_polars.py",
            f"{UNIT}/runtime/test_casts_calendar.py",
            f"{UNIT}/runtime/test_casts_spelling.py",
            "tests/e2e/test_unfit_values.py",
            "tests/e2e/test_far_moments.py",
            "tests/e2e/test_typed_sources.py",
        ),
    ),
    Subject(
        "runtime/etlgen_runtime/engines/polars/checking.py",
        ("tests/e2e/test_quarantine.py", "tests/e2e/test_unfit_values.py"),
    ),
    Subject("codegen/etlgen/resolve/phases.py", (f"{UNIT}/resolve", "tests/golden/test_golden.py")),
    Subject("codegen/etlgen/resolve/lineage.py", (f"{UNIT}/resolve", "tests/golden/test_golden.py")),
    Subject("codegen/etlgen/unfit.py", (f"{UNIT}/test_unfit.py", "tests/e2e/test_unfit_values.py")),
    Subject("codegen/etlgen/ranges.py", (f"{UNIT}/test_ranges.py", f"{UNIT}/lower", f"{POLARS}/test_large_numbers.py")),
    Subject("codegen/etlgen/sql/totality.py", (f"{UNIT}/sql/test_dataset_meaning.py", f"{UNIT}/sql/test_dataset.py")),
    Subject("codegen/etlgen/sql/operators.py", _SQL),
    Subject("codegen/etlgen/sql/result_types.py", _SQL),
    Subject(
        "codegen/etlgen/engines/polars/losses.py",
        (f"{POLARS}/test_large_numbers.py", "tests/e2e/test_far_moments.py", "tests/e2e/test_unfit_values.py"),
    ),
)
