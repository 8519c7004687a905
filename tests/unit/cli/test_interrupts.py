"""Ctrl-C while a run is under way, as a real signal to this process."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

from etlgen.cli.interrupts import interruptible
from etlgen_runtime import Callbacks


def test_what_native_code_swallows_is_raised_at_the_next_step() -> None:
    steps: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    with interruptible(Callbacks(on_step_start=lambda number, name: steps.append(number))) as callbacks:
        assert callbacks.on_step_start is not None
        callbacks.on_step_start(1, "source")
        with suppress(KeyboardInterrupt):  # as an engine does that calls Python and drops what it raises
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            callbacks.on_step_start(8, "materialize")
    assert steps == [1]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_interrupts_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible(Callbacks()):
        signal.raise_signal(signal.SIGINT)
