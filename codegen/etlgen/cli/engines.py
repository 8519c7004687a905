"""``etlgen engines``."""

from __future__ import annotations

from etlgen.cli import options
from etlgen.cli.terminal import result, result_json


def engines(as_json: options.AsJson = False) -> None:
    """List the engines, and what is installed."""
    from etlgen.environment import engine_states

    states = engine_states()
    if as_json:
        result_json([{"engine": s.name, "installed": s.installed, "version": s.version} for s in states])
        return
    for state in states:
        result(f"{state.name:10} {state.version if state.installed else 'not installed: ' + state.fix}")
