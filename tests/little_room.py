"""A system that lets no file grow beyond a size: what a full disk does to the last bytes of a copy."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

import pytest

needs_limits = pytest.mark.skipif(sys.platform == "win32", reason="the system has no limit for the size of a file")


@contextmanager
def room_for(size_bytes: int) -> Generator[None]:
    """Inside, writing a file beyond that size is an ``OSError``: file too large."""
    import resource  # not everywhere

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
