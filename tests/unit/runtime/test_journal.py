"""Journals: what is written is what is read back, a line that a kill cut off was never written, and anything else is refused."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from etlgen_runtime.cleanup import Cleanup
from etlgen_runtime.diagnostics import Diagnostic, ExecutionError
from etlgen_runtime.journal import Begin, Decision, Journal, read_record
from etlgen_runtime.places import Places
from etlgen_runtime.publication import FileIdentity, Move
from etlgen_runtime.read_files import ReadFile
from etlgen_runtime.report import (
    Accounting,
    BoundaryReport,
    DatasetRuleResult,
    OperationCount,
    RuleResult,
    RunReport,
    step_reports,
)

RUN = "20240301T120000000000-0a1b2c"
NOON = dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)


def report(**changes: Any) -> RunReport:
    values: dict[str, Any] = {
        "run_id": RUN, "contract": "orders", "contract_version": "1.0.0", "pipeline": "p.orders", "profile": "development",
        "engine": "polars", "engine_version": "2", "status": "succeeded_with_quarantine", "as_of": NOON, "started_at": NOON,
        "duration_s": 0.25, "dry_run": False, "published": True, "target": "out", "sources": ("in/ä.csv",),
        "accounting": Accounting(read=3, operations=(OperationCount(phase="pre", operation="1", removed=1),), written=2),
        "steps": step_reports(dry_run=False),
        "boundaries": (BoundaryReport(boundary="sink_input", node="n", mode="full", checked=1, valid=1, invalid=0),),
        "failed_rules": (RuleResult(rule="r", phase="post", severity="error", failed=1),),
        "dataset_rules": (DatasetRuleResult(rule="d", severity="info", passed=False, value=None, reason="none"),),
        "diagnostics": (Diagnostic(code="PMDATA130", message="lone \udcff surrogate", severity="warning", count=3),),
    }  # fmt: skip
    return RunReport(**{**values, **changes})


def journal(root: Path) -> Journal:
    return Journal(root / ".etlgen" / "journal", RUN, Places(root, root / ".etlgen"))


def begin(root: Path, **changes: Any) -> Begin:
    values: dict[str, Any] = {
        "run_id": RUN, "contract": "orders", "package": "p.orders", "code": "c0de", "as_of": NOON, "asset": "in", "target": root / "out",
        "quarantine": root / "out__quarantine", "staging": (Path("/mnt/.etlgen-staging-x"),),
        "inputs": (ReadFile(path=root / "in" / "ä.csv", size_bytes=5, modified_ns=7),),
    }  # fmt: skip
    return Begin(**{**values, **changes})


def decision(root: Path) -> Decision:
    staged = root / ".etlgen" / "staging" / RUN / "target" / "part.csv"
    return Decision(
        moves=(
            Move(
                name="target", kind="part", staged=staged, path=root / "out", published=root / "out" / "part.csv",
                identity=FileIdentity(size_bytes=3, modified_ns=2**60, number=2**64 - 1),
            ),
        ),
        cleanup=Cleanup(
            run_id=RUN, action="archive", base=root / "in", archive=root / "archive", is_blocking=True,
            files=begin(root).inputs or (),
        ),
        accepted=root / "out" / "part.csv",
        quarantined=None,
        report=report(),
    )  # fmt: skip


def read(root: Path) -> Any:
    return read_record(journal(root).path, Places(root, root / ".etlgen"))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    assert (read(tmp_path).state, read(tmp_path).begin) == ("begin", begin(tmp_path))
    own.staged(decision(tmp_path))
    assert (read(tmp_path).state, read(tmp_path).decision) == ("staged", decision(tmp_path))
    own.published()
    assert (read(tmp_path).state, read(tmp_path).report) == ("published", None)
    own.cleaned(report(cleaned=("in/ä.csv",)))
    assert (read(tmp_path).state, read(tmp_path).report) == ("cleaned", report(cleaned=("in/ä.csv",)))
    own.remove()
    assert read(tmp_path) is None


def test_an_aborted_run_carries_its_report(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    own.staged(decision(tmp_path))
    assert own.is_decided
    own.aborted(report(status="failed", published=False))
    assert not own.is_decided
    assert (read(tmp_path).state, read(tmp_path).report.status) == ("aborted", "failed")


def test_rows_that_were_handed_over_have_no_files(tmp_path: Path) -> None:
    journal(tmp_path).begin(begin(tmp_path, inputs=None, quarantine=None))
    assert read(tmp_path).begin == begin(tmp_path, inputs=None, quarantine=None)


def test_a_project_that_was_moved_finds_its_files(tmp_path: Path) -> None:
    """Paths below the root are relative to it; others stay as they are."""
    (tmp_path / "old").mkdir()
    own = journal(tmp_path / "old")
    own.begin(begin(tmp_path / "old"))
    own.staged(decision(tmp_path / "old"))
    (tmp_path / "old").rename(tmp_path / "new")
    assert read(tmp_path / "new").begin == begin(tmp_path / "new")
    assert read(tmp_path / "new").decision == decision(tmp_path / "new")


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
@pytest.mark.parametrize("line", [1, 2])
def test_a_line_that_was_cut_off_was_never_written(tmp_path: Path, line: int, kept: float) -> None:
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    own.staged(decision(tmp_path))
    lines = own.path.read_bytes().splitlines(keepends=True)
    torn = lines[line - 1][: int(len(lines[line - 1]) * kept)]
    own.path.write_bytes(b"".join(lines[: line - 1]) + torn)
    assert (read(tmp_path) is None) == (line == 1)
    own.cut()
    assert own.path.read_bytes() == b"".join(lines[: line - 1])


DAMAGES = {
    "no JSON": b"hello\n",
    "no UTF-8": b'{"state": "\xff"}\n',
    "no object": b"[]\n",
    "no state": b"{}\n",
    "unknown state": b'{"state": "done"}\n',
    "nested too deep": b"[" * 100_000 + b"\n",
    "an empty line": b"\n",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize("after_begin", [False, True])
def test_what_is_no_journal_names_the_file(tmp_path: Path, damage: bytes, after_begin: bool) -> None:
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    own.path.write_bytes((own.path.read_bytes() if after_begin else b"") + damage)
    with pytest.raises(ExecutionError) as refused:
        read(tmp_path)
    assert refused.value.diagnostic.code == "PMEXEC112"
    assert str(own.path) in refused.value.diagnostic.message
    assert f"line {1 + after_begin}" in refused.value.diagnostic.message


def test_fields_of_another_type_and_another_order_are_refused(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    first = json.loads(own.path.read_text())
    own.staged(decision(tmp_path))
    begun, staged = own.path.read_text().splitlines(keepends=True)
    first["begin"]["inputs"] = [{"path": "in.csv", "size_bytes": "many", "modified_ns": 1}]
    published = '{"state": "published"}\n'
    for text in (json.dumps(first) + "\n", staged, begun + begun, begun + published, begun + staged + staged):
        own.path.write_text(text)
        with pytest.raises(ExecutionError) as refused:
            read(tmp_path)
        assert refused.value.diagnostic.code == "PMEXEC112"


def test_a_journal_of_another_run_than_its_name_says_is_refused(tmp_path: Path) -> None:
    """Its run id names files that are written, so it may be nothing else."""
    journal(tmp_path).begin(begin(tmp_path, run_id="../../else"))
    with pytest.raises(ExecutionError, match="PMEXEC112"):
        read(tmp_path)
    journal(tmp_path).remove()
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    own.staged(decision(tmp_path))
    own.published()
    own.cleaned(report(run_id="../../else"))
    with pytest.raises(ExecutionError, match="PMEXEC112"):
        read(tmp_path)


def test_a_line_that_was_written_in_part_does_not_spoil_the_next(tmp_path: Path) -> None:
    """The disk was full in the middle of `published`, which is a hint, and has space again for what follows."""
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    own.staged(decision(tmp_path))
    with own.path.open("ab") as file:
        file.write(b'{"state": "publi')
    own.cleaned(report())
    assert (read(tmp_path).state, read(tmp_path).report) == ("cleaned", report())


def test_another_format_is_said_to_be_of_another_version(tmp_path: Path) -> None:
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    line = json.loads(own.path.read_text())
    for other in ({**line, "format": 3}, {key: value for key, value in line.items() if key != "format"}):
        own.path.write_text(json.dumps(other) + "\n")
        with pytest.raises(ExecutionError, match="is of another version") as refused:
            read(tmp_path)
        assert refused.value.diagnostic.code == "PMEXEC112"


def test_nothing_is_decided_without_a_journal(tmp_path: Path) -> None:
    """Somebody has removed it: a decision without its begin would be damage for everybody."""
    own = journal(tmp_path)
    own.begin(begin(tmp_path))
    own.path.unlink()
    with pytest.raises(FileNotFoundError):
        own.staged(decision(tmp_path))
    assert not own.is_decided
    assert read(tmp_path) is None
