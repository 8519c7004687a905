"""Ctrl-C while a run is under way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from etlgen_runtime.callbacks import Callbacks


@contextmanager
def interruptible(callbacks: Callbacks) -> Generator[Callbacks, None, None]:
    """The same callbacks; Ctrl-C that came while the engine's native code ran, which may swallow it, is raised at the next step."""
    if threading.current_thread() is not threading.main_thread():
        yield callbacks
        return
    seen = threading.Event()

    def interrupt(number: int, frame: FrameType | None) -> None:
        seen.set()
        raise KeyboardInterrupt

    def on_step_start(number: int, name: str) -> None:
        if seen.is_set():
            raise KeyboardInterrupt
        if callbacks.on_step_start is not None:
            callbacks.on_step_start(number, name)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield replace(callbacks, on_step_start=on_step_start)
    finally:
        signal.signal(signal.SIGINT, before)
