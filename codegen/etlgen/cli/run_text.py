"""The outcome of runs as a table, with the places where everything is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etlgen.diagnostics.model import Diagnostic, Severity
from etlgen.diagnostics.render import printable
from etlgen_runtime.diagnostics import Diagnostic as RuntimeDiagnostic
from etlgen_runtime.report import RunReport

_FAILED_DATASET_RULE = "PMDATA130"
_STOPPED_BY_RULE = "PMDATA203"

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "info": Severity.NOTE}

HEADINGS = ("contract", "status", "read", "accepted", "quarantined", "removed", "added", "seconds")


def run_text(reports: Sequence[RunReport]) -> str:
    """A row per run, then for each: why rows were quarantined, failed checks, and the paths."""
    if not reports:
        return "nothing to run"
    lines = _table([HEADINGS, *(_cells(report) for report in reports)])
    for report in reports:
        lines += ["", *_details(report)]
    return "\n".join(printable(line) for line in lines)


def is_failure(report: RunReport) -> bool:
    """Whether what follows must not run: the run failed, or a dataset rule kept its rows from being published."""
    return report.status == "failed" or any(d.code == _STOPPED_BY_RULE for d in report.diagnostics)


def _cells(report: RunReport) -> tuple[str, ...]:
    rows = report.accounting
    counts = (rows.read, rows.accepted, rows.quarantined, rows.removed("pre") + rows.removed("post"))
    added = rows.added("pre") + rows.added("post")
    return (report.contract, report.status, *(f"{n:,}" for n in (*counts, added)), f"{report.duration_s:.2f}")


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return [lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:])]


def _details(report: RunReport) -> Iterator[str]:
    yield f"{report.contract} {report.contract_version}" + (" (dry run: nothing published)" if report.dry_run else "")
    for rule in report.failed_rules:
        yield f"  failed   {rule.rule}: {_rows(rule.failed)}"
    for rule in report.warned_rules:
        yield f"  {rule.severity:8} {rule.rule}: {_rows(rule.failed)}"
    for check in report.dataset_rules:
        if not check.passed:
            yield f"  {check.severity:8} {check.rule} (dataset): {check.reason or f'value {check.value}'}"
    for diagnostic in () if is_failure(report) else _unsaid(report):
        hint = f" ({diagnostic.help})" if diagnostic.help else ""
        yield f"  {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}{hint}"
    for label, path in _places(report):
        yield f"  {label:10} {path}"


def failure(report: RunReport) -> tuple[Diagnostic, ...]:
    """What a run that failed has to say, as diagnostics of the command: the summary leaves it to stderr."""
    found = _unsaid(report) if is_failure(report) else ()
    return tuple(Diagnostic(d.code, d.message, severity=_SEVERITIES[d.severity], help=d.help) for d in found)


def _unsaid(report: RunReport) -> Iterator[RuntimeDiagnostic]:
    """Its diagnostics but for those of dataset rules, which have their own lines."""
    yield from (d for d in report.diagnostics if d.code != _FAILED_DATASET_RULE or not report.dataset_rules)


def _places(report: RunReport) -> Iterator[tuple[str, str]]:
    """Where to look, of what this run wrote: a dry run leaves a report and nothing else."""
    places = (
        ("output", report.target if report.published else None),
        ("quarantine", None if report.dry_run else report.quarantine),
        ("report", report.report_path),
    )
    yield from ((label, path) for label, path in places if path is not None)


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
