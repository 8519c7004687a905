"""What generated code and its callers meet first: the version, datasets, transformations, engines."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from pathlib import Path
from typing import cast

import polars as pl
import pytest
from pydantic import ValidationError

from etlgen_runtime import Dataset, require_runtime
from etlgen_runtime.compat import VERSION, IncompatibleRuntime
from etlgen_runtime.datasets import Transformation, output
from etlgen_runtime.diagnostics import ExecutionError, PlanError
from etlgen_runtime.engine import load_engine, load_steps
from etlgen_runtime.engines.polars.frame import dataset, frame_of
from etlgen_runtime.fields import BigInt, Date
from etlgen_runtime.models import ContractModel, schema_of


class Row(ContractModel):
    """One column of each kind that is looked at here."""

    id: BigInt
    born: Date | None = None


class Prepare(Transformation):
    """One input, one output."""

    rows: Dataset[Row]
    result: Dataset[Row] = output()


# --- the version ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "range_", [f">={VERSION}", ">=0", "<1000", f">=0.0,<{int(VERSION.split('.')[0]) + 1}", f">={VERSION}.0"]
)
def test_range_that_holds_the_installed_version(range_: str) -> None:
    require_runtime(range_)


@pytest.mark.parametrize("range_", [">=1000", f"<{VERSION}", f"<{VERSION}.0", f">=0,<{VERSION}", f">={VERSION}.1"])
def test_generated_code_refuses_another_runtime_at_import(range_: str) -> None:
    with pytest.raises(IncompatibleRuntime, match=r"installed is .*etlgen build") as refused:
        require_runtime(range_)
    assert range_ in str(refused.value)


@pytest.mark.parametrize("range_", ["", "1.0", "==1.0", ">=1.0;<2", ">=x", ">=0,"])
def test_range_that_is_none(range_: str) -> None:
    with pytest.raises(ValueError, match="unreadable runtime range"):
        require_runtime(range_)


# --- datasets and transformations -------------------------------------------------------------------------------------


def test_transformation_takes_its_inputs_by_name() -> None:
    rows = Dataset(Row, pl.LazyFrame({"id": [1]}))
    step = Prepare(rows=rows)
    assert step.inputs() == {"rows": rows}
    assert repr(rows) == "Dataset[Row]"


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "Prepare takes rows; missing: rows"),
        ({"rows": None, "row": None}, "Prepare takes rows; unknown: row"),
        ({"rows": pl.LazyFrame()}, "Prepare.rows must be a Dataset, not LazyFrame"),
        ({"row": None}, "Prepare takes rows; missing: rows; unknown: row"),
    ],
)
def test_wrong_inputs_of_a_transformation(inputs: dict[str, object], said: str) -> None:
    with pytest.raises(TypeError) as refused:
        Prepare(**inputs)
    assert str(refused.value) == said


def test_output_is_empty_until_the_run_has_filled_it() -> None:
    step = Prepare(rows=Dataset(Row, pl.LazyFrame()))
    assert repr(step.result) == "output()"
    with pytest.raises(ExecutionError) as refused:
        _ = step.result.native
    assert refused.value.diagnostic.code == "PMEXEC109"


def test_frames_of_polars_are_handed_over_and_others_are_not() -> None:
    frame = pl.DataFrame({"id": [1, 2]})
    for given in (dataset(frame, Row), dataset(frame.lazy(), Row), Dataset(Row, frame)):
        assert frame_of(given).collect().equals(frame)
    with pytest.raises(TypeError, match=r"Dataset\[Row\] holds a list, not a Polars frame"):
        frame_of(Dataset(Row, [1]))


# --- models -----------------------------------------------------------------------------------------------------------


def test_date_has_no_time_of_day() -> None:
    """A ``datetime`` is a ``date`` for Python; its time would be lost (semantics, section 4)."""
    assert Row.model_validate({"id": 1, "born": dt.date(2024, 5, 1)}).born == dt.date(2024, 5, 1)
    with pytest.raises(ValidationError):
        Row.model_validate({"id": 1, "born": dt.datetime(2024, 5, 1)})


def test_schema_is_asked_of_contract_models_alone() -> None:
    with pytest.raises(TypeError, match="int is no contract model"):
        schema_of(cast("type[ContractModel]", int))


# --- engines ----------------------------------------------------------------------------------------------------------


def test_engine_whose_library_is_missing_names_its_extra() -> None:
    """``None`` in ``sys.modules`` is how Python marks a module that cannot be imported."""
    program = (
        "import sys; sys.modules['polars'] = None\n"
        "from etlgen_runtime.diagnostics import PlanError\n"
        "from etlgen_runtime.engine import load_engine\n"
        "try: load_engine('polars')\n"
        "except PlanError as error: print(error.diagnostic.code, error.diagnostic.message, error.diagnostic.help, sep='|')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "PMPLAN102|engine `polars` needs the package `polars`|pip install 'etlgen-runtime[polars]'\n"


def test_unknown_engine_names_those_there_are() -> None:
    with pytest.raises(PlanError) as refused:
        load_engine("pandas")
    assert (refused.value.diagnostic.code, "polars" in refused.value.diagnostic.help) == ("PMPLAN101", True)


def test_package_without_the_steps_of_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "made_elsewhere"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "duckdb_steps.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    with pytest.raises(PlanError) as refused:
        load_steps("made_elsewhere", "polars")
    assert refused.value.diagnostic.code == "PMPLAN106"
    with pytest.raises(ModuleNotFoundError, match="nothing_of_that_name"):  # a fault of the module itself
        load_steps("made_elsewhere", "duckdb")
