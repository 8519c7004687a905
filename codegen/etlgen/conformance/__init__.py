"""Runs language-neutral conformance cases (contract + input + expected rows) on an engine.

``case`` reads a folder, ``execute`` is the only module that builds and runs a pipeline, ``judge`` and ``compare`` decide,
``report`` prints.
"""

from __future__ import annotations

from etlgen.conformance.runner import run_conformance

__all__ = ["run_conformance"]
