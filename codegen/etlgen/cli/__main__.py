"""``python -m etlgen.cli``."""

from __future__ import annotations

from etlgen.cli import main

main()
