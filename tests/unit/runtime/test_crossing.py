"""What one engine needs of another, asked before any row is read."""

from __future__ import annotations

import sys

import pytest

from etlgen_runtime.checks import DatasetRule
from etlgen_runtime.crossing import require_queries
from etlgen_runtime.diagnostics import PlanError

NATIVE = DatasetRule(name="id_unique", kind="unique", columns=("id",))
SQL = DatasetRule(name="regions", kind="sql", sql="SELECT count(DISTINCT region) > 1 FROM source")


@pytest.mark.parametrize("library", ["duckdb", "numpy"])
def test_sql_rules_need_duckdb(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # how Python itself marks a module that cannot be found
    with pytest.raises(PlanError) as caught:
        require_queries([NATIVE, SQL])
    found = caught.value.diagnostic
    assert (found.code, found.rule) == ("PMPLAN102", "regions")
    assert "etlgen-runtime[duckdb]" in found.help


def test_native_rules_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    require_queries([NATIVE])
    with pytest.raises(PlanError):  # DuckDB was indeed out of reach
        require_queries([SQL])
