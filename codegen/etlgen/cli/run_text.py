"""The outcome of runs as a table, with the places where everything is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from etlgen.diagnostics.render import printable
from etlgen_runtime.report import RunReport

HEADINGS = ("contract", "status", "read", "accepted", "quarantined", "removed", "added", "seconds")


def run_text(reports: Sequence[RunReport]) -> str:
    """A row per run, then for each: why rows were quarantined, failed checks, and the paths."""
    if not reports:
        return "nothing to run"
    lines = _table([HEADINGS, *(_cells(report) for report in reports)])
    for report in reports:
        lines += ["", *_details(report)]
    return "\n".join(printable(line) for line in lines)


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
    for diagnostic in report.diagnostics:
        hint = f" ({diagnostic.help})" if diagnostic.help else ""
        yield f"  {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}{hint}"
    for label, path in (("output", report.target), ("quarantine", report.quarantine), ("report", report.report_path)):
        if path is not None:
            yield f"  {label:10} {path}"


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
