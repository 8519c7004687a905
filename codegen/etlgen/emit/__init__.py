"""Plans to ``{path: text}``: models, transformations, checks, contract, steps, pipelines. Touches no disk."""

from __future__ import annotations

from etlgen.emit.project import build_project, pipelines_of
from etlgen.emit.seal import is_untouched, sealed
from etlgen.python_source.names import package_names

__all__ = ["build_project", "is_untouched", "package_names", "pipelines_of", "sealed"]
