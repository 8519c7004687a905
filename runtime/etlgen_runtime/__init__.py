"""What generated pipelines import: typed datasets, the run, profiles, reports. No engine is imported here."""

from __future__ import annotations

from etlgen_runtime.callbacks import Callbacks
from etlgen_runtime.checks import DatasetRule, RowRule, Rules
from etlgen_runtime.compat import VERSION, require_runtime
from etlgen_runtime.contract import Contract, CsvOptions, Link, QuarantineTarget, Schema, Source, Target
from etlgen_runtime.datasets import (
    Accepted,
    Checked,
    Dataset,
    Input,
    Output,
    Post,
    Pre,
    Transformation,
    Typed,
    output,
)
from etlgen_runtime.diagnostics import DataError, Diagnostic, EtlgenError, ExecutionError, PlanError
from etlgen_runtime.profile import DEVELOPMENT, Profile
from etlgen_runtime.report import RunReport
from etlgen_runtime.result import QuarantinedRow, RunFailed, RunResult
from etlgen_runtime.run import Run

__all__ = [
    "DEVELOPMENT",
    "Accepted",
    "Callbacks",
    "Checked",
    "Contract",
    "CsvOptions",
    "DataError",
    "Dataset",
    "DatasetRule",
    "Diagnostic",
    "EtlgenError",
    "ExecutionError",
    "Input",
    "Link",
    "Output",
    "PlanError",
    "Post",
    "Pre",
    "Profile",
    "QuarantineTarget",
    "QuarantinedRow",
    "RowRule",
    "Rules",
    "Run",
    "RunFailed",
    "RunReport",
    "RunResult",
    "Schema",
    "Source",
    "Target",
    "Transformation",
    "Typed",
    "output",
    "require_runtime",
]

__version__ = VERSION
