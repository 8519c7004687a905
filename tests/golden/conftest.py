"""``pytest tests/golden --update-golden`` accepts what the generator writes now."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the expected files of the golden cases anew")
