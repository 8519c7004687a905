"""Regular expressions that mean the same everywhere: parsed at build into a small tree, written for each engine.

Semantics, section 5. ``parse_pattern`` refuses what one of the engines lacks or reads otherwise; the tree holds no flags
and no classes of an engine's own, so ``to_rust``, ``to_python``, ``to_re2`` and ``to_java`` match the same texts.
"""

from __future__ import annotations

from etlgen.patterns.parse import parse_pattern
from etlgen.patterns.tree import Pattern, PatternError, whole_text
from etlgen.patterns.write import to_java, to_python, to_re2, to_rust

__all__ = ["Pattern", "PatternError", "parse_pattern", "to_java", "to_python", "to_re2", "to_rust", "whole_text"]
