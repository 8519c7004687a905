"""Engines on the generating side: each turns the relational operations and expressions of a plan into its own source text.

An engine is a folder here with the file names its neighbours have, and one of the same name in the runtime. Nothing outside
asks which engine it is.
"""

from __future__ import annotations

from etlgen.engines.protocol import EngineGenerator, Refusal, load_generator, reserved_names

__all__ = ["EngineGenerator", "Refusal", "load_generator", "reserved_names"]
