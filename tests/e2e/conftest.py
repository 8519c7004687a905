"""Packages built by the tests of this folder are importable during the session."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from tests.e2e.packages import Builder


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    """Contract text to a runnable pipeline; a text is built once for all tests."""
    folder = tmp_path_factory.mktemp("packages")
    sys.path.insert(0, str(folder))
    builder = Builder(folder)
    yield builder
    sys.path.remove(str(folder))
    builder.forget()
