"""Write: ``{path: text}`` to files in step with the contracts. What changed, what is in the way, what is left over; all or nothing.

``workspace`` is a project on disk, ``part`` what one build generates, ``output_files`` compares and writes, ``manifest`` remembers.
"""

from __future__ import annotations

from etlgen.write.workspace import Outcome, Workspace

__all__ = ["Outcome", "Workspace"]
