"""Every case of malformed input has its outcome: exact rows, or a refusal that leaves everything as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from tests.e2e.malformed.cases import COMPRESSED, CSV, FOLDERS, JSON, MORE, Case, Refused, Rows
from tests.e2e.malformed.parquet_cases import PARQUET
from tests.e2e.packages import Builder, Pipeline, contract, files, table

from etlgen_runtime.engines.polars.csv_source import WORTH_A_THREAD

CASES = (*CSV, *COMPRESSED, *JSON, *PARQUET, *FOLDERS)
TEXT = "x" * 90
FIRST = 1000
"""The ids of further rows begin here; those of the cases are smaller, or do not fit."""


def pipeline(build: Builder, case: Case) -> Pipeline:
    path = "in" if case.further else case.file
    options = {"options": dict(case.options)} if case.options else {}
    form = {"format": case.file.split(".")[1]} if case.further or case.options else {}
    return build(contract(case.fields, path=path, source={**form, **options}))


def write(root: Path, case: Case, more: bytes = b"") -> None:
    for name, content in {case.file: case.content, **case.further}.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(content.replace(MORE, more))


def judge(built: Pipeline, root: Path, case: Case, further_rows: int = 0) -> None:
    """The outcome, and a target that is the old one where it is a refusal."""
    old = root / "out" / "part-old.parquet"
    old.parent.mkdir()
    pl.DataFrame({"id": [0], "v": ["old"]}).write_parquet(old)
    before = {name: (root / name).read_bytes() for name in files(root)}
    if isinstance(case.outcome, Refused):
        (found,) = built.fail(root, limits=case.limits).diagnostics
        assert (found.code, found.message) == (case.outcome.code, case.outcome.said(further_rows))
        assert found.help
        assert {name: (root / name).read_bytes() for name in files(root)} == before
        return
    result = built.run(root, limits=case.limits)
    names = [field.partition(":")[0] for field in case.fields]
    accepted = table(result.accepted)
    own = accepted.filter(~pl.col("v").eq_missing(TEXT)) if "v" in accepted.columns else accepted
    assert sorted(own.select(*names, *case.also).rows(), key=repr) == sorted(case.outcome.accepted, key=repr)
    assert accepted.height == len(case.outcome.accepted) + further_rows
    assert bad_rows(table(result.quarantined)) == sorted(case.outcome.bad, key=repr)
    replaced = bool(case.outcome.accepted) or not case.outcome.bad  # good data are not replaced with nothing
    assert old.exists() is not replaced
    parts = {name for name in files(root) if name not in before}
    assert {name.split("/")[0] for name in parts} <= {"out", "out__quarantine"}
    assert len(parts) == replaced + bool(case.outcome.bad)


def bad_rows(quarantined: pl.DataFrame) -> list[tuple[str | None, str]]:
    if not quarantined.height:
        return []
    found = quarantined.select("id", "_etlgen_errors").rows()
    return sorted(((value, error["rule"]) for value, errors in found for error in errors), key=repr)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file(build: Builder, tmp_path: Path, case: Case) -> None:
    write(tmp_path, case)
    judge(pipeline(build, case), tmp_path, case)


@pytest.mark.parametrize("case", [case for case in CASES if MORE in case.content], ids=lambda case: case.name)
def test_a_large_file(build: Builder, tmp_path: Path, case: Case) -> None:
    """So large that CSV is validated while it is read, and JSON is kept in the staging folder."""
    count = 2 * WORTH_A_THREAD // len(TEXT)
    write(tmp_path, case, "".join(further_rows(case, count)).encode())
    judge(pipeline(build, case), tmp_path, case, count)


def further_rows(case: Case, count: int) -> Iterator[str]:
    for number in range(FIRST, FIRST + count):
        if case.file.endswith(".csv"):
            yield f"{number},{TEXT}\n"
        else:
            yield json.dumps({"id": number, "v": TEXT}) + "\n"


def test_there_are_cases_of_every_kind() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 120
    assert all(any(isinstance(case.outcome, kind) for case in group) for kind in (Rows, Refused) for group in GROUPS)


GROUPS = (CSV, COMPRESSED, JSON, PARQUET, FOLDERS)
